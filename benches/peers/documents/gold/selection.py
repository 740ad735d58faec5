"""The few documents that the Rust tests read: small, of every printer, kind and script. Fonts within are subsets under the OFL."""

import shutil

SELECTED = [
    "typst-03-en.pdf",
    "weasyprint-05-en.pdf",
    "weasyprint-21-ar.pdf",
    "groff-04-en.pdf",
    "reportlab-11-en.pdf",
    "reportlab-15-zh-Hans.pdf",
    "reportlab-21-ja.pdf",
    "reportlab-22-ko.pdf",
    "reportlab-24-de.pdf",
    "fpdf-10-ru.pdf",
    "cairo-01-en.pdf",
    "scan-05-ja.pdf",
    "bytes-02-zh-Hans.pdf",
    "bytes-05-zh-Hans.pdf",
    "bytes-06-zh-Hant.pdf",
    "bytes-16-en.pdf",
    "bytes-19-en.pdf",
    "bytes-20-en.pdf",
    "bytes-21-en.pdf",
    "bytes-22-en.pdf",
    "bytes-24-en.pdf",
    "office-01-en.docx",
    "office-05-en.odt",
    "office-05-en.doc",
    "office-06-zh-Hans.rtf",
    "deck-06-zh-Hans.pptx",
    "deck-06-zh-Hans.odp",
    "deck-06-zh-Hans.ppt",
    "sheet-02-en.xls",
    "sheet-06-zh-Hans.xlsx",
    "sheet-02-en.ods",
]


def copy_selected(printed, tests):
    tests.mkdir(parents=True, exist_ok=True)
    for name in SELECTED:
        shutil.copyfile(printed / name, tests / name)
        truth = (printed / name).with_suffix(".json")
        shutil.copyfile(truth, tests / truth.name)
