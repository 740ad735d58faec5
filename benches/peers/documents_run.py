"""`webmill run` over folders of real documents, with bombs, hangs and crashes among them: what is lost, how long, how much memory.

    cargo build --release
    python benches/peers/documents_run.py FOLDER… [--webmill target/release/webmill] [--work target/documents-run] [--hangs 1] [--threads 1,2]

Every file below the folders becomes a response of a WARC file, called by its name's media type; every third is called
`text/html` and every fifth `application/octet-stream`. Behind every hundredth file stands a document that crashes, one that
eats memory, a zip bomb, an encrypted PDF and one of 100,000 pages; `--hangs` of them take processor time until they are ended.
They do so because the environment variable WEBMILL_TEST_DOCUMENTS names a mark that stands in them.

First the files alone, then for each number of threads all of it: rows of table `pages` against captures (the run fails where
one is missing), seconds, processor seconds of all processes, the peak memory of the program alone (`VmHWM`, its children
left out), documents read and failures by reason. Then whether the tables of all these runs are equal byte for byte, and with
--slowest N the files that take longest, each alone by `webmill text`.
"""

import argparse
import collections
import datetime
import hashlib
import json
import mimetypes
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import threading
import time
import uuid
import zlib

MARK = "webmill-test-please:"
SHARD_BYTES = 32 << 20
OURS = ("crashed", "too-slow", "out-of-memory", "no-child")
MEDIA_TYPES = {
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".md": "text/markdown",
}


def pdf(objects, behind=b""):
    """A PDF of these objects, the first of which is its catalog."""
    file, table = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        table.append(len(file))
        file += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    at = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % place for place in table)
    file += b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, behind, at)
    return bytes(file)


def stream(data):
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(data), data)


def small_pdf(words, pages=1, behind=b"", more=()):
    content = stream(b"BT /F 12 Tf 72 700 Td (%b) Tj ET" % words)
    kids = b" ".join(b"%d 0 R" % (5 + page) for page in range(pages))
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F 3 0 R >> >> /Contents 4 0 R >>"
    head = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count %d /Kids [%b] >>" % (pages, kids),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        content,
    ]
    return pdf([*head, *[page] * pages, *more], behind)


def obedient(word):
    """A PDF that does what it says where the program is told to obey."""
    return small_pdf(b"told to " + word.encode()) + f"% {MARK}{word}\n".encode()


def encrypted():
    key = b"<< /Filter /Standard /V 2 /R 3 /Length 128 /P -44 /O <%b> /U <%b> >>" % (b"5A" * 32, b"A5" * 32)
    return small_pdf(b"secret", behind=b"/Encrypt 6 0 R /ID [<00> <00>]", more=[key])


def bomb():
    """A Word file whose text is a gibibyte of spaces."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    head, block, check = b"<w:document><w:body><w:p><w:r><w:t>", b" " * (1 << 20), 0
    data = packer.compress(head)
    check = zlib.crc32(head)
    for _ in range(1 << 10):
        data += packer.compress(block)
        check = zlib.crc32(block, check)
    data += packer.flush()
    name, size = b"word/document.xml", len(head) + (1 << 30)
    fields = b"\x14\0\0\0\x08\0\0\0\0\0" + b"".join(n.to_bytes(4, "little") for n in (check, len(data), size))
    fields += len(name).to_bytes(2, "little") + b"\0\0"
    local = b"PK\3\4" + fields + name + data
    central = b"PK\1\2\x14\0" + fields + bytes(14) + name
    end = b"PK\5\6\0\0\0\0\1\0\1\0" + len(central).to_bytes(4, "little") + len(local).to_bytes(4, "little") + b"\0\0"
    return local + central + end


def planted(hangs):
    """What stands between the files, in turn: name and bytes."""
    kinds = {
        "crash.pdf": obedient("crash"), "eat.pdf": obedient("eat"), "bomb.docx": bomb(), "encrypted.pdf": encrypted(),
        "pages.pdf": small_pdf(b"one of many", 100_000),
    }  # fmt: skip
    hang = obedient("hang")

    def of(number):
        rows = [(f"{number}-{name}", body) for name, body in kinds.items()]
        return [*rows, (f"{number}-hang.pdf", hang)] if number < hangs else rows

    return of


def captures(folders, hangs):
    """Every file, and every planted one: URL, media type, bytes."""
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    if not files:
        sys.exit(f"no files in {', '.join(map(str, folders))}")
    plant = planted(hangs)
    for number, path in enumerate(files):
        truth = MEDIA_TYPES.get(path.suffix.lower()) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        media_type = "text/html" if number % 3 == 0 else "application/octet-stream" if number % 5 == 0 else truth
        yield f"http://documents.example/{number}/{path.name.replace(' ', '_')}", media_type, path.read_bytes()
        if number % 100 == 0:
            for name, body in plant(number // 100):
                yield f"http://planted.example/{name}", "application/pdf", body


def write_shards(folder, rows):
    folder.mkdir(parents=True)
    count = total = 0
    shard = None
    for url, media_type, body in rows:
        if shard is None or shard.tell() > SHARD_BYTES:
            shard = open(folder / f"documents-{len(list(folder.iterdir())):05}.warc", "wb")
        http = f"HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        date = (datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=count)).strftime("%Y-%m-%dT%H:%M:%SZ")
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uuid.UUID(int=count)}>\r\nWARC-Date: {date}\r\n"
            f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
        )
        shard.write(head.encode() + http + b"\r\n\r\n")
        count, total = count + 1, total + len(body)
    shard.close()
    return count, total


def watched(command, **options):
    """Runs a command: exit code, what it said, seconds, processor seconds, peak bytes of the process itself."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options)
    peak = 0

    def watch():
        nonlocal peak
        while child.poll() is None:
            try:
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
            except OSError:
                return
            for line in status.splitlines():
                if line.startswith("VmHWM:"):
                    peak = max(peak, int(line.split()[1]) << 10)
            time.sleep(0.02)

    watcher = threading.Thread(target=watch)
    watcher.start()
    said = child.stderr.read()
    child.wait()
    watcher.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return child.returncode, said, time.monotonic() - began, used, peak


