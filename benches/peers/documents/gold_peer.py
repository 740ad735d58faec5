"""A peer that reads documents: one process, one name of a file a line in, one line of JSON out.

usage: gold_peer.py TOOL

PDF: pymupdf, pypdfium2, pdftotext, pdfminer.six, pypdf. Office: python-docx, docx2txt, python-pptx, openpyxl, striprtf,
libreoffice. Prints {"text", "title", "seconds"} or {"failure"}; the seconds leave the start of Python and of the library out.
"""

import json
import subprocess
import sys
import time


def pymupdf():
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)

    def read(path):
        with pymupdf.open(path) as document:
            return "\n".join(page.get_text() for page in document), document.metadata.get("title")

    return read


def pypdfium2():
    import pypdfium2

    def read(path):
        document = pypdfium2.PdfDocument(path)
        text = "\n".join(page.get_textpage().get_text_bounded() for page in document)
        return text, document.get_metadata_dict().get("Title")

    return read


def pdftotext():
    def read(path):
        text = subprocess.run(["pdftotext", "-enc", "UTF-8", path, "-"], capture_output=True, check=True).stdout
        info = subprocess.run(["pdfinfo", path], capture_output=True).stdout.decode("utf-8", "replace")
        titles = [line[6:].strip() for line in info.splitlines() if line.startswith("Title:")]
        return text.decode("utf-8", "replace"), titles[0] if titles else None

    return read


def pdfminer():
    from pdfminer.high_level import extract_text
    from pdfminer.pdfdocument import PDFDocument
    from pdfminer.pdfparser import PDFParser
    from pdfminer.utils import decode_text

    def read(path):
        with open(path, "rb") as file:
            info = PDFDocument(PDFParser(file)).info
        title = info[0].get("Title") if info else None
        return extract_text(path), decode_text(title) if isinstance(title, bytes) else None

    return read


def pypdf():
    import logging

    import pypdf

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)

    def read(path):
        reader = pypdf.PdfReader(path)
        title = reader.metadata.title if reader.metadata else None
        return "\n".join(page.extract_text() for page in reader.pages), title

    return read


def python_docx():
    import docx

    def read(path):
        document = docx.Document(path)
        lines = []
        for part in document.iter_inner_content():
            if hasattr(part, "rows"):
                lines += [" | ".join(cell.text for cell in row.cells) for row in part.rows]
            else:
                lines.append(part.text)
        return "\n".join(lines), document.core_properties.title

    return read


def docx2txt():
    import docx2txt

    return lambda path: (docx2txt.process(path), None)


def python_pptx():
    import pptx

    def shapes(of):
        for shape in of:
            if shape.has_text_frame:
                yield shape.text_frame.text
            elif getattr(shape, "has_table", False) and shape.has_table:
                for row in shape.table.rows:
                    yield " | ".join(cell.text for cell in row.cells)

    def read(path):
        deck = pptx.Presentation(path)
        lines = []
        for slide in deck.slides:
            lines += shapes(slide.shapes)
            if slide.has_notes_slide:
                lines.append(slide.notes_slide.notes_text_frame.text)
        return "\n".join(lines), deck.core_properties.title

    return read


def openpyxl():
    import openpyxl

    def read(path):
        book = openpyxl.load_workbook(path, data_only=True, read_only=True)
        lines = []
        for sheet in book:
            lines.append(sheet.title)
            for row in sheet.iter_rows(values_only=True):
                lines.append(" | ".join("" if cell is None else str(cell) for cell in row))
        return "\n".join(lines), book.properties.title

    return read


def striprtf():
    from striprtf.striprtf import rtf_to_text

    def read(path):
        with open(path, "rb") as file:
            return rtf_to_text(file.read().decode("latin-1"), errors="ignore"), None

    return read


TOOLS = {
    "pymupdf": pymupdf,
    "pypdfium2": pypdfium2,
    "pdftotext": pdftotext,
    "pdfminer.six": pdfminer,
    "pypdf": pypdf,
    "python-docx": python_docx,
    "docx2txt": docx2txt,
    "python-pptx": python_pptx,
    "openpyxl": openpyxl,
    "striprtf": striprtf,
}


def main():
    read = TOOLS[sys.argv[1]]()
    out = sys.stdout
    sys.stdout = sys.stderr
    print(json.dumps({"ready": True}), file=out, flush=True)
    for line in sys.stdin:
        begun = time.perf_counter()
        try:
            text, title = read(line.rstrip("\n"))
            answer = {"text": text.encode("utf-8", "replace").decode(), "title": title}
        except Exception as error:
            answer = {"failure": f"{type(error).__name__}: {error}"[:200]}
        answer["seconds"] = time.perf_counter() - begun
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
