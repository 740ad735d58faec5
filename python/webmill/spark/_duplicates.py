"""Duplicates over a cluster: pages that may be duplicates of each other are brought together, and compared by the compiled part.

1. **Keys.** Pages are numbered in the order of what to keep. Bands, and digests of bodies and texts, are shuffled by their value:
   two pages with an equal one are an edge. Edges are gathered by the driver, which finds what they connect.
2. **Texts.** Each connected page is sent to the task of its component, with its text if near-duplicates are possible there: a text
   goes to one task, and texts that share no band with another are not moved. The task does what ``webmill dedup`` does.
3. **SimHashes** of pages that bands brought together with no earlier one are joined on the driver. Components that they touch are
   connected anew, and step 2 is repeated for them.

A component of more than ``_LARGE`` pages would occupy one task for long. Its pages are compared bucket by bucket first, so that a
text goes to as many tasks as it has buckets; then near pairs connect them, in place of bands.

**Driver.** 16 bytes a page, 24 an edge, 50 a page whose SimHash is joined.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from .._error import Error
from . import _tasks
from ._arrow import compiled, ddl, fields, schema_of
from ._check import check
from ._numbers import settled
from ._pyspark import DataFrame, F
from ._recipe import Parts, Recipe, parts_of

_FACTS = [
    ("url", "string"), ("time_ms", "bigint"), ("words", "bigint"), ("digest", "string"), ("length", "bigint"),
    ("text_digest", "string"), ("simhash", "bigint"), ("shard", "string"), ("offset", "bigint"),
]  # fmt: skip
_PAIRS = [("first", "bigint"), ("later", "bigint"), ("common", "bigint"), ("of_first", "bigint"), ("of_later", "bigint")]
# What tasks are sent: pages, their texts, their places in buckets, known pairs.
_PAGE, _TEXT, _BUCKET, _PAIR = range(4)
_SENT = [("id", "bigint"), ("what", "bigint"), *_FACTS, ("text", "string"), ("bands", "array<bigint>"), ("bucket", "bigint"), *_PAIRS[1:]]

# Pages of a component that one task works on without further ado: as many as the program takes some seconds for.
_LARGE = 1 << 17
# Rows that all executors are sent, to be joined where the others lie: about 300 bytes each.
_SENT_TO_ALL = 1 << 18


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
    ``keep`` may be earliest or longest, ``by`` bands and simhash. Rows of tables are those of one machine; numbers without a
    sign are wider here.
    """
    check(pages.sparkSession)
    parts = parts_of(recipe)
    told, are_stored = compiled().dedup_settings(parts)
    settings = json.loads(told)
    if settings["keep"] not in ("earliest", "longest"):
        raise Error(f"keep = {settings['keep']!r}: earliest and longest are possible on a cluster")
    if not settings["verify"] or not {"bands", "simhash"}.issuperset(settings["by"]):
        raise Error("[dedup]: by = bands and simhash, verified, is possible on a cluster")
    return _Search(pages, texts if are_stored else texts.drop("bands"), parts, settings).run()


def _numbered(pages: DataFrame, settings: dict[str, Any]) -> DataFrame:
    """Current pages with numbers that ascend in the order of what to keep; ``compared`` says whether their texts are."""
    kinds = dict(pages.dtypes)
    if (kinds.get("simhash"), kinds.get("url_key")) != ("bigint", "string"):
        raise Error("table pages is of another layout of results: make it again with this webmill")
    good = F.col("fetch_status").isNull() | F.col("fetch_status").between(200, 299)
    is_page = F.col("is_html") | F.col("page_type").isNotNull()
    words = F.coalesce("num_words", F.lit(0)).cast("bigint")
    facts = pages.where(F.col("is_current") & good & is_page).select(
        "url", F.unix_millis("fetch_time").alias("time_ms"), words.alias("words"), F.col("content_digest").alias("digest"),
        F.col("content_length").cast("bigint").alias("length"), "text_digest", F.when(words > 0, F.col("simhash")).alias("simhash"),
        F.col("warc_filename").alias("shard"), F.col("warc_record_offset").alias("offset"), "url_key",
        ((words >= settings["min_words"]) & F.col("text_digest").isNotNull()).alias("compared"),
    )  # fmt: skip
    longest = [F.desc("words")] if settings["keep"] == "longest" else []
    ordered = facts.sort(*longest, F.asc_nulls_last("time_ms"), F.octet_length("url"), "url")
    return ordered.withColumn("id", F.monotonically_increasing_id())


