"""The recipe as tasks are given it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

from . import _files

Recipe = str | os.PathLike[str] | Mapping[str, Any] | None
# Text and name of the file, and settings that override it as JSON.
Parts = tuple[str | None, str | None, str | None]


def parts_of(recipe: Recipe) -> Parts:
    """A recipe file of any file system, or tables of settings as ``webmill.run`` takes them."""
    if recipe is None:
        return None, None, None
    if isinstance(recipe, Mapping):
        return None, None, json.dumps(recipe)
    name = os.fspath(recipe)
    text = _files.read(name)
    if text is None:
        raise FileNotFoundError(f"no recipe {name}")
    return text.decode(), name, None
