"""Sketches and bands of Python's packages, for benches/minhash.rs.

    python minhash.py FILE SHINGLES

FILE holds 64-bit hashes, little-endian, SHINGLES a page. A line of output for each way: the least CPU seconds of the
rounds (WEBMILL_ROUNDS, default 5), and its name. 128 values, cut into 16 bands of 8 rows; one thread.
"""

import os

os.environ["RAYON_NUM_THREADS"] = "1"

import sys
import time

import datasketch
import numpy as np
import rensa


def least(work, rounds):
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def rensa_matrix(elements, shingles):
    offsets = list(range(0, len(elements) + 1, shingles))
    return lambda: rensa.RMinHash.digest_matrix_from_flat_token_hashes(elements, offsets, 128, 42)


def rensa_rho(elements, shingles):
    offsets = list(range(0, len(elements) + 1, shingles))
    return lambda: rensa.RMinHash.digest_matrix_from_flat_token_hashes_rho(elements, offsets, 128, 42)


def of_datasketch(elements, shingles):
    pages = elements.reshape(-1, shingles)

    def work():
        for page in pages:
            # The hashes are there already: only their lower half counts, as with the package's own hash.
            sketch = datasketch.MinHash(num_perm=128, hashfunc=lambda element: int(element) & 0xFFFFFFFF)
            sketch.update_batch(page)
            values = sketch.hashvalues
            [values[band * 8 : band * 8 + 8].tobytes() for band in range(16)]

    return work


def main():
    elements, shingles = np.fromfile(sys.argv[1], dtype="<u8"), int(sys.argv[2])
    rounds = int(os.environ.get("WEBMILL_ROUNDS", "5"))
    ways = [
        ("rensa, without bands", rensa_matrix(elements, shingles), rounds),
        ("rensa rho, without bands", rensa_rho(elements, shingles), rounds),
        ("datasketch", of_datasketch(elements, shingles), 1),
    ]
    for name, work, times in ways:
        print(least(work, times), name)


main()
