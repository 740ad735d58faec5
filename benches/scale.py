#!/usr/bin/env python3
"""What every stage costs as a corpus grows, and whether a small run foretells a large one.

usage: benches/scale.py [--sizes N,N,...] [--large N] [--runs N] [--memory SIZE] [--work DIR] [--results FILE] [--webmill BINARY] [--print]

Makes synthetic Webs (`webmill datasets synth`) of the sizes given (default 500,10000,100000,400000) and mills each, a job a process: seconds of CPU (user and
system, of all threads: others may work on the machine), bytes written beside the results (sorts, units before they are merged), and the rows of the tables. Sizes up
to 20,000 are milled --runs times (default 5), of which the median counts. With --large N (say 2000000) a large Web is milled as well, once. What was measured is kept in --results
(default target/scale.json) and not measured again; --print only prints.

Then the largest run is foretold twice, stage by stage:

 A  from the two smallest sizes: cost = a + b·n, what starts a process and what a page costs;
 B  from all sizes but the largest, by least squares of relative errors with no negative part: cost = a + b·n + c·n·log2(n / 10,000), what sorts and caches that no
    longer hold everything add.

Harmonic centrality is taken from registers at every size (`harmonic_exact_steps = 0`): small graphs would get the exact one, which is another algorithm.
"""

import argparse
import itertools
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAGES = [
    ("extract", ["extract", "SHARDS"]),
    ("graph", ["graph", "build"]),
    ("rank", ["rank"]),
    ("shape", ["shape"]),
    ("dedup", ["dedup"]),
    ("repeated", ["repeated"]),
    ("mirrors", ["mirrors"]),
    ("keywords", ["keywords"]),
    ("report", ["report"]),
]
RECIPE = "[rank]\nharmonic_exact_steps = 0\n"


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


