"""Results as data frames: reading what ``webmill run`` wrote. Pure Python over polars."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from ._catalogue import Catalogue, TableFiles, read, readable
from ._error import Error
from ._page import Page, page

if TYPE_CHECKING:
    import pandas
    import pyarrow

    from ._webmill import Capture

# Tables with at most one row per capture, which can be joined to texts.
_BY_CAPTURE = ("pages", "keywords", "signals", "clusters")
_PLACE = ["warc_filename", "warc_record_offset"]
# Rows of a table that notebooks show.
_SHOWN = 10
_TYPES: dict[str, Any] = {
    "String": pl.String, "Binary": pl.Binary, "Bool": pl.Boolean, "Boolean": pl.Boolean,
    "Int8": pl.Int8, "Int16": pl.Int16, "Int32": pl.Int32, "Int64": pl.Int64,
    "UInt8": pl.UInt8, "UInt16": pl.UInt16, "UInt32": pl.UInt32,
    "Float32": pl.Float32, "Float64": pl.Float64, "Date": pl.Date,
    "TimestampMs": pl.Datetime("ms", "UTC"), "Timestamp": pl.Datetime("ms", "UTC"),
}  # fmt: skip


class Table(pl.LazyFrame):
    """A table, or what was made of one: a polars ``LazyFrame`` that also knows its way to pyarrow and pandas."""

    def arrow(self) -> pyarrow.Table:
        """Collects it as a table of pyarrow, without copying."""
        return self.collect().to_arrow()

    def pandas(self) -> pandas.DataFrame:
        """Collects it as a data frame of pandas."""
        return self.collect().to_pandas()

    def _repr_html_(self) -> str:
        frame = self.head(_SHOWN + 1).collect()
        if frame.height <= _SHOWN:
            return frame._repr_html_()
        return f"{frame.head(_SHOWN)._repr_html_()}<small>the first {_SHOWN} rows; collect() has all</small>"


class Texts(Table):
    """Table ``texts``. Called, it gives one row per URL, joined with columns of other tables: see :meth:`Results.texts_of`."""

    _results: Results | None = None

    def __call__(self, *, current: bool = True, join: str | Sequence[str] = ()) -> Table:
        """One row per URL if ``current``, joined with the tables ``join``; see :meth:`Results.texts_of`."""
        if self._results is None:
            raise TypeError("what was made of table texts cannot be called; call results.texts(...) and go on from there")
        return self._results.texts_of(current=current, join=join)


def _as(kind: type[Table], frame: pl.LazyFrame) -> Any:
    table = kind.__new__(kind)
    table._ldf = frame._ldf
    return table


class Results:
    """The results in a folder: each table is an attribute.

    ``shards``: where the shards lie (files or folders) for :meth:`html`; by default where they were when the results
    were made, else beside the folder.
    """

    def __init__(self, folder: str | os.PathLike[str], shards: str | os.PathLike[str] | Iterable[Any] | None = None) -> None:
        self.folder = Path(folder).absolute()
        self._given = os.fspath(folder)
        self._catalogue: Catalogue = read(self.folder)
        self._shards = _listed(shards)
        self._found: dict[str, Path] | None = None
        for reason in self._catalogue.stale:
            warnings.warn(f"{self.folder}: left out {reason}", stacklevel=3)

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        return sorted(self._catalogue.tables)

    @property
    def stale(self) -> tuple[str, ...]:
        """Jobs whose latest results are left out, because they were made from others than the latest; with the reasons."""
        return self._catalogue.stale

    def files(self, name: str) -> TableFiles:
        """Job, key, rows and files of a table."""
        found = self._catalogue.tables.get(name)
        if found is None:
            raise Error(f"no table is called {name}; there are {', '.join(self.tables)}", path=str(self.folder))
        return found

    def table(self, name: str) -> Table:
        """A table by its name."""
        files = self.files(name)
        if files.files:
            frame = pl.scan_parquet([readable(path) for path in files.files], glob=False)
        else:
            frame = pl.LazyFrame(schema={column: _type(kind) for column, kind, _ in files.columns})
        return _as(Table, frame)

    @property
    def texts(self) -> Texts:
        """Table ``texts``; called, one row per URL: ``c.texts(join=["ranks", "hosts"])``."""
        texts: Texts = _as(Texts, self.table("texts"))
        texts._results = self
        return texts

    def __getattr__(self, name: str) -> Table:
        # Only names that are no attributes come here.
        catalogue = self.__dict__.get("_catalogue")
        if name.startswith("_") or catalogue is None or name not in catalogue.tables:
            known = ", ".join(self.tables) if catalogue else "none"
            raise AttributeError(f"no table is called {name}; there are {known}")
        return self.table(name)

    def __getitem__(self, name: str) -> Table:
        return self.table(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.tables]

    def __repr__(self) -> str:
        rows = (f"  {name:<18} {self.files(name).rows:>12,} rows" for name in self.tables)
        folder = os.fsencode(self._given).decode(errors="replace")
        return "\n".join([f"results in {folder}:", *rows])

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{escape(name)}</td><td style='text-align:right'>{self.files(name).rows:,}</td>"
            f"<td>{escape(self.files(name).job)}</td></tr>"
            for name in self.tables
        )
        return f"<table><thead><tr><th>table</th><th>rows</th><th>job</th></tr></thead><tbody>{rows}</tbody></table>"

    def arrow(self, name: str) -> pyarrow.Table:
        """A table as pyarrow has it."""
        return self.table(name).arrow()

    def pandas(self, name: str) -> pandas.DataFrame:
        """A table as pandas has it."""
        return self.table(name).pandas()

    def sql(self, query: str) -> pl.DataFrame:
        """Answers a query in DuckDB's SQL over all tables by their names.

        Whole numbers have 64 bits, times are in UTC, as ``webmill query`` has them. Columns have short
        names too where a table has no other of that name: ``status``, ``mime``, ``domain``, ``host``, ``date``,
        ``language``. Needs DuckDB: ``pip install duckdb``.
        """
        from ._sql import answer

        return answer(query, map(self.files, self.tables))

    def texts_of(self, *, current: bool = True, join: str | Sequence[str] = ()) -> Table:
        """Texts with columns of other tables about their pages; one row per URL if ``current``.

        ``current``: only the capture of a URL that counts; else all captures. ``join``: tables whose columns are added,
        of ``pages``, ``ranks``, ``nodes``, ``keywords``, ``signals``, ``clusters`` and ``hosts``; rows are never multiplied, and what a
        table does not know is null. A column that is there already gets the table's name behind it: ``url_host_name_pages``.
        """
        texts: pl.LazyFrame = self.table("texts")
        columns = texts.collect_schema().names()
        pages = self.table("pages").select("url", *_PLACE, "is_current", "url_host_name")
        if current:
            if "is_current" in columns:
                texts = texts.filter("is_current")
            else:
                texts = texts.join(pages.filter("is_current").select("url", *_PLACE), on=["url", *_PLACE], how="semi")
        for name in [join] if isinstance(join, str) else join:
            texts = self._joined(texts, name, pages)
        return _as(Table, texts)

    def filter(self, by: str | Sequence[str] = (), where: str | Sequence[str] = (), *, explain: bool = False) -> Table:
        """The current texts that stay by filters and conditions, with the columns of table ``signals``, as ``webmill filter`` decides.

        ``by``: names of filters (``gopher``, ``c4``, ``fineweb``, …) or files of rules; ``where``: conditions on columns of ``texts`` and
        ``signals``. With ``explain`` all texts, with columns ``filter`` and ``rule`` of the rule by which they go, null of those that stay. Texts stand
        as they are: the lines that C4 leaves out are left out by the command alone, and a division by 0 is infinite here and unknown there.
        """
        import json

        from . import _webmill

        rules: list[tuple[str, str, pl.Expr]] = []
        for name in [by] if isinstance(by, str) else by:
            for given, text in _webmill.filter_rules(os.fspath(name)):
                for rule in json.loads(text)["rules"]:
                    goes = pl.sql_expr(rule["drop"]) if rule["drop"] else ~pl.sql_expr(rule["keep"]).fill_null(False)
                    rules.append((given, rule["name"], goes & pl.sql_expr(rule["when"]) if rule["when"] else goes))
        for condition in [where] if isinstance(where, str) else where:
            rules.append(("where", condition, ~pl.sql_expr(condition).fill_null(False)))
        texts: pl.LazyFrame = self.texts_of()
        known = texts.collect_schema().names()
        if any(name not in known for *_, goes in rules for name in goes.meta.root_names()):
            texts = self.texts_of(join="signals").drop("^.*_signals$")
        first = pl.coalesce([pl.when(goes).then(pl.lit(at)) for at, (*_, goes) in enumerate(rules)] or [pl.lit(None)])
        # Numbers are as wide as in the command: a difference of columns without a sign can be below 0.
        asked = {name for *_, goes in rules for name in goes.meta.root_names()}
        wide = texts.with_columns(cs.numeric().cast(pl.Float64)).select(*asked) if asked else texts
        judged = pl.concat([texts, wide.select(_goes=first.cast(pl.Int64))], how="horizontal") if asked else texts.with_columns(_goes=first.cast(pl.Int64))
        if not explain:
            return _as(Table, judged.filter(pl.col("_goes").is_null()).drop("_goes"))
        named = [pl.Series(name, [rule[at] for rule in rules], pl.String) for at, name in enumerate(("filter", "rule"))]
        table = pl.LazyFrame([pl.Series("_goes", range(len(rules)), pl.Int64), *named])
        return _as(Table, judged.join(table, on="_goes", how="left", maintain_order="left").drop("_goes"))

    def _joined(self, left: pl.LazyFrame, name: str, pages: pl.LazyFrame) -> pl.LazyFrame:
        there = left.collect_schema().names()
        if name == "hosts":
            host = next((c for c in ("url_host_name", "host") if c in there), None)
            if host is None:
                # The host of each capture, from table pages.
                left = left.join(
                    pages.select("url", *_PLACE, "url_host_name"), on=["url", *_PLACE], how="left", validate="m:1",
                    maintain_order="left",
                )  # fmt: skip
                host = "url_host_name"
            right = self.table("hosts")
            return left.join(
                right, left_on=host, right_on="url_host_name", how="left", suffix="_hosts", validate="m:1",
                maintain_order="left",
            )  # fmt: skip
        right = self.table(name)
        columns = right.collect_schema().names()
        if name in ("ranks", "nodes"):
            right, on = right.filter(pl.col("level") == "page").drop("level"), ["url"]
        elif name in _BY_CAPTURE and all(c in columns for c in ["url", *_PLACE]):
            on = ["url", *_PLACE]
        else:
            raise Error(f"table {name} has no row a page: join pages, ranks, nodes, keywords, signals, clusters or hosts")
        return left.join(right, on=on, how="left", suffix=f"_{name}", validate="m:1", maintain_order="left")

    # Looking up a page.

    def captures_of(self, url: str) -> pl.DataFrame:
        """The captures of a URL, the oldest first: rows of table ``pages``."""
        found = self.table("pages").filter(pl.col("url") == url).collect()
        if found.is_empty() and "#" in url:
            return self.captures_of(url.split("#", 1)[0])
        return found.sort("fetch_time", *_PLACE)

    def capture(self, url: str, *, index: int | None = None) -> Capture:
        """The stored capture of a URL: the current one, or number ``index`` of :meth:`captures_of`.

        Raises :class:`webmill.Error` where the URL has none or its shard is not found.
        """
        rows = self.captures_of(url)
        stored = rows.filter(pl.col("warc_record_offset") >= 0) if rows.height else rows
        if not stored.height:
            raise Error(f"{url}: no capture of it is stored", path=str(self.folder))
        if index is not None:
            row = rows.row(index, named=True)
        else:
            ordered = stored.sort(pl.col("is_current").fill_null(False), "fetch_time")
            row = ordered.row(-1, named=True)
        from . import read_capture

        return read_capture(self._shard(row["warc_filename"]), row["warc_record_offset"])

    def html(self, url: str, *, index: int | None = None) -> bytes:
        """The body of the current capture of a URL as the server sent it, transfer and content codings undone.

        ``index``: that of number ``index`` of :meth:`captures_of` instead.
        """
        return self.capture(url, index=index).body

    def _shard(self, name: str) -> Path:
        if self._found is None:
            self._found = self._find_shards()
        # Tables name a shard by the end of its path that tells it from the others.
        found = self._found.get(name) or self._by_end(name)
        # Of an archive inside of a WACZ the name goes on behind that of the file.
        for file in PurePosixPath(name).parents:
            wacz = self._found.get(str(file)) or self._found.get(file.name)
            if wacz is not None and wacz.is_file():
                return wacz / PurePosixPath(name).relative_to(file)
        if found is None or not found.is_file():
            raise Error(
                f"the shard {name} is not found; say where: webmill.open({str(self.folder)!r}, shards=FOLDER)", path=name
            )
        return found

    def _by_end(self, name: str) -> Path | None:
        files = sorted(set(self._found.values())) if self._found else []
        named = [file for file in files if file.as_posix().endswith("/" + name)]
        named = named or [file for file in files if file.name == name.rsplit("/", 1)[-1]]
        if len(named) > 1:
            raise Error(
                f"{len(named)} shards may be {name}, such as {named[0]} and {named[1]}; say which: "
                f"webmill.open({str(self.folder)!r}, shards=FOLDER)",
                path=name,
            )
        return named[0] if named else None

    def _find_shards(self) -> dict[str, Path]:
        found: dict[str, Path] = {}
        places = list(self._shards)
        if not places:
            folder = self._catalogue.folders.get("extract")
            if folder is not None and (folder / "run.json").is_file():
                inputs = json.loads((folder / "run.json").read_text(encoding="utf-8")).get("inputs", [])
                places = [Path(place) for place in inputs]
            # Results that were moved together with their crawl.
            places += [self.folder.parent / "crawl" / "shards", self.folder / "shards"]
        for place in places:
            if place.is_dir():
                for file in sorted(place.rglob("*")):
                    if file.is_file():
                        found.setdefault(file.relative_to(place).as_posix(), file)
            elif place.is_file():
                found.setdefault(str(place), place)
        return found

    def show(self, url: str, *, links: int = 20) -> Page:
        """All that is known of a page; ``links``: most links shown of either direction.

        Raises :class:`webmill.Error` where no table knows the URL.
        """
        return page(self, url, links)


def _type(kind: str) -> Any:
    if kind.startswith("List"):
        return pl.List(_type(kind[5:-1]))
    return _TYPES.get(kind, pl.String)


def _listed(shards: Any) -> list[Path]:
    if shards is None:
        return []
    if isinstance(shards, (str, os.PathLike)):
        shards = [shards]
    return [Path(shard).absolute() for shard in shards]
