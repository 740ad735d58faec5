"""What users would pick instead, each in a process of its own (`peer.py`), on the same texts."""

import json
import os
import shutil
import sys
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from .measure import spent
from .scores import Answer
from .truth import stream

NAMES = ("rensa", "datasketch", "text-dedup", "datatrove")
SCRIPT = Path(__file__).with_name("peer.py")


def installed(names=NAMES):
    """The peers that are there; the others are named once."""
    found = []
    for name in names:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            print(f"{name}: left out, it is not installed beside {sys.executable}")
    return found


def hand_over(texts, words, sets, folder):
    """Writes what the peers read: texts, words, and hashes of the shingles."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with open(folder / "texts.jsonl", "w", encoding="utf-8") as out:
        for number, text in enumerate(texts):
            out.write(json.dumps({"id": str(number), "text": text}) + "\n")
    with open(folder / "words", "w", encoding="utf-8") as out:
        out.writelines(" ".join(line) + "\n" for line in words)
    hashes = mixed(sets.flat)
    np.save(folder / "hashes.npy", hashes)
    np.save(folder / "starts.npy", sets.starts)
    # The same without a head, and texts with their lengths, for the example `sketch_bands`.
    (folder / "texts").write_bytes(stream(texts))
    hashes.tofile(folder / "hashes")
    sets.starts.tofile(folder / "starts")


def mixed(numbers):
    """Numbers to 64-bit hashes (splitmix64; doi:10.1145/2660193.2660195): one to one."""
    value = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ value >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ value >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return value ^ value >> np.uint64(31)


def run(name, folder, threads=1, limit=None):
    """Runs a peer; returns what it spent, its steps, and what it found (None if it failed, which is said)."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    for old in (folder / name, folder / f"{name}.cache"):
        shutil.rmtree(old, ignore_errors=True)
    command = [sys.executable, SCRIPT, name, folder, threads]
    used = spent(command, folder / f"{name}.log", limit, env=environment)
    if used.status:
        why = "time is up" if used.status < 0 else used.said.strip()[-300:]
        print(f"{name}: failed after {used.cpu:.0f} CPU s: {why}", flush=True)
        return used, {}, None
    return used, json.loads(used.said.strip().splitlines()[-1]), answer(name, folder)


def answer(name, folder):
    pairs, labels = folder / f"{name}.pairs.npy", folder / f"{name}.labels.npy"
    if pairs.exists():
        return Answer({(int(a), int(b)) for a, b in np.load(pairs)}, None)
    numbers = np.load(labels).tolist()
    size = defaultdict(int)
    for number in numbers:
        size[number] += 1
    return Answer(set(), [{number} if size[number] > 1 else set() for number in numbers])
