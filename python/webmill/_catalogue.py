"""Which files make up the tables of a folder of results: one consistent set of keys."""

from __future__ import annotations

import functools
import json
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._error import Error


# Layout of results that is read here: what `webmill run` writes into webmill.json.
LAYOUT = 3

# Jobs in the order of the data flow. Where two have a table of one name, that of the later is called JOB_TABLE.
_JOBS = (
    *("extract", "graph", "rank", "shape", "dedup", "repeated", "mirrors", "keywords", "rules"),
    *("count-words", "count-backlinks", "count-host-terms", "count-index", "count-grep", "count-visits", "count-sort", "report"),
)


@dataclass(frozen=True)
class TableFiles:
    """A table: the job and key that wrote it, its files (absolute) and its rows."""

    name: str
    job: str
    key: str
    rows: int
    files: tuple[Path, ...]
    columns: tuple[tuple[str, str, bool], ...] = ()
    """Name, type and whether it may be null, of each column."""


@dataclass(frozen=True)
class Catalogue:
    """The tables of a folder of results, by name."""

    results: Path
    tables: dict[str, TableFiles]
    stale: tuple[str, ...] = ()
    """Jobs left out, because they were made from other results than those chosen here, each with the reason."""
    folders: dict[str, Path] = field(default_factory=dict)
    """The folder of each job that is not stale."""


def readable(path: Path) -> str:
    """A file of a table as polars and DuckDB take it: they know no names that are not UTF-8, so that its folder gets a link.

    They check no digests, so its bytes are checked before they read it, unless it is as it was when that was done last.
    Raises :class:`webmill.Error` for a file whose bits were changed.
    """
    about = path.stat()
    _verify(path, about.st_size, about.st_mtime_ns)
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return str(Path(_linked(path.parent).name, "folder", path.name))
    return str(path)


@functools.lru_cache(maxsize=65536)
def _verify(path: Path, size: int, modified_ns: int) -> None:
    # Results can be read without the compiled part, as they are then.
    try:
        from . import _webmill
    except ImportError:
        return
    _webmill.verify_table(path)


@functools.cache
def _linked(folder: Path) -> tempfile.TemporaryDirectory[str]:
    # Tables are read when they are collected: the link stays until the program ends.
    place = tempfile.TemporaryDirectory(prefix="webmill-")
    Path(place.name, "folder").symlink_to(folder)
    return place


def read(results: Path) -> Catalogue:
    """Reads ``tables.json`` where it names what is the latest, else the manifests of the latest results of each job.

    Raises :class:`webmill.Error` for a folder that holds no results, or those of another layout.
    """
    if not results.is_dir():
        raise Error("no such folder", path=str(results))
    marker = results / "webmill.json"
    if not marker.is_file():
        raise Error("no results of webmill (there is no webmill.json): `webmill run SHARDS --out FOLDER` makes them", path=str(results))
    check_layout(_json(marker).get("layout"), str(marker))
    manifests = _latest(results)
    path = results / "tables.json"
    if path.is_file():
        document = _json(path)
        if document.get("format") != 1:
            raise Error(
                f"format {document.get('format')!r} of tables is not known here (1 is); use a newer webmill",
                path=str(path),
            )
        stale = {_job(entry) for entry in document.get("stale", [])}
        keys = {job: entry.get("key") for job, entry in document.get("jobs", {}).items()}
        latest = {job: manifest["key"] for job, (_, manifest) in manifests.items() if job not in stale}
        if all(keys.get(job) == key for job, key in latest.items()):
            return _of_document(results, document)
    if not manifests:
        raise Error("no results of webmill: `webmill run SHARDS --out FOLDER` makes them", path=str(results))
    return _of_manifests(results, manifests)


def check_layout(found: Any, path: str) -> None:
    """Refuses results and tables of another layout than this webmill writes."""
    if found != LAYOUT:
        told = "an unreadable marker" if found is None else f"layout {found}"
        raise Error(f"found {told}, expected layout {LAYOUT}: make them again, or use the webmill that wrote them", path=path)


