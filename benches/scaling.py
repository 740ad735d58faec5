#!/usr/bin/env python3
"""How a whole run grows faster with threads, by job and by part of `extract`; on few processors, what more of them would take.

    benches/scaling.py PROGRAM CORPUS... [--threads 1,2,4,8,16] [--runs 3] [--json FILE]

CORPUS is a file or a folder of archives. Without --threads: 1, 2, 4 and so on up to the processors that are there. Runs go by turns
through the numbers of threads, and of each number the fastest run counts: what else the machine does can only make a run slower.

Printed for each job: seconds by the clock with each number of threads, how many times faster the most threads are than the fewest, and processors with the
most in proportion to those with the fewest (1 is no contention). Jobs run side by side, so that their seconds add up to more than those of the run. Then the parts
of `extract` in seconds of threads. Standard library only.

With more threads than processors the clock says nothing. Then each run is done twice, and the second one is watched: some two hundred times a second, how many
threads could run, by job. Where r threads could run and p processors did for dt seconds, they did p dt of work, and n processors would take p dt / min(r, n) for it; where none could,
they would wait as long. So is found how long n of them would take (in brackets), and how many times that is less than all work done by one. Watching takes processors from
the run: the first run says how much work there is, and what was found of work is brought to that. That processors may get in each other's way is in
it only as far as those that are there do; what child processes do, which read documents, is taken as if the threads did it. Nothing else may run meanwhile.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

# Seconds between two looks at the threads of a run.
PAUSE = 0.004
WHOLE = "whole run"


def look(process):
    """How many threads of a process could run, by their names; names are those of jobs, `webmill` that of the thread it begins with."""
    could = collections.Counter()
    for thread in pathlib.Path(f"/proc/{process}/task").glob("*/stat"):
        try:
            name, state = thread.read_text().split("(", 1)[1].rsplit(") ", 1)
        except OSError:
            # It ended meanwhile.
            continue
        could[name] += state[0] == "R"
    return could


def watch(process, threads, cores, watched):
    """Until a process ends: its status and what it used; what as many processors as threads would take for the work that was done, by job; that work; and the
    seconds in which no thread could run."""
    foretold, work, waited, before = collections.Counter(), 0.0, 0.0, time.perf_counter()
    while True:
        ended, status, used = os.wait4(process, os.WNOHANG if watched else 0)
        if ended:
            return status, used, foretold, work, waited
        could, now = look(process), time.perf_counter()
        lasted, before, could_run = now - before, now, could.total()
        if could_run:
            did = lasted * min(could_run, cores)
            work += did
            would = did / min(could_run, threads)
            foretold.update({name: would for name, running in could.items() if running} | {WHOLE: would})
        else:
            waited += lasted
        time.sleep(PAUSE)


def measured(program, corpora, threads, cores):
    """What a run takes: by the clock, or, with more threads than processors, as it is foretold."""
    told, *_ = run(program, corpora, threads, cores, watched=False)
    if threads > cores:
        _, foretold, work, waited = run(program, corpora, threads, cores, watched=True)
        share = told[WHOLE]["cpu_seconds"] / work
        for job in told:
            told[job]["foretold"] = foretold[job] * share + (waited if job == WHOLE else 0)
    return told


def run(program, corpora, threads, cores, watched):
    """One run: clock, processors and peak of memory of the whole, and what each job wrote of itself."""
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        done = subprocess.Popen([program, "run", *corpora, "--out", out, "--threads", str(threads)], stdout=subprocess.DEVNULL, stderr=errors)
        status, used, *seen = watch(done.pid, threads, cores, watched)
        clock = time.perf_counter() - begin
        if status:
            errors.seek(0)
            sys.exit(errors.read().decode(errors="replace")[-2000:])
        jobs = {}
        for path in pathlib.Path(out).glob("*/.keys/*/run.json"):
            jobs[path.parents[2].name] = json.loads(path.read_text())
        jobs[WHOLE] = {"seconds": clock, "cpu_seconds": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss / 1024}
        for job in jobs:
            jobs[job]["foretold"] = None
        return jobs, *seen


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
    # How long a run takes is what more processors would take, where they are more than are there.
    clock = lambda told: told["seconds"] if told["foretold"] is None else told["foretold"]
    best = {}
    for _ in range(args.runs):
        for n in threads:
            for job, told in measured(args.program, args.corpora, n, cores).items():
                kept = best.setdefault(job, {})
                if n not in kept or clock(told) < clock(kept[n]):
                    kept[n] = told
    few, many = min(threads), max(threads)
    print(f"{'seconds by the clock':<20}" + "".join(f"{n:>9}" for n in threads) + "   faster   processors")
    for job, by in sorted(best.items(), key=lambda item: -clock(item[1].get(few, item[1][max(item[1])]))):
        if set(threads) - set(by):
            continue
        clocks = {n: clock(by[n]) for n in threads}
        processors = by[many]["cpu_seconds"] / max(by[few]["cpu_seconds"], 0.01)
        row = "".join(f"{clocks[n]:9.2f}" if by[n]["foretold"] is None else f"{f'({clocks[n]:.2f})':>9}" for n in threads)
        print(f"{job:<20}{row}{clocks[few] / max(clocks[many], 0.001):8.1f} ×{processors:11.2f} ×")
    print("peak of memory, MiB " + "".join(f"{best[WHOLE][n]['peak']:9.0f}" for n in threads))
    for n in (n for n in threads if n > cores):
        told = best[WHOLE][n]
        work = told["cpu_seconds"]
        print(f"{n} processors would do the {work:.1f} s of work of {n} threads {work / told['foretold']:.1f} times faster than one")
    parts = {n: dict(best["extract"][n].get("parts", [])) for n in threads}
    print("extract, seconds of threads by part")
    for part, seconds in sorted(parts[few].items(), key=lambda item: -item[1]):
        print(f"  {part:<18}" + "".join(f"{parts[n].get(part, 0):9.2f}" for n in threads) + f"{parts[many].get(part, 0) / max(seconds, 0.01):8.2f} ×")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(best, indent=1))


if __name__ == "__main__":
    main()
