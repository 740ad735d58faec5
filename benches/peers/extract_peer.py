"""The pipeline a Python user would write: FastWARC + resiliparse + simhash, one process.

usage: extract_peer.py [--no-simhash] WARC...   prints pages, links, bytes of text and the seconds it took, as one JSON line.
"""

import json
import sys
import time

from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree, NodeType
from simhash import Simhash


def main(paths):
    with_simhash = "--no-simhash" not in paths
    paths = [path for path in paths if path != "--no-simhash"]
    pages = links = text_bytes = 0
    fingerprints = []
    start = time.perf_counter()
    for path in paths:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
                content_type = record.http_content_type or ""
                if "html" not in content_type:
                    continue
                body = record.reader.read()
                text = bytes_to_str(body, record.http_charset or detect_encoding(body))
                tree = HTMLTree.parse(text)
                if tree.body is None:
                    continue
                pages += 1
                # One walk: collections (get_elements_by_tag_name, query_selector_all) take quadratic time when iterated.
                for node in tree.body:
                    if node.type == NodeType.ELEMENT and node.tag == "a" and node.getattr("href"):
                        links += 1
                        node.text
                main_text = extract_plain_text(tree, main_content=True, alt_texts=False)
                text_bytes += len(main_text.encode())
                if main_text and with_simhash:
                    fingerprints.append(Simhash(main_text).value)
    seconds = time.perf_counter() - start
    print(json.dumps({"pages": pages, "links": links, "text_bytes": text_bytes, "seconds": seconds}))


main(sys.argv[1:])
