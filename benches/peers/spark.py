"""`webmill.spark` beside the binary, and beside a plain PySpark pipeline: the same shards, one run after the other.

usage: spark.py SHARDS… [--webmill BINARY] [--cores N] [--runs N] [--plain-bytes N]

SHARDS are WARC files or folders of them: `webmill datasets get linux-doc --out corpora`, then the shards below it. Run it with a Python that has
PySpark 4, pyarrow, pandas, FastWARC, resiliparse and datasketch (requirements.txt), and the compiled part of webmill.
`--cores` are Spark's and the binary's threads. The session starts before the clock, as clusters have one; what its start takes is printed.

  webmill        `webmill extract` as a command with this many threads, and `webmill dedup` without passages
  webmill.spark  `extract` and `near_duplicates`, `local[CORES]`
  plain          FastWARC reads, resiliparse finds charset and main text, mapInPandas gives rows that are written as Parquet; datasketch signs them (128
                 values, word shingles of 3) and its bands are grouped by Spark. It makes two of webmill's tables, in part, and verifies nothing

Printed: seconds by the clock and of processors (the JVM's with them), pages a second of a processor, ratios of both (min, median, max of the runs), bytes
that Spark shuffled a page. Plain pipelines are slow: `--plain-bytes`
takes at most this many bytes of shards for them (and prints pages per second, which are compared).
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("shards", nargs="+")
    parser.add_argument("--webmill", default=ROOT / "target/release/webmill", type=Path)
    parser.add_argument("--cores", default=os.cpu_count(), type=int)
    parser.add_argument("--runs", default=3, type=int)
    parser.add_argument("--plain-bytes", default=1 << 40, type=int)
    parser.add_argument("--without-plain", action="store_true")
    return parser.parse_args()


def session(cores, log):
    from pyspark.sql import SparkSession

    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", str(2 * cores))
        .config("spark.driver.memory", "2g").config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", f"file://{log}")
        .config("spark.eventLog.rolling.enabled", "false").config("spark.eventLog.compress", "false").getOrCreate()
    )  # fmt: skip
    spark.sparkContext.setLogLevel("OFF")
    return spark


class Took:
    """Seconds by the clock, and of processors: of this process, of all below it, and of those of them that have ended."""

    def __init__(self, clock, processors):
        self.clock, self.processors = clock, processors


def processors():
    below, parents = {os.getpid()}, {}
    stats = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
        stats[int(path.parent.name)] = sum(map(int, fields[11:15]))
    grown = True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        below |= more
        grown = bool(more)
    return sum(stats.get(pid, 0) for pid in below) / os.sysconf("SC_CLK_TCK")


def seconds(work):
    begin, before = time.perf_counter(), processors()
    result = work()
    return Took(time.perf_counter() - begin, processors() - before), result


def shuffled(log):
    """Bytes that all tasks so far wrote for others to read."""
    total = 0
    for path in log.iterdir():
        for line in path.open():
            if '"Shuffle Bytes Written"' in line and line.startswith('{"Event":"SparkListenerTaskEnd"'):
                metrics = json.loads(line).get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def by_binary(options, out):
    common = ["--threads", str(options.cores)]
    took = []
    recipe = out.with_suffix(".toml")
    recipe.write_text("[dedup]\npassages = false\n")
    for command in (["extract", *options.shards, "--out", str(out)], ["dedup", str(out), "--recipe", str(recipe)]):
        run = lambda command=command: subprocess.run([options.webmill, *command, *common], check=True, capture_output=True)
        took.append(seconds(run)[0])
    return took


def by_spark(options, spark, log, out):
    from webmill import spark as ws

    took, tables = seconds(lambda: ws.extract(ws.shards(spark, options.shards), str(out)))
    of_extract = shuffled(log)

    def dedup():
        found = ws.near_duplicates(tables.pages, tables.texts)
        found.write(str(out / "dedup"))

    of_dedup, _ = seconds(dedup)
    return [took, of_dedup], tables, of_extract


def read_warc(frames):
    import pandas as pd
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding
    from resiliparse.parse.html import HTMLTree

    for frame in frames:
        for path in frame.path:
            rows = []
            for record in ArchiveIterator(open(path, "rb"), record_types=WarcRecordType.response):
                http = record.http_headers
                if http is None or http.status_code != 200 or "html" not in (record.http_content_type or ""):
                    continue
                body = record.reader.read()
                tree = HTMLTree.parse(bytes_to_str(body, detect_encoding(body)))
                # Not one by one: to iterate over this collection takes the square of its length.
                links = len(tree.document.get_elements_by_tag_name("a"))
                text = extract_plain_text(tree, main_content=True)
                rows.append((record.headers["WARC-Target-URI"], tree.title, text, links))
                if len(rows) == 500:
                    yield pd.DataFrame(rows, columns=["url", "title", "text", "links"])
                    rows = []
            if rows:
                yield pd.DataFrame(rows, columns=["url", "title", "text", "links"])


def sign(frames):
    import pandas as pd
    from datasketch import MinHash

    for frame in frames:
        rows = []
        for url, text in zip(frame.url, frame.text):
            words = text.lower().split()
            sketch = MinHash(num_perm=128)
            sketch.update_batch([" ".join(words[i : i + 3]).encode() for i in range(max(1, len(words) - 2))])
            values = sketch.hashvalues
            rows += [(url, f"{band}:{values[6 * band : 6 * band + 6].tobytes().hex()}") for band in range(21)]
        yield pd.DataFrame(rows, columns=["url", "band"])


def plain(files, spark, out):
    from pyspark.sql import functions as F

    paths = spark.createDataFrame([(path,) for path in files], "path string").repartition(len(files))
    schema = "url string, title string, text string, links bigint"
    took, _ = seconds(lambda: paths.mapInPandas(read_warc, schema).write.parquet(str(out / "pages")))
    pages = spark.read.parquet(str(out / "pages"))

    def dedup():
        bands = pages.select("url", "text").mapInPandas(sign, "url string, band string")
        pairs = bands.groupBy("band").agg(F.collect_list("url").alias("urls")).where(F.size("urls") > 1)
        pairs.select(F.sort_array("urls").alias("urls")).distinct().write.parquet(str(out / "candidates"))

    return [took, seconds(dedup)[0]], pages.count()


def files_of(options):
    """Shards for the plain pipeline, which reads files as wholes."""
    found = []
    for name in options.shards:
        path = Path(name)
        found += sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    taken, held = [], 0
    for path in found:
        if "warc" in path.name and held < options.plain_bytes:
            taken.append(str(path))
            held += path.stat().st_size
    return taken


def show(name, took, pages):
    told = [f"{one.clock:7.1f} s {one.processors:7.1f} s of processors {pages / one.processors:7.1f} pages/s" for one in took]
    print(f"  {name:<14} extract {told[0]}   duplicates {told[1]}", flush=True)


def ratios(ours, theirs, scale):
    """Of both steps, by the clock and by processors."""
    return [(a.clock / b.clock * scale, a.processors / b.processors * scale) for a, b in zip(ours, theirs)]


def main():
    options = arguments()
    log = Path(tempfile.mkdtemp())
    started, spark = seconds(lambda: session(options.cores, log))
    print(f"session starts in {started.clock:.1f} s; {options.cores} cores", flush=True)
    overhead, faster = [], []
    for run in range(options.runs):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            own = by_binary(options, folder / "binary")
            before = shuffled(log)
            there, tables, of_extract = by_spark(options, spark, log, folder / "spark")
            pages = tables.counts["kept"]["captures"]
            print(f"run {run}: {pages} captures", flush=True)
            show("webmill", own, pages)
            show("webmill.spark", there, pages)
            after = shuffled(log)
            print(f"  shuffled a page: extract {(of_extract - before) / pages:.0f} bytes, duplicates {(after - of_extract) / pages:.0f}")
            overhead.append(ratios(there, own, 1))
            if not options.without_plain:
                files = files_of(options)
                theirs, read = plain(files, spark, folder / "plain")
                show("plain", theirs, read)
                faster.append(ratios(theirs, there, pages / read))
            shutil.rmtree(folder / "spark")
    for name, runs in (("beside the binary", overhead), ("plain pipeline beside webmill.spark, a page", faster)):
        for at, what in enumerate(("extract", "duplicates")) if runs else []:
            for by, clock in enumerate(("clock", "processors")):
                of = [one[at][by] for one in runs]
                print(f"{name}, {what}, by {clock}: {min(of):.2f} {statistics.median(of):.2f} {max(of):.2f}")
    spark.stop()
    shutil.rmtree(log)


if __name__ == "__main__":
    main()
