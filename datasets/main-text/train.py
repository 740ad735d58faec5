#!/usr/bin/env python3
"""Train the tables of the main-text extraction, and measure them on sites they were not trained on.

    train.py cv       --data DIR --features DIR --nameless DIR --eval score_text.py --tools DIR --tables DIR
    train.py transfer --data DIR --features DIR --nameless DIR --eval score_text.py --train SET [--disjoint]
    train.py final    --data DIR --features DIR --nameless DIR --eval score_text.py --tables DIR --out DIR

cv        trains on all folds of sites but one and extracts from that one, in turn; prints the scorer's figures of the choice
          of blocks, and of what extraction writes by the tables of the folds, which are left in --tables.
transfer  trains on some sets and extracts from the others; --disjoint leaves out of the training what stands on a site of
          the others.
final     trains on everything and writes blocks.txt, doubtful.txt, brief.txt, types.txt and, from what cv left in --tables, confidence.txt. Figures of these on the same sets mean nothing.

--data holds the unpacked sets, --features what the example dump_features made of them, a pair of files a set; --nameless
what `dump_features --nameless` did. --tools is the folder of the built examples. README.md beside this file says where the
sets come from.
"""

import argparse
import hashlib
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from urllib.parse import urlsplit

import lightgbm as lgb
import numpy as np

from labels import marked_by_snippets, share_in_gold
from tables import write_table

# The order counts: rows are drawn at random in it.
SETS = [
    "text-wcxb-dev",
    "text-aeb",
    "text-cleaneval-dev",
    "text-trafilatura",
    "text-marked/zh-cwced",
    "text-marked/fundus",
    "text-marked/en-blogs-comments",
    "text-marked/zh-blogs",
    "text-marked/misinfo-crawler",
    "text-marked/other-blogs",
    "text-marked/mercury-fixtures",
    "text-marked/newspaper",
    "text-marked/ftr-wrapped",
    "manuals",
    "splices",
    "briefs",
    "boards",
    "plain",
    "empty",
]
# Made by the scripts here: learnt from, not tested on, but for the short posts.
MADE = {"manuals", "splices", "boards", "plain", "empty"}
# Sets whose pages are all of one type, but for some sites.
TYPED = {
    "text-aeb": "article",
    "fundus": "article",
    "misinfo-crawler": "article",
    "newspaper": "article",
    "mercury-fixtures": "article",
    "en-blogs-comments": "article",
    "zh-blogs": "article",
    "other-blogs": "article",
}
FORUMS = {"php-users-jp/bbs", "yoshiaki99/2ch-besthit"}
# Of the scorer's kinds of sets: name and licence; said in the tables.
LICENCES = {
    "wcxb": "the development part of WCXB (CC-BY-4.0)",
    "aeb": "the article extraction benchmark (MIT)",
    "cleaneval": "CleanEval",
    "trafilatura": "trafilatura snippets (Apache-2.0)",
    "marked": "pages marked by people, by parsers and containers of their sites, and made of these (README.md)",
}
# In the order of PageType::CLASSES; the table of types tells articles of so few words from others, behind these.
CLASSES = ["article", "collection", "documentation", "forum", "listing", "product", "service", "empty"]
BRIEF = "brief"
BRIEF_TOKENS = (3, 60)
# As in src/text/choice/mod.rs: pages that are so by this probability are judged by a table of their own, if it takes so few words.
BRIEF_FROM = 0.15
MAX_BRIEF_UNITS = 80

