#!/usr/bin/env python3
"""What every stage costs as a corpus grows, and whether a small run foretells a large one.

usage: benches/scale.py [PAGES...] [--memory SIZE] [--work DIR] [--results FILE] [--webmill BINARY] [--print]

Makes synthetic Webs (`webmill datasets synth`) with these numbers of pages (default 100000 400000) and runs each job on them as a process of its own: seconds of CPU
(user and system, of all threads), the peak of memory, bytes written, rows of the tables. Seconds of CPU hang on what else the machine does: so each stage of a large run
stands between the same stage of two runs of 10,000 pages, whose mean it is compared with. What was measured is kept in --results (default target/scale.json) and not
measured again; --print only prints. A Web of 500 pages tells what starting costs.

Then every size is foretold stage by stage from smaller ones:

 A  from the 10,000 pages beside it alone: f + (c - f) * n / 10,000, where c is their cost and f that of starting;
 B  the same times 1 + g * lg(n / 10,000), with g from the largest size below it: what sorts, and caches that no longer hold everything, add with each doubling.

Harmonic centrality is taken from registers at every size (`harmonic_exact_nodes = 0`): small graphs would get the exact one, which is another algorithm.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAGES = [
    ("extract", ["extract", "SHARDS"]),
    ("graph", ["graph"]),
    ("rank", ["rank"]),
    ("shape", ["shape"]),
    ("dedup", ["dedup"]),
    ("repeated", ["repeated"]),
    ("mirrors", ["mirrors"]),
    ("keywords", ["keywords"]),
    ("report", ["report"]),
]
# Pages of the small run, and of the one that tells what starting costs.
SMALL, START = 10_000, 500
RECIPE = "[rank]\nharmonic_exact_nodes = 0\n"


def run(command, folder):
    """Runs a command; seconds of CPU, of the clock, bytes written, peak memory."""
    started = time.monotonic()
    with open(folder / "stderr", "wb") as errors:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command}: {(folder / 'stderr').read_text()}")
    return {
        "cpu": usage.ru_utime + usage.ru_stime,
        "clock": time.monotonic() - started,
        "written": 512 * usage.ru_oublock,
        "peak": 1024 * usage.ru_maxrss,
    }


def tables(out, job):
    manifest = json.loads((out / job / "latest" / "manifest.json").read_text())
    rows = {name: table["rows"] for name, table in manifest["tables"].items()}
    return rows, sum(output["bytes"] for output in manifest["outputs"])


class Mill:
    """The stages of one run, which others may come between."""

    def __init__(self, webmill, shards, memory, folder):
        self.webmill, self.shards, self.memory, self.folder = webmill, shards, memory, folder
        self.stages, self.rows = {}, {}
        folder.mkdir(parents=True)
        (folder / "recipe.toml").write_text(RECIPE)

    def run(self, job, arguments):
        out = self.folder / "out"
        arguments = [str(self.shards) if argument == "SHARDS" else argument for argument in arguments]
        place = ["--out", str(out)] if job == "extract" else [str(out)]
        common = [*place, "--memory", self.memory, "--recipe", str(self.folder / "recipe.toml")]
        stage = run([self.webmill, *arguments, *common], self.folder)
        rows, stage["kept"] = tables(out, job)
        self.rows.update(rows)
        self.stages[job] = stage
        return stage


def synth(webmill, pages, work):
    """The shards of a Web; made once."""
    folder = work / f"synth-{pages}-1"
    if not folder.is_dir():
        run([webmill, "datasets", "synth", "--pages", str(pages), "--out", str(work)], work)
    return folder


def measure(webmill, pages, memory, work):
    print(f"{pages:,} pages", flush=True)
    shards, small = synth(webmill, pages, work), synth(webmill, SMALL, work)
    size = sum(file.stat().st_size for file in shards.rglob("*") if file.is_file())
    beside = {}
    with tempfile.TemporaryDirectory(dir=work, prefix="scale-") as folder:
        folder = Path(folder)
        before, large, after = (
            Mill(webmill, of, memory, folder / name) for of, name in ((small, "before"), (shards, "large"), (small, "after"))
        )
        for job, arguments in STAGES:
            costs = [mill.run(job, arguments)["cpu"] for mill in (before, large, after)]
            beside[job] = (costs[0] + costs[2]) / 2
            stage = large.stages[job]
            print(
                f"    {job:9} {stage['cpu']:8.2f} CPU s {stage['clock']:8.2f} s {stage['peak'] >> 20:5} MiB;"
                f" {SMALL:,} pages {costs[0]:.2f} and {costs[2]:.2f} CPU s",
                flush=True,
            )
    return {"pages": pages, "bytes": size, "memory": memory, "stages": large.stages, "rows": large.rows, "beside": beside}


def doubling(size, start, job):
    """What a doubling adds to the cost of a page."""
    if size["pages"] <= SMALL:
        return 0.0
    line = foretold(size, start, job)
    return (size["stages"][job]["cpu"] / line - 1) / math.log2(size["pages"] / SMALL)


def foretold(size, start, job):
    cost = size["beside"][job]
    fixed = max(0.0, (start["stages"][job]["cpu"] * SMALL / start["pages"] - cost) / (SMALL / start["pages"] - 1))
    return fixed + (cost - fixed) * size["pages"] / SMALL


def report(sizes):
    start, *sizes = sizes
    print("\nCPU seconds a million pages, by size; beside it those of 10,000 pages at the same time")
    print(f"{'stage':9}" + "".join(f"{size['pages']:>22,}" for size in sizes))
    for job, _ in STAGES:
        costs = [(size["stages"][job]["cpu"] / size["pages"] * 1e6, size["beside"][job] / SMALL * 1e6) for size in sizes]
        print(f"{job:9}" + "".join(f"{cost:12.1f} {beside:9.1f}" for cost, beside in costs))
    print("\nRows a page, by size")
    for table in sorted(sizes[-1]["rows"]):
        counts = [size["rows"].get(table, 0) / size["pages"] for size in sizes]
        print(f"{table:12}" + "".join(f"{count:12.3f}" for count in counts))
    print("\nAt the largest size: bytes a page written in all, kept; peak of memory in MiB")
    for job, _ in STAGES:
        stage, n = sizes[-1]["stages"][job], sizes[-1]["pages"]
        print(f"{job:9}{stage['written'] / n:12.0f}{stage['kept'] / n:12.0f}{stage['peak'] >> 20:12}")
    for at, size in enumerate(sizes):
        print(f"\n{size['pages']:,} pages foretold: CPU seconds measured; A from {SMALL:,} pages; B with what a doubling added at the size before")
        totals = [0.0, 0.0, 0.0]
        for job, _ in STAGES:
            measured, line = size["stages"][job]["cpu"], foretold(size, start, job)
            curve, said = line, ""
            if at > 0:
                g = doubling(sizes[at - 1], start, job)
                curve = line * (1 + g * math.log2(size["pages"] / SMALL))
                said = f"   B {curve:9.1f} ({curve / measured - 1:+7.1%}), {g:+.1%} a doubling"
            totals = [total + part for total, part in zip(totals, (measured, line, curve))]
            print(f"{job:9}{measured:9.1f}   A {line:9.1f} ({line / measured - 1:+7.1%}){said}")
        measured, line, curve = totals
        print(f"{'all':9}{measured:9.1f}   A {line:9.1f} ({line / measured - 1:+7.1%})   B {curve:9.1f} ({curve / measured - 1:+7.1%})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", type=int, default=[100_000, 400_000])
    parser.add_argument("--memory", default="1GiB")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()), help="folder for corpora, which stay, and results")
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "scale.json")
    parser.add_argument("--webmill", default=str(ROOT / "target" / "release" / "webmill"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    arguments = parser.parse_args()
    known = json.loads(arguments.results.read_text()) if arguments.results.is_file() else {}
    wanted = sorted([START, *arguments.pages])
    for pages in wanted:
        if str(pages) not in known and not arguments.only_print:
            known[str(pages)] = measure(arguments.webmill, pages, arguments.memory, arguments.work)
            arguments.results.write_text(json.dumps(known, indent=1))
    report([known[str(pages)] for pages in wanted if str(pages) in known])


if __name__ == "__main__":
    main()
