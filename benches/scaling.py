#!/usr/bin/env python3
"""How a whole run grows faster with threads, by job and by part of `extract`.

    benches/scaling.py PROGRAM CORPUS... [--threads 1,2,4,8,16] [--runs 3] [--json FILE]

CORPUS is a file or a folder of archives. Without --threads: 1, 2, 4 and so on up to the processors that are there. Runs go by turns, one with
each number of threads, and of each number the fastest run counts: what else the machine does can only make a run slower.

Printed for each job: seconds by the clock with each number of threads, how many times faster the most threads are than the fewest, processors with the
most in proportion to those with the fewest (1 is no contention), and the seconds in which one thread worked alone: those of the law of Amdahl,
t(n) = s + p / n, fitted to the clock by least squares over 1/n. Jobs run side by side, so that their seconds add up to more than those of the run, and fits of
single jobs are rough where two share the threads. Then the parts of `extract` in seconds of threads. Standard library only.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def run(program, corpora, threads):
    """One run: clock, processors and peak of memory of the whole, and what each job wrote of itself."""
    with tempfile.TemporaryDirectory() as out:
        begin = time.perf_counter()
        done = subprocess.Popen([program, "run", *corpora, "--out", out, "--threads", str(threads)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        said = done.stderr.read()
        _, status, used = os.wait4(done.pid, 0)
        clock = time.perf_counter() - begin
        if status:
            sys.exit(said.decode(errors="replace")[-2000:])
        jobs = {}
        for path in pathlib.Path(out).glob("*/.keys/*/run.json"):
            jobs[path.parents[2].name] = json.loads(path.read_text())
        jobs["whole run"] = {"seconds": clock, "cpu_seconds": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1024}
        return jobs


def alone(clocks):
    """Seconds s of t(n) = s + p / n, by least squares; clocks by number of threads."""
    points = [(1 / threads, seconds) for threads, seconds in clocks.items()]
    middle = [sum(values) / len(points) for values in zip(*points)]
    spread = sum((x - middle[0]) ** 2 for x, _ in points)
    slope = sum((x - middle[0]) * (y - middle[1]) for x, y in points) / spread if spread else 0
    return max(0.0, middle[1] - slope * middle[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("corpora", nargs="+")
    parser.add_argument("--threads", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json")
    args = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    threads = args.threads or [n for n in (1, 2, 4, 8, 16, 32, 64) if n <= cores]
    if max(threads) > cores:
        print(f"only {cores} processors: more threads than that share them, and their rows say nothing about more processors")
    best = {}
    for _ in range(args.runs):
        for n in threads:
            for job, told in run(args.program, args.corpora, n).items():
                kept = best.setdefault(job, {})
                if n not in kept or told["seconds"] < kept[n]["seconds"]:
                    kept[n] = told
    few, many = min(threads), max(threads)
    print(f"{'seconds by the clock':<20}" + "".join(f"{n:>9}" for n in threads) + "   faster   processors   alone")
    for job, by in sorted(best.items(), key=lambda item: -item[1].get(few, item[1][max(item[1])])["seconds"]):
        if set(threads) - set(by):
            continue
        clock = {n: by[n]["seconds"] for n in threads}
        processors = by[many]["cpu_seconds"] / max(by[few]["cpu_seconds"], 0.01)
        row = "".join(f"{clock[n]:9.2f}" for n in threads)
        print(f"{job:<20}{row}{clock[few] / max(clock[many], 0.001):8.1f} ×{processors:11.2f} ×{alone(clock):8.2f}")
    print("peak of memory, MiB " + "".join(f"{best['whole run'][n]['peak']:9.0f}" for n in threads))
    parts = {n: dict(best["extract"][n].get("parts", [])) for n in threads}
    print("extract, seconds of threads by part")
    for part, seconds in sorted(parts[few].items(), key=lambda item: -item[1]):
        print(f"  {part:<18}" + "".join(f"{parts[n].get(part, 0):9.2f}" for n in threads) + f"{parts[many].get(part, 0) / max(seconds, 0.01):8.2f} ×")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(best, indent=1))


if __name__ == "__main__":
    main()
