#!/usr/bin/env python3
"""Functions and methods of rustdoc pages (1.63): path of the page, module, name, signature.

usage: rust.py FOLDER > TRUTH.jsonl    FOLDER: usr/share/doc/rust-doc/html of Debian's rust-doc
"""

from page import has, main, text


def module(root):
    """`Function std::fs::copy` in the heading: `std::fs`. Primitive types and keywords stand in no module: empty."""
    words = text(root.find_class("in-band")[0]).split()
    return words[-1].rpartition("::")[0]


def notable(element):
    """The tooltip `ⓘ` between return type and where-clause holds markup of other traits: no part of the signature."""
    return has(element, "notable-traits")


def rows(path, root):
    # Pages that only lead on (a re-export's place of definition), sources and books have no path in a heading.
    if not root.find_class("in-band"):
        return
    within = module(root)
    if has(root.find("body"), "fn"):
        heading = next(h for h in root.iter("h1") if has(h, "fqn"))
        # The heading has a link for each module and one to the function itself.
        name = next(a for a in heading.iter("a") if has(a, "fn"))
        declaration = next(e for e in root.iter("div") if has(e, "item-decl"))
        signature = text(declaration, notable)
        yield {"group": "functions", "module": within, "name": text(name), "signature": signature}
    # Methods stand in <section class="method">; those that a trait declares in <div class="method">. Associated types have
    # that class too, but their link is no a.fnname. Declarations of whole traits repeat a.fnname in <pre>, so only h4 counts.
    for heading in root.iter("h4"):
        if has(heading, "code-header") and has(heading.getparent(), "method"):
            name = next((a for a in heading.iterchildren("a") if has(a, "fnname")), None)
            if name is not None:
                signature = text(heading, notable)
                yield {"group": "functions", "module": within, "name": text(name), "signature": signature}


main(__doc__, rows)
