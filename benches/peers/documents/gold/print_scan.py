"""Prints scans: a picture of each page over (or under) which the words lie unseen, in rendering mode 3, as OCR leaves them."""

import io

from PIL import Image, ImageFilter
from reportlab import rl_config
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from .lines import laid_out
from .print_reportlab import fonts

rl_config.invariant = 1
FEATURES = ("ocr-layer",)


def canvas_of(text, target, pages, names, picture=None, seen=True):
    canvas = Canvas(target, pagesize=text.paper)
    if text.stamp:
        canvas.setTitle(text.stamp)
    for at, page in enumerate(pages):
        if picture:
            canvas.drawImage(picture(at), 0, 0, *text.paper)
        for line in page:
            words = canvas.beginText(line.x, line.y)
            words.setFont(names[line.bold], line.size)
            words.setTextRenderMode(0 if seen else 3)
            words.textOut(line.words)
            canvas.drawText(words)
        canvas.showPage()
    canvas.save()


def print_text(text, path):
    import pypdfium2

    names = fonts(text)
    pages = laid_out(text, lambda words, size: pdfmetrics.stringWidth(words, names[1], size))
    seen = io.BytesIO()
    canvas_of(text, seen, pages, names)
    document = pypdfium2.PdfDocument(seen.getvalue())

    def picture(at):
        image = document[at].render(scale=0.9, grayscale=True).to_pil().rotate(0.4, fillcolor=255, resample=Image.BICUBIC)
        file = io.BytesIO()
        image.filter(ImageFilter.GaussianBlur(0.4)).save(file, "JPEG", quality=40)
        return ImageReader(file)

    canvas_of(text, str(path), pages, names, picture, seen=False)
