"""Sentences of a language, drawn from the bank that was written for this project (`banks/LANGUAGE.txt`).

A bank has parts (`# sentence`, `# title`, …) of a line each. `{a|b}` is one of several words, `{n:3-9}` a number of a range,
`{place}` a line of the part `place`. A sentence comes back only when all others were drawn.
"""

import random
import re
from pathlib import Path

BANKS = Path(__file__).resolve().parent.parent / "banks"
SLOT = re.compile(r"\{([^{}]*)\}")
UNSPACED = ("zh-Hans", "zh-Hant", "ja")
RIGHT_TO_LEFT = ("ar",)


def bank(lang):
    parts, part = {}, None
    for line in (BANKS / f"{lang}.txt").read_text("utf-8").splitlines():
        if line.startswith("# "):
            part = parts.setdefault(line[2:], [])
        elif line.strip():
            part.append(line)
    return parts


class Author:
    """Writes in a language; equal seeds write equal texts."""

    def __init__(self, lang, seed):
        self.lang, self.parts, self.draw = lang, bank(lang), random.Random(f"{lang} {seed}")
        self.decks = {}

    def line(self, part):
        deck = self.decks.setdefault(part, [])
        if not deck:
            deck.extend(self.draw.sample(self.parts[part], len(self.parts[part])))
        return SLOT.sub(self.slot, deck.pop())

    def slot(self, found):
        slot = found.group(1)
        if slot.startswith("n:"):
            low, high = slot[2:].split("-")
            return str(self.draw.randint(int(low), int(high)))
        return self.draw.choice(slot.split("|")) if "|" in slot else self.line(slot)

    def paragraph(self, sentences):
        between = "" if self.lang in UNSPACED else " "
        return between.join(self.line("sentence") for _ in range(sentences))

    def lines(self, part, count):
        """So many different lines."""
        lines = []
        for _ in range(20 * count):
            line = self.line(part)
            if line not in lines:
                lines.append(line)
            if len(lines) == count:
                break
        return lines
