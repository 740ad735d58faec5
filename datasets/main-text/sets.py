"""What the scripts that make sets share: reading pages, writing the text of a part of a page, and writing a set.

A set is a folder with html/ID.html and gold.jsonl, a line a page: id, url, lang, source, licence, text, title, author, date,
site, type. `text` is null where a page is only there for its type.
"""

import hashlib
import json
import re
import shutil

from lxml import html

# Elements that start a line of their own.
BLOCKS = set(
    "address article aside blockquote body caption center dd details dir div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr legend li main menu nav ol option p pre section summary table tbody tfoot thead tr ul".split()
)
# Elements that show no text of the page.
HIDDEN = set("script style noscript template head title iframe object svg select button input textarea nav map audio video".split())
HEADINGS = set("h1 h2 h3 h4 h5 h6".split())

DECLARED = re.compile(rb"""(?:<\?xml[^>]{0,100}?encoding|<meta[^>]{0,200}?charset)\s*=\s*["']?\s*([\w.:-]+)""", re.I)
META_CHARSET = re.compile(r"<meta\b[^>]*charset[^>]*>", re.I)


def decode(data, label=None):
    """The page as a string: by its byte order mark, a given label, UTF-8 if it is that, its declaration, else windows-1252."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    declared = DECLARED.search(data[:4096])
    for name in (label, "utf-8-sig", declared and declared[1].decode("ascii", "replace")):
        name = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252"}.get((name or "").lower(), name)
        try:
            if name:
                return data.decode(name)
        except (UnicodeDecodeError, LookupError):
            pass
    if label or declared:
        name = (label or declared[1].decode("ascii", "replace")).lower()
        try:
            return data.decode({"gb2312": "gb18030", "gbk": "gb18030"}.get(name, name), "replace")
        except LookupError:
            pass
    return data.decode("cp1252", "replace")


def as_utf8(source):
    """The source of a page with the one declaration of a charset that is right for it as UTF-8."""
    source = re.sub(r"\A\ufeff?\s*<\?xml[^>]*\?>\s*", "", source)
    source = META_CHARSET.sub("", source)
    meta = '<meta charset="utf-8">'
    head = re.search(r"<head\b[^>]*>", source, re.I)
    if head:
        return source[: head.end()] + meta + source[head.end() :]
    top = re.search(r"<html\b[^>]*>", source, re.I) or re.match(r"\s*<!doctype[^>]*>", source, re.I)
    at = top.end() if top else 0
    return source[:at] + meta + source[at:]


def tree_of(source):
    """The page as lxml's tree; None if there is nothing."""
    source = re.sub(r"\A\ufeff?\s*<\?xml[^>]*\?>", "", source)
    source = re.sub(r"[\x00-\x08\x0b\x0e-\x1f]", " ", source)
    try:
        return html.document_fromstring(source.encode("utf-8"), parser=html.HTMLParser(encoding="utf-8", huge_tree=True))
    except Exception:  # lxml has several kinds of errors for pages without elements
        return None


def lines_of(part, drop=()):
    """(lines, their heading elements or None) of an element's text: a line a block, a row of a table, a line of <pre>.

    Elements of `drop` and what shows no text are left out. No recursion: pages nest as they like.
    """
    lines, line, head = [], [], None

    def end():
        nonlocal line, head
        text = "".join(line)
        for piece in text.split("\n"):
            piece = " ".join(piece.split())
            if piece:
                lines.append((piece, head))
        line, head = [], None

    stack = [("open", part, False)]
    while stack:
        step, node, pre = stack.pop()
        if step == "text":
            line.append(node if pre else re.sub(r"\s+", " ", node))
            continue
        if step == "close":
            if node.tag in BLOCKS:
                end()
            elif node.tag in ("td", "th"):
                line.append(" ")
            continue
        if step == "open":
            if node.tail and node is not part:
                stack.append(("text", node.tail, pre))
            if not isinstance(node.tag, str) or node.tag in HIDDEN or node in drop:
                continue
            if node.tag == "br":
                line.append("\n")
                continue
            if node.tag in BLOCKS and not (node.tag in ("p", "div") and inside_cell(node)):
                end()
                if node.tag in HEADINGS:
                    head = node
                stack.append(("close", node, pre))
            elif node.tag in ("td", "th"):
                stack.append(("close", node, pre))
            inner = pre or node.tag in ("pre", "listing", "xmp")
            for child in reversed(node):
                stack.append(("open", child, inner))
            if node.text:
                stack.append(("text", node.text, inner))
    end()
    return lines


def inside_cell(node):
    """Whether a paragraph is all there is in a cell: it does not break the row's line."""
    above = node.getparent()
    return above is not None and above.tag in ("td", "th") and len(above) == 1


def text_of(part, drop=(), headline=False):
    """(headline, text) of an element; the heading that begins it is its headline and no part of the text unless asked for."""
    lines = lines_of(part, set(drop))
    title = None
    if lines and lines[0][1] is not None and not headline:
        first = lines[0][1]
        title = " ".join(line for line, head in lines if head is first)
        lines = [item for item in lines if item[1] is not first]
    return title, "\n".join(line for line, _ in lines)


def order(name):
    """A key that puts names into an order that is drawn at random and always the same."""
    return hashlib.sha256(name.encode("utf-8")).digest()


class Writer:
    """Writes a set into a folder that it empties first."""

    def __init__(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "html").mkdir(parents=True)
        self.folder, self.ids = folder, set()
        self.gold = open(folder / "gold.jsonl", "w", encoding="utf-8")

    def add(self, page, **fields):
        """Adds a page (bytes, or a string that is written as UTF-8); fields are those of the gold."""
        name = re.sub(r"[^\w.-]+", "-", fields["id"]).strip("-.")
        if name in self.ids:
            raise ValueError(f"two pages called {name}")
        self.ids.add(name)
        empty = dict.fromkeys(("id", "url", "lang", "source", "licence", "text", "title", "author", "date", "site", "type"))
        data = page if isinstance(page, bytes) else page.encode("utf-8", "replace")
        (self.folder / "html" / f"{name}.html").write_bytes(data)
        self.gold.write(json.dumps(empty | fields | {"id": name}, ensure_ascii=False) + "\n")

    def close(self):
        self.gold.close()
