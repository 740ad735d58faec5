"""Exact look-ups a second of webmill's server, and of pywb and OutbackCDX beside it, over one index, in one run.

python serve.py SERVE_INDEX [--captures N] [--seconds S] [--outbackcdx JAR]

SERVE_INDEX: target/release/examples/serve_index of the crate webmill-serve. pywb is started where it is installed beside
this Python, OutbackCDX where its jar is given. Load: `wrk` where it is there, otherwise `hey` of this file: two processes
with 16 keep-alive connections each, which ask for URLs of the index in an order of their own. Rounds alternate between the
servers; the median of three is printed with its ratio to the others.
"""

import argparse
import multiprocessing
import os
import pathlib
import random
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time


def lines(captures):
    for n in range(captures):
        key = f"example,host{n % 1000:04d})/page/{n // 1000:06d}"
        url = f"http://host{n % 1000:04d}.example/page/{n // 1000:06d}"
        digest = f"{n:032d}".translate(str.maketrans("0189", "ABCD"))
        yield f"{key} 20200101000000 {url} text/html 200 {digest} - - {1000 + n % 9000} {n * 1000} crawl-{n % 7}.warc.gz\n"


def load(port, path, captures, seconds, seed, result):
    """16 connections that each send the next request when the answer to the last has come."""
    chosen = random.Random(seed)
    selector = selectors.DefaultSelector()

    def ask(connection):
        n = chosen.randrange(captures)
        url = f"http://host{n % 1000:04d}.example/page/{n // 1000:06d}"
        connection.sendall(f"GET {path}{url} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())

    buffers = {}
    for _ in range(16):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(connection, selectors.EVENT_READ)
        buffers[connection] = b""
        ask(connection)
    done, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        for event, _ in selector.select(1):
            connection = event.fileobj
            got = connection.recv(65536)
            if not got:
                selector.unregister(connection)
                connection = socket.create_connection(("127.0.0.1", port))
                selector.register(connection, selectors.EVENT_READ)
                buffers[connection] = b""
                ask(connection)
                continue
            buffer = buffers[connection] + got
            if complete(buffer):
                assert buffer.startswith(b"HTTP/1.1 200"), buffer[:200]
                done += 1
                buffers[connection] = b""
                ask(connection)
            else:
                buffers[connection] = buffer
    result.put(done / seconds)


def complete(buffer):
    head, found, body = buffer.partition(b"\r\n\r\n")
    if not found:
        return False
    lower = head.lower()
    at = lower.find(b"content-length:")
    if at >= 0:
        return len(body) >= int(lower[at + 15 :].split(b"\r\n", 1)[0])
    return body.endswith(b"0\r\n\r\n")


def rate(port, path, captures, seconds):
    if subprocess.run(["which", "wrk"], capture_output=True).returncode == 0:
        script = pathlib.Path(tempfile.mkdtemp()) / "urls.lua"
        script.write_text(
            f"""request = function()
  local n = math.random(0, {captures - 1})
  return wrk.format("GET", string.format("{path}http://host%04d.example/page/%06d", n % 1000, math.floor(n / 1000)))
end
"""
        )
        command = ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", str(script), f"http://127.0.0.1:{port}"]
        out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        assert "Non-2xx" not in out, out
        return float(next(line for line in out.splitlines() if "Requests/sec" in line).split()[1])
    result = multiprocessing.Queue()
    work = [multiprocessing.Process(target=load, args=(port, path, captures, seconds, s, result)) for s in (1, 2)]
    for one in work:
        one.start()
    total = sum(result.get() for _ in work)
    for one in work:
        one.join()
    return total


def listening(port, seconds=60):
    for _ in range(seconds * 10):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"nothing listens at port {port}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("serve_index")
    parser.add_argument("--captures", type=int, default=100_000)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--outbackcdx")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp())
    index = folder / "index.cdx"
    index.write_text(" CDX N b a m s k r M S V g\n" + "".join(sorted(lines(options.captures))))
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    servers, running = {}, []
    port = free_port()
    running.append(subprocess.Popen([options.serve_index, f"127.0.0.1:{port}", str(index)], **quiet))
    servers["webmill"] = (port, "/t/cdx?url=")
    pywb = pathlib.Path(sys.executable).parent / "wayback"
    if pywb.exists():
        port = free_port()
        (folder / "config.yaml").write_text(f"collections:\n  t:\n    index_paths: {index}\n    archive_paths: {folder}/\n")
        running.append(subprocess.Popen([pywb, "-p", str(port), "-b", "127.0.0.1"], cwd=folder, **quiet))
        servers["pywb"] = (port, "/t/cdx?url=")
    else:
        print("pywb is not installed beside this Python: left out")
    if options.outbackcdx:
        port = free_port()
        command = ["java", "-jar", options.outbackcdx, "-b", "127.0.0.1", "-p", str(port), "-d", str(folder / "outback")]
        running.append(subprocess.Popen(command, **quiet))
        listening(port)
        subprocess.run(["curl", "-s", "-X", "POST", "--data-binary", f"@{index}", f"http://127.0.0.1:{port}/t"], check=True)
        servers["outbackcdx"] = (port, "/t?url=")
    else:
        print("no jar of OutbackCDX given: left out")
    try:
        rates = {name: [] for name in servers}
        for port, _ in servers.values():
            listening(port)
        for _ in range(3):
            for name, (port, path) in servers.items():
                rates[name].append(rate(port, path, options.captures, options.seconds))
        ours = statistics.median(rates["webmill"])
        print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; requests a second, median of three rounds")
        for name, found in rates.items():
            found = statistics.median(found)
            print(f"{name:12} {found:10.0f}  webmill is {ours / found:.1f} times that")
    finally:
        for one in running:
            one.kill()


if __name__ == "__main__":
    main()
