#!/usr/bin/env python3
"""Our detection of encodings beside chardet and charset-normalizer, per encoding.

usage: benches/peers/encodings.py DATA [--ours BINARY] [--wrong]

DATA has a folder an encoding, named after it (`EUC-JP`, `windows-1251-russian`), with files in it: the shared data
`encodings/`. BINARY is the example `charset_of` (default target/release/examples/charset_of; build it by
`cargo build --release --example charset_of`). Wants chardet and charset-normalizer; see requirements.txt.

A name is right if the file, read by the codec of that name, gives the text that the codec of its folder gives: as
many characters, of which at most 1 in 2,000 differ. Names are read by one table for all, in which an encoding stands
for its extension (ISO-8859-1 is windows-1252, GB2312 is GB18030, as on the Web), so that the name of either is right;
so is `ascii` of a file without other bytes. `named` counts the names equal to the folder's under that table alone.

Two columns are ours: `bytes` is told by the bytes alone, `page` may also follow what the file declares (`<meta>`,
`<?xml encoding?>`), as chardet does. Prints a row an encoding: files, right by each; then totals, and seconds per MB,
in one process and thread each. `--wrong` lists the files that some column misses.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

import chardet
import charset_normalizer

ROOT = Path(__file__).resolve().parents[2]

# Codec of Python that reads what is labelled so; an encoding's extension where there is one.
CODECS = {
    "ascii": "cp1252", "iso88591": "cp1252", "latin1": "cp1252", "windows1252": "cp1252", "cp1252": "cp1252",
    "iso88599": "cp1254", "windows1254": "cp1254",
    "gb2312": "gb18030", "gbk": "gb18030", "cp936": "gb18030", "gb18030": "gb18030", "hz": "hz", "hzgb2312": "hz",
    "big5": "big5hkscs", "cp950": "big5hkscs", "big5hkscs": "big5hkscs",
    "shiftjis": "cp932", "cp932": "cp932", "windows31j": "cp932", "shiftjis2004": "cp932", "shiftjisx0213": "cp932",
    "eucjp": "euc_jp", "eucjis2004": "euc_jp", "eucjisx0213": "euc_jp",
    "iso2022jp": "iso2022_jp_ext", "iso2022jp2": "iso2022_jp_ext", "iso2022jpext": "iso2022_jp_ext",
    "euckr": "cp949", "cp949": "cp949", "uhc": "cp949", "johab": "johab", "cp1361": "johab",
    "iso2022kr": "iso2022_kr", "euctw": None, "tis620": "cp874", "iso885911": "cp874", "windows874": "cp874",
    "cp874": "cp874", "koi8r": "koi8_r", "koi8u": "koi8_u", "koi8t": "koi8_t",
    "maccyrillic": "mac_cyrillic", "xmaccyrillic": "mac_cyrillic", "macintosh": "mac_roman", "macroman": "mac_roman",
    "ibm855": "cp855", "ibm866": "cp866", "utf8sig": "utf_8", "utf8": "utf_8",
    "iso88598i": "cp1255", "iso88598": "cp1255", "windows1255": "cp1255",
    "utf16": "utf_16", "utf32": "utf_32",
}  # fmt: skip


def codec(name):
    """The codec of a name; None if Python has none."""
    bare = name.lower().replace("-", "").replace("_", "")
    if bare in CODECS:
        return CODECS[bare]
    if bare.startswith("windows"):
        bare = "cp" + bare[7:]
    for prefix, form in (("iso8859", "iso8859_{}"), ("utf16", "utf_16_{}"), ("utf32", "utf_32_{}")):
        if bare.startswith(prefix):
            return form.format(bare[len(prefix) :])
    return bare


def read(data, name):
    """Its text under the codec of `name`, without a mark; None if there is none, or if the name is not one of a codec."""
    of = codec(name)
    try:
        return None if of is None else data.decode(of, "replace").lstrip("\ufeff")
    except (LookupError, UnicodeError):
        return None


def same(a, b):
    if len(a) != len(b):
        return False
    return a == b or 2000 * sum(x != y for x, y in zip(a, b)) <= len(a)


def label_of(folder):
    parts = folder.lower().split("-")
    # Without the language behind the encoding: iso-8859-2-czech.
    return "-".join(parts[:-1]) if len(parts) > 1 and parts[-1].isalpha() and len(parts[-1]) > 4 else folder


def ours(binary, paths, *flags):
    lines = subprocess.run([binary, *flags, *paths], check=True, capture_output=True, text=True).stdout.splitlines()
    *names, seconds = [line.split("\t")[1] for line in lines]
    return names, float(seconds)


def peer(guess, datas):
    guess(b"warm \xc3\xa9")
    start = time.perf_counter()
    names = [guess(data) or "" for data in datas]
    return names, time.perf_counter() - start


def normalizer(data):
    best = charset_normalizer.from_bytes(data).best()
    return best and best.encoding


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("data", type=Path)
    args.add_argument("--ours", type=Path, default=ROOT / "target/release/examples/charset_of")
    args.add_argument("--wrong", action="store_true")
    args = args.parse_args()
    folders = sorted(f for f in args.data.iterdir() if f.is_dir() and f.name != "html5lib")
    paths = [path for folder in folders for path in sorted(folder.iterdir())]
    if not paths:
        sys.exit(f"{args.data}: no folders with files")
    datas = [path.read_bytes() for path in paths]
    found = {
        "bytes": ours(args.ours, paths, "--bytes"),
        "page": ours(args.ours, paths),
        "chardet": peer(lambda data: chardet.detect(data)["encoding"], datas),
        "normalizer": peer(normalizer, datas),
    }
    rows, named = {}, dict.fromkeys(found, 0)
    for i, (path, data) in enumerate(zip(paths, datas)):
        label = label_of(path.parent.name)
        truth = read(data, label)
        row = rows.setdefault(path.parent.name, dict.fromkeys(["files", *found], 0))
        row["files"] += 1
        for who, (names, _) in found.items():
            equal = label.lower() == names[i].lower() or None is not codec(label) == codec(names[i] or "-")
            named[who] += equal
            text = read(data, names[i]) if names[i] and truth is not None else None
            right = equal or (text is not None and same(text, truth))
            row[who] += right
            if args.wrong and not right:
                print(f"{path.parent.name}/{path.name}: {who} {names[i] or 'none'}")
    print("| encoding | files |", " | ".join(found), "|\n|---|---|" + "---|" * len(found))
    for folder, row in rows.items():
        print("|", " | ".join([folder, *(str(n) for n in row.values())]), "|")
    total = [str(sum(row[key] for row in rows.values())) for key in ["files", *found]]
    print("|", " | ".join(["all", *total]), "|")
    print("|", " | ".join(["named", str(len(paths)), *(str(n) for n in named.values())]), "|")
    size = sum(map(len, datas)) / 1e6
    print("|", " | ".join(["ms per MB", "", *(f"{1000 * s / size:.1f}" for _, s in found.values())]), "|")


main()
