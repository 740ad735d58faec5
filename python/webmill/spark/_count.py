"""Kernels of ``webmill count`` over a cluster: the map and reduce sides of one machine, the shuffle of Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._error import Error
from . import _tasks
from ._arrow import ddl, schema_of
from ._check import check
from ._pyspark import DataFrame, F
from ._recipe import Parts, Recipe, parts_of

_TABLES = {
    "words": "count_words", "backlinks": "count_backlinks", "anchors": "count_anchors", "host-words": "host_words",
    "host-terms": "count_host_terms",
}  # fmt: skip


def count(kind: str, tables: Any, *, recipe: Recipe = None, parts: int = 0) -> DataFrame:
    """The table of ``webmill count KIND``: ``words``, ``backlinks``, ``anchors`` or ``host-terms``.

    ``tables``: what has tables ``pages``, ``links`` and ``texts`` as attributes, :class:`Tables` for one, or a mapping. ``parts``:
    partitions of the shuffle; 0 leaves them to Spark. ``recipe``: the table of the kind counts.
    """
    frame = _table(tables)
    settings = parts_of(recipe)
    if kind in ("words", "host-terms"):
        texts = frame("texts")
        check(texts.sparkSession)
        current = texts.where("is_current")
        if kind == "words":
            return _run(kind, current.select("text"), settings, parts)
        return _host_terms(current, settings, parts)
    if kind in ("backlinks", "anchors"):
        links = frame("links")
        check(links.sparkSession)
        columns = ["source_url", "target_url", "anchor", "kind"]
        return _run(kind, of_current(links, frame("pages")).select(*columns), settings, parts)
    raise Error(f"kind {kind!r}: words, backlinks, anchors and host-terms are possible")


def _table(tables: Any) -> Callable[[str], DataFrame]:
    return lambda name: tables[name] if hasattr(tables, "__getitem__") else getattr(tables, name)


def of_current(links: DataFrame, pages: DataFrame) -> DataFrame:
    """Links but those of pages that a later capture of their URL replaced."""
    good = F.col("fetch_status").isNull() | F.col("fetch_status").between(200, 299)
    is_page = F.col("is_html") | F.col("page_type").isNotNull()
    old = pages.where(is_page & good & ~F.col("is_current")).select("warc_filename", "warc_record_offset")
    return links.join(old, ["warc_filename", "warc_record_offset"], "left_anti")


def _run(kind: str, rows: DataFrame, recipe: Parts, parts: int, texts: float = 0.0) -> DataFrame:
    """Map side, shuffle by key, reduce side."""
    pairs = rows.mapInArrow(_tasks.map_rows(kind, recipe, texts), "key binary, value binary")
    shuffled = pairs.repartition(parts, "key") if parts else pairs.repartition("key")
    columns = schema_of(_TABLES[kind])
    return shuffled.sortWithinPartitions("key", "value").mapInArrow(
        _tasks.reduce_rows(kind, recipe, texts, columns), ddl(columns)
    )


def _host_terms(current: DataFrame, recipe: Parts, parts: int) -> DataFrame:
    """Words of hosts, how many texts hold each, and the best of each host."""
    words = _run("host-words", current.select("host", "language", "text"), recipe, parts).persist()
    df = words.groupBy("word").agg(F.sum("texts").alias("df"))
    scored = words.join(df, "word").select("host", "word", "tf", "df")
    return _run("host-terms", scored, recipe, parts, float(current.count()))
