"""Exact resemblance of all pairs of texts, without webmill's signatures.

The words are webmill's (Unicode Annex 29, jieba for Chinese, by the example `text_words` of webmill-dedup), as
another cut would be another question. Everything after that is done here: words are folded and numbered, a shingle is
the number of three words, exact and without hashing, and pairs come from an inverted index with prefix filter.

For J(A, B) >= t with |A| >= |B| the two share a shingle among the first |A| - ceil(t |A|) + 1 of A and the first |B|
- ceil(2t / (1 + t) |B|) + 1 of B, when the shingles of all texts stand in one order; the rarest come first, which
keeps the lists short. (Chaudhuri, Ganti, Kaushik, doi:10.1109/ICDE.2006.9; Xiao et al., doi:10.1145/1367497.1367516.)
Candidates are then intersected whole. Memory: eight bytes a shingle, and blocks of rows of at most BLOCK candidates."""

import struct
import subprocess

import numpy as np
from scipy import sparse

WIDTH = 3
BLOCK = 20_000_000


def stream(texts):
    """Texts as the examples of webmill-dedup read them."""
    return b"".join(struct.pack("<I", len(data)) + data for data in (text.encode() for text in texts))


def words_of(texts, program):
    """The words of each text, folded as webmill folds them (case, width), as lists."""
    done = subprocess.run([program], input=stream(texts), capture_output=True, check=True)
    lines = done.stdout.decode().split("\n")[:-1]
    if len(lines) != len(texts):
        raise SystemExit(f"{program}: {len(lines)} lines for {len(texts)} texts")
    folded = Folded()
    return [[folded[word] for word in line.split(" ") if word] for line in lines]


class Folded(dict):
    """A word to its lower case, letter by letter, full-width letters narrowed."""

    def __missing__(self, word):
        narrow = (chr(ord(c) - 0xFEE0) if "\uff01" <= c <= "\uff5e" else c for c in word)
        self[word] = folded = "".join(c.lower() for c in narrow)
        return folded


