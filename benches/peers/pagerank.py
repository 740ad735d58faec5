"""scikit-network's PageRank on a graph that the benchmark `pagerank` hands over.

usage: pagerank.py OFFSETS TARGETS DAMPING TOLERANCE    (raw little-endian int64 and int32)

Prints `ready VERSION`; then, for each line on stdin that names a solver (one of scikit-network's, or `scipy` for the
function below), the seconds it took, the number of the node with the highest score, that score, and the L1 distance of
all scores to those of plain power iteration in float64 with the dangling rank spread uniformly, run to 1e-13: solvers
that stop early or treat dangling nodes otherwise show.
"""

import sys
import time

import numpy as np
import sknetwork
from scipy import sparse
from sknetwork.ranking import PageRank


def power_iteration(adjacency, damping, stop):
    """Power iteration by the definition, until the L1 change is below `stop`."""
    nodes = adjacency.shape[0]
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    share = np.divide(1.0, degrees, out=np.zeros(nodes), where=degrees > 0)
    transpose = adjacency.T.tocsr()
    ranks = np.full(nodes, 1 / nodes)
    for _ in range(1000):
        spread = (1 - damping + damping * ranks[degrees == 0].sum()) / nodes
        following = spread + damping * (transpose @ (ranks * share))
        change = np.abs(following - ranks).sum()
        ranks = following
        if change < stop:
            break
    return ranks


def main():
    offsets = np.fromfile(sys.argv[1], dtype="<i8")
    targets = np.fromfile(sys.argv[2], dtype="<i4")
    damping, tolerance = float(sys.argv[3]), float(sys.argv[4])
    nodes = len(offsets) - 1
    adjacency = sparse.csr_matrix((np.ones(len(targets)), targets, offsets.astype(np.int32)), shape=(nodes, nodes))
    truth = power_iteration(adjacency, damping, 1e-13)
    print("ready", sknetwork.__version__, flush=True)
    for line in sys.stdin:
        # It stops on the change itself: the change that bounds the error by the tolerance.
        stop = tolerance * (1 - damping) / damping
        solver = line.strip()
        start = time.perf_counter()
        if solver == "scipy":
            scores = power_iteration(adjacency, damping, stop)
        else:
            scores = PageRank(damping, solver=solver, n_iter=10_000, tol=stop).fit_predict(adjacency)
        seconds = time.perf_counter() - start
        best = int(np.argmax(scores))
        print(seconds, best, scores[best], np.abs(scores - truth).sum(), flush=True)


main()
