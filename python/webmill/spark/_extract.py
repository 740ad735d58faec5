"""The one pass over a cluster."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .._catalogue import LAYOUT, check_layout
from .._error import Error
from . import _files, _tasks
from ._arrow import compiled, ddl
from ._check import check
from ._pyspark import DataFrame, F, SparkSession, Window
from ._recipe import Parts, Recipe, parts_of
from ._shards import few_tasks

# The file that is written last: names of the tables, and counts.
_SUMMARY = "webmill-spark.json"


class Tables:
    """The tables of a pass, as data frames over a folder of Parquet files; ``counts`` says what was read, kept and dropped."""

    def __init__(self, spark: SparkSession, folder: str, summary: dict[str, Any]) -> None:
        self._spark, self.folder = spark, folder
        self.names: list[str] = summary["tables"]
        self.counts: dict[str, Any] = summary["counts"]

    def table(self, name: str) -> DataFrame:
        """A table by its name."""
        if name not in self.names:
            raise Error(f"no table is called {name!r}; there are {', '.join(self.names)}")
        return self._spark.read.parquet(_files.join(self.folder, name))

    def __getattr__(self, name: str) -> DataFrame:
        if name.startswith("_") or name not in self.names:
            raise AttributeError(f"no table is called {name!r}")
        return self.table(name)

    def __repr__(self) -> str:
        return f"Tables({self.folder!r}: {', '.join(self.names)})"


def open_tables(spark: SparkSession, folder: str) -> Tables:
    """What :func:`extract` wrote to a folder."""
    found = _files.read(_files.join(folder, _SUMMARY))
    if found is None:
        raise Error("no tables that webmill.spark wrote, or not all of them yet", path=folder)
    summary = json.loads(found)
    check_layout(summary.get("layout"), _files.join(folder, _SUMMARY))
    return Tables(spark, folder, summary)


def extract(splits: DataFrame, out: str, *, recipe: Recipe = None) -> Tables:
    """Reads the splits of :func:`shards` once and writes the tables of ``webmill extract`` to ``out``, with their schemas.

    ``out``: a new or empty folder that all machines reach under this name; rows lie in ``out/.staging`` until their tables are
    written. ``recipe``: a recipe file, or tables of settings; ``[extract]`` is what counts. Tables are those of one machine, row by
    row, and table ``rejects`` with them. A task that fails is done again, and one that runs twice counts once.
    """
    spark = splits.sparkSession
    check(spark)
    if not _files.is_empty(out):
        raise Error("the folder is not empty: give a new one, or empty it", path=out)
    parts = parts_of(recipe)
    pieces = compiled().ExtractPieces(parts)
    settings, staging = json.loads(pieces.settings), _files.join(out, ".staging")
    splits = splits.persist()
    try:
        learnt = _learn(splits, parts, pieces, settings, staging)
        shared = spark.sparkContext.broadcast(learnt)
        mapped = _map(splits, parts, shared, staging)
        written = _write(spark, mapped, parts, pieces, out, staging)
        _write_driver_tables(pieces, learnt, settings, mapped, out)
        counts = _counts(mapped)
        tables = sorted({*pieces.tables, "rejects"} - (set() if _has_templates(settings) else {"templates"}))
        counts["rows"] = written
        summary = {"layout": LAYOUT, "tables": tables, "counts": counts, "version": compiled().__version__}
        _files.write(_files.join(out, _SUMMARY), json.dumps(summary, indent=1).encode())
    finally:
        splits.unpersist()
        _files.remove(staging)
    return Tables(spark, out, summary)


def _has_templates(settings: dict[str, Any]) -> bool:
    return settings["template_pages"] > 0


def _learn(
    splits: DataFrame, recipe: Parts, pieces: Any, settings: dict[str, Any], staging: str
) -> list[bytes]:
    """What the pages of hosts have in common: two passes, the second only where there are hosts of enough pages."""
    if not _has_templates(settings):
        return []
    context = splits.sparkSession.sparkContext
    counted = splits.mapInArrow(_tasks.count_hosts(recipe), ddl(_tasks.HOSTS))
    # Far more hashes than are looked at: which these are the compiled part knows.
    keys = F.slice(F.array_sort(F.array_distinct(F.flatten(F.collect_list("keys")))), 1, 4096)
    largest = (
        counted.groupBy("host").agg(F.sum("pages").alias("pages"), keys.alias("keys"))
        .where(F.col("pages") >= settings["template_pages"]).collect()
    )  # fmt: skip
    captures = {row.host: row.pages for row in largest}
    if not captures:
        return []
    smallest = {row.host: compiled().smallest_keys([bytes(key) for key in row["keys"]], row.pages) for row in largest}
    sampled = splits.mapInArrow(_tasks.sample_hosts(recipe, context.broadcast(smallest)), ddl(_tasks.SAMPLES))
    by_host = sampled.repartition("host").sortWithinPartitions("host")
    task = _tasks.learn_hosts(recipe, context.broadcast(captures))
    learnt = {row.host: bytes(row.learnt) for row in by_host.mapInArrow(task, ddl(_tasks.LEARNT)).collect()}
    # A host none of whose pages turned out to be HTML has a row too.
    for host in captures.keys() - learnt.keys():
        learnt[host] = pieces.learn(host, captures[host], [])
    return [learnt[host] for host in sorted(learnt)]


def _map(splits: DataFrame, recipe: Parts, learnt: Any, staging: str) -> list[dict[str, Any]]:
    """All splits mapped, each from where the one before it ended: number, folder, what they said; rejects of files have number -1."""

    def run(frame: DataFrame, again: dict[int, Any]) -> list[dict[str, Any]]:
        task = _tasks.map_splits(recipe, learnt, staging, again)
        rows = frame.mapInArrow(task, ddl(_tasks.MAPPED)).collect()
        return [{"number": row.number, "folder": row.folder, **json.loads(row.said)} for row in rows]

    found = run(splits, {})
    others = [one for one in found if one["number"] < 0]
    mapped = {one["number"]: one for one in found if one["number"] >= 0}
    about = {row.number: row for row in splits.where("reject is null").select("number", "path", "name", "kind", "size", "from", "to").collect()}
    settled: set[int] = set()
    while wrong := _wrong(about, mapped, settled):
        numbers = splits.sparkSession.createDataFrame([(number,) for number in wrong], "number bigint")
        chosen = splits.join(F.broadcast(numbers), "number").select(*splits.columns)
        mapped.update({one["number"]: one for one in run(chosen, wrong)})
        settled |= wrong.keys()
    return [mapped[number] for number in sorted(mapped)] + others


def _wrong(about: dict[int, Any], mapped: dict[int, dict[str, Any]], settled: set[int]) -> dict[int, Any]:
    """The first split of each shard that did not begin where the one before it ended, with where it should."""
    wrong: dict[int, Any] = {}
    fits, shard, before, known = compiled().split_fits, None, None, True
    for number in sorted(about):
        row, walked = about[number], mapped[number]["walked"]
        if row.path != shard:
            shard, before, known = row.path, walked, True
            continue
        if not known:
            continue
        if number not in settled:
            split = {
                "number": number, "path": row.path, "name": row.name, "kind": json.loads(row.kind), "size": row.size,
                "from": row["from"], "to": (1 << 64) - 1 if row.to is None else row.to,
            }  # fmt: skip
            if not fits(json.dumps(before), json.dumps(split), json.dumps(walked)):
                wrong[number], known = before, False
                continue
            if walked["first"] is None:
                # A record spans the whole split: what counts is where the walk before it is.
                continue
        before = walked
    return wrong


def _write(
    spark: SparkSession, mapped: list[dict[str, Any]], recipe: Parts, pieces: Any, out: str, staging: str
) -> dict[str, int]:
    """Writes the files of all tables; rows by table."""
    parts = [(part, one["folder"]) for one in mapped for part in one["parts"]]
    planned = json.loads(pieces.plan(json.dumps([part for part, _ in parts])))
    rows = [
        (number, file["table"], json.dumps(file), json.dumps(parts[slice(*file["parts"])]), part["file"])
        for number, file in enumerate(planned)
        for part, _ in parts[slice(*file["parts"])] or [({"file": ""}, "")]
    ]
    work = spark.createDataFrame(
        list({row[0]: row[:4] for row in rows}.values()), "number bigint, table string, file string, parts string"
    )
    tasks = max(1, min(len(planned), few_tasks(spark)))
    superseded = _superseded(spark, parts)
    if superseded is None:
        nothing = "cast(null as array<struct<part: string, rows: array<bigint>>>)"
        work = work.withColumn("superseded", F.expr(nothing))
    else:
        of_parts = spark.createDataFrame([(row[0], row[4]) for row in rows], "number bigint, part string")
        told = of_parts.join(superseded, "part").groupBy("number")
        work = work.join(told.agg(F.collect_list(F.struct("part", "rows")).alias("superseded")), "number", "left")
    done = (
        work.repartition(tasks, "number")
        .mapInArrow(_tasks.write_files(recipe, out, staging), ddl(_tasks.WRITTEN))
        .collect()
    )
    media = [row for row in done if row.table == "media"]
    if media:
        done = [row for row in done if row.table != "media"] + _write_media(spark, media, recipe, out, staging)
    counts: dict[str, int] = {}
    for row in done:
        counts[row.table] = counts.get(row.table, 0) + row.rows
    return counts


def _superseded(spark: SparkSession, parts: list[tuple[dict[str, Any], str]]) -> DataFrame | None:
    """The rows of captures, part by part, that another capture of the same URL replaces.

    The last one counts: by what it is, then time, digest, offset and shard.
    """
    files = [_files.join(folder, "aside", "captures", part["file"]) for part, folder in parts]
    if not files:
        return None
    last = Window.partitionBy("url").orderBy(
        F.desc("class"), F.desc_nulls_last("time"), F.desc(F.coalesce("digest", F.lit(""))), F.desc("offset"),
        F.desc("shard"), F.desc("part"), F.desc("row"),
    )  # fmt: skip
    schema = "url string, time timestamp, digest string, shard string, offset bigint, class smallint"
    captures = spark.read.schema(schema).parquet(*files).select(
        "url", "class", "time", "digest", "offset", "shard", F.col("_metadata.file_name").alias("part"),
        F.col("_metadata.row_index").alias("row"),
    )  # fmt: skip
    old = captures.withColumn("place", F.row_number().over(last)).where("place > 1")
    return old.groupBy("part").agg(F.sort_array(F.collect_list("row")).alias("rows"))


def _write_media(spark: SparkSession, written: list[Any], recipe: Parts, out: str, staging: str) -> list[Any]:
    """Table ``media`` from its files: of a picture that was not fetched the row that says most, none of one that was."""
    schema = "url_key string, source string, is_current boolean, alt string, width bigint"
    rows = spark.read.schema(schema).parquet(*[row.path for row in written]).select(
        "url_key", "source", "is_current", F.col("_metadata.file_name").alias("name"),
        F.col("_metadata.row_index").alias("row"),
        (F.least(F.coalesce(F.octet_length("alt"), F.lit(0)), F.lit(1 << 20)) * 2 + F.col("width").isNotNull().cast("int")).alias("said"),
    )  # fmt: skip
    is_file = F.col("source") == "file"
    first = Window.partitionBy("url_key").orderBy(is_file.desc(), F.desc("said"), "name", "row")
    stays = rows.where(is_file | F.col("is_current")).withColumn("place", F.row_number().over(first))
    kept = stays.where(is_file | (F.col("place") == 1)).groupBy("name").agg(F.sort_array(F.collect_list("row")).alias("kept"))
    work = spark.createDataFrame(
        [(row.number, row.path, row.path.rsplit("/", 1)[-1]) for row in written], "number bigint, path string, name string"
    )
    work = work.join(kept, "name", "left").repartition(max(1, min(len(written), few_tasks(spark))), "number")
    return work.mapInArrow(_tasks.write_media(recipe, out, staging), ddl(_tasks.WRITTEN)).collect()


def _write_driver_tables(
    pieces: Any, learnt: list[bytes], settings: dict[str, Any], mapped: Iterable[dict[str, Any]], out: str
) -> None:
    """Tables of few rows: templates and rejects."""
    with _files.folder(out) as folder:
        if _has_templates(settings):
            pieces.write_templates(learnt, f"{folder}/made")
        rejects = [reject for one in mapped for reject in one["rejects"]]
        pieces.write_rejects(json.dumps(rejects), f"{folder}/rejected")
        for made in ("made", "rejected"):
            for table in ("templates", "rejects"):
                if _files.local(f"{folder}/{made}/{table}") and _files.files_at(f"{folder}/{made}/{table}"):
                    _files.put_folder(f"{folder}/{made}/{table}", _files.join(out, table))


def _counts(mapped: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What all splits counted."""
    total: dict[str, Any] = {"read": 0, "damaged": 0, "bytes": 0, "bytes_lost": 0, "kept": {}, "dropped": {}}
    for one in mapped:
        counts = one["counts"]
        if counts is None:
            reason = one["rejects"][0]["reason"]
            total["dropped"][reason] = total["dropped"].get(reason, 0) + 1
            continue
        for name in ("read", "damaged", "bytes", "bytes_lost", "cut_off", "cut_off_bytes"):
            if name in counts:
                total[name] = total.get(name, 0) + counts[name]
        for name in ("kept", "dropped"):
            for what, number in counts[name].items():
                total[name][what] = total[name].get(what, 0) + number
    return total
