"""Prints by Typst: its own fonts for Latin texts with `typst-fonts`, Noto else."""

import json

import typst

from .fonts import family
from .sentences import RIGHT_TO_LEFT
from .text import Grid, Heading, Items, Link, Note, Paragraph, Super


def quoted(words):
    return json.dumps(words, ensure_ascii=False)


def run(piece):
    match piece:
        case Link(words, target):
            return f"#link({quoted(target)})[#{quoted(words)}]"
        case Super(words):
            return f"#super[#{quoted(words)}]"
        case Note(_, words):
            return f"#footnote[#{quoted(words)}]"
    return f"#{quoted(piece)};"


def block(part):
    match part:
        case Heading(level, words):
            return f"#heading(level: {level})[#{quoted(words)}]"
        case Paragraph(runs):
            return "".join(map(run, runs))
        case Items(words, numbered):
            of = "enum" if numbered else "list"
            return f"#{of}({', '.join('[#' + quoted(item) + ']' for item in words)})"
        case Grid(head, rows, ruled, caption):
            stroke = "0.5pt" if ruled else "none"
            cells = ", ".join(f"[#{quoted(cell)}]" for row in [head, *rows] for cell in row)
            above = f"#{quoted(caption)};\n\n" if caption else ""
            return f"{above}#table(columns: {len(head)}, stroke: {stroke}, {cells})"


def source(text):
    lang, _, script = text.lang.partition("-")
    font = "Libertinus Serif" if "typst-fonts" in text.features else family(text.lang, "sans" in text.features)
    if "latin-modern" in text.features:
        font = "New Computer Modern"
    width, height = text.paper
    page = f"width: {width}pt, height: {height}pt, margin: 56pt, columns: {text.columns}"
    if text.running:
        page += f", numbering: \"1\", header: align(center)[#{quoted(text.running)}]"
    document = [f"title: {quoted(text.stamp)}"] if text.stamp else []
    document += [f"author: {quoted(text.author)}"] if text.author and text.stamp else []
    region = {"Hans": ', region: "cn"', "Hant": ', region: "tw"'}.get(script, "")
    title = f"#align(center)[#text(size: {text.size * 1.9}pt, weight: \"bold\", hyphenate: false)[#{quoted(text.title)}]]"
    if text.author:
        title += f"\n#align(center)[#{quoted(text.author)}]"
    if text.columns > 1:
        title = f"#place(top + center, scope: \"parent\", float: true)[{title}]"
    hyphenate = "true" if text.hyphenated else "false"
    direction = ', dir: rtl' if text.lang in RIGHT_TO_LEFT else ""
    return "\n\n".join(
        [
            f"#set document({', '.join(document)})",
            f"#set page({page})",
            f"#set text(font: {quoted(font)}, size: {text.size}pt, lang: {quoted(lang)}{region}{direction}, hyphenate: {hyphenate})",
            f"#set par(justify: {'true' if text.justified else 'false'})",
            "#show heading: set text(hyphenate: false)",
            title,
            *map(block, text.blocks),
        ]
    )


def print_text(text, path):
    typst.compile(source(text).encode(), output=str(path), timestamp=1_700_000_000)
