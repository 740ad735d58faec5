#!/usr/bin/env python3
"""Classification beside scikit-learn: how good, and how long from files to predictions.

    python3 -m venv target/peers/learn
    target/peers/learn/bin/pip install -r benches/peers/learn_requirements.txt
    cargo build --release
    target/peers/learn/bin/python benches/peers/learn.py FOLDER [--program target/release/webmill] [--sets r8,webkb] [--runs 3]

FOLDER holds 20news, reuters, webkb, thuc-titles and zh4 (evaluation data `learn`). Each set is laid out once for both, as files in a folder a class or as a
table of lines, and both begin with these files. scikit-learn: sublinear tf-idf, words on 2 pages or more; Chinese cut by jieba; HTML by taking out
tags. webmill: `learn train --test`, method by method with all words (`--features 0`; χ² 5,000 where it says so), and method auto. What webmill does
beside in that time: digests of all files, calibration on a tenth, tables; the learning curve is off. Both are programs that are started anew for each
run. Three ratios: of the clock from start to end; of the clock without what Python takes to start and import (webmill's start counts); of
the processor's seconds from start to end.
"""

import argparse
import html
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

R8 = "acq crude earn grain interest money-fx ship trade".split()
QUOTE = re.compile(r"(writes in|writes:|wrote:|says:|said:|^In article|^Quoted from|^\||^>)")


def lay_out(source, target):
    """Folders and files of all sets, for both programs."""
    if target.exists():
        return
    made = target.with_suffix(".partial")
    shutil.rmtree(made, ignore_errors=True)
    cats = dict(
        (line.split()[0], line.split()[1:]) for line in open(source / "reuters/cats.txt")
    )
    for name, topics in cats.items():
        if len(topics) == 1 and topics[0] in R8:
            part, number = name.split("/")
            folder = made / "r8" / part / topics[0]
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / "reuters" / name, folder / number)
    for kind in ("student", "faculty", "course", "project"):
        for university in (source / "webkb" / kind).iterdir():
            part = "test" if university.name in ("cornell", "washington") else "training"
            folder = made / "webkb" / part / kind
            folder.mkdir(parents=True, exist_ok=True)
            for file in university.iterdir():
                shutil.copy(file, folder / file.name)
    made.rename(target)


def sets(source, made):
    """Name: training part, test part, options of webmill, kind of texts."""
    return {
        "20news": (source / "20news/20news-bydate-train", source / "20news/20news-bydate-test", ["--mail"], "mail"),
        "r8": (made / "r8/training", made / "r8/test", [], "text"),
        "webkb": (made / "webkb/training", made / "webkb/test", ["--set", "learn.whole=true"], "html"),
        "thuc": (source / "thuc-titles/dev.txt", source / "thuc-titles/test.txt", [], "lines"),
        "zh4": (source / "zh4/train", source / "zh4/test", [], "chinese"),
    }


def read(path, kind):
    """Texts and classes."""
    if kind == "lines":
        rows = [line.rstrip("\n").split("\t") for line in open(path, encoding="utf-8") if line.strip()]
        return [row[0] for row in rows], [row[1] for row in rows]
    texts, classes = [], []
    for folder in sorted(path.iterdir()):
        for file in sorted(folder.iterdir()):
            bytes_ = file.read_bytes()
            text = bytes_.decode("gb18030" if kind == "chinese" else "latin-1", errors="replace")
            if kind == "mail":
                text = text.split("\n\n", 1)[-1]
                text = "\n".join(line for line in text.split("\n") if not QUOTE.search(line))
            elif kind == "html":
                text = html.unescape(re.sub(r"(?s)<[^>]*>", " ", text))
            texts.append(text)
            classes.append(folder.name)
    return texts, classes


METHODS = ["complement-bayes", "svm", "chi2+svm", "logistic", "neighbours"]


