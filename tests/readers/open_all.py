"""Opens every table below a folder of results with pandas, pyarrow, polars and DuckDB, by default arguments.

Prints a line a table: job, table, rows, and the columns that Arrow declares never null; exits with 1 where a reader fails or
two readers disagree.
"""

import pathlib
import sys

import duckdb
import pandas
import polars
import pyarrow.parquet

failed = 0
for folder in sorted(pathlib.Path(sys.argv[1]).glob("*/latest/*")):
    files = sorted(folder.glob("*.parquet")) if folder.is_dir() else []
    for file in files:
        try:
            arrow = pyarrow.parquet.read_table(file)
            rows = {
                "pyarrow": len(arrow.to_pandas()),
                "pandas": len(pandas.read_parquet(file)),
                "polars": polars.read_parquet(file).height,
                "duckdb": duckdb.sql(f"select * from read_parquet('{file}')").df().shape[0],
            }
            if len(set(rows.values())) != 1:
                raise ValueError(f"rows: {rows}")
            views = [field.name for field in arrow.schema if "view" in str(field.type)]
            if views:
                raise ValueError(f"view types: {views}")
        except Exception as error:  # noqa: BLE001: whatever a reader says is what the test is about
            failed = 1
            print(f"{file}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        never_null = [field.name for field in arrow.schema if not field.nullable]
        print(folder.parent.parent.name, folder.name, rows["pyarrow"], ",".join(never_null), sep="\t")
sys.exit(failed)
