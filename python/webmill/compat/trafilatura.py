"""``extract`` with the arguments of trafilatura, for programs that call it.

    from webmill.compat.trafilatura import extract

Arguments that mean nothing here are named in a warning and else ignored.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

from .._doing import extract as _extract
from .._error import Error

_FORMS = {
    "txt": "text",
    "markdown": "md",
    "json": "json",
    "xml": "xml",
    "xmltei": "tei",
    "html": None,
    "csv": None,
    "python": "json",
}
# Arguments that mean nothing here, with their defaults.
_IGNORED: dict[str, Any] = {
    "no_fallback": False,
    "fast": False,
    "config": None,
    "options": None,
    "settingsfile": None,
    "date_extraction_params": None,
    "deduplicate": False,
    "max_tree_size": None,
    "tei_validation": False,
    "url_blacklist": None,
    "author_blacklist": None,
    "prune_xpath": None,
    "record_id": None,
    "include_formatting": None,
}


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool | None = None,
    include_links: bool = False,
    deduplicate: bool = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: Any = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """The main text of a page, or ``None`` where there is none, as ``trafilatura.extract`` gives it.

    ``output_format``: ``txt``, ``markdown``, ``json``, ``xml`` or ``xmltei``. ``include_formatting`` asks for Markdown of
    ``txt``; ``with_metadata`` puts the metadata of the page before Markdown; ``only_with_metadata`` gives pages with title,
    date and address alone. JSON has webmill's fields.

    >>> extract("<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do.")
    'The mill grinds slowly but finely, as mills do.'
    """
    given = locals()
    if output_format not in _FORMS:
        raise AttributeError(f"Cannot set format, must be one of: {', '.join(_FORMS)}")
    form = _FORMS[output_format]
    if form is None:
        _warn([f"output_format={output_format!r}: plain text is given"])
        form = "text"
    ignored = [name for name, default in _IGNORED.items() if given[name] != default]
    if include_formatting and form == "text":
        form, ignored = "md", [name for name in ignored if name != "include_formatting"]
    elif "include_formatting" in ignored and not (form == "md" and not include_formatting):
        ignored.remove("include_formatting")  # the other forms always have it
    if with_metadata and form == "text":
        ignored.append("with_metadata")
    _warn(ignored)
    if not isinstance(filecontent, (str, bytes)):
        raise TypeError(f"a page is str or bytes here, not {type(filecontent).__name__}")
    named: dict[str, Any] = {
        "input": "html",
        "focus": "precision" if favor_precision else "recall" if favor_recall else "balanced",
        "tables": include_tables,
        "links": include_links,
        "images": include_images,
        "language": target_language,
    }
    try:
        if only_with_metadata:
            page = _extract(filecontent, url, **named)
            if page is None or not (page.title and page.date and page.url):
                return None
        shown = _extract(
            filecontent, url, format=form, comments=include_comments, front_matter=with_metadata and form == "md", **named
        )
    except Error:
        return None
    if shown is None:
        return None
    if form == "json":
        return json.dumps(shown, ensure_ascii=False) if shown.text else None
    return shown.rstrip("\n") or None


def _warn(names: list[str]) -> None:
    if names:
        warnings.warn(f"webmill ignores these arguments of trafilatura: {', '.join(names)}", stacklevel=3)
