#!/usr/bin/env python3
"""Declarations of cppreference pages: title, header, text, since and until which version of the language.

usage: cppreference.py FOLDER > TRUTH.jsonl    FOLDER: usr/share/cppreference/doc/html of Debian's cppreference-doc-en-html
"""

import re

from page import has, main, text


def version(word, mark):
    """`C++11` of `(since C++11)`. Marks of technical specifications, as `(filesystem TS)`, are neither since nor until."""
    found = re.search(word + r" ([^)]+)\)", mark)
    return found and found[1]


def rows(path, root):
    title = text(root.find("head/title"))
    for table in root.iter("table"):
        if not has(table, "t-dcl-begin"):
            continue
        # Rows of the table itself, in their order: revisions stand in a tbody of their own, so headers and declarations
        # may have different parents; tables within cells are met by themselves.
        own = [row for row in table.iter("tr") if next(row.iterancestors("table")) is table]
        header = None
        for row in own:
            cells = row.findall("td")
            if has(row, "t-dsc-header"):
                # It holds for the declarations up to the next one. Of several that follow each other (NULL has seven) the
                # last is taken: nearest to the declaration. One row may name two: `<algorithm>` until C++11, then `<utility>`.
                header = ", ".join(re.findall(r"<([^>]+)>", text(cells[0])))
            elif has(row, "t-dcl"):
                # `until` is marked by .t-mark, `since` by .t-mark-rev, and rows with both by both: the cell's text says it.
                mark = text(cells[2])
                yield {
                    "group": "headers", "title": title, "header": header, "declaration": text(cells[0]),
                    "since": version("since", mark), "until": version("until", mark),
                }


main(__doc__, rows)