COMMON = {
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 63,
    "num_threads": 2,  # sums differ in their last digits with other numbers of threads
    "seed": 1,
    "use_missing": False,
    "verbosity": -1,
}
TYPES = COMMON | {
    "objective": "multiclass",
    "num_class": len(CLASSES) + 1,
    "learning_rate": 0.08,
    "num_leaves": 8,
    "min_data_in_leaf": 12,
    "feature_fraction": 0.3,
}
TYPES_ROUNDS = 100
BLOCKS = COMMON | {
    "objective": "cross_entropy",
    "learning_rate": 0.1,
    "num_leaves": 31,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.35,
    "bagging_fraction": 0.7,
}
BLOCKS_ROUNDS = 180
# The ensembles that are asked about doubtful blocks too: their questions have thresholds drawn at random, of which the
# best is taken, so that they err elsewhere than the first. Log-odds that are doubtful: as in src/text/choice.
MORE = [BLOCKS | {"extra_trees": True, "seed": seed} for seed in (1, 2)]
MORE_ROUNDS = 220
DOUBTFUL = 1.5
# How good a choice is: learnt from what the tables of the folds chose, beside texts that tools did not make.
CONFIDENCE = COMMON | {
    "objective": "cross_entropy",
    "learning_rate": 0.06,
    "num_leaves": 7,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.6,
}
CONFIDENCE_ROUNDS = 70
TOOLS = {"mercury-fixtures", "newspaper", "ftr-wrapped"}
# Made sets that confidence is learnt from, and their weight.
CONFIDED = {"briefs": 0.1, "empty": 0.1}
LENGTHS = [1, 15, 40, 80, 160, 320, 640, 1280, 10**9]

# Weight of a page of a set: what tools and wrappers gave is no gold, copies and pages of one site count for less.
WEIGHTS = {
    "text-aeb": 1.5,
    "en-blogs-comments": 0.8,
    "mercury-fixtures": 0.5,
    "newspaper": 0.5,
    "ftr-wrapped": 0.5,
    "manuals": 0.3,
    "splices": 0.35,
    "briefs": 0.1,
    "boards": 0.6,
    "plain": 0.2,
}
# Weight of a short post where the table of its own is learnt.
BRIEF_WEIGHT = 1.0
# Weight of a page where types are learnt; of sets whose pages are all of one.
TYPE_WEIGHTS = {"manuals": 0.08, "splices": 0.05, "briefs": 0.3, "boards": 0.4, "plain": 0.2, "empty": 0.3}
TYPED_WEIGHT = 0.3
# Weight of a page by its type: most marked pages are articles, which would make every doubtful page one.
CLASS_WEIGHTS = {"listing": 2.5, "service": 1.5, "documentation": 1.5, "collection": 1.6}
# One page in this many is also learnt from without the names of its elements; weight of these copies.
NAMELESS_PART = 3
NAMELESS_WEIGHT = 0.5
# Weight of all blocks of a page that snippets mark.
SNIPPETS_WEIGHT = 1.5
# Blocks of fewer words are thinned to this share, and weigh as much more.
SHORT_UNITS = 4
SHORT_SHARE = 0.4
# Pages whose marked text is empty and that hold no more words of prose than this are of the type "empty".
EMPTY_PROSE = 80
# As in src/text: added to a block's length when it is judged; copies of longer blocks are dropped.
EXTRA_UNITS = 0.3
REPEATABLE_BYTES = 40


@dataclass
class Example:
    """A page that has blocks."""

    set: str
    kind: str
    id: str
    site: str
    group: str
    texts: list
    units: np.ndarray
    rows: np.ndarray | None  # features, a row a block
    page_row: np.ndarray  # features of the page
    labels: np.ndarray  # 0 to 1 a block; NaN where nothing is known
    fold: int = 0
    part: slice | None = None  # its rows among all
    article: float = 0.0  # how likely it is an article
    brief: float = 0.0  # and one of a few words
    nameless: bool = False  # a copy to learn from, whose elements have lost their names
    donors: tuple = ()  # sites that parts of the page were taken from
    sources: tuple = ()  # sets that the page was made of


# --- Reading ---------------------------------------------------------------------------------------------------------


