"""Reads a WARC file with FastWARC: prints records, bytes of header values looked at, and seconds.

python warc_read.py FILE     (fastwarc from PyPI; every record's URL, date and type, HTTP head parsed, its Content-Type)
"""

import sys
import time

from fastwarc.warc import ArchiveIterator

begun = time.perf_counter()
records = seen = 0
with open(sys.argv[1], "rb") as stream:
    for record in ArchiveIterator(stream, parse_http=True):
        records += 1
        url = record.headers.get("WARC-Target-URI")
        seen += len(url) if url else 0
        record.record_type, record.record_date
        if record.is_http and record.http_headers is not None:
            kind = record.http_headers.get("Content-Type")
            seen += len(kind) if kind else 0
print(records, seen, time.perf_counter() - begun)
