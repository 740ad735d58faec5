"""The numbers as tables on the terminal."""


def share(part, whole):
    """Rounded down, so that 1.000 says all."""
    return f"{part / whole * 1000 // 1 / 1000:.3f}" if whole else "-"


def table(header, rows):
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print("  " + "  ".join(cells).rstrip())
    print(flush=True)


def recall_table(answers):
    """`answers`: {name of program: result of scores.recall}; rows, clusters or either for each."""
    keys = sorted({key for counts in answers.values() for key in counts}, key=_order)
    if not keys:
        print("  no pair with J >= .8\n")
        return
    header = ["pairs", "count"]
    for name in answers:
        header += [f"{name}: row", "cluster", "either"] if name == "webmill" else [name]
    rows = []
    for what, where in keys:
        first = next(counts[what, where] for counts in answers.values() if (what, where) in counts)
        row = [f"{what}, {where}", first[0]]
        for name, counts in answers.items():
            pairs, linked, clustered, either = counts.get((what, where), (0, 0, 0, 0))
            row += [share(linked, pairs), share(clustered, pairs)] if name == "webmill" else []
            row.append(share(either, pairs))
        rows.append(row)
    table(header, rows)


def _order(key):
    what, where = key
    return "site" not in where, where not in ("same site",), not what.startswith("J"), where


def edits_table(counts, answers):
    rows = []
    for key in sorted(counts, key=lambda key: (key[0] == "120+", key[1])):
        planted, _, _, mean = counts[key]
        found = [share(answer[key][1], answer[key][0]) for answer in answers.values()]
        rows.append([f"{key[0]} words, {key[1]} changed", planted, f"{mean:.3f}", *found])
    table(["planted edits", "count", "mean J", *answers], rows)
