"""Synthetic pages for speed and for what a hostile or a monotonous corpus does, with fixed seeds, written as WARC.

`corpus`    N documents, lengths log-normal (median 250 words), Zipf words; a fifth are near copies (1 to 20 words
            changed), 1 in 20 whole copies of an earlier document
`template82`, `template64`  N pages that share one text and have some words of their own: J of any two about .82, .64
`equal`     N pages of one text
`bucket`    N pages; half share one rare shingle and nothing else, half share a third of their words
`large`     20 N short documents, else as `corpus`
"""

import json
import multiprocessing
import shutil

import numpy as np

from .shards import plain_record
from .sources import page

NAMES = ["corpus", "template82", "template64", "equal", "bucket", "large"]
PART, SEED, VOCABULARY = 10_000, 13, 60_000
SHARED = 300
OWN = {"template82": 33, "template64": 84}  # (SHARED - 2) / (SHARED - 2 + 2 OWN) = .819, .640


def build(name, cache, documents):
    """Writes the shards if they are not there; returns the folder."""
    folder = cache / "speed" / f"{name}-{documents}"
    if not (folder / "planted.json").exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "shards").mkdir(parents=True)
        total = documents * (20 if name == "large" else 1)
        parts = [(name, folder / "shards", i, min(PART, total - i * PART)) for i in range(-(-total // PART))]
        with multiprocessing.Pool(2) as pool:
            planted = [pair for pairs in pool.imap(_write, parts) for pair in pairs]
        (folder / "planted.json").write_text(json.dumps(planted))
    return folder


def _write(part):
    """One shard; returns the pairs that it plants: (URL of the copy, URL of the original, words changed)."""
    name, folder, number, count = part
    draw = np.random.default_rng([SEED, NAMES.index(name), number])
    words, planted = vocabulary(), []
    with open(folder / f"part-{number:05}.warc", "wb") as out:
        for i, (ids, of, changed) in enumerate(MAKERS[name](name, draw, count)):
            at = number * PART + i
            html = page("", paragraphs(words, ids, breaks=name in ("corpus", "large")))
            out.write(plain_record(url(at), html, at))
            if of is not None:
                planted.append((url(at), url(number * PART + of), int(changed)))
    return planted


def url(number):
    """Fifty pages a host."""
    return f"http://s{number // 50}.example/{number}"


def vocabulary():
    """Words of two to four syllables, all different, the same ones always."""
    draw = np.random.default_rng(SEED)
    syllables = np.array([c + v for c in "bcdfghklmnprstvz" for v in ("a", "e", "i", "o", "u", "an", "er", "in", "ol")])
    words = {}
    while len(words) < VOCABULARY:
        words["".join(draw.choice(syllables, draw.integers(2, 5)))] = None
    return np.array(list(words))


def paragraphs(words, ids, breaks):
    """Sentences of twelve words, five a paragraph; without breaks all is one sentence, so that no paragraph repeats."""
    text = words[ids].tolist()
    if not breaks:
        return " ".join(text)
    sentences = [" ".join(text[i : i + 12]) + "." for i in range(0, len(text), 12)]
    return "\n\n".join(" ".join(sentences[i : i + 5]) for i in range(0, len(sentences), 5))


def zipf(draw, count):
    """Numbers of words by a Zipf-like law: the density of a rank r is about 1 / r."""
    return np.minimum(np.exp(draw.random(count) * np.log(VOCABULARY)).astype(np.int64), VOCABULARY - 1)


def _corpus(name, draw, count):
    median, documents = (250 if name == "corpus" else 70), []
    for i in range(count):
        kind = draw.random()
        if i > 50 and kind < 0.25:
            of = int(draw.integers(i))
            ids = documents[of].copy()
            changed = 0
            if kind < 0.2:
                changed = min(int(draw.integers(1, 21)), len(ids) // 4)
                ids[draw.choice(len(ids), changed, replace=False)] = draw.integers(VOCABULARY, size=changed)
            documents.append(ids)
            yield ids, of, changed
        else:
            length = int(np.clip(median * np.exp(0.8 * draw.standard_normal()), 20, 5000))
            documents.append(zipf(draw, length))
            yield documents[-1], None, 0


def _template(name, draw, count):
    shared = np.random.default_rng(SEED).integers(VOCABULARY, size=SHARED)
    for _ in range(count):
        yield np.concatenate([shared, draw.integers(VOCABULARY, size=OWN[name])]), None, 0


def _equal(name, draw, count):
    ids = np.random.default_rng(SEED).integers(VOCABULARY, size=SHARED)
    for _ in range(count):
        yield ids, None, 0


def _bucket(name, draw, count):
    shared = np.random.default_rng(SEED).integers(VOCABULARY, size=40)
    for i in range(count):
        own = draw.integers(VOCABULARY, size=120)
        if i % 2:
            own[40:80] = shared
        else:
            own[60:63] = shared[:3]
        yield own, None, 0


MAKERS = {"corpus": _corpus, "large": _corpus, "template82": _template, "template64": _template}
MAKERS |= {"equal": _equal, "bucket": _bucket}
