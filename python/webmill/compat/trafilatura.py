"""trafilatura's functions over webmill, for programs that change one import.

    from webmill.compat.trafilatura import extract

Names, arguments, results and errors are those of trafilatura 2: a page without text, and what is no page, is ``None``. Texts are
webmill's. Arguments that mean nothing here are named in a warning, and the page is read all the same. What needs trees (``load_html``,
``baseline``, ``prune_xpath``, ``body`` of :class:`Document`) uses lxml, which trafilatura brings.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import warnings
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

from .. import _doing
from .._error import ArgumentError, Error

__all__ = [
    "bare_extraction", "baseline", "extract", "extract_metadata", "extract_with_metadata", "fetch_response", "fetch_url", "html2txt",
    "load_html",
]  # fmt: skip

_FORMATS = ("csv", "html", "json", "markdown", "python", "txt", "xml", "xmltei")
# Fields of the metadata in the order of headers, and of attributes.
_HEADER = (
    "title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags", "fingerprint", "id", "license",
)  # fmt: skip
_ATTRIBUTES = (
    "sitename", "title", "author", "date", "url", "hostname", "description", "categories", "tags", "license", "id", "fingerprint",
    "language",
)  # fmt: skip
# Attributes of trafilatura's Extractor, by the arguments that they stand for.
_OF_OPTIONS = {
    "output_format": "format", "include_comments": "comments", "include_formatting": "formatting", "include_links": "links",
    "include_images": "images", "include_tables": "tables", "target_language": "lang", "url": "url", "deduplicate": "dedup",
    "with_metadata": "with_metadata", "only_with_metadata": "only_with_metadata", "author_blacklist": "author_blacklist",
    "url_blacklist": "url_blacklist",
}  # fmt: skip
# Tags of XML that HTML calls otherwise.
_HTML_TAGS = {"list": "ul", "item": "li", "quote": "blockquote", "row": "tr", "cell": "td", "code": "pre", "ref": "a", "lb": "br"}
_RENDERED = {"#b": "strong", "#i": "em", "#u": "u", "#t": "kbd", "#sub": "sub", "#sup": "sup"}
# Bytes of an answer, and seconds that it may take.
_MOST_BYTES, _SECONDS = 20_000_000, 30


class Document:
    """What a page says, with the fields of trafilatura's class of this name."""

    __slots__ = (
        "title", "author", "url", "hostname", "description", "sitename", "date", "categories", "tags", "fingerprint", "id", "license",
        "body", "comments", "commentsbody", "raw_text", "text", "language", "image", "pagetype", "filedate",
    )  # fmt: skip

    def __init__(self, **fields: Any) -> None:
        for name in self.__slots__:
            setattr(self, name, fields.get(name))

    def as_dict(self) -> dict[str, Any]:
        """The fields by their names."""
        return {name: getattr(self, name) for name in self.__slots__}

    def _words(self, name: str) -> str | None:
        value = getattr(self, name)
        return ";".join(value) if isinstance(value, list) else value


def _content(filecontent: Any) -> str | bytes | None:
    """A page as characters or bytes: also that of a tree of lxml, or of a response. ``None`` for what is no page."""
    if isinstance(filecontent, str):
        return filecontent.encode("utf-8", "replace").decode("utf-8")
    if isinstance(filecontent, (bytes, bytearray, memoryview)):
        return bytes(filecontent)
    if hasattr(filecontent, "getroottree"):
        return _etree().tostring(filecontent, encoding="unicode", method="html")
    data = getattr(filecontent, "data", None)
    return data if isinstance(data, bytes) else None


def _etree() -> Any:
    return importlib.import_module("lxml.etree")


def _without(content: str | bytes, paths: Any) -> str | bytes:
    """The page without what XPath expressions find."""
    from lxml import html

    tree = html.fromstring(content)
    for path in [paths] if isinstance(paths, str) else paths:
        for node in tree.xpath(path):
            parent = node.getparent() if hasattr(node, "getparent") else None
            if parent is not None:
                before, tail = node.getprevious(), node.tail or ""
                if before is not None:
                    before.tail = (before.tail or "") + tail
                else:
                    parent.text = (parent.text or "") + tail
                parent.remove(node)
    return _etree().tostring(tree, encoding="unicode", method="html")


def _address(url: Any) -> str | None:
    """An address that links can be resolved against."""
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
        return url if parts and parts.scheme in ("http", "https") and parts.hostname else None
    except ValueError:
        return None


def _read(content: str | bytes, url: str | None, **named: Any) -> Any:
    """What webmill says of a page: of any, whatever its address is and whatever language is asked for."""
    try:
        return _doing.extract(content, _address(url), **named)
    except ArgumentError:
        if named.pop("language", None) is None:
            raise
        _warn(["target_language"])
        return _doing.extract(content, _address(url), **named)


