#!/usr/bin/env python3
"""Verdicts of webmill's filters beside those of datatrove's, page by page and language by language, and pages a second.

    filters.py PROGRAM RESULTS... [--most N] [--timed N] [--show]

RESULTS are folders of `webmill run`. `webmill filter` is called for each filter by itself, then datatrove's filter of the same name is asked of the same texts
(a Python with filters_requirements.txt). Equal is what both keep and what both drop. Printed by filter and language: texts, share of equal verdicts, texts that only
one drops; with --show the addresses of these. Chinese is asked for as cmn: in datatrove 0.10.1 the code zh leads to a tokenizer
without segmentation. Then texts a second of both on one thread, by turns: five filters of webmill with the job of signals, and datatrove's on N texts that
stand at equal distances.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time

TWO = {"eng": "en", "zho": "cmn", "deu": "de", "fra": "fr", "spa": "es", "ita": "it", "rus": "ru", "por": "pt", "nld": "nl", "pol": "pl",
       "ell": "el", "swe": "sv", "dan": "da", "ces": "cs", "hun": "hu", "fin": "fi", "ron": "ro", "ukr": "uk", "bul": "bg", "tur": "tr", "nob": "nb"}  # fmt: skip


def texts(results, most):
    import pyarrow.parquet as pq

    for folder in results:
        path = os.path.join(folder, "extract/latest/texts")
        for name in sorted(os.listdir(path)):
            table = pq.read_table(os.path.join(path, name), columns=["url", "text", "language", "is_current"])
            for row in table.to_pylist():
                if row["is_current"] and most > 0:
                    most -= 1
                    yield row["url"], row["text"], row["language"]


def dropped(program, results, name):
    """URLs that a filter drops, with its rule."""
    import pyarrow.parquet as pq

    found = {}
    for folder in results:
        with tempfile.TemporaryDirectory() as out:
            # Only the verdicts count: a folder of its own takes the texts.
            command = [program, "filter", folder, "--by", name, "--out", os.path.join(out, "o")]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode not in (0, 1):
                sys.exit(done.stderr)
            for row in pq.read_table(os.path.join(out, "o/filtered")).to_pylist():
                found[row["url"]] = row["rule"]
    return found


def peers(language):
    from datatrove.pipeline.filters import C4QualityFilter, FineWebQualityFilter, GopherQualityFilter, GopherRepetitionFilter
    from datatrove.pipeline.filters.c4_filters import C4ParagraphFilter

    code = TWO[language]
    return {"gopher-repetition": GopherRepetitionFilter(language=code), "gopher-quality": GopherQualityFilter(language=code),
            "c4": C4QualityFilter(language=code), "mc4": C4ParagraphFilter(), "fineweb": FineWebQualityFilter(language=code)}  # fmt: skip


def verdict(one, text):
    from datatrove.data import Document

    try:
        answer = one.filter(Document(text=text, id="0", metadata={}))
    except (ZeroDivisionError, ValueError, AssertionError) as error:  # an empty list of words
        return f"error {type(error).__name__}"
    return "" if answer is True else (answer[1] if isinstance(answer, tuple) else "dropped")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("results", nargs="+")
    parser.add_argument("--most", type=int, default=1 << 60)
    parser.add_argument("--timed", type=int, default=300, help="texts on which datatrove is timed")
    parser.add_argument("--show", action="store_true")
    args = parser.parse_args()

    names = ["gopher-repetition", "gopher-quality", "c4", "mc4", "fineweb"]
    ours = {name: dropped(args.program, args.results, name) for name in names}
    rows = [row for row in texts(args.results, args.most) if row[2] in TWO]
    filters = {language: peers(language) for language in {row[2] for row in rows}}
    counts = collections.defaultdict(lambda: [0, 0, 0, 0])
    for url, text, language in rows:
        for name in names:
            theirs = verdict(filters[language][name], text)
            mine = ours[name].get(url, "")
            count = counts[name, language]
            count[0] += 1
            count[1] += bool(mine) == bool(theirs)
            count[2] += bool(mine) and not theirs
            count[3] += bool(theirs) and not mine
            if args.show and bool(mine) != bool(theirs):
                print(name, language, "webmill:", mine or "keeps", "datatrove:", theirs or "keeps", url)
    print(f"{'filter':18} {'language':8} {'texts':>7} {'equal':>8} {'only webmill drops':>19} {'only datatrove':>15}")
    for (name, language), (n, equal, mine, theirs) in sorted(counts.items(), key=lambda item: (item[0][0], -item[1][0])):
        print(f"{name:18} {language:8} {n:7} {equal / n:8.2%} {mine:19} {theirs:15}")
    for name in names:
        of = [counts[name, language] for language in filters]
        print(f"{name:18} all      {sum(c[0] for c in of):7} {sum(c[1] for c in of) / sum(c[0] for c in of):8.2%}")

    # Times: the job by itself on one thread, and datatrove's filters on some texts, with a first text for what is loaded once.
    job = []
    for folder in args.results:
        for _ in range(3):
            trial = tempfile.mkdtemp()
            subprocess.run(["cp", "-al", folder, trial + "/r"], check=True)
            subprocess.run(["rm", "-rf", trial + "/r/signals"], check=True)
            begin = time.perf_counter()
            done = subprocess.run([args.program, "filter", trial + "/r", "--by", ",".join(names), "--threads", "1"], capture_output=True, text=True)
            assert done.returncode in (0, 1), done.stderr
            job.append((folder, time.perf_counter() - begin))
            subprocess.run(["rm", "-rf", trial], check=True)
    ours_seconds = sum(sorted(s for f, s in job if f == folder)[1] for folder in args.results)
    all_texts = sum(1 for _ in texts(args.results, 1 << 60))
    step = max(1, len(rows) // args.timed)
    some = rows[::step][: args.timed]
    for _, text, language in some[:1]:
        [verdict(one, text) for one in filters[language].values()]
    begin = time.perf_counter()
    for _, text, language in some:
        [verdict(one, text) for one in filters[language].values()]
    theirs_seconds = time.perf_counter() - begin
    ours_rate, theirs_rate = all_texts / ours_seconds, len(some) / theirs_seconds
    print(json.dumps({"webmill_texts_a_second": round(ours_rate), "datatrove_texts_a_second": round(theirs_rate, 1), "ratio": round(ours_rate / theirs_rate, 1)}))


if __name__ == "__main__":
    main()
