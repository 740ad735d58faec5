#!/usr/bin/env python3
"""A table of `webmill rules apply` beside the truth of its pages.

usage: compare.py TRUTH.jsonl TABLE KEY... [--group NAME] [--show N]

TABLE is a Parquet file, or a folder of them; KEYs are the columns besides the page's path that say which row a cell
belongs to (`name` of a function). The group is the last part of the table's name, unless said. Rows and cells are
compared as multisets: equal rows count as often as they come. A cell is the path, the keys and its value. The address
of a page, and links, are compared by path, without host; numbers by value. Wants polars.
"""

import argparse
import collections
import json
from pathlib import Path
from urllib.parse import unquote, urlsplit

import polars as pl


def path_of(url):
    parts = urlsplit(url)
    return unquote(parts.path) + ("?" + parts.query if parts.query else "")


def plain(value):
    """A value as both sides write it."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        is_own = value.startswith(("http://127.0.0.1", "http://localhost", "/"))
        return path_of(value) if is_own and " " not in value else value
    return str(value) if not float(value).is_integer() else str(int(value))


def share(part, whole):
    return f"{part / whole:.5f}" if whole else "-"


def figures(name, truth, said):
    right = (truth & said).total()
    numbers = f"P {share(right, said.total())} R {share(right, truth.total())}"
    print(f"{name:<24} {numbers}  truth {truth.total()} said {said.total()} equal {right}")


def compare(truth, said, columns, keys, show):
    """Rows are dicts of the same columns."""
    count = lambda rows, names: collections.Counter(tuple(row[name] for name in names) for row in rows)
    whole = ["url_path", *columns]
    figures("pages with rows", *(collections.Counter({row["url_path"] for row in rows}) for rows in (truth, said)))
    figures("rows", count(truth, whole), count(said, whole))
    for column in columns:
        names = list(dict.fromkeys(["url_path", *keys, column]))
        figures(f"cells {column}", count(truth, names), count(said, names))
    for name, more, less in (("missing", truth, said), ("not in truth", said, truth)):
        # In the order of pages, so that what belongs together is shown together.
        left = sorted((count(more, whole) - count(less, whole)).elements(), key=repr)
        for row in left[:show]:
            print(f"{name}: {dict(zip(whole, row))}")


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("truth", type=Path)
    args.add_argument("table", type=Path)
    args.add_argument("keys", nargs="*")
    args.add_argument("--group")
    args.add_argument("--show", type=int, default=5, help="differences of each kind that are printed")
    args = args.parse_args()
    rows = [json.loads(line) for line in args.truth.read_text().splitlines()]
    groups = sorted({row["group"] for row in rows})
    named = args.table.stem if args.table.is_file() else args.table.name
    group = args.group or next((g for g in groups if named.endswith("_" + g)), None)
    if group is None:
        raise SystemExit(f"which group? {', '.join(groups)}")
    truth = [row for row in rows if row["group"] == group]
    columns = [name for name in truth[0] if name not in ("url_path", "group")]
    files = sorted(args.table.rglob("*.parquet")) if args.table.is_dir() else [args.table]
    table = pl.concat([pl.read_parquet(file, columns=["url", *columns]) for file in files])
    said = [{"url_path": path_of(row.pop("url")), **row} for row in table.iter_rows(named=True)]
    equalise = lambda rows: [{name: plain(row[name]) for name in ["url_path", *columns]} for row in rows]
    compare(equalise(truth), equalise(said), columns, args.keys, args.show)


main()
