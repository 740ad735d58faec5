"""PageRank over a cluster: gathered into one machine where it fits, else by blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ._arrow import batch_of, compiled
from ._check import check
from ._graph import LinkGraph
from ._numbers import settled
from ._pyspark import DataFrame, F

# What an arc and a node take on the driver where they are gathered: the graph, its transpose, and the vectors.
_ARC_BYTES, _NODE_BYTES = 60, 120
_BLOCK = [("target", "bigint"), ("source", "bigint"), ("from", "binary"), ("to", "binary"), ("share", "binary")]
_VECTOR = [("block", "bigint"), ("ranks", "binary"), ("dangling", "double"), ("moved", "double")]
_PARTIAL = [("target", "bigint"), ("source", "bigint"), ("sums", "binary")]


def pagerank(
    graph: LinkGraph,
    *,
    damping: float = 0.85,
    tolerance: float = 1e-10,
    max_iterations: int = 1000,
    weighted: bool = False,
    gather_bytes: int = 4 << 30,
    block_nodes: int = 1 << 22,
) -> DataFrame:
    """The PageRank of each node: ``node``, ``pagerank``, of sum 1; nodes without arcs give theirs to all.

    Where the graph takes no more than ``gather_bytes`` on the driver (some 60 bytes an arc, 120 a node) it is gathered there and
    ranked as ``webmill rank`` does it. Else ranks and arcs lie in blocks of ``block_nodes`` nodes, and each iteration reads
    the arcs once. Either stops where the L1 distance to the true ranks is at most ``tolerance``: what a sweep moves, divided by
    1 - ``damping``.
    """
    check(graph.nodes.sparkSession)
    nodes, arcs = graph.nodes.count(), graph.arcs.count()
    if nodes * _NODE_BYTES + arcs * _ARC_BYTES <= gather_bytes:
        return _gathered(graph, nodes, damping, tolerance, max_iterations, weighted)
    return _blocked(graph, nodes, damping, tolerance, max_iterations, weighted, block_nodes)


def _gathered(
    graph: LinkGraph, nodes: int, damping: float, tolerance: float, max_iterations: int, weighted: bool
) -> DataFrame:
    import pyarrow as pa

    spark = graph.nodes.sparkSession
    arcs = graph.arcs.select("source", "target", "weight").toArrow()
    ranks = pa.table(compiled().rank_nodes(nodes, arcs, weighted, (damping, tolerance, max_iterations)))
    found = ranks.add_column(0, "node", pa.array(range(nodes), pa.int64()))
    return spark.createDataFrame(found)


def _blocked(
    graph: LinkGraph, nodes: int, damping: float, tolerance: float, max_iterations: int, weighted: bool, size: int
) -> DataFrame:
    spark, blocks = graph.nodes.sparkSession, -(-nodes // size)
    arcs = graph.arcs.select("source", "target", (F.col("weight") if weighted else F.lit(1)).cast("double").alias("weight"))
    out = arcs.groupBy("source").agg(F.sum("weight").alias("out"))
    shares = arcs.join(out, "source").select(
        F.floor(F.col("target") / size).alias("tb"), F.floor(F.col("source") / size).alias("sb"), "source", "target",
        (F.col("weight") / F.col("out")).alias("share"),
    )  # fmt: skip
    stripes = (
        shares.repartition("tb", "sb").sortWithinPartitions("tb", "sb", "target", "source")
        .mapInArrow(_pack(size), _schema(_BLOCK)).persist()
    )  # fmt: skip
    dangling = graph.nodes.select("node").join(out.select(F.col("source").alias("node")), "node", "left_anti")
    free = (
        dangling.select(F.floor(F.col("node") / size).alias("block"), (F.col("node") % size).alias("at"))
        .groupBy("block").agg(F.sort_array(F.collect_list("at")).alias("free")).persist()
    )  # fmt: skip
    start = spark.createDataFrame([(block,) for block in range(blocks)], "block bigint").join(free, "block", "left")
    ranks = settled(start.mapInArrow(_first(nodes, size), _schema(_VECTOR)))
    for _ in range(max_iterations):
        lost = sum(row.dangling for row in ranks.select("block", "dangling").orderBy("block").collect())
        partial = stripes.join(ranks.select(F.col("block").alias("source"), "ranks"), "source").select(*[n for n, _ in _BLOCK], "ranks")
        sums = partial.mapInArrow(_multiply(size), _schema(_PARTIAL))
        # Sums are added in the order of the blocks, so that no task order shows in them.
        rows = ranks.select(
            F.col("block").alias("target"), F.lit(-1).cast("bigint").alias("source"), F.col("ranks").alias("sums")
        ).unionByName(sums)  # fmt: skip
        gathered = rows.join(free.select(F.col("block").alias("target"), "free"), "target", "left")
        ordered = gathered.repartition("target").sortWithinPartitions("target", "source")
        base = (1 - damping) / nodes + damping * lost / nodes
        ranks = settled(ordered.mapInArrow(_add(damping, base), _schema(_VECTOR)))
        moved = sum(row.moved for row in ranks.select("block", "moved").orderBy("block").collect())
        # The bound is that of the ranks before; those after are nearer by the damping.
        if damping * moved / (1 - damping) <= tolerance:
            break
    return ranks.mapInArrow(_unpack(size), "node bigint, pagerank double")


def _schema(columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def _pack(size: int) -> Any:
    """Arcs, sorted by block → a row a block."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import numpy as np

        held: list[Any] = []
        current: tuple[int, int] | None = None

        def packed() -> Any:
            source, target, share = (np.concatenate([one[at] for one in held]) for at in range(3))
            assert current is not None
            from_, to = (source % size).astype("<u4").tobytes(), (target % size).astype("<u4").tobytes()
            return batch_of([(*current, from_, to, share.astype("<f8").tobytes())], _BLOCK)

        for batch in rows:
            tb, sb = (np.asarray(batch.column(name)) for name in ("tb", "sb"))
            columns = [np.asarray(batch.column(name)) for name in ("source", "target", "share")]
            ends = np.flatnonzero((np.diff(tb) != 0) | (np.diff(sb) != 0)) + 1
            for begin, end in zip([0, *ends], [*ends, len(tb)], strict=True):
                if begin == end:
                    continue
                key = (int(tb[begin]), int(sb[begin]))
                if current is not None and key != current:
                    yield packed()
                    held = []
                current = key
                held.append([column[begin:end] for column in columns])
        if held:
            yield packed()

    return task


