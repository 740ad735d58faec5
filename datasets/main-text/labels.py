"""Which blocks of a page are main text, by the text or the snippets that humans marked.

The marked texts say what, not where: a block of some length is labelled by how much of it stands in the marked text; a
short one ("Share", "2012", a heading) may stand there by chance, so it counts only where the long blocks around it say
that it should, and only for tokens that no long block accounts for.
"""

from bisect import bisect_left
from collections import defaultdict

import numpy as np

GRAM = 4  # tokens that are looked up together
LONG = 6  # tokens from which on a block is labelled by itself
ANCHOR = 7  # tokens from which on a block may tell where in the marked text the page stands
ANCHOR_SHARE = 0.8


def share_in_gold(texts, gold, token):
    """For each block 0 to 1: the share of its tokens in the marked text, or whether a short block belongs there."""
    gold = [t.lower() for t in token.findall(gold)]
    blocks = [[t.lower() for t in token.findall(text)] for text in texts]
    grams, words = defaultdict(list), defaultdict(list)
    for i in range(len(gold) - GRAM + 1):
        grams[tuple(gold[i : i + GRAM])].append(i)
    for i, word in enumerate(gold):
        words[word].append(i)
    out = np.zeros(len(blocks), np.float32)
    taken = np.zeros(len(gold), bool)  # tokens of the marked text that stand in long blocks
    anchors = []  # (block, its begin and end in the marked text)
    for b, tokens in enumerate(blocks):
        if len(tokens) < LONG:
            continue
        covered = np.zeros(len(tokens), bool)
        for i in range(len(tokens) - GRAM + 1):
            if tuple(tokens[i : i + GRAM]) in grams:
                covered[i : i + GRAM] = True
        out[b] = covered.mean()
        if out[b] > ANCHOR_SHARE:
            for i in range(len(tokens) - GRAM + 1):
                for place in grams.get(tuple(tokens[i : i + GRAM]), ()):
                    taken[place : place + GRAM] = True
        if out[b] > ANCHOR_SHARE and len(tokens) >= ANCHOR:
            places = grams.get(tuple(tokens[:GRAM])) or grams.get(tuple(tokens[1 : GRAM + 1]))
            if places and len(places) == 1:
                anchors.append((b, places[0], places[0] + len(tokens)))
    anchored = [a[0] for a in anchors]
    for b, tokens in enumerate(blocks):
        if not tokens or len(tokens) >= LONG:
            continue
        n = len(tokens)
        places = [i for i in words.get(tokens[0], ()) if gold[i : i + n] == tokens and not taken[i : i + n].all()]
        if places:
            at = bisect_left(anchored, b)
            before = anchors[at - 1] if at > 0 else None
            after = anchors[at] if at < len(anchors) else None
            out[b] = belongs(b, places, before, after)
    return out


def belongs(b, places, before, after):
    """Whether one of the places of a short block in the marked text fits the anchors before and after it."""
    if before and after and after[1] >= before[2] - 3:
        near = after[1] - before[2] < 400 or b - before[0] < 60 or after[0] - b < 60
        return near and any(before[2] - 3 <= i <= after[1] + 3 for i in places)
    if not before and not after:
        return True
    fits = False
    if before and b - before[0] < 100:
        reach = 15 + 8 * (b - before[0])
        fits |= any(before[2] - 3 <= i <= before[2] + reach for i in places)
    if after and after[0] - b < 100:
        reach = 15 + 8 * (after[0] - b)
        fits |= any(after[1] - reach <= i <= after[1] for i in places)
    return fits


def marked_by_snippets(texts, page):
    """For each block 1 if it holds (or is held by) a snippet that must appear, 0 if one that must not, else NaN."""
    out = np.full(len(texts), np.nan, np.float32)
    texts = [" ".join(text.split()) for text in texts]
    for snippets, value in ((page.present, 1), (page.absent, 0)):
        for snippet in (" ".join(s.split()) for s in snippets):
            for b, text in enumerate(texts):
                if snippet and (snippet in text or (len(text) >= 20 and text in snippet)):
                    out[b] = value
    return out
