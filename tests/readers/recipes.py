"""Runs every recipe of docs/recipes.sql with DuckDB over the views of a folder of results.

Arguments: the file of recipes, a folder of results, names of recipes that may give no rows there. Prints a line a recipe: name and
rows; exits with 1 where one fails, or gives no rows and is not named.
"""

import pathlib
import re
import sys

import duckdb

text = pathlib.Path(sys.argv[1]).read_text()
results = pathlib.Path(sys.argv[2])
empty = set(sys.argv[3:])
recipes = re.findall(r"^-- name: (\S+)\n(.*?;)\s*$", text, re.M | re.S)
assert len({name for name, _ in recipes}) == text.count("-- name: "), "a recipe without end, or two of one name"

connection = duckdb.connect()
connection.execute("SET VARIABLE webmill_results = '" + str(results.resolve()).replace("'", "''") + "'")
connection.execute((results / "webmill.sql").read_text())
failed = False
for name, query in recipes:
    rows = len(connection.execute(query).fetchall())
    print(name, rows, sep="\t")
    if not rows and name not in empty:
        failed = True
        print(name, "gives no rows", file=sys.stderr)
sys.exit(failed)
