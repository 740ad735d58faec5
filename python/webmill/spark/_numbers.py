"""Dense numbers in an order, over any number of tasks."""

from __future__ import annotations

from ._pyspark import DataFrame, F


def settled(frame: DataFrame) -> DataFrame:
    """The rows, worked out, without the plan that they came from: plans of many rounds would outgrow the driver.

    They lie in the checkpoint folder of the application where it has one, and else with the executors: then the loss of an
    executor fails the job.
    """
    reliable = frame.sparkSession.sparkContext.getCheckpointDir() is not None
    return frame.checkpoint() if reliable else frame.localCheckpoint()


def dense(frame: DataFrame, by: list[str], name: str) -> DataFrame:
    """The rows with numbers from 0 in the order of columns, in which no two rows agree.

    Sorted once; numbers within a partition of the sort are moved on by the rows of those before it.
    """
    ordered = settled(frame.sort(*by).withColumn("_row", F.monotonically_increasing_id()))
    part, row = F.shiftright("_row", 33), F.col("_row").bitwiseAND((1 << 33) - 1)
    counts = {found.part: found.n for found in ordered.groupBy(part.alias("part")).agg(F.count("*").alias("n")).collect()}
    before, starts = 0, []
    for partition in sorted(counts):
        starts.append((partition, before))
        before += counts[partition]
    start = frame.sparkSession.createDataFrame(starts, "_part bigint, _start bigint")
    numbered = ordered.withColumn("_part", part).join(F.broadcast(start), "_part")
    return numbered.withColumn(name, F.col("_start") + row).drop("_row", "_part", "_start")
