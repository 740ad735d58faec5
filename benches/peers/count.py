"""`webmill count` beside what users would pick instead: polars for counting words, tantivy for an index and its queries.

usage: count.py RESULTS [--webmill BINARY] [--runs N] [--threads N] [--queries N]

RESULTS is a folder of `webmill extract` on a real corpus: `webmill datasets get rust-doc --out corpora`, then
`webmill extract corpora/rust-doc --out RESULTS`. It is not changed: counts go to a copy whose tables are links. Run it with a Python that has polars and
tantivy (requirements.txt). Both programs have the same threads, and take turns. Printed are min, median and max of the runs' ratios; above 1 webmill is
faster.

  words    `count words --split space` as a command, commit and all, against polars' group-by in a process that runs already: the same texts in lower case, cut at
           white space; the counts must be equal
  index    `count index` against tantivy's writer on the same texts, with positions, both from the Parquet files to committed files
  queries  two words each, of every frequency, ten answers: milliseconds of each, without the look-up of titles; answers differ as the programs cut words
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("results", type=Path)
    parser.add_argument("--webmill", default=ROOT / "target/release/webmill", type=Path)
    parser.add_argument("--runs", default=5, type=int)
    parser.add_argument("--threads", default=os.cpu_count(), type=int)
    parser.add_argument("--queries", default=1000, type=int)
    return parser.parse_args()


def seconds(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def show(name, ratios):
    print(f"{name:<28} {min(ratios):5.2f}  {statistics.median(ratios):5.2f}  {max(ratios):5.2f}", flush=True)


def main():
    options = arguments()
    os.environ["POLARS_MAX_THREADS"] = str(options.threads)
    import polars as pl

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results"
        shutil.copytree(options.results / "extract", out / "extract", symlinks=True, copy_function=os.link)
        shutil.copy(options.results / "webmill.json", out / "webmill.json")
        texts = str(out / "extract/latest/texts/*.parquet")
        current = pl.scan_parquet(texts).filter(pl.col("is_current"))
        size = current.select(pl.col("text").str.len_bytes().sum()).collect().item()
        print(f"{current.select(pl.len()).collect().item()} texts, {size / 1e6:.1f} MB; ratios of {options.runs} runs: min, median, max")

        def webmill(*what):
            shutil.rmtree(out / f"count-{what[0]}", ignore_errors=True)
            command = [options.webmill.resolve(), "count", what[0], out, *what[1:], "--threads", str(options.threads)]
            subprocess.run(command, check=True, capture_output=True)

        words(pl, current, out, webmill, options)
        try:
            import tantivy
        except ImportError:
            print("index, queries: left out, tantivy is not installed")
            return
        index(tantivy, pl, current, Path(folder), out, webmill, options)


def words(pl, current, out, webmill, options):
    low = pl.col("text").str.to_lowercase()
    # Two ways of cutting: whichever is faster stands for polars in each run.
    ways = [
        low.str.extract_all(r"\S+").alias("word"),
        low.str.replace_all(r"\s", " ").str.split(" ").alias("word"),
    ]

    def peer(way):
        cut = current.select(way).explode("word").filter(pl.col("word").is_not_null() & (pl.col("word") != ""))
        return cut.group_by("word").agg(pl.len().cast(pl.UInt64).alias("count")).collect()

    ratios = []
    for _ in range(options.runs):
        found = [seconds(lambda way=way: peer(way)) for way in ways]
        mine, _ = seconds(lambda: webmill("words", "--split", "space"))
        counted = pl.read_parquet(out / "count-words/latest/count_words/*.parquet").select("word", "count").sort("word")
        for _, theirs in found:
            assert theirs.sort("word").equals(counted), "counts differ"
        ratios.append(min(time for time, _ in found) / mine)
    show("words, polars / webmill", ratios)


def index(tantivy, pl, current, folder, out, webmill, options):
    def build():
        shutil.rmtree(folder / "tantivy", ignore_errors=True)
        (folder / "tantivy").mkdir()
        schema = tantivy.SchemaBuilder()
        schema.add_text_field("title", stored=True)
        schema.add_text_field("text", stored=False)
        schema.add_text_field("url", stored=True, tokenizer_name="raw")
        made = tantivy.Index(schema.build(), path=str(folder / "tantivy"))
        writer = made.writer(heap_size=500_000_000, num_threads=options.threads)
        for title, text, url in current.select("title", "text", "url").collect().iter_rows():
            writer.add_document(tantivy.Document(title=title or "", text=text, url=url))
        writer.commit()
        writer.wait_merging_threads()
        made.reload()
        return made

    ratios = []
    for _ in range(options.runs):
        theirs, peer = seconds(build)
        mine, _ = seconds(lambda: webmill("index"))
        ratios.append(theirs / mine)
    show("index, tantivy / webmill", ratios)
    sizes = [sum(f.stat().st_size for f in where.rglob("*") if f.is_file()) for where in (folder / "tantivy", out / "count-index")]
    print(f"bytes of the index: tantivy {sizes[0] / 1e6:.1f} MB, webmill {sizes[1] / 1e6:.1f} MB")

    webmill("words")
    vocabulary = pl.read_parquet(out / "count-words/latest/count_words/*.parquet")
    vocabulary = vocabulary.filter(pl.col("word").str.contains("^[a-z]+$") & (pl.col("num_texts") > 1)).sort("word")
    draw = random.Random(1)
    weighed = draw.choices(vocabulary["word"].to_list(), weights=vocabulary["num_texts"].to_list(), k=options.queries)
    even = draw.choices(vocabulary["word"].to_list(), k=options.queries)
    queries = [f"{a} {b}" for a, b in zip(weighed, even)]

    searcher = peer.searcher()
    theirs = []
    for query in queries:
        parsed = peer.parse_query(query, ["title", "text"])
        theirs.append(1e3 * seconds(lambda parsed=parsed: searcher.search(parsed, 10))[0])
    command = [options.webmill.resolve(), "count", "search", out, *queries, "--verbose"]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    mine = [float(line.split(" ms")[0]) for line in told.splitlines() if " ms " in line]
    assert len(mine) == len(queries)
    for name, times in [("tantivy", theirs), ("webmill", mine)]:
        times.sort()
        at = lambda share: times[min(len(times) - 1, int(share * len(times)))]  # noqa: E731
        print(f"queries, {name:<10} median {at(0.5):.3f} ms, p99 {at(0.99):.3f} ms")


main()
