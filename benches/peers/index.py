"""Index a WARC file by webmill, cdxj-indexer and FastWARC, one after the other; print ratios of seconds.

python index.py PROGRAM FILE [ROUNDS]     (cdxj-indexer, fastwarc and surt from PyPI; all on one core)

PROGRAM is the example `index_lines` of webmill-index (cargo build --release -p webmill-serve --example index_lines).
FastWARC gets a CDXJ indexer around it: key, date, status, media type, SHA-1 of the payload, offset.
"""

import os
import statistics
import subprocess
import sys
import time

FASTWARC = r"""
import base64, hashlib, json, sys
from fastwarc.warc import ArchiveIterator, WarcRecordType
from surt import surt
kinds = WarcRecordType.response | WarcRecordType.revisit | WarcRecordType.resource
with open(sys.argv[1], "rb") as stream:
    for record in ArchiveIterator(stream, parse_http=True, record_types=kinds):
        url = record.headers.get("WARC-Target-URI")
        date = record.record_date
        http = record.http_headers
        digest = base64.b32encode(hashlib.sha1(record.reader.read()).digest()).decode()
        fields = {"url": url, "mime": record.http_content_type, "status": str(http.status_code) if http else None,
                  "digest": digest, "offset": str(record.stream_pos), "filename": sys.argv[1]}
        print(surt(url), date.strftime("%Y%m%d%H%M%S"), json.dumps(fields))
"""


def seconds(command):
    begun = time.perf_counter()
    with open(os.devnull, "wb") as nowhere:
        subprocess.run(command, stdout=nowhere, stderr=nowhere, check=True)
    return time.perf_counter() - begun


program, path = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
bin_dir = os.path.dirname(sys.executable)
peers = {
    "webmill": [program, path],
    "webmill --digest stored": [program, "--digest", "stored", path],
    "cdxj-indexer": [os.path.join(bin_dir, "cdxj-indexer"), path],
    "FastWARC": [sys.executable, "-c", FASTWARC, path],
}
times = {name: [] for name in peers}
for _ in range(rounds):
    for name, command in peers.items():
        times[name].append(seconds(["taskset", "-c", "0", *command]))
lines = subprocess.run([program, path], capture_output=True, check=True).stdout.count(b"\n")
for name, found in times.items():
    print(f"{name}: {statistics.median(found):.3f} s, {lines / statistics.median(found):.0f} entries/s")
for name in ("cdxj-indexer", "FastWARC"):
    for ours in ("webmill", "webmill --digest stored"):
        ratios = sorted(theirs / our for theirs, our in zip(times[name], times[ours]))
        print(f"{name} / {ours}: min {ratios[0]:.1f}, median {statistics.median(ratios):.1f}, max {ratios[-1]:.1f}")
