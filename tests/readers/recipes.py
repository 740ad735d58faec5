"""Runs every recipe of docs/recipes.sql with DuckDB over the views of a folder of results, and with `webmill query`.

usage: recipes.py WEBMILL RECIPES RESULTS [NAME…]: names of recipes that may give no rows there. Prints a line a recipe: name and
rows; exits with 1 where one fails, gives no rows and is not named, or where the two differ in columns, rows or their order.
"""

import datetime
import decimal
import json
import math
import pathlib
import re
import subprocess
import sys

import duckdb

webmill, file, results = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
empty = set(sys.argv[4:])
text = pathlib.Path(file).read_text()
recipes = re.findall(r"^-- name: (\S+)\n(.*?;)\s*$", text, re.M | re.S)
assert len({name for name, _ in recipes}) == text.count("-- name: "), "a recipe without end, or two of one name"


def plain(value):
    """A value of DuckDB as `webmill query --format json` writes it."""
    if isinstance(value, datetime.datetime):
        value = value.replace(tzinfo=None)
        return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds") + "Z"
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value)
    return value


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b


connection = duckdb.connect()
connection.execute("SET TimeZone = 'UTC'")
connection.execute("SET VARIABLE webmill_results = '" + str(results.resolve()).replace("'", "''") + "'")
connection.execute((results / "webmill.sql").read_text())
failed = False
for name, query in recipes:
    answer = connection.execute(query)
    columns = [column[0] for column in answer.description]
    theirs = [[plain(value) for value in row] for row in answer.fetchall()]
    asked = [webmill, "query", results, "--file", file, "--name", name, "--format", "json"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    if said.returncode:
        failed = True
        print(name, "webmill query:", said.stderr, file=sys.stderr)
        continue
    ours = [json.loads(line) for line in said.stdout.splitlines()]
    print(name, len(theirs), sep="\t")
    if not theirs and name not in empty:
        failed = True
        print(name, "gives no rows", file=sys.stderr)
    if len(ours) != len(theirs):
        failed = True
        print(name, f"{len(ours)} rows, DuckDB has {len(theirs)}", file=sys.stderr)
    for number, (mine, other) in enumerate(zip(ours, theirs)):
        if list(mine) != columns or not all(map(same, mine.values(), other)):
            failed = True
            print(name, f"row {number}: {mine}, DuckDB has {dict(zip(columns, other))}", file=sys.stderr)
            break
sys.exit(failed)
