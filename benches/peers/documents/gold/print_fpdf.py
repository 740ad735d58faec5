"""Prints by fpdf2: TrueType subsets with identity encoding, Arabic shaped by HarfBuzz."""

import datetime

from fpdf import FPDF
from fpdf.enums import TableBordersLayout

from .fonts import FILES
from .sentences import RIGHT_TO_LEFT, UNSPACED
from .text import Grid, Heading, Items, Paragraph


class Page(FPDF):
    running = ""

    def header(self):
        if self.running:
            self.set_font("body", size=9)
            self.cell(0, 10, self.running, align="C", new_x="LMARGIN", new_y="NEXT")
            self.ln(10)

    def footer(self):
        if self.running:
            self.set_y(-40)
            self.set_font("body", size=9)
            self.cell(0, 10, str(self.page_no()), align="C")


def file_of(text):
    if text.lang in UNSPACED:
        return FILES["chinese"]
    if text.lang in RIGHT_TO_LEFT:
        return FILES["amiri" if "amiri" in text.features else "arabic"]
    return FILES["sans" if "sans" in text.features else "serif"]


def print_text(text, path):
    pdf = Page(unit="pt", format=text.paper)
    pdf.set_creation_date(datetime.datetime(2023, 11, 14, tzinfo=datetime.timezone.utc))
    if text.stamp:
        pdf.set_title(text.stamp)
    pdf.set_margin(56)
    pdf.set_auto_page_break(True, 56)
    pdf.add_font("body", fname=file_of(text))
    right = text.lang in RIGHT_TO_LEFT
    if right or "shaped" in text.features:
        pdf.set_text_shaping(True, direction="rtl" if right else "ltr")
    pdf.running = text.running
    pdf.add_page()
    align = "R" if right else "J" if text.justified else "L"

    def words(of, size=text.size, align=align, after=6):
        pdf.set_font("body", size=size)
        wrap = "CHAR" if text.lang in UNSPACED else "WORD"
        pdf.multi_cell(0, size * 1.4, of, align=align, new_x="LMARGIN", new_y="NEXT", wrapmode=wrap)
        pdf.ln(after)

    words(text.title, text.size * 1.9, "C", 14)
    if text.author:
        words(text.author, align="C")
    for part in text.blocks:
        match part:
            case Heading(level, of):
                words(of, text.size * (1.5, 1.25, 1.1)[level - 1], "R" if right else "L")
            case Paragraph():
                words(part.words)
            case Items(of, numbered):
                for at, item in enumerate(of, 1):
                    words(f"{at}. {item}" if numbered else f"• {item}", after=2)
            case Grid(head, rows, ruled, caption):
                if caption:
                    words(caption)
                pdf.set_font("body", size=text.size)
                layout = TableBordersLayout.ALL if ruled else TableBordersLayout.NONE
                with pdf.table(borders_layout=layout, first_row_as_headings=False, text_align="LEFT") as table:
                    for row in [head, *rows]:
                        table.row(row)
                pdf.ln(8)
    pdf.output(str(path))
