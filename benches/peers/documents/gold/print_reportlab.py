"""Prints by ReportLab's platypus: TrueType subsets, the standard 14, or predefined CID fonts without embedding and ToUnicode."""

from html import escape

from reportlab import rl_config
from reportlab.lib import colors
from reportlab.lib.enums import TA_CENTER, TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import _cidfontdata, pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.platypus import BaseDocTemplate, Frame, FrameBreak, ListFlowable, NextPageTemplate, PageTemplate, Spacer, Table
from reportlab.platypus import Paragraph as Flow

from .fonts import FILES
from .sentences import UNSPACED
from .text import Grid, Heading, Items, Link, Note, Paragraph, Super

rl_config.invariant = 1
CID = {"zh-Hans": "STSong-Light", "zh-Hant": "MSung-Light", "ja": "HeiseiMin-W3", "ko": "HYSMyeongJo-Medium"}
HYPHENS = {"en": "en_GB", "de": "de_DE", "fr": "fr_FR", "ru": "ru_RU"}


def fonts(text):
    """Names of the regular and the bold font."""
    if text.lang in CID and "cid-font" in text.features:
        name = CID[text.lang]
        # ReportLab's table gives this Taiwanese font a map for mainland fonts, which some readers cannot bear: one text keeps it.
        if text.lang == "zh-Hant" and "collection-mismatch" not in text.features:
            _cidfontdata.defaultUnicodeEncodings[name] = ("cht", "UniCNS-UCS2-H")
        pdfmetrics.registerFont(UnicodeCIDFont(name))
        return name, name
    if text.lang in CID:
        pdfmetrics.registerFont(TTFont("chinese", FILES["chinese"], subfontIndex=0))
        return "chinese", "chinese"
    if "standard-14" in text.features:
        return ("Helvetica", "Helvetica-Bold") if "sans" in text.features else ("Times-Roman", "Times-Bold")
    names = ("sans", "sans-bold") if "sans" in text.features else ("serif", "serif-bold")
    for name in names:
        pdfmetrics.registerFont(TTFont(name, FILES[name]))
    return names


class Styles:
    def __init__(self, text):
        regular, bold = fonts(text)
        size = text.size
        unspaced = {"wordWrap": "CJK"} if text.lang in UNSPACED else {}
        hyphens = {"hyphenationLang": HYPHENS[text.lang]} if text.hyphenated else {}
        body = {"fontName": regular, "fontSize": size, "leading": size * 1.35, "spaceAfter": 6, **unspaced, **hyphens}
        self.body = ParagraphStyle("body", **body, **({"alignment": TA_JUSTIFY} if text.justified else {}))
        self.cell = ParagraphStyle("cell", fontName=regular, fontSize=size, leading=size * 1.3, **unspaced)
        self.title = ParagraphStyle("title", fontName=bold, fontSize=size * 1.9, leading=size * 2.4, spaceAfter=12,
                                    alignment=TA_CENTER, **unspaced)
        self.author = ParagraphStyle("author", fontName=regular, fontSize=size, spaceAfter=10, alignment=TA_CENTER)
        self.heads = [
            ParagraphStyle(f"head{level}", fontName=bold, fontSize=size * times, leading=size * times * 1.3, spaceBefore=8,
                           spaceAfter=4, keepWithNext=1, **unspaced)
            for level, times in enumerate((1.4, 1.2, 1.08))
        ]


def run(piece):
    match piece:
        case Link(words, target):
            return f'<a href="{escape(target)}">{escape(words)}</a>'
        case Super(words):
            return f"<super>{escape(words)}</super>"
        case Note():
            return ""
    return escape(piece, quote=False)


def flow(part, styles):
    match part:
        case Heading(level, words):
            return [Flow(escape(words, quote=False), styles.heads[level - 1])]
        case Paragraph(runs):
            return [Flow("".join(map(run, runs)), styles.body)]
        case Items(words, numbered):
            items = [Flow(escape(item, quote=False), styles.body) for item in words]
            return [ListFlowable(items, bulletType="1" if numbered else "bullet", start=None if numbered else "•",
                                 bulletFontName=styles.body.fontName if numbered else "Helvetica", bulletFontSize=styles.body.fontSize)]
        case Grid(head, rows, ruled, caption):
            cells = [[Flow(escape(cell), styles.cell) for cell in row] for row in [head, *rows]]
            rules = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)] if ruled else []
            above = [Flow(escape(caption, quote=False), styles.body)] if caption else []
            return above + [Table(cells, style=rules, hAlign="LEFT"), Spacer(0, 8)]


def print_text(text, path):
    styles = Styles(text)
    width, height = text.paper
    margin, gap = 56, 18
    column = (width - 2 * margin - gap * (text.columns - 1)) / text.columns
    head = 110 if text.columns > 1 else 0

    def frames(top):
        return [
            Frame(margin + at * (column + gap), margin, column, height - 2 * margin - top, 0, 0, 0, 0, id=f"c{at}")
            for at in range(text.columns)
        ]

    def furniture(canvas, document):
        if text.running:
            canvas.setFont(styles.body.fontName, 9)
            canvas.drawCentredString(width / 2, height - 36, text.running)
            canvas.drawCentredString(width / 2, 30, str(document.page))

    top = [Frame(margin, height - margin - head, width - 2 * margin, head, 0, 0, 0, 0)] if head else []
    document = BaseDocTemplate(str(path), pagesize=text.paper, title=text.stamp or None, author=text.author or None,
                               pageCompression=0 if "uncompressed" in text.features else 1)
    document.addPageTemplates([PageTemplate("first", top + frames(head), onPage=furniture),
                               PageTemplate("rest", frames(0), onPage=furniture)])
    story = [NextPageTemplate("rest"), Flow(escape(text.title, quote=False), styles.title)]
    story += [Flow(escape(text.author), styles.author)] if text.author else []
    story += [FrameBreak()] if head else []
    for part in text.blocks:
        story += flow(part, styles)
    document.build(story)
