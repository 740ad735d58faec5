#!/usr/bin/env python3
"""Sections and definitions of Sphinx pages: title, headings with level; signatures with kind and anchor.

usage: linux.py FOLDER > TRUTH.jsonl    FOLDER: usr/share/doc/linux-doc-6.1/html of Debian's linux-doc-6.1
"""

from page import has, main, text

LEVELS = {f"h{level}": level for level in range(1, 7)}


def sign(element):
    """The ¶ that links to the heading or definition itself."""
    return has(element, "headerlink")


def rows(path, root):
    title = text(root.find("head/title"))
    for element in root.iter():
        # genindex and search have headings without ¶; all headings stand in the document, none in the menu.
        if element.tag in LEVELS:
            yield {"group": "sections", "title": title, "heading": text(element, sign), "level": LEVELS[element.tag]}
        # dt of glossaries have ids too, but no class. Definitions given twice in the manual have no id the second time,
        # and one dl may begin with several dt, which share its text.
        elif element.tag == "dt" and has(element, "sig-object"):
            kind = element.getparent().get("class").split()[-1]
            anchor = element.get("id")
            yield {"group": "definitions", "kind": kind, "signature": text(element, sign), "anchor": anchor}


main(__doc__, rows)
