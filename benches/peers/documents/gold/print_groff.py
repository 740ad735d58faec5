"""Prints by groff with the macros ms (or mom): Type 1 fonts of the standard 14 that are not embedded, justified, hyphenated."""

import shutil
import subprocess

from .text import Grid, Heading, Items, Link, Note, Paragraph, Super

if not shutil.which("groff"):
    raise ImportError("no groff")

FEATURES = ("standard-14",)
LANGUAGES = {"de": "-mde", "fr": "-mfr"}


def plain(words):
    return "\\&" + words.replace("\\", "\\e").replace("'", "\\(aq" if words.startswith("'") else "'")


def run(piece):
    match piece:
        case Link(words, target):
            return f"\n.pdfhref W -D {target} -- {words}\n"
        case Super(words):
            return f"\\*{{{words}\\*}}"
        case Note(_, words):
            return f"\\**\n.FS\n{plain(words)}\n.FE\n"
    return plain(piece.strip(" ")) if piece.startswith(" ") else plain(piece)


def block(part):
    match part:
        case Heading(level, words):
            return f".SH {level}\n{plain(words)}"
        case Paragraph(runs):
            return ".LP\n" + "".join(map(run, runs)).replace("\n\n", "\n")
        case Items(words, numbered):
            marks = [f"{at}." if numbered else "\\[bu]" for at in range(1, len(words) + 1)]
            return "\n".join(f".IP {mark} 3\n{plain(item)}" for mark, item in zip(marks, words))
        case Grid(head, rows, ruled, caption):
            lines = "\n".join("\t".join(row) for row in [head, *rows])
            above = f".LP\n{plain(caption)}\n" if caption else ""
            return f"{above}.TS\n{'allbox ' if ruled else ''}tab(\t);\n{'l ' * len(head)}.\n{lines}\n.TE"


def source(text):
    width, height = text.paper
    inches = f"{(width - 112 - 18 * (text.columns - 1)) / 72:.2f}i" if text.columns == 1 else f"{(width - 112) / 72:.2f}i"
    lines = [
        f".pl {height}p",
        ".nr PO 56p",
        f".nr LL {inches}",
        f".nr PS {text.size:g}p",
        f".nr VS {text.size * 1.2:g}p",
        ".nr GROWPS 3",
        ".nr PSINCR 1.5p",
        f".ds CH {text.running}",
        f".ds CF {'%' if text.running else ''}",
        *([".P1"] if text.running else []),
        *([".nr HY 0", ".hy 0"] if not text.hyphenated else []),
        *([f".pdfinfo /Title {text.stamp}"] if text.stamp else []),
        ".TL",
        plain(text.title),
        *([".AU", plain(text.author)] if text.author else []),
        *([".AB no", ".AE"] if text.columns > 1 else []),
        *([".2C"] if text.columns == 2 else [f".MC {(width - 112 - 28) // 3}p 14p"] if text.columns == 3 else []),
        *map(block, text.blocks),
    ]
    return "\n".join(lines) + "\n"


def print_text(text, path):
    width, height = text.paper
    command = ["groff", "-k", "-t", "-ms", "-Tpdf", f"-P-p{height / 72:.3f}i,{width / 72:.3f}i"]
    command += [LANGUAGES[text.lang]] if text.lang in LANGUAGES else []
    environment = {"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": "1700000000", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(command, input=source(text).encode(), capture_output=True, check=True, env=environment)
    path.write_bytes(done.stdout)
    if done.stderr:
        print(text.name, done.stderr.decode(errors="replace").strip()[:300])
