"""What all truths share: the pages of a folder, the text of an element, lines of JSON. lxml alone, no webmill."""

import argparse
import json
import sys
from pathlib import Path
from urllib.parse import quote

import lxml.html

# A reader sees a blank where these begin and end; text_content() of lxml would join `a<br>b` to `ab`.
APART = set(
    "address article aside blockquote body br button caption dd details div dl dt figcaption figure footer form h1 h2 h3 h4"
    " h5 h6 head header hr html legend li main nav ol option p pre section select summary table tbody td tfoot th thead"
    " title tr ul".split()
)
UNSEEN = {"script", "style", "template", "noscript"}


def pieces(element, left_out):
    """The texts in an element, without the elements for which `left_out` holds (but with what stands behind them)."""
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            edge = " " if child.tag in APART else ""
            yield edge
            if child.tag not in UNSEEN and not left_out(child):
                yield from pieces(child, left_out)
            yield edge
        yield child.tail or ""


def text(element, left_out=lambda element: False):
    """The text of an element, runs of white space (also no-break spaces) as one blank, trimmed."""
    return " ".join("".join(pieces(element, left_out)).split())


def has(element, name):
    return name in (element.get("class") or "").split()


def pages(folder):
    """The path in the URL and the root of every HTML file below a folder, by name. All four corpora are UTF-8."""
    for file in sorted(folder.rglob("*.html")):
        parser = lxml.html.HTMLParser(encoding="utf-8", huge_tree=True)
        root = lxml.html.document_fromstring(file.read_bytes(), parser=parser)
        yield "/" + quote(file.relative_to(folder).as_posix()), root


def main(about, rows):
    """Writes what `rows` (path and root of a page to rows with their group) says of every page of the folder."""
    args = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("folder", type=Path, help="the folder that was served as /")
    for path, root in pages(args.parse_args().folder):
        for row in rows(path, root):
            sys.stdout.write(json.dumps({"url_path": path, **row}, ensure_ascii=False) + "\n")
