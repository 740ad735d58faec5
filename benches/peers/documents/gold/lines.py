"""Lays a text out in lines, for printers that only set words at places: justification, columns, tables by tab stops.

Bullets and numbers are words of the line; headings are larger; what does not fit goes to the next column or page.
"""

from dataclasses import dataclass

from .sentences import UNSPACED
from .text import Grid, Heading, Items, Paragraph

MARGIN, GAP = 56, 18
NO_START = "，。、；：？！」』）》"


@dataclass
class Line:
    x: float
    y: float
    size: float
    words: str
    bold: bool = False


def pieces(words, unspaced):
    if not unspaced:
        return [word + " " for word in words.split(" ")]
    cut = []
    for sign in words:
        digits = cut and sign.isascii() and sign.isalnum() and cut[-1][-1].isascii() and cut[-1][-1].isalnum()
        if cut and (digits or sign in NO_START):
            cut[-1] += sign
        else:
            cut.append(sign)
    return cut


def wrapped(words, width, size, measure, unspaced):
    line = ""
    for piece in pieces(words, unspaced):
        if line and measure((line + piece).rstrip(), size) > width:
            yield line.rstrip()
            line = ""
        line += piece
    if line.strip():
        yield line.rstrip()


def laid_out(text, measure):
    """Pages of lines. `measure(words, size)` is the width of words."""
    width, height = text.paper
    column = (width - 2 * MARGIN - GAP * (text.columns - 1)) / text.columns
    pages, unspaced = [[]], text.lang in UNSPACED
    state = {"column": 0, "y": height - MARGIN, "top": height - MARGIN}

    def advance(leading):
        if state["y"] - leading < MARGIN:
            state["column"] += 1
            if state["column"] == text.columns:
                state["column"], state["top"] = 0, height - MARGIN
                pages.append([])
            state["y"] = state["top"]
        state["y"] -= leading
        return MARGIN + state["column"] * (column + GAP)

    def words(of, size=text.size, bold=False, before=0.0, within=column, indent=0.0):
        state["y"] -= before
        for line in wrapped(of, within - indent, size, measure, unspaced):
            x = advance(size * 1.35)
            pages[-1].append(Line(x + indent, state["y"], size, line, bold))

    words(text.title, text.size * 1.9, True, within=width - 2 * MARGIN)
    if text.author:
        words(text.author)
    state["y"] -= 8
    state["top"] = state["y"]
    for part in text.blocks:
        match part:
            case Heading(level, of):
                words(of, text.size * (1.5, 1.25, 1.1)[level - 1], True, 10)
            case Paragraph():
                words(part.words, before=6)
            case Items(of, numbered):
                for at, item in enumerate(of, 1):
                    words(f"{at}. {item}" if numbered else f"- {item}", before=3, indent=12)
            case Grid(head, rows, _, caption):
                if caption:
                    words(caption, before=6)
                for row in [head, *rows]:
                    x = advance(text.size * 1.5)
                    for at, cell in enumerate(row):
                        pages[-1].append(Line(x + at * column / len(head), state["y"], text.size, cell))
    if text.running:
        for number, page in enumerate(pages, 1):
            page.insert(0, Line((width - measure(text.running, 9)) / 2, height - 36, 9, text.running))
            page.append(Line(width / 2, 30, 9, str(number)))
    return pages
