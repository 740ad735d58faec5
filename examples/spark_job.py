"""From shards to tables, duplicates, counts and ranks on a Spark cluster.

    spark-submit … examples/spark_job.py SHARDS… OUT --recipe recipe.toml

docs/spark.md tells how webmill gets to the executors, and what memory they need.
"""

from __future__ import annotations

import argparse
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
    parser.add_argument("--split-bytes", type=int, default=0, help="stored bytes of a split; 0: a 512th of the input, 4 to 256 MiB")
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
    found = step("near_duplicates", lambda: ws.near_duplicates(tables.pages, tables.texts, recipe=recipe))
    step("clusters", lambda: found.write(f"{out}/dedup"))
    for kind in ("words", "backlinks", "host-terms"):
        rows = ws.count(kind, tables, recipe=recipe)
        step(f"count {kind}", lambda rows=rows, kind=kind: rows.write.parquet(f"{out}/count/{kind}"))
    pages = step("page_graph", lambda: ws.page_graph(tables.pages, tables.links, recipe=recipe))
    for level, graph in (("page", pages), ("host", ws.host_graph(pages, recipe=recipe))):
        ranks = ws.pagerank(graph, weighted=level == "host")
        ranked = graph.nodes.join(ranks, "node")
        step(f"rank {level}", lambda ranked=ranked, level=level: ranked.write.parquet(f"{out}/rank/{level}"))
        step(f"arcs {level}", lambda graph=graph, level=level: graph.arcs.write.parquet(f"{out}/arcs/{level}"))
    spark.stop()


if __name__ == "__main__":
    main()
