"""A document before it is printed, and its truth.

Blocks: `Heading`, `Paragraph`, `Items`, `Grid`, `Box`. A paragraph is a list of runs: plain `str`, or `Link`, `Super`, `Note`, and in office files
`Revision`, `Field`, `Break`, `Hidden`, `Comment`. A note's mark stands behind a full stop, so that it is a token of its own wherever it is printed.

The truth is what a person would write down: title and headings, paragraphs, items and rows in reading order (`paragraphs`), notes
apart (`notes`: a tool may print them at the foot of the page or behind the paragraph), and what a reader may write or leave
(`optional`: marks of notes, numbers of items, captions' labels). Running heads and page numbers are `furniture`, no text.
"""

from dataclasses import dataclass, field


@dataclass
class Link:
    words: str
    target: str


@dataclass
class Super:
    words: str


@dataclass
class Note:
    number: int
    words: str
    at_end: bool = False


@dataclass
class Revision:
    """Words that were put in the place of others, with changes tracked."""

    words: str
    deleted: str


@dataclass
class Field:
    """What a field shows."""

    words: str


@dataclass
class Break:
    """A tab or a forced line break."""

    words: str


@dataclass
class Hidden:
    """Text that is not shown; no part of the truth."""

    hidden: str
    words: str = ""


@dataclass
class Comment:
    """A reader's remark in the margin; neither here nor there."""

    remark: str
    words: str = ""


@dataclass
class Box:
    """A text box, with a place on the page but none in the order."""

    words: str


@dataclass
class Heading:
    level: int
    words: str


@dataclass
class Paragraph:
    runs: list

    @property
    def words(self):
        return "".join(run if isinstance(run, str) else run.words for run in self.runs if not isinstance(run, Note))

    @property
    def notes(self):
        return [run for run in self.runs if isinstance(run, Note)]


@dataclass
class Items:
    words: list
    numbered: bool = False
    depths: list = None


@dataclass
class Grid:
    """A table; a cell that is `None` belongs to the one before it."""

    head: list
    rows: list
    ruled: bool = True
    caption: str = ""


@dataclass
class Text:
    name: str
    lang: str
    title: str
    blocks: list
    author: str = ""
    columns: int = 1
    running: str = ""
    paper: tuple = (595, 842)
    size: float = 10.5
    justified: bool = False
    hyphenated: bool = False
    metadata: str = None
    metadata_title: bool = True
    seed: int = 0
    features: list = field(default_factory=list)
    title_lines: list = None

    @property
    def stamp(self):
        """The title of the metadata: the real one, a stamp, or none."""
        return self.metadata if self.metadata is not None else self.title if self.metadata_title else ""

    def truth(self, tool, printed_title=True):
        paragraphs, notes, optional, headings, tables, links = [], [], [], [], [], []
        if printed_title:
            paragraphs.append(self.title)
        if self.author:
            paragraphs.append(self.author)
        for block in self.blocks:
            match block:
                case Heading(level, words):
                    headings.append([level, words])
                    paragraphs.append(words)
                case Paragraph(runs):
                    paragraphs.append(block.words)
                    links += [[run.words, run.target] for run in runs if isinstance(run, Link)]
                    optional += [run.remark for run in runs if isinstance(run, Comment)]
                    for note in block.notes:
                        notes.append(note.words)
                        optional += [str(note.number)] * 2 + ["i" * note.number] * 2 * note.at_end
                case Box(words):
                    notes.append(words)
                case Items(words, numbered):
                    paragraphs += words
                    optional += [str(at + 1) for at in range(len(words)) if numbered]
                case Grid(head, rows, _, caption):
                    if caption:
                        paragraphs.append(caption)
                    paragraphs += [" | ".join(cell for cell in row if cell is not None) for row in [head, *rows]]
                    tables.append([head, *rows])
        return {
            "title": self.title,
            "paragraphs": paragraphs,
            "notes": notes,
            "optional": optional,
            "furniture": [self.running] if self.running else [],
            "headings": headings,
            "tables": tables,
            "links": links,
            "lang": self.lang,
            "tool": tool,
            "features": sorted(set(self.features)),
        }
