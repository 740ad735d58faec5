"""What other programs find by selectors, to hold ours against them.

    python selector_peers.py tasks.jsonl > theirs.jsonl
    cargo run -p webmill-rules --example select < tasks.jsonl > ours.jsonl
    python selector_peers.py --compare tasks.jsonl ours.jsonl theirs.jsonl
    python selector_peers.py --time selectors.jsonl PAGE...

A task is {"html", "kind": "css" or "xpath", "selector"}. The trees are those of html5lib, so that only selectors are
compared and not parsers: XPath by lxml, CSS by soupsieve, CSS with ::text or ::attr() by parsel. Results are lists of
strings: the path of an element by its place among its siblings (html[1]/body[2]/p[3]), a text behind "=". With --time,
parsel with its own parser.

Needs: lxml, html5lib, beautifulsoup4, soupsieve, parsel.
"""

import json
import sys
import time
from functools import lru_cache

# This folder comes first there, and this file would pass for the standard library's `selectors`.
sys.path.pop(0)

import bs4
import html5lib
import parsel
import soupsieve
from lxml import etree


@lru_cache(maxsize=4)
def tree(html):
    return html5lib.parse(html, treebuilder="lxml", namespaceHTMLElements=False).getroot()


@lru_cache(maxsize=4)
def soup(html):
    return bs4.BeautifulSoup(html, "html5lib")


def path_lxml(element):
    parts = []
    while element is not None:
        place = sum(1 for e in element.itersiblings(preceding=True) if isinstance(e.tag, str)) + 1
        parts.append(f"{etree.QName(element).localname.lower()}[{place}]")
        element = element.getparent()
    return "/".join(reversed(parts))


def path_soup(element):
    parts = []
    while not isinstance(element, bs4.BeautifulSoup):
        place = sum(1 for e in element.previous_siblings if isinstance(e, bs4.Tag)) + 1
        parts.append(f"{element.name.lower()}[{place}]")
        element = element.parent
    return "/".join(reversed(parts))


def show(one):
    if isinstance(one, str):
        return "=" + one
    return path_lxml(one) if isinstance(one.tag, str) else "=" + (one.text or "")


def number(value):
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return str(int(value)) if value == int(value) else repr(value)


def xpath(html, source):
    value = tree(html).getroottree().xpath(source)
    if isinstance(value, bool):
        return ["=" + str(value).lower()]
    if isinstance(value, float):
        return ["=" + number(value)]
    return [show(one) for one in value] if isinstance(value, list) else ["=" + value]


def css(html, source):
    if "::" in source:
        return ["=" + one for one in parsel.Selector(root=tree(html), type="html").css(source).getall()]
    return [path_soup(one) for one in soupsieve.select(source, soup(html))]


def run(tasks):
    for line in open(tasks, encoding="utf-8"):
        task = json.loads(line)
        try:
            result = (xpath if task["kind"] == "xpath" else css)(task["html"], task["selector"])
        except Exception as error:  # Whatever a program refuses is told, not hidden.
            result = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(result))


def compare(tasks, ours, theirs):
    counts, sources, differing = {}, {}, {}
    for task, one, other in zip(open(tasks, encoding="utf-8"), open(ours, encoding="utf-8"), open(theirs, encoding="utf-8")):
        task, one, other = json.loads(task), json.loads(one), json.loads(other)
        kind, source = task["kind"], task["selector"]
        same = one == other or (isinstance(one, dict) and isinstance(other, dict))
        count = counts.setdefault(kind, [0, 0, 0])
        count[0] += 1
        count[1] += same
        count[2] += same and bool(one)
        sources.setdefault(kind, set()).add(source)
        if not same:
            differing.setdefault((kind, source), []).append((task.get("page"), one, other))
    for kind, (all_of, same, found) in counts.items():
        print(f"{kind}: {len(sources[kind])} selectors, {all_of} results, {same} equal ({found} not empty)")
    for (kind, source), cases in differing.items():
        page, one, other = cases[0]
        print(f"{kind} {source}: {len(cases)} differ, first on {page}: ours {str(one)[:300]} theirs {str(other)[:300]}")


def timed(selectors, pages):
    tasks = [json.loads(line) for line in open(selectors, encoding="utf-8")]
    texts = [open(page, encoding="utf-8", errors="replace").read() for page in pages]
    found, parsing, selecting = 0, 0.0, 0.0
    for text in texts:
        begin = time.perf_counter()
        page = parsel.Selector(text=text)
        parsing += time.perf_counter() - begin
        begin = time.perf_counter()
        for task in tasks:
            found += len((page.xpath if task["kind"] == "xpath" else page.css)(task["selector"]).getall())
        selecting += time.perf_counter() - begin
    rate = len(texts) / (parsing + selecting)
    print(f"{len(texts)} pages, {len(tasks)} selectors, {found} results: parsing {parsing:.3f} s, selecting {selecting:.3f} s, {rate:.0f} pages/s")


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--compare", *files]:
            compare(*files)
        case ["--time", selectors, *pages]:
            timed(selectors, pages)
        case [tasks]:
            run(tasks)
        case _:
            sys.exit(__doc__)
