"""What of the exact truth was found, and what was found that is not true.

**Texts.** Pages with the same text, letter for letter, are one text; pairs are pairs of texts, so a hundred copies of
a page do not count a hundred times. A text of fewer than MIN_WORDS words is compared with nothing (too little to say
anything) and counted.

**Pair recall.** Of the pairs of texts with J in a range, the share that a row of `duplicates` holds, pages of equal
rows (body, text) standing for each other; and the share that lies in one cluster. A pair is of the same site if a
page of each is on one host, cross-site if pages of both are on different hosts; it may be both.

**Precision.** Rows that state a resemblance are compared with the exact one. `verified` is the share of rows stated
at .8 or more that have it; `unverified` counts near rows that state none. `members`: cluster members whose J with
their representative is at least .8. Rows of equal bodies may have J < 1, as extraction drops what each site repeats.
`supported`: texts of clusters of several texts that have a twin in them, which can be asked of clusters without
representatives.

**Twins.** Texts with another text of J >= .8, and the share that is clustered with at least one.

**What is possible.** `ideal` clusters the exact pairs as webmill defines clusters (in the total order, each text
joins the first representative with J >= .8, else becomes one): what stars can reach with every candidate known.
`expected` is the recall that MinHash bands of a shape have on these pairs, the mean of 1 - (1 - J^rows)^bands, and
how many pairs of J under .8 they bring to the exact check.
"""

from collections import defaultdict

import numpy as np

BOUND, MIN_WORDS = 0.8, 12
SHAPES = ((16, 8), (18, 7), (21, 6), (25, 5))
RANGES = {"J >= .9": (0.9, 1.01), ".8 <= J < .9": (0.8, 0.9)}
LENGTHS = {"12-49": (12, 50), "50-119": (50, 120), "120+": (120, 1 << 62)}


class Truth:
    """Distinct texts of enough words, their shingles, and their pairs."""

    def __init__(self, found, words_of, shingle_sets, bound):
        number, self.text_of, self.pages, texts = {}, [], [], []
        for page, text in enumerate(found.texts):
            at = number.setdefault(text, len(number))
            if at == len(texts):
                texts.append(text)
                self.pages.append([])
            self.text_of.append(at)
            self.pages[at].append(page)
        self.texts = texts
        self.words = words_of(texts)
        self.lengths = np.array([len(words) for words in self.words], np.int64)
        hosts = found.hosts
        self.hosts = [{hosts[page] for page in pages} for pages in self.pages]
        self.sets = shingle_sets(self.words)
        a, b, j = self.sets.pairs(bound)
        enough = (self.lengths[a] >= MIN_WORDS) & (self.lengths[b] >= MIN_WORDS)
        self.short = int((~enough & (j >= BOUND)).sum())
        self.a, self.b, self.j = a[enough], b[enough], j[enough]
        near = self.j >= BOUND
        self.near = list(zip(self.a[near].tolist(), self.b[near].tolist(), self.j[near].tolist()))

    def sites(self, a, b):
        one, other = self.hosts[a], self.hosts[b]
        if one & other:
            yield "same site"
        if len(one | other) > 1:
            yield "cross-site"

    def length(self, a, b):
        least = min(self.lengths[a], self.lengths[b])
        return next(name for name, (low, high) in LENGTHS.items() if low <= least < high)


class Answer:
    """What a program says of texts: which pairs are linked, which texts lie in one cluster (a number each, or None)."""

    def __init__(self, links, clusters):
        self.links, self.clusters = links, clusters

    def linked(self, a, b):
        return (min(a, b), max(a, b)) in self.links

    def clustered(self, a, b):
        return bool(self.clusters and self.clusters[a] & self.clusters[b])


def webmill_answer(truth, found):
    """Links of texts out of rows of pages, the equal rows being an equivalence."""
    root = list(range(len(found.texts)))

    def top(page):
        while root[page] != page:
            root[page] = page = root[root[page]]
        return page

    for a, b in found.equal:
        root[top(a)] = top(b)
    texts = defaultdict(set)
    for page, text in enumerate(truth.text_of):
        texts[top(page)].add(text)
    links = set()

    def link(ones, others):
        links.update((min(a, b), max(a, b)) for a in ones for b in others if a != b)

    for group in texts.values():
        link(group, group)
    for a, b, _ in found.near:
        link(texts[top(a)], texts[top(b)])
    clusters = [{found.cluster[page] for page in pages if page in found.cluster} for pages in truth.pages]
    return Answer(links, clusters)


def recall(truth, answer):
    """{(what, where): [pairs, linked, clustered, either]}: `what` is a range of J or a length, `where` a kind of pair."""
    counts = defaultdict(lambda: [0, 0, 0, 0])
    for a, b, j in truth.near:
        linked, clustered = answer.linked(a, b), answer.clustered(a, b)
        what = next(name for name, (low, high) in RANGES.items() if low <= j < high)
        keys = [(what, site) for site in truth.sites(a, b)] + [(what, truth.length(a, b))]
        for key in keys:
            for i, true in enumerate((True, linked, clustered, linked or clustered)):
                counts[key][i] += true
    return dict(counts)