def mill(webmill, shards, memory, folder):
    """One run over a corpus, a stage a process."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    (folder / "recipe.toml").write_text(RECIPE)
    found = {"stages": {}, "rows": {}}
    for job, arguments in STAGES:
        arguments = [str(shards) if argument == "SHARDS" else argument for argument in arguments]
        common = ["--out", str(out), "--memory", memory, "--recipe", str(folder / "recipe.toml")]
        stage = run([webmill, *arguments, *common], folder)
        rows, stage["kept"] = tables(out, job)
        found["rows"].update(rows)
        found["stages"][job] = stage
        print(f"    {job:9} {stage['cpu']:8.2f} CPU s {stage['clock']:8.2f} s  {stage['peak'] >> 20:5} MiB", flush=True)
    shutil.rmtree(out)
    return found


def measure(webmill, pages, runs, memory, work):
    print(f"{pages:,} pages", flush=True)
    with tempfile.TemporaryDirectory(dir=work, prefix="scale-") as folder:
        folder = Path(folder)
        run([webmill, "datasets", "synth", "--pages", str(pages), "--out", str(folder / "corpora")], folder)
        (shards,) = (folder / "corpora").iterdir()
        size = sum(file.stat().st_size for file in shards.rglob("*") if file.is_file())
        found = [mill(webmill, shards, memory, folder) for _ in range(runs)]
    middle = found[0]
    for job, stage in middle["stages"].items():
        for name in stage:
            stage[name] = statistics.median(run["stages"][job][name] for run in found)
    return {"pages": pages, "bytes": size, "runs": runs, "memory": memory, **middle}


def least_squares(points, terms):
    """Coefficients, none negative, that make the sum of squared relative errors least: of every choice of terms the best."""
    best = None
    for many in range(1, len(terms) + 1):
        for chosen in itertools.combinations(range(len(terms)), many):
            rows = [([terms[t](n) / cost for t in chosen], 1.0) for n, cost in points]
            matrix = [[sum(r[i] * r[j] for r, _ in rows) for j in range(many)] + [sum(r[i] * y for r, y in rows)] for i in range(many)]
            found = solve(matrix)
            if found is None or min(found) < 0:
                continue
            error = sum((sum(c * x for c, x in zip(found, r)) - y) ** 2 for r, y in rows)
            if best is None or error < best[0] - 1e-12:
                coefficients = [0.0] * len(terms)
                for t, c in zip(chosen, found):
                    coefficients[t] = c
                best = (error, coefficients)
    return best[1]


def solve(matrix):
    n = len(matrix)
    for i in range(n):
        pivot = max(range(i, n), key=lambda row: abs(matrix[row][i]))
        if abs(matrix[pivot][i]) < 1e-300:
            return None
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        for row in range(n):
            if row != i:
                factor = matrix[row][i] / matrix[i][i]
                matrix[row] = [a - factor * b for a, b in zip(matrix[row], matrix[i])]
    return [matrix[i][n] / matrix[i][i] for i in range(n)]


TERMS = [lambda n: 1.0, lambda n: float(n), lambda n: n * max(math.log2(n / 10_000), 0.0)]


def foretell(sizes, what):
    """Of each stage: what was measured at the largest size, and what models A and B say."""
    *small, large = sizes
    for job, _ in STAGES:
        points = [(size["pages"], size["stages"][job][what]) for size in small]
        n, measured = large["pages"], large["stages"][job][what]
        (n0, c0), (n1, c1) = points[:2]
        slope = max((c1 - c0) / (n1 - n0), 0.0)
        line = max(c0 - slope * n0, 0.0) + slope * n
        coefficients = least_squares(points, TERMS)
        curve = sum(c * term(n) for c, term in zip(coefficients, TERMS))
        yield job, measured, line, curve, coefficients


def report(sizes):
    small = [size["pages"] for size in sizes]
    print("\nCPU seconds a million pages, by size")
    print(f"{'stage':9}" + "".join(f"{n:>12,}" for n in small))
    for job, _ in STAGES:
        costs = [size["stages"][job]["cpu"] / size["pages"] * 1e6 for size in sizes]
        print(f"{job:9}" + "".join(f"{cost:12.1f}" for cost in costs))
    print("\nRows a page, by size")
    for table in sorted(sizes[-1]["rows"]):
        counts = [size["rows"].get(table, 0) / size["pages"] for size in sizes]
        print(f"{table:12}" + "".join(f"{count:12.3f}" for count in counts))
    print("\nBytes a page at the largest size: written in all, kept")
    for job, _ in STAGES:
        stage = sizes[-1]["stages"][job]
        print(f"{job:9}{stage['written'] / small[-1]:12.0f}{stage['kept'] / small[-1]:12.0f}")
    if len(sizes) < 4:
        return
    n = small[-1]
    print(f"\n{n:,} pages foretold: CPU seconds measured; A from {small[0]:,} and {small[1]:,} pages; B from all below")
    totals = [0.0, 0.0, 0.0]
    for job, measured, line, curve, coefficients in foretell(sizes, "cpu"):
        fixed, linear, log = coefficients
        totals = [total + part for total, part in zip(totals, (measured, line, curve))]
        print(
            f"{job:9}{measured:9.1f}   A {line:9.1f} ({line / measured - 1:+7.1%})   B {curve:9.1f} ({curve / measured - 1:+7.1%})"
            f"   {fixed:6.2f} s + {linear * 1e6:7.2f} µs n + {log * 1e6:6.2f} µs n lg(n/10k)"
        )
    measured, line, curve = totals
    print(f"{'all':9}{measured:9.1f}   A {line:9.1f} ({line / measured - 1:+7.1%})   B {curve:9.1f} ({curve / measured - 1:+7.1%})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="500,10000,100000,400000")
    parser.add_argument("--large", type=int)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", default="1GiB")
    parser.add_argument("--work", help="folder for corpora and results while they are needed [default: the system's]")
    parser.add_argument("--results", type=Path, default=ROOT / "target" / "scale.json")
    parser.add_argument("--webmill", default=str(ROOT / "target" / "release" / "webmill"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    arguments = parser.parse_args()
    known = json.loads(arguments.results.read_text()) if arguments.results.is_file() else {}
    wanted = [int(size) for size in arguments.sizes.split(",")] + ([arguments.large] if arguments.large else [])
    for pages in sorted(wanted):
        if str(pages) not in known and not arguments.only_print:
            runs = arguments.runs if pages <= 20_000 else 1
            known[str(pages)] = measure(arguments.webmill, pages, runs, arguments.memory, arguments.work)
            arguments.results.write_text(json.dumps(known, indent=1))
    report([known[str(pages)] for pages in sorted(wanted) if str(pages) in known])


if __name__ == "__main__":
    main()
