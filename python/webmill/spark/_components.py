"""Connected components of pairs, by star contraction."""

from __future__ import annotations

from ._numbers import settled
from ._pyspark import DataFrame, F, Window

# Rounds are logarithmic in the longest path; what takes more is no graph of pairs.
_MOST_ROUNDS = 100


def components(edges: DataFrame) -> DataFrame:
    """The component of each end of the edges ``a``, ``b``: ``id``, ``component``, which is the least number in it.

    Large stars (each page tells neighbours above it of its least neighbour) and small stars (those below it) take turns until
    every component is one star (Kiveris et al., *Connected components in MapReduce and beyond*, 2014,
    doi:10.1145/2670979.2670997). Two shuffles of the remaining edges per round.
    """
    stars = settled(edges.where("a != b").select(F.greatest("a", "b").alias("a"), F.least("a", "b").alias("b")).distinct())
    told = _fingerprint(stars)
    for _ in range(_MOST_ROUNDS):
        stars = settled(_small(_large(stars)))
        now = _fingerprint(stars)
        if now == told:
            break
        told = now
    else:
        raise RuntimeError(f"components did not settle in {_MOST_ROUNDS} rounds")
    members = stars.select(F.col("a").alias("id"), F.col("b").alias("component"))
    roots = stars.select(F.col("b").alias("id"), F.col("b").alias("component")).distinct()
    return members.unionByName(roots)


def _fingerprint(edges: DataFrame) -> tuple[int, int]:
    """Equal for equal sets of edges."""
    found = edges.agg(F.count("*").alias("n"), F.bit_xor(F.xxhash64("a", "b")).alias("mix")).first()
    assert found is not None
    return found.n, found.mix or 0


def _large(edges: DataFrame) -> DataFrame:
    both = edges.unionByName(edges.select(F.col("b").alias("a"), F.col("a").alias("b")))
    least = F.least(F.min("b").over(Window.partitionBy("a")), F.col("a"))
    found = both.withColumn("m", least).where("b > a").select(F.col("b").alias("a"), F.col("m").alias("b"))
    return found.where("a != b").distinct()


def _small(edges: DataFrame) -> DataFrame:
    # All edges lead to the lesser end here.
    least = F.min("b").over(Window.partitionBy("a"))
    starred = edges.withColumn("m", least)
    below = starred.select(F.col("b").alias("a"), F.col("m").alias("b"))
    itself = starred.select("a", F.col("m").alias("b"))
    return below.unionByName(itself).where("a != b").distinct()
