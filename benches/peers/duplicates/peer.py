"""One peer on one set of texts, as a process of its own.

usage: peer.py rensa|datasketch|text-dedup|datatrove FOLDER [THREADS]

FOLDER holds `texts.jsonl` (id, text), `words` (a line of folded words a text) and `hashes.npy` with `starts.npy`: the
64-bit hashes of each text's distinct 3-word shingles, one after the other. Writes `NAME.pairs.npy` (verified pairs, J
>= .8) or `NAME.labels.npy` (a cluster a text) beside them and prints what it spent, as JSON: CPU seconds of each
step; those without a step are measured from outside.
"""

import json
import os
import sys
import time
from pathlib import Path

import numpy as np

BANDS, ROWS, SEED, BOUND = 16, 8, 42, 0.8
HASHES = BANDS * ROWS
MOST_CANDIDATES = 50_000_000  # pairs that are put to the exact check; more end the run, which is said


class Steps:
    """CPU seconds of this process by step."""

    def __init__(self):
        self.seconds, self.last = {}, time.process_time()

    def skip(self):
        self.last = time.process_time()

    def done(self, name):
        now = time.process_time()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now


def hashes(folder):
    return np.load(folder / "hashes.npy"), np.load(folder / "starts.npy")


def shingle_strings(folder, texts=2000):
    """The distinct shingles of some texts at a time, as lists of strings: what these libraries are given by their users."""
    some = []
    with open(folder / "words", encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            some.append(list({" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))}) if words else [])
            if len(some) == texts:
                yield some
                some = []
    if some:
        yield some


def check(folder, candidates, steps):
    """The pairs with J >= .8 of the texts' shingles, by sets; candidates are pairs (a, b), a < b, each once."""
    flat, starts = hashes(folder)
    steps.skip()
    last, own, pairs = None, None, []
    for a, b in candidates:
        if a != last:
            last, own = a, set(flat[starts[a] : starts[a + 1]].tolist())
        other = flat[starts[b] : starts[b + 1]].tolist()
        common = sum(map(own.__contains__, other))
        if common >= BOUND * (len(own) + len(other) - common):
            pairs.append((a, b))
    steps.done("check")
    return np.array(pairs, np.int64).reshape(-1, 2)


def candidate_pairs(answers):
    """Answers of a look-up for each text, itself among them, to sorted pairs."""
    pairs = []
    for a, near in enumerate(answers):
        pairs.extend((a, b) for b in near if b > a)
        if len(pairs) > MOST_CANDIDATES:
            sys.exit(f"more than {MOST_CANDIDATES} candidates")
    pairs.sort()
    return pairs


def rensa(folder, steps):
    from rensa import RMinHash, RMinHashLSH

    flat, starts = hashes(folder)
    steps.skip()
    # One buffer of hashes, its fastest way in; then its objects, as only those can be looked up.
    RMinHash.digest_matrix_from_flat_token_hashes(flat, starts.astype(np.uint64), HASHES, SEED)
    steps.done("sketch")
    sketches = []
    for some in shingle_strings(folder):
        steps.skip()
        sketches += RMinHash.from_token_sets(some, HASHES, SEED)
        steps.done("sketch strings")
    index = RMinHashLSH(BOUND, HASHES, BANDS)
    steps.skip()
    index.insert_many(sketches)
    answers = index.query_all(sketches)
    pairs = candidate_pairs(answers)
    steps.done("bands")
    return check(folder, pairs, steps)


def datasketch(folder, steps):
    from datasketch import MinHash, MinHashLSH

    flat, starts = hashes(folder)
    low = (flat & np.uint64(0xFFFFFFFF)).tolist()
    steps.skip()
    # The hashes are made already, as for all others here: its own hash function is left out.
    rows = (low[a:b] for a, b in zip(starts[:-1], starts[1:]))
    sketches = MinHash.bulk(rows, num_perm=HASHES, seed=SEED, hashfunc=int)
    steps.done("sketch")
    index = MinHashLSH(num_perm=HASHES, params=(BANDS, ROWS))
    for number, sketch in enumerate(sketches):
        index.insert(number, sketch)
    pairs = candidate_pairs(index.query(sketch) for sketch in sketches)
    steps.done("bands")
    return check(folder, pairs, steps)


def text_dedup(folder, threads):
    """Its command line as its manual has it, with the bands of the others."""
    import pickle
    import subprocess

    out = folder / "text-dedup"
    command = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", folder / "texts.jsonl"]
    command += ["--split", "train", "--cache_dir", folder / "text-dedup.cache", "--output", out, "--column", "text"]
    command += ["--num_perm", HASHES, "--b", BANDS, "--r", ROWS, "--ngram", 3, "--min_length", 0, "--num_proc", threads]
    command += ["--hash_func", "xxh3", "--debug"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "text-dedup.home")}
    subprocess.run([str(part) for part in command], check=True, env=environment)
    with open(out / "uf.pkl", "rb") as stream:
        found = pickle.load(stream)
    return np.array([found.find(i) for i in range(texts(folder))], np.int64)


def datatrove(folder, threads):
    """Its four stages as its example has them: 5-grams, 14 x 8, hashes of 64 bits."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.dedup import MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import (
        MinhashConfig,
        MinhashDedupBuckets,
        MinhashDedupCluster,
        MinhashDedupFilter,
    )
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers.jsonl import JsonlWriter
    from datatrove.utils.hashing import HashConfig

    config = MinhashConfig(hash_config=HashConfig(precision=64))
    work = folder / "datatrove"
    reader = JsonlReader(str(folder), glob_pattern="texts.jsonl")

    def stage(name, steps, tasks):
        log = str(work / "logs" / name)
        LocalPipelineExecutor(pipeline=steps, tasks=tasks, workers=threads, logging_dir=log).run()

    stage("1", [reader, MinhashDedupSignature(str(work / "signatures"), config=config)], 1)
    buckets = MinhashDedupBuckets(str(work / "signatures"), str(work / "buckets"), config=config)
    stage("2", [buckets], config.num_buckets)
    cluster = MinhashDedupCluster(str(work / "buckets"), str(work / "removed"), config=config, save_cluster_id=True)
    stage("3", [cluster], 1)
    stage("4", [reader, MinhashDedupFilter(str(work / "removed")), JsonlWriter(str(work / "kept"))], 1)
    labels = np.arange(texts(folder)) + (1 << 32)
    file = work / "removed" / "000000.clusters"
    if file.exists():
        for text, cluster in np.fromfile(file, "<u4").reshape(-1, 2):
            labels[text] = cluster
    return labels


def texts(folder):
    return len(np.load(folder / "starts.npy")) - 1


def main():
    name, folder = sys.argv[1], Path(sys.argv[2])
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    steps = Steps()
    if name in ("rensa", "datasketch"):
        pairs = {"rensa": rensa, "datasketch": datasketch}[name](folder, steps)
        np.save(folder / f"{name}.pairs.npy", pairs)
    else:
        labels = {"text-dedup": text_dedup, "datatrove": datatrove}[name](folder, threads)
        np.save(folder / f"{name}.labels.npy", labels)
    print(json.dumps(steps.seconds))


if __name__ == "__main__":
    main()
