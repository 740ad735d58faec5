"""Books of sheets, and their truth: names of sheets and cells as they are displayed."""

from dataclasses import dataclass, field

from .compose import STAMPS
from .sentences import Author


@dataclass
class Cell:
    """A value, its number format, and how that shows it."""

    value: object
    shown: str
    format: str = "General"


@dataclass
class Book:
    name: str
    lang: str
    title: str
    sheets: list
    stamp: str
    title_cell: bool
    features: list = field(default_factory=list)

    def truth(self, tool):
        paragraphs, tables = [], []
        for at, (name, rows) in enumerate(self.sheets):
            shown = [[cell.shown for cell in row] for row in rows]
            paragraphs += [name] + ([self.title] if at == 0 and self.title_cell else []) + [" | ".join(row) for row in shown]
            tables.append(shown)
        return {"title": self.title, "paragraphs": paragraphs, "notes": [], "optional": [], "furniture": [], "headings": [],
                "tables": tables, "links": [], "lang": self.lang, "tool": tool, "features": self.features}


def compose_book(name, lang, features, count):
    author = Author(lang, name)
    draw = author.draw
    sheets = []
    heads = author.lines("head", count)
    for sheet in range(count):
        rows = [[Cell(words, words) for words in author.parts["tablehead"][0].split(" | ")]]
        sums = []
        for words in author.lines("row", 5 if sheet == 0 else 3):
            goods, place, *_ = words.split(" | ")
            number = draw.randint(3, 999)
            sums.append(number)
            rows.append([Cell(goods, goods), Cell(place, place), Cell(number, str(number))])
        if "number-formats" in features:
            for row in rows[1:]:
                price, share, day = draw.randint(100, 99_999) / 100, draw.randint(1, 99), draw.randint(10, 28)
                row += [Cell(price, f"{price:.2f}", "0.00"), Cell(share / 100, f"{share}%", "0%")]
                row.append(Cell(f"=DATE(2019,11,{day})", f"2019-11-{day}", "yyyy-mm-dd"))
            rows[0] = rows[0][:3] + [Cell(words, words) for words in ("A", "B", "C")]
        first = 4 if sheet == 0 else 2
        rows.append([Cell("", ""), Cell("", ""), Cell(f"=SUM(C{first}:C{first + len(sums) - 1})", str(sum(sums)))])
        sheets.append(("".join(sign for sign in heads[sheet] if sign not in "[]:*?/\\'")[:31].strip(), rows))
    stamp = next((STAMPS[feature] for feature in features if feature in STAMPS), None)
    title = author.line("title")
    stamp = stamp if stamp is not None else "" if "no-metadata" in features else title
    return Book(name, lang, title, sheets, stamp, True, sorted(features))
