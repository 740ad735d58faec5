"""Opens every table of a folder of results with pandas, pyarrow, polars and DuckDB, by default arguments.

Each file by itself, each table as its folder, by patterns over the results, and as a view of webmill.sql, from another working
directory; every value that one of them gives is that of the others. Prints a line a table: job, table, rows, and the columns that Arrow declares never null; exits with 1 where a reader
fails, or where two readers or a reader and tables.json disagree.
"""

import datetime
import glob
import json
import math
import os
import pathlib
import sys

import duckdb
import pandas
import polars
import pyarrow.dataset
import pyarrow.parquet

results = pathlib.Path(sys.argv[1]).resolve()
os.chdir("/")
catalogue = json.loads((results / "tables.json").read_text())
failed = []


def rows_by(readers, expected, what):
    """Calls each reader; whatever one says, or a number of rows that is not the expected one, is a failure."""
    for name, read in readers.items():
        try:
            found = read()
        except Exception as error:  # noqa: BLE001: whatever a reader says is what the test is about
            failed.append(f"{what}: {name}: {type(error).__name__}: {error}")
            continue
        if found != expected:
            failed.append(f"{what}: {name}: {found} rows, not {expected}")


def plain(value):
    """A value as Python has it: what readers call missing is None, and numbers are compared as numbers."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if value is None or value is pandas.NaT or value is pandas.NA or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, datetime.datetime):
        return round(value.timestamp() * 1000)
    return value


def same_values(file):
    """Compares every value of a file as the readers have it, column by column."""
    expected = pyarrow.parquet.read_table(file).to_pydict()
    frame, table = pandas.read_parquet(file), polars.read_parquet(file)
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for column, values in expected.items():
        values = [plain(value) for value in values]
        name = '"' + column.replace('"', '""') + '"'
        readers = {
            "pandas": lambda: list(frame[column]),
            "polars": lambda: table[column].to_list(),
            "duckdb": lambda: [row[0] for row in connection.execute(f"select {name} from read_parquet({quoted(file)})").fetchall()],
        }
        for reader, read in readers.items():
            for row, (found, value) in enumerate(zip(map(plain, read()), values, strict=True)):
                if found != value:
                    failed.append(f"{file}: {column}, row {row}: {reader} says {found!r}, pyarrow {value!r}")
                    break


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def rows_of(where):
    """Rows of what DuckDB finds there, all columns of them read."""
    return duckdb.sql(f"select * from read_parquet({where})").df().shape[0]


def patterns(job, table):
    """Patterns that people write, each of which must find every row once."""
    return [f"*/*/{table}/*.parquet", f"*/latest/{table}/*.parquet", f"{job}/*/{table}/*.parquet"]


for name, table in catalogue["tables"].items():
    files = [results / file for file in table["files"]]
    sizes = [pyarrow.parquet.read_metadata(file).num_rows for file in files]
    for file, rows in zip(files, sizes):
        readers = {
            "pyarrow": lambda: len(pyarrow.parquet.read_table(file).to_pandas()),
            "pandas": lambda: len(pandas.read_parquet(file)),
            "polars": lambda: polars.read_parquet(file).height,
            "duckdb": lambda: rows_of(quoted(file)),
        }
        rows_by(readers, rows, file)
        same_values(file)
    if sum(sizes) != table["rows"]:
        failed.append(f"{name}: {sum(sizes)} rows, tables.json says {table['rows']}")
    if sum(file.stat().st_size for file in files) != table["bytes"]:
        failed.append(f"{name}: tables.json says {table['bytes']} bytes")
    schema = pyarrow.parquet.read_schema(files[0])
    if schema.names != [column["name"] for column in table["columns"]]:
        failed.append(f"{name}: columns {schema.names}")
    nullable = {column["name"]: column["nullable"] for column in table["columns"]}
    if nullable != {field.name: field.nullable for field in schema}:
        failed.append(f"{name}: other columns are nullable than tables.json says")
    views = [field.name for field in schema if "view" in str(field.type)]
    if views:
        failed.append(f"{name}: view types: {views}")
    footer = pyarrow.parquet.read_metadata(files[0]).metadata
    sorted_by = footer.get(b"webmill.sorted_by", b"").decode().split(",")
    if [column for column in sorted_by if column] != table["sorted_by"]:
        failed.append(f"{name}: sorted by {sorted_by}")
    folder = files[0].parent
    if folder.name == name:
        latest = results / table["job"] / "latest" / name
        for place in (folder, latest):
            readers = {
                "pyarrow": lambda: len(pyarrow.parquet.read_table(place)),
                "pyarrow.dataset": lambda: pyarrow.dataset.dataset(place).to_table().num_rows,
                "pandas": lambda: len(pandas.read_parquet(place)),
                "polars": lambda: polars.read_parquet(place).height,
                "duckdb": lambda: rows_of(quoted(f"{place}/*.parquet")),
            }
            rows_by(readers, table["rows"], place)
        for pattern in patterns(table["job"], name):
            path = f"{results}/{pattern}"
            readers = {
                "duckdb": lambda: rows_of(quoted(path)),
                "polars": lambda: polars.read_parquet(path).height,
                "polars.scan": lambda: polars.scan_parquet(path).collect().height,
                "glob": lambda: sum(pyarrow.parquet.read_metadata(file).num_rows for file in glob.glob(path)),
                "pathlib": lambda: sum(
                    pyarrow.parquet.read_metadata(file).num_rows for file in results.glob(pattern)
                ),
            }
            rows_by(readers, table["rows"], path)
    never_null = [field.name for field in schema if not field.nullable]
    print(table["job"], name, table["rows"], ",".join(never_null), sep="\t")

connection = duckdb.connect()
connection.execute(f"SET VARIABLE webmill_results = {quoted(results)}")
connection.execute((results / "webmill.sql").read_text())
views = dict(connection.execute("select view_name, comment from duckdb_views() where not internal").fetchall())
if views.keys() != catalogue["tables"].keys():
    failed.append(f"views {sorted(views)}")
for name, table in catalogue["tables"].items():
    found = connection.execute(f'select * from "{name}"').df()
    columns, own = list(found.columns), [column["name"] for column in table["columns"]]
    short = ["status", "mime", "host", "domain", "date", "language"]
    if len(found) != table["rows"] or columns[: len(own)] != own or not set(columns[len(own) :]) <= set(short):
        failed.append(f"view {name}: {found.shape}")
    if table["key"] not in views.get(name, ""):
        failed.append(f"view {name}: comment {views.get(name)}")
# In the folder itself nothing has to be said.
os.chdir(results)
here = duckdb.connect()
here.execute(pathlib.Path("webmill.sql").read_text())
here.execute('select count(*) from "pages"')

for line in failed:
    print(line, file=sys.stderr)
sys.exit(1 if failed else 0)
