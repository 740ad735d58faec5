"""Splits of shards as rows."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from .._error import Error
from . import _files
from ._arrow import compiled, ddl
from ._pyspark import DataFrame, SparkSession

# A row is a split, or a file that was found and is none (with `reject`): the last byte of a shard is the end of its last split.
COLUMNS = [
    ("number", "bigint"), ("path", "string"), ("name", "string"), ("kind", "string"), ("size", "bigint"), ("from", "bigint"),
    ("to", "bigint"), ("reject", "string"),
]  # fmt: skip
# What the compiled part has for the end of a shard's last split.
_END = (1 << 64) - 1
# Tasks a core that keep all of them busy to the end, tasks at most, and stored bytes that are worth a task: each costs PySpark a tenth of
# a second, most of it for reading the directories of its own archives anew.
_TASKS_A_CORE, _MOST_TASKS, _TASK_BYTES = 6, 100_000, 16 << 20


def shards(
    spark: SparkSession, paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], split_bytes: int = 0
) -> DataFrame:
    """The splits of WARC, ARC and RAW DB files, of folders and patterns of them: ``path``, ``from``, ``to``, ``size`` and more.

    ``paths``: of this machine, where all machines have them at the same place, or URIs that pyarrow and Hadoop know
    (``s3a://``, ``hdfs://``, ``gs://``). ``split_bytes``: stored bytes of a split; 0 cuts as ``webmill extract`` does (a 32nd of
    a shard, 512 KiB to 256 MiB; its last quarter finer). Files in folders that are no shards are rows with a ``reject``.

    A partition of the rows is a task. Repartition them as you like: it changes no answer.
    """
    if split_bytes < 0:
        raise Error(f"split_bytes {split_bytes} is less than 0")
    named = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found, rejects = find([os.fspath(path) for path in named])
    splits = json.loads(compiled().split_shards(json.dumps(found), split_bytes))
    rows: list[tuple[Any, ...]] = [
        (
            one["number"], one["path"], one["name"], json.dumps(one["kind"]), one["size"], one["from"],
            None if one["to"] == _END else one["to"], None,
        )
        for one in splits
    ]  # fmt: skip
    rows += [(None, None, one["shard"], None, None, None, None, json.dumps(one)) for one in rejects]
    frame = spark.createDataFrame(rows, ddl(COLUMNS))
    stored = sum(one["size"] for one in {one["path"]: one for one in splits}.values())
    worth = max(spark.sparkContext.defaultParallelism, -(-stored // _TASK_BYTES))
    return frame.repartitionByRange(max(1, min(few_tasks(spark), worth, len(rows))), "number")


def few_tasks(spark: SparkSession) -> int:
    """Tasks that work is shared out to, at most."""
    return min(_MOST_TASKS, _TASKS_A_CORE * max(1, spark.sparkContext.defaultParallelism))


def find(paths: list[str]) -> tuple[list[list[Any]], list[dict[str, Any]]]:
    """Shards (path, name, kind, bytes) in the order of their names, and rejects."""
    here, away = [], []
    for path in paths:
        local = _files.local(path)
        if local is None:
            away.append(path)
            continue
        if os.path.isfile(os.path.join(local, "crawl.toml")):
            raise Error("a folder of a crawl: give its folder shards, the event log is read on one machine only", path=path)
        here.append(local)
    found: list[list[Any]] = []
    rejects: list[dict[str, Any]] = []
    if here:
        shards_json, rejects_json = compiled().find_shards(here)
        found, rejects = json.loads(shards_json), json.loads(rejects_json)
        for shard in found:
            shard[0] = os.path.abspath(shard[0])
    for uri in away:
        for path, size in _files.files_below(uri):
            inside = path[len(uri) :].strip("/") or path.rsplit("/", 1)[-1]
            kind = compiled().sniff_shard(_files.start_of(path, 64 << 10))
            if kind is None:
                detail = f"its first bytes are not those of a shard; {size} bytes"
                rejects.append({"reason": "unread-file", "shard": inside, "offset": 0, "bytes_lost": 0, "detail": detail})
            else:
                found.append([path, inside, json.loads(kind), size])
    if not found:
        raise Error(f"{', '.join(paths)}: no shard found")
    names = [shard[1] for shard in found]
    for shard in found:
        if away and names.count(shard[1]) > 1:
            shard[1] = shard[0]
    return sorted(found, key=lambda shard: (shard[1], shard[0])), rejects


def split_of(row: dict[str, Any]) -> dict[str, Any]:
    """A row as the compiled part takes a split, its shard on this machine."""
    return {
        "number": row["number"], "path": _files.shard(row["path"]), "name": row["name"], "kind": json.loads(row["kind"]),
        "size": row["size"], "from": row["from"], "to": _END if row["to"] is None else row["to"],
    }  # fmt: skip
