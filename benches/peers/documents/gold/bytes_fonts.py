"""Fonts of files written byte by byte: each has `entry` (its dictionary), `encode(words)` and `measure(words, size)`."""

from fontTools.agl import UV2AGL
from fontTools.pens.basePen import BasePen
from fontTools.ttLib import TTFont
from reportlab.pdfbase.pdfmetrics import stringWidth

from .fonts import FILES

# Encoding (a predefined CMap), Python's codec, collection, a name of a font, widths of what is half as wide as an ideograph.
CMAPS = {
    "GBK-EUC-H": ("gbk", "GB1", "STSong-Light"),
    "GB-EUC-H": ("gb2312", "GB1", "STSong-Light"),
    "GBK-EUC-V": ("gbk", "GB1", "STSong-Light"),
    "UniGB-UTF16-H": ("utf-16-be", "GB1", "STSong-Light"),
    "ETen-B5-H": ("big5", "CNS1", "MSung-Light"),
    "UniCNS-UTF16-H": ("utf-16-be", "CNS1", "MSung-Light"),
    "90ms-RKSJ-H": ("cp932", "Japan1", "HeiseiMin-W3"),
    "EUC-H": ("euc_jp", "Japan1", "HeiseiKakuGo-W5"),
    "UniJIS-UCS2-V": ("utf-16-be", "Japan1", "HeiseiMin-W3"),
    "UniJIS-UTF16-H": ("utf-16-be", "Japan1", "HeiseiMin-W3"),
    "KSCms-UHC-H": ("cp949", "Korea1", "HYSMyeongJo-Medium"),
    "UniKS-UTF16-H": ("utf-16-be", "Korea1", "HYSMyeongJo-Medium"),
}
WIDTHS = {
    "GB1": "1 95 500 814 939 500",
    "CNS1": "1 98 500 13648 13742 500",
    "Japan1": "1 230 500 231 632 500",
    "Korea1": "1 100 500 8094 8190 500",
}


class Collection:
    """A CID font that is not embedded, by a predefined CMap, without ToUnicode."""

    def __init__(self, cmap):
        self.cmap = cmap
        self.codec, self.ordering, self.name = CMAPS[cmap]

    def add(self, pdf):
        descriptor = pdf.add(
            f"<< /Type /FontDescriptor /FontName /{self.name} /Flags 6 /FontBBox [-100 -200 1100 900] /ItalicAngle 0 "
            f"/Ascent 859 /Descent -141 /CapHeight 700 /StemV 90 >>"
        )
        of = pdf.add(
            f"<< /Type /Font /Subtype /CIDFontType0 /BaseFont /{self.name} /CIDSystemInfo << /Registry (Adobe) /Ordering "
            f"({self.ordering}) /Supplement 2 >> /DW 1000 /W [{WIDTHS[self.ordering]}] /FontDescriptor {descriptor} 0 R >>"
        )
        return pdf.add(
            f"<< /Type /Font /Subtype /Type0 /BaseFont /{self.name}-{self.cmap} /Encoding /{self.cmap} /DescendantFonts [{of} 0 R] >>"
        )

    def encode(self, words):
        return words.encode(self.codec)

    def measure(self, words, size):
        return size * sum(0.5 if sign.isascii() else 1.0 for sign in words)


class Standard:
    """One of the standard 14 by WinAnsiEncoding, or with its codes in another order by names of glyphs."""

    def __init__(self, name="Helvetica", shuffled=False):
        self.name, self.shuffled, self.codes = name, shuffled, {}

    def add(self, pdf):
        if not self.shuffled:
            return pdf.add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{self.name} /Encoding /WinAnsiEncoding >>")
        names = " ".join(f"/{UV2AGL[ord(sign)]}" for sign in self.codes)
        return pdf.add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{self.name} /Encoding << /Differences [33 {names}] >> >>")

    def encode(self, words):
        if not self.shuffled:
            return words.encode("cp1252")
        return bytes(33 + self.codes.setdefault(sign, len(self.codes)) for sign in words)

    def measure(self, words, size):
        return stringWidth(words, self.name, size)


class Outline(BasePen):
    """A glyph as operators of a content stream."""

    def __init__(self, glyphs):
        super().__init__(glyphs)
        self.parts = []

    def put(self, operator, *points):
        self.parts.append(" ".join(f"{at:.0f}" for point in points for at in point) + f" {operator}")

    def _moveTo(self, point):
        self.put("m", point)

    def _lineTo(self, point):
        self.put("l", point)

    def _curveToOne(self, one, two, three):
        self.put("c", one, two, three)

    def _closePath(self):
        self.put("h")


class Drawn:
    """A Type 3 font: glyphs are drawn. Their names tell the letters, or a ToUnicode map does."""

    def __init__(self, named):
        self.font, self.named, self.codes = TTFont(FILES["serif"]), named, {}
        self.glyphs, self.cmap = self.font.getGlyphSet(), self.font.getBestCmap()

    def encode(self, words):
        return bytes(33 + self.codes.setdefault(sign, len(self.codes)) for sign in words)

    def measure(self, words, size):
        return size / 1000 * sum(self.glyphs[self.cmap[ord(sign)]].width for sign in words)

    def add(self, pdf):
        names = [UV2AGL.get(ord(sign), f"uni{ord(sign):04X}") if self.named else f"g{at}" for at, sign in enumerate(self.codes)]
        programs, widths = [], []
        for sign in self.codes:
            pen, glyph = Outline(self.glyphs), self.glyphs[self.cmap[ord(sign)]]
            glyph.draw(pen)
            widths.append(glyph.width)
            programs.append(pdf.stream(f"{glyph.width} 0 0 -300 1000 1000 d1\n{' '.join(pen.parts)} f".encode()))
        of = " ".join(f"/{name} {number} 0 R" for name, number in zip(names, programs))
        unicode = ""
        if not self.named:
            lines = "\n".join(f"<{33 + at:02X}> <{ord(sign):04X}>" for at, sign in enumerate(self.codes))
            unicode = f"/ToUnicode {pdf.stream(self.to_unicode(lines).encode())} 0 R "
        return pdf.add(
            f"<< /Type /Font /Subtype /Type3 /FontBBox [0 -300 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] /CharProcs << {of} >> "
            f"/Encoding << /Type /Encoding /Differences [33 {' '.join(f'/{name}' for name in names)}] >> /FirstChar 33 /LastChar "
            f"{32 + len(names)} /Widths [{' '.join(map(str, widths))}] {unicode}/Resources << >> >>"
        )

    def to_unicode(self, lines):
        return (f"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Drawn def /CMapType 2 def\n"
                f"1 begincodespacerange <00> <FF> endcodespacerange\n{len(self.codes)} beginbfchar\n{lines}\nendbfchar\n"
                f"endcmap end end")
