"""What tasks do: functions over batches of rows, run by executors."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from . import _files
from ._arrow import batch_of, batches, compiled, fields
from ._recipe import Parts
from ._shards import split_of

Task = Callable[[Iterable[Any]], Iterator[Any]]

MAPPED = [("number", "bigint"), ("folder", "string"), ("said", "string")]
HOSTS = [("host", "string"), ("pages", "bigint"), ("keys", "array<binary>")]
SAMPLES = [("host", "string"), ("key", "binary"), ("page", "binary")]
LEARNT = [("host", "string"), ("learnt", "binary")]
WRITTEN = [("number", "bigint"), ("table", "string"), ("path", "string"), ("rows", "bigint")]
PACKED = [("part", "int"), ("keys", "binary")]
EDGES = [("a", "bigint"), ("b", "bigint"), ("kind", "bigint")]

# By what pages are connected.
BAND, BODY, TEXT = range(3)

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


def sign_texts(shape: str) -> Task:
    """Texts → the bands of their sketches."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for batch in rows:
            bands = pa.table(compiled().bands_of(batch.select(["text"]), shape)).column("bands")
            table = pa.Table.from_batches([batch.select(["id"])]).append_column("bands", bands)
            yield from batches(table, [("id", "bigint"), ("bands", "array<bigint>")])

    return task


def pack_keys(parts: int) -> Task:
    """Pages with what may connect them (``id``, ``body``, ``text``, ``bands``) → their keys, by parts."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import numpy as np

        for batch in rows:
            ids = batch.column("id").to_numpy()
            bands, bodies, texts = (batch.column(name) for name in ("bands", "body", "text"))
            has_body, has_text = (column.is_valid().to_numpy(zero_copy_only=False) for column in (bodies, texts))
            digests = np.frombuffer(bytes.fromhex("".join(texts.drop_null().to_pylist())), ">i8").reshape(-1, 2)
            lengths = bands.value_lengths().fill_null(0).to_numpy()
            keys = np.concatenate([
                _keys(BAND, 0, bands.flatten().to_numpy(), np.repeat(ids, lengths)),
                _keys(BODY, 0, bodies.drop_null().to_numpy(), ids[has_body]),
                _keys(TEXT, digests[:, 0], digests[:, 1], ids[has_text]),
            ], axis=1)  # fmt: skip
            of = keys[2] % parts
            yield batch_of([(part, keys[:, of == part].tobytes()) for part in range(parts) if (of == part).any()], PACKED)

    return task


def _keys(kind: int, high: Any, low: Any, ids: Any) -> Any:
    """Rows of numbers: kinds, halves of keys, pages."""
    import numpy as np

    return np.stack([np.full(len(ids), kind), np.broadcast_to(high, len(ids)), low, ids]).astype("<i8")


def join_keys(rows: Iterable[Any]) -> Iterator[Any]:
    """Keys of whole parts → an edge from the first page that has a key to each other one, each once."""
    import numpy as np
    import pyarrow as pa

    packed = [np.frombuffer(row["keys"], "<i8").reshape(4, -1) for row in _rows(rows)]
    if not packed:
        return
    keys = np.concatenate(packed, axis=1)
    keys = keys[:, np.argsort(keys[2], kind="stable")]
    # Most keys are of one page: the others alone are looked at.
    like_next = np.append(keys[2, 1:] == keys[2, :-1], False)
    keys = keys[:, like_next | np.roll(like_next, 1)]
    keys = keys[:, np.lexsort(keys[::-1])]
    begins = _changes(keys[:3])
    firsts = keys[3][np.maximum.accumulate(np.where(begins, np.arange(len(begins)), 0))]
    edges = np.stack([firsts, keys[3], keys[0]])[:, firsts != keys[3]]
    edges = edges[:, np.lexsort(edges)]
    a, b, kind = edges[:, _changes(edges)]
    yield pa.record_batch([pa.array(a), pa.array(b), pa.array(kind)], names=[name for name, _ in EDGES])


def _changes(rows: Any) -> Any:
    """Where a column differs from the one before it."""
    import numpy as np

    return np.append(np.full(min(1, rows.shape[1]), True), (rows[:, 1:] != rows[:, :-1]).any(axis=0))


def join_buckets(recipe: Parts, columns: list[tuple[str, str]]) -> Task:
    """Pages of buckets, sorted by number → near pairs; rows without a later page are of pages that may miss some."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        with _files.folder() as folder:
            join = compiled().BucketJoin(recipe, folder)
            for batch in rows:
                join.push(batch)
            _stumble()
            pairs, cut = join.finish()
        yield from batches(pairs, columns)
        if cut:
            yield batch_of([(page, *[None] * (len(columns) - 1)) for page in cut], columns)

    return task


def write_clusters(recipe: Parts, tables: dict[str, list[tuple[str, str]]]) -> Task:
    """Connected pages with their texts and pairs, sorted by number → rows of both tables, each in a column of its own, and pages
    in three more: those that represent clusters, later ones of pairs by bands, those that may miss pairs."""

    def task(rows: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import parquet

        kinds = {name: pa.struct(fields(columns)) for name, columns in tables.items()}
        kinds |= dict.fromkeys(("first", "later", "cut"), pa.int64())

        def alone(name: str, values: Any) -> Any:
            return pa.record_batch([values if n == name else pa.nulls(len(values), kinds[n]) for n in kinds], names=list(kinds))

        with _files.folder() as folder:
            connected, empty = compiled().Connected(recipe, folder), True
            for batch in rows:
                connected.push(batch)
                empty = empty and batch.num_rows == 0
            if empty:
                return
            out = os.path.join(folder, "out")
            numbers = dict(zip(("first", "later", "cut"), connected.write(out), strict=True))
            _stumble()
            for name, columns in tables.items():
                table = parquet.read_table(os.path.join(out, name, "part-000000.parquet"))
                if name == "clusters":
                    # Numbers that differ from those of other tasks, in the same order.
                    at = table.column_names.index("cluster")
                    table = table.set_column(at, "cluster", pa.array(numbers["first"], pa.int64()).take(table.column("cluster")))
                for batch in batches(table, columns):
                    yield alone(name, pa.StructArray.from_arrays(batch.columns, fields=list(batch.schema)))
            for name, of_pages in numbers.items():
                yield alone(name, pa.array(of_pages, pa.int64()))

    return task


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
