"""What tasks do: functions over batches of rows, run by executors."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from . import _files
from ._arrow import batch_of, batches, compiled
from ._recipe import Parts
from ._shards import split_of

Task = Callable[[Iterable[Any]], Iterator[Any]]

MAPPED = [("number", "bigint"), ("folder", "string"), ("said", "string")]
HOSTS = [("host", "string"), ("pages", "bigint"), ("keys", "array<binary>")]
SAMPLES = [("host", "string"), ("key", "binary"), ("page", "binary")]
LEARNT = [("host", "string"), ("learnt", "binary")]
WRITTEN = [("number", "bigint"), ("table", "string"), ("path", "string"), ("rows", "bigint")]

_pieces: dict[Any, Any] = {}


def _pieces_of(recipe: Parts, learnt: Any = None) -> Any:
    """The compiled part with its settings and templates; kept for the next task of this process."""
    # A broadcast is another object in each task, with the same file.
    key = (recipe, learnt and getattr(learnt, "_path", id(learnt)))
    if key not in _pieces:
        _pieces.clear()
        _pieces[key] = (compiled().ExtractPieces(recipe, learnt.value if learnt is not None else []), learnt)
    return _pieces[key][0]


def _rows(batches_in: Iterable[Any]) -> Iterator[dict[str, Any]]:
    for batch in batches_in:
        yield from batch.to_pylist()


def _stumble() -> None:
    """For tests: where WEBMILL_TEST_SPARK names a folder, the process of every task dies once in the middle of its work."""
    graves = os.environ.get("WEBMILL_TEST_SPARK")
    if graves:
        from ._pyspark import TaskContext

        context = TaskContext.get()
        if context is not None and context.attemptNumber() == 0:
            Path(graves, f"{context.stageId()}-{context.partitionId()}").touch()
            os.kill(os.getpid(), signal.SIGKILL)


def count_hosts(recipe: Parts) -> Task:
    """Splits → hosts of their pages, with the smallest hashes of URLs."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        pieces = _pieces_of(recipe)
        for row in _rows(rows):
            if row["reject"] is None:
                with _files.folder() as folder:
                    hosts = pieces.hosts(json.dumps(split_of(row)), folder)
                each = [(host, pages, [keys[at : at + 8] for at in range(0, len(keys), 8)]) for host, pages, keys in hosts]
                yield batch_of(each, HOSTS)

    return task


def sample_hosts(recipe: Parts, hosts: Any) -> Task:
    """Splits → the pages of hosts that their templates are learnt from; ``hosts``: a broadcast of keys by host."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        pieces = _pieces_of(recipe)
        for row in _rows(rows):
            if row["reject"] is None:
                with _files.folder() as folder:
                    pages = pieces.samples(json.dumps(split_of(row)), hosts.value, folder)
                yield batch_of([(host, key.to_bytes(8, "big"), page) for host, key, page in pages], SAMPLES)

    return task


def learn_hosts(recipe: Parts, captures: Any) -> Task:
    """Sampled pages, sorted by host → what they teach; ``captures``: a broadcast of captures by host."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        pieces, host, pages = _pieces_of(recipe), None, []
        for row in _rows(rows):
            if row["host"] != host and host is not None:
                yield batch_of([(host, pieces.learn(host, captures.value[host], pages))], LEARNT)
                pages = []
            host = row["host"]
            pages.append((int.from_bytes(row["key"], "big"), row["page"]))
        if host is not None:
            yield batch_of([(host, pieces.learn(host, captures.value[host], pages))], LEARNT)

    return task


def map_splits(recipe: Parts, learnt: Any, staging: str, again: dict[int, Any]) -> Task:
    """Splits → what each says of itself; its rows lie in a folder below ``staging`` that no other attempt has.

    ``again``: where exactly splits begin that are mapped once more, by number.
    """

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import uuid

        pieces = _pieces_of(recipe, learnt)
        for row in _rows(rows):
            if row["reject"] is not None:
                said = {"walked": None, "counts": None, "rejects": [json.loads(row["reject"])], "parts": []}
                yield batch_of([(-1, "", json.dumps(said))], MAPPED)
                continue
            split = {**split_of(row), "exact": again.get(row["number"])}
            place = _files.join(staging, f"{row['number']:06}-{uuid.uuid4().hex}")
            here = _files.local(place)
            if here is not None:
                os.makedirs(here)
                said = pieces.map(json.dumps(split), here)
            else:
                with _files.folder() as folder:
                    said = pieces.map(json.dumps(split), folder)
                    _files.put_folder(os.path.join(folder, "aside"), _files.join(place, "aside"))
            _stumble()
            yield batch_of([(row["number"], place, said)], MAPPED)

    return task


