"""How long replay and look-ups take under load, beside pywb with uwsgi on the same cores.

python serve_load.py WEBMILL [--clients 20 200 1000] [--seconds S] [--rounds N]

Needs `wrk`; pywb and uwsgi beside this Python. A WARC of 2,000 pages is written, each server gets it, and in turn each answers N clients
that ask for replayed pages (no rewriting but the server's own) and for lines of the index, in an order of their own. Printed for each:
median and 99th percentile of the time of an answer, answers a second, and what was no answer (another status than 200; no connection or no reply in 30 s: that pywb's server closes a connection after each answer is none).
"""

import argparse
import pathlib
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

PAGES = 2000
LUA = """
init = function(args) math.randomseed(os.time()) end
request = function() return wrk.format("GET", string.format("PATH", math.random(0, LAST))) end
done = function(summary, latency)
  local e = summary.errors
  io.write(string.format("RESULT %d %d %d %.0f %.0f %d\\n", summary.requests, e.status, e.timeout + e.connect,
    latency:percentile(50), latency:percentile(99), summary.duration))
end
"""


def write_warc(path):
    with path.open("wb") as out:
        for n in range(PAGES):
            links = "".join(f'<a href="/page/{(n * 7 + k) % PAGES}">page {k}</a> ' for k in range(20))
            body = f"<!doctype html><title>Page {n}</title><h1>Page {n}</h1>{links}<p>{'Words of a page. ' * 300}</p>".encode()
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            out.write(
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{n:012d}>\r\n"
                f"WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Target-URI: http://a.example/page/{n}\r\n"
                f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(head) + len(body)}\r\n\r\n".encode()
                + head + body + b"\r\n\r\n"
            )


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(port):
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nobody listens on port {port}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("webmill", type=pathlib.Path)
    arguments.add_argument("--clients", type=int, nargs="+", default=[20, 200, 1000])
    arguments.add_argument("--seconds", type=int, default=8)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    given.webmill = given.webmill.resolve()
    bin_ = pathlib.Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_warc(folder / "pages.warc")
        (folder / "pywb").mkdir()
        subprocess.run([bin_ / "wb-manager", "init", "t"], cwd=folder / "pywb", check=True, capture_output=True)
        subprocess.run([bin_ / "wb-manager", "add", "t", folder / "pages.warc"], cwd=folder / "pywb", check=True, capture_output=True)
        (folder / "shards").mkdir()
        (folder / "pages.warc").rename(folder / "shards" / "pages.warc")
        ports = {"webmill": free_port(), "pywb": free_port()}
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        servers = [
            subprocess.Popen([given.webmill, "serve", "shards", "--listen", f"127.0.0.1:{ports['webmill']}"], cwd=folder, **quiet),
            subprocess.Popen(
                [bin_ / "uwsgi", "--http-socket", f"127.0.0.1:{ports['pywb']}", "--processes", "2", "--gevent", "500", "--master",
                 "--listen", "1024", "--module", "pywb.apps.wayback", "--venv", bin_.parent, "--disable-logging", "--die-on-term"],
                cwd=folder / "pywb", **quiet,
            ),
        ]
        paths = {
            ("webmill", "replay"): "/shards/20240101000000mp_/http://a.example/page/%d",
            ("pywb", "replay"): "/t/20240101000000mp_/http://a.example/page/%d",
            ("webmill", "cdx"): "/shards/cdx?url=http://a.example/page/%d",
            ("pywb", "cdx"): "/t/cdx?url=http://a.example/page/%d",
        }
        try:
            for port in ports.values():
                wait_for(port)
            time.sleep(2)
            for clients in given.clients:
                for what in ("replay", "cdx"):
                    found = {name: [] for name in ports}
                    for _ in range(given.rounds):
                        for name, port in ports.items():
                            script = folder / "load.lua"
                            script.write_text(LUA.replace("PATH", paths[name, what]).replace("LAST", str(PAGES - 1)))
                            said = subprocess.run(
                                ["wrk", "-t1", f"-c{clients}", f"-d{given.seconds}s", "--timeout", "30s", "-s", script, f"http://127.0.0.1:{port}"],
                                capture_output=True, text=True,
                            ).stdout
                            found[name].append([int(x) for x in re.search(r"RESULT (.*)", said)[1].split()])
                    for name, rounds in found.items():
                        rate = [requests / (duration / 1e6) for requests, *_, duration in rounds]
                        middle = lambda at: statistics.median(r[at] for r in rounds) / 1000
                        print(
                            f"{clients:5} clients {what:6} {name:8} p50 {middle(3):8.1f} ms  p99 {middle(4):8.1f} ms  "
                            f"{statistics.median(rate):8.0f} a second ({min(rate):.0f} to {max(rate):.0f})  "
                            f"no answer {sum(r[1] for r in rounds)} by status, {sum(r[2] for r in rounds)} by connection",
                            flush=True,
                        )
        finally:
            for server in servers:
                server.terminate()


if __name__ == "__main__":
    main()
