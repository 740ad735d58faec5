#!/usr/bin/env python3
"""webmill rules beside FastWARC + parsel + extruct: same pages, same fields, same machine, alternating runs.

usage: benches/peers/rules.py CORPUS SHARD... [--runs N] [--webmill BINARY]

Installs benches/peers/rules_requirements.txt into target/peers/rules.

CORPUS names a rule of tests/rules/corpora; SHARDs are a crawl of that site. For the peer they are converted to WARC
beforehand. Both start from these. The peer writes nothing and is one process, as its users run it; webmill writes Parquet. The
seconds of `extract` on the same pages are printed beside. Prints pages/s and ratios as min / median / max over the runs, and how
many rows of both are equal.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "target/peers/rules"
PEER = ROOT / "benches/peers/rules_peer.py"
# What is measured; the names in braces are filled in.
APPLY = ["{webmill}", "rules", "{rule}", "--shards", "{warc}", "--out", "{out}", "--threads", "{threads}"]


def peer_python():
    python = VENV / "bin/python"
    if not python.exists():
        venv.create(VENV, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", ROOT / "benches/peers/rules_requirements.txt"], check=True)
    return python


def seconds(command):
    begun = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begun


def apply(names, threads):
    """Seconds of one run; results of earlier runs are removed, or they would be found again."""
    shutil.rmtree(Path(names["out"]) / "rules", ignore_errors=True)
    return seconds([part.format(**names, threads=threads) for part in APPLY])


def show(name, values):
    print(f"{name:44} {min(values):10.2f} {statistics.median(values):10.2f} {max(values):10.2f}", flush=True)


def measure(args, folder):
    warc, out = str(Path(folder) / "pages.warc.gz"), str(Path(folder) / "out")
    seconds([args.webmill, "shard", "convert", *args.shards, "-o", warc])
    extract = seconds([args.webmill, "extract", warc, "--out", str(Path(folder) / "extracted"), "--threads", "2"])
    rule = ROOT / f"tests/rules/corpora/{args.corpus}.toml"
    names = {"webmill": args.webmill, "rule": rule, "warc": warc, "out": out}
    python, one, two, peer = peer_python(), [], [], []
    for _ in range(args.runs):
        one.append(apply(names, 1))
        done = subprocess.run([python, PEER, args.corpus, warc], check=True, capture_output=True, text=True)
        peer.append(json.loads(done.stdout))
        two.append(apply(names, 2))
    pages = peer[0]["pages"]
    print(f"{args.corpus}: {pages} pages, values of the peer {peer[0]['values']}, extract {extract:.1f} s (2 threads)")
    print(f"{'':44} {'min':>10} {'median':>10} {'max':>10}")
    show("webmill, 1 thread, pages/s", [pages / x for x in one])
    show("webmill, 2 threads, pages/s", [pages / x for x in two])
    show("peer, pages/s", [pages / x["seconds"] for x in peer])
    show("ratio webmill 1 thread / peer", [x["seconds"] / a for x, a in zip(peer, one)])
    show("ratio webmill 2 threads / peer", [x["seconds"] / b for x, b in zip(peer, two)])
    show("seconds of webmill, 2 threads / extract", [b / extract for b in two])
    show("ratio 2 threads / 1 thread", [a / b for a, b in zip(one, two)])
    subprocess.run([python, PEER, args.corpus, warc, "--tables", Path(out) / "rules/latest"], check=True)


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("corpus")
    args.add_argument("shards", nargs="+")
    args.add_argument("--runs", type=int, default=5)
    args.add_argument("--webmill", default=str(ROOT / "target/release/webmill"))
    args = args.parse_args()
    if not Path(args.webmill).exists():
        sys.exit("build first: cargo build --release")
    with tempfile.TemporaryDirectory(prefix="webmill-bench-") as folder:
        measure(args, folder)


main()
