"""Planted edits: passages of real texts, and copies of them with one, two or four words changed.

A changed word is another one of the same corpus, of letters only. The passage stands on one host, each copy on a host
of its own, so every pair is cross-site. What counts afterwards is what extraction kept: a copy whose words differ
from the passage's in another number of places than planted is left out and counted."""

import random

from .sources import page

CHANGED = (1, 2, 4)
LENGTHS = {"50-119": (50, 119), "120+": (120, 400)}


def planted(documents, passages, seed=13):
    """Pages with `passages` passages of each length out of `documents` (lists of words), and their copies.

    Returns the pages and (length, words changed, URL of the passage, URL of the copy).
    """
    draw = random.Random(seed)
    long_enough = [words for words in documents if len(words) >= 60]
    vocabulary = sorted({word for words in documents for word in words if word.isalpha()})
    pages, pairs = [], []
    for length, (least, most) in LENGTHS.items():
        for number in range(passages):
            words = draw.choice(long_enough)
            count = draw.randint(least, most)
            while len(words) < count:
                words = draw.choice(long_enough)
            start = draw.randint(0, len(words) - count)
            words = words[start : start + count]
            at = f"{length.strip('+')}/{number}"
            original = f"http://passages.example/{at}"
            pages.append((original, _page(words)))
            for changed in CHANGED:
                copy = list(words)
                for place in draw.sample(range(count), changed):
                    copy[place] = draw.choice(vocabulary)
                    while copy[place].lower() == words[place].lower():
                        copy[place] = draw.choice(vocabulary)
                url = f"http://changed{changed}.example/{at}"
                pages.append((url, _page(copy)))
                pairs.append((length, changed, original, url))
    return pages, pairs


def _page(words):
    """Sentences of some twenty words, in paragraphs of three sentences."""
    joint = "" if any("\u4e00" <= c <= "\u9fff" for c in "".join(words[:50])) else " "
    stop = "。" if joint == "" else ". "
    sentences = [joint.join(words[i : i + 20]) + stop for i in range(0, len(words), 20)]
    return page("", "\n\n".join("".join(sentences[i : i + 3]) for i in range(0, len(sentences), 3)))


def distance(a, b):
    """Places in which two lists of words differ; None for lists of different lengths."""
    return sum(x != y for x, y in zip(a, b)) if len(a) == len(b) else None
