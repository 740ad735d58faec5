"""webmill inside Spark: the same kernels, spread over a cluster by PySpark.

Every machine needs the wheel; shards are read from any file system that pyarrow and Spark both read. The answers are those
of ``webmill run`` on one machine. See ``docs/spark.md``.

>>> from webmill import spark as ws  # doctest: +SKIP
>>> tables = ws.extract(ws.shards(spark, "s3a://bucket/crawl"), "s3a://bucket/out")  # doctest: +SKIP
>>> ws.near_duplicates(tables.pages, tables.texts).clusters.count()  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._check import check
    from ._count import count
    from ._duplicates import Duplicates, near_duplicates
    from ._extract import Tables, extract, open_tables
    from ._graph import LinkGraph, host_graph, page_graph
    from ._rank import pagerank
    from ._shards import shards

__all__ = [
    "Duplicates", "LinkGraph", "Tables", "check", "count", "extract", "host_graph", "near_duplicates", "open_tables",
    "page_graph", "pagerank", "shards",
]  # fmt: skip

_PLACES = {
    "Duplicates": "_duplicates", "LinkGraph": "_graph", "Tables": "_extract", "check": "_check", "count": "_count",
    "extract": "_extract", "host_graph": "_graph", "near_duplicates": "_duplicates", "open_tables": "_extract",
    "page_graph": "_graph", "pagerank": "_rank", "shards": "_shards",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # Tasks import parts of this package by name; the driver's parts, and PySpark with them, only where they are asked for.
    if name not in _PLACES:
        raise AttributeError(f"module 'webmill.spark' has no attribute {name!r}")
    return getattr(import_module(f".{_PLACES[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
