"""Measures readers of documents on the project's own gold.

usage: score_gold.py --gold DIR [--reader BINARY] [--peers all|none|NAME,…] [--only NAME] [--kinds pdf,docx,…] [--json FILE]

DIR is what print_gold.py wrote (or tests/documents); BINARY is the example read_document:

    cargo build --release -p webmill-documents --example read_document
    target/gold/bin/python benches/peers/documents/score_gold.py --gold target/gold-documents \\
        --reader target/release/examples/read_document --peers all

Every tool runs in a process of its own with 30 s a document. Printed by tool, then by kind, printing tool, language and feature:

- F1: of multisets of tokens (casefolded NFKC `\\w+`, ideographs, kana and Hangul one by one) against title, text and notes; mean over documents.
  Marks of notes and numbers of items count neither way. A failed document is 0.
- kept: the same with running heads and page numbers forgiven: most peers keep them by design.
- order: length of the longest common subsequence of tokens / tokens of the gold, notes left out: they may stand at the foot or behind
  their paragraph.
- title: share of exact titles (white space collapsed). Peers give the title of the metadata, as they have no other.
- documents/s: seconds of reading alone, starts of processes left out.
"""

import argparse
import json
import re
import select
import subprocess
import sys
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path

SECONDS = 30
IDEOGRAPH = "\u1100-\u11ff\u2e80-\u2fff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
TOKEN = re.compile(rf"[{IDEOGRAPH}]|[^\W{IDEOGRAPH}]+")
PEERS = {
    "pdf": ("pymupdf", "pypdfium2", "pdftotext", "pdfminer.six", "pypdf"),
    "docx": ("python-docx", "docx2txt"),
    "pptx": ("python-pptx",),
    "xlsx": ("openpyxl",),
    "rtf": ("striprtf",),
}
KINDS = ("pdf", "docx", "doc", "odt", "rtf", "pptx", "ppt", "odp", "xlsx", "xls", "ods")


def tokens(words):
    return TOKEN.findall(unicodedata.normalize("NFKC", words).casefold())


def common_subsequence(gold, read):
    """Length of the longest common subsequence: Hyyrö's bit vector, a Python integer of a bit a gold token."""
    places = defaultdict(int)
    for at, token in enumerate(gold):
        places[token] |= 1 << at
    full = (1 << len(gold)) - 1
    row = full
    for token in read:
        hit = row & places.get(token, 0)
        row = ((row + hit) | (row - hit)) & full
    return len(gold) - row.bit_count()


def f1(gold, read, optional):
    """F1 of multisets; what `optional` allows beyond the gold counts neither way."""
    gold, read = Counter(gold), Counter(read)
    hit = (gold & read).total()
    surplus = (read - gold) - Counter(optional)
    found = hit + surplus.total()
    return 2 * hit / (found + gold.total()) if found + gold.total() else 1.0


class Gold:
    def __init__(self, path):
        self.path = path
        self.truth = json.loads(path.with_name(path.name + ".json").read_text("utf-8")
                                if path.with_name(path.name + ".json").exists()
                                else path.with_suffix(".json").read_text("utf-8"))
        of = self.truth
        self.order = tokens("\n".join(of["paragraphs"]))
        self.all = self.order + tokens("\n".join(of["notes"]))
        self.optional = tokens("\n".join(of["optional"]))
        pages = of.get("pages", 1)
        self.heads = tokens("\n".join([*of["furniture"] * pages, *map(str, range(1, pages + 1))])) if of["furniture"] else []

    def score(self, answer):
        if "text" not in answer:
            return {"f1": 0.0, "kept": 0.0, "order": 0.0, "title": 0.0}
        read = tokens(answer["text"])
        same = lambda title: " ".join((title or "").split())
        return {
            "f1": f1(self.all, read, self.optional),
            "kept": f1(self.all, read, self.optional + self.heads),
            "order": common_subsequence(self.order, read) / max(1, len(self.order)),
            "title": float(same(answer.get("title")) == same(self.truth["title"])),
        }