class _Search:
    """What all steps need."""

    def __init__(self, pages: DataFrame, texts: DataFrame, recipe: Parts, settings: dict[str, Any]) -> None:
        import numpy as np

        self.spark, self.texts, self.recipe, self.settings = pages.sparkSession, texts, recipe, settings
        self.pages = settled(_numbered(pages, settings))
        # Of pages whose texts are compared.
        self.simhashes = self.pages.where("compared").select("id", "simhash").toArrow().sort_by("id")
        self.pairs: DataFrame | None = None
        self.large = self.silent = np.array([], np.int64)

    def run(self) -> Duplicates:
        """All steps."""
        import numpy as np

        edges = self.edges()
        # Each text is compared once, as that of the first page that has it.
        self.silent = edges[1, edges[2] == _tasks.TEXT]
        edges, later, missed = self.without_large(edges)
        components = _Components(edges)
        tables, found = self.joined(components)
        if "simhash" in self.settings["by"]:
            close, buckets = self.close(np.concatenate([later, found["later"]]))
            again = _Components(np.concatenate([edges, close], axis=1), close[1])
            if len(again.ids):
                more, of_more = self.joined(again, buckets)
                both = np.intersect1d(again.ids, components.ids)
                gone = self.with_ids(self.pages, both).select(F.col("url_key").alias("_gone"))
                for name, key in (("duplicates", "a_key"), ("clusters", "url_key")):
                    if len(both):
                        tables[name] = tables[name].join(_sent(gone, len(both)), F.col(key) == F.col("_gone"), "left_anti")
                    tables[name] = tables[name].unionByName(more[name])
                for name, ids in of_more.items():
                    found[name] = np.append(found[name][~np.isin(found[name], both)], ids)
        # Clusters are numbered in the order of the pages that represent them.
        firsts = np.sort(found["first"])
        numbers = _sent(self.frame({"cluster": firsts, "_number": np.arange(len(firsts))}), len(firsts))
        clusters = tables["clusters"].join(numbers, "cluster").withColumn("cluster", F.col("_number")).select(*tables["clusters"].columns)
        return Duplicates(tables["duplicates"], clusters, missed + len(found["cut"]))

    def frame(self, columns: dict[str, Any]) -> DataFrame:
        """Columns of numpy as a table of Spark."""
        import pyarrow as pa

        return self.spark.createDataFrame(pa.table(columns))

    def with_ids(self, rows: DataFrame, ids: Any, more: dict[str, Any] | None = None) -> DataFrame:
        """The rows of pages ``ids``, with further columns by page."""
        return rows.join(_sent(self.frame({"id": ids, **(more or {})}), len(ids)), "id")

    def texts_of(self, pages: DataFrame, count: int, columns: list[str]) -> DataFrame:
        """Columns of the texts of ``count`` numbered pages, by the places of their records, beside all of ``pages``."""
        place = {"warc_filename": F.col("shard"), "warc_record_offset": F.col("offset")}
        places = pages.drop(*[name for name, _ in _FACTS if name not in ("shard", "offset")]).withColumns(place)
        rows = self.texts.select(*place, "url_key", *columns)
        return rows.join(_sent(places.drop("shard", "offset"), count), [*place, "url_key"])

    def bands_of(self, pages: DataFrame, count: int) -> DataFrame:
        """``id`` and ``bands`` of pages: those that ``extract`` stored, or else signed anew."""
        if "bands" in self.texts.columns:
            return self.texts_of(pages, count, ["bands"]).select("id", "bands")
        signed = self.texts_of(pages, count, ["text"]).select("id", "text")
        return signed.mapInArrow(_tasks.sign_texts(self.settings["bands"]), "id bigint, bands array<bigint>")

    def edges(self) -> Any:
        """First pages, other pages, kinds of what both have."""
        import pyarrow as pa

        body = F.when(F.col("digest").isNotNull() & (F.col("length") != 0), F.xxhash64("digest")).alias("body")
        text = F.when(F.col("compared"), F.col("text_digest")).alias("text")
        keys = self.pages.select("id", body, text, F.lit(None).cast("array<bigint>").alias("bands"))
        if "bands" in self.settings["by"]:
            bands = self.bands_of(self.pages.where("compared"), len(self.simhashes))
            keys = keys.unionByName(bands, allowMissingColumns=True)
        few = len(self.simhashes) <= _SENT_TO_ALL
        parts = 1 if few else int(self.spark.conf.get("spark.sql.shuffle.partitions") or 1)
        packed = keys.mapInArrow(_tasks.pack_keys(parts), ddl(_tasks.PACKED))
        if few:
            # Some 200 MB at most: they are joined here.
            found = pa.Table.from_batches(_tasks.join_keys(packed.toArrow().to_batches()), pa.schema(fields(_tasks.EDGES)))
        else:
            found = packed.repartition("part").mapInArrow(_tasks.join_keys, ddl(_tasks.EDGES)).toArrow()
        return _columns(found)

    def without_large(self, edges: Any) -> tuple[Any, Any, int]:
        """Edges, with near pairs in place of bands in large components; later pages of these; how many pages may miss pairs."""
        import numpy as np

        components = _Components(edges)
        of, sizes = np.unique(components.of, return_counts=True)
        self.large = large = components.ids[np.isin(components.of, of[sizes > _LARGE])]
        if not len(large) or "bands" not in self.settings["by"]:
            return edges, large[:0], 0
        speakers = self.with_ids(self.pages.where("compared"), np.setdiff1d(large, self.silent)).select("id", "shard", "offset", "url_key")
        # Buckets of the same pages give the same pairs: one of them is enough.
        buckets = (
            self.bands_of(speakers, len(large)).select("id", F.explode("bands").alias("band")).groupBy("band")
            .agg(F.sort_array(F.collect_set("id")).alias("ids")).where(F.size("ids") > 1)
            .groupBy("ids").agg(F.min("band").alias("bucket")).select("bucket", F.explode("ids").alias("id"))
        )  # fmt: skip
        members = buckets.join(self.texts_of(speakers, len(large), ["text"]).select("id", "text"), "id")
        rows = members.select("id", "bucket", "text").repartition("bucket").sortWithinPartitions("id")
        found = settled(rows.mapInArrow(_tasks.join_buckets(self.recipe, _PAIRS), ddl(_PAIRS)))
        missed = found.where("later is null").select("first").distinct().count()
        self.pairs = pairs = found.where("later is not null").dropDuplicates(["first", "later"])
        near = _columns(pairs.select("first", "later", F.lit(_tasks.BAND).cast("bigint")).toArrow())
        stay = ~(np.isin(edges[0], large) & (edges[2] == _tasks.BAND))
        return np.concatenate([edges[:, stay], near], axis=1), near[1], missed

    def joined(self, components: _Components, buckets: DataFrame | None = None) -> tuple[dict[str, DataFrame], dict[str, Any]]:
        """Rows of both tables; pages that represent clusters, later ones of pairs by bands, and those that may miss pairs."""
        import numpy as np

        near = components.have_near & ~np.isin(components.ids, self.silent)
        known = np.isin(components.ids, self.large)
        label = {"component": components.of}
        placed = self.with_ids(self.pages, components.ids, {**label, "near": near, "known": known})
        bands = F.when(F.col("known"), F.array().cast("array<bigint>"))
        columns = ["text"]
        if "bands" in self.texts.columns:
            bands, columns = bands.otherwise(F.col("bands")), ["text", "bands"]
        texts = self.texts_of(placed.where("near and compared"), int(near.sum()), columns).withColumn("bands", bands)
        rows = placed.withColumn("what", F.lit(_PAGE)).unionByName(texts.withColumn("what", F.lit(_TEXT)), allowMissingColumns=True)
        for more, what in ((buckets, _BUCKET), (self.pairs, _PAIR)):
            if more is not None:
                of_pages = self.with_ids(more.withColumnRenamed("first", "id"), components.ids, label).withColumn("what", F.lit(what))
                rows = rows.unionByName(of_pages, allowMissingColumns=True)
        sent = [(F.col(name) if name in rows.columns else F.lit(None)).cast(kind).alias(name) for name, kind in _SENT]
        rows = rows.repartition("component").sortWithinPartitions("id", "what").select(*sent)
        schemas = {name: schema_of(name) for name in ("duplicates", "clusters")}
        schemas["clusters"] = [(name, "bigint" if name == "cluster" else kind) for name, kind in schemas["clusters"]]
        structs = [(name, f"struct<{ddl(columns)}>") for name, columns in schemas.items()]
        of_pages = [("first", "bigint"), ("later", "bigint"), ("cut", "bigint")]
        made = settled(rows.mapInArrow(_tasks.write_clusters(self.recipe, schemas), ddl([*structs, *of_pages])))
        tables = {name: made.where(f"{name} is not null").select(f"{name}.*") for name in schemas}
        names = [name for name, _ in of_pages]
        numbers = made.where("coalesce(first, later, cut) is not null").select(*names).toArrow()
        return tables, {name: numbers.column(name).drop_null().to_numpy() for name in names}

    def close(self, later: Any) -> tuple[Any, DataFrame]:
        """Edges of pages whose SimHashes are close, and the buckets of these pages; ``later``: what bands brought together with an
        earlier page needs no second look."""
        import numpy as np
        import pyarrow as pa

        ids = self.simhashes.column("id").to_numpy()
        out = np.concatenate([self.silent, later if self.settings["relied_on"] else later[:0]])
        taken = ~np.isin(ids, out) & self.simhashes.column("simhash").is_valid().to_numpy()
        buckets, cut = compiled().close_buckets(self.recipe, self.simhashes.filter(pa.array(taken)))
        if cut:
            warnings.warn("more pairs of close SimHashes than 64 a page: the others are not looked at", stacklevel=4)
        bucket, page = _columns(pa.table(buckets))
        _, firsts, of = np.unique(bucket, return_index=True, return_inverse=True)
        return np.stack([page[firsts][of], page, np.full(len(page), _tasks.BAND)]), self.frame({"bucket": bucket, "id": page})


