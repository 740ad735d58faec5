"""A text as a flat OpenDocument file, from which LibreOffice makes all else."""

import zlib
from html import escape

from .fonts import family
from .sentences import RIGHT_TO_LEFT
from .text import Box, Break, Comment, Field, Grid, Heading, Hidden, Items, Link, Note, Paragraph, Revision, Super

SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{of}:1.0"'
    for name, of in {"office": "office", "style": "style", "text": "text", "table": "table", "meta": "meta",
                     "draw": "drawing", "fo": "xsl-fo-compatible", "svg": "svg-compatible"}.items()
) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
COUNTRIES = {"en": "GB", "de": "DE", "fr": "FR", "ru": "RU", "el": "GR", "ar": "EG", "ja": "JP", "ko": "KR", "zh": "CN"}


def run(piece):
    match piece:
        case Link(words, target):
            return f'<text:a xlink:type="simple" xlink:href="{escape(target)}">{escape(words)}</text:a>'
        case Super(words):
            return f'<text:span text:style-name="super">{escape(words)}</text:span>'
        case Revision(words, deleted):
            key = mark(words + deleted)
            return (f'<text:change text:change-id="d{key}"/><text:change-start text:change-id="i{key}"/>{escape(words)}'
                    f'<text:change-end text:change-id="i{key}"/>')
        case Field(words):
            return f'<text:author-name text:fixed="true">{escape(words)}</text:author-name>'
        case Break(words):
            return "<text:tab/>" if words == "\t" else "<text:line-break/>"
        case Hidden(words):
            return f'<text:span text:style-name="hidden">{escape(words)}</text:span>'
        case Comment(words):
            return f"<office:annotation><dc:creator>Reader</dc:creator><text:p>{escape(words)}</text:p></office:annotation>"
        case Note(number, words, at_end):
            return (f'<text:note text:id="n{number}" text:note-class="{"endnote" if at_end else "footnote"}"><text:note-citation>{number}</text:note-citation>'
                    f'<text:note-body><text:p text:style-name="Footnote"><text:s/>{escape(words)}</text:p></text:note-body></text:note>')
    return escape(piece)


def mark(words):
    """A name for a change of these words."""
    return zlib.crc32(words.encode())


def tracked(text):
    """The list of changes, with what was deleted."""
    of = "<office:change-info><dc:creator>Editor</dc:creator><dc:date>2023-11-14T00:00:00</dc:date></office:change-info>"
    changes = ""
    for run in (run for part in text.blocks if isinstance(part, Paragraph) for run in part.runs if isinstance(run, Revision)):
        key, deleted = mark(run.words + run.deleted), paragraph(escape(run.deleted))
        changes += f'<text:changed-region text:id="d{key}"><text:deletion>{of}{deleted}</text:deletion></text:changed-region>'
        changes += f'<text:changed-region text:id="i{key}"><text:insertion>{of}</text:insertion></text:changed-region>'
    return f"<text:tracked-changes>{changes}</text:tracked-changes>" if changes else ""


def nested(items, depths):
    """Items of two depths, the deeper ones in a list of the item before."""
    parts, inner = [], []
    for item, depth in [*zip(items, depths), ("", 0)]:
        if depth:
            inner.append(item)
            continue
        if inner:
            parts[-1] += f"<text:list>{''.join(f'<text:list-item>{item}</text:list-item>' for item in inner)}</text:list>"
            inner = []
        parts += [item] if item else []
    return "".join(f"<text:list-item>{part}</text:list-item>" for part in parts)


def cells(row, style):
    parts = []
    for at, words in enumerate(row):
        if words is None:
            parts.append("<table:covered-table-cell/>")
            continue
        span = next((further for further in range(1, len(row) - at) if row[at + further] is not None), len(row) - at)
        wide = f' table:number-columns-spanned="{span}"' if span > 1 else ""
        parts.append(f'<table:table-cell table:style-name="{style}" office:value-type="string"{wide}>'
                     f"{paragraph(escape(words), 'Standard')}</table:table-cell>")
    return f"<table:table-row>{''.join(parts)}</table:table-row>"


def paragraph(words, style="Text_20_body"):
    return f'<text:p text:style-name="{style}">{words}</text:p>'


def block(part, at):
    match part:
        case Heading(level, words):
            return f'<text:h text:style-name="Heading_20_{level}" text:outline-level="{level}">{escape(words)}</text:h>'
        case Paragraph(runs):
            return paragraph("".join(map(run, runs)))
        case Box(words):
            return paragraph(f'<draw:frame text:anchor-type="paragraph" svg:width="160pt" svg:height="60pt" svg:x="250pt" svg:y="0pt" '
                             f'draw:name="Box{at}"><draw:text-box>{paragraph(escape(words))}</draw:text-box></draw:frame>')
        case Items(words, numbered, depths):
            items = nested([paragraph(escape(item)) for item in words], depths or [0] * len(words))
            return f'<text:list text:style-name="{"numbers" if numbered else "bullets"}">{items}</text:list>'
        case Grid(head, rows, ruled, caption):
            lines = [cells(row, "ruled" if ruled else "plain") for row in [head, *rows]]
            above = paragraph(escape(caption)) if caption else ""
            return (f'{above}<table:table table:name="Table{at}"><table:table-column table:number-columns-repeated="{len(head)}"/>'
                    f"<table:table-header-rows>{lines[0]}</table:table-header-rows>{''.join(lines[1:])}</table:table>{paragraph('')}")