def ours(binary):
    def read(path):
        try:
            done = subprocess.run([binary, path], capture_output=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return {"failure": "time", "seconds": SECONDS}
        try:
            answer = json.loads(done.stdout.splitlines()[-1])
        except (IndexError, ValueError):
            return {"failure": f"died: {done.stderr.decode(errors='replace')[-200:]}", "seconds": 0.0}
        document = answer["document"]
        if not document:
            return {"failure": json.dumps(answer["failure"]), "seconds": answer["seconds"]}
        return {"text": document["text"], "title": document["title"], "seconds": answer["seconds"]}

    return read


class Peer:
    """A process of gold_peer.py; one that takes too long or dies is started anew."""

    def __init__(self, name):
        self.name, self.process = name, None

    def line(self, seconds):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        return self.process.stdout.readline() if ready else b""

    def __call__(self, path):
        if self.process is None:
            command = [sys.executable, Path(__file__).with_name("gold_peer.py"), self.name]
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            if not self.line(60):
                self.close()
                return {"failure": "does not start", "seconds": 0.0}
        self.process.stdin.write(f"{path}\n".encode())
        self.process.stdin.flush()
        line = self.line(SECONDS)
        if not line:
            self.close()
            return {"failure": "time or death", "seconds": SECONDS}
        return json.loads(line)

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def mean(rows, measure):
    return sum(row[measure] for row in rows) / len(rows)


def row_of(rows):
    return " ".join(f"{mean(rows, measure):7.4f}" for measure in ("f1", "kept", "order", "title"))


def report(results, worst):
    """results: tool → rows with scores, `gold` and `answer`."""
    heading = f"{'':24} {'docs':>5} {'F1':>7} {'kept':>7} {'order':>7} {'title':>7}"
    print(f"{heading} {'failed':>7} {'docs/s':>8}")
    for tool, rows in results.items():
        failed = sum("text" not in row["answer"] for row in rows)
        rate = len(rows) / max(1e-9, sum(row["answer"]["seconds"] for row in rows))
        print(f"{tool:24} {len(rows):5} {row_of(rows)} {failed:7} {rate:8.1f}")
    for tool, rows in results.items():
        groups = defaultdict(list)
        for row in rows:
            truth = row["gold"].truth
            kind = row["gold"].path.suffix[1:]
            for group in [f"kind {kind}", f"tool {truth['tool']}", f"lang {truth['lang']}"]:
                groups[group].append(row)
            for feature in truth["features"]:
                groups[f"feature {feature}"].append(row)
        print(f"\n{tool}\n{heading}")
        for group in sorted(groups):
            print(f"  {group:22} {len(groups[group]):5} {row_of(groups[group])}")
        print("  worst:")
        for row in sorted(rows, key=lambda row: (min(row["f1"], row["order"]), row["gold"].path.name))[:worst]:
            failure = row["answer"].get("failure", "")
            print(f"    {row['gold'].path.name:28} F1 {row['f1']:.3f} order {row['order']:.3f} {failure}")
        wrong = [row for row in rows if not row["title"] and "text" in row["answer"]]
        if tool == "webmill":
            for row in wrong[:40]:
                print(f"    title of {row['gold'].path.name}: {row['answer'].get('title')!r}, not {row['gold'].truth['title']!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gold", type=Path, required=True)
    parser.add_argument("--reader")
    parser.add_argument("--peers", default="all")
    parser.add_argument("--only", default="", help="only names with this prefix")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--json", type=Path, help="scores of every document")
    options = parser.parse_args()
    kinds = options.kinds.split(",")
    golds = [
        Gold(path)
        for path in sorted(options.gold.iterdir())
        if path.suffix[1:] in kinds and path.name.startswith(options.only)
    ]
    if not golds:
        sys.exit(f"no documents in {options.gold}")
    results = defaultdict(list)

    def measure(tool, read, gold):
        answer = read(str(gold.path))
        results[tool].append({**gold.score(answer), "gold": gold, "answer": answer})

    if options.reader:
        read = ours(options.reader)
        for gold in golds:
            measure("webmill", read, gold)
    for kind in kinds:
        for name in PEERS.get(kind, ()):
            if options.peers != "all" and name not in options.peers.split(","):
                continue
            peer = Peer(name)
            for gold in golds:
                if gold.path.suffix[1:] == kind:
                    measure(name, peer, gold)
            peer.close()
    report(results, options.worst)
    if options.json:
        rows = [
            {"tool": tool, "file": row["gold"].path.name, **{key: row[key] for key in ("f1", "kept", "order", "title")}}
            for tool, rows in results.items()
            for row in rows
        ]
        options.json.write_text(json.dumps(rows, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
