"""What a Python user would write to get the fields of tests/rules/corpora: FastWARC, parsel, extruct, one process.

usage: rules_peer.py CORPUS WARC... [--tables FOLDER]

CORPUS is rust, linux, cppreference or libreoffice. Prints pages, rows, values and the seconds they took as one JSON line; with
--tables (a folder of `rule_CORPUS_GROUP`), for each group the rows of both sides and how many are equal, after it.
"""

import argparse
import collections
import json
import re
import time
from pathlib import Path
from urllib.parse import urldefrag, urljoin

from extruct.w3cmicrodata import MicrodataExtractor
from fastwarc.warc import ArchiveIterator, WarcRecordType
from parsel import Selector

MICRODATA = MicrodataExtractor()
HEADINGS = "h1, h2, h3, h4, h5, h6"


def words(selector, path="string()"):
    return " ".join("".join(selector.xpath(path).getall()).split())


def rust(url, source, page):
    visible = './/text()[not(ancestor::span[@class="notable-traits"])]'
    where = page.css("h1.fqn > span.in-band")
    module = words(where).split()[-1].rpartition("::")[0] if where else ""
    for row in page.css("body.fn #main-content"):
        yield "functions", (module, words(row.css("h1.fqn a.fn")), words(row.css(".item-decl"), visible))
    for row in page.xpath('//*[contains(@class, "method ")]/h4[@class="code-header"][a[@class="fnname"]]'):
        yield "functions", (module, words(row.xpath('./a[@class="fnname"]')), words(row, visible))


def linux(url, source, page):
    visible = './/text()[not(parent::a[@class="headerlink"])]'
    title = words(page.css("head > title"))
    for row in page.css(HEADINGS):
        yield "sections", (title, words(row, visible), int(row.root.tag[1]))
    for row in page.css("dt.sig-object"):
        kind = row.xpath("../@class").get().partition(" ")[2]
        yield "definitions", (kind, words(row, visible), row.attrib.get("id"))


def cppreference(url, source, page):
    title = words(page.css("head > title"))
    above = '(preceding-sibling::tr | ../preceding-sibling::tbody/tr)[contains(@class, "t-dsc-header")][last()]/td[1]'
    for row in page.css("table.t-dcl-begin tr.t-dcl"):
        header = ", ".join(re.findall("<([^>]+)>", words(row.xpath(above)))) or None
        mark = words(row.xpath("td[3]"))
        versions = [re.search(word + r" ([^)]+)\)", mark) for word in ("since", "until")]
        yield "headers", (title, header, words(row.xpath("td[1]")), *(found and found[1] for found in versions))


def libreoffice(url, source, page):
    title = words(page.css("head > title"))
    base = urljoin(url, page.css("base::attr(href)").get(""))
    for row in page.css("#DisplayArea").css(HEADINGS):
        yield "headings", (title, words(row), int(row.root.tag[1]))
    for row in page.css("#DisplayArea div.relatedbody a[href]"):
        yield "related", (title, words(row), urldefrag(urljoin(base, row.attrib["href"]))[0])
    for item in MICRODATA.extract_items(page.root, base_url=base):
        if item.get("type") == "http://schema.org/SoftwareApplication":
            said = item.get("properties", {}).get("keywords", [])
            for keyword in said if isinstance(said, list) else [said]:
                yield "keywords", (keyword,)


# What must be found in a page before it is parsed, as the rules have it; the columns of the tables.
CORPORA = {
    "rust": (rust, re.compile('class="fnname"|class="rust fn"')),
    "linux": (linux, re.compile("")),
    "cppreference": (cppreference, re.compile('<tr class="t-dcl[ "]')),
    "libreoffice": (libreoffice, re.compile('id="DisplayArea"')),
}
COLUMNS = {
    "functions": ["module", "name", "signature"],
    "sections": ["title", "heading", "level"],
    "definitions": ["kind", "signature", "anchor"],
    "headers": ["title", "header", "declaration", "since", "until"],
    "headings": ["title", "heading", "level"],
    "related": ["title", "topic", "target"],
    "keywords": ["keyword"],
}


def extract(corpus, paths):
    fields, when = CORPORA[corpus]
    pages, rows = 0, collections.defaultdict(list)
    for path in paths:
        with open(path, "rb") as stream:
            for record in ArchiveIterator(stream, record_types=WarcRecordType.response, parse_http=True):
                if "html" not in (record.http_content_type or ""):
                    continue
                pages += 1
                source = record.reader.read().decode(record.http_charset or "utf-8", "replace")
                if when.search(source):
                    url = record.headers.get("WARC-Target-URI")
                    # A line's end is a blank.
                    for group, row in fields(url, source, Selector(text=source.replace("<br>", "<br> "))):
                        rows[group].append((url, *row))
    return pages, rows


def compare(rows, tables, corpus):
    import polars as pl

    plain = lambda value: int(value) if isinstance(value, float) else value
    for group, theirs in rows.items():
        files = str(tables / f"rule_{corpus}_{group}" / "*.parquet")
        table = pl.read_parquet(files, columns=["url", *COLUMNS[group]]).select("url", *COLUMNS[group])
        a = collections.Counter(tuple(map(plain, row)) for row in table.rows())
        b = collections.Counter(theirs)
        print(f"{corpus} {group}: webmill {a.total()} rows, peer {b.total()}, equal {(a & b).total()}")
        for who, left in (("webmill alone", a - b), ("peer alone", b - a)):
            for row in sorted(left, key=repr)[:2]:
                print(f"  {who}: {row}")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("corpus", choices=CORPORA)
    args.add_argument("warcs", nargs="+")
    args.add_argument("--tables", type=Path)
    args = args.parse_args()
    begun = time.perf_counter()
    pages, rows = extract(args.corpus, args.warcs)
    seconds = time.perf_counter() - begun
    count = {group: len(found) for group, found in rows.items()}
    values = sum(value is not None for found in rows.values() for row in found for value in row[1:])
    print(json.dumps({"pages": pages, "rows": count, "values": values, "seconds": seconds}))
    if args.tables:
        compare(rows, args.tables, args.corpus)


main()
