#!/usr/bin/env python3
"""webmill rules beside webmill extract, on one made-up site of many pages.

usage: benches/rules_scale.py [--pages N] [--runs N] [--threads N] [--webmill BINARY]

Writes a site of N pages (default 100,000) as one WARC file: list pages of 50 kettles each in one chain of paging, a page for each kettle, with the furniture
that such pages have. One rule reads the kettles of a list page in the one pass over the shards; a second one joins list pages, their chain and the page behind
each link. Checks that every row is found once with its cells, then prints the seconds of `extract` and of both rules, alternating, and their ratios as min / median / max.
"""

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PER_LIST = 50
HOST = "http://kettles.example"
ALONE = """
[rule]
id = "kettles"
name = "Kettles by their own pages"
[[layer]]
id = "kettle"
pages = ['/kettle/']
[[tag]]
id = "title"
layer = "kettle"
css = "h1"
[[tag]]
id = "price"
layer = "kettle"
css = ".price"
rematch = "[0-9.]+"
[[tag]]
id = "maker"
layer = "kettle"
start = "Made by <b>"
end = "</b>"
[[group]]
name = "kettles"
columns = [
  { name = "title", tag = "title" },
  { name = "price", tag = "price", type = "number" },
  { name = "maker", tag = "maker" },
]
"""
JOINED = """
[rule]
id = "joined"
name = "Kettles by their list"
[[layer]]
id = "list"
entries = ["http://kettles.example/list/0"]
paging = "next"
[[layer]]
id = "kettle"
from = "link"
[[tag]]
id = "row"
layer = "list"
css = "li.kettle"
[[tag]]
id = "name"
layer = "list"
parent = "row"
css = "a"
[[tag]]
id = "link"
layer = "list"
parent = "row"
css = "a"
link = true
[[tag]]
id = "next"
layer = "list"
css = "a[rel=next]"
link = true
[[tag]]
id = "price"
layer = "kettle"
css = ".price"
rematch = "[0-9.]+"
[[group]]
name = "kettles"
columns = [{ name = "name", tag = "name" }, { name = "price", tag = "price", type = "number" }]
"""
WORDS = "copper steel spout handle lid boil quiet heavy enamel blue whistle stove tea water base rivet polish gift old small".split()


def text(rng, words):
    return " ".join(rng.choice(WORDS) for _ in range(words))


def frame(title, body, rng):
    menu = "".join(f'<li><a href="/shelf/{n}">{WORDS[n]}</a></li>' for n in range(20))
    return f"<!doctype html><html><head><title>{title}</title></head><body><nav><ul>{menu}</ul></nav><main>{body}</main><footer><p>{text(rng, 30)}</p></footer></body></html>"


def site(pages):
    """Addresses and pages; kettles come with the lists that name them."""
    rng = random.Random(7)
    kettles = pages * PER_LIST // (PER_LIST + 1)
    lists = -(-kettles // PER_LIST)
    for number in range(lists):
        rows = range(number * PER_LIST, min(kettles, (number + 1) * PER_LIST))
        items = "".join(f'<li class="kettle"><a href="/kettle/{n}">Kettle {n}</a> {text(rng, 5)}</li>' for n in rows)
        onward = f'<a rel="next" href="/list/{number + 1}">on</a>' if number + 1 < lists else ""
        yield f"/list/{number}", frame(f"Kettles {number}", f"<ul>{items}</ul>{onward}", rng)
        for n in rows:
            body = f'<h1>Kettle {n}</h1><p class="price">{n % 90 + 10}.50 EUR</p><p>Made by <b>Maker {n % 7}</b></p>'
            body += "".join(f"<p>{text(rng, 60)}</p>" for _ in range(5))
            yield f"/kettle/{n}", frame(f"Kettle {n}", body, rng)
    print(f"{kettles} kettles on {lists} list pages")


def write(path, pages):
    count = 0
    with open(path, "wb") as out:
        for number, (address, page) in enumerate(site(pages)):
            body = page.encode()
            message = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body) + body
            head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012x}>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: {HOST}{address}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(message)}\r\n\r\n"
            out.write(head.encode() + message + b"\r\n\r\n")
            count += address.startswith("/kettle/")
    return count


def seconds(command):
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--pages", type=int, default=100_000)
    args.add_argument("--runs", type=int, default=3)
    args.add_argument("--threads", default="2")
    args.add_argument("--webmill", default=str(ROOT / "target/release/webmill"))
    args = args.parse_args()
    if not Path(args.webmill).exists():
        sys.exit("build first: cargo build --release")
    with tempfile.TemporaryDirectory(prefix="webmill-bench-") as folder:
        folder = Path(folder)
        kettles = write(folder / "kettles.warc", args.pages)
        times = {"extract": [], "alone": [], "joined": []}
        common = ["--threads", args.threads]
        recipe = folder / "recipe.toml"
        recipe.write_text("[rules]\nmax_pages = 1000000\n")
        for name, rule in [("alone", ALONE), ("joined", JOINED)]:
            (folder / f"{name}.toml").write_text(rule)
        for _ in range(args.runs):
            for name in times:
                out = folder / f"out-{name}"
                shutil.rmtree(out, ignore_errors=True)
                shard = str(folder / "kettles.warc")
                if name == "extract":
                    command = [args.webmill, "extract", shard, "--out", out, *common]
                else:
                    rule = folder / f"{name}.toml"
                    command = [args.webmill, "rules", rule, "--shards", shard, "--out", out, "--recipe", recipe, *common]
                times[name].append(seconds(command))
        for name, table in [("alone", "rule_kettles_kettles"), ("joined", "rule_joined_kettles")]:
            sql = f"SELECT count(*) AS rows, count(DISTINCT {'title' if name == 'alone' else 'name'}) AS names, sum(price) AS prices FROM {table}"
            done = subprocess.run([args.webmill, "query", folder / f"out-{name}", sql, "--format", "csv"], check=True, capture_output=True, text=True)
            rows, names, prices = done.stdout.split("\n")[1].split(",")
            wanted = sum(n % 90 + 10.5 for n in range(kettles))
            assert int(rows) == int(names) == kettles and abs(float(prices) - wanted) < 0.01, done.stdout
        print(f"{args.pages} pages, {(folder / 'kettles.warc').stat().st_size / 1e6:.0f} MB, {args.threads} threads: every row found")
        print(f"{'':32} {'min':>8} {'median':>8} {'max':>8}")
        for name, values in times.items():
            print(f"{'seconds, ' + name:32} {min(values):8.2f} {statistics.median(values):8.2f} {max(values):8.2f}")
        for name in ["alone", "joined"]:
            ratios = [a / b for a, b in zip(times[name], times["extract"])]
            print(f"{'ratio ' + name + ' / extract':32} {min(ratios):8.2f} {statistics.median(ratios):8.2f} {max(ratios):8.2f}")


main()
