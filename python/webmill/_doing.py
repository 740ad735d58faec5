"""What webmill does, as functions: over the compiled part."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from . import _webmill
from ._error import ArgumentError, Error, one_of
from ._progress import Bar
from ._webmill import ArrowTable, Capture, Captures, Classifier, Graph

_KINDS = ("warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation", "filedesc", "unknown")

# Documents are read in children: an interpreter each that loads the compiled part and nothing else.
_CHILD = """import importlib.util as util, sys
spec = util.spec_from_file_location("_webmill", sys.argv[1])
module = util.module_from_spec(spec)
spec.loader.exec_module(module)
module.read_documents()"""
if sys.executable and _webmill.__file__:
    _webmill.read_documents_by([sys.executable, "-I", "-S", "-c", _CHILD, _webmill.__file__])

class ArrowStream(Protocol):
    """A table or a column that offers Arrow data: of polars, pyarrow, pandas, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class ArrowArray(Protocol):
    """A column of Arrow in one piece."""

    def __arrow_c_array__(self, requested_schema: Any = None) -> Any: ...


# A column: of strings, of bytes or of numbers, with None for what is missing.
Column = ArrowStream | ArrowArray | Iterable[Any]
Kind = Literal[
    "warcinfo", "response", "resource", "request", "metadata", "revisit", "conversion", "continuation", "filedesc", "unknown"
]
Focus = Literal["balanced", "precision", "recall"]
StrPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def captures(
    paths: StrPath | Iterable[StrPath],
    *,
    kinds: Kind | Iterable[Kind] | None = ("response", "resource"),
    errors: Literal["raise", "skip"] = "raise",
    max_record_bytes: int = 64 << 20,
    verify_digests: bool = False,
) -> Captures:
    """Iterates over the captures of WARC, ARC and RAW DB files (plain, gzip, zstd, lz4), of WACZ files, of folders and globs of them.

    ``kinds``: names of the kinds of records that are wanted, ``None`` for all. ``errors``: ``"raise"`` raises
    :class:`webmill.Error` with path and offset of a damaged record, after which iteration can go on; ``"skip"`` passes
    over it: the iterator counts (``skipped``, ``damage``). ``.batches()`` gives the same as columns of Arrow, and
    counts for itself.

    >>> import webmill, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with webmill.RawDbWriter(folder + "/a.rawdb") as out:
    ...     out.write("http://a.example/", b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>hello")
    >>> for capture in webmill.captures(folder):
    ...     print(capture.url, capture.status, capture.mime, capture.body)
    http://a.example/ 200 text/html b'<p>hello'
    """
    one_of("errors", errors, ("raise", "skip"))
    wanted: list[str] | None = [kinds] if isinstance(kinds, str) else None if kinds is None else list(kinds)
    for kind in wanted or ():
        one_of("kinds", kind, _KINDS)
    return Captures(_names(paths), wanted, errors == "skip", max_record_bytes, verify_digests)


def _name(path: StrPath) -> str:
    """A path as a string; bytes, too."""
    return os.fsdecode(path)


