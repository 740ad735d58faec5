"""webmill for Python: results of crawled corpora as data frames, and what webmill does as functions.

Reading results needs polars alone; what is computed here (captures, texts, fingerprints, ranks) needs the compiled part.

>>> import webmill
>>> callable(webmill.open)
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ._error import Error
from ._results import Page, Results, Table

__all__ = ["Error", "Page", "Results", "Table", "open"]


def open(folder: str | os.PathLike[str], shards: str | os.PathLike[str] | Iterable[Any] | None = None) -> Results:
    """Opens a folder of results that ``webmill run`` wrote.

    ``shards``: files or folders in which the shards lie, for :meth:`Results.html`; by default where they were.
    Raises :class:`Error` for a folder that holds no results.
    """
    return Results(folder, shards)
