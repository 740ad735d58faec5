"""Puts texts together: what is asked for by features stands in them, the rest is drawn by a seed."""

from .sentences import UNSPACED, Author
from .text import Box, Break, Comment, Field, Grid, Heading, Hidden, Items, Link, Note, Paragraph, Revision, Super, Text

MEASURES = {
    "en": ("The yard behind the shed measures ", " m", "2", ", which is enough for the carts."),
    "de": ("Der Hof hinter dem Schuppen misst ", " m", "2", ", was für die Handwagen genügt."),
    "fr": ("La cour derrière le hangar mesure ", " m", "2", ", ce qui suffit aux charrettes."),
}
STAMPS = {
    "stamp-word": "Microsoft Word - draft7.doc",
    "stamp-untitled": "untitled",
    "stamp-file": "report_final_v3.indd",
    "stamp-powerpoint": "PowerPoint Presentation",
}
PAPERS = {"landscape": (842, 595), "letter": (612, 792), "small-page": (420, 595)}


def compose(name, lang, features=(), sections=2, seed=0, **settings):
    """A text with these features: `footnotes`, `notes` (of speakers),
    `table-ruled`, `table-unruled`, `bullets`, `numbers`, `headings-3`, `links`,
    `superscripts`, `author`, `running-heads`, `columns-2`, `columns-3`, `justified`, `hyphenated`, `title-two-lines`,
    `no-metadata`, one of STAMPS, one of PAPERS; in office files also `revisions`, `fields`, `breaks`, `hidden`, `comments`,
    `text-box`, `nested-items`, `merged-cells`, `endnotes`."""
    features = set(features)
    author = Author(lang, f"{name} {seed}")
    title = author.line("title")
    if "title-two-lines" in features:
        between = "：" if lang in UNSPACED else ": "
        title += between + author.line("title")
    writer = Writer(author, features)
    blocks = []
    for section in range(sections):
        blocks += writer.section(section, sections)
    for feature, stamp in STAMPS.items():
        if feature in features:
            settings.setdefault("metadata", stamp)
    for feature, paper in PAPERS.items():
        if feature in features:
            settings.setdefault("paper", paper)
    if "running-heads" in features:
        settings.setdefault("running", author.line("head-running"))
    return Text(
        name=name,
        lang=lang,
        title=title,
        blocks=blocks,
        author=author.line("author") if "author" in features else "",
        columns=3 if "columns-3" in features else 2 if "columns-2" in features else 1,
        justified="justified" in features,
        hyphenated="hyphenated" in features,
        metadata_title="no-metadata" not in features,
        features=sorted(features),
        **settings,
    )


class Writer:
    def __init__(self, author, features):
        self.author, self.features, self.notes = author, features, 0
        self.heads = []

    def head(self):
        if not self.heads:
            self.heads = self.author.lines("head", len(self.author.parts["head"]))
        return self.heads.pop(0)

    def section(self, at, sections):
        draw, has = self.author.draw, self.features.__contains__
        blocks = [Heading(1, self.head()), self.paragraph()]
        if has("headings-3"):
            blocks += [Heading(2, self.head()), self.paragraph()]
            if at % 2 == 0:
                blocks += [Heading(3, self.head()), self.paragraph()]
        if at == 0:
            blocks += [self.measure()] if has("superscripts") else []
            blocks += [Items(self.author.lines("item", draw.randint(3, 4)))] if has("bullets") else []
            blocks += [Items(self.author.lines("item", 4), False, [0, 1, 1, 0])] if has("nested-items") else []
            blocks += [self.paragraph(), Box(self.author.paragraph(1))] if has("text-box") else []
        if at == sections - 1:
            numbered = has("numbers")
            blocks += [Items(self.author.lines("item", draw.randint(3, 4)), True)] if numbered else []
        if at == min(1, sections - 1) and (has("table-ruled") or has("table-unruled") or has("merged-cells")):
            blocks += [self.grid()]
        blocks += [self.paragraph() for _ in range(draw.randint(1, 2))]
        return blocks

    def paragraph(self):
        runs = [self.author.paragraph(self.author.draw.randint(2, 5))]
        if "links" in self.features and self.author.draw.random() < 0.4:
            runs = self.linked(runs[0])
        if "notes" in self.features:
            self.notes += 1
            runs.append(Note(self.notes, self.author.paragraph(1)))
        if "footnotes" in self.features and self.author.draw.random() < 0.45:
            self.notes += 1
            runs.append(Note(self.notes, self.author.line("note")))
        if "endnotes" in self.features and self.author.draw.random() < 0.4:
            self.notes += 1
            runs.append(Note(self.notes, self.author.line("note"), True))
        return Paragraph(runs + self.asides())

    def asides(self):
        """What only office files have, behind a sentence."""
        between = "" if self.author.lang in UNSPACED else " "
        line = lambda: self.author.paragraph(1)
        asides = {
            "revisions": lambda: [between, Revision(line(), line())],
            "fields": lambda: [between, Field(line())],
            "breaks": lambda: [Break("\n"), line(), Break("\t"), line()],
            "hidden": lambda: [between, Hidden(line())],
            "comments": lambda: [Comment(line())],
        }
        return [run for feature, aside in asides.items() if feature in self.features for run in aside()]

    def linked(self, words):
        """The words with some of them a link."""
        target = f"https://www.example.org/{self.author.draw.choice(['tea', 'rivers', 'maps', 'ferry'])}/{len(words)}"
        if self.author.lang in UNSPACED:
            return [words[:6], Link(words[6:10], target), words[10:]]
        parts = words.split(" ")
        return [" ".join(parts[:4]) + " ", Link(" ".join(parts[4:6]), target), " " + " ".join(parts[6:])]

    def measure(self):
        before, unit, power, behind = MEASURES.get(self.author.lang, MEASURES["en"])
        return Paragraph([before + str(self.author.draw.randint(20, 600)) + unit, Super(power), behind])

    def grid(self):
        head = self.author.parts["tablehead"][0].split(" | ")
        rows = [row.split(" | ") for row in self.author.lines("row", 5)]
        if "merged-cells" in self.features:
            rows[1][1:] = [rows[1][1], *[None] * (len(head) - 3), rows[1][-1]]
            rows.insert(3, [self.author.line("caption"), *[None] * (len(head) - 1)])
        caption = self.author.line("caption") if self.author.draw.random() < 0.5 else ""
        return Grid(head, rows, "table-ruled" in self.features, caption)
