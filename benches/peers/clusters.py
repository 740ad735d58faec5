#!/usr/bin/env python3
"""webmill learn cluster beside scikit-learn: same texts, same k, same machine, alternating runs.

usage: benches/peers/clusters.py FOLDER --k K [--seeds 10] [--runs 3] [--webmill BINARY] [--python PYTHON] [--dbscan EPS MIN_POINTS]

Installs benches/peers/learn_requirements.txt into target/peers/learn. FOLDER holds texts in folders that are their classes. The peer
is TfidfVectorizer(sublinear_tf=True, min_df=2) and KMeans(n_init=1) for each seed, as its users run it; with --stop-words English stop
words are taken out there too. Prints NMI and ARI as min / median / max over the seeds of both, then seconds and their ratios as min / median / max
over runs: whole commands (reading, words, clusters, tables) with five starts each. With --dbscan both are run by cosine and their
clusters compared. Seeds of scikit-learn are tried in one process, which reads and counts words once; what is timed are whole commands of one seed.
CPU seconds are those of the processes: on a shared machine they say more than those of the clock.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / "target/peers/learn"

PEER = """
import sys, time
from pathlib import Path
from sklearn.cluster import DBSCAN, KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
folder, method, k, seeds, n_init, stop, eps, least = sys.argv[1:9]
texts, labels = [], []
for path in sorted(Path(folder).rglob("*")):
    if path.is_file():
        texts.append(path.read_text(errors="replace"))
        labels.append(path.relative_to(folder).parts[0])
rows = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english" if stop == "1" else None).fit_transform(texts)
for seed in seeds.split(","):
    begun = time.perf_counter()
    if method == "kmeans":
        found = KMeans(int(k), random_state=int(seed), n_init=int(n_init)).fit(rows).labels_
    else:
        found = DBSCAN(eps=float(eps), min_samples=int(least), metric="cosine").fit(rows).labels_
    seconds = time.perf_counter() - begun
    print(normalized_mutual_info_score(labels, found), adjusted_rand_score(labels, found), seconds, len(set(found)), flush=True)
"""


def peer_python():
    python = VENV / "bin/python"
    if not python.exists():
        venv.create(VENV, with_pip=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "-r", ROOT / "benches/peers/learn_requirements.txt"], check=True)
    return python


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def timed(command):
    """Seconds by the clock and of the processor, and what was said."""
    begun, cpu_begun = time.perf_counter(), cpu()
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    return (time.perf_counter() - begun, cpu() - cpu_begun), done


def show(name, values):
    print(f"{name:44} {min(values):10.3f} {statistics.median(values):10.3f} {max(values):10.3f}", flush=True)


def ours(args, seed, more=()):
    with tempfile.TemporaryDirectory() as out:
        command = [args.webmill, "learn", "cluster", args.folder, "--out", out, "--k", args.k, "--set", f"learn.seed={seed}"]
        seconds, done = timed([*command, *more])
    measures = next(line for line in done.stderr.splitlines() if "nmi " in line)
    found = dict(part.rsplit(" ", 1) for part in measures.split(", "))
    return float(found["nmi"]), float(found["ari"]), seconds


def theirs(args, python, method, seeds, restarts, eps=0.5, least=5):
    """NMI, ARI, seconds to fit and clusters of each seed; seconds of all."""
    seeds = ",".join(map(str, seeds))
    command = [python, "-c", PEER, args.folder, method, args.k, seeds, restarts, int(args.stop_words), eps, least]
    seconds, done = timed(command)
    return [tuple(map(float, line.split())) for line in done.stdout.splitlines()], seconds


def ratios(ours, theirs):
    show("seconds, webmill", [pair[0] for pair in ours])
    show("seconds, scikit-learn", [pair[0] for pair in theirs])
    show("times as fast", [peer[0] / own[0] for own, peer in zip(ours, theirs)])
    show("CPU seconds, webmill", [pair[1] for pair in ours])
    show("CPU seconds, scikit-learn", [pair[1] for pair in theirs])
    show("CPU, times less", [peer[1] / own[1] for own, peer in zip(ours, theirs)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--k", type=int, required=True)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--webmill", default=ROOT / "target/release/webmill")
    parser.add_argument("--python", help="one that has benches/peers/learn_requirements.txt; else they are installed")
    parser.add_argument("--stop-words", action="store_true")
    parser.add_argument("--dbscan", nargs=2, metavar=("EPS", "MIN_POINTS"))
    args = parser.parse_args()
    python = args.python or peer_python()
    print(f"{'':44} {'min':>10} {'median':>10} {'max':>10}")
    peers, _ = theirs(args, python, "kmeans", range(args.seeds), 1)
    mine = [ours(args, seed) for seed in range(args.seeds)]
    for at, measure in enumerate(["NMI", "ARI"]):
        show(f"{measure}, webmill as it is (5 restarts)", [found[at] for found in mine])
        show(f"{measure}, scikit-learn (n_init=1)", [found[at] for found in peers])
    print(f"webmill, default seed: NMI {mine[0][0]:.3f}, ARI {mine[0][1]:.3f}")
    show("seconds to fit, scikit-learn", [found[2] for found in peers])
    print("whole commands, five starts of k-means")
    ratios(*zip(*[(ours(args, run)[2], theirs(args, python, "kmeans", [run], 5)[1]) for run in range(args.runs)]))
    if args.dbscan:
        eps, least = args.dbscan
        flags = ["--method", "dbscan", "--eps", eps, "--min-points", least]
        pairs = [(ours(args, 0, flags), theirs(args, python, "dbscan", [0], 1, eps, least)) for _ in range(args.runs)]
        print(f"DBSCAN, NMI: webmill {pairs[0][0][0]:.3f}, scikit-learn {pairs[0][1][0][0][0]:.3f}")
        ratios([own[2] for own, _ in pairs], [peer[1] for _, peer in pairs])


if __name__ == "__main__":
    sys.exit(main())
