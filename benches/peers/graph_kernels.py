"""NetworKit and scikit-network on a graph that the benchmark `graph_kernels` hands over.

usage: graph_kernels.py OFFSETS TARGETS DAMPING TOLERANCE    (raw little-endian int64 and int32)

Prints `ready` and the kernels it has; then, for each line on stdin that names one, the seconds it took and what it
found: `iterations highest-score` or the number of components.
"""

import sys
import time

import networkit as nk
import numpy as np
from scipy import sparse
from sknetwork.ranking import HITS
from sknetwork.topology import get_connected_components


def main():
    offsets = np.fromfile(sys.argv[1], dtype="<i8")
    targets = np.fromfile(sys.argv[2], dtype="<i4")
    damping, tolerance = float(sys.argv[3]), float(sys.argv[4])
    nodes = len(offsets) - 1
    adjacency = sparse.csr_matrix((np.ones(len(targets)), targets, offsets.astype(np.int32)), shape=(nodes, nodes))
    coo = adjacency.tocoo()
    arcs = (coo.row.astype(np.uint64), coo.col.astype(np.uint64))
    graph = nk.GraphFromCoo(arcs, n=nodes, directed=True)
    # It stops on the L1 change: the change that bounds the error by the tolerance.
    stop = tolerance * (1 - damping) / damping

    def pagerank():
        sinks = nk.centrality.SinkHandling.DistributeSinks
        ranks = nk.centrality.PageRank(graph, damp=damping, tol=stop, distributeSinks=sinks)
        ranks.norm = nk.centrality.Norm.L1_NORM
        ranks.run()
        return lambda: f"{ranks.numberOfIterations()} {max(ranks.scores())}"

    def components(kernel):
        found = kernel(graph)
        found.run()
        return lambda: found.numberOfComponents()

    def hits(solver):
        scores = HITS(solver=solver).fit(adjacency)
        return lambda: f"- {np.max(scores.scores_col_) / np.linalg.norm(scores.scores_col_)}"

    def connected(kind):
        found = get_connected_components(adjacency, connection=kind)
        return lambda: found.max() + 1

    kernels = {
        "networkit:pagerank": pagerank,
        "scikit-network:hits-lanczos": lambda: hits("lanczos"),
        "scikit-network:hits-halko": lambda: hits("halko"),
        "networkit:scc": lambda: components(nk.components.StronglyConnectedComponents),
        "scikit-network:scc": lambda: connected("strong"),
        "networkit:wcc": lambda: components(nk.components.WeaklyConnectedComponents),
        "scikit-network:wcc": lambda: connected("weak"),
    }
    print("ready", *kernels, flush=True)
    for line in sys.stdin:
        start = time.perf_counter()
        found = kernels[line.strip()]()
        seconds = time.perf_counter() - start
        print(seconds, found(), flush=True)


main()
