"""Duplicates over a cluster: copies by digests, near pairs by buckets, clusters of connected pairs."""

from __future__ import annotations

import json
import warnings
from typing import Any

from .._error import Error
from . import _tasks
from ._arrow import compiled, ddl, schema_of
from ._check import check
from ._components import components
from ._numbers import dense, settled
from ._pyspark import DataFrame, F
from ._recipe import Recipe, parts_of

_FACTS = [
    ("url", "string"), ("time_ms", "bigint"), ("words", "bigint"), ("digest", "string"), ("length", "bigint"),
    ("text_digest", "string"), ("simhash", "bigint"), ("shard", "string"), ("offset", "bigint"), ("url_key", "string"),
]  # fmt: skip
_PAIRS = [("first", "bigint"), ("later", "bigint"), ("common", "bigint"), ("of_first", "bigint"), ("of_later", "bigint"), ("is_close", "bigint")]


class Duplicates:
    """Tables ``duplicates`` and ``clusters``; ``missed``: pages of which pairs may be missing, as their buckets were too large."""

    def __init__(self, duplicates: DataFrame, clusters: DataFrame, missed: int) -> None:
        self.duplicates, self.clusters, self.missed = duplicates, clusters, missed

    def write(self, out: str) -> None:
        """Writes both tables as Parquet."""
        for name in ("duplicates", "clusters"):
            getattr(self, name).write.parquet(f"{out.rstrip('/')}/{name}")


def near_duplicates(pages: DataFrame, texts: DataFrame, *, recipe: Recipe = None) -> Duplicates:
    """The duplicates among current pages, as ``webmill dedup`` finds them: all pairs but those that passages show.

    ``pages``, ``texts``: tables of :func:`extract`, or of ``webmill extract`` read by Spark. ``recipe``: table ``[dedup]`` counts;
    ``keep`` may be earliest or longest, ``by`` bands and simhash. SimHashes of pages that bands bring together with no other
    are joined on the driver, 50 bytes each. Rows of tables are those of one machine; numbers without a sign are wider here.
    """
    spark = pages.sparkSession
    check(spark)
    parts = parts_of(recipe)
    told, are_stored = compiled().dedup_settings(parts)
    settings = json.loads(told)
    if settings["keep"] not in ("earliest", "longest"):
        raise Error(f"keep = {settings['keep']!r}: earliest and longest are possible on a cluster")
    if not settings["verify"] or not {"bands", "simhash"}.issuperset(settings["by"]):
        raise Error("[dedup]: by = bands and simhash, verified, is possible on a cluster")
    numbered = settled(_numbered(pages, settings["keep"]))
    compared = (F.col("words") >= settings["min_words"]) & F.col("text_digest").isNotNull()
    speakers = numbered.where(compared).groupBy("text_digest").agg(F.min("id").alias("id"))
    spoken = _texts_of(texts, numbered.join(speakers.select("id"), "id"))
    fingerprints = numbered.where("simhash is not null").select("id", "simhash").join(speakers.select("id"), "id")
    pairs, missed = _pairs(spoken, fingerprints, parts, are_stored, settings)
    bodies = numbered.where("digest is not null and length != 0")
    edges = (
        pairs.select(F.col("first").alias("a"), F.col("later").alias("b"))
        .unionByName(_stars(bodies, "digest"))
        .unionByName(_stars(numbered.where(compared), "text_digest"))
    )
    labels = components(edges)
    duplicates, clusters = _clusters(numbered, labels, pairs, spoken, parts)
    return Duplicates(duplicates, _renumbered(clusters, numbered), missed)


def _numbered(pages: DataFrame, keep: str) -> DataFrame:
    """Current pages with numbers that ascend in the order of what to keep."""
    kinds = dict(pages.dtypes)
    if (kinds.get("simhash"), kinds.get("url_key")) != ("bigint", "string"):
        raise Error("table pages is of another layout of results: make it again with this webmill")
    good = F.col("fetch_status").isNull() | F.col("fetch_status").between(200, 299)
    is_page = F.col("is_html") | F.col("page_type").isNotNull()
    facts = pages.where(F.col("is_current") & good & is_page).select(
        "url", F.unix_millis("fetch_time").alias("time_ms"), F.col("num_words").cast("bigint").alias("words"),
        F.col("content_digest").alias("digest"), F.col("content_length").cast("bigint").alias("length"), "text_digest",
        F.when(F.col("num_words") > 0, F.col("simhash")).alias("simhash"), F.col("warc_filename").alias("shard"),
        F.col("warc_record_offset").alias("offset"), "url_key",
    )  # fmt: skip
    columns = [*_FACTS, ("order", "binary")]
    ordered = facts.mapInArrow(_tasks.order_pages(keep, columns), ddl(columns)).sort("order").drop("order")
    return ordered.withColumn("id", F.monotonically_increasing_id())


def _texts_of(texts: DataFrame, pages: DataFrame) -> DataFrame:
    """The texts of numbered pages, by the places of their records."""
    places = pages.select("id", F.col("shard").alias("warc_filename"), F.col("offset").alias("warc_record_offset"), "url_key")
    wanted = [name for name in ("text", "bands") if name in texts.columns]
    rows = texts.select("warc_filename", "warc_record_offset", "url_key", *wanted)
    return rows.join(places, ["warc_filename", "warc_record_offset", "url_key"]).select("id", *wanted)


