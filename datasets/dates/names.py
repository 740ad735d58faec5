#!/usr/bin/env python3
"""Names of months and the words between the parts of a date, in the languages of CLDR.

usage: datasets/dates/names.py

Writes src/html/written_date/names.txt, which the reader of dates is built with, and src/html/written_date/cases.tsv, a day in two
written forms of each language, which it is tested with. Wants babel (`pip install babel==2.19.0`), which holds the data of CLDR 48.
"""

import datetime
import re
import sys
import unicodedata
from pathlib import Path

from babel import Locale
from babel.dates import format_date

OUT = Path(__file__).resolve().parents[2] / "src/html/written_date"

# Of two languages that call different months by one name the first is right. Croatian writes a dot behind the year, so that its names
# are told apart.
LANGUAGES = """en de fr es it pt nl sv da nb nn fi is et lv lt pl cs sk sl sr sr_Latn bs hr mk bg ro hu el ru uk be sq tr az kk uz mn ka
hy he ar ar_LB ar_MA fa ur hi bn mr ne gu pa ta te kn ml si th lo km my vi id ms fil sw af eu ca gl cy ga mt eo ja ko zh zh_Hant am ky
tg tk en_GB de_AT es_MX pt_PT fr_CA""".split()
# Languages whose digits are their own, and the first of these.
DIGITS = {"ar": 0x660, "fa": 0x6F0, "ur": 0x6F0, "hi": 0x966, "bn": 0x9E6, "mr": 0x966, "ne": 0x966, "my": 0x1040, "th": 0xE50, "km": 0x17E0}
# Names, and words between the parts of dates, that are in use and not in CLDR.
BETWEEN = "st nd rd th er of го ο ngày năm พ.ศ ค.ศ dne"
MORE = {1: "jän jan genn", 2: "febr", 3: "mrz", 7: "jul", 8: "ags", 9: "sept setiembre", 12: "dez"}
# Solar Hijri and Islamic months, with the spellings in use.
JALALI = """فروردین|اردیبهشت|خرداد|تیر|مرداد امرداد|شهریور|مهر|آبان ابان|آذر اذر|دی|بهمن|اسفند""".split("|")
HIJRI = """محرم|صفر|ربيع_الأول ربيع_الاول|ربيع_الآخر ربيع_الثاني|جمادى_الأولى جمادى_الاولى|جمادى_الآخرة جمادى_الثانية|رجب|شعبان|رمضان|شوال|ذو_القعدة
ذي_القعدة|ذو_الحجة ذي_الحجة""".split("|")


def plain(name):
    """A name as it is looked up: composed, in lower case, without the dot of an abbreviation."""
    name = unicodedata.normalize("NFC", re.sub("[\u200e\u200f،]", "", name).strip()).lower()
    name = re.sub(r"^(de |d’)", "", name.rstrip(".،׳॰ ").replace("\u0307", ""))
    return name.replace(" ", "_")


def unmarked(name):
    """A Latin name without its accents, as old pages write it."""
    letters = unicodedata.normalize("NFD", name)
    return re.sub("[\u0300-\u036f]", "", letters) if "a" <= letters[0] <= "z" else name


def patterns(locale):
    found = [str(locale.date_formats[form].pattern) for form in ("full", "long", "medium")]
    return found + [str(locale.datetime_skeletons[key].pattern) for key in ("yMMMd", "yMMMMd") if key in locale.datetime_skeletons]


def read(locale, months, between):
    joined = {("", "")}
    for pattern in patterns(locale):
        pattern = pattern.replace("''", "’")
        text = re.sub(r"'([^']*)'", lambda m: m[1].translate({ord(c): ord(c) + 0xF0000 for c in map(chr, range(65, 123))}), pattern)
        for part in re.finditer(r"([^\s\-/.,A-Za-z]*)(?:MMMM?|LLLL?)([^\s\-/.,A-Za-z]*)", text):
            joined.add(tuple(back(side).strip("’()") for side in part.groups()))
        for word in re.findall(r"[^\W\d_A-Za-z]+", re.sub(r"\S*[ML]{3,}\S*", " ", text)) + re.findall(r"[\U000F0041-\U000F00FF]+", text):
            between.add(plain(back(word)))
    for kind in ("format", "stand-alone"):
        for width in ("wide", "abbreviated"):
            for month, name in locale.months[kind].get(width, {}).items():
                name = re.sub("_(сарын|сар)$", "", plain(name))
                if re.search(r"\d", name) or not name or re.search("[一二三四五六七八九十]", name):
                    continue
                for before, behind in joined:
                    months.append((before + name + behind, month, str(locale)))


def back(text):
    """Letters that were put out of the way of the letters of patterns."""
    return "".join(chr(ord(c) - 0xF0000) if ord(c) >= 0xF0000 else c for c in text)


def main():
    months, between = [], set()
    for language in LANGUAGES:
        read(Locale.parse(language), months, between)
    months += [(name, month, "more") for month, names in MORE.items() for name in names.split()]
    known, dotted = {}, {}
    months += [(unmarked(name), month, "old pages") for name, month, language in months if language != "hr"]
    for name, month, language in months:
        if len(name) < 3 and name.isascii() or known.setdefault(name, month) == month:
            continue
        if language == "hr":
            dotted[name] = month
        print(f"{name} is {known[name]}, in {language} {month}", file=sys.stderr)
    between = between - set(known) - set("年月日년월일") - {""} | set(BETWEEN.split())
    lines = ["# Made by datasets/dates/names.py of the data of CLDR; see there."]
    for kind, table in (("month", known), ("dotted", dotted)):
        for month in range(1, 13):
            names = sorted(name for name, of in table.items() if of == month)
            if names:
                lines.append(f"{kind} {month}: {' '.join(names)}")
    lines += [f"jalali {n}: {' '.join(names.split())}" for n, names in enumerate(JALALI, 1)]
    lines += [f"hijri {n}: {' '.join(names.split())}" for n, names in enumerate(HIJRI, 1)]
    lines.append(f"between 0: {' '.join(sorted(word for word in between if '_' not in word))}")
    (OUT / "names.txt").write_text("\n".join(lines) + "\n")
    cases = []
    for n, language in enumerate(LANGUAGES[:LANGUAGES.index("en_GB")]):
        day = datetime.date(2004 + n % 20, 1 + n % 12, 13 + n % 15)
        for form in ("long", "medium"):
            text = format_date(day, form, locale=language)
            if form == "medium" and language in DIGITS:
                text = text.translate({48 + d: DIGITS[language] + d for d in range(10)})
            cases.append(f"{language}\t{text}\t{day}")
    (OUT / "cases.tsv").write_text("\n".join(cases) + "\n")


main()
