"""Prints by WeasyPrint, which lays HTML out by Pango: object streams, subset fonts, footnotes, hyphens by dictionaries."""

import logging

import weasyprint

from .html import page

logging.getLogger("weasyprint").setLevel(logging.ERROR)


def print_text(text, path):
    options = {"pdf_identifier": text.name.encode()}
    if "pdf-a" in text.features:
        options["pdf_variant"] = "pdf/a-3b"
    if "tagged" in text.features:
        options["pdf_variant"] = "pdf/ua-1"
    if "uncompressed" in text.features:
        options["uncompressed_pdf"] = True
    weasyprint.HTML(string=page(text)).write_pdf(str(path), **options)
