"""Prints by LibreOffice, all texts in one go: PDF, and DOCX, DOC, RTF, ODT where a text asks for `office`."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from .opendocument import flat

if not shutil.which("soffice"):
    raise ImportError("no soffice")

FILTERS = {"pdf": "pdf:writer_pdf_Export", "docx": "docx:MS Word 2007 XML", "doc": "doc:MS Word 97", "rtf": "rtf:Rich Text Format",
           "odt": "odt:writer8", "ppt": "ppt:MS PowerPoint 97", "odp": "odp:impress8", "xlsx": "xlsx:Calc MS Excel 2007 XML",
           "xls": "xls:MS Excel 97", "ods": "ods:calc8"}

# Pictures of the first page would be most of a small file.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Save/Document"><prop oor:name="GenerateThumbnail" oor:op="fuse"><value>false</value></prop>
</item><item oor:path="/org.openoffice.Office.Common/Filter/Microsoft/Export"><prop oor:name="EnablePowerPointPreview" oor:op="fuse">
<value>false</value></prop></item></oor:items>"""


def convert(files, kind, out):
    """Converts files to a kind, in one process of a profile of its own."""
    with tempfile.TemporaryDirectory() as profile:
        settings = Path(profile, "user/registrymodifications.xcu")
        settings.parent.mkdir()
        settings.write_text(SETTINGS)
        command = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", FILTERS.get(kind, kind)]
        subprocess.run([*command, "--outdir", str(out), *map(str, files)], check=True, capture_output=True, timeout=600)


def print_all(texts, out):
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for text in texts:
            files[text.name] = Path(folder, f"{text.name}.fodt")
            files[text.name].write_text(flat(text), "utf-8")
        # With changes tracked, LibreOffice prints what was deleted, too.
        convert([file for text, file in zip(texts, files.values()) if "revisions" not in text.features], "pdf", out)
        office = [files[text.name] for text in texts if "office" in text.features]
        for kind in ("docx", "doc", "rtf", "odt") if office else ():
            convert(office, kind, out)
