"""Whether pages with scripts read in replay as they read live, beside pywb and replayweb.page.

python replay_scripts.py WEBMILL [--sites FOLDER] [--frameworks FOLDER] [--player FOLDER] [--wayback PROGRAM] [--only NAME …]

The sites are those of the tests (`src/serve/tests/replay/scripts`), with the scripts of frameworks that `make tools` unpacks. They are served live on loopback
and opened in Chromium (no name leaves this machine); then as WARC in each system. Of `where.html` each row is a value; of every other page the text
is right or not; of a page that is gone to, its address, and apart from that its referrer. Printed: for each system how many are as live, and which are not. Needs playwright, warcio; pywb and the npm package replaywebpage.
"""

import argparse
import functools
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
from io import BytesIO

from playwright.sync_api import sync_playwright
from serve_load import free_port, wait_for
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = {
    "react.js": "react/umd/react.production.min.js", "react-dom.js": "react-dom/umd/react-dom.production.min.js",
    "vue.js": "vue/dist/vue.global.prod.js", "vue-router.js": "vue-router/dist/vue-router.global.prod.js",
    "jquery.js": "jquery/dist/jquery.min.js", "lit-html.js": "lit-html/lit-html.js",
}
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".txt": "text/plain"}
WAYS = 16


def site(folder, frameworks):
    """What the hosts answer, by URL; and the pages that are opened."""
    read = {path.name: path.read_bytes() for path in folder.iterdir()}
    answers = {}
    for host in ("scripts", "other"):
        for name, body in read.items():
            answers[f"http://{host}.example/{name}"] = (TYPES[pathlib.Path(name).suffix], body)
    for name, place in LIBRARIES.items():
        if (frameworks / place).exists():
            answers[f"http://cdn.example/{name}"] = ("text/javascript", (frameworks / place).read_bytes())
    pages = ["where.html?a=1&b=2", "history.html", "frames.html", "post.html"] + [f"go.html?way={way}" for way in range(WAYS)]
    if len(answers) > 2 * len(read):
        pages += ["react.html", "vue.html", "jquery.html", "hydrate.html", "elements.html"]
    for query in [*map(str, range(WAYS)), "n=6", "menu", "button"]:
        for host in ("scripts", "other"):
            answers[f"http://{host}.example/there.html?{query}"] = answers["http://scripts.example/there.html"]
    for page in [*pages, "go.html?there"]:
        answers[f"http://scripts.example/{page}"] = answers["http://scripts.example/" + page.split("?")[0]]
    return answers, [f"http://scripts.example/{page}" for page in pages]


def write_warc(path, answers):
    with path.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for url, (media, body) in answers.items():
            head = StatusAndHeaders("200 OK", [("Content-Type", media), ("Access-Control-Allow-Origin", "*")], protocol="HTTP/1.1")
            writer.write_record(writer.create_warc_record(url, "response", payload=BytesIO(body), http_headers=head, warc_headers_dict={"WARC-Date": "2024-06-15T06:00:00Z"}))


