#!/usr/bin/env python3
"""Our naming of languages beside langdetect, py3langid, lingua and CLD2.

usage: benches/peers/languages.py DATA [--ours BINARY] [--each N] [--skip TOOL,...] [--rows] [--wrong N]

DATA is what `datasets/languages/fetch.py` fetched and `texts.py` read; nothing in DATA/text/udhr and DATA/text/catalogue was
learnt from. BINARY is the example `languages_of` (default target/release/examples/languages_of). Wants langdetect,
py3langid, lingua-language-detector and pycld2; see requirements.txt.

Sets, drawn with a fixed seed, at most N (default 20) texts a language:
  long       half of the Universal Declaration of Human Rights (one text a language and script)
  paragraph  an article of it
  five       five words in a row of it (fifteen characters where words are not spaced)
  catalogue  a string of 15 letters and two words or more of programs that nothing was learnt from

Accuracy is the mean over languages of the share of texts named rightly; a tool that names nothing is wrong. Norwegian
`no` is bokmål. Printed for the languages that langdetect, py3langid and lingua all know (`shared`), those that each of
them knows (`theirs`), and all of ours. `und`: how often nothing is named of texts in languages that no tool knows, of
numbers, code, random letters and lists of names. `calibration`: our confidences by tenths beside how often they
were right, and the expected calibration error. Seconds are of processor time in one thread, without starting and loading
models (ours are a program: the time that it takes for one text is taken off).
"""

import argparse
import collections
import random
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "datasets/languages"))
from codes import DECLARATION  # noqa: E402

TWO = dict(line.split() for line in (ROOT / "src/text/language/iso639_1.txt").read_text().splitlines())
TWO.update({"iw": "heb", "in": "ind", "jw": "jav", "nb": "nor", "zh-cn": "zho", "zh-tw": "zho", "zh-hant": "zho", "un": None})


def words_of(text, count, dice):
    """Some words in a row; characters where there are few spaces."""
    parts = text.split()
    if len(text) > 12 * max(len(parts), 1) or any("\u3040" <= c <= "\u9fff" for c in text[:50]):
        text = "".join(parts)
        at = dice.randrange(max(len(text) - 3 * count, 1))
        return text[at : at + 3 * count]
    at = dice.randrange(max(len(parts) - count + 1, 1))
    return " ".join(parts[at : at + count])


def read_sets(data, ours, each):
    """Sets of (language, text); unknown ones as language None."""
    sets = {name: [] for name in ("long", "paragraph", "five", "catalogue", "unknown, paragraph", "unknown, five")}
    dice = random.Random(14)
    for path in sorted((data / "text/udhr").glob("*.txt")):
        name = DECLARATION.get(path.stem, path.stem)
        if name == "-" or name[:3].isdigit():
            continue
        lines = path.read_text().splitlines()
        known = name in ours
        language = name if known else None
        if known:
            sets["long"].append((language, " ".join(lines)))
        chosen = dice.sample(lines, min(len(lines), each if known else 3))
        sets["paragraph" if known else "unknown, paragraph"] += [(language, line) for line in chosen]
        for _ in range(each if known else 3):
            sets["five" if known else "unknown, five"].append((language, words_of(dice.choice(lines), 5, dice)))
    for path in sorted((data / "text/catalogue").glob("*.txt")):
        if path.stem not in ours:
            continue
        lines = [l for l in path.read_text().splitlines() if sum(map(str.isalpha, l)) >= 15 and (" " in l or not l.isascii())]
        if len(lines) >= 10:
            sets["catalogue"] += [(path.stem, line) for line in dice.sample(lines, min(len(lines), each))]
    sets |= nothing(dice)
    return sets


