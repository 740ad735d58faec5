"""From shards to tables, duplicates, counts and ranks on a Spark cluster.

    spark-submit … examples/spark_job.py SHARDS… OUT --recipe recipe.toml

docs/spark.md tells how webmill gets to the executors, and what memory they need.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

from webmill import spark as ws


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shards", nargs="+", help="WARC, ARC and RAW DB files or folders: paths that all machines have, or URIs")
    parser.add_argument("out", help="a new folder for the results: a path that all machines have, or a URI")
    parser.add_argument("--recipe", help="settings, the file that webmill run takes")
    parser.add_argument("--split-bytes", type=int, default=0, help="stored bytes of a split; 0: as webmill extract cuts")
    parser.add_argument("--max-bad", type=float, default=0.01, help="share of damaged records, and of lost bytes, beyond which the exit code is 1")
    parser.add_argument("--checkpoints", help="a folder for what lies between rounds, so that the loss of an executor ends nothing")
    args = parser.parse_args()

    spark = SparkSession.builder.appName("webmill").getOrCreate()
    if args.checkpoints:
        spark.sparkContext.setCheckpointDir(args.checkpoints)
    recipe, out = args.recipe, args.out.rstrip("/")

    def step(name: str, work: Callable[[], Any]) -> Any:
        began = time.monotonic()
        spark.sparkContext.setJobDescription(name)
        done = work()
        print(f"{name:>16}  {time.monotonic() - began:8.1f} s", flush=True)
        return done

    splits = step("splits", lambda: ws.shards(spark, args.shards, args.split_bytes))
    tables = step("extract", lambda: ws.extract(splits, f"{out}/extract", recipe=recipe))
    print(f"{'':>16}  {tables.counts['read']} records, {tables.counts['damaged']} damaged, rows {tables.counts['rows']}")
    for reason, records in sorted(tables.counts["dropped"].items()):
        print(f"{'':>16}  left out: {records} {reason}")
    bad = bad_share(tables.counts)
    found = step("near_duplicates", lambda: ws.near_duplicates(tables.pages, tables.texts, recipe=recipe))
    step("clusters", lambda: found.write(f"{out}/dedup"))
    for kind in ("words", "backlinks", "host-terms"):
        rows = ws.count(kind, tables, recipe=recipe)
        step(f"count {kind}", lambda rows=rows, kind=kind: rows.write.parquet(f"{out}/count/{kind}"))
    pages = step("page_graph", lambda: ws.page_graph(tables.pages, tables.links, recipe=recipe))
    for level, graph in (("page", pages), ("host", ws.host_graph(pages))):
        ranks = ws.pagerank(graph, weighted=level == "host")
        ranked = graph.nodes.join(ranks, "node")
        step(f"rank {level}", lambda ranked=ranked, level=level: ranked.write.parquet(f"{out}/rank/{level}"))
        step(f"arcs {level}", lambda graph=graph, level=level: graph.arcs.write.parquet(f"{out}/arcs/{level}"))
    spark.stop()
    if bad > args.max_bad:
        sys.exit(f"{bad:.1%} of the records or bytes are damaged or lost, --max-bad allows {args.max_bad:.1%}: see {out}/extract/rejects")


def bad_share(counts: dict[str, Any]) -> float:
    """Damaged of all records read, or lost of all bytes, whichever is more: what `webmill extract` goes by."""
    return max(counts["damaged"] / max(1, counts["read"]), counts["bytes_lost"] / max(1, counts["bytes"]))


if __name__ == "__main__":
    main()
