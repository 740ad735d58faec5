#!/usr/bin/env python3
"""Make plain pages of marked texts: an article and nothing else, as old and hand-made pages are, or boxes of links besides.

    plain.py --data DATA --out DATA/plain

Every text of some sets gives one page of its first one to twelve paragraphs: half of them in one of several bare forms (paragraphs,
line breaks, a table, a centred font), most with a headline that is not marked; the others as recipes and guides are written, their
paragraphs cut into lists of short lines under headings. Half of them get what portals have: a row of links before the text and boxes
of headlines of other pages after it. What is drawn is drawn by digests of names.
"""

import argparse
import hashlib
import html
import json
import re
from pathlib import Path

SETS = ("fundus", "misinfo-crawler", "zh-blogs", "other-blogs", "en-blogs-comments")
EVERY = 2  # one page in this many has paragraphs, the others lists
SHORT = 24  # characters of a heading over a list, at most


def draw(name, what, n):
    """A number below n that belongs to a page."""
    return int(hashlib.md5(f"{what}/{name}".encode()).hexdigest(), 16) % n


def body(paragraphs, title, form):
    """The inside of <body>."""
    lines = [html.escape(p, quote=False) for p in paragraphs]
    title = html.escape(title, quote=False)
    if form == 0:
        return f"<h1>{title}</h1>\n" + "\n".join(f"<p>{line}</p>" for line in lines)
    if form == 1:
        return f"<b>{title}</b><br><br>\n" + "<br><br>\n".join(lines)
    if form == 2:
        return f"<h2>{title}</h2>\n<table width=600><tr><td>" + "".join(f"<p>{line}" for line in lines) + "</td></tr></table>"
    if form == 3:
        return f"<center><font size=5>{title}</font></center><hr>\n" + "\n".join(f"<div>{line}</div>" for line in lines)
    if form == 4:
        return "\n".join(f"<p>{line}</p>" for line in lines)
    return f"<div><h3>{title}</h3>" + "".join(f"<p>{line}</p>" for line in lines) + "</div><p>&copy; 2005</p>"


def listed(paragraphs, title, name):
    """The lines of a text with lists and headings, and the inside of <body>."""
    esc = lambda line: html.escape(line, quote=False)
    item, around = [("li", "ul"), ("li", "ol"), ("dd", "dl"), ("div", "div"), ("p", "div")][draw(name, "list", 5)]
    over = ["h2", "h3", "h4", "b", "p"][draw(name, "heading", 5)]
    lines, out = [], [f"<h1>{esc(title)}</h1>"]
    for number, paragraph in enumerate(paragraphs):
        if draw(name, f"kept{number}", 3) == 0:
            lines.append(paragraph)
            out.append(f"<p>{esc(paragraph)}</p>")
            continue
        head, *items = [part for part in re.split(r"(?<=[。！？；，、])|(?<=[.!?;,:])\s+", paragraph) if part.strip()]
        if len(head) <= SHORT and items:
            out.append(f"<{over}>{esc(head.strip(' ，、,；;'))}</{over}>")
            lines.append(head.strip(" ，、,；;"))
        else:
            items = [head, *items]
        lines += [part.strip() for part in items]
        out.append(f"<{around}>" + "".join(f"<{item}>{esc(part.strip())}</{item}>" for part in items) + f"</{around}>")
    return lines, "\n".join(out)


def boxes(name, titles):
    """A row of links, and boxes of headlines: before and behind the text."""
    link = lambda text, n: f'<a href="/{n}.html">{html.escape(text, quote=False)}</a>'
    words = [title[:4] if not title.isascii() else title.split()[0] for title in titles]
    row = " ".join(link(words[draw(name, f"row{i}", len(words))], i) for i in range(3 + draw(name, "row", 8)))
    out = []
    for box in range(1 + draw(name, "boxes", 6)):
        lines = [titles[draw(name, f"{box}/{i}", len(titles))] for i in range(3 + draw(name, f"lines{box}", 8))]
        head = html.escape(words[draw(name, f"head{box}", len(words))], quote=False)
        items = [link(line, f"{box}{i}") for i, line in enumerate(lines)]
        match draw(name, "box", 4):
            case 0:
                out.append(f"<div><h3>{head}</h3><ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul></div>")
            case 1:
                out.append(f"<div><b>{head}</b><br>" + "<br>".join(f"·{item}" for item in items) + "</div>")
            case 2:
                out.append(f"<table><tr><td>{head}</td></tr>" + "".join(f"<tr><td>{item}</td></tr>" for item in items) + "</table>")
            case _:
                out.append(f"<div><div>{head}</div>" + "".join(f"<p>{item}</p>" for item in items) + "</div>")
    return f"<div>{row}</div>", "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of unpacked sets")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the set goes")
    args = parser.parse_args()
    (args.out / "html").mkdir(parents=True, exist_ok=True)
    count = 0
    with open(args.out / "gold.jsonl", "w", encoding="utf-8") as gold:
        for name in SETS:
            with open(args.data / "text-marked" / name / "gold.jsonl", encoding="utf-8") as lines:
                items = [json.loads(line) for line in lines]
            for item in items:
                key = f"{name}/{item['id']}"
                if "bbs" in (item.get("site") or ""):
                    continue
                paragraphs = [p.strip() for p in item["text"].split("\n") if p.strip()][: 1 + draw(key, "length", 12)]
                title = item.get("title") or paragraphs[0][:40]
                page_id = f"{name}-{draw(key, 'id', 10**9)}"
                if draw(key, "taken", EVERY):
                    paragraphs, page = listed(paragraphs, title, key)
                else:
                    page = body(paragraphs, title, draw(key, "form", 6))
                if draw(key, "portal", 2):
                    others = [i["title"] for i in items if i["lang"] == item["lang"] and i.get("title") and i["title"] != title]
                    before, behind = boxes(key, others) if len(others) >= 8 else ("", "")
                    page = f"{before}\n<div>{page}</div>\n{behind}"
                head = f'<html><head><meta charset="utf-8"><title>{html.escape(title, quote=False)}</title></head>\n'
                (args.out / "html" / f"{page_id}.html").write_text(f"{head}<body>\n{page}\n</body></html>\n", encoding="utf-8")
                row = {
                    "id": page_id,
                    "url": item.get("url"),
                    "lang": item.get("lang"),
                    "source": key,
                    "licence": item.get("licence"),
                    "text": "\n".join(paragraphs),
                    "title": title,
                    "author": None,
                    "date": None,
                    "site": item.get("site") or item["id"].split("-V")[0].split("-article")[0],
                    "type": "article",
                    "host_set": name,
                    "donors": [],
                    "donor_sets": [],
                }
                gold.write(json.dumps(row, ensure_ascii=False) + "\n")
                count += 1
    print(count, "pages")


if __name__ == "__main__":
    main()