def load_scorer(path):
    spec = spec_from_file_location("score_text", path)
    module = sys.modules["score_text"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def site_of(url):
    """The registrable part of an URL's host, nearly: two labels, or three below such as co.uk."""
    host = (urlsplit(url).hostname or "?").split(".")
    below_country = len(host) >= 3 and len(host[-1]) == 2 and len(host[-2]) <= 3
    return ".".join(host[-3 if below_country else -2 :])


def fold_of(site, folds):
    return int(hashlib.md5(site.encode()).hexdigest(), 16) % folds


def site_of_marked(item):
    """The site of a page of a marked set: as stated, of its address, or of an id that begins with a host."""
    if item.get("site"):
        return item["site"]
    host = re.match(r"((?:[a-z0-9-]+\.)+[a-z]{2,})", item["id"])
    return site_of(item["url"] or (f"http://{host[1]}" if host else "")) if item["url"] or host else item["id"]


def load(args, scorer, path, nameless=False):
    """(kind, pages of the scorer, examples) of a set."""
    name = Path(path).name
    folder = args.nameless if nameless else args.features
    kind, pages = scorer.load_set(args.data / path)
    by_id = {page.id: page for page in pages}
    marked = {}
    if kind == "marked":
        marked = {item["id"]: item for _, item in scorer.read_jsonl(args.data / path / "gold.jsonl")}
    token = scorer.TOKEN["cjk"]
    names = (args.features / "features.txt").read_text(encoding="utf-8").split()
    prose = names.index("page_ln_prose") - names.index("page_ln_blocks")
    values = np.fromfile(folder / f"{name}.f32", dtype="<f4")
    examples, at = [], 0
    with open(folder / f"{name}.jsonl", encoding="utf-8") as lines:
        for line in lines:
            item = json.loads(line)
            texts, width = item["texts"], item["width"]
            rows = values[at : at + len(texts) * width].reshape(len(texts), width)
            at += rows.size
            page = by_id.get(item["id"])
            if page is None or not texts or (nameless and fold_of(page.id, NAMELESS_PART)):
                continue
            labels = marked_by_snippets(texts, page) if page.gold is None else share_in_gold(texts, page.gold, token)
            about = marked.get(page.id, {})
            site = site_of_marked(about) if about else site_of(page.url) if page.url else page.id
            if about and about.get("text") is None:
                labels = np.full(len(texts), np.nan, np.float32)
            units = np.array(item["units"], np.float32)
            page_row = rows[0, width - item["page_width"] :].copy()
            group = page.group if kind == "wcxb" else about.get("type") or TYPED.get(name, "")
            group = "forum" if site in FORUMS else group
            if page.gold == "" and kind == "wcxb" and np.expm1(page_row[prose]) <= EMPTY_PROSE:
                group = "empty"
            few = page.gold is not None and BRIEF_TOKENS[0] <= len(token.findall(page.gold)) <= BRIEF_TOKENS[1]
            if name == "briefs" or (group == "article" and few):
                group = BRIEF
            example = Example(name, kind, page.id, site, group, texts, units, rows, page_row, labels)
            example.fold = fold_of(site, args.folds)
            example.nameless = nameless
            example.donors = tuple(about.get("donors") or ())
            example.sources = tuple([about["host_set"], *about["donor_sets"]] if "host_set" in about else ())
            examples.append(example)
    if at != len(values):
        sys.exit(f"{name}: .f32 and .jsonl do not belong together")
    return kind, pages, examples


# --- Training --------------------------------------------------------------------------------------------------------


def learn_types(examples, train, folds):
    """(probabilities of CLASSES for each page, features and classes of the pages trained on, a table a fold).

    A page's probabilities come from a table that was not trained on its fold, so that the table of blocks learns how far
    to believe them. Short posts are told apart in `brief` of each example, and are articles.
    """
    classes = [*CLASSES, BRIEF]
    out = np.zeros((len(examples), len(classes)), np.float32)
    typed = train & np.array([e.group != "" for e in examples])
    if not typed.any():
        sys.exit("no set that marks page types")
    X = np.stack([e.page_row for e in examples])
    y = np.array([classes.index(e.group) if e.group else -1 for e in examples])
    fold = np.array([e.fold for e in examples])
    weights = np.array([type_weight(e) for e in examples])
    tables = []
    for f in range(folds):
        rows = typed & (fold != f) & ~made_of(examples, f, folds)
        tables.append(lgb.train(TYPES, lgb.Dataset(X[rows], y[rows], weight=weights[rows]), TYPES_ROUNDS))
        if (fold == f).any():
            out[fold == f] = tables[-1].predict(X[fold == f])
    for name in dict.fromkeys(e.set for e in examples if e.set != "splices"):
        mine = typed & np.array([e.set == name and not e.nameless for e in examples])
        if mine.any():
            right = out[mine].argmax(1) == y[mine]
            recall = ", ".join(
                f"{c} {right[y[mine] == i].mean():.2f}" for i, c in enumerate(classes) if (y[mine] == i).any()
            )
            print(f"page types, {name}: accuracy {right.mean():.3f} on other folds; recall {recall}", flush=True)
    for example, brief in zip(examples, out[:, -1]):
        example.brief = brief
    out[:, CLASSES.index("article")] += out[:, -1]
    return out[:, :-1], (X[typed], y[typed], weights[typed]), tables


def type_weight(example):
    """Weight of a page where types are learnt."""
    weight = TYPE_WEIGHTS.get(example.set, TYPED_WEIGHT if example.set in TYPED else 1)
    return weight * CLASS_WEIGHTS.get(example.group, 1) * (NAMELESS_WEIGHT if example.nameless else 1)


def made_of(examples, fold, folds):
    """For each page whether parts of it are of sites of a fold."""
    return np.array([any(fold_of(donor, folds) == fold for donor in e.donors) for e in examples])


def weights_of(example, weights=WEIGHTS):
    """Weight of each block: more for longer ones, but less than in proportion; 0 where nothing is known.

    What a page's blocks weigh together falls with its length, more so with the length of its marked text: where that is
    short, each word too much counts for more in the F1 of the page.
    """
    length = (example.units + 1) ** 0.75
    share = NAMELESS_WEIGHT if example.nameless else 1
    if example.kind == "trafilatura":
        known = ~np.isnan(example.labels)
        total = length[known].sum() + 1e-9
        return np.where(known, length / total * SNIPPETS_WEIGHT * share, 0)
    if np.isnan(example.labels).any() or not example.labels.any():
        return np.zeros(len(length))
    marked = (example.labels * length).sum()
    return length / (0.7 * marked + 0.3 * length.sum()) ** 0.8 * 4 * weights.get(example.set, 1) * share


def feature_names(args, examples):
    """Names of the features of a block's row, and of those of the page among them."""
    names = (args.features / "features.txt").read_text(encoding="utf-8").split()
    end = len(names) - len(CLASSES)
    return names, names[end - len(examples[0].page_row) : end]


class Rows:
    """The blocks of all pages, one below the other; the probabilities of page types stand after the features."""

    def __init__(self, examples, types):
        n = sum(len(e.texts) for e in examples)
        width = examples[0].rows.shape[1]
        self.X = np.zeros((n, width + len(CLASSES)), np.float32)
        labels = np.zeros(n, np.float32)
        # Of the tables for all pages, and of the one for short posts.
        weights = np.zeros((2, n), np.float32)
        tables = (WEIGHTS, WEIGHTS | {"briefs": BRIEF_WEIGHT})
        rng = np.random.default_rng(1)
        at = 0
        for example, probabilities in zip(examples, types):
            part = example.part = slice(at, at + len(example.texts))
            at = part.stop
            self.X[part, :width] = example.rows
            self.X[part, width:] = probabilities
            example.rows = None
            example.article = probabilities[CLASSES.index("article")]
            labels[part] = np.nan_to_num(example.labels)
            long = example.units >= SHORT_UNITS
            drawn = long | (rng.random(len(long)) < SHORT_SHARE)
            for own, of in zip(weights, tables):
                own[part] = weights_of(example, of) * np.where(long, 1, 1 / SHORT_SHARE) * drawn
        self.used = np.flatnonzero(weights[0] > 0)
        self.weights = weights[:, self.used]
        print(f"{n} blocks, {len(self.used)} used, {self.X.shape[1]} features", flush=True)
        binning = {k: BLOCKS[k] for k in ("max_bin", "min_data_in_leaf", "use_missing", "verbosity")}
        self.data = lgb.Dataset(
            self.X[self.used], labels[self.used], weight=self.weights[0], params=binning, free_raw_data=False
        ).construct()

    def of(self, examples, chosen):
        """For each block whether its page is chosen."""
        out = np.zeros(len(self.X), bool)
        for example, yes in zip(examples, chosen):
            out[example.part] = yes
        return out

    def train(self, rows=None):
        """Boosters from some of the rows (a mask), or from all: for all blocks, for doubtful ones (several), for short posts."""
        mine = slice(None) if rows is None else np.flatnonzero(rows[self.used])
        data = self.data if rows is None else self.data.subset(mine).construct()
        first = lgb.train(BLOCKS, data, BLOCKS_ROUNDS)
        more = [lgb.train(params, data, MORE_ROUNDS) for params in MORE]
        brief = lgb.train(BLOCKS, data.set_weight(self.weights[1, mine]), BLOCKS_ROUNDS)
        return first, more, brief


def log_odds(boosters, X, examples):
    """Of all blocks of some pages by the first booster, of doubtful ones the mean of several; of short posts by their own."""
    first, more, brief = boosters
    scores = first.predict(X, raw_score=True)
    doubtful = np.abs(scores) < DOUBTFUL
    if doubtful.any():
        all_scores = [scores[doubtful], *(booster.predict(X[doubtful], raw_score=True) for booster in more)]
        scores[doubtful] = np.mean(all_scores, axis=0)
    at = 0
    for example in examples:
        part = slice(at, at := at + len(example.texts))
        if example.brief >= BRIEF_FROM:
            own = brief.predict(X[part], raw_score=True)
            if example.units[kept(example, own)].sum() <= MAX_BRIEF_UNITS:
                scores[part] = own
    return scores


# --- Measuring -------------------------------------------------------------------------------------------------------


def run(args, tool, *more):
    subprocess.run([args.tools / tool, *more], check=True)


def threshold(p, units):
    """The threshold of highest expected F1, as in src/text/choice/score.rs."""
    order = np.argsort(-p, kind="stable")
    hits = (p * units)[order]
    f1 = 2 * np.cumsum(hits) / (np.cumsum(units[order]) + hits.sum() + 1e-9)
    return p[order[f1.argmax()]]


def kept(example, scores):
    """Which blocks are chosen."""
    p = 1 / (1 + np.exp(-scores * (1 + example.article)))
    return p >= threshold(p, example.units + EXTRA_UNITS)


def extract(example, scores):
    """The text of the chosen blocks, a line each, long ones once.

    As src/text/choice/mod.rs does it, but for labels, comments, tails and hidden copies.
    """
    seen, out = set(), []
    for text in (t for t, k in zip(example.texts, kept(example, scores)) if k):
        if len(text) > REPEATABLE_BYTES:
            if text in seen:
                continue
            seen.add(text)
        out.append(text)
    return "\n".join(out)


def report(scorer, sets, examples, scores, tested):
    """Prints the figures of the sets in `tested`."""
    print("\n--- the choice of blocks")
    for name in tested:
        kind, pages, _ = sets[name]
        texts = {e.id: extract(e, scores[e.part]) for e in examples if e.set == name and not e.nameless}
        _, groups = scorer.score_set(pages, texts)
        scorer.print_groups(kind, groups)
    print(flush=True)


def predict(args, sets, tested, *how):
    """Has extraction write the texts of sets with the tables of the folds; (set, file) of each."""
    for name in dict.fromkeys(tested):
        out = args.tables / f"{name}{''.join(how)}.jsonl"
        path = next(path for path in args.sets if Path(path).name == name)
        run(args, "predict_text", "--folds", args.tables, *how, args.data / path, out)
        yield name, out


def report_written(args, scorer, sets, tested, *how):
    """Prints the figures of what extraction writes with the tables of the folds."""
    print("\n--- as written by extraction", *how)
    for name, out in predict(args, sets, tested, *how):
        kind, pages, _ = sets[name]
        texts, _ = scorer.load_predictions(out, pages)
        _, groups = scorer.score_set(pages, texts)
        scorer.print_groups(kind, groups)
    print(flush=True)


def judged(args, scorer, sets, examples, tested):
    """What is known of each choice that extraction made by the folds' tables, its F1, its fold, its words, its set."""
    fold = {(e.set, e.id): e.fold for e in examples}
    token = scorer.TOKEN["cjk"]
    X, y, folds, words, names = [], [], [], [], []
    for name in dict.fromkeys(tested):
        kind, pages, _ = sets[name]
        if kind == "trafilatura" or name in TOOLS:
            continue
        by_id = {page.id: page for page in pages}
        for _, item in scorer.read_jsonl(args.tables / f"{name}.jsonl"):
            page = by_id.get(item["id"])
            if page is None or not item["text"] or not item["sure_of"] or (name, page.id) not in fold:
                continue
            X.append(item["sure_of"])
            y.append(scorer.score_page(page, item["text"], token)["token"][2])
            folds.append(fold[(name, page.id)])
            words.append(len(token.findall(item["text"])))
            names.append(name)
    return np.array(X, np.float32), np.array(y), np.array(folds), np.array(words), np.array(names)


def learn_confidence(X, y, names):
    weight = np.array([CONFIDED.get(name, 1.0) for name in names])
    return lgb.train(CONFIDENCE, lgb.Dataset(X, y, weight=weight), CONFIDENCE_ROUNDS)


def confide(args, scorer, sets, examples, tested):
    """Learns confidence for each fold from the others', and prints what is said of texts of each length and what they have.

    What `final` learns from is kept in the folder of the folds."""
    names = (args.features / "confidence.txt").read_text(encoding="utf-8").split()
    dict(predict(args, sets, tested))
    X, y, folds, words, of = judged(args, scorer, sets, examples, tested)
    np.savez(args.tables / "confidence.npz", X=X, y=y, names=of)
    says = np.zeros(len(y))
    for f in range(args.folds):
        booster = learn_confidence(X[folds != f], y[folds != f], of[folds != f])
        write_table([booster], args.tables / str(f) / "confidence.txt", names)
        says[folds == f] = booster.predict(X[folds == f])
    for title, mine in (("all", of != ""), ("marked pages alone", ~np.isin(of, list(CONFIDED)))):
        print(f"\n--- confidence on other folds, {title}: words of the text, pages, says, has")
        for low, high in zip(LENGTHS, LENGTHS[1:]):
            part = mine & (words >= low) & (words < high)
            if part.any():
                print(f"{low:6} {part.sum():6} {says[part].mean():8.3f} {y[part].mean():8.3f}")
    print(flush=True)


def cross_validate(args, scorer, sets, examples):
    types, _, type_tables = learn_types(examples, np.ones(len(examples), bool), args.folds)
    names, page_names = feature_names(args, examples)
    rows = Rows(examples, types)
    scores = np.zeros(len(rows.X))
    args.tables.mkdir(parents=True, exist_ok=True)
    (args.tables / "folds.json").write_text(json.dumps({f"{e.set}/{e.id}": e.fold for e in examples}))
    for f in range(args.folds):
        start = time.monotonic()
        held = rows.of(examples, [e.fold == f for e in examples])
        boosters = rows.train(~held & ~rows.of(examples, made_of(examples, f, args.folds)))
        folder = args.tables / str(f)
        folder.mkdir(exist_ok=True)
        (folder / "confidence.txt").unlink(missing_ok=True)
        write_table([type_tables[f]], folder / "types.txt", page_names)
        for name, table in zip(("blocks", "doubtful", "brief"), ([boosters[0]], boosters[1], [boosters[2]])):
            write_table(table, folder / f"{name}.txt", names)
        if held.any():
            scores[held] = log_odds(boosters, rows.X[held], [e for e in examples if e.fold == f])
        print(f"fold {f}: {time.monotonic() - start:.0f} s", flush=True)
    tested = [name for name in sets if name not in MADE]
    report(scorer, sets, examples, scores, tested)
    confide(args, scorer, sets, examples, [*tested, *CONFIDED])
    report_written(args, scorer, sets, tested)
    report_written(args, scorer, sets, [name for name in tested if sets[name][0] != "trafilatura"], "--nameless")


def transfer(args, scorer, sets, examples):
    tested = [name for name in sets if name not in args.train and name not in MADE]
    unknown = set(args.train) - set(sets)
    if unknown or not tested:
        sys.exit(f"--train: some, not all, of {', '.join(sets)}")
    lent = [any(source not in args.train for source in e.sources) for e in examples]
    shared = {e.site for e in examples if e.set in tested} if args.disjoint else set()
    train = np.array([e.set in args.train and e.site not in shared for e in examples]) & ~np.array(lent)
    print(f"training on {train.sum()} pages", flush=True)
    types, _, _ = learn_types(examples, train, args.folds)
    rows = Rows(examples, types)
    scores = log_odds(rows.train(rows.of(examples, train)), rows.X, examples)
    report(scorer, sets, examples, scores, tested)


def final(args, scorer, sets, examples):
    args.out.mkdir(parents=True, exist_ok=True)
    names, page_names = feature_names(args, examples)
    version = f"LightGBM {lgb.__version__}"
    types, (X, y, weights), _ = learn_types(examples, np.ones(len(examples), bool), args.folds)
    table = lgb.train(TYPES, lgb.Dataset(X, y, weight=weights), TYPES_ROUNDS)
    typed = {name: sum(1 for e in mine if e.group) for name, (_, _, mine) in sets.items()}
    sources = "; ".join(dict.fromkeys(LICENCES[kind] for name, (kind, _, _) in sets.items() if typed[name]))
    write_table(
        [table],
        args.out / "types.txt",
        page_names,
        "Page types: one tree a class in turn, classes in the order of PageType::CLASSES, then short posts.",
        f"{version}: {TYPES_ROUNDS} rounds of {len(CLASSES) + 1} trees of at most {TYPES['num_leaves']} leaves, "
        f"learning rate {TYPES['learning_rate']}.",
        f"Data: {sources}, {sum(typed.values()):,} pages, some a second time without the names of their elements.",
    )
    first, more, brief = Rows(examples, types).train()
    size = f"trees of at most {BLOCKS['num_leaves']} leaves, learning rate {BLOCKS['learning_rate']}"
    how = (
        "Objective cross entropy; weight of a block by its length and its page's.",
        f"Data: {', '.join(dict.fromkeys(LICENCES[kind] for kind, _, _ in sets.values()))}; some pages a second time without the names of "
        "their elements.",
    )
    what = "Log-odds that a block is main text."
    write_table([first], args.out / "blocks.txt", names, what, f"{version}: {BLOCKS_ROUNDS} {size}.", *how)
    short = "Log-odds that a block of a short post's page is main text: as blocks.txt, with more weight for short posts."
    write_table([brief], args.out / "brief.txt", names, short, f"{version}: {BLOCKS_ROUNDS} {size}.", *how)
    what = f"Sum of the log-odds that a block is main text, by {len(MORE)} ensembles one after the other."
    extra = f"{version}: {MORE_ROUNDS} {size}, thresholds drawn at random, in each."
    write_table(more, args.out / "doubtful.txt", names, what, extra, *how)
    known = np.load(args.tables / "confidence.npz")
    write_table(
        [learn_confidence(known["X"], known["y"], known["names"])],
        args.out / "confidence.txt",
        (args.features / "confidence.txt").read_text(encoding="utf-8").split(),
        "Log-odds of the F1 of a choice of blocks.",
        f"{version}: {CONFIDENCE_ROUNDS} trees of at most {CONFIDENCE['num_leaves']} leaves, learning rate {CONFIDENCE['learning_rate']}.",
        f"Data: what tables of other folds chose on {len(known['y']):,} of these pages.",
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run in (("cv", cross_validate), ("transfer", transfer), ("final", final)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of unpacked sets")
        command.add_argument("--features", type=Path, required=True, metavar="DIR", help="what dump_features wrote")
        command.add_argument("--nameless", type=Path, metavar="DIR", help="what dump_features --nameless made of them")
        command.add_argument("--eval", type=Path, required=True, metavar="FILE", help="the scorer, score_text.py")
        command.add_argument("--sets", nargs="+", default=SETS, metavar="SET", help=f"default: {' '.join(SETS)}")
        command.add_argument("--folds", type=int, default=4, help="parts that sites are divided into (default: 4)")
        if name == "final":
            command.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the tables go")
        if name == "cv":
            command.add_argument("--tools", type=Path, required=True, metavar="DIR", help="folder of the built examples")
        if name in ("cv", "final"):
            command.add_argument("--tables", type=Path, required=True, metavar="DIR", help="where cv puts the folds' tables")
        if name == "transfer":
            command.add_argument("--train", nargs="+", required=True, metavar="SET", help="sets to train on")
            command.add_argument("--disjoint", action="store_true", help="do not train on sites of the other sets")
    args = parser.parse_args()
    scorer = load_scorer(args.eval)
    start = time.monotonic()
    sets = {Path(path).name: load(args, scorer, path) for path in args.sets}
    examples = [example for _, _, mine in sets.values() for example in mine]
    if args.nameless:
        examples += [e for path in args.sets for e in load(args, scorer, path, nameless=True)[2]]
    print(f"{len(examples)} pages read and labelled, {time.monotonic() - start:.0f} s", flush=True)
    args.run(args, scorer, sets, examples)


if __name__ == "__main__":
    main()
