"""Duplicates: quality by exact truth and speed, webmill and what users would pick instead, in one run.

usage: duplicates.py quality [SET …]        (all sets without a name)
       duplicates.py speed [SET …]
       duplicates.py check                  the exact truth against all pairs of plain sets

Needs target/release/webmill, the examples that cut words and time sketches (cargo build --release -p webmill-dedup
--examples), and the Python with duplicates/requirements.txt. The sets come from Debian packages and a wheel (apt-get
and pip, as they are set up here) or are made here with fixed seeds; all of it stays in the cache folder. See
`duplicates/`: sources and edits say what the sets are, truth how the exact pairs are found, scores what is counted,
speed what is timed.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from duplicates import peers, quality, report, sets, speed, truth
from duplicates.sources import Missing

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["quality", "speed", "check"])
    parser.add_argument("sets", nargs="*", help=f"quality: {', '.join(sets.NAMES)}; speed: {', '.join(speed.NAMES)}")
    parser.add_argument("--webmill", type=Path, default=ROOT / "target/release/webmill")
    parser.add_argument("--words", type=Path, default=ROOT / "target/release/examples/text_words", help="the example")
    sketcher = ROOT / "target/release/examples/sketch_bands"
    parser.add_argument("--sketcher", type=Path, default=sketcher, help="the example that times sketches and bands")
    parser.add_argument("--cache", type=Path, default=ROOT / "target/peers/duplicates", help="for data and results")
    parser.add_argument("--peers", default=",".join(peers.NAMES), help="which to measure beside webmill; empty: none")
    parser.add_argument("--bound", type=float, default=0.5, help="least J of the exact pairs")
    parser.add_argument("--threads", type=int, default=1, help="of every program")
    parser.add_argument("--memory", default="1GiB", help="for webmill")
    parser.add_argument("--recipe", type=Path, help="settings for webmill, as its --recipe takes them")
    parser.add_argument("--limit", type=float, default=900, help="seconds after which a peer is ended")
    parser.add_argument("--rounds", type=int, default=3, help="of speed")
    parser.add_argument("--documents", type=int, default=100_000, help="of the speed sets")
    parser.add_argument("--json", type=Path, help="write the numbers to this file too")
    options = parser.parse_args()
    options.peers = [name for name in options.peers.split(",") if name]
    options.webmill, options.words = options.webmill.resolve(), options.words.resolve()
    options.cache = options.cache.resolve()
    options.recipe = options.recipe and options.recipe.resolve()
    return options


def named(value):
    """The same with strings for keys, which JSON asks for."""
    if isinstance(value, dict):
        return {", ".join(map(str, k)) if isinstance(k, tuple) else str(k): named(v) for k, v in value.items()}
    return [named(v) for v in value] if isinstance(value, (list, tuple)) else value


def main():
    options = arguments()
    if options.what == "check":
        print(f"exact truth: {sum(truth.check(seed) for seed in range(50))} pairs of 50 random sets, none missed")
        return
    for needed in (options.webmill, options.words):
        if not needed.exists():
            sys.exit(f"{needed} is not there: see --help")
    said = subprocess.run([options.webmill, "--version"], capture_output=True, text=True, check=True)
    versions = ", ".join(f"{name} {version}" for name, version in peers.installed(options.peers))
    print(
        f"{said.stdout.strip()}; {versions or 'no peers'}; {options.threads} thread(s), {options.memory}\n", flush=True
    )
    part = {"quality": quality, "speed": speed}[options.what]
    known = {"quality": sets.NAMES, "speed": speed.NAMES}[options.what]
    unknown = set(options.sets) - set(known)
    if unknown:
        sys.exit(f"no such set: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    begun, numbers = time.perf_counter(), []
    for name in options.sets or known:
        try:
            numbers.append(part.measure(name, options))
        except Missing as why:
            print(f"== {name}: left out: {why}\n", flush=True)
        if options.json:
            options.json.write_text(json.dumps(named(numbers), indent=1))
    if options.what == "quality":
        report.summary(numbers)
    print(f"{time.perf_counter() - begun:.0f} s")


# The peers start processes that import this file.
if __name__ == "__main__":
    main()