class _Components:
    """What edges connect: pages ``ids``, ascending, and the first page that each is connected with, ``of``. ``have_near``: whether an
    edge among these pages is of bands or SimHashes. With ``touched``, only those that these pages are in."""

    def __init__(self, edges: Any, touched: Any = None) -> None:
        import numpy as np

        ids, ends = np.unique(edges[:2], return_inverse=True)
        of_a, of_b = ends.reshape(2, -1)
        label = np.arange(len(ids))
        while True:
            a, b = label[of_a], label[of_b]
            apart = a != b
            if not apart.any():
                break
            of_a, of_b, a, b = of_a[apart], of_b[apart], a[apart], b[apart]
            # Each tree is hung below another with an earlier root, then all are made flat.
            np.minimum.at(label, np.maximum(a, b), np.minimum(a, b))
            while (label[label] != label).any():
                label = label[label]
        near = np.isin(label, label[np.searchsorted(ids, edges[1, edges[2] == _tasks.BAND])])
        here = slice(None) if touched is None else np.isin(label, label[np.searchsorted(ids, touched)])
        self.ids, self.of, self.have_near = ids[here], ids[label][here], near[here]


def _columns(table: Any) -> Any:
    """Columns of whole numbers, as rows of an array."""
    import numpy as np

    return np.stack([column.to_numpy() for column in table.columns])


def _sent(rows: DataFrame, count: int) -> DataFrame:
    """Rows for a join: few enough are sent to all executors."""
    return F.broadcast(rows) if count <= _SENT_TO_ALL else rows
