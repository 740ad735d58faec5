"""Main text by trafilatura or resiliparse, for the scorer of the evaluation data.

usage: main_text_quality.py trafilatura|resiliparse SET_DIR PRED.jsonl

SET_DIR is an unpacked set of pages (datasets/main-text/README.md names them): its *.html, or html/*.html. Writes an object a page,
`id` and `text`; `score_text.py SET_DIR PRED.jsonl` scores it beside what examples/predict_text.rs writes of the same set.
"""

import json
import sys
from pathlib import Path


def trafilatura():
    from trafilatura import extract

    return lambda page: extract(page, include_comments=False) or ""


def resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    return lambda page: extract_plain_text(bytes_to_str(page, detect_encoding(page)), main_content=True)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    extract = {"trafilatura": trafilatura, "resiliparse": resiliparse}[sys.argv[1]]()
    folder = Path(sys.argv[2])
    pages = sorted(folder.glob("*.html")) or sorted(folder.glob("html/*.html"))
    with open(sys.argv[3], "w", encoding="utf-8") as out:
        for page in pages:
            out.write(json.dumps({"id": page.stem, "text": extract(page.read_bytes())}, ensure_ascii=False) + "\n")


main()