def serve(answer):
    """A server on loopback; `answer` has path and headers and gives media type and body, or nothing."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            found = answer(self.path, self.headers)
            media, body = found or ("text/plain", b"not here")
            status, length = 200 if found else 404, len(body)
            given = self.headers.get("Range", "")
            if found and given.startswith("bytes="):
                first, last = (given[6:].split("-") + [""])[:2]
                first, last = (int(first), min(int(last or length - 1), length - 1)) if first else (max(0, length - int(last)), length - 1)
                body, status = body[first : last + 1], 206
            self.send_response(status)
            if status == 206:
                self.send_header("Content-Range", f"bytes {first}-{last}/{length}")
            for name, value in (("Content-Type", media), ("Content-Length", str(len(body))), ("Access-Control-Allow-Origin", "*")):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(b"" if self.command == "HEAD" else body)

        do_HEAD = do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def texts(browser, address, wait=2.5):
    """The text of each frame of a page after it has run."""
    context = browser.new_context()
    page = context.new_page()
    try:
        page.goto(address, wait_until="load", timeout=20000)
        page.wait_for_timeout(wait * 1000)
        found = []
        for frame in page.frames:
            try:
                found.append(frame.evaluate("() => document.body.innerText").strip())
            except Exception:  # A frame that is gone.
                continue
        return found
    except Exception as error:
        return [f"failed: {error}"]
    finally:
        context.close()


def player(folder, wacz):
    """The address of a page that plays a WACZ, for a URL in it."""
    page = '<!doctype html><meta charset="utf-8"><script src="/ui.js"></script><replay-web-page source="/x.wacz" url="{}" replayBase="/replay/" embed="replayonly"></replay-web-page>'
    files = {"/ui.js": folder / "ui.js", "/replay/sw.js": folder / "sw.js", "/x.wacz": wacz}

    def answer(path, _):
        name, _, query = path.partition("?")
        if name == "/play":
            return "text/html; charset=utf-8", page.format(functools.reduce(lambda text, pair: text.replace(*pair), (("%26", "&amp;"), ("%3F", "?")), query)).encode()
        return ("text/javascript" if name.endswith(".js") else "application/octet-stream", files[name].read_bytes()) if name in files else None

    port = serve(answer)
    return lambda url: f"http://127.0.0.1:{port}/play?{url.replace('?', '%3F').replace('&', '%26')}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("webmill")
    parser.add_argument("--sites", type=pathlib.Path, default=ROOT / "src/serve/tests/replay/scripts")
    parser.add_argument("--frameworks", type=pathlib.Path, default=ROOT / "target/frameworks")
    parser.add_argument("--player", type=pathlib.Path, default=ROOT / "target/replaywebpage/package")
    parser.add_argument("--wayback", default=str(ROOT / "target/archives/bin/wayback"))
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--only", nargs="*", default=["webmill", "pywb", "replayweb.page"])
    args = parser.parse_args()
    answers, pages = site(args.sites, args.frameworks)
    running = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = pathlib.Path(folder)
        (folder / "c").mkdir()
        warc = folder / "c" / "scripts.warc.gz"
        write_warc(warc, answers)
        systems = {}
        if "webmill" in args.only:
            port = free_port()
            running.append(subprocess.Popen([args.webmill, "serve", str(folder / "c"), "--listen", f"127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            wait_for(port)
            systems["webmill"] = lambda url, port=port: f"http://127.0.0.1:{port}/c/20240615060000/{url}"
        if "pywb" in args.only and pathlib.Path(args.wayback).exists():
            port = free_port()
            manager = pathlib.Path(args.wayback).with_name("wb-manager")
            for command in (["init", "c"], ["add", "c", str(warc)]):
                subprocess.run([str(manager), *command], cwd=folder, check=True, capture_output=True)
            running.append(subprocess.Popen([args.wayback, "-p", str(port), "-d", str(folder)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            wait_for(port)
            systems["pywb"] = lambda url, port=port: f"http://127.0.0.1:{port}/c/20240615060000/{url}"
        if "replayweb.page" in args.only and (args.player / "ui.js").exists():
            wacz = folder / "x.wacz"
            subprocess.run([args.webmill, "wacz", str(warc), "--out", str(wacz)], check=True, capture_output=True)
            systems["replayweb.page"] = player(args.player, wacz)
        live = serve(lambda path, headers: answers.get(f"http://{headers['Host']}{path}"))
        options = {"executable_path": args.chromium, "args": ["--no-sandbox"]}
        try:
            browser = playwright.chromium.launch(**{**options, "args": ["--no-sandbox", f"--host-resolver-rules=MAP *.example 127.0.0.1:{live}, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]})
            known = {url: texts(browser, url)[0] for url in pages}
            browser.close()
            browser = playwright.chromium.launch(**{**options, "args": ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]})
            for name, address in systems.items():
                values, wrong, right, referrers = (0, 0), [], 0, 0
                started = time.monotonic()
                for url in pages:
                    shown = texts(browser, address(url), 6 if name == "replayweb.page" else 2.5)
                    if "where.html" in url:
                        rows = known[url].splitlines()
                        best = max((sum(row in text.splitlines() for row in rows), text) for text in shown)
                        values = (best[0], len(rows))
                        wrong += [f"where: {row}" for row in rows if row not in best[1].splitlines()]
                    elif "go.html" in url and any(text.splitlines()[:1] == known[url].splitlines()[:1] for text in shown):
                        right, referrers = right + 1, referrers + (known[url] in shown)
                    elif known[url] in shown:
                        right += 1
                    else:
                        wrong.append(f"{url}: {known[url][:80]!r}")
                print(f"{name}: {values[0]} of {values[1]} values, {right} of {len(pages) - 1} pages as live, {referrers} of {WAYS} referrers ({time.monotonic() - started:.0f} s)")
                for line in wrong:
                    print(f"  not as live: {line}")
                sys.stdout.flush()
        finally:
            for process in running:
                process.terminate()


main()