def scikit(training, test, kind, method):
    """Accuracy, macro F1, seconds by the clock once all is imported."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.feature_selection import SelectKBest, chi2
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, f1_score
    from sklearn.naive_bayes import ComplementNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import LinearSVC

    if kind in ("lines", "chinese"):
        import jieba

        jieba.setLogLevel(60)
    begin = time.perf_counter()
    texts, classes = read(training, kind)
    test_texts, truth = read(test, kind)
    options = {}
    if kind in ("lines", "chinese"):
        options = {"tokenizer": jieba.lcut, "token_pattern": None}
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=2, **options)
    rows, test_rows = vectorizer.fit_transform(texts), vectorizer.transform(test_texts)
    if method == "chi2+svm":
        chosen = SelectKBest(chi2, k=min(5000, rows.shape[1])).fit(rows, classes)
        rows, test_rows = chosen.transform(rows), chosen.transform(test_rows)
    model = {
        "complement-bayes": lambda: ComplementNB(alpha=0.1),
        "svm": lambda: LinearSVC(C=1),
        "chi2+svm": lambda: LinearSVC(C=1),
        "logistic": lambda: LogisticRegression(max_iter=1000),
        "neighbours": lambda: KNeighborsClassifier(15, metric="cosine", weights="distance"),
    }[method]()
    told = model.fit(rows, classes).predict(test_rows)
    seconds = time.perf_counter() - begin
    return accuracy_score(truth, told), f1_score(truth, told, average="macro"), seconds


def peer(name, method, folder):
    """The same in a Python of its own: accuracy, macro F1, seconds by the clock, of the processor, and by the clock once all is imported."""
    begin, cpu_begin = time.perf_counter(), cpu_of_children()
    done = subprocess.run(
        [sys.executable, __file__, str(folder), "--peer", f"{name},{method}"], capture_output=True, text=True
    )
    seconds, cpu = time.perf_counter() - begin, cpu_of_children() - cpu_begin
    if done.returncode:
        sys.exit(done.stderr)
    accuracy, f1, inner = map(float, done.stdout.split())
    return accuracy, f1, seconds, cpu, inner


def cpu_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def webmill(program, training, test, options, method):
    """Accuracy, macro F1, seconds by the clock and of the processor."""
    extra = {"auto": [], "chi2+svm": ["--method", "svm", "--set", "learn.features=5000"]}.get(
        method, ["--method", method, "--set", "learn.features=0"]
    )
    with tempfile.TemporaryDirectory() as out:
        begin, cpu_begin = time.perf_counter(), cpu_of_children()
        command = [program, "learn", "train", training, "--test", test, "--set", "learn.curve=false", "--out", out, *options, *extra]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        seconds, cpu = time.perf_counter() - begin, cpu_of_children() - cpu_begin
    found = re.search(r"accuracy ([\d.]+), macro F1 ([\d.]+), cal", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{command}: {done.stderr}")
    return float(found[1]), float(found[2]), seconds, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", default="target/release/webmill")
    parser.add_argument("--sets", default="20news,r8,webkb,thuc,zh4")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    args = parser.parse_args()
    made = pathlib.Path("target/peers/learn-data")
    lay_out(args.folder, made)
    if args.peer:
        name, method = args.peer.split(",")
        training, test, _, kind = sets(args.folder, made)[name]
        return print(*scikit(training, test, kind, method))
    print(
        f"{'set':8} {'method':18} {'webmill acc/F1':>15} {'scikit acc/F1':>15} {'s':>7} {'scikit s':>8}"
        "  times faster: min median max; once all is imported; by CPU seconds"
    )
    for name in args.sets.split(","):
        training, test, options, kind = sets(args.folder, made)[name]
        for method in [*args.methods.split(","), "auto"]:
            # By turns: what else the machine does falls on both.
            ours, peers = [], []
            for _ in range(args.runs):
                ours.append(webmill(args.program, training, test, options, method))
                if method != "auto":
                    peers.append(peer(name, method, args.folder))
            line = f"{name:8} {method:18} {ours[0][0]:7.4f}/{ours[0][1]:.4f}"
            seconds = statistics.median(run[2] for run in ours)
            if method == "auto":
                print(f"{line} {'':15} {seconds:7.2f}", flush=True)
                continue
            pairs = list(zip(peers, ours))
            ratios, cpu, inner = (
                sorted(peer[at] / own[of] for peer, own in pairs)
                for at, of in ((2, 2), (3, 3), (4, 2))
            )
            print(
                f"{line} {peers[0][0]:8.4f}/{peers[0][1]:.4f} {seconds:7.2f} {statistics.median(p[2] for p in peers):8.2f}"
                f"  {ratios[0]:.1f} {statistics.median(ratios):.1f} {ratios[-1]:.1f}"
                f"; {inner[0]:.1f} {statistics.median(inner):.1f} {inner[-1]:.1f}"
                f"; {cpu[0]:.1f} {statistics.median(cpu):.1f} {cpu[-1]:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
