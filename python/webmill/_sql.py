"""SQL over tables of results, answered by DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import polars as pl

from ._catalogue import TableFiles, readable
from ._error import Error

if TYPE_CHECKING:
    import duckdb

# Columns by names that people guess: the column that must be there, and the expression, as RESULTS/webmill.sql has them.
ALIASES = {
    "status": ("fetch_status", "fetch_status"),
    "mime": ("content_mime_detected", "content_mime_detected"),
    "host": ("url_host_name", "url_host_name"),
    "domain": ("url_host_registered_domain", "url_host_registered_domain"),
    "date": ("fetch_time", "CAST(fetch_time AS DATE)"),
    "language": ("content_languages", "SPLIT_PART(content_languages, ',', 1)"),
}
_NARROW = {"TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"}
# Statements that give rows, as DuckDB names their kinds: PIVOT is MULTI.
_WITH_ROWS = {"SELECT", "EXPLAIN", "PRAGMA", "CALL", "MULTI"}
# Types of the catalogue, for tables without a file.
_OF_CATALOGUE = {"String": "VARCHAR", "Binary": "BLOB", "Bool": "BOOLEAN", "Float32": "FLOAT", "Float64": "DOUBLE"}


def answer(query: str, tables: Iterable[TableFiles]) -> pl.DataFrame:
    """What DuckDB answers to a query over these tables: whole numbers have a sign and 64 bits, times are in UTC.

    Raises :class:`webmill.Error` where DuckDB refuses the query or a whole number is beyond them.
    """
    try:
        import duckdb
    except ImportError as fault:
        raise ImportError("SQL is answered by DuckDB, which is not installed: pip install duckdb") from fault
    con = duckdb.connect()
    try:
        # Tables are those of the results, never variables of this program.
        con.execute("SET python_enable_replacements = false")
        con.execute("SET TimeZone = 'UTC'")
        for table in tables:
            con.execute(f"CREATE VIEW {_name(table.name)} AS {_rows(con, table)}")
        # DuckDB 1 has no relation for a statement without rows, DuckDB 2 one that says whether it was done.
        kinds = [statement.type.name for statement in con.extract_statements(query)]
        relation = con.sql(query) if kinds and kinds[-1] in _WITH_ROWS else None
        if relation is None:
            raise Error("the query gives no rows; c.sql takes one that begins with SELECT, WITH or FROM")
        frame = pl.DataFrame(relation)
        wide = [name for name, kind in zip(relation.columns, relation.types) if str(kind) == "HUGEINT"]
    except duckdb.Error as fault:
        raise Error(str(fault)) from fault
    finally:
        con.close()
    return frame.with_columns(_of_64_bits(frame[name]) for name in wide)


def _of_64_bits(numbers: pl.Series) -> pl.Series:
    """Whole numbers of 128 bits, as DuckDB gives sums."""
    cast = numbers.cast(pl.Int64, strict=False)
    if cast.null_count() == numbers.null_count():
        return cast
    raise Error(f"column {numbers.name} has numbers beyond 64 bits: CAST it AS DOUBLE or VARCHAR")


def _rows(con: duckdb.DuckDBPyConnection, table: TableFiles) -> str:
    """The query that reads a table."""
    if table.files:
        source = f"read_parquet([{', '.join(_file(readable(path)) for path in table.files)}])"
        columns = [(name, kind) for name, kind, *_ in con.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        there = [f"{_seen(_name(name), kind)} AS {_name(name)}" for name, kind in columns]
        source = f" FROM {source}"
    else:
        columns = [(name, _kind(kind)) for name, kind, _ in table.columns]
        there = [f"CAST(NULL AS {kind}) AS {_name(name)}" for name, kind in columns]
        source = " WHERE false"
    kinds = dict(columns)
    aliases = (
        f"{expression} AS {alias}" for alias, (of, expression) in ALIASES.items() if of in kinds and alias not in kinds
    )
    return f"SELECT {', '.join(['*', *aliases])} FROM (SELECT {', '.join(there)}{source})"


def _seen(column: str, kind: str) -> str:
    """A column as queries see it."""
    if kind.removesuffix("[]") in _NARROW:
        return f"CAST({column} AS BIGINT{'[]' if kind.endswith('[]') else ''})"
    return column


def _kind(kind: str) -> str:
    if kind.startswith("List("):
        return _kind(kind[5:-1]) + "[]"
    if "Int" in kind:
        return "BIGINT"
    return "TIMESTAMPTZ" if kind.startswith("Timestamp") else _OF_CATALOGUE.get(kind, "VARCHAR")


def _name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _file(path: str) -> str:
    """A file as DuckDB takes it: this one, and no pattern of names."""
    exact = "".join(f"[{c}]" if c in "[]*?" else c for c in path)
    return "'" + exact.replace("'", "''") + "'"
