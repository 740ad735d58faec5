#!/usr/bin/env python3
"""Headings, related topics and keywords of LibreOffice's Chinese help.

usage: libreoffice.py FOLDER > TRUTH.jsonl    FOLDER: usr/share/libreoffice/help of Debian's libreoffice-help-zh-cn
"""

from urllib.parse import urldefrag, urljoin

from page import has, main, text

LEVELS = {f"h{level}": level for level in range(1, 7)}
SITE = "http://localhost"


def address(path, root, href):
    """Where a link leads: against <base>, which leads to the site's root; a page's address has no fragment."""
    base = next(root.iter("base")).get("href")
    url = urldefrag(urljoin(urljoin(SITE + path, base), href))[0]
    return url.removeprefix(SITE)


def is_of_application(meta):
    """Whether the item that a property belongs to is the page's SoftwareApplication, not a list or step within."""
    owner = next((e for e in meta.iterancestors() if e.get("itemscope") is not None), None)
    return owner is not None and (owner.get("itemtype") or "").endswith("/SoftwareApplication")


def rows(path, root):
    title = root.find("head/title")
    # The contents, index.html and the two redirecting pages have no area; the footer has a heading for debugging outside it.
    area = root.get_element_by_id("DisplayArea", None)
    if title is None or area is None:
        return
    title = text(title)
    for element in area.iter():
        if element.tag in LEVELS:
            yield {"group": "headings", "title": title, "heading": text(element), "level": LEVELS[element.tag]}
        elif element.tag == "div" and has(element, "relatedbody"):
            for a in element.iter("a"):
                # a without href is the anchor of the embedded topic.
                if a.get("href") is not None:
                    target = address(path, root, a.get("href"))
                    yield {"group": "related", "title": title, "topic": text(a), "target": target}
    for meta in root.iter("meta"):
        if meta.get("itemprop") == "keywords" and is_of_application(meta):
            yield {"group": "keywords", "keyword": " ".join(meta.get("content").split())}


main(__doc__, rows)
