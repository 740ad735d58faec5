"""Makes slides: PPTX by python-pptx, PPT and ODP of it by LibreOffice, and PDF where there are no speaker's notes."""

from pptx import Presentation
from pptx.util import Inches, Pt

from .print_libreoffice import convert
from .text import Grid, Heading, Items, Paragraph

TITLE, BODY, ONLY_TITLE = 0, 1, 5


def fill(frame, lines):
    for at, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if at == 0 else frame.add_paragraph()
        paragraph.text = line
        paragraph.font.size = Pt(12)


def slides_of(text):
    """(title, lines, tables, notes) of each slide: a heading begins one, a table has one to itself."""
    slides = []
    for part in text.blocks:
        match part:
            case Heading(_, words):
                slides.append((words, [], [], []))
            case Paragraph():
                slides[-1][1].append(part.words)
                slides[-1][3].extend(note.words for note in part.notes)
            case Items(words):
                slides[-1][1].extend(words)
            case Grid():
                slides[-1][2].append(part)
    return slides


def deck(text, path):
    deck = Presentation()
    deck.core_properties.title = text.stamp
    deck.core_properties.author = text.author
    first = deck.slides.add_slide(deck.slide_layouts[TITLE])
    first.shapes.title.text = text.title
    if text.author:
        first.placeholders[1].text = text.author
    else:
        first.placeholders[1].element.getparent().remove(first.placeholders[1].element)
    for title, lines, tables, notes in slides_of(text):
        slide = deck.slides.add_slide(deck.slide_layouts[BODY if lines else ONLY_TITLE])
        slide.shapes.title.text = title
        if lines:
            fill(slide.placeholders[1].text_frame, lines)
        for table in tables:
            rows = [table.head, *table.rows]
            if lines:
                body = slide.placeholders[1]
                body.left, body.top, body.width, body.height = Inches(0.6), Inches(1.5), Inches(8.6), Inches(2.5)
            shape = slide.shapes.add_table(len(rows), len(table.head), Inches(0.6), Inches(4.2), Inches(8.6), Inches(1.8))
            for row, cells in zip(shape.table.rows, rows):
                for cell, words in zip(row.cells, cells):
                    cell.text = words
                    cell.text_frame.paragraphs[0].font.size = Pt(11)
        if notes:
            fill(slide.notes_slide.notes_text_frame, notes)
    used = {slide.slide_layout.name for slide in deck.slides}
    for layout in [layout for layout in deck.slide_layouts if layout.name not in used]:
        deck.slide_layouts.remove(layout)
    deck.save(path)


def print_all(texts, out):
    for text in texts:
        for table in (part for part in text.blocks if isinstance(part, Grid)):
            table.caption = ""
        reorder(text)
        deck(text, out / f"{text.name}.pptx")
    files = [out / f"{text.name}.pptx" for text in texts]
    for kind in ("ppt", "odp"):
        convert(files, kind, out)
    convert([file for file, text in zip(files, texts) if "notes" not in text.features], "pdf", out)


def reorder(text):
    """A slide's table stands below its lines: so it does in the truth."""
    blocks, tables = [], []
    for part in text.blocks:
        if isinstance(part, Heading):
            blocks += tables
            tables = []
        (tables if isinstance(part, Grid) else blocks).append(part)
    text.blocks = blocks + tables
