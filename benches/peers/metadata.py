#!/usr/bin/env python3
"""Our titles, authors, dates, descriptions and licences beside trafilatura's, against sets with gold.

usage: benches/peers/metadata.py SET... [--ours BINARY]

A SET is a folder of the shared data: text-trafilatura (evaldata.json), one of text-marked (gold.jsonl), text-wcxb-dev
(gold/) or text-readability (expected-metadata.json). BINARY is the example `predict_metadata` (default
target/release/examples/predict_metadata; build it by `cargo build --release --example predict_metadata`). Wants
trafilatura; see requirements.txt. Both tools get the page's bytes and, where the set states it, its address.

Titles and names are equal by their letters and digits; authors as sets of names; dates by their day; descriptions if one
begins with the other. Prints a row a set, field and half of the sites (0 and 1, by a digest of the site's name), with the
pages that state the field, and for each tool precision, recall, F1, and precision on the pages that state the field alone:
what gold leaves empty is often not known rather than absent.
"""

import argparse
import hashlib
import html
import json
import re
import subprocess
import tempfile
import unicodedata
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
FIELDS = ("title", "author", "date", "description", "licence")


def page(name, file, url, site, gold):
    said = {field: value if value != "None" else None for field, value in gold.items()}
    return {"id": name, "file": str(file), "url": url, "site": site or name, "gold": said}


def pages(folder):
    """The pages of a set, with what gold says of them."""
    if (folder / "evaldata.json").is_file():
        for url, x in json.loads((folder / "evaldata.json").read_text()).items():
            files = [folder / part / x["file"] for part in ("cache", "eval")]
            file = next((file for file in files if file.is_file()), None)
            if file and "title" in x:
                gold = {field: x.get(field) for field in FIELDS} | {"licence": x.get("license")}
                yield page(x["file"], file, url, urlsplit(url).netloc, gold)
    elif (folder / "gold.jsonl").is_file():
        for line in (folder / "gold.jsonl").read_text().splitlines():
            x = json.loads(line)
            url = x.get("url")
            site = x.get("site") or (urlsplit(url).netloc if url else x["id"].split("-")[0])
            yield page(x["id"], folder / "html" / f"{x['id']}.html", url, site, {f: x.get(f) for f in FIELDS})
    elif (folder / "gold").is_dir():
        for file in sorted((folder / "gold").glob("*.json")):
            x = json.loads(file.read_text())
            gold = {f: x["ground_truth"].get(f) for f in FIELDS} | {"date": x["ground_truth"].get("publish_date")}
            url = x.get("url")
            yield page(file.stem, folder / "html" / f"{file.stem}.html", url, urlsplit(url or "").netloc, gold)
    else:
        for file in sorted(folder.glob("*/expected-metadata.json")):
            x = json.loads(file.read_text())
            gold = {"title": x.get("title"), "author": x.get("byline"), "date": x.get("publishedTime")}
            gold["description"] = x.get("excerpt")
            yield page(file.parent.name, file.parent / "source.html", None, None, gold)


def ours(binary, found):
    with tempfile.TemporaryDirectory() as folder:
        listed, out = Path(folder) / "list.jsonl", Path(folder) / "out.jsonl"
        listed.write_text("".join(json.dumps(x) + "\n" for x in found))
        subprocess.run([binary, listed, out], check=True)
        return {x["id"]: x for x in map(json.loads, out.read_text().splitlines())}


def theirs(found):
    from trafilatura.metadata import extract_metadata

    out = {}
    for x in found:
        said = extract_metadata(Path(x["file"]).read_bytes(), default_url=x["url"]).as_dict()
        out[x["id"]] = {field: said.get(field) for field in FIELDS} | {"licence": said.get("license")}
    return out


def bare(text):
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def names(said):
    said = "; ".join(said) if isinstance(said, list) else said
    said = re.sub(r"^(von|by|par|por)\s+", "", said.strip(), flags=re.I)
    parts = re.split(r"\s*[;,/&|、，；]\s*|\s+(?:and|und|et|y|e|og|och|mit|with)\s+", said)
    # Blanks part names of Han characters, but not the letters of one.
    han = re.compile(r"[\u3400-\u9fff]{2,4}(\s+[\u3400-\u9fff]{2,4})+")
    parts = [name for part in parts for name in (part.split() if han.fullmatch(part.strip()) else [part])]
    return {bare(part) for part in parts} - {""}


def day(text):
    found = re.match(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})", text.strip())
    return "%s-%02d-%02d" % (found[1], int(found[2]), int(found[3])) if found else text[:10]


def right(field, gold, said):
    if field == "author":
        return names(gold) == names(said)
    if field == "date":
        return day(gold) == day(said)
    a, b = bare(html.unescape(gold)), bare(said)
    return a == b or field == "description" and min(len(a), len(b)) >= 40 and (a.startswith(b) or b.startswith(a))


def figures(field, found, said):
    stated = [x for x in found if x["gold"].get(field)]
    hits = sum(bool(said[x["id"]].get(field)) and right(field, x["gold"][field], said[x["id"]][field]) for x in stated)
    all_said = sum(bool(said[x["id"]].get(field)) for x in found)
    said_stated = sum(bool(said[x["id"]].get(field)) for x in stated)
    precision, recall = hits / max(all_said, 1), hits / max(len(stated), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return f"P {precision:.3f} R {recall:.3f} F1 {f1:.3f} stated P {hits / max(said_stated, 1):.3f}"


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("sets", nargs="+", type=Path, metavar="SET")
    args.add_argument("--ours", default=ROOT / "target/release/examples/predict_metadata", metavar="BINARY")
    args = args.parse_args()
    for folder in args.sets:
        found = [x for x in pages(folder.resolve()) if Path(x["file"]).is_file()]
        tools = {"webmill": ours(args.ours, found), "trafilatura": theirs(found)}
        for field in FIELDS:
            for half in (0, 1):
                part = [x for x in found if hashlib.md5(x["site"].encode()).digest()[0] % 2 == half]
                count = sum(bool(x["gold"].get(field)) for x in part)
                if count:
                    row = " | ".join(f"{tool} {figures(field, part, said)}" for tool, said in tools.items())
                    print(f"{folder.name} {field} half {half} n {count} | {row}", flush=True)


main()
