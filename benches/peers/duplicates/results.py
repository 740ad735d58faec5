"""What webmill found: its tables, with pages by number."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow.parquet as parquet

# Rows of these kinds say that two texts are equal; those of NEAR that they resemble each other. Other kinds (contained …) are no
# answer to the question asked here, and counted.
EQUAL, NEAR = {"body", "text"}, {"near"}


@dataclass
class Found:
    """Tables of one run."""

    urls: list
    texts: list
    words: np.ndarray
    order: list  # position of each page in the total order: earliest fetch, shortest URL, URL
    equal: list = field(default_factory=list)  # pairs of pages
    near: list = field(default_factory=list)  # (page, page, resemblance as stated or None)
    other: dict = field(default_factory=dict)  # rows of other kinds
    unknown: int = 0  # rows on pages without text
    cluster: dict = field(default_factory=dict)  # page to the number of its cluster
    representative: dict = field(default_factory=dict)  # page to page
    joined: dict = field(default_factory=dict)  # page to how it came in

    @property
    def hosts(self):
        return [url.split("/")[2] for url in self.urls]


def table(out, job, name, columns):
    """The columns of the latest commit's table, as lists; columns that it does not have are None."""
    parts = sorted((out / job / "latest" / name).glob("*.parquet"))
    present = parquet.read_schema(parts[0]).names
    whole = [parquet.read_table(part, columns=[c for c in columns if c in present]) for part in parts]
    return {c: [v for part in whole for v in part[c].to_pylist()] if c in present else None for c in columns}


def read_texts(out):
    found = table(out, "extract", "texts", ["url", "text", "num_words"])
    order = sorted(range(len(found["url"])), key=found["url"].__getitem__)
    pick = lambda column: [found[column][i] for i in order]
    pages = table(out, "extract", "pages", ["url", "fetch_time"])
    fetched = {url: time.timestamp() if time else float("inf") for url, time in zip(pages["url"], pages["fetch_time"])}
    urls = pick("url")
    ranked = sorted(range(len(urls)), key=lambda page: (fetched[urls[page]], len(urls[page].encode()), urls[page]))
    position = [0] * len(urls)
    for at, page in enumerate(ranked):
        position[page] = at
    return Found(urls, pick("text"), np.array(pick("num_words"), np.int64), position)


def read_duplicates(out, found):
    """Adds pairs and clusters to `found`."""
    number = {url: i for i, url in enumerate(found.urls)}
    rows = table(out, "dedup", "duplicates", ["a", "b", "kind", "resemblance"])
    if None in rows.values():
        raise SystemExit(
            f"duplicates has no {', '.join(c for c in rows if rows[c] is None)}: this reads another form of it"
        )
    for a, b, kind, resemblance in zip(rows["a"], rows["b"], rows["kind"], rows["resemblance"]):
        a, b = number.get(a), number.get(b)
        if a is None or b is None:
            found.unknown += 1
        elif kind in EQUAL:
            found.equal.append((a, b))
        elif kind in NEAR:
            found.near.append((a, b, resemblance))
        else:
            found.other[kind] = found.other.get(kind, 0) + 1
    rows = table(out, "dedup", "clusters", ["url", "cluster", "representative", "kind"])
    for url, cluster, representative, kind in zip(*rows.values()):
        page, head = number.get(url), number.get(representative)
        if page is not None:
            found.cluster[page] = cluster
            found.joined[page] = kind
            found.representative[page] = head
    return found
