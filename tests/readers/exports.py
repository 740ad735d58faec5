"""Compares what `webmill rules export` wrote with the tables: every value, in order, by readers that know nothing of webmill.

usage: exports.py RESULTS FOLDER SQLITE

FOLDER has TABLE.jsonl and TABLE.csv of every table `rule_RULE_GROUP`, SQLITE all tables of the job `rules`. Prints table, rows
and columns of each; exits with 1 and says where two disagree.
"""

import csv
import json
import pathlib
import sqlite3
import sys

import polars

TYPES = {"Float64": "REAL", "Int64": "INTEGER", "String": "TEXT"}


def of_json(folder, name, columns):
    for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").split("\n")[:-1]:
        row = json.loads(line)
        assert list(row) == [column["name"] for column in columns], line
        yield tuple(row.values())


def of_csv(folder, name, columns):
    read = {"Float64": float, "Int64": int, "String": str}
    with open(folder / f"{name}.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file, strict=True)
        assert next(rows) == [column["name"] for column in columns]
        for row in rows:
            # Nothing and the empty text are written alike.
            yield tuple(read[column["type"]](cell) if cell else None for cell, column in zip(row, columns, strict=True))


def of_sqlite(connection, name, columns):
    declared = [(row[1], row[2]) for row in connection.execute(f'PRAGMA table_info("{name}")')]
    assert [kind for _, kind in declared] == [TYPES[column["type"]] for column in columns], declared
    # Names that differ by their case alone have got numbers.
    assert all(a.startswith(column["name"]) for (a, _), column in zip(declared, columns)), declared
    indexes = [row[1] for row in connection.execute(f'PRAGMA index_list("{name}")')]
    assert indexes == ([f"{name}_by_url"] if any(a == "url" for a, _ in declared) else []), indexes
    return connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')


def compare(what, name, found, expected):
    found = list(found)
    assert len(found) == len(expected), f"{name} as {what}: {len(found)} rows, {len(expected)} in the table"
    for number, (a, b) in enumerate(zip(found, expected)):
        assert a == b, f"{name} as {what}, row {number}: {a} != {b}"


results, folder, file = map(pathlib.Path, sys.argv[1:])
connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
tables = {
    name: table
    for name, table in json.loads((results / "tables.json").read_text(encoding="utf-8"))["tables"].items()
    if table["job"] == "rules"
}
assert {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")} == set(tables)
for name, table in tables.items():
    columns = table["columns"]
    assert table["about"] and all(column["description"] for column in columns), name
    rows = polars.read_parquet([results / path for path in table["files"]]).rows()
    compare("SQLite", name, of_sqlite(connection, name, columns), rows)
    if name.startswith("rule_"):
        compare("JSON lines", name, of_json(folder, name, columns), rows)
        compare("CSV", name, of_csv(folder, name, columns), [tuple(v if v != "" else None for v in row) for row in rows])
    print(name, len(rows), len(columns), sep="\t")
