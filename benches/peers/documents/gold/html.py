"""A text as HTML, for WeasyPrint and browsers."""

from html import escape

from .fonts import family
from .sentences import RIGHT_TO_LEFT
from .text import Grid, Heading, Items, Link, Note, Paragraph, Super


def run(piece):
    match piece:
        case Link(words, target):
            return f'<a href="{escape(target)}">{escape(words)}</a>'
        case Super(words):
            return f"<sup>{escape(words)}</sup>"
        case Note(_, words):
            return f'<span class="note">{escape(words)}</span>'
    return escape(piece)


def block(part):
    match part:
        case Heading(level, words):
            return f"<h{level + 1}>{escape(words)}</h{level + 1}>"
        case Paragraph(runs):
            return f"<p>{''.join(map(run, runs))}</p>"
        case Items(words, numbered):
            of = "ol" if numbered else "ul"
            return f"<{of}>{''.join(f'<li>{escape(item)}</li>' for item in words)}</{of}>"
        case Grid(head, rows, ruled, caption):
            lines = [f"<tr>{''.join(f'<th>{escape(cell)}</th>' for cell in head)}</tr>"]
            lines += [f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows]
            above = f"<caption>{escape(caption)}</caption>" if caption else ""
            return f'<table class="{"ruled" if ruled else "plain"}">{above}{"".join(lines)}</table>'


def style(text):
    width, height = text.paper
    quoted = text.running.replace('"', "")
    running = f'@top-center {{ content: "{quoted}" }} @bottom-center {{ content: counter(page) }}' if text.running else ""
    return f"""
@page {{ size: {width}pt {height}pt; margin: 56pt; {running} }}
body {{ font: {text.size}pt '{family(text.lang, "sans" in text.features)}'; text-align: {"justify" if text.justified else "start"};
  hyphens: {"auto" if text.hyphenated else "manual"} }}
h1 {{ font-size: 1.9em; text-align: center; hyphens: manual }} h2 {{ font-size: 1.4em; hyphens: manual }}
h3 {{ font-size: 1.2em }} h4 {{ font-size: 1.08em }}
.author {{ text-align: center }} .columns {{ columns: {text.columns}; column-gap: 18pt }}
.note {{ float: footnote; font-size: 0.8em }}
table {{ border-collapse: collapse; width: 100% }} caption {{ text-align: start }} td, th {{ text-align: start; padding: 2pt 6pt }}
.ruled td, .ruled th {{ border: 0.5pt solid }}"""


def page(text):
    direction = ' dir="rtl"' if text.lang in RIGHT_TO_LEFT else ""
    title = f"<title>{escape(text.stamp)}</title>" if text.stamp else ""
    author = f'<p class="author">{escape(text.author)}</p>' if text.author else ""
    body = "\n".join(map(block, text.blocks))
    return f"""<!DOCTYPE html><html lang="{text.lang}"{direction}><head><meta charset="utf-8">{title}<style>{style(text)}</style></head>
<body><h1>{escape(text.title)}</h1>{author}<div class="{"columns" if text.columns > 1 else "one"}">{body}</div></body></html>"""