def style(name, of, parent="", text="", paragraph="", display=""):
    inherits = f' style:parent-style-name="{parent}"' if parent else ""
    shown = f' style:display-name="{display}"' if display else ""
    return (f'<style:style style:name="{name}" style:family="{of}"{inherits}{shown}>'
            f"<style:paragraph-properties {paragraph}/><style:text-properties {text}/></style:style>")


def sized(size, bold=False):
    weights = ' fo:font-weight="bold" style:font-weight-asian="bold" style:font-weight-complex="bold"' if bold else ""
    return f'fo:font-size="{size:g}pt" style:font-size-asian="{size:g}pt" style:font-size-complex="{size:g}pt"{weights}'


def styles(text):
    lang = text.lang.partition("-")[0]
    country = "TW" if text.lang == "zh-Hant" else COUNTRIES[lang]
    font = family(text.lang, "sans" in text.features)
    latin = font if lang not in ("ar",) else "Noto Serif"
    language = "".join(f' {of[0]}:language{of[1]}="{lang}" {of[0]}:country{of[1]}="{country}"'
                       for of in (("fo", ""), ("style", "-asian"), ("style", "-complex")))
    direction = 'style:writing-mode="rl-tb"' if text.lang in RIGHT_TO_LEFT else 'style:writing-mode="lr-tb"'
    align = "justify" if text.justified else "start"
    default = (f'<style:default-style style:family="paragraph"><style:paragraph-properties {direction}/><style:text-properties '
               f'fo:font-family="{latin}" style:font-family-asian="{font}" style:font-family-complex="{font}" {sized(text.size)}'
               f"{language}/></style:default-style>")
    space = 'fo:margin-top="2pt" fo:margin-bottom="5pt"'
    parts = [
        default,
        style("Standard", "paragraph"),
        style("Text_20_body", "paragraph", "Standard", paragraph=f'{space} fo:text-align="{align}"', display="Text body"),
        style("Title", "paragraph", "Standard", sized(text.size * 1.9, True), f'{space} fo:text-align="center"'),
        style("Author", "paragraph", "Standard", "", f'{space} fo:text-align="center"'),
        style("Footnote", "paragraph", "Standard", sized(text.size * 0.85)),
        style("Header", "paragraph", "Standard", sized(9), 'fo:text-align="center"'),
        *(style(f"Heading_20_{level}", "paragraph", "Standard", sized(text.size * times, True), f'{space} fo:keep-with-next="always"',
                f"Heading {level}") for level, times in ((1, 1.4), (2, 1.2), (3, 1.08))),
        style("hidden", "text", text='text:display="none"'),
        style("super", "text", text='style:text-position="super 58%"'),
    ]
    return "".join(parts)


def lists():
    label = ('<style:list-level-properties text:list-level-position-and-space-mode="label-alignment"><style:list-level-label-alignment '
             'text:label-followed-by="listtab" fo:text-indent="-18pt" fo:margin-left="24pt"/></style:list-level-properties>')
    bullets = "".join(f'<text:list-level-style-bullet text:level="{level}" text:bullet-char="•">{label}</text:list-level-style-bullet>'
                      for level in (1, 2))
    return (f'<text:list-style style:name="bullets">{bullets}</text:list-style><text:list-style style:name="numbers"><text:list-level-style-number '
            f'text:level="1" style:num-suffix="." style:num-format="1">{label}</text:list-level-style-number></text:list-style>')


def automatic(text):
    width, height = text.paper
    border = 'fo:border="0.5pt solid #000000" fo:padding="2pt"'
    running = "<style:header-style/><style:footer-style/>" if text.running else ""
    return (f'<style:page-layout style:name="page"><style:page-layout-properties fo:page-width="{width}pt" fo:page-height="{height}pt" '
            f'fo:margin="56pt" style:print-orientation="{"landscape" if width > height else "portrait"}"/>{running}</style:page-layout>'
            f'<style:style style:name="ruled" style:family="table-cell"><style:table-cell-properties {border}/></style:style>'
            f'<style:style style:name="plain" style:family="table-cell"><style:table-cell-properties fo:border="none"/></style:style>'
            f'<style:style style:name="columns" style:family="section"><style:section-properties><style:columns fo:column-count='
            f'"{text.columns}" fo:column-gap="18pt"/></style:section-properties></style:style>{lists()}')


def flat(text):
    body = "".join(block(part, at) for at, part in enumerate(text.blocks))
    if text.columns > 1:
        body = f'<text:section text:style-name="columns" text:name="Columns">{body}</text:section>'
    head = paragraph(escape(text.title), "Title") + (paragraph(escape(text.author), "Author") if text.author else "")
    title = f"<dc:title>{escape(text.stamp)}</dc:title>" if text.stamp else ""
    creator = f"<meta:initial-creator>{escape(text.author)}</meta:initial-creator>" if text.author else ""
    running = ""
    if text.running:
        running = (f"<style:header>{paragraph(escape(text.running), 'Header')}</style:header><style:footer>"
                   f'{paragraph("<text:page-number/>", "Header")}</style:footer>')
    return (f'<?xml version="1.0" encoding="UTF-8"?><office:document {SPACES} office:version="1.3" '
            f'office:mimetype="application/vnd.oasis.opendocument.text"><office:meta>{title}{creator}</office:meta>'
            f"<office:styles>{styles(text)}</office:styles><office:automatic-styles>{automatic(text)}</office:automatic-styles>"
            f'<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="page">{running}</style:master-page>'
            f"</office:master-styles><office:body><office:text>{tracked(text)}{head}{body}</office:text></office:body></office:document>")
