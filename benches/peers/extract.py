#!/usr/bin/env python3
"""webmill extract beside FastWARC + resiliparse + simhash: same shards, same machine, alternating runs.

usage: benches/peers/extract.py SHARD.warc.gz... [--runs N]

Prints pages/s of each and the ratio, as min / median / max over the runs. The peer runs in one process on one
thread; webmill runs with --threads 1 and with --threads 2. webmill also sniffs, digests, canonicalises URLs,
segments words and writes Parquet, which the peer does not.
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
WEBMILL = ROOT / "target/release/webmill"
VENV = ROOT / "target/peers"


def peer_python():
    python = VENV / "bin/python"
    if not python.exists():
        venv.create(VENV, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", ROOT / "benches/peers/requirements.txt"], check=True)
    return python


def webmill(shards, threads):
    out = tempfile.mkdtemp(prefix="webmill-bench-")
    start = time.perf_counter()
    done = subprocess.run(
        [WEBMILL, "extract", *shards, "--out", out, "--threads", str(threads), "--max-bad", "1"],
        check=True, capture_output=True, text=True,
    )
    seconds = time.perf_counter() - start
    manifest = json.loads((Path(done.stdout.strip()) / "manifest.json").read_text())
    pages = manifest["counts"]["kept"]["html"]
    shutil.rmtree(out)
    return pages / seconds


def peer(python, shards, *options):
    script = ROOT / "benches/peers/extract_peer.py"
    done = subprocess.run([python, script, *options, *shards], check=True, capture_output=True, text=True)
    result = json.loads(done.stdout)
    return result["pages"] / result["seconds"]


def show(name, values):
    low, mid, high = min(values), statistics.median(values), max(values)
    print(f"{name:34} {low:10.2f} {mid:10.2f} {high:10.2f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("shards", nargs="+")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    if not WEBMILL.exists():
        sys.exit("build first: cargo build --release")
    python = peer_python()
    ours1, ours2, theirs, bare = [], [], [], []
    for _ in range(args.runs):
        ours1.append(webmill(args.shards, 1))
        theirs.append(peer(python, args.shards))
        bare.append(peer(python, args.shards, "--no-simhash"))
        ours2.append(webmill(args.shards, 2))
    print(f"{'':34} {'min':>10} {'median':>10} {'max':>10}")
    show("webmill, 1 thread, pages/s", ours1)
    show("webmill, 2 threads, pages/s", ours2)
    show("Python pipeline, pages/s", theirs)
    show("the same without simhash, pages/s", bare)
    show("ratio webmill 1 thread / Python", [a / b for a, b in zip(ours1, theirs)])
    show("ratio to it without simhash", [a / b for a, b in zip(ours1, bare)])
    show("ratio 2 threads / 1 thread", [a / b for a, b in zip(ours2, ours1)])


main()
