#!/usr/bin/env python3
"""How many of a folder of small pages and documents, of which it is known what is right, each program reads so.

    content.py PROGRAM FOLDER [--wrong]

PROGRAM is the built webmill, FOLDER holds the cases that CASES names. The peers are trafilatura with htmldate (pages) and
markitdown (documents), from the Python that runs this. A case is right if what is said of its output in CASES holds. Prints a row a
kind: cases, right by webmill, right by the peer.
"""

import argparse
import json
import re
import subprocess
from collections import defaultdict
from pathlib import Path

DAY, CHANGED = "2022-03-14", "2020-01-09"


def days(output):
    return (output["date"] or "")[:10]


def date_is(day):
    return lambda it: days(it) == day


def has(*parts, no=()):
    return lambda it: all(p in it["markdown"] for p in parts) and not any(p in it["markdown"] for p in no)


def field(name, value):
    return lambda it: it[name] == value


def matches(pattern):
    return lambda it: re.search(pattern, it["markdown"]) is not None


def in_text(*parts):
    return lambda it: all(part in it["text"] for part in parts)


# (kind, file, what is right)
CASES = [
    *(("days in ten languages", f"date-{lang}.html", date_is(DAY)) for lang in "ko hu vi hi he th hr lt lv bn".split()),
    *(("eras, digits, calendars", f"{name}.html", date_is(DAY)) for name in "Z08-persian-jalali Z09-roc-year Z11-reiwa Z12-thai-be Z14-fullwidth Z15-hanzi-year".split()),
    *(("published, not modified", f"{name}.html", lambda it: days(it) == "2017-11-13" and (it["modified"] or "")[:10] == CHANGED) for name in ("upd-00-en", "upd-02-zh-CN")),
    ("published, not modified", "D02-updated-first.html", date_is("2017-11-13")),
    ("published, not modified", "upd-10-en.html", date_is("2017-11-13")),
    ("authors", "au-escaped.html", field("author", "Ann Berg")),
    ("authors", "D09-author-06.html", field("author", None)),
    ("authors", "D09-author-10.html", field("author", None)),
    ("broken JSON-LD", "ld-comment.html", field("author", "Ingrid Solberg")),
    ("broken JSON-LD", "ld-trailing.html", field("author", "Ingrid Solberg")),
    ("titles", "title-untitled-document.html", lambda it: it["title"] not in (None, "Untitled Document")),
    ("titles", "title-wubiaoti.html", lambda it: it["title"] not in (None, "无标题文档")),
    *(("pictures", f"{name}.html", has("![")) for name in ("f1-figure-caption", "f5-img-div-class", "M15-image-list")),
    ("formulas", "math-katex.html", has("$E=mc^2$")),
    ("formulas", "math-mathml.html", has("$E=mc^2$")),
    ("formulas", "math-mj2.html", has("$E=mc^2$")),
    ("formulas", "math-mj2-block.html", has("$$")),
    *(("formulas", f"math-{name}.html", in_text("E", "mc")) for name in ("wiki", "zhihu", "texalt")),
    ("formulas", "math-mjx3.html", matches(r"(?m)^.*[^\n]*\S.*\$.*\$.*$")),
    ("structure", "shadow-open.html", lambda it: len(it["text"]) > 400),
    ("structure", "M10-li-p-links.html", matches(r"spare parts for years:\s*\n+\s*[-*] ")),
    ("structure", "links-6.html", matches(r":\s*\n+\s*[-*] ")),
    ("structure", "M07-prose-in-dd.html", has(no=("- - ",))),
    ("structure", "M42-anchors.html", in_text("wall 4")),
    ("threads", "phpbb.html", lambda it: it["author"] == "keeper62" and days(it) == "2009-03-14" and len(it["posts"]) == 4),
    ("threads", "vbulletin.html", lambda it: [p["author"] for p in it["posts"]] == ["keeper62", "anna_b", "mats", "oldpilot"]),
    ("threads", "stackexchange.html", lambda it: in_text("tide --at 4", "tide --at 6")(it) and "anna_6" in [p["author"] for p in it["posts"]]),
    ("threads", "M40-product.html", lambda it: "129" in it["text"] and len(it["posts"]) == 2),
    ("documents", "equations.docx", has("$")),
    ("documents", "P07-spacing.pdf", has("HARBOUR NEWS")),
    ("documents", "P11-hyphens.pdf", has("well-known", "self-made")),
    ("documents", "P03-hebrew-visual.pdf", has("(עמוד 3)")),
    ("documents", "SPARSE-2024-INV-1234_borderless_table.pdf", lambda it: it["markdown"].count("|---") + it["markdown"].count("| ---") >= 1),
    ("documents", "E01-order.epub", has("the keeper and his cat")),
    ("documents", "C02-tab-quote.csv", has("|")),
    ("documents", "C09-preamble.csv", matches(r"\|\s*time\s*\|\s*level")),
    ("documents", "K26-estonian.html", in_text("Šokolaad", "žürii")),
    ("feeds", "entry_content_xml_base.xml", has("http://example.com/test/test.html")),
    ("feeds", "entry_content_xml_base_inherit_4.xml", has("http://example.com/parent/test.html")),
    ("feeds", "demoronize-1.xml", has("don’t")),
]


def bylines(folder):
    names = json.loads((folder / "by/expected.json").read_text(encoding="utf-8"))
    return [("bylines", f"by/{name}.html", field("author", author)) for name, author in names.items()]


def webmill(program, path):
    run = lambda form: subprocess.run([program, "text", "--format", form, path], capture_output=True, text=True, check=False).stdout
    out = json.loads(run("json").splitlines()[0])
    out = {name: out.get(name) for name in ("title", "author", "date", "modified", "text", "posts")}
    return out | {"text": out["text"] or "", "posts": out["posts"] or [], "markdown": run("md")}


def peer(path):
    empty = {"title": None, "author": None, "date": None, "modified": None, "text": "", "markdown": "", "posts": []}
    if path.suffix == ".html":
        import htmldate
        import trafilatura

        page = path.read_bytes()
        form = lambda name: trafilatura.extract(page, output_format=name, include_images=True, include_formatting=True) or ""
        about = trafilatura.extract_metadata(page)
        day = htmldate.find_date(page.decode("utf-8", "replace"), original_date=True)
        changed = htmldate.find_date(page.decode("utf-8", "replace"), original_date=False)
        return empty | {"title": about.title, "author": about.author, "date": day, "modified": changed, "text": form("txt"), "markdown": form("markdown")}
    from markitdown import MarkItDown

    text = MarkItDown().convert(str(path)).markdown
    return empty | {"text": text, "markdown": text}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--wrong", action="store_true", help="names what webmill reads wrongly")
    args = parser.parse_args()
    table = defaultdict(lambda: [0, 0, 0])
    for kind, name, right in CASES + bylines(args.folder):
        path = args.folder / name
        row = table[kind]
        row[0] += 1
        for at, read in ((1, lambda: webmill(args.program, path)), (2, lambda: peer(path))):
            try:
                is_right = bool(right(read()))
            except Exception as error:  # a program that cannot read a file has read it wrongly
                is_right = False
                print(f"{name}: {type(error).__name__}: {str(error)[:80]}")
            row[at] += is_right
            if at == 1 and args.wrong and not is_right:
                print("wrong:", name)
    for kind, (n, own, other) in table.items():
        print(f"{kind:28} {n:3} {own:3} {other:3}")
    print(f"{'in all':28}", *(f"{sum(row[at] for row in table.values()):3}" for at in range(3)))


if __name__ == "__main__":
    main()