def write_files(recipe: Parts, out: str, staging: str) -> Task:
    """Files that are to be written, with their parts → where they are."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        pieces = _pieces_of(recipe)
        for row in _rows(rows):
            file, parts = json.loads(row["file"]), json.loads(row["parts"])
            old = {one["part"]: one["rows"] for one in row["superseded"] or []}
            with _files.folder(staging) as folder:
                for part, place in parts:
                    names = ["captures"]
                    if part["rows"].get(file["table"]):
                        names.append(f"tables/{file['table']}")
                    for name in names:
                        inside = f"aside/{name}/{part['file']}"
                        _files.fetch(_files.join(place, inside), os.path.join(folder, inside))
                told = json.dumps([(part, old.get(part["file"], [])) for part, _ in parts])
                made = pieces.write(json.dumps(file), told, folder)
                # Of media it is not known yet which rows stay.
                below = _files.join(staging, "media") if file["table"] == "media" else _files.join(out, file["table"])
                path = _files.join(below, os.path.basename(made))
                _stumble()
                _files.put(os.fspath(made), path)
            yield batch_of([(file["number"], file["table"], path, file["rows"])], WRITTEN)

    return task


def write_media(recipe: Parts, out: str, staging: str) -> Task:
    """Files of media with the rows that stay → where their copies are."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        pieces = _pieces_of(recipe)
        for row in _rows(rows):
            with _files.folder(staging) as folder:
                name = os.path.basename(row["path"])
                _files.fetch(row["path"], os.path.join(folder, "aside", "media", name))
                made = pieces.write_media(row["number"], row["kept"] or [], folder)
                path = _files.join(out, "media", name)
                _files.put(os.fspath(made), path)
            yield batch_of([(row["number"], "media", path, len(row["kept"] or []))], WRITTEN)

    return task


def order_pages(keep: str, columns: list[tuple[str, str]]) -> Task:
    """Pages → the same with bytes that sort as they are to be kept."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in rows:
            keys = pa.table(compiled().order_keys(batch, keep)).column("order")
            yield from batches(pa.Table.from_batches([batch]).append_column("order", keys), columns)

    return task


def sign_texts(shape: str) -> Task:
    """Texts → the bands of their sketches."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in rows:
            bands = pa.table(compiled().bands_of(batch.select(["text"]), shape)).column("bands")
            table = pa.Table.from_batches([batch.select(["id"])]).append_column("bands", bands)
            yield from batches(table, [("id", "bigint"), ("bands", "array<bigint>")])

    return task


def join_buckets(recipe: Parts, columns: list[tuple[str, str]], is_close: bool) -> Task:
    """Pages of buckets, sorted by number → near pairs; rows without a later page are of pages that may miss some."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        with _files.folder() as folder:
            join = compiled().BucketJoin(recipe, is_close, folder)
            for batch in rows:
                join.push(batch)
            _stumble()
            pairs, _, cut = join.finish()
        yield from batches(pairs, columns)
        if cut:
            yield batch_of([(page, *[None] * (len(columns) - 1)) for page in cut], columns)

    return task


def write_clusters(recipe: Parts, duplicates: list[tuple[str, str]], clusters: list[tuple[str, str]]) -> Task:
    """Connected pages and their pairs, sorted by number → rows of both tables, each in a column of its own."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        with _files.folder() as folder:
            connected, empty = compiled().Connected(recipe, folder), True
            for batch in rows:
                connected.push(batch)
                empty = empty and batch.num_rows == 0
            if empty:
                return
            out = os.path.join(folder, "out")
            connected.write(out)
            _stumble()
            for name, columns in (("duplicates", duplicates), ("clusters", clusters)):
                table = parquet.read_table(os.path.join(out, name, "part-000000.parquet"))
                for batch in batches(table, columns):
                    rows_of = pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema))
                    types = {n: pa.struct(batches_schema(c)) for n, c in (("duplicates", duplicates), ("clusters", clusters))}
                    both = [rows_of if n == name else pa.nulls(len(rows_of), types[n]) for n in types]
                    yield pa.record_batch(both, names=list(types))

    return task


def batches_schema(columns: list[tuple[str, str]]) -> list[Any]:
    """Columns as fields of Arrow."""
    import pyarrow as pa

    from ._arrow import arrow_type

    return [pa.field(name, arrow_type(kind)) for name, kind in columns]


def map_rows(kind: str, recipe: Parts, texts: float) -> Task:
    """Rows → pairs of a kernel."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        kernel = compiled().Kernel(kind, recipe, texts)
        columns = [("key", "binary"), ("value", "binary")]
        for batch in rows:
            yield from batches(kernel.map(batch), columns)
        _stumble()

    return task


def reduce_rows(kind: str, recipe: Parts, texts: float, columns: list[tuple[str, str]]) -> Task:
    """Pairs sorted by key and value → rows."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        kernel = compiled().Kernel(kind, recipe, texts)
        for batch in rows:
            yield from batches(kernel.reduce(batch), columns)
        _stumble()
        yield from batches(kernel.finish(), columns)

    return task


def name_urls(parse: bool) -> Task:
    """URLs → their canonical and SURT forms and hosts."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in rows:
            named = pa.table(compiled().link_targets(batch, parse))
            table = pa.Table.from_batches([batch.select(["url"])])
            for name in ("canonical", "surt", "host"):
                table = table.append_column(name, named.column(name))
            yield from batches(table, [(name, "string") for name in ("url", "canonical", "surt", "host")])

    return task
