"""resiliparse and trafilatura on pages that the benchmark `main_text` names.

usage: main_text.py resiliparse|trafilatura    (paths of pages on stdin, then an empty line)

Reads all pages, prints `ready`; then, for each further line on stdin, extracts all of them and prints the CPU seconds
of this thread that it took and the bytes of text found.
"""

import sys
import time
from pathlib import Path


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    # As its manual has it: detect the encoding, parse, extract; title included, since ours finds it too.
    def extract(page):
        tree = HTMLTree.parse(bytes_to_str(page, detect_encoding(page)))
        return extract_plain_text(tree, main_content=True) if tree.body else ""

    return extract


def trafilatura():
    from trafilatura import bare_extraction

    # With metadata, as ours.
    def extract(page):
        found = bare_extraction(page, with_metadata=True)
        return (found.text or "") if found else ""

    return extract


def main():
    extract = {"resiliparse": resiliparse, "trafilatura": trafilatura}[sys.argv[1]]()
    pages = []
    for line in sys.stdin:
        if not line.strip():
            break
        pages.append(Path(line.rstrip("\n")).read_bytes())
    print("ready", flush=True)
    for _ in sys.stdin:
        found = 0
        start = time.thread_time()
        for page in pages:
            try:
                found += len(extract(page).encode("utf-8", "replace"))
            except Exception:
                pass
        print(time.thread_time() - start, found, flush=True)


main()
