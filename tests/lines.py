#!/usr/bin/env python3
"""Lines of Rust by crate: code, tests, and data that is compiled in, without blank lines and comments.

    tests/lines.py            prints the table beside the committed one (tests/lines.tsv) with the differences
    tests/lines.py --write    writes the committed table anew

A file counts as test if it lies in a folder `tests`, is named `tests.rs`, `*_tests.rs` or `*_test.rs`, or stands behind
`#[cfg(test)]`; `#[cfg(test)] mod … { … }` inside a file counts as test up to its closing brace. Data are files beside the
sources that are not Rust, counted by lines with something on them (a line of a model may be long).
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "tests" / "lines.tsv"
DATA = {".txt", ".toml", ".tsv", ".csv", ".json", ".jsonl", ".jinja", ".html", ".css", ".js", ".svg", ".sql", ".bin"}
TEST_NAME = re.compile(r"(^|/)tests(/|\.rs$)|_tests?\.rs$|(^|/)benches/|(^|/)fuzz/")
TEST_MODULE = re.compile(r"#\[cfg\(test\)\]\s*\n\s*(?:pub(?:\([a-z]+\))? )?mod (\w+)\s*(;|\{)")


def tracked():
    """Paths of all files that git tracks, relative to the root."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    return [pathlib.PurePosixPath(name) for name in listed.decode().split("\0") if name]


def significant(text):
    """Number of lines that hold something else than blanks and a line comment."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.lstrip().startswith("//"))


def split(text):
    """(code, test) lines of a source file, modules behind `#[cfg(test)]` taken as test."""
    test = 0
    for found in TEST_MODULE.finditer(text):
        if found[2] == "{":
            end = text.find("\n}", found.end())
            test += significant(text[found.start() : end + 2 if end >= 0 else len(text)])
    return significant(text) - test, test


def test_files(files):
    """Files that a `#[cfg(test)] mod name;` names."""
    names = set()
    for path, text in files.items():
        folder = path.parent if path.name in ("mod.rs", "lib.rs", "main.rs") else path.parent / path.stem
        for found in TEST_MODULE.finditer(text):
            if found[2] == ";":
                names |= {folder / f"{found[1]}.rs", folder / found[1] / "mod.rs", path.parent / f"{found[1]}.rs"}
    return names


def count():
    """{crate: [code, tests, data]}; a crate is the nearest folder above with a Cargo.toml."""
    paths = tracked()
    manifests = {path.parent for path in paths if path.name == "Cargo.toml"}
    sources = {path: (ROOT / path).read_text() for path in paths if path.suffix == ".rs" and (ROOT / path).exists()}
    behind_test = test_files(sources)
    table = {}
    for path in paths:
        if path not in sources and (path.suffix not in DATA or path.name == "Cargo.toml" or not (ROOT / path).exists()):
            continue
        home = next(folder for folder in path.parents if folder in manifests)
        # Data of no crate (documentation, golden files, notebooks) is not compiled in.
        if path not in sources and (home == pathlib.PurePosixPath(".") or "tests" in path.parts):
            continue
        row = table.setdefault("webmill" if str(home) == "." else str(home), [0, 0, 0])
        if path not in sources:
            row[2] += sum(1 for line in (ROOT / path).read_bytes().splitlines() if line.strip())
        elif path in behind_test or TEST_NAME.search(str(path.relative_to(home))):
            row[1] += significant(sources[path])
        else:
            code, test = split(sources[path])
            row[0] += code
            row[1] += test
    return dict(sorted(table.items()))


def main():
    table = count()
    if "--write" in sys.argv:
        lines = ["crate\tcode\ttests\tdata"] + ["\t".join(map(str, [name, *row])) for name, row in table.items()]
        TABLE.write_text("\n".join(lines) + "\n")
    last = {}
    if TABLE.exists():
        for line in TABLE.read_text().splitlines()[1:]:
            name, *row = line.split("\t")
            last[name] = list(map(int, row))
    print(f"{'crate':<20}{'code':>9}{'tests':>9}{'data':>9}{'code+tests, and since the committed table':>50}")
    total, before = [0, 0, 0], 0
    for name in sorted(table.keys() | last.keys()):
        row, old = table.get(name, [0, 0, 0]), last.get(name, [0, 0, 0])
        total = [a + b for a, b in zip(total, row)]
        before += sum(old[:2])
        print(f"{name:<20}{row[0]:>9}{row[1]:>9}{row[2]:>9}{sum(row[:2]):>40}{sum(row[:2]) - sum(old[:2]):>+10}")
    print(f"{'in all':<20}{total[0]:>9}{total[1]:>9}{total[2]:>9}{sum(total[:2]):>40}{sum(total[:2]) - before:>+10}")


if __name__ == "__main__":
    main()
