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


# What webmill is to reach, in the columns of the summary; a number below stands with a mark.
GOALS = {"J >= .9": 0.995, ".8 <= J < .9": 0.98, "verified": 1.0, "twins": 0.97}
EDIT_GOALS = {("120+", 1): 0.99, ("120+", 2): 0.97}


def summary(numbers):
    """One line a set: what webmill found, by a row or by a cluster, and what was to be reached."""
    ranges, sites = ("J >= .9", ".8 <= J < .9"), ("same site", "cross-site")
    rows = []
    for set_ in numbers:
        recall, facts = set_["recall"]["webmill"], set_["precision"]
        row = [set_["set"]]
        for what in ranges:
            for site in sites:
                pairs, _, _, either = recall.get((what, site), (0, 0, 0, 0))
                row.append(marked(either, pairs, GOALS[what]))
        row.append(marked(facts["verified"], facts["rows stated >= .8"], GOALS["verified"]))
        row.append(marked(*reversed(set_["twins"]), GOALS["twins"]))
        edits = set_.get("edits", {}).get("webmill", {})
        for key, goal in EDIT_GOALS.items():
            planted, found, _, _ = edits.get(key, (0, 0, 0, 0))
            row.append(marked(found, planted, goal))
        rows.append(row)
    print(
        f"webmill, row or cluster; * below the goal {', '.join(f'{k} {v}' for k, v in GOALS.items())}, edits .99 and .97\n"
    )
    header = ["", ">= .9 same", "cross", ".8-.9 same", "cross", "verified", "twins", "120+, 1 changed", "2 changed"]
    table(header, rows)


def marked(part, whole, goal):
    return share(part, whole) + ("*" if whole and part < goal * whole else "")


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
