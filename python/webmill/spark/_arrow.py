"""Between the compiled part and Spark: rows of Arrow, in types that Spark has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

# Types of the columns of tables, and what Spark calls them: it has no numbers without a sign, so that they get a wider one.
_TYPES = {
    "Bool": "boolean", "UInt8": "smallint", "Int16": "smallint", "Int32": "int", "UInt32": "bigint",
    "Int64": "bigint", "Float32": "float", "Float64": "double", "String": "string", "Binary": "binary",
    "Timestamp(ms, UTC)": "timestamp",
}  # fmt: skip


def compiled() -> Any:
    """The compiled part, as tasks use it: a task has one core."""
    os.environ.setdefault("RAYON_NUM_THREADS", "1")
    from webmill import _doing, _webmill

    # It says how documents that are no HTML are read: in children.
    assert _doing.__name__
    return _webmill


def spark_type(kind: str) -> str:
    """The type of Spark for one of ``webmill schema``."""
    if kind.startswith("List("):
        return f"array<{_TYPES[kind[5:-1]]}>"
    return _TYPES[kind]


def schema_of(table: str) -> list[tuple[str, str]]:
    """Names and types of Spark of the columns of a table."""
    import json

    return [(name, spark_type(kind)) for name, kind in json.loads(compiled().table_columns(table))]


def ddl(columns: Iterable[tuple[str, str]]) -> str:
    """Columns as Spark's schemas write them."""
    return ", ".join(f"`{name}` {kind}" for name, kind in columns)


def arrow_type(kind: str) -> Any:
    """The type of Arrow that Spark's type has on its way to and from tasks."""
    import pyarrow as pa

    if kind.startswith("array<"):
        return pa.list_(arrow_type(kind[6:-1]))
    plain = {
        "boolean": pa.bool_(), "smallint": pa.int16(), "int": pa.int32(), "bigint": pa.int64(), "float": pa.float32(),
        "double": pa.float64(), "string": pa.string(), "binary": pa.binary(), "timestamp": pa.timestamp("us", tz="UTC"),
    }  # fmt: skip
    return plain[kind]


def fields(columns: Iterable[tuple[str, str]]) -> list[Any]:
    """Columns as fields of Arrow."""
    import pyarrow as pa

    return [pa.field(name, arrow_type(kind)) for name, kind in columns]


def batches(table: Any, columns: Iterable[tuple[str, str]]) -> Iterator[Any]:
    """A table of the compiled part or of pyarrow as batches of exactly these columns."""
    import pyarrow as pa

    table = table if isinstance(table, pa.Table) else pa.table(table)
    schema = pa.schema(fields(columns))
    arrays = [_cast(table.column(field.name), field.type) for field in schema]
    for batch in pa.table(arrays, schema=schema).to_batches(max_chunksize=10_000):
        if batch.num_rows:
            yield batch


def _cast(column: Any, kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_list(kind) and not pa.types.is_list(column.type):
        column = column.cast(pa.large_list(column.type.value_type))
    return column.cast(kind)


def batch_of(rows: list[tuple[Any, ...]], columns: Iterable[tuple[str, str]]) -> Any:
    """Rows as one batch of these columns."""
    import pyarrow as pa

    columns = list(columns)
    values = list(zip(*rows, strict=True)) if rows else [[] for _ in columns]
    arrays = [pa.array(list(one), arrow_type(kind)) for one, (_, kind) in zip(values, columns, strict=True)]
    return pa.record_batch(arrays, names=[name for name, _ in columns])