class ShingleSets:
    """The shingles of texts: `of(i)` is a sorted array of numbers, the rarest shingle first."""

    def __init__(self, documents, width=WIDTH):
        numbers, sets = {}, []
        bits = 63 // width
        for words in documents:
            ids = np.fromiter((numbers.setdefault(w, len(numbers) + 1) for w in words), np.int64, len(words))
            if len(numbers) >= 1 << bits:
                raise SystemExit(f"more than {1 << bits} words")
            sets.append(_shingles(ids, width, bits))
        self.sizes = np.array([len(s) for s in sets], np.int64)
        self.starts = np.concatenate(([0], np.cumsum(self.sizes)))
        flat = np.concatenate(sets) if sets else np.zeros(0, np.int64)
        _, place, count = np.unique(flat, return_inverse=True, return_counts=True)
        order = np.argsort(count, kind="stable")
        rank = np.empty(len(count), np.int32)
        rank[order] = np.arange(len(count), dtype=np.int32)
        self.distinct = len(count)
        self.flat = rank[place]
        for i in range(len(sets)):
            self.flat[self.starts[i] : self.starts[i + 1]].sort()

    def __len__(self):
        return len(self.sizes)

    def of(self, i):
        return self.flat[self.starts[i] : self.starts[i + 1]]

    def resemblance(self, a, b):
        """Exact J of the pairs (a[i], b[i])."""
        a, b = np.asarray(a, np.int64), np.asarray(b, np.int64)
        found = np.zeros(len(a))
        mark = np.zeros(self.distinct, bool)
        order = np.argsort(a, kind="stable")
        edges = np.flatnonzero(np.diff(a[order], prepend=-1, append=-1))
        for start, end in zip(edges[:-1], edges[1:]):
            group = order[start:end]
            own = self.of(a[group[0]])
            mark[own] = True
            # In pieces, as a page of a template may have all others as candidates.
            for piece in np.array_split(group, max(1, int(self.sizes[b[group]].sum()) // BLOCK + 1)):
                found[piece] = self._resemblance(len(own), mark, b[piece])
            mark[own] = False
        return found

    def _resemblance(self, own, mark, others):
        sizes = self.sizes[others]
        common = np.zeros(len(others), np.int64)
        some = sizes > 0
        if own and some.any():
            lengths = sizes[some]
            offsets = np.cumsum(lengths) - lengths
            at = np.arange(lengths.sum()) + np.repeat(self.starts[others[some]] - offsets, lengths)
            common[some] = np.add.reduceat(mark[self.flat[at]].astype(np.int64), offsets)
        union = own + sizes - common
        return np.where(union > 0, common / np.maximum(union, 1), 0.0)

    def pairs(self, bound):
        """All pairs (a, b, J) with a < b and J >= bound > 0."""
        order = np.argsort(self.sizes, kind="stable")
        order = order[self.sizes[order] > 0]
        probe = self._prefixes(order, bound)
        index = self._prefixes(order, 2 * bound / (1 + bound))
        lists = np.asarray(index.sum(axis=0)).ravel()
        work = np.concatenate(([0], np.cumsum(probe @ lists)))
        inverted = index.T.tocsr()
        found = []
        row = 0
        while row < len(order):
            end = max(row + 1, int(np.searchsorted(work, work[row] + BLOCK, side="right")) - 1)
            near = (probe[row:end] @ inverted).tocoo()
            large, small = near.row + row, near.col
            least = np.ceil(bound * self.sizes[order[large]] - 1e-9)
            keep = (small < large) & (self.sizes[order[small]] >= least)
            a, b = order[large[keep]], order[small[keep]]
            resemblance = self.resemblance(a, b)
            near = resemblance >= bound - 1e-12
            found.append((np.minimum(a, b)[near], np.maximum(a, b)[near], resemblance[near]))
            row = end
        if not found:
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        a, b, resemblance = (np.concatenate(part) for part in zip(*found))
        sort = np.lexsort((b, a))
        return a[sort], b[sort], resemblance[sort]

    def _prefixes(self, order, bound):
        """A row a text with ones at the first of its shingles."""
        lengths = self.sizes[order] - np.ceil(bound * self.sizes[order] - 1e-9).astype(np.int64) + 1
        lengths = np.minimum(lengths, self.sizes[order])
        ends = np.cumsum(lengths)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(self.starts[order] - (ends - lengths), lengths)
        rows = np.concatenate(([0], ends))
        ones = np.ones(len(at), np.int32)
        return sparse.csr_matrix((ones, self.flat[at], rows), shape=(len(order), self.distinct))


def _shingles(ids, width, bits):
    """Distinct shingles of a text as numbers: `width` words of `bits` bits each; all its words, if it has fewer."""
    if not len(ids):
        return ids
    width = min(width, len(ids))
    rows = len(ids) - width + 1
    value = np.zeros(rows, np.int64)
    for i in range(width):
        value = value << bits | ids[i : i + rows]
    return np.unique(value)


def check(seed=1):
    """The index against all pairs by plain sets, on random texts: raises if a pair is missed or made up."""
    draw = np.random.default_rng(seed)
    documents = []
    for _ in range(150):
        if documents and draw.random() < 0.6:
            words = list(documents[draw.integers(len(documents))])
            for _ in range(draw.integers(0, 5)):
                if words:
                    words[draw.integers(len(words))] = f"w{draw.integers(40)}"
        else:
            words = [f"w{w}" for w in draw.integers(0, 40, draw.integers(0, 60))]
        documents.append(words)
    sets = [
        {tuple(words[i : i + WIDTH]) for i in range(max(1, len(words) - WIDTH + 1))} if words else set()
        for words in documents
    ]
    expected = {}
    for a, one in enumerate(sets):
        for b in range(a + 1, len(sets)):
            union = len(one | sets[b])
            if union and len(one & sets[b]) / union >= 0.5:
                expected[a, b] = len(one & sets[b]) / union
    a, b, resemblance = ShingleSets(documents).pairs(0.5)
    found = {(int(x), int(y)): float(j) for x, y, j in zip(a, b, resemblance)}
    if found != expected:
        raise SystemExit(f"exact truth is not exact: {len(found)} pairs for {len(expected)}")
    return len(found)
