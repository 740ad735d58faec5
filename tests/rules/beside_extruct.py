#!/usr/bin/env python3
"""What rules find by JSON-LD and microdata beside extruct, on pages of other people: values in both, only ours, only theirs.

usage: tests/rules/beside_extruct.py FOLDER... [--webmill BINARY] [--show N]

Needs extruct and polars (benches/peers/rules_requirements.txt). FOLDERs hold HTML files; those with JSON-LD or microdata that are
UTF-8 are written into a WARC file, a rule with a group for each path below is applied to it, and the same paths are looked up in
what extruct gives of the same text. White space is collapsed on both sides, numbers are compared as numbers.

Reasons of the differences, each counted by itself below, and what is left is shown:

- text: the text of an element: extruct sets blanks between blocks and around some inline elements, and leaves out what is in
  `style` and `script`; the standard, and webmill, take textContent. Counted where the texts are equal without white space, or
  long ones begin alike.
- time: a `time` without `datetime` is its text by the standard, the empty text in extruct.
- address: webmill resolves by `<base>` and writes addresses canonically (as table links has them); extruct joins them with the page's.
- no address: an `a` without `href`, or a picture without `src`, is its text, or nothing; in extruct the address of the page.
- rdfa: a tag `microdata` finds RDFa too; counted on pages that have any.
- itemref: is followed by extruct, not by webmill; counted on pages that have any.
- given up: of pages with a script that neither can read extruct has nothing, webmill has the other scripts.
- mended: extruct reads JSON with comments or commas too many; webmill leaves the script out.
- limits: webmill leaves out items of a page beyond 200, or beyond 256 KiB of JSON.

What is then left of microdata are pages of more than 200 items, and pages whose elements are not closed, which the HTML standard's
tree (ours) and libxml2's (theirs) put into other items.
"""

import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import unquote, urljoin

import polars
from extruct.jsonld import JsonLdExtractor
from extruct.w3cmicrodata import MicrodataExtractor

ROOT = Path(__file__).resolve().parents[2]
PATHS = {
    "jsonld": [
        "*.name", "*.headline", "*.url", "*.description", "*.datePublished", "*.dateModified", "*.author.name",
        "*.publisher.name", "*.image", "*.keywords", "*.sku", "Product.offers.price", "Product.brand.name",
        "Product.aggregateRating.ratingValue", "BreadcrumbList.itemListElement.name", "*.itemListElement.position",
        "Article|NewsArticle|BlogPosting.headline", "*.articleBody", "*.acceptedAnswer.text",
    ],
    "microdata": [
        "*.name", "*.headline", "*.url", "*.description", "*.datePublished", "*.dateModified", "*.author.name", "*.author",
        "*.image", "*.articleBody", "*.itemListElement.name", "*.title", "*.position", "*.price", "Product.name",
        "Product.offers.price", "Product.aggregateRating.ratingValue", "*.reviewBody", "*.text", "*.commentText",
    ],
}


def in_items(path, items):
    """The values of a path as src/rules/structured.rs defines them."""
    kind, *steps = path.split(".")
    found, kinds = [], kind.split("|")

    def bare(text):
        return isinstance(text, str) and re.split("[/#:]", text)[-1] in kinds

    def is_of(value):
        types = [value.get("@type")] if "@type" in value else [value.get("type")] if "properties" in value else []
        return any(bare(t) for said in types for t in (said if isinstance(said, list) else [said]))

    def follow(value, steps):
        if isinstance(value, list):
            for one in value:
                follow(one, steps)
        elif isinstance(value, dict):
            if not steps:
                found.append(value)
            elif steps[0] in value:
                follow(value[steps[0]], steps[1:])
            elif steps[0] in value.get("properties", {}):
                follow(value["properties"][steps[0]], steps[1:])
        elif value is not None and (not steps or (steps == ["name"] and isinstance(value, str))):
            found.append(value)

    def walk(value):
        if isinstance(value, list):
            for one in value:
                walk(one)
        elif isinstance(value, dict):
            if kind == "*" or is_of(value):
                follow(value, steps)
            is_microdata = "@type" not in value and isinstance(value.get("properties"), dict)
            for one in (value["properties"] if is_microdata else value).values():
                walk(one)

    walk(items)
    return found


