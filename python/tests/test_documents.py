"""Documents that are no HTML, and media: read in children that the interpreter starts, as the binary reads them in its own."""

import json
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import polars as pl
import pytest

import webmill

pytest.importorskip("webmill._webmill", reason="the compiled part is not installed")

DOCUMENTS = Path(__file__).resolve().parents[2] / "tests" / "documents"
NAMES = ["typst-03-en.pdf", "reportlab-11-en.pdf", "office-01-en.docx", "office-05-en.doc", "sheet-06-zh-Hans.xlsx", "deck-06-zh-Hans.odp"]


def gold(name: str) -> bytes:
    return (DOCUMENTS / name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_a_document_says_what_the_binary_says(binary: str, name: str) -> None:
    command = [binary, "text", "--format", "json", "--input", "document", "--with-markdown"]
    done = subprocess.run(command, input=gold(name), capture_output=True, check=True)
    document = webmill.extract(gold(name), input="document", with_markdown=True)
    assert dict(document) == json.loads(done.stdout)
    assert document.kind == "document" and document.format == name.rsplit(".", 1)[1] and len(document.text) > 100
    [same] = webmill.extract(gold(name), input="auto", with_markdown=True)
    assert same == document


def test_a_word_file_has_title_text_and_forms() -> None:
    document = webmill.extract(gold("office-05-en.doc"), input="document")
    assert document.title == "Ferries of the Lower Valley in Autumn"
    assert document.title_source and document.warnings == []
    markdown = webmill.extract(gold("office-05-en.doc"), input="document", format="md")
    assert "# Looking back\n" in markdown
    assert webmill.extract(gold("office-05-en.doc"), input="document", language="fr") is None


def test_documents_are_read_in_children() -> None:
    if not Path("/proc/self/task").exists():
        pytest.skip("no /proc here")
    webmill.extract(gold("office-01-en.docx"), input="document")
    children = [number for task in Path("/proc/self/task").iterdir() for number in (task / "children").read_text().split()]
    commands = [Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0") for number in children]
    readers = [command for command in commands if any(b"read_documents" in part for part in command)]
    assert readers and readers[0][0] == sys.executable.encode()


def test_what_cannot_be_read_is_an_error_with_its_reason() -> None:
    with pytest.raises(webmill.Error, match="damaged"):
        webmill.extract(b"%PDF-1.7\nnothing else", input="document")
    with pytest.raises(webmill.Error):
        webmill.extract(b"\x89PNG\r\n\x1a\n", input="document")
    # Who asks for a page is told what came instead.
    with pytest.raises(webmill.Error, match="application/pdf"):
        webmill.extract(gold("typst-03-en.pdf"))
    assert webmill.extract(gold("typst-03-en.pdf"), input="document").format == "pdf"


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width + 1) * height))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_documents_and_media_of_a_crawl_are_tables(tmp_path: Path) -> None:
    def answer(media_type: str, body: bytes) -> bytes:
        return f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\n\r\n".encode() + body

    (tmp_path / "crawl").mkdir()
    with webmill.RawDbWriter(tmp_path / "crawl" / "a.rawdb") as out:
        out.write("http://a.example/", answer("text/html", b"<h1>Boats</h1><p>They leave.<img src=/pier.png><img src=/fog.gif alt=Fog>"))
        out.write("http://a.example/pier.png", answer("image/png", png(30, 20)))
        for name in NAMES:
            # Whatever the server calls them.
            out.write(f"http://a.example/{name}", answer("text/html", gold(name)))
    results = webmill.run(tmp_path / "crawl", tmp_path / "results", threads=2)
    pages = results.pages.filter(pl.col("document").is_not_null()).collect()
    assert dict(pages.select("url", "document").iter_rows()) == {f"http://a.example/{n}": n.rsplit(".", 1)[1] for n in NAMES}
    assert pages["document_failure"].null_count() == len(NAMES) and set(pages["page_type"]) == {"document"}
    assert pages.filter(url="http://a.example/office-05-en.doc")["title"][0] == "Ferries of the Lower Valley in Autumn"
    texts = results.texts(join=["pages"]).collect()
    assert texts.height == len(NAMES) + 1
    media = results.media.sort("url").select("url", "source", "width", "height", "alt").collect()
    assert media.rows() == [
        ("http://a.example/fog.gif", "img", None, None, "Fog"),
        ("http://a.example/pier.png", "file", 30, 20, None),
    ]