def _document(page: _doing.Document, url: str | None, comments: bool) -> Document:
    address = url or page.url
    said = [post["text"] for post in page.posts if post["kind"] in ("comment", "review")] if comments else []
    simhash = _doing.simhash(f"{page.title or ''} {page.text}")
    return Document(
        title=page.title, author=page.author, url=address, hostname=urlsplit(address).hostname if _address(address) else None,
        description=page.description, sitename=page.site_name, date=page.date and page.date[:10], categories=page.categories,
        tags=page.tags or page.get("keywords_declared") or [], fingerprint=None if simhash is None else f"{simhash % 2**64:x}",
        license=page.licence, comments="\n".join(said), raw_text=page.text, text=page.text, language=page.language, image=page.image,
        pagetype=page.page_type,
    )  # fmt: skip


def bare_extraction(
    filecontent: Any,
    url: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "python",
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool = False,
    include_links: bool = False,
    deduplicate: bool = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    as_dict: bool = False,
    prune_xpath: Any = None,
    config: Any = None,
    options: Any = None,
) -> Document | dict[str, Any] | None:
    """What a page says as a :class:`Document`, or a ``dict`` of it; ``None`` where it has no text or is not wanted.

    >>> page = bare_extraction("<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do.", with_metadata=True)
    >>> page.title, page.text
    ('Mills', 'The mill grinds slowly but finely, as mills do.')
    """
    given = {name: value for name, value in locals().items() if name not in ("filecontent", "as_dict")}
    found = _extracted(filecontent, given)
    if found is None:
        return None
    document, tree = found
    document.body, document.commentsbody = _lxml(tree.find("main"), "body"), _lxml(tree.find("comments"), "body")
    return document.as_dict() if as_dict else document


def extract(
    filecontent: Any,
    url: str | None = None,
    record_id: str | None = None,
    fast: bool = False,
    no_fallback: bool = False,
    favor_precision: bool = False,
    favor_recall: bool = False,
    include_comments: bool = True,
    output_format: str = "txt",
    tei_validation: bool = False,
    target_language: str | None = None,
    include_tables: bool = True,
    include_images: bool = False,
    include_formatting: bool = False,
    include_links: bool = False,
    deduplicate: bool = False,
    date_extraction_params: dict[str, Any] | None = None,
    with_metadata: bool = False,
    only_with_metadata: bool = False,
    max_tree_size: int | None = None,
    url_blacklist: set[str] | None = None,
    author_blacklist: set[str] | None = None,
    settingsfile: str | None = None,
    prune_xpath: Any = None,
    config: Any = None,
    options: Any = None,
) -> str | None:
    """The main text of a page in the form ``output_format``, or ``None`` where it has none or is not wanted.

    >>> extract("<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do.")
    'The mill grinds slowly but finely, as mills do.'
    """
    given = {name: value for name, value in locals().items() if name not in ("filecontent", "record_id")}
    form = _asked(given)["output_format"]
    if form == "python":
        raise ValueError("'python' format only usable in bare_extraction() function")
    found = _extracted(filecontent, given)
    if found is None:
        return None
    document, tree = found
    document.id = record_id
    metadata = _asked(given)["with_metadata"] or _asked(given)["only_with_metadata"]
    if form == "csv":
        out = io.StringIO()
        names = ("url", "id", "fingerprint", "hostname", "title", "image", "date", "text", "comments", "license", "pagetype")
        csv.writer(out, delimiter="\t").writerow([document._words(name) or "null" for name in names])
        return out.getvalue()
    if form == "json":
        return json.dumps(_as_json(document, metadata), ensure_ascii=False)
    if form in ("xml", "html"):
        return _as_tree(document, tree, form, metadata)
    if form == "xmltei":
        return document.text
    shown = "\n".join(filter(None, [document.text, document.comments]))
    if not metadata:
        return shown
    lines = [f"{name}: {getattr(document, name)}" for name in _HEADER if getattr(document, name) and (name != "fingerprint")]
    return "\n".join(["---", *lines, "---", shown])