def plain(value):
    """A value in a form that both sides share; objects are compared by the values in them, by other paths."""
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str) and value[:1] == "{" and value[-1:] == "}":
        try:
            return "{}" if isinstance(json.loads(value), dict) else value
        except ValueError:
            pass
    text = " ".join(str(value).split())
    try:
        # Else 1 and 1.0 differ, as JSON has it in one page and text in another.
        return repr(float(text)) if re.fullmatch(r"-?[0-9.eE+]{1,15}", text) else text
    except ValueError:
        return text


def pages(folders):
    """Address, file and text of every page that has something to compare; how many were passed over."""
    kept, passed = [], collections.Counter()
    for folder in folders:
        for file in sorted(Path(folder).rglob("*.html")):
            body = file.read_bytes()
            if not re.search(rb"application/ld\+json|itemscope", body, re.I):
                passed["without"] += 1
                continue
            try:
                text = body.decode("utf-8")
            except UnicodeDecodeError:
                passed["not UTF-8"] += 1
                continue
            kept.append((f"http://pages.example/{len(kept)}/", file, text))
    return kept, passed


def warc(path, pages):
    with open(path, "wb") as file:
        for number, (url, _, text) in enumerate(pages):
            body = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + text.encode("utf-8")
            file.write(
                b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
                b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nContent-Type: application/http; msgtype=response\r\n"
                b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (url.encode(), number, len(body), body)
            )


def groups():
    """The name of a group for each path of each syntax."""
    return {(syntax, path): f"{syntax}_{number}" for syntax, paths in PATHS.items() for number, path in enumerate(paths)}


def rule():
    text = '[rule]\nid = "x"\nname = "Paths"\n[[layer]]\nid = "page"\npages = ["."]\n'
    for (syntax, path), name in groups().items():
        text += f'[[tag]]\nid = "{name}"\nlayer = "page"\n{syntax} = "{path}"\n'
        text += f'[[group]]\nname = "{name}"\ncolumns = [{{ name = "value", tag = "{name}" }}]\n'
    return text


