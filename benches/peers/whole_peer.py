"""From archives to links, ranks, main texts and near-duplicates, as a Python user would write it.

usage: whole_peer.py PROCESSES WARC...   prints what it found and seconds by step, as one JSON line.

FastWARC reads, resiliparse finds the encoding, parses, and gives the main text; one walk of the tree gives the links; NetworKit ranks the pages;
datasketch signs the texts (word shingles of 3, 128 values) and finds candidates by LSH. More processes than one share the files out for everything
but ranks and LSH. Nothing is written.
"""

import json
import multiprocessing
import sys
import time
from urllib.parse import urldefrag, urljoin

from datasketch import MinHash, MinHashLSH
from fastwarc.warc import ArchiveIterator, WarcRecordType
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import bytes_to_str, detect_encoding
from resiliparse.parse.html import HTMLTree, NodeType


def read(path):
    """Of each page: address, targets of links, text, signature."""
    pages = []
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
            if record.http_headers is None or record.http_headers.status_code != 200:
                continue
            if "html" not in (record.http_content_type or ""):
                continue
            body = record.reader.read()
            tree = HTMLTree.parse(bytes_to_str(body, record.http_charset or detect_encoding(body)))
            if tree.body is None:
                continue
            url = record.headers["WARC-Target-URI"]
            links = set()
            # One walk: collections (get_elements_by_tag_name, query_selector_all) take quadratic time when iterated.
            for node in tree.body:
                if node.type == NodeType.ELEMENT and node.tag == "a":
                    href = node.getattr("href")
                    if href and not href.startswith("#"):
                        try:
                            links.add(urldefrag(urljoin(url, href))[0])
                        except ValueError:
                            pass
            text = extract_plain_text(tree, main_content=True, alt_texts=False)
            words = text.lower().split()
            sketch = MinHash(num_perm=128)
            sketch.update_batch([" ".join(words[at : at + 3]).encode() for at in range(max(1, len(words) - 2))])
            pages.append((url, links, text, sketch if len(words) > 2 else None))
    return pages


def rank(pages):
    import networkit

    numbers = {}
    graph = networkit.Graph(0, directed=True)

    def number(url):
        found = numbers.get(url)
        if found is None:
            found = numbers[url] = graph.addNode()
        return found

    for url, links, _, _ in pages:
        source = number(url)
        for link in links:
            graph.addEdge(source, number(link))
    ranks = networkit.centrality.PageRank(graph, 0.85, 1e-9)
    ranks.run()
    return graph.numberOfEdges(), ranks.ranking()[:3]


def duplicates(pages):
    lsh = MinHashLSH(threshold=0.8, num_perm=128)
    pairs = 0
    for at, (_, _, _, sketch) in enumerate(pages):
        if sketch is not None:
            pairs += sum(pages[other][3].jaccard(sketch) >= 0.8 for other in lsh.query(sketch))
            lsh.insert(at, sketch)
    return pairs


def main():
    processes, paths = int(sys.argv[1]), sys.argv[2:]
    begin = time.perf_counter()
    if processes > 1:
        with multiprocessing.Pool(processes) as pool:
            pages = [page for part in pool.imap(read, paths) for page in part]
    else:
        pages = [page for path in paths for page in read(path)]
    read_at = time.perf_counter()
    arcs, _ = rank(pages)
    ranked_at = time.perf_counter()
    pairs = duplicates(pages)
    end = time.perf_counter()
    text = sum(len(page[2]) for page in pages)
    steps = {"read": read_at - begin, "rank": ranked_at - read_at, "duplicates": end - ranked_at}
    print(json.dumps({"pages": len(pages), "arcs": arcs, "pairs": pairs, "characters": text, "seconds": steps}))


if __name__ == "__main__":
    main()