def extract_with_metadata(
    filecontent: Any, url: str | None = None, record_id: str | None = None, **arguments: Any
) -> Document | None:
    """The document with its ``text`` in the form ``output_format``; arguments as :func:`extract` has them."""
    text = extract(filecontent, url, record_id, with_metadata=True, **arguments)
    named = {name: value for name, value in arguments.items() if name not in ("output_format", "tei_validation", "settingsfile")}
    document = bare_extraction(filecontent, url, with_metadata=True, **named)
    if text is None or not isinstance(document, Document):
        return None
    document.text, document.id = text, record_id
    return document


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments, with those of an Extractor in place of theirs; what is wrong with them is raised as trafilatura does."""
    asked = dict(given)
    if (options := asked.get("options")) is not None:
        asked.update({name: getattr(options, of) for name, of in _OF_OPTIONS.items() if hasattr(options, of)})
        focus = getattr(options, "focus", "balanced")
        asked.update(favor_precision=focus == "precision", favor_recall=focus == "recall")
    if asked["max_tree_size"]:
        raise ValueError("max_tree_size is deprecated, use settings.cfg file instead")
    if asked["output_format"] not in _FORMATS:
        raise AttributeError(f"Cannot set format, must be one of: {', '.join(_FORMATS)}")
    return asked


def _extracted(filecontent: Any, given: dict[str, Any]) -> tuple[Document, ElementTree.Element] | None:
    """The document, its ``text`` in the form that is asked for, and its tree of XML (empty where no form needs it)."""
    asked = _asked(given)
    names = ("deduplicate", "date_extraction_params", "tei_validation", "settingsfile")
    _warn([name for name in names if asked.get(name)])
    content = _content(filecontent)
    form, address = asked["output_format"], asked["url"]
    if not content:
        return None
    try:
        if asked["prune_xpath"] is not None:
            content = _without(content, asked["prune_xpath"])
        named = {
            "focus": "precision" if asked["favor_precision"] else "recall" if asked["favor_recall"] else "balanced",
            "tables": asked["include_tables"], "links": asked["include_links"], "images": asked["include_images"],
            "language": asked["target_language"] or None,
        }  # fmt: skip
        comments = bool(asked["include_comments"])
        is_markdown = form == "markdown" or bool(asked["include_formatting"]) and form in ("txt", "python", "csv")
        page = _read(content, address, with_markdown=is_markdown, comments=comments, **named)
        if page is None or not (page.text or page.posts):
            return None
        document = _document(page, address, comments)
        if asked["author_blacklist"] and document.author in asked["author_blacklist"]:
            document.author = None
        if asked["url_blacklist"] and document.url in asked["url_blacklist"]:
            return None
        if asked["only_with_metadata"] and not (document.date and document.title and document.url):
            return None
        if is_markdown:
            document.text = (page.markdown or page.text).rstrip("\n")
        named.pop("language")
        tree = ElementTree.Element("doc")
        if form in ("xml", "html", "python"):
            tree = ElementTree.fromstring(_read(content, address, format="xml", comments=comments, **named))
        elif form == "xmltei":
            document.text = _read(content, address, format="tei", comments=comments, **named).rstrip("\n")
        if form == "python" and not (asked["with_metadata"] or asked["only_with_metadata"]):
            for name in (*_HEADER, "image", "pagetype", "language"):
                setattr(document, name, None)
        return document, tree
    except Error as fault:
        if fault.kind not in ("config", "corrupt", "refused"):
            raise
        return None


def _as_json(document: Document, metadata: bool) -> dict[str, Any]:
    if not metadata:
        return {"text": document.text, "comments": document.comments}
    fields = {name: value for name, value in document.as_dict().items() if name not in ("body", "commentsbody")}
    renamed = {"url": "source", "sitename": "source-hostname", "description": "excerpt"}
    joined = {name: document._words(name) or "" for name in ("categories", "tags")}
    return {renamed.get(name, name): value for name, value in {**fields, **joined}.items()}


def _as_tree(document: Document, tree: ElementTree.Element, form: str, metadata: bool) -> str:
    attributes = {name: value for name in _ATTRIBUTES if metadata and (value := document._words(name))}
    if form == "xml":
        tree.attrib = attributes or {"fingerprint": document.fingerprint or ""}
    else:
        main = tree.find("main")
        tree = ElementTree.Element("html")
        if attributes:
            head = ElementTree.SubElement(tree, "head")
            for name, value in attributes.items():
                ElementTree.SubElement(head, "meta", name=name, content=value)
        body = ElementTree.SubElement(tree, "body")
        body.extend(main if main is not None else [])
        for node in body.iter():
            _to_html(node)
    ElementTree.indent(tree)
    return ElementTree.tostring(tree, encoding="unicode")


def _to_html(node: ElementTree.Element) -> None:
    kept: dict[str, str] = {}
    if node.tag == "head":
        node.tag = node.get("rend") or "h2"
    elif node.tag == "hi":
        node.tag = _RENDERED.get(node.get("rend", ""), "span")
    elif node.tag == "graphic":
        node.tag, kept = "img", {name: value for name, value in node.attrib.items() if name in ("src", "alt", "title")}
    elif node.tag == "list" and node.get("rend") == "ol":
        node.tag = "ol"
    elif node.tag == "cell" and node.get("role") == "head":
        node.tag = "th"
    elif node.tag == "ref":
        node.tag, kept = "a", {"href": node.get("target", "")}
    else:
        node.tag = _HTML_TAGS.get(node.tag, node.tag)
    node.attrib = kept


def _lxml(node: ElementTree.Element | None, tag: str) -> Any:
    """The same as a tree of lxml, where it is installed."""
    node = ElementTree.Element(tag) if node is None else node
    node.tag = tag
    try:
        return _etree().fromstring(ElementTree.tostring(node, encoding="unicode"))
    except ImportError:
        return node


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: Any = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document | None:
    """What a page states of itself."""
    content = _content(filecontent)
    if not content:
        return None
    try:
        page = _read(content, default_url)
    except Error:
        return None
    document = _document(page, page.url or default_url, False)
    if author_blacklist and document.author in author_blacklist:
        document.author = None
    for name in ("text", "raw_text", "comments", "fingerprint"):
        setattr(document, name, None)
    return document


class _Words(HTMLParser):
    """All characters between tags, but for those of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in ("script", "style", "template", "noscript")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style", "template", "noscript") and self._hidden > 0

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.words.append(data)


