"""Text of PDF files beside other readers.

    python -m venv target/peers/pdf
    target/peers/pdf/bin/pip install pymupdf pypdfium2 pdfminer.six pypdf pdf_oxide
    cargo build --release -p webmill-documents --example read_document
    target/peers/pdf/bin/python benches/peers/documents_pdf.py FOLDER [--pairs FOLDER] [--tools mupdf,pdfium]

FOLDER holds PDF files, `--pairs` a folder of `x.pdf` with `x.pdf.txt`. Every reader works in a child process that is
ended after 20 s with a file. Files on which MuPDF, PDFium and pdftotext agree (token F1 >= .9 between any two, >= 20
words) are the consensus; a reader's figure is its mean F1 against these three. A word that is parted by a hyphen at the end of
a line is one word, whoever reads it. `forgiven` is F1 where running heads and page numbers, as webmill finds them, count
neither way: webmill leaves them out of the text, the others keep them. What peers gave is kept in `--cache`, so that only
webmill is run again.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import selectors
import statistics
import subprocess
import sys
import time
import unicodedata

LIMIT_SECONDS = 20
ENGINES = ["mupdf", "pdfium", "pdftotext"]
PEERS = ENGINES + ["pdfminer", "pypdf", "pdf_oxide"]
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(f"[{CJK}]|[^\\W{CJK}]+")


def read_mupdf(path):
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    with pymupdf.open(path) as document:
        if document.needs_pass:
            raise ValueError("encrypted")
        return "\n".join(page.get_text() for page in document)


def read_pdfium(path):
    import pypdfium2

    document = pypdfium2.PdfDocument(path)
    return "\n".join(page.get_textpage().get_text_range() for page in document)


def read_pdftotext(path):
    done = subprocess.run(["pdftotext", "-enc", "UTF-8", path, "-"], capture_output=True, timeout=LIMIT_SECONDS)
    if done.returncode:
        raise ValueError(done.stderr.decode(errors="replace")[:200])
    return done.stdout.decode(errors="replace")


def read_pdfminer(path):
    from pdfminer.high_level import extract_text

    return extract_text(path)


def read_pypdf(path):
    from pypdf import PdfReader

    return "\n".join(page.extract_text() for page in PdfReader(path).pages)


def read_pdf_oxide(path):
    import pdf_oxide

    document = pdf_oxide.PdfDocument(path)
    return "\n".join(document.extract_text(page) for page in range(document.page_count()))


def work(tool):
    """The child: a path a line in, a line of JSON out."""
    import logging

    logging.disable(logging.CRITICAL)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    read = globals()["read_" + tool]
    for line in sys.stdin:
        began = time.perf_counter()
        answer = {}
        try:
            answer["text"] = read(line.rstrip("\n"))
        except BaseException as error:
            answer["failure"] = f"{type(error).__name__}: {error}"[:200]
        answer["seconds"] = time.perf_counter() - began
        print(json.dumps(answer), file=out, flush=True)


class Child:
    """A child that is ended when it takes too long, and replaced."""

    def __init__(self, tool):
        self.tool, self.process = tool, None

    def ask(self, path):
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--work", self.tool],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )
        self.process.stdin.write(f"{path}\n".encode())
        self.process.stdin.flush()
        selector = selectors.DefaultSelector()
        selector.register(self.process.stdout, selectors.EVENT_READ)
        line = self.process.stdout.readline() if selector.select(LIMIT_SECONDS) else None
        if line:
            return json.loads(line)
        self.process.kill()
        status = self.process.wait()
        self.process = None
        return {"failure": "hangs" if line is None else f"dies: {status}", "seconds": LIMIT_SECONDS}


def read_webmill(binary, path):
    try:
        done = subprocess.run([binary, "--furniture", path], capture_output=True, timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        return {"failure": "hangs", "seconds": LIMIT_SECONDS}
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines()
        return {"failure": "dies: " + " ".join(lines[:2])[:200], "seconds": 0}
    row = json.loads(done.stdout)
    answer = {"seconds": row["seconds"]}
    if row["document"]:
        answer["text"] = row["document"]["text"]
        answer["warnings"] = row["document"]["warnings"]
        answer["heads"] = " ".join(re.findall(r"<!-- (.*?) -->", row["document"]["markdown"]))
    else:
        answer["failure"] = row["failure"]["reason"]
    return answer


def tokens(text):
    text = re.sub(r"(?<=\w)[-\u2010\u00ad]\s*\n\s*(?=\w)", "", text or "")
    return collections.Counter(TOKEN.findall(unicodedata.normalize("NFKC", text or "").casefold()))


def f1(a, b):
    if not a and not b:
        return 1.0
    return 2 * (a & b).total() / (a.total() + b.total())


def forgiven(a, b, heads):
    """F1 where what one has more than the other of the words of running heads does not count."""
    return f1(a - ((a - b) & heads), b - ((b - a) & heads))


def gather(folder, tools, binary, cache, names):
    rows = {}
    for tool in tools:
        kept = cache / f"{folder.name}-{tool}.json" if tool != "webmill" else None
        if kept and kept.exists():
            rows[tool] = json.loads(kept.read_text())
            continue
        child = Child(tool)
        rows[tool] = {}
        for name in names:
            path = str(folder / name)
            rows[tool][name] = read_webmill(binary, path) if tool == "webmill" else child.ask(path)
        if child.process:
            child.process.kill()
        if kept:
            kept.write_text(json.dumps(rows[tool]))
    return rows


def consensus(rows, names, counts):
    agreed = []
    for name in names:
        three = [counts[tool][name] for tool in ENGINES]
        if min(c.total() for c in three) >= 20:
            if min(f1(three[0], three[1]), f1(three[0], three[2]), f1(three[1], three[2])) >= 0.9:
                agreed.append(name)
    return agreed


def report(rows, names, agreed, counts, worst):
    heads = {name: tokens(rows.get("webmill", {}).get(name, {}).get("heads")) for name in names}
    print(f"{len(names)} files, {len(agreed)} agreed on")
    print(f"{'reader':10} {'mean F1':>8} {'forgiven':>8} {'median':>7} {'>= .95':>7} {'s agreed':>9} {'docs/s all':>10} {'failed':>7} {'died':>5}")
    for tool in rows:
        scores = {
            name: statistics.mean(f1(counts[tool][name], counts[engine][name]) for engine in ENGINES if engine != tool)
            for name in agreed
        }
        kept = [
            forgiven(counts[tool][name], counts[engine][name], heads[name])
            for name in agreed for engine in ENGINES if engine != tool
        ]
        row = rows[tool]
        failed = [name for name in names if "failure" in row[name]]
        died = [name for name in failed if row[name]["failure"].startswith(("dies", "hangs"))]
        seconds = sum(row[name]["seconds"] for name in names)
        print(
            f"{tool:10} {statistics.mean(scores.values()):8.4f} {statistics.mean(kept):8.4f} {statistics.median(scores.values()):7.4f}"
            f" {sum(s >= 0.95 for s in scores.values()):7}"
            f" {sum(row[name]['seconds'] for name in agreed):9.2f} {len(names) / seconds:10.1f} {len(failed):7} {len(died):5}"
        )
        if tool == "webmill":
            for name in died:
                print("   died:", name, row[name]["failure"])
            for name, score in sorted(scores.items(), key=lambda item: item[1])[:worst]:
                print(f"   {score:.3f} {name} {row[name].get('failure', '')} {row[name].get('warnings', '')}")
            slow = sorted(names, key=lambda name: -row[name]["seconds"])[:8]
            print("   slowest:", ", ".join(f"{name} {row[name]['seconds']:.2f}" for name in slow))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--pairs", type=pathlib.Path)
    parser.add_argument("--binary", default="target/release/examples/read_document")
    parser.add_argument("--cache", type=pathlib.Path, default=pathlib.Path("target/peers/pdf"))
    parser.add_argument("--tools", default=",".join(PEERS + ["webmill"]))
    parser.add_argument("--worst", type=int, default=0, help="how many of webmill's worst files are named")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        return work(options.work)
    tools = options.tools.split(",")
    options.cache.mkdir(parents=True, exist_ok=True)
    if options.folder:
        names = sorted(path.name for path in options.folder.iterdir() if path.suffix == ".pdf")
        rows = gather(options.folder, tools, options.binary, options.cache, names)
        counts = {tool: {name: tokens(row[name].get("text")) for name in names} for tool, row in rows.items()}
        report(rows, names, consensus(rows, names, counts), counts, options.worst)
    if options.pairs:
        names = sorted(path.name for path in options.pairs.glob("*.pdf") if path.with_name(path.name + ".txt").exists())
        rows = gather(options.pairs, tools, options.binary, options.cache, names)
        truth = {name: tokens((options.pairs / (name + ".txt")).read_text(errors="replace")) for name in names}
        print(f"{len(names)} pairs")
        for tool in tools:
            scores = {name: f1(tokens(rows[tool][name].get("text")), truth[name]) for name in names}
            print(f"{tool:10} {statistics.mean(scores.values()):8.4f} {statistics.median(scores.values()):7.4f}")
            if tool == "webmill":
                for name, score in sorted(scores.items(), key=lambda item: item[1])[: options.worst]:
                    print(f"   {score:.3f} {name} {rows[tool][name].get('failure', '')}")


if __name__ == "__main__":
    main()