def _names(paths: StrPath | Iterable[StrPath]) -> list[str]:
    """Paths, of which one may stand alone. Names of shards are shown and stored, so that those that are no text are refused."""
    named = [_name(path) for path in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
    for name in named:
        try:
            name.encode()
        except UnicodeEncodeError:
            raise ArgumentError(f"{os.fsencode(name)!r}: names of shards are UTF-8; rename it, or name its folder") from None
    return named


def read_capture(path: StrPath, offset: int, *, max_record_bytes: int = 64 << 20) -> Capture:
    """The record at byte ``offset`` of a file, as columns ``warc_filename`` and ``warc_record_offset`` name it."""
    return _webmill.read_capture(_name(path), offset, max_record_bytes)


class Document(dict[str, Any]):
    """What a page says: the object that ``webmill text --format json`` writes, its fields as attributes too."""

    id: str
    file: str
    kind: str
    format: str | None
    pages: int | None
    url: str | None
    text: str
    title: str | None
    title_source: str | None
    author: str | None
    date: str | None
    date_ambiguous: list[str]
    modified: str | None
    site_name: str | None
    description: str | None
    categories: list[str]
    tags: list[str]
    licence: str | None
    image: str | None
    language: str | None
    language_confidence: float | None
    language_declared: str | None
    languages: list[dict[str, Any]]
    paragraphs: list[dict[str, Any]]
    canonical_url: str | None
    redirects_to: str | None
    page_type: str
    types: list[str]
    confidence: float
    keywords: list[dict[str, Any]]
    keywords_declared: list[str]
    tables: list[dict[str, Any]]
    posts: list[dict[str, Any]]
    structured: list[dict[str, Any]]
    encoding: str
    encoding_declared: str | None
    encoding_detected: str | None
    encoding_doubled: str | None
    warnings: list[str]
    cuts: list[str]
    markdown: str | None

    if not TYPE_CHECKING:  # so that an editor finds a field that there is not

        def __getattr__(self, name: str) -> Any:
            try:
                return self[name]
            except KeyError:
                raise AttributeError(name) from None

    def __repr__(self) -> str:
        text = self.get("text") or ""
        return f"Document(title={self.get('title')!r}, text={text[:60]!r}{' …' if len(text) > 60 else ''})"


@lru_cache(maxsize=64)
def _reader(options: str) -> _webmill.PageReader:
    return _webmill.PageReader(options)


def _options(
    *,
    format: str,
    input: str,
    focus: str,
    with_markdown: bool = False,
    with_title: bool = False,
    front_matter: bool = False,
    comments: bool | None,
    tables: bool,
    links: bool,
    images: bool,
    language: str | Sequence[str] | None,
) -> str:
    one_of("focus", focus, ("balanced", "precision", "recall"))
    one_of("format", format, ("json", "text", "md", "xml", "tei", "html", "csv"))
    one_of("input", input, ("html", "text", "document", "auto", "feed", "sitemap"))
    languages = language.split(",") if isinstance(language, str) else list(language or ())
    return json.dumps({
        "format": format, "input": input, "focus": focus,
        "with_markdown": bool(with_markdown), "with_title": bool(with_title), "front_matter": bool(front_matter),
        "comments": comments, "tables": bool(tables), "links": bool(links), "images": bool(images),
        "languages": [code for code in languages if code],
    })  # fmt: skip


Single = Literal["html", "text", "document"]
Several = Literal["auto", "feed", "sitemap"]
Written = Literal["text", "md", "xml", "tei", "html", "csv"]
Language = str | Sequence[str] | None


@overload
def extract(
    html: str | bytes, url: str | None = None, *, format: Literal["json"] = "json", input: Single = "html", focus: Focus = "balanced",
    with_markdown: bool = False, with_title: bool = False, front_matter: bool = False, comments: bool | None = None,
    tables: bool = True, links: bool = True, images: bool = True, language: None = None,
) -> Document: ...
@overload
def extract(
    html: str | bytes, url: str | None = None, *, format: Literal["json"] = "json", input: Single = "html", focus: Focus = "balanced",
    with_markdown: bool = False, with_title: bool = False, front_matter: bool = False, comments: bool | None = None,
    tables: bool = True, links: bool = True, images: bool = True, language: Language = None,
) -> Document | None: ...
@overload
def extract(
    html: str | bytes, url: str | None = None, *, format: Literal["json"] = "json", input: Several, focus: Focus = "balanced",
    with_markdown: bool = False, with_title: bool = False, front_matter: bool = False, comments: bool | None = None,
    tables: bool = True, links: bool = True, images: bool = True, language: Language = None,
) -> list[Document]: ...
@overload
def extract(
    html: str | bytes, url: str | None = None, *, format: Written, input: Single = "html", focus: Focus = "balanced",
    with_markdown: bool = False, with_title: bool = False, front_matter: bool = False, comments: bool | None = None,
    tables: bool = True, links: bool = True, images: bool = True, language: None = None,
) -> str: ...
@overload
def extract(
    html: str | bytes, url: str | None = None, *, format: Written, input: Single = "html", focus: Focus = "balanced",
    with_markdown: bool = False, with_title: bool = False, front_matter: bool = False, comments: bool | None = None,
    tables: bool = True, links: bool = True, images: bool = True, language: Language = None,
) -> str | None: ...
@overload
def extract(
    html: str | bytes, url: str | None = None, *, format: Written, input: Several, focus: Focus = "balanced",
    with_markdown: bool = False, with_title: bool = False, front_matter: bool = False, comments: bool | None = None,
    tables: bool = True, links: bool = True, images: bool = True, language: Language = None,
) -> list[str]: ...
def extract(
    html: str | bytes,
    url: str | None = None,
    *,
    format: str = "json",
    input: str = "html",
    focus: str = "balanced",
    with_markdown: bool = False,
    with_title: bool = False,
    front_matter: bool = False,
    comments: bool | None = None,
    tables: bool = True,
    links: bool = True,
    images: bool = True,
    language: str | Sequence[str] | None = None,
) -> Any:
    """The main text of a page with what the page says of itself: what ``webmill text`` writes.

    ``html``: bytes, whose encoding is found out, or ``str``. ``url``: its address, which links are resolved against.
    ``format``: ``json`` gives a :class:`Document`; ``text``, ``md``, ``xml`` and ``tei`` give a string. ``input``: ``html``,
    ``text``, ``document`` (PDF, Office files, OpenDocument, RTF, EPUB, Markdown, tables of values), or ``auto``, ``feed`` and
    ``sitemap``, which give a list. ``focus``: ``precision`` leaves doubtful paragraphs
    out, ``recall`` keeps them. ``with_title`` puts the title before the text, as Markdown has it always. ``comments``: ``True`` or ``False`` where the form's own way (JSON, XML and TEI have them) is not
    wanted; in ``posts`` they are those of ``kind`` ``comment`` and ``review``. ``language``: codes of the languages that are wanted; a page in another gives ``None``.
    Raises :class:`webmill.Error` for input that is not a page.

    >>> import webmill
    >>> page = webmill.extract("<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do.")
    >>> page.text
    'The mill grinds slowly but finely, as mills do.'
    >>> webmill.extract("<body><h1>Mills</h1><p>The mill grinds slowly, as mills do.", format="md")
    '# Mills\\n\\nThe mill grinds slowly, as mills do.\\n'
    """
    options = _options(
        format=format, input=input, focus=focus, with_markdown=with_markdown, with_title=with_title,
        front_matter=front_matter, comments=comments, tables=tables, links=links, images=images, language=language,
    )  # fmt: skip
    written = _reader(options).written(html, url)
    entries: list[Any] = written
    if format == "json":
        entries = [Document(json.loads(line)) for entry in written for line in entry.splitlines()]
    if input not in ("html", "text", "document"):
        return entries
    return entries[0] if entries else None


def extract_batch(
    table: ArrowStream | ArrowArray,
    html: str = "html",
    url: str | None = "url",
    *,
    focus: Focus = "balanced",
    with_markdown: bool = False,
    with_title: bool = False,
    comments: bool | None = None,
    tables: bool = True,
    links: bool = True,
    images: bool = True,
    language: str | Sequence[str] | None = None,
    full: bool = False,
) -> ArrowTable:
    """The main texts of a column of pages, on all cores.

    ``table``: a frame of polars, a table of pyarrow or what else offers Arrow data, with the pages in column ``html`` (bytes or
    strings) and their addresses in column ``url`` (``None``: no such column). The result has a row a page, in order: ``row`` is
    its number, ``error`` says why a page could not be read; pages in a language that is not wanted have no row.
    ``full``: a column ``json`` with all that :func:`extract` knows. Else as there.

    >>> import polars as pl, webmill
    >>> pages = pl.DataFrame({"html": ["<p>One page says this.", "<p>Another one says that."]})
    >>> webmill.extract_batch(pages, url=None).to_polars()["text"].to_list()
    ['One page says this.', 'Another one says that.']
    """
    options = _options(
        format="json", input="html", focus=focus, with_markdown=with_markdown, with_title=with_title,
        comments=comments, tables=tables, links=links, images=images, language=language,
    )  # fmt: skip
    return _reader(options).batch(table, html, url, full)


def simhash(text: str) -> int | None:
    """SimHash of a text, a signed integer of 64 bits as column ``simhash`` has it: texts that differ little differ in few bits.

    >>> import webmill
    >>> a, b = webmill.simhash("the mill grinds slowly but finely"), webmill.simhash("The mill grinds slowly, but finely.")
    >>> ((a ^ b) % 2**64).bit_count()
    0
    """
    return _webmill.simhash(text)


def minhash(text: str, num_values: int = 128, words: int = 3) -> list[int] | None:
    """MinHash of the sequences of ``words`` words of a text: positions agree as often as two texts are alike.

    >>> import webmill
    >>> len(webmill.minhash("the mill grinds slowly but finely"))
    128
    """
    return _webmill.minhash(text, num_values, words)


def near_duplicates(texts: Column, resemblance: float = 0.8, bands: str = "auto", simhash_bits: int | None = 3) -> ArrowTable:
    """Which texts are copies of others, or nearly: a row a text, with the text that stands for its cluster.

    ``texts``: strings, or a column of Arrow. ``resemblance``: share of word sequences that two texts must have in common; every
    pair is verified. ``bands``: which candidates are found: ``auto`` (99 % of the pairs at ``resemblance``), ``webmill``,
    ``datatrove``, or bands x rows such as ``32x4``. ``simhash_bits``: texts whose SimHashes differ in at most this many bits are
    candidates too; None for bands alone. Columns: ``index``, ``representative``, ``kind``
    (``representative``, ``text`` for copies, ``near``), ``resemblance``.

    >>> import webmill
    >>> texts = ["The mill grinds slowly but finely.", "THE MILL grinds slowly, but finely.", "Something else is here."]
    >>> webmill.near_duplicates(texts).to_polars()["representative"].to_list()
    [0, 0, 2]
    """
    return _webmill.near_duplicates(texts, resemblance, bands, simhash_bits)


def pagerank(
    src: Column, dst: Column, weights: Column | None = None, *, damping: float = 0.85, tolerance: float = 1e-10, max_iterations: int = 1000
) -> ArrowTable:
    """PageRank of the nodes of a list of arcs: columns ``node``, ``pagerank``, by node. The ranks sum to 1.

    ``src``, ``dst``: strings or whole numbers, as sequences or columns of Arrow. ``weights``: not negative; those of
    parallel arcs add up. ``tolerance``: proven bound of the L1 distance to the true ranks.

    >>> import webmill
    >>> webmill.pagerank(["a", "b", "c"], ["b", "c", "a"]).to_polars()["pagerank"].round(3).to_list()
    [0.333, 0.333, 0.333]
    """
    return Graph(src, dst, weights).pagerank(damping, tolerance, max_iterations)


def hits(src: Column, dst: Column, weights: Column | None = None, *, tolerance: float = 1e-10, max_iterations: int = 10_000) -> ArrowTable:
    """Hubs and authorities of a list of arcs: columns ``node``, ``hub``, ``authority``, each of L2 length 1."""
    return Graph(src, dst, weights).hits(tolerance, max_iterations)


def convert_graph(
    source: StrPath, target: StrPath, *, format: Literal["csr", "bvgraph", "mtx", "edges"] | None = None, level: str | None = None
) -> None:
    """Writes a graph file, or level ``level`` of a folder of results, in another format.

    ``format``: ``csr``, ``bvgraph``, ``mtx`` or ``edges``; by default the ending of ``target`` says it.
    """
    _webmill.convert(_name(source), _name(target), format or None, level or None)


def run(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    recipe: StrPath | Mapping[str, Mapping[str, Any]] | None = None,
    progress: Callable[[str, int, int], Any] | bool | None = None,
    threads: int | None = None,
    memory: str | None = None,
    max_bad: float | None = None,
    replace: bool = False,
) -> Any:
    """Mills shards into tables and a report, as ``webmill run`` does; the results, opened.

    ``recipe``: a file of settings, or tables of them by job: ``{"rank": {"damping": 0.9}}``. ``progress``: ``True`` shows a bar
    (tqdm's where it is installed); a function is called with the phase, the amount done and the whole amount (0 if it is not known).
    ``threads``, ``memory`` (``"4GiB"``), ``max_bad`` (share of damaged records) as the command has them. Interrupted, it ends
    within a second, and the same call goes on where it was. Damaged records and files raise a ``RuntimeWarning``. Shards that come to those of the results in ``out`` are added to them;
    where others are missing, that is an error unless ``replace`` is true.
    """
    from ._results import Results

    shards = _names(inputs)
    if not shards:
        raise ArgumentError("no shards: inputs are files, folders, globs or URLs of shards")
    file, settings = None, None
    if isinstance(recipe, (str, bytes, os.PathLike)):
        file = _name(recipe)
    elif recipe is not None:
        settings = json.dumps(recipe)
    bar = Bar() if progress is True else None
    tell = bar or (progress if callable(progress) else None)

    def said(phase: str, done: int, total: int, is_bytes: bool, notes: list[str]) -> None:
        if bar is not None:
            bar.notes(notes)
            bar.unit = "B" if is_bytes else "it"
        if tell is not None and phase:
            tell(phase, done, total)

    try:
        _webmill.run(
            shards, _name(out), file, settings, threads, memory if memory is None else str(memory), max_bad,
            replace, said if tell else None,
        )  # fmt: skip
    finally:
        if bar is not None:
            bar.close()
    results = Results(_name(out), shards)
    _warn_of_losses(results.folder)
    return results


def _warn_of_losses(folder: Path) -> None:
    manifest = folder / "extract" / "latest" / "manifest.json"
    counts = json.loads(manifest.read_text(encoding="utf-8"))["counts"]
    lost = [f"{counts[what]} records {what.replace('_', ' ')}" for what in ("damaged", "cut_off") if counts.get(what)]
    lost += [f"not read to its end: {file}" for file in counts.get("unreadable", [])[:3]]
    if lost:
        warnings.warn(f"{'; '.join(lost)}: see table rejects", RuntimeWarning, stacklevel=3)


def train(
    texts: Column,
    labels: Column,
    *,
    titles: Column | None = None,
    urls: Column | None = None,
    languages: Column | None = None,
    method: Literal[
        "auto", "naive-bayes", "complement-bayes", "svm", "logistic", "neighbours", "adaboost"
    ] = "auto",
    folds: int = 5,
    seed: int = 1,
) -> Classifier:
    """Trains a classifier of texts, and evaluates it on texts that were held out.

    ``texts``, ``labels`` and what else is known are columns of Arrow or sequences of strings. Texts and labels that are null,
    and classes of one text, are left out and counted (``left_out``). ``method``: ``auto`` chooses by cross-validation;
    or ``naive-bayes``, ``complement-bayes``, ``svm``, ``logistic``, ``neighbours``, ``adaboost``. With ``urls``, texts of one
    registrable domain are never trained and evaluated on at the same time, where there are ten domains or more.
    ``save`` writes what ``webmill learn apply`` reads.

    >>> import webmill
    >>> fruit, tools = ["apple and pear", "a ripe pear", "apple pie, apple"], ["hammer and saw", "a sharp saw", "saw the wood, hammer"]
    >>> model = webmill.train(fruit * 4 + tools * 4, ["fruit"] * 12 + ["tools"] * 12, method="svm")
    >>> model.classes, model.accuracy
    (['fruit', 'tools'], 1.0)
    >>> model.predict(["pears and an apple", "where is the saw?"]).to_polars()["label"].to_list()
    ['fruit', 'tools']
    """
    return Classifier.train(texts, labels, titles, urls, languages, method, folds, seed)


def topics(
    texts: Column, k: int | None = None, *, languages: Column | None = None, seed: int = 0
) -> tuple[ArrowTable, ArrowTable]:
    """Topics of texts, without labels (spherical k-means over tf·idf, as ``webmill learn cluster`` has it).

    Gives two tables: of each text ``topic`` (0 is the largest; null for a text without a word that another one has) and
    ``distance`` from its middle; of each topic ``name``, ``size``, ``language`` and the ``words`` that tell it from the others.
    Topics are made within each language that a twentieth of the texts are in; ``languages`` are codes of theirs where they are known,
    else they are found out. ``k``: how many there are in all, at least one of each language: with fewer than there are languages, no
    difference is made between these. By default the silhouette of a sample chooses.

    >>> import webmill
    >>> texts = ["apple pear", "pear apple pie", "saw hammer", "hammer saw wood"]
    >>> of_texts, about = webmill.topics(texts, k=2)
    >>> of_texts.to_polars()["topic"].n_unique(), about.to_polars()["size"].to_list()
    (2, [2, 2])
    """
    return _webmill.topics(texts, k, languages, seed)


class RawDbWriter:
    """Writes a RAW DB file. It appears when the writer is closed; where an exception leaves the ``with``, it does not.

    ``compression``: of each record: ``none``, ``gzip`` or ``zstd``. ``append``: goes on behind the last record of a file.
    """

    def __init__(self, path: StrPath, *, compression: Literal["none", "gzip", "zstd"] = "none", append: bool = False) -> None:
        one_of("compression", compression, ("none", "gzip", "zstd"))
        self.path = Path(_name(path)).absolute()
        self._writer = _webmill.RawDbWriter(str(self.path), compression, append)

    def write(
        self,
        url: str,
        data: bytes,
        date: datetime | int | None = None,
        *,
        origin: str | None = None,
        ip: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """Writes a capture.

        ``data``: the answer as the server sent it, head and body. ``date``: when it was fetched, a ``datetime`` (a naive one is
        UTC) or milliseconds since 1970; by default now. ``origin``: the URL first asked for. ``properties``: further lines of
        the head.
        """
        if date is None:
            date = datetime.now(timezone.utc)
        if isinstance(date, datetime):
            aware = date if date.tzinfo else date.replace(tzinfo=timezone.utc)
            since = aware - datetime(1970, 1, 1, tzinfo=timezone.utc)
            date = (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
        self._writer.write_record(url, data, date, origin, ip, list((properties or {}).items()))

    def close(self) -> Path:
        """Finishes the file and gives its path."""
        self._writer.close()
        return self.path

    def __enter__(self) -> RawDbWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close()
        else:
            self._writer.abandon()


__all__ = [
    "ArgumentError", "ArrowTable", "Capture", "Captures", "Classifier", "Document", "Error", "Graph", "RawDbWriter", "captures", "convert_graph",
    "extract", "extract_batch", "hits", "minhash", "near_duplicates", "pagerank", "read_capture", "run", "simhash", "topics",
    "train",
]  # fmt: skip
