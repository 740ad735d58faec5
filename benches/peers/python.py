"""The Python package beside the binary, warcio, FastWARC and rensa, in one run.

usage: python.py [--webmill BINARY] [--pages N] [--records N] [--rounds N]

Run it with a Python that has the package (built for release), warcio, FastWARC and rensa. Pages are those of tests/pages, repeated;
the archive is written here from them. Printed are medians of the rounds' ratios, by the clock and by processor time; above 1 the package
is faster.

  texts     extract_batch on all cores against `webmill text --format json` on the same pages in files
  archive   captures with their bodies against warcio's and FastWARC's iterators
  minhash   signatures of 128 values over three words of 400 texts of 600 words, one text a call, against rensa's RMinHash
"""

import argparse
import io
import random
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import polars as pl

import webmill

ROOT = Path(__file__).resolve().parents[2]


def processor():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def seconds(work):
    begin, used = time.perf_counter(), processor()
    result = work()
    return (time.perf_counter() - begin, processor() - used), result


def compare(name, rounds, ours, theirs):
    """Both in turn; each gives a number that must agree."""
    ratios = []
    for _ in range(rounds):
        mine, a = seconds(ours)
        other, b = seconds(theirs)
        assert a == b, f"{name}: {a} is not {b}"
        ratios.append((other[0] / mine[0], other[1] / mine[1]))
    for by, of in (("clock", 0), ("processor", 1)):
        all_of = [ratio[of] for ratio in ratios]
        told = f"{min(all_of):.2f} / {statistics.median(all_of):.2f} / {max(all_of):.2f}"
        print(f"{name:<32} {by:<10} {told} x, {rounds} rounds", flush=True)


def write_archive(path, pages, count):
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for i in range(count):
            body = pages[i % len(pages)]
            head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(f"http://a.example/{i}", "response", payload=io.BytesIO(body), http_headers=head)
            )


def texts(options, folder, pages):
    for i in range(options.pages):
        (folder / f"{i:06}.html").write_bytes(pages[i % len(pages)])
    table = pl.DataFrame({"html": [pages[i % len(pages)] for i in range(options.pages)]})

    def ours():
        return webmill.extract_batch(table, url=None, full=True).num_rows

    def theirs():
        command = [options.webmill, "text", "--format", "json", "--input", "html", str(folder)]
        return len(subprocess.run(command, capture_output=True).stdout.splitlines())

    compare("texts: extract_batch / binary", options.rounds, ours, theirs)


def archive(options, path):
    from fastwarc.warc import ArchiveIterator as FastIterator
    from fastwarc.warc import WarcRecordType
    from warcio.archiveiterator import ArchiveIterator

    def ours():
        return sum(len(capture.body) for capture in webmill.captures(path))

    def by_warcio():
        with path.open("rb") as stream:
            return sum(len(r.content_stream().read()) for r in ArchiveIterator(stream) if r.rec_type == "response")

    def by_fastwarc():
        with path.open("rb") as stream:
            return sum(len(r.reader.read()) for r in FastIterator(stream, record_types=WarcRecordType.response))

    compare("archive: captures / warcio", options.rounds, ours, by_warcio)
    compare("archive: captures / FastWARC", options.rounds, ours, by_fastwarc)


def minhash(options):
    from rensa import RMinHash

    # Words between spaces, which are all that rensa is given.
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 10))) for _ in range(5000)]
    texts = [" ".join(draw.choices(words, k=600)) for _ in range(400)]

    def by_rensa():
        made = 0
        for text in texts:
            words = text.split()
            signature = RMinHash(num_perm=128, seed=1)
            signature.update([" ".join(words[i : i + 3]) for i in range(max(1, len(words) - 2))])
            made += len(signature.digest()) == 128
        return made

    compare("minhash: minhash / rensa", options.rounds, lambda: sum(len(webmill.minhash(text)) == 128 for text in texts), by_rensa)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--webmill", default=ROOT / "target/release/webmill")
    parser.add_argument("--pages", type=int, default=4000)
    parser.add_argument("--records", type=int, default=16000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pages = [path.read_bytes() for path in sorted((ROOT / "tests/pages").rglob("*.html"))]
    # Pages that one of both refuses would count differently.
    pages = [page for page in pages if webmill.extract_batch(pl.DataFrame({"html": [page]}), url=None).to_polars()["error"][0] is None]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.warc.gz"
        write_archive(path, pages, options.records)
        archive(options, path)
        html = Path(folder) / "pages"
        html.mkdir()
        texts(options, html, pages)
    minhash(options)


main()
