"""webmill for Python: archives of web pages as data frames.

:func:`run` mills archives into a folder of results: files, folders and globs of WARC, ARC, WACZ and RAW DB, or their URLs.
:func:`open` opens the results again, and needs only polars.

>>> import webmill
>>> c = webmill.run("pages.warc.gz", "results")  # also "pages.wacz", "crawl/*.warc.gz", "https://…/pages.warc.gz"
>>> c = webmill.open("results")
>>> c.texts(join=["ranks"]).select("url", "title", "text", "pagerank").collect().height
2

What stands in it: ``c.tables``, ``c.pages``, ``c.sql("SELECT …")``, ``c.show(url)``. Single pages and files need no results:

>>> [capture.url for capture in webmill.captures("pages.warc.gz")]
['http://mill.example/', 'http://mill.example/flour']
>>> webmill.extract("<p>The mill grinds slowly but finely.").text
'The mill grinds slowly but finely.'
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._error import ArgumentError, Error

__version__: str

if TYPE_CHECKING:
    from ._doing import (
        ArrowTable,
        Capture,
        Captures,
        Classifier,
        Document,
        Graph,
        RawDbWriter,
        captures,
        convert_graph,
        extract,
        extract_batch,
        hits,
        minhash,
        near_duplicates,
        pagerank,
        read_capture,
        run,
        simhash,
        topics,
        train,
    )
    from ._page import Page
    from ._results import Results, Table

__all__ = [
    "ArgumentError", "ArrowTable", "Capture", "Captures", "Classifier", "Document", "Error", "Graph", "Page", "RawDbWriter", "Results", "Table",
    "captures", "convert_graph", "extract", "extract_batch", "hits", "minhash", "near_duplicates", "open", "pagerank", "read_capture",
    "run", "simhash", "topics", "train",
]  # fmt: skip


def open(folder: str | os.PathLike[str], shards: str | os.PathLike[str] | Iterable[Any] | None = None) -> Results:
    """Opens a folder of results that :func:`run` or ``webmill run`` wrote.

    ``shards``: files or folders in which the shards lie, for :meth:`Results.html`; by default where they were.
    Raises :class:`Error` for a folder that holds no results.
    """
    from ._results import Results

    if "://" in str(folder) or os.path.isfile(folder):
        raise Error("an archive is no folder of results: webmill.run(archive, folder) makes them", path=str(folder))
    return Results(folder, shards)


def __getattr__(name: str) -> Any:
    # Results can be read where there is no compiled part, and tasks of a cluster need no polars: what needs either is looked up when
    # it is asked for.
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("webmill")
        except PackageNotFoundError:  # in a checkout
            from . import _webmill

            return _webmill.__version__
    if name.startswith("_") or name not in __all__:
        raise AttributeError(f"module 'webmill' has no attribute {name!r}")
    if name in ("Page", "Results", "Table"):
        from . import _page, _results

        return getattr(_page if name == "Page" else _results, name)
    try:
        from . import _doing
    except ImportError as fault:
        raise ImportError(f"webmill.{name} needs the compiled part of webmill, which is not installed: {fault}") from fault
    return getattr(_doing, name)


def __dir__() -> list[str]:
    return sorted(__all__)