def html2txt(content: Any, clean: bool = True) -> str:
    """All text of a page, boilerplate and all.

    >>> html2txt("<body><nav>Home</nav><p>The mill.")
    'Home The mill.'
    """
    page = _content(content) or ""
    parser = _Words()
    parser.feed(page if isinstance(page, str) else page.decode("utf-8", "replace"))
    parser.close()
    return " ".join(" ".join(parser.words).split())


def baseline(filecontent: Any) -> tuple[Any, str, int]:
    """The text of a page, with as much recall as there is: its tree, its characters, how many these are."""
    document = bare_extraction(filecontent, favor_recall=True, include_comments=False)
    if isinstance(document, Document):
        return document.body, document.text, len(document.text)
    text = html2txt(filecontent)
    body = ElementTree.Element("body")
    ElementTree.SubElement(body, "p").text = text
    return _lxml(body, "body"), text, len(text)


def load_html(htmlobject: Any) -> Any:
    """The page as a tree of lxml; ``None`` for what is none."""
    from lxml import html

    content = htmlobject if hasattr(htmlobject, "getroottree") else _content(htmlobject)
    if content is None:
        raise TypeError(f"incompatible input type {type(htmlobject).__name__}")
    return content if hasattr(content, "getroottree") else html.fromstring(content) if content.strip() else None


class Response:
    """An answer of a server: ``data`` in bytes, ``status``, ``url`` where it came from, ``headers``, ``html`` as characters."""

    __slots__ = ("data", "headers", "html", "status", "url")

    def __init__(self, data: bytes, status: int, url: str) -> None:
        self.data, self.status, self.url = data, status, url
        self.headers: dict[str, str] | None = None
        self.html: str | None = None

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return self.html or self.data.decode("utf-8", "replace")


def fetch_response(
    url: str, *, decode: bool = False, no_ssl: bool = False, with_headers: bool = False, config: Any = None
) -> Response | None:
    """Fetches an address by urllib, at most 20 MB within 30 seconds; ``None`` where that fails."""
    import ssl
    from urllib.error import HTTPError, URLError
    from urllib.request import Request, urlopen

    if _address(url) is None:
        return None
    context = ssl._create_unverified_context() if no_ssl else None
    try:
        try:
            answer = urlopen(Request(url, headers={"User-Agent": "webmill"}), timeout=_SECONDS, context=context)
        except HTTPError as fault:
            answer = fault
        with answer:
            data = answer.read(_MOST_BYTES + 1)
            response = Response(data, answer.status or 0, answer.url or url)
            headers = {name.lower(): value for name, value in answer.headers.items()}
    except (URLError, OSError, ValueError):
        return None
    if len(data) > _MOST_BYTES:
        return None
    response.headers = headers if with_headers else None
    response.html = data.decode(answer.headers.get_content_charset() or "utf-8", "replace") if decode else None
    return response


def fetch_url(url: str, no_ssl: bool = False, config: Any = None, options: Any = None) -> str | None:
    """The page at an address as characters; ``None`` where it is not had."""
    response = fetch_response(url, decode=True, no_ssl=no_ssl)
    return response.html if response is not None and response.status == 200 else None


def _warn(names: list[str]) -> None:
    if names:
        warnings.warn(f"webmill ignores these arguments of trafilatura: {', '.join(names)}", stacklevel=4)
