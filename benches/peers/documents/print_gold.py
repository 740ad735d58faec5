"""Prints the project's own gold: documents whose exact text, reading order and title are known.

usage: print_gold.py --out DIR [--only NAME] [--tests DIR]

`--tests` copies a small part of DIR to the folder of the Rust tests (tests/documents).

DIR gets NAME.pdf and NAME.json (title, paragraphs in reading order, notes, tables, headings, links, furniture, lang, tool, features).
All sentences were written for this project (banks/). Install what prints them:

    apt-get install --no-install-recommends fonts-noto-core fonts-noto-cjk fonts-hosny-amiri fonts-wqy-microhei groff \\
        libpango-1.0-0 libpangoft2-1.0-0 libreoffice-writer libreoffice-impress libreoffice-calc
    python3 -m venv target/gold && target/gold/bin/pip install -r benches/peers/documents/requirements.txt
    target/gold/bin/python benches/peers/documents/print_gold.py --out target/gold-documents

A tool that is not there is left out, which is said. Equal versions of the tools print equal texts; bytes may differ where a tool
writes the day into them.
"""

import argparse
import importlib
import json
import logging
import sys
from pathlib import Path

import pypdf

from gold.finish import finish
from gold.plan import plan
from gold.selection import copy_selected


logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def write_truth(tool, text, features, out):
    truth, path = text.truth(tool), out / f"{text.name}.pdf"
    if path.exists():
        finish(path, text.features)
        truth["pages"] = len(pypdf.PdfReader(path).pages)
    truth["features"] = sorted({*truth["features"], *features})
    (out / f"{text.name}.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n", "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", default="", help="only names with this prefix")
    parser.add_argument("--tests", type=Path, help="where the few for the Rust tests go")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    missing, wanted = {}, {}
    for tool, text in plan():
        if text.name.startswith(options.only):
            wanted.setdefault(tool, []).append(text)
    for tool, texts in wanted.items():
        try:
            printer = importlib.import_module(f"gold.print_{tool}")
        except (ImportError, OSError) as error:
            missing[tool] = str(error).split("\n")[0]
            continue
        if hasattr(printer, "print_all"):
            printer.print_all(texts, options.out)
        for text in texts:
            if not hasattr(printer, "print_all"):
                printer.print_text(text, options.out / f"{text.name}.pdf")
            write_truth(tool, text, getattr(printer, "FEATURES", ()), options.out)
    printed = sum(len(texts) for tool, texts in wanted.items() if tool not in missing)
    for tool, why in missing.items():
        print(f"left out: {tool}: {why}", file=sys.stderr)
    print(f"{printed} documents in {options.out}")
    if options.tests:
        copy_selected(options.out, options.tests)


if __name__ == "__main__":
    main()