def _first(nodes: int, size: int) -> Any:
    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import numpy as np

        for batch in rows:
            for row in batch.to_pylist():
                count = min(size, nodes - row["block"] * size)
                ranks = np.full(count, 1 / nodes)
                dangling = len(row["free"] or []) / nodes
                yield batch_of([(row["block"], ranks.astype("<f8").tobytes(), dangling, 1.0)], _VECTOR)

    return task


def _multiply(size: int) -> Any:
    """A block of arcs with the ranks of its sources → what flows to its targets."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import numpy as np

        for batch in rows:
            for row in batch.to_pylist():
                ranks, from_ = np.frombuffer(row["ranks"], "<f8"), np.frombuffer(row["from"], "<u4")
                to, share = np.frombuffer(row["to"], "<u4"), np.frombuffer(row["share"], "<f8")
                sums = np.bincount(to, ranks[from_] * share, minlength=0)
                yield batch_of([(row["target"], row["source"], sums.astype("<f8").tobytes())], _PARTIAL)

    return task


def _add(damping: float, base: float) -> Any:
    """For each block its ranks so far, then what flows to it → its ranks now."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import numpy as np

        block: int | None = None
        before: Any = None
        sums: Any = None
        free: Any = None

        def done() -> Any:
            ranks = base + damping * sums
            lost, moved = float(ranks[free].sum()) if len(free) else 0.0, float(np.abs(ranks - before).sum())
            return batch_of([(block, ranks.astype("<f8").tobytes(), lost, moved)], _VECTOR)

        for batch in rows:
            for row in batch.to_pylist():
                found = np.frombuffer(row["sums"], "<f8")
                if row["source"] < 0:
                    if block is not None:
                        yield done()
                    block, before, sums = row["target"], found, np.zeros(len(found))
                    free = np.asarray(row["free"] or [], dtype=np.int64)
                else:
                    sums[: len(found)] += found
        if block is not None:
            yield done()

    return task


def _unpack(size: int) -> Any:
    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        for batch in rows:
            for row in batch.to_pylist():
                ranks = np.frombuffer(row["ranks"], "<f8")
                numbers = np.arange(len(ranks), dtype=np.int64) + row["block"] * size
                table = pa.table({"node": numbers, "pagerank": ranks})
                yield from table.to_batches(max_chunksize=100_000)

    return task