def nothing(dice):
    """Texts without a language."""
    letters = lambda most: "".join(dice.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(dice.randint(2, most)))
    first = "Anna Peter Maria Jan Luca Yuki Omar Sofia Ivan Chloe Ahmed Lars Mei Pablo Nina Kofi Aino Raj Elif Tom".split()
    last = "Novak Smith Garcia Rossi Müller Tanaka Hassan Silva Petrov Dubois Nielsen Wang Kim Okafor Kaya Singh".split()
    code = [
        "for (int i = 0; i < n; i++) { buf[i] = malloc(sizeof(struct node)); }", "std::vector<uint8_t> v(argc, 0xFF);",
        "def __init__(self, *args, **kw): super().__init__(*args)", "sudo apt-get -qy install libfoo-dev && ./configure",
        "SELECT a.id, b.ts FROM t1 a LEFT JOIN t2 b ON a.id=b.fk", "GET /api/v2/idx?q=1&fmt=json HTTP/1.1 200 OK",
        "#!/bin/sh set -euo pipefail; mkdir -p $TMPDIR/x", "fn f<'a, T: Fn(&'a str)>(x: &T) -> impl Iterator {",
        "<div class='row'><img src=x.png alt=''></div>", "0x7ffe 0xdead 0xbeef eax ebx ecx mov jmp ret",
    ]  # fmt: skip
    return {
        "numbers": [(None, " ".join(str(dice.randrange(10**6)) for _ in range(8))) for _ in range(50)],
        "code": [(None, line) for line in code],
        "random letters": [(None, " ".join(letters(9) for _ in range(8))) for _ in range(100)],
        "names": [
            (None, ", ".join(f"{dice.choice(first)} {dice.choice(last)}" for _ in range(6))) for _ in range(100)
        ],
    }


class Ours:
    """The example `languages_of`."""

    def __init__(self, binary):
        self.binary = binary

    def __call__(self, texts):
        lines = "\n".join(text.replace("\n", " ") for text in texts)
        out = subprocess.run([self.binary], input=lines + "\n", capture_output=True, text=True, check=True).stdout
        pairs = [line.split("\t") for line in out.splitlines()]
        return [(None if code == "und" else code, float(confidence)) for code, confidence in pairs]


def langdetect_tool():
    import langdetect
    from langdetect.detector_factory import init_factory, _factory  # noqa: F401

    langdetect.DetectorFactory.seed = 0
    init_factory()

    def name(text):
        try:
            best = langdetect.detect_langs(text)[0]
            return TWO.get(best.lang), best.prob
        except langdetect.lang_detect_exception.LangDetectException:
            return None, 0.0

    from langdetect import detector_factory

    return (lambda texts: [name(t) for t in texts]), {TWO[l] for l in detector_factory._factory.langlist}


def py3langid_tool():
    from py3langid.langid import _load_identifier

    tool = _load_identifier(norm_probs=True)

    def name(text):
        code, p = tool.classify(text)
        return TWO.get(code, code if len(code) == 3 else None), float(p)

    return (lambda texts: [name(t) for t in texts]), {TWO.get(l, l) for l in tool.labels}


def lingua_tool():
    from lingua import LanguageDetectorBuilder

    tool = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()
    known = lambda language: TWO[language.iso_code_639_1.name.lower()]

    def name(text):
        best = tool.detect_language_of(text)
        return (known(best) if best else None), 1.0

    from lingua import Language

    return (lambda texts: [name(t) for t in texts]), {known(l) for l in Language.all()}


def cld2_tool():
    import pycld2

    def name(text):
        try:
            sure, _, found = pycld2.detect(text.encode("utf-8", "ignore"), bestEffort=True)
        except pycld2.error:
            return None, 0.0
        code = found[0][1].lower()
        return TWO.get(code, code if len(code) == 3 else None), found[0][2] / 100

    known = {TWO.get(code.lower(), code) for _, code in pycld2.LANGUAGES}
    return (lambda texts: [name(t) for t in texts]), known


def macro(cases, answers, languages):
    """Mean over languages of the share named rightly, and their number."""
    right, all_ = collections.Counter(), collections.Counter()
    for (language, _), (found, _) in zip(cases, answers):
        if language in languages:
            all_[language] += 1
            right[language] += found == language
    return sum(right[l] / all_[l] for l in all_) / max(len(all_), 1), len(all_)


