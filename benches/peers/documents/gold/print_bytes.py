"""Prints files written byte by byte: predefined CMaps, Type 3 fonts, vertical lines, spaces that are only moves, scrambled order,
old filters, forms within forms, damaged tables of objects."""

import random

from .bytes_fonts import CMAPS, Collection, Drawn, Standard
from .lines import MARGIN, Line, laid_out
from .pdf_bytes import FILTERS, Pdf, string, text_string
from .text import Heading, Items, Paragraph

DAMAGES = ("no-xref", "wrong-offsets", "wrong-length")


def font_of(features):
    for feature in features:
        if feature in CMAPS:
            return Collection(feature)
    if "type-3" in features or "type-3-unicode" in features:
        return Drawn("type-3" in features)
    return Standard("Times-Roman" if "serif" in features else "Helvetica", "glyph-names" in features)


def upright(text):
    """Pages of lines that run down, from right to left."""
    width, height = text.paper
    pages, x = [[]], width - MARGIN
    parts = [(text.title, 1.6)]
    for part in text.blocks:
        match part:
            case Heading(_, words):
                parts.append((words, 1.25))
            case Paragraph():
                parts.append((part.words, 1))
            case Items(words):
                parts += [(item, 1) for item in words]
    for words, times in parts:
        size = text.size * times
        fits = int((height - 2 * MARGIN) / size)
        for at in range(0, len(words), fits):
            x -= size * 1.7
            if x < MARGIN:
                pages.append([])
                x = width - MARGIN - size * 1.7
            pages[-1].append(Line(x, height - MARGIN, size, words[at : at + fits]))
        x -= 4
    return pages


def shown(line, font, features):
    """A line as operators."""
    place = f"1 0 0 1 {line.x:.2f} {line.y:.2f} Tm".encode()
    size = f"/F1 {line.size:g} Tf".encode()
    if "scaled-matrix" in features:
        place, size = f"{line.size:g} 0 0 {line.size:g} {line.x:.2f} {line.y:.2f} Tm".encode(), b"/F1 1 Tf"
    if "letter-by-letter" in features:
        parts, x = [], line.x
        for sign in line.words:
            if sign != " ":
                scale = line.size if "scaled-matrix" in features else 1
                parts.append(f"{scale:g} 0 0 {scale:g} {x:.2f} {line.y:.2f} Tm ".encode() + string(font.encode(sign)) + b" Tj")
            x += font.measure(sign, line.size)
        return b"BT " + size + b" " + b"\n".join(parts) + b" ET"
    if "moves-for-spaces" in features:
        gap = -round(1000 * font.measure(" ", 1))
        between = f" {gap} ".encode()
        return b"BT %s %s [%s] TJ ET" % (size, place, between.join(string(font.encode(word)) for word in line.words.split(" ")))
    if "kerned" in features:
        draw = random.Random(line.words)
        pieces = b" ".join(string(font.encode(sign)) + b" %d" % draw.randint(-40, 40) for sign in line.words)
        return b"BT %s %s [%s] TJ ET" % (size, place, pieces)
    if "hexadecimal" in features:
        return b"BT %s %s <%s> Tj ET" % (size, place, font.encode(line.words).hex().encode())
    return b"BT %s %s %s Tj ET" % (size, place, string(font.encode(line.words)))


def print_text(text, path):
    features = text.features
    font = font_of(features)
    filters = next((name for name in FILTERS if name in features), None)
    pdf = Pdf(filters)
    root, tree = pdf.reserve(), pdf.reserve()
    contents = []
    for page in upright(text) if "vertical" in features else laid_out(text, font.measure):
        if "scrambled" in features:
            random.Random(text.name).shuffle(page)
        contents.append([shown(line, font, features) for line in page])
    number = font.add(pdf)
    resources = f"<< /Font << /F1 {number} 0 R >> >>"
    box = "[0 0 %g %g]" % text.paper
    pages = []
    for lines in contents:
        if "forms" in features:
            inner = pdf.stream(b"\n".join(lines), f"/Type /XObject /Subtype /Form /BBox {box} /Resources {resources}")
            of = f"/Type /XObject /Subtype /Form /BBox {box} /Resources << /XObject << /A {inner} 0 R >> >>"
            outer = pdf.stream(b"q /A Do Q", of)
            streams = [pdf.stream(b"q /B Do Q")]
            used = f"<< /XObject << /B {outer} 0 R >> >>"
        else:
            half = len(lines) // 2 if "split-contents" in features else len(lines)
            streams = [pdf.stream(b"\n".join(part)) for part in (lines[:half], lines[half:]) if part]
            used = resources
        of = " ".join(f"{stream} 0 R" for stream in streams)
        pages.append(pdf.add(f"<< /Type /Page /Parent {tree} 0 R /MediaBox {box} /Resources {used} /Contents [{of}] >>"))
    pdf.add(f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{page} 0 R' for page in pages)}] >>", tree)
    pdf.add(f"<< /Type /Catalog /Pages {tree} 0 R >>", root)
    info = pdf.add(b"<< /Title " + text_string(text.stamp) + b" >>") if text.stamp else None
    path.write_bytes(pdf.bytes(root, info, next((name for name in DAMAGES if name in features), "")))