def twins(truth, answer):
    """Texts with a twin, and those clustered with one."""
    texts, together = set(), set()
    for a, b, _ in truth.near:
        texts.update((a, b))
        if answer.clustered(a, b):
            together.update((a, b))
    return len(texts), len(together)


def ideal(truth, found):
    """The answer of stars about representatives when all pairs with J >= .8 are candidates."""
    near = defaultdict(list)
    for a, b, _ in truth.near:
        near[a].append(b)
        near[b].append(a)
    first = [min(found.order[page] for page in pages) for pages in truth.pages]
    representative = {}
    for text in sorted(near, key=first.__getitem__):
        heads = [other for other in near[text] if representative.get(other) == other]
        representative[text] = min(heads, key=first.__getitem__, default=text)
    clusters = [{representative[text]} if text in representative else set() for text in range(len(truth.texts))]
    return Answer(set(), clusters)


def expected(truth):
    """{shape: [recall at J >= .9, at .8-.9, candidates of lower J]}; pairs below the truth's bound are not counted."""
    found = {}
    for bands, rows in SHAPES:
        likely = 1 - (1 - truth.j**rows) ** bands
        shares = []
        for low, high in RANGES.values():
            within = (truth.j >= low) & (truth.j < high)
            shares.append(float(likely[within].mean()) if within.any() else None)
        found[f"{bands} x {rows}"] = [*shares, round(float(likely[truth.j < BOUND].sum()))]
    return found


def linked_precision(truth, answer):
    """Links, and those with J >= .8."""
    if not answer.links:
        return 0, 0
    a, b = np.array(sorted(answer.links), np.int64).T
    return len(a), int((truth.sets.resemblance(a, b) >= BOUND - 1e-12).sum())


def supported(truth, answer):
    """Texts in clusters of several texts, and those that have a twin in one of theirs."""
    groups = defaultdict(set)
    for text, clusters in enumerate(answer.clusters or []):
        for cluster in clusters:
            groups[cluster].add(text)
    several = {text for group in groups.values() if len(group) > 1 for text in group}
    together = {text for a, b, _ in truth.near if answer.clustered(a, b) for text in (a, b)}
    return len(several), len(several & together)


def copies(truth, found):
    """Pages whose text stands on another page too, and those that are clustered with it."""
    pages = together = 0
    for group in truth.pages:
        if len(group) > 1 and truth.lengths[truth.text_of[group[0]]] >= MIN_WORDS:
            clusters = [found.cluster.get(page) for page in group]
            pages += len(group)
            together += sum(c is not None and clusters.count(c) > 1 for c in clusters)
    return pages, together


def precision(truth, found):
    """Of the rows and members of webmill's tables."""
    text = truth.text_of
    stated = [(a, b, r) for a, b, r in found.near if r is not None]
    a = [text[a] for a, _, _ in stated]
    b = [text[b] for _, b, _ in stated]
    exact = truth.sets.resemblance(a, b)
    said = np.array([r for _, _, r in stated])
    high = said >= BOUND
    equal = truth.sets.resemblance([text[a] for a, _ in found.equal], [text[b] for _, b in found.equal])
    members = [
        (page, head)
        for page, head in found.representative.items()
        if head not in (None, page) and found.joined[page] in ("body", "text", "near")
    ]
    near = truth.sets.resemblance([text[page] for page, _ in members], [text[head] for _, head in members])
    short = np.array([truth.lengths[text[page]] < MIN_WORDS for page, _ in members], bool)
    return {
        "near rows": len(found.near),
        "unverified": len(found.near) - len(stated),
        "rows stated >= .8": int(high.sum()),
        "verified": int((exact[high] >= BOUND - 1e-9).sum()),
        "largest error": float(np.abs(exact - said).max()) if len(said) else 0.0,
        "equal rows": len(found.equal),
        "equal rows with J = 1": int((equal >= 1).sum()),
        "members": int((~short).sum()),
        "members with J >= .8": int((near[~short] >= BOUND - 1e-9).sum()),
        "other rows": dict(found.other),
        "rows without text": found.unknown,
    }


def edits(truth, found, answer, planted, distance):
    """{(length, changed): [as planted, linked or clustered, linked, mean J]} and how many copies extraction altered otherwise."""
    number = {url: page for page, url in enumerate(found.urls)}
    counts, lost = defaultdict(lambda: [0, 0, 0, 0.0]), 0
    for length, changed, original, copy in planted:
        pages = number.get(original), number.get(copy)
        if None in pages:
            lost += 1
            continue
        a, b = (truth.text_of[page] for page in pages)
        if distance(truth.words[a], truth.words[b]) != changed:
            lost += 1
            continue
        count = counts[length, changed]
        count[0] += 1
        count[1] += answer.linked(a, b) or answer.clustered(a, b)
        count[2] += answer.linked(a, b)
        count[3] += float(truth.sets.resemblance([a], [b])[0])
    for count in counts.values():
        count[3] /= count[0]
    return dict(counts), lost
