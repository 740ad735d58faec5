"""Reads WARC files with warcio and with FastWARC; prints a JSON object a record, as each of them sees it.

python read_crawl.py FILE...

Fields: reader, type, id, url, date, profile, refers_url, refers_date, truncated, payload_digest, status (of the HTTP answer; null where the block is empty), problems
(digests that are not those of what is read), body (SHA-1 of what FastWARC takes for the payload, in base 32).
"""

import base64
import hashlib
import json
import sys

from fastwarc.warc import ArchiveIterator as ArchiveIteratorFast
from warcio.archiveiterator import ArchiveIterator

FIELDS = {
    "type": "WARC-Type",
    "id": "WARC-Record-ID",
    "url": "WARC-Target-URI",
    "date": "WARC-Date",
    "profile": "WARC-Profile",
    "refers_url": "WARC-Refers-To-Target-URI",
    "refers_date": "WARC-Refers-To-Date",
    "truncated": "WARC-Truncated",
    "payload_digest": "WARC-Payload-Digest",
}


def sha1(data):
    return base64.b32encode(hashlib.sha1(data).digest()).decode()


def by_warcio(path):
    with open(path, "rb") as file:
        for record in ArchiveIterator(file, check_digests=True):
            get = record.rec_headers.get_header
            found = {name: get(field) for name, field in FIELDS.items()}
            http = found["type"] in ("response", "revisit")
            code = record.http_headers.get_statuscode() if http and record.http_headers else None
            found["status"] = int(code) if code else None
            record.raw_stream.read()
            found["problems"] = record.digest_checker.problems
            yield found


def by_fastwarc(path):
    with open(path, "rb") as file:
        for record in ArchiveIteratorFast(file, strict_mode=True, parse_http=False):
            found = {name: record.headers.get(field) for name, field in FIELDS.items()}
            http = found["type"] in ("response", "revisit")
            found["problems"] = [] if record.verify_block_digest() else ["block digest failed"]
            if http:
                record.parse_http()
            # Of a revisit the payload is elsewhere.
            if found["payload_digest"] and found["type"] != "revisit":
                if not record.verify_payload_digest():
                    found["problems"].append("payload digest failed")
            found["status"] = record.http_headers.status_code if http and record.http_headers else None
            found["body"] = sha1(record.reader.read())
            yield found


for path in sys.argv[1:]:
    for reader, read in (("warcio", by_warcio), ("fastwarc", by_fastwarc)):
        for found in read(path):
            print(json.dumps({"reader": reader, **found}))
