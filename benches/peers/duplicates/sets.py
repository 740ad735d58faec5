"""The evaluation sets as folders of shards, built once: CACHE/sets/NAME with `set.json` and `shards/`."""

import html
import json
import re
import shutil
import subprocess

from . import sources
from .edits import planted
from .shards import write_warc

NAMES = [*sources.MANUALS, "licences", "simulated", "edits", "edits-zh"]
PASSAGES = 1000


def build(name, cache, webmill, words_of):
    """Builds a set if it is not there; returns its folder and what is known of it beyond the pages."""
    folder = cache / "sets" / name
    known = folder / "set.json"
    if not known.exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "shards").mkdir(parents=True)
        about = _shards(name, folder / "shards", cache, webmill, words_of)
        known.write_text(json.dumps(about))
    return folder, json.loads(known.read_text())


def _shards(name, folder, cache, webmill, words_of):
    warc = folder / "pages.warc"
    if name in sources.MANUALS:
        write_warc(sources.manual_pages(name, cache), warc)
        return {}
    if name == "licences":
        pages, labels = sources.licence_pages(cache)
        write_warc(pages, warc)
        return {"labels": labels}
    if name == "simulated":
        return _simulated(folder, webmill)
    documents = words_of(_paragraphs(cache, "linux-doc-zh" if name == "edits-zh" else "linux-doc"))
    pages, pairs = planted(documents, PASSAGES)
    write_warc(pages, warc)
    return {"planted": pairs}


def _simulated(folder, webmill):
    """The Web that webmill plants itself: whole mirrors, copies in another template, copies with some words replaced."""
    command = [webmill, "datasets", "synth", "--pages", "20000", "--seed", "13", "--truth", "--out", folder]
    subprocess.run(command, check=True, capture_output=True)
    planted = []
    truth = next(folder.rglob("truth.jsonl"))
    with open(truth) as lines:
        for line in lines:
            planted.append(json.loads(line))
    truth.unlink()
    return {"simulated": planted}


def _paragraphs(cache, name):
    """Running text to take passages from: what stands between tags of the pages of a manual, one text a page."""
    texts = []
    for url, body in sources.manual_pages(name, cache, share=0.2 if name == "linux-doc" else 1.0):
        if name == "linux-doc" and "/translations/" in url:
            continue
        body = body.decode("utf-8", "replace")
        paragraphs = re.findall(r"<p>(.*?)</p>", body, re.S)
        texts.append(html.unescape(" ".join(re.sub(r"<[^>]*>", "", paragraph) for paragraph in paragraphs)))
    return texts
