"""Prints by cairo, line by line: subset fonts of its own making, object streams."""

import cairocffi as cairo

from .fonts import family
from .lines import laid_out


def print_text(text, path):
    surface = cairo.PDFSurface(str(path), *text.paper)
    context = cairo.Context(surface)
    name = family(text.lang, "sans" in text.features)

    def choose(size, bold=False):
        context.select_font_face(name, cairo.FONT_SLANT_NORMAL, cairo.FONT_WEIGHT_BOLD if bold else cairo.FONT_WEIGHT_NORMAL)
        context.set_font_size(size)

    def measure(words, size):
        choose(size, True)
        return context.text_extents(words)[4]

    for page in laid_out(text, measure):
        for line in page:
            choose(line.size, line.bold)
            context.move_to(line.x, text.paper[1] - line.y)
            context.show_text(line.words)
        context.show_page()
    if text.stamp and hasattr(surface, "set_metadata"):
        surface.set_metadata(cairo.PDF_METADATA_TITLE, text.stamp)
    surface.finish()