def _stars(pages: DataFrame, by: str) -> DataFrame:
    """An edge from each page to the first that has the same value."""
    firsts = pages.groupBy(by).agg(F.min("id").alias("a"), F.count("*").alias("n")).where("n > 1")
    return pages.select(by, F.col("id").alias("b")).join(firsts, by).where("a != b").select("a", "b")


def _pairs(
    spoken: DataFrame, fingerprints: DataFrame, recipe: Any, stored: bool, settings: dict[str, Any]
) -> tuple[DataFrame, int]:
    """The near pairs; how many pages may miss some."""
    found, missed = None, 0
    if "bands" in settings["by"]:
        found, missed = _joined(_band_buckets(spoken, stored, settings), spoken, recipe, False)
        if settings["relied_on"]:
            later = found.select(F.col("later").alias("id")).distinct()
            fingerprints = fingerprints.join(later, "id", "left_anti")
    if "simhash" in settings["by"]:
        buckets = _close_buckets(fingerprints, recipe)
        close, too = _joined(buckets, spoken, recipe, True)
        if found is not None:
            close = found.unionByName(close.join(found.select("first", "later"), ["first", "later"], "left_anti"))
        found, missed = close, missed + too
    assert found is not None, "a signature at least"
    return found, missed


def _band_buckets(spoken: DataFrame, stored: bool, settings: dict[str, Any]) -> DataFrame:
    """Pages that share a band: ``bucket``, ``id``."""
    if stored and "bands" in spoken.columns:
        bands = spoken.select("id", "bands")
    else:
        task = _tasks.sign_texts(settings["bands"])
        bands = spoken.select("id", "text").mapInArrow(task, "id bigint, bands array<bigint>")
    # Buckets of the same pages give the same pairs: one of them is enough.
    buckets = (
        bands.select("id", F.explode("bands").alias("band")).groupBy("band")
        .agg(F.sort_array(F.collect_set("id")).alias("ids")).where(F.size("ids") > 1)
        .groupBy("ids").agg(F.min("band").alias("bucket"))
    )  # fmt: skip
    return buckets.select("bucket", F.explode("ids").alias("id"))


def _close_buckets(fingerprints: DataFrame, recipe: Any) -> DataFrame:
    """Pages whose SimHashes are close: ``bucket``, ``id``."""
    import pyarrow as pa

    buckets, cut = compiled().close_buckets(recipe, fingerprints.sort("id").toArrow())
    if cut:
        warnings.warn("more pairs of close SimHashes than 64 a page: the others are not looked at", stacklevel=4)
    return fingerprints.sparkSession.createDataFrame(pa.table(buckets), "bucket bigint, id bigint")


def _joined(buckets: DataFrame, spoken: DataFrame, recipe: Any, is_close: bool) -> tuple[DataFrame, int]:
    """The near pairs in buckets; how many pages may miss some."""
    members = buckets.join(spoken.select("id", "text"), "id")
    rows = members.select("id", "bucket", "text").repartition("bucket").sortWithinPartitions("id")
    found = settled(rows.mapInArrow(_tasks.join_buckets(recipe, _PAIRS, is_close), ddl(_PAIRS)))
    missed = found.where("later is null").select("first").distinct().count()
    return found.where("later is not null").dropDuplicates(["first", "later"]), missed


def _clusters(
    numbered: DataFrame, labels: DataFrame, pairs: DataFrame, spoken: DataFrame, recipe: Any
) -> tuple[DataFrame, DataFrame]:
    """Rows of both tables, clusters numbered within their task."""
    columns = ["id", "component", *[n for n, _ in _PAIRS[1:]], *[n for n, _ in _FACTS if n != "url_key"], "text"]
    connected = numbered.join(labels, "id")
    pages = connected.join(spoken.join(labels, "id", "left_semi").select("id", "text"), "id", "left")
    for name, _ in _PAIRS[1:]:
        pages = pages.withColumn(name, F.lit(None).cast("bigint"))
    of_pairs = pairs.withColumnRenamed("first", "id").join(labels, "id")
    for name, kind in [*_FACTS, ("text", "string")]:
        of_pairs = of_pairs.withColumn(name, F.lit(None).cast(kind))
    rows = pages.select(*columns).unionByName(of_pairs.select(*columns))
    rows = rows.repartition("component").sortWithinPartitions("id").drop("component")
    duplicates, clusters = schema_of("duplicates"), schema_of("clusters")
    structs = f"duplicates struct<{_fields(duplicates)}>, clusters struct<{_fields(clusters)}>"
    both = settled(rows.mapInArrow(_tasks.write_clusters(recipe, duplicates, clusters), structs))
    return (
        both.where("duplicates is not null").select("duplicates.*"),
        both.where("clusters is not null").select("clusters.*"),
    )


def _fields(columns: list[tuple[str, str]]) -> str:
    return ", ".join(f"`{name}`: {kind}" for name, kind in columns)


def _renumbered(clusters: DataFrame, numbered: DataFrame) -> DataFrame:
    """Clusters with numbers in the order of their representatives, over all tasks."""
    firsts = clusters.where("keep").select("representative_key")
    of_pages = numbered.select("id", F.col("url_key").alias("representative_key"))
    order = dense(firsts.join(of_pages, "representative_key"), ["id"], "number").select("representative_key", "number")
    named = clusters.join(order, "representative_key").withColumn("cluster", F.col("number"))
    return named.select(*clusters.columns)
