#!/usr/bin/env python3
"""How well Office, OpenDocument and EPUB files are read, against Markdown that others have accepted.

    cargo build --release -p webmill-documents --example read_document
    python3 benches/peers/documents_office.py FOLDER [--program PATH] [--show NAME]

FOLDER/TYPE/NAME has its gold in FOLDER/TYPE/gold/NAME.md (docling's test data are laid out so). Both Markdowns are
stripped of their marks by the same rules, then compared by words (NFKC, case folded; a Chinese, Japanese or Korean
character is one): F1 of the two bags of words, and the share of the gold's words that stand in the same order.

What the gold writes in its own manner is taken out of both: comments and placeholders of pictures, numbers of plain
lists, cells repeated over the columns and rows that a merged cell covers, LaTeX commands other than Greek letters and
names of functions, boxes to tick. Notes and
comments too: the gold has those of some types only, with the hour when they were written; and what it calls charts,
and their values in sheets, where they are those of cells.
"""

import argparse
import collections
import difflib
import html
import json
import pathlib
import re
import subprocess
import unicodedata

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
GREEK = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho _ sigma tau upsilon phi chi psi omega"
FUNCTIONS = "arg cos cot det dim exp gcd inf ker lim ln log max min sin sup tan"
COMMANDS = {name: f" {chr(0x3B1 + at)} " for at, name in enumerate(GREEK.split())}
COMMANDS |= {name: f" {name} " for name in FUNCTIONS.split()}
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s)?")


def row_of(line):
    """Cells of a row of a table, or None."""
    line = line.strip()
    if not (line.startswith("|") and line.endswith("|") and len(line) > 1):
        return None
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line[1:-1])]


def merged_once(rows):
    """Rows with cells that repeat the one before or the one above taken out."""
    out, above = [], []
    for row in rows:
        kept = [
            ""
            if at and cell == row[at - 1] or at < len(above) and cell == above[at]
            else cell
            for at, cell in enumerate(row)
        ]
        out.append(" ".join(kept))
        above = row
    return out


def plain(markdown, sheets=False):
    """Words of Markdown without its marks; of sheets without the values of charts, which are those of cells."""
    if sheets:
        markdown = re.sub(r"^[A-Z]\w+ chart\n+(?:\|.*\n?)+", "", markdown, flags=re.M)
    markdown = re.sub(r"^(?:Bar|Line|Pie|Scatter|Other) chart$", "", markdown, flags=re.M)
    markdown = re.sub(r"<!--.*?-->", " ", markdown, flags=re.S)
    markdown = re.sub(r"^(?:\[\^[^\]]*\]|\[author: [^\]]*\]):.*$", " ", markdown, flags=re.M)
    markdown = re.sub(r"\\(?=[\\`*_\[\]<#>+.()=|-])", "", markdown)
    lines, rows = [], []
    for line in markdown.splitlines() + [""]:
        row = row_of(line)
        if row is not None:
            if not all(re.fullmatch(r"[:\- ]*", cell) for cell in row) or not any(row):
                rows.append(row)
            continue
        lines += merged_once(rows)
        rows = []
        line = re.sub(r"^\s*(#{1,6}\s|>+\s?|\[\^[^\]]*\]:|`{3,}.*)", "", line)
        lines.append(ITEM.sub("", line))
    text = html.unescape("\n".join(lines))
    text = re.sub(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\(<?[^)\s>]*>?\)", r"\1", text)
    text = re.sub(r"\\(?:text|mathrm|left|right|genfrac|textellipsis|textendash)\b", " ", text)
    text = re.sub(r"\\([a-zA-Z]+)", lambda command: COMMANDS.get(command[1], " "), text)
    text = re.sub(r"(?<=[α-ωΑ-Ω])(?=[A-Za-z])|(?<=[A-Za-z])(?=[α-ωΑ-Ω])", " ", text)
    text = re.sub(r"(?<= )- (?:\[[ xX]\] )?|\*\*|~~|(?<!\w)[_*]|[_*](?!\w)", " ", text)
    text = re.sub(r"[*_^{}]", " ", text)
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def f1(ours, gold):
    """F1 of two bags of words; 1 where both are empty."""
    common = sum((collections.Counter(ours) & collections.Counter(gold)).values())
    return 2 * common / (len(ours) + len(gold)) if ours or gold else 1.0


def in_order(ours, gold):
    """Length of the longest common subsequence over the length of the gold."""
    if not gold:
        return 1.0
    best = [0] * (len(ours) + 1)
    for word in gold:
        diagonal = 0
        for at, other in enumerate(ours, 1):
            above = best[at]
            best[at] = diagonal + 1 if word == other else max(above, best[at - 1])
            diagonal = above
    return best[-1] / len(gold)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--program", default="target/release/examples/read_document")
    arguments.add_argument("--show", help="print the differences of files whose names hold this")
    arguments.add_argument("--skip", nargs="*", default=["doc", "ppt"], help="types that are left out")
    options = arguments.parse_args()

    golds = sorted(options.folder.glob("*/gold/*.md"))
    golds = [gold for gold in golds if gold.parent.parent.name not in options.skip]
    files = [gold.parent.parent / gold.name.removesuffix(".md") for gold in golds]
    run = subprocess.run([options.program, *map(str, files)], capture_output=True, check=True)
    by_type = collections.defaultdict(list)
    for gold, file, line in zip(golds, files, run.stdout.splitlines(), strict=True):
        read = json.loads(line)
        document = read["document"] or {"markdown": "", "title": None, "warnings": [read["failure"]]}
        ours, words = plain(document["markdown"]), plain(gold.read_text(), file.suffix in (".xlsx", ".xlsm"))
        score, order = f1(ours, words), in_order(ours, words)
        by_type[file.suffix.lower()].append((score, order))
        print(f"{score:.3f} {order:.3f} {read['seconds'] * 1000:7.1f} ms  {file.name}  {document['title']!r} {document['warnings'] or ''}")
        if options.show and options.show in file.name:
            print("\n".join(line for line in difflib.unified_diff(words, ours, "gold", "ours", n=2, lineterm="")))
    everything = [pair for pairs in by_type.values() for pair in pairs]
    for name, pairs in [*sorted(by_type.items()), ("all", everything)]:
        f1s, orders = zip(*pairs)
        print(f"{name:6} {len(pairs):3} files: F1 {sum(f1s) / len(pairs):.4f}, in order {sum(orders) / len(pairs):.4f}")


if __name__ == "__main__":
    main()
