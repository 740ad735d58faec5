"""Makes sheets by openpyxl; XLSX with the results of formulas, XLS and ODS of them by LibreOffice."""

import tempfile
from pathlib import Path

from openpyxl import Workbook
from openpyxl.styles import Font

from .print_libreoffice import convert


def book(of, path):
    book = Workbook()
    book.remove(book.active)
    book.properties.title = of.stamp or None
    book.properties.creator = None
    for at, (name, rows) in enumerate(of.sheets):
        sheet = book.create_sheet(name)
        if at == 0 and of.title_cell:
            sheet["A1"] = of.title
            sheet["A1"].font = Font(bold=True, size=16)
        for down, row in enumerate(rows, 3 if at == 0 else 1):
            for across, cell in enumerate(row, 1):
                if cell.value != "":
                    place = sheet.cell(down, across, cell.value)
                    place.number_format = cell.format
    book.save(path)


def print_all(books, out):
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, f"{of.name}.xlsx") for of in books]
        for of, path in zip(books, files):
            book(of, path)
        for kind in ("xlsx", "xls", "ods"):
            convert(files, kind, out)