def query(webmill, results, sql):
    done = subprocess.run([webmill, "query", results, sql, "--format", "json"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [json.loads(line) for line in done.stdout.splitlines()]


def is_planted(url):
    return url.startswith("http://planted.example/")


def run(webmill, work, name, out, threads, count):
    """Runs the program on shards and says what came of it; whether nothing is missing."""
    command = [webmill, "run", work / name, "--out", out, "--threads", threads, "--recipe", work / "recipe.toml"]
    code, said, seconds, used, peak = watched(command, env={**os.environ, "WEBMILL_TEST_DOCUMENTS": MARK})
    print(f"  {threads} threads: exit {code}, {seconds:.1f} s, {used:.1f} s of processors, peak {peak / 2**20:.0f} MiB")
    if code:
        print(said)
        return False
    pages = query(webmill, out, "SELECT url, document, document_failure, document_warnings, num_words FROM pages")
    read = [page for page in pages if page["document"] and not page["document_failure"]]
    with_words = sum(page["num_words"] > 0 for page in read)
    print(f"    {len(pages)} rows, {count - len(pages)} missing; {len(read)} documents read, {with_words} with words")
    for name, planted in (("files", False), ("planted", True)):
        of = [page for page in pages if is_planted(page["url"]) == planted]
        reasons = collections.Counter(page["document_failure"] for page in of if page["document_failure"])
        warnings = collections.Counter(warning for page in of for warning in page["document_warnings"])
        others = sum(not page["document"] for page in of)
        if of:
            print(f"    {name}: failures {dict(reasons)}, warnings {dict(warnings)}, no document {others}")
        ours = [page["url"] for page in of if page["document_failure"] in OURS]
        if ours and not planted:
            print("    lost for reasons of ours:", *ours, sep="\n      ")
    return len(pages) == count


def digests(out):
    """Digests of what is committed, without what may differ."""
    found = {}
    for path in sorted(out.rglob("*")):
        if path.is_file() and path.name != "run.json" and path != out / "report.html" and not path.is_symlink():
            relative = path.relative_to(out)
            if "latest" not in relative.parts and not path.name.endswith(".lock"):
                found[str(relative)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--webmill", default="target/release/webmill")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("target/documents-run"))
    parser.add_argument("--hangs", type=int, default=1)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--slowest", type=int, default=0)
    options = parser.parse_args()
    webmill = str(pathlib.Path(options.webmill).resolve())
    shutil.rmtree(options.work, ignore_errors=True)
    (options.work / "recipe.toml").parent.mkdir(parents=True)
    (options.work / "recipe.toml").write_text("[extract]\nmax_unread = 1.0\n")
    rows = list(captures(options.folders, options.hangs))
    threads = options.threads.split(",")
    results, failed = {}, False
    for name, of, numbers in [
        ("files", [row for row in rows if not is_planted(row[0])], threads[-1:]),
        ("all", rows, threads),
    ]:
        count, total = write_shards(options.work / name, of)
        print(f"{name}: {count} captures, {total / 1e6:.0f} MB")
        for number in numbers:
            out = options.work / f"out-{name}-{number}"
            failed |= not run(webmill, options.work, name, out, number, count)
            if name == "all":
                results[number] = digests(out)
    tables = list(results.values())
    equal = all(found == tables[0] for found in tables)
    print("tables of all runs are equal" if equal else "tables differ")
    if options.slowest:
        slowest(webmill, options.folders, options.slowest)
    sys.exit(int(failed or not equal))


def slowest(webmill, folders, most):
    times = []
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        began = time.monotonic()
        subprocess.run([webmill, "text", "--input", "document", path], capture_output=True)
        times.append((time.monotonic() - began, path))
    for seconds, path in sorted(times, reverse=True)[:most]:
        print(f"{seconds:7.2f} s {path}")


if __name__ == "__main__":
    main()
