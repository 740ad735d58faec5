"""Files of any file system: what tasks read and write lies in a folder of this machine while they work on it."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

# Names that Hadoop and pyarrow have for the same stores.
_SCHEMES = {"s3a": "s3", "s3n": "s3", "wasbs": "abfs", "wasb": "abfs"}
# The remote shard that this process read last: (URI, folder of its copy). Splits of a shard come one after the other.
_held: list[tuple[str, str]] = []


def local(uri: str) -> str | None:
    """The path of a file of this machine; ``None`` for one that lies elsewhere."""
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return unquote(parts.path)
    return None if "://" in uri else uri


def join(uri: str, *names: str) -> str:
    """A path below another."""
    return "/".join([uri.rstrip("/"), *names])


def system(uri: str) -> tuple[Any, str]:
    """The file system of pyarrow that knows a URI, and the path there."""
    from pyarrow import fs

    path = local(uri)
    if path is not None:
        return fs.LocalFileSystem(), os.path.abspath(path)
    scheme, rest = uri.split("://", 1)
    return fs.FileSystem.from_uri(f"{_SCHEMES.get(scheme, scheme)}://{rest}")


@contextmanager
def folder(near: str | None = None) -> Iterator[str]:
    """A folder of this machine for a while; in ``near``, where that is of this machine."""
    place = near and local(near)
    if place is None:
        # Spark's own disks, which are large.
        place = os.environ.get("SPARK_LOCAL_DIRS", os.environ.get("LOCAL_DIRS", "")).split(",")[0] or tempfile.gettempdir()
    os.makedirs(place, exist_ok=True)
    made = tempfile.mkdtemp(prefix="webmill-", dir=place)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def fetch(uri: str, into: str) -> None:
    """Puts a file at a path of this machine: a link to one that is there already."""
    os.makedirs(os.path.dirname(into), exist_ok=True)
    path = local(uri)
    if path is not None:
        os.symlink(os.path.abspath(path), into)
        return
    store, path = system(uri)
    with store.open_input_stream(path) as source, open(into, "wb") as target:
        shutil.copyfileobj(source, target, 4 << 20)


def shard(uri: str) -> str:
    """The path of a shard on this machine: its own, or that of a copy."""
    path = local(uri)
    if path is not None:
        return path
    if not _held or _held[0][0] != uri:
        while _held:
            shutil.rmtree(_held.pop()[1], ignore_errors=True)
        place = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or tempfile.gettempdir()
        made = tempfile.mkdtemp(prefix="webmill-shard-", dir=place)
        fetch(uri, os.path.join(made, "shard"))
        _held.append((uri, made))
    return os.path.join(_held[0][1], "shard")


def put(path: str, uri: str) -> None:
    """Moves a file of this machine to its place, where it is whole or not at all. Whoever comes later wins: all bring the same."""
    target = local(uri)
    if target is not None:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        aside = os.path.join(os.path.dirname(target), f".{os.path.basename(target)}.{uuid.uuid4().hex}")
        shutil.move(path, aside)
        os.replace(aside, target)
        return
    store, target = system(uri)
    parent, name = target.rsplit("/", 1)
    store.create_dir(parent)
    # An object appears when its stream is closed; of other systems the file is renamed.
    aside = target if uri.startswith("s3") else f"{parent}/.{name}.{uuid.uuid4().hex}"
    with open(path, "rb") as source, store.open_output_stream(aside) as sink:
        shutil.copyfileobj(source, sink, 4 << 20)
    if aside != target:
        store.move(aside, target)


def put_folder(path: str, uri: str) -> None:
    """Moves all files below a folder of this machine to places below another; nothing to do where these are the same."""
    if local(uri) is not None and os.path.abspath(local(uri) or "") == os.path.abspath(path):
        return
    for found in sorted(Path(path).rglob("*")):
        if found.is_file():
            put(str(found), join(uri, found.relative_to(path).as_posix()))


def write(uri: str, content: bytes) -> None:
    """Writes a small file."""
    with folder() as made:
        path = os.path.join(made, "file")
        Path(path).write_bytes(content)
        put(path, uri)


def read(uri: str) -> bytes | None:
    """Reads a small file; ``None`` where there is none."""
    from pyarrow import fs

    store, path = system(uri)
    if store.get_file_info(path).type != fs.FileType.File:
        return None
    with store.open_input_stream(path) as source:
        return source.read()


def remove(uri: str) -> None:
    """Removes a folder with all that is in it, where there is one."""
    from pyarrow import fs

    store, path = system(uri)
    if store.get_file_info(path).type == fs.FileType.Directory:
        store.delete_dir(path)


def is_empty(uri: str) -> bool:
    """Whether a folder has nothing in it, or does not exist."""
    from pyarrow import fs

    store, path = system(uri)
    if store.get_file_info(path).type == fs.FileType.NotFound:
        return True
    return not store.get_file_info(fs.FileSelector(path))


def files_below(uri: str) -> list[tuple[str, int]]:
    """Files of a folder elsewhere, or the one file: URI and bytes, by path; hidden ones are left out."""
    from pyarrow import fs

    store, path = system(uri)
    about = store.get_file_info(path)
    if about.type == fs.FileType.File:
        return [(uri, about.size)]
    found = store.get_file_info(fs.FileSelector(path, recursive=True))
    below = [(one.path[len(path) :].lstrip("/"), one) for one in found if one.type == fs.FileType.File]
    shown = [(name, one) for name, one in below if not any(part.startswith(".") for part in name.split("/"))]
    return [(join(uri, name), one.size) for name, one in sorted(shown)]


def start_of(uri: str, count: int) -> bytes:
    """The first bytes of a file."""
    store, path = system(uri)
    with store.open_input_stream(path) as source:
        return source.read(count)


def files_at(path: str) -> bool:
    """Whether a folder of this machine has files."""
    return os.path.isdir(path) and any(True for _ in os.scandir(path))