def processor_seconds():
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def calibration(pairs):
    """Rows of (tenth, count, mean confidence, share right) and the expected calibration error."""
    bins = collections.defaultdict(list)
    for confidence, right in pairs:
        bins[min(int(confidence * 10), 9)].append((confidence, right))
    rows = [(b, len(v), sum(c for c, _ in v) / len(v), sum(r for _, r in v) / len(v)) for b, v in sorted(bins.items())]
    return rows, sum(n * abs(c - r) for _, n, c, r in rows) / max(len(pairs), 1)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", type=Path)
    options.add_argument("--ours", type=Path, default=ROOT / "target/release/examples/languages_of")
    options.add_argument("--each", type=int, default=20)
    options.add_argument("--skip", default="")
    options.add_argument("--rows", action="store_true", help="our accuracy of each language")
    options.add_argument("--wrong", type=int, default=0, help="show this many of webmill's errors per set")
    args = options.parse_args()
    ours = set((ROOT / "datasets/languages/languages.txt").read_text().split())
    sets = read_sets(args.data, ours, args.each)
    makers = {"langdetect": langdetect_tool, "py3langid": py3langid_tool, "lingua": lingua_tool, "CLD2": cld2_tool}
    tools, knows = {"webmill": Ours(args.ours)}, {}
    for name, make in makers.items():
        if name not in args.skip.split(","):
            tools[name], knows[name] = make()
    peers = [name for name in ("langdetect", "py3langid", "lingua") if name in knows]
    shared = ours.intersection(*(knows[name] for name in peers)) if peers else ours
    answers, seconds = {}, collections.Counter()
    before = processor_seconds()
    tools["webmill"](["the table is read before this is named"])
    loading = processor_seconds() - before
    for tool, name_all in tools.items():
        for name, cases in sets.items():
            before = processor_seconds()
            answers[tool, name] = name_all([text for _, text in cases])
            if name in ("long", "paragraph", "five", "catalogue"):
                seconds[tool] += processor_seconds() - before - (loading if tool == "webmill" else 0)
    groups = {"shared": shared} | {f"theirs: {p}": ours & knows[p] for p in knows} | {"all": ours}
    for group, languages in groups.items():
        print(f"\n{group} ({len(languages)} languages)")
        for name in ("long", "paragraph", "five", "catalogue"):
            cells = [f"{tool} {macro(sets[name], answers[tool, name], languages)[0]:.4f}" for tool in tools]
            print(f"  {name:10} {macro(sets[name], answers['webmill', name], languages)[1]:4}  " + "  ".join(cells))
    print("\nund: share of texts left unnamed")
    for name, cases in sets.items():
        if cases and cases[0][0] is None:
            cells = [f"{t} {sum(a is None for a, _ in answers[t, name]) / len(cases):.3f}" for t in tools]
            print(f"  {name:19} {len(cases):4}  " + "  ".join(cells))
    count = sum(len(sets[name]) for name in ("long", "paragraph", "five", "catalogue"))
    size = sum(len(t.encode()) for n in ("long", "paragraph", "five", "catalogue") for _, t in sets[n])
    print(f"\nour table is read in {loading:.3f} s; processor time for {count} texts of {size} bytes")
    for tool in tools:
        print(f"  {tool:11} {seconds[tool]:8.2f} s  {1e6 * seconds[tool] / count:9.1f} us a text  x{seconds[tool] / seconds['webmill']:.1f}")
    names = ("long", "paragraph", "five", "catalogue", "unknown, paragraph", "unknown, five", "random letters", "names")
    pairs = [
        (confidence, found == language)
        for name in names
        for (language, _), (found, confidence) in zip(sets[name], answers["webmill", name])
        if found
    ]
    rows, error = calibration(pairs)
    print(f"\ncalibration of what is named, expected error {error:.3f}")
    for tenth, n, confidence, right in rows:
        print(f"  {tenth / 10:.1f}  {n:6}  {confidence:.3f}  {right:.3f}")
    if args.rows:
        print("\nlanguage: " + " ".join(("long", "paragraph", "five", "catalogue")))
        for language in sorted(ours):
            shares = [macro(sets[n], answers["webmill", n], {language}) for n in ("long", "paragraph", "five", "catalogue")]
            missed = collections.Counter(
                found or "und"
                for n in ("paragraph", "five", "catalogue")
                for (l, _), (found, _) in zip(sets[n], answers["webmill", n])
                if l == language and found != l
            )
            print(language, *(f"{s:.2f}" if n else "-" for s, n in shares), missed.most_common(4))
    for name in sets:
        wrong = [(l, f, t) for (l, t), (f, _) in zip(sets[name], answers["webmill", name]) if l != f][: args.wrong]
        for language, found, text in wrong:
            print(f"{name}: {language} named {found}: {text[:100]}", file=sys.stderr)


if __name__ == "__main__":
    main()
