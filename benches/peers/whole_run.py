#!/usr/bin/env python3
"""The whole way from archives to ranks, clusters and texts, beside a Python pipeline.

    python3 -m venv target/peers/whole
    target/peers/whole/bin/pip install -r benches/peers/whole_requirements.txt
    cargo build --release
    target/peers/whole/bin/python benches/peers/whole_run.py FOLDER... [--runs 5] [--program target/release/webmill]

FOLDER holds WARC files: a corpus. `webmill run` makes all its tables and the report; the pipeline (whole_peer.py) makes links, ranks, main texts and
near-duplicates, and writes nothing. Both as programs, by turns, with one thread or process and with two; times are of the clock from start to
end, and peaks of memory those of the largest process. What `webmill run` alone does beside: languages, keywords, passages, templates, media,
metadata, hosts and domains, HITS, the shape of the graph, Parquet.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent


def timed(command):
    """Seconds by the clock, peak memory in MB, standard output."""
    begin = time.perf_counter()
    done = subprocess.run(
        ["/usr/bin/time", "-f", "peak %M", *map(str, command)], capture_output=True, text=True
    )
    seconds = time.perf_counter() - begin
    if done.returncode:
        sys.exit(f"{command}: {done.stderr[-2000:]}")
    return seconds, int(done.stderr.rsplit("peak ", 1)[1]) / 1e3, done.stdout


def webmill(program, files, threads):
    with tempfile.TemporaryDirectory() as out:
        seconds, peak, _ = timed([program, "run", *files, "--out", out, "--threads", threads])
        run = lambda job: json.loads(next(job.glob(".keys/*/run.json")).read_text())
        jobs = {job.name: run(job) for job in pathlib.Path(out).iterdir() if job.is_dir()}
        return seconds, peak, {name: (run["seconds"], run["cpu_seconds"]) for name, run in jobs.items()}


def peer(files, processes):
    seconds, peak, told = timed([sys.executable, HERE / "whole_peer.py", processes, *files])
    return seconds, peak, json.loads(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--program", default="target/release/webmill")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    for folder in args.folders:
        files = sorted(path for path in folder.rglob("*.warc*") if path.is_file())
        print(f"{folder.name}: {len(files)} files, {sum(path.stat().st_size for path in files) / 1e6:.1f} MB", flush=True)
        for threads in (1, 2):
            ours, theirs = [], []
            for _ in range(args.runs):
                ours.append(webmill(args.program, files, threads))
                theirs.append(peer(files, threads))
            ratios = sorted(b[0] / a[0] for a, b in zip(ours, theirs))
            middle = lambda runs, at: statistics.median(run[at] for run in runs)
            print(
                f"  {threads} threads: webmill {middle(ours, 0):.2f} s, {middle(ours, 1):.0f} MB; pipeline {middle(theirs, 0):.2f} s, "
                f"{middle(theirs, 1):.0f} MB; {ratios[0]:.1f} {statistics.median(ratios):.1f} {ratios[-1]:.1f} times faster",
                flush=True,
            )
            jobs = sorted(ours[-1][2].items(), key=lambda job: -job[1][0])
            print(f"    by job: {', '.join(f'{name} {clock:.2f}' for name, (clock, _) in jobs if clock >= 0.01)}")
            print(f"    pipeline: {json.dumps(theirs[-1][2])}", flush=True)


if __name__ == "__main__":
    main()
