"""Where the elements of a page's source begin and end, so that parts can be put in or taken out of the source as it is.

A plain scan over tags: what no end tag closes ends where the element around it ends, or where the next one of its kind begins.
It is no full parser; callers check by lxml that what they made is what they wanted.
"""

import html as entities
import re
from dataclasses import dataclass, field

VOID = set("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr".split())
RAW = ("script", "style", "textarea", "title", "noscript", "iframe", "xmp", "template", "svg", "math", "select")
CLOSES = {  # an element that opens ends these, if they are open in the same list or table
    "li": ({"li"}, {"ul", "ol", "menu"}),
    "dt": ({"dt", "dd"}, {"dl"}),
    "dd": ({"dt", "dd"}, {"dl"}),
    "tr": ({"tr", "td", "th"}, {"table"}),
    "td": ({"td", "th"}, {"tr", "table"}),
    "th": ({"td", "th"}, {"tr", "table"}),
    "option": ({"option"}, {"select"}),
    "p": ({"p"}, {"div", "td", "body", "article", "section", "li", "blockquote"}),
}
TAG = re.compile(r"<!--.*?(?:-->|\Z)|<(/?)([a-zA-Z][a-zA-Z0-9:-]*)((?:[^<>\"']|\"[^\"]*\"|'[^']*')*)>|<[!?][^>]*>", re.S)
ATTRIBUTE = re.compile(r"""([\w:-]+)\s*=\s*("[^"]*"|'[^']*'|[^\s"'>]+)""")


@dataclass
class Element:
    tag: str
    start: int  # of its start tag
    inner: int  # after its start tag
    up: "Element | None"
    attributes: str = ""
    inner_end: int = -1  # where its end tag begins, or what ends it
    end: int = -1
    closed: bool = False  # by its own end tag
    children: list = field(default_factory=list)

    @property
    def names(self):
        """Class and id, in one string."""
        found = {k.lower(): v.strip("\"'") for k, v in ATTRIBUTE.findall(self.attributes)}
        return f"{found.get('class', '')} {found.get('id', '')}".strip()

    @property
    def kind(self):
        """Tag and classes: what alike elements share."""
        found = {k.lower(): v.strip("\"'") for k, v in ATTRIBUTE.findall(self.attributes)}
        return self.tag, re.sub(r"\d+", "0", found.get("class", ""))


@dataclass
class Page:
    source: str
    root: Element
    elements: list
    texts: list  # (begin, end, element, in a link), each text node that shows


def scan(source):
    """The elements and shown texts of a page's source."""
    root = Element("", 0, 0, None)
    stack, elements, texts = [root], [], []
    at, links = 0, 0

    def pop_to(n, where):
        nonlocal links
        while len(stack) > n:
            element = stack.pop()
            element.inner_end = element.end = where
            links -= element.tag == "a"

    while True:
        found = TAG.search(source, at)
        upto = found.start() if found else len(source)
        if upto > at and source[at:upto].strip():
            texts.append((at, upto, stack[-1], links > 0))
        if not found:
            break
        at = found.end()
        tag = (found[2] or "").lower()
        if not tag:
            continue
        if found[1]:
            for n in range(len(stack) - 1, 0, -1):
                if stack[n].tag == tag:
                    pop_to(n + 1, found.start())
                    element = stack.pop()
                    element.inner_end, element.end, element.closed = found.start(), at, True
                    links -= tag == "a"
                    break
                if stack[n].tag == "table" and tag != "table" and tag in ("div", "span", "p", "a"):
                    break
            continue
        if tag in CLOSES:
            ends, within = CLOSES[tag]
            for n in range(len(stack) - 1, 0, -1):
                if stack[n].tag in within and stack[n].tag not in ends:
                    break
                if stack[n].tag in ends:
                    pop_to(n, found.start())
                    break
        element = Element(tag, found.start(), at, stack[-1], found[3])
        stack[-1].children.append(element)
        elements.append(element)
        if tag in VOID or found[3].endswith("/") and tag in ("path", "use", "rect"):
            element.inner_end = element.end = at
            element.closed = True
        elif tag in RAW:
            close = re.compile(rf"</{tag}\s*>", re.I).search(source, at)
            element.inner_end = close.start() if close else at
            element.end = close.end() if close else at
            element.closed = bool(close)
            at = element.end
        else:
            stack.append(element)
            links += tag == "a"
    pop_to(1, len(source))
    root.inner_end = root.end = len(source)
    return Page(source, root, elements, texts)


def shown(page, begin=0, end=None):
    """[(text, in a link)] of the text nodes between two offsets."""
    end = len(page.source) if end is None else end
    return [(entities.unescape(page.source[a:b]), link) for a, b, _, link in page.texts if a >= begin and b <= end]


def balanced(part):
    """Whether a part of a source closes all that it opens, so that it can stand anywhere."""
    depth = []
    for found in TAG.finditer(part):
        tag = (found[2] or "").lower()
        if not tag or tag in VOID or tag in ("path", "use"):
            continue
        if found[0].startswith("<!--") and not found[0].endswith("-->"):
            return False
        if not found[1]:
            depth.append(tag)
        elif depth and depth[-1] == tag:
            depth.pop()
        else:
            while depth and depth[-1] in ("li", "p", "dt", "dd", "option", "tr", "td", "th") and depth[-1] != tag:
                depth.pop()
            if not depth or depth.pop() != tag:
                return False
    return all(tag in ("li", "p") for tag in depth)