def _job(entry: Any) -> str:
    return entry.get("job", "") if isinstance(entry, dict) else str(entry).split(":", 1)[0]


def _said(entry: Any) -> str:
    return f"{entry.get('job')}: {entry.get('reason', 'stale')}" if isinstance(entry, dict) else str(entry)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as fault:
        raise Error(f"no JSON: {fault}", path=str(path)) from fault
    if not isinstance(found, dict):
        raise Error("no object of JSON", path=str(path))
    return found


def _inside(results: Path, name: str) -> Path:
    """A path of the catalogue; one that leads out of the folder is refused."""
    if name.startswith("/") or ".." in name.split("/"):
        raise Error(f"{name!r} leads out of the folder", path=str(results / "tables.json"))
    return results / name


def _of_document(results: Path, document: dict[str, Any]) -> Catalogue:
    try:
        tables = {
            name: TableFiles(
                name=name,
                job=table["job"],
                key=table["key"],
                rows=int(table["rows"]),
                files=tuple(_inside(results, file) for file in table["files"]),
                columns=tuple((c["name"], c["type"], bool(c.get("nullable"))) for c in table.get("columns", [])),
            )
            for name, table in document["tables"].items()
        }
        folders = {job: _inside(results, entry["folder"]) for job, entry in document["jobs"].items()}
    except (KeyError, TypeError, AttributeError) as fault:
        raise Error(f"not as webmill writes it: {fault!r}", path=str(results / "tables.json")) from fault
    return Catalogue(results, tables, tuple(_said(entry) for entry in document.get("stale", [])), folders)


def _latest(results: Path) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Folder and manifest of the latest results of each job."""
    found = {}
    for manifest in sorted(results.glob("*/latest/manifest.json")):
        folder = manifest.parent
        content = _json(manifest)
        if "key" in content and "outputs" in content:
            found[str(content.get("job", folder.parent.name))] = (folder, content)
    return found


def _upstream(manifest: dict[str, Any]) -> list[dict[str, str]]:
    return manifest.get("inputs", {}).get("upstream", [])


def _of_manifests(results: Path, manifests: dict[str, tuple[Path, dict[str, Any]]]) -> Catalogue:
    chosen = dict(manifests)
    stale: list[str] = []
    while True:
        bad = {}
        for job, (_, manifest) in chosen.items():
            for upstream in _upstream(manifest):
                other = chosen.get(upstream["job"])
                if other is None and upstream["job"] in manifests:
                    bad[job] = f"{job}: made from {upstream['job']}, which is stale itself"
                elif other is not None and other[1]["key"] != upstream["key"]:
                    bad[job] = f"{job}: made from key {upstream['key']} of {upstream['job']}, the latest is {other[1]['key']}"
        if not bad:
            break
        for job, reason in sorted(bad.items()):
            stale.append(reason)
            del chosen[job]
    tables: dict[str, TableFiles] = {}
    order = {job: number for number, job in enumerate(_JOBS)}
    for job, (folder, manifest) in sorted(chosen.items(), key=lambda entry: (order.get(entry[0], len(order)), entry[0])):
        for table, info in sorted(manifest.get("tables", {}).items()):
            name = f"{job}_{table}" if table in tables else table
            outputs = [output for output in manifest["outputs"] if output.get("table") == table]
            # Empty parts say nothing where another has rows.
            kept = [output for output in outputs if output.get("rows")] or outputs[:1]
            tables[name] = TableFiles(
                name=name,
                job=job,
                key=manifest["key"],
                rows=sum(int(output.get("rows") or 0) for output in outputs),
                files=tuple(folder / output["path"] for output in kept),
                columns=tuple(_column(column) for column in info.get("columns", [])),
            )
    return Catalogue(results, tables, tuple(stale), {job: folder for job, (folder, _) in chosen.items()})


def _column(text: str) -> tuple[str, str, bool]:
    name, _, kind = text.partition(": ")
    return name, kind.removesuffix("?"), kind.endswith("?")