def ours(webmill, pages, folder):
    """Values by (syntax, path) and address."""
    warc(folder / "pages.warc", pages)
    (folder / "x.toml").write_text(rule())
    for arguments in (["extract", "pages.warc"], ["rules", "apply", "x.toml", "--shards", "pages.warc"]):
        done = subprocess.run([webmill, *arguments, "--out", "out"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
    found = collections.defaultdict(list)
    for at, name in groups().items():
        table = polars.read_parquet(folder / f"out/rules/latest/rule_x_{name}/*.parquet", columns=["url", "value"])
        for url, value in table.select("url", "value").rows():
            found[at, url].append(plain(value))
    return found


def theirs(pages):
    found, failed = collections.defaultdict(list), collections.defaultdict(set)
    for url, _, text in pages:
        for syntax, extractor in (("jsonld", JsonLdExtractor()), ("microdata", MicrodataExtractor(strict=True))):
            try:
                items = extractor.extract(text, base_url=url)
            except Exception:  # noqa: BLE001 - whatever it is, the page has no values then
                failed[syntax].add(url)
                continue
            for path in PATHS[syntax]:
                found[(syntax, path), url] = [plain(value) for value in in_items(path, items)]
    return found, failed


def without(text):
    return re.sub(r"\s+", "", text)


def scripts(text):
    """Whether the scripts of a page are all JSON, and within webmill's limits."""
    found = re.findall(r"<script[^>]+application/ld\+json[^>]*>(.*?)</script>", text, re.S | re.I)
    is_json = True
    for script in found:
        try:
            json.loads(script.strip().rstrip(";"), strict=False)
        except ValueError:
            is_json = False
    return is_json, sum(map(len, found)) < 200_000


def reasons(syntax, url, text, a, b):
    """Takes pairs that differ for a known reason out of what only one side has; counts them."""
    counts = collections.Counter()

    def pair(name, like):
        for value in list(a.elements()):
            other = next((o for o in b if like(value, o)), None)
            if other is not None:
                a[value] -= 1
                b[other] -= 1
                counts[name] += 1
                a.__iadd__(collections.Counter())
                b.__iadd__(collections.Counter())

    def address(x, y):
        if not re.match("https?:", x):
            return False
        base = re.search(r"<base[^>]+href=[\"']?([^\"'> ]+)", text, re.I)
        tidy = lambda u: unquote(u.split("#")[0]).rstrip("/").lower()
        return tidy(x) in {tidy(y), tidy(urljoin(base[1], y.removeprefix(url)) if base else y)}

    if syntax == "microdata":
        pair("address", address)
        pair("text", lambda x, y: without(x) == without(y) or (len(x) > 300 and without(x)[:100] == without(y)[:100]))
        pair("time", lambda x, y: y == "" and x != "")
        pair("no address", lambda x, y: y == url)
        for name, values, mark in (("rdfa", a, "typeof="), ("itemref", b, "itemref=")):
            if mark in text:
                counts[name] += values.total()
                values.clear()
    else:
        pair("text", lambda x, y: without(x) == without(y))
        is_json, is_small = scripts(text)
        if not (is_json and is_small):
            counts["limits" if is_json else "mended"] += b.total()
            b.clear()
    return counts


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("folders", nargs="+")
    args.add_argument("--webmill", default=str(ROOT / "target/release/webmill"))
    args.add_argument("--show", type=int, default=0, help="differences without a known reason to print of each path")
    args = args.parse_args()
    kept, passed = pages(args.folders)
    print(f"{len(kept)} pages; passed over: {dict(passed)}", flush=True)
    with tempfile.TemporaryDirectory(prefix="webmill-extruct-") as folder:
        mine = ours(str(Path(args.webmill).resolve()), kept, Path(folder))
    their, failed = theirs(kept)
    print("pages that extruct gives up:", {syntax: len(urls) for syntax, urls in failed.items()})
    print(f"{'path':48}{'pages':>7}{'both':>8}{'ours':>7}{'theirs':>7}  known reasons; ours and theirs without one")
    totals = collections.defaultdict(collections.Counter)
    for at in groups():
        syntax, path = at
        total, known, shown = collections.Counter(), collections.Counter(), []
        for url, file, text in kept:
            a, b = collections.Counter(mine[at, url]), collections.Counter(their[at, url])
            if not a and not b:
                continue
            only_a, only_b = a - b, b - a
            total.update(pages=1, both=(a & b).total(), ours=only_a.total(), theirs=only_b.total())
            if url in failed[syntax]:
                known["given up"] += only_a.total()
                continue
            known += reasons(syntax, url, text, only_a, only_b)
            total.update(ours_left=only_a.total(), theirs_left=only_b.total())
            if only_a or only_b:
                shown.append((file, dict(only_a), dict(only_b)))
        totals[syntax] += total
        totals[syntax].update({f"because of {name}": count for name, count in known.items()})
        row = (total["pages"], total["both"], total["ours"], total["theirs"])
        print(f"{syntax + ' ' + path:48}{row[0]:7}{row[1]:8}{row[2]:7}{row[3]:7}  {dict(known)}; {total['ours_left']}, {total['theirs_left']}")
        for file, a, b in shown[: args.show]:
            print(f"    {file}\n      ours {str(a)[:300]}\n      theirs {str(b)[:300]}")
    for syntax, total in totals.items():
        print(syntax, dict(total))


main()
