"""Pages to shards that webmill reads."""

import io

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

# The dates are part of the total order in which pages are clustered: the first host of a set is the earlier crawl.
DATE = "2024-01-{:02}T00:00:00Z"
HTML = [("Content-Type", "text/html; charset=utf-8")]


def write_warc(pages, path):
    """Writes (URL, body) as responses, uncompressed; a day a host. Returns how many."""
    days, count = {}, 0
    staged = path.with_suffix(".part")
    with open(staged, "wb") as stream:
        writer = WARCWriter(stream, gzip=False)
        for url, body in pages:
            day = days.setdefault(url.split("/")[2], len(days) + 1)
            record = writer.create_warc_record(
                url,
                "response",
                payload=io.BytesIO(body),
                http_headers=StatusAndHeaders("200 OK", HTML, protocol="HTTP/1.1"),
                warc_headers_dict={"WARC-Date": DATE.format(min(day, 28))},
            )
            writer.write_record(record)
            count += 1
    staged.rename(path)
    return count


def plain_record(url, body, number, day=1):
    """A response record as bytes, without the digests that warcio computes: for millions of pages."""
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012x}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: {DATE.format(day)}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"
