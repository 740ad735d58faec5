"""A small archive with time in it: the site of a museum that was visited every month for two years.

Pages stay, change, move and go, so that there is something to see. Everything here is made up, and equal on every run.
"""

import base64
import gzip
import hashlib
from datetime import datetime, timezone
from pathlib import Path

SITE = "http://www.millmuseum.example"
MONTHS = 24
_PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

_INTRO = {
    "/": "The museum stands in a water mill that ground flour for three villages until the railway came. The great wheel still turns.",
    "/visit.html": "The bus from the station stops at the bridge, and from there it is five minutes on foot along the river. Dogs are welcome.",
    "/news.html": "What is new at the mill is told here once a month, with the events of the coming weeks and what the weather did to the wheel.",
    "/wheel.html": "The wheel is of larch, six metres high, and was last rebuilt after a winter in which ice broke eleven of its forty paddles.",
    "/millers.html": "Four families of millers lived in the house. The books they kept show prices, floods, quarrels and the names of their horses.",
    "/bread.html": "On the first Sunday of every month the oven is lit before dawn, and bread is sold from nine until there is no more of it.",
    "/stones.html": "A pair of stones weighs as much as three cows. They are dressed by hand, with a pointed hammer, about every eight weeks.",
    "/school.html": "Classes grind a handful of grain between two stones, weigh what comes out, and learn why the work was given to the river.",
    "/friends.html": "The friends of the mill meet on Thursdays to oil, paint and repair. No skill is needed; there is coffee, and often cake.",
    "/shop.html": "Flour of wheat, rye and spelt is sold in bags of one and five kilograms, with postcards, a cook book and models of the wheel.",
    "/exhibition-bees.html": "An exhibition on the bees of the mill garden, with a hive behind glass, drawings by children, and honey to taste.",
    "/exhibition-flood.html": "An exhibition on the great flood, with photographs that nobody had seen for sixty years, and a line on the wall for the water.",
    "/opening-hours.html": "Open from Wednesday to Sunday, ten to five, and on public holidays. In January the wheel rests, and so does the museum.",
    "/hours.html": "Open from Wednesday to Sunday, ten to five, and on public holidays. In January the wheel rests, and so does the museum.",
    "/archive/old-guide.html": "The first guide to the mill, as it was printed for visitors of the jubilee, with the plan of a second wheel never built.",
    "/archive/ledger.html": "Pages of a ledger in which the miller wrote what he ground for whom, and what he was given for it: coins, eggs, a day of work.",
}
_TITLE = {path: path.strip("/").rsplit("/", 1)[-1].removesuffix(".html").replace("-", " ").capitalize() or "The mill museum" for path in _INTRO}
# Where links stand: home leads to nearly all, and old pages keep links to what is gone.
_LINKS = {
    "/": ["/visit.html", "/news.html", "/wheel.html", "/millers.html", "/bread.html", "/school.html", "/shop.html", "/friends.html", "/opening-hours.html"],
    "/visit.html": ["/", "/opening-hours.html", "/bread.html"],
    "/news.html": ["/", "/exhibition-bees.html", "/exhibition-flood.html", "/bread.html"],
    "/wheel.html": ["/", "/stones.html", "/archive/old-guide.html"],
    "/millers.html": ["/", "/archive/ledger.html", "/wheel.html"],
    "/bread.html": ["/", "/shop.html"],
    "/stones.html": ["/", "/wheel.html"],
    "/school.html": ["/", "/visit.html", "/exhibition-bees.html"],
    "/friends.html": ["/", "/news.html"],
    "/shop.html": ["/", "/bread.html"],
    "/exhibition-bees.html": ["/", "/visit.html"],
    "/exhibition-flood.html": ["/", "/archive/ledger.html"],
    "/hours.html": ["/", "/visit.html"],
    "/opening-hours.html": ["/", "/visit.html"],
    "/archive/old-guide.html": ["/", "/wheel.html"],
    "/archive/ledger.html": ["/", "/millers.html"],
}
# First and last month in which a page answers; after that it is gone, or leads on.
_LIFE = {
    "/exhibition-bees.html": (2, 11),
    "/exhibition-flood.html": (10, 20),
    "/opening-hours.html": (0, 14),
    "/hours.html": (15, MONTHS),
    "/archive/old-guide.html": (0, 7),
    "/archive/ledger.html": (0, 17),
}
_MOVED = {"/opening-hours.html": "/hours.html"}
# How many months a page stays as it is; pages not named never change.
_CHANGES = {"/news.html": 1, "/": 6, "/shop.html": 5, "/school.html": 12}


def _page(path: str, month: int) -> bytes:
    edition = month // _CHANGES[path] if path in _CHANGES else 0
    told = f"<p>This is edition {edition + 1} of this page; it was written when the river stood at {40 + 7 * edition % 31} centimetres.</p>" if path in _CHANGES else ""
    links = "".join(f'<li><a href="{to}">{_TITLE[to]}</a></li>' for to in _LINKS[path])
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{_TITLE[path]}</title></head><body>'
        f"<main><h1>{_TITLE[path]}</h1><p>{_INTRO[path]}</p>{told}</main><nav><ul>{links}</ul></nav></body></html>"
    ).encode()


def _answer(path: str, month: int) -> tuple[str, str, bytes]:
    """Status line, further header lines and body of what the site says in this month."""
    first, last = _LIFE.get(path, (0, MONTHS))
    if month <= last:
        return "200 OK", "Content-Type: text/html; charset=utf-8\r\n", _page(path, month)
    if path in _MOVED:
        return "301 Moved Permanently", f"Location: {SITE}{_MOVED[path]}\r\n", b""
    return "404 Not Found", "Content-Type: text/html\r\n", b"<!DOCTYPE html><title>Not found</title><p>There is no such page."


def _record(kind: str, number: int, date: str, head: str, block: bytes) -> bytes:
    lines = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{number:012d}>\r\n"
        f"WARC-Date: {date}\r\n{head}Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(lines.encode() + block + b"\r\n\r\n", mtime=0)


def write(path: Path) -> Path:
    """Writes the archive, a compressed WARC file; what did not change since the last visit is a revisit record."""
    records = [_record("warcinfo", 0, "2023-01-10T06:00:00Z", "Content-Type: application/warc-fields\r\n", b"software: sample.py\r\n")]
    seen: dict[str, tuple[str, str]] = {}
    for month in range(MONTHS):
        for minute, path_ in enumerate(_INTRO):
            if month < _LIFE.get(path_, (0, MONTHS))[0]:
                continue
            when = datetime(2023 + month // 12, 1 + month % 12, 10, 6, minute, tzinfo=timezone.utc)
            date = when.strftime("%Y-%m-%dT%H:%M:%SZ")
            status, fields, body = _answer(path_, month)
            digest = "sha1:" + base64.b32encode(hashlib.sha1(body).digest()).decode()
            head = f"WARC-Target-URI: {SITE}{path_}\r\nWARC-Payload-Digest: {digest}\r\nContent-Type: application/http; msgtype=response\r\n"
            http = f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\n\r\n".encode()
            known = seen.get(path_)
            if known and known[0] == digest and status.startswith("200"):
                head += f"WARC-Profile: {_PROFILE}\r\nWARC-Refers-To-Target-URI: {SITE}{path_}\r\nWARC-Refers-To-Date: {known[1]}\r\n"
                records.append(_record("revisit", len(records), date, head, http))
            else:
                seen[path_] = (digest, date)
                records.append(_record("response", len(records), date, head, http + body))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(records))
    return path
