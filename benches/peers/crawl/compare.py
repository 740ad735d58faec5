"""webmill, Scrapy and the `spider` crate on one simulated Web, in turns, through the same proxy.

usage: compare.py [ROUNDS] [PAGES] [SCRAPY_SECONDS]

Needs target/release/webmill, target/release/examples/simweb (`cargo build --release --example simweb`), target/peers/bin/python with requirements.txt (Scrapy), and target/peers/crawl-spider (the
project in spider/, built with --release). A peer that is not there is left out, which is said. 200,000 pages on 10,000 hosts, a
seed each; no delay, one connection a host, robots.txt obeyed, 256 hosts at once. Scrapy stops after SCRAPY_SECONDS and is
measured by what it has by then. Prints pages/s of each round and the ratios ours / theirs as min, median, max; and CPU seconds, which
a busy machine does not change much.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WEBMILL = ROOT / "target/release/webmill"
SIMWEB = ROOT / "target/release/examples/simweb"
PYTHON = Path(os.environ.get("WEBMILL_PEER_PYTHON", ROOT / "target/peers/bin/python"))
SPIDER = Path(os.environ.get("WEBMILL_PEER_SPIDER", ROOT / "target/peers/crawl-spider"))
PORT, HOSTS = 18100, "256"


def timed(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, **options)
    seconds = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr[-2000:]}")
    return done.stdout, seconds, cpu


def measured(line):
    """The pages and the rate of `NAME [VERSION] pages N seconds S pages/s R`."""
    words = line.split()
    return float(words[words.index("pages") + 1]), float(words[words.index("pages/s") + 1])


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    pages = sys.argv[2] if len(sys.argv) > 2 else "50000"
    scrapy_seconds = sys.argv[3] if len(sys.argv) > 3 else "60"
    folder = Path(tempfile.mkdtemp(prefix="webmill-peers-"))
    seeds, proxy = folder / "seeds", f"http://127.0.0.1:{PORT}"
    simweb = [SIMWEB, str(PORT), seeds, "plain", "200000", "10000"]
    server = subprocess.Popen(simweb, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(5)

    def webmill():
        out = folder / "crawl"
        shutil.rmtree(out, ignore_errors=True)
        command = [WEBMILL, "crawl", "--seeds", seeds, "--within", "any", "--proxy", proxy, "--delay", "0"]
        command += ["--set", f"crawl.connections={HOSTS}", "--pages", pages, "--out", out]
        _, seconds, cpu = timed(command)
        return float(pages) / seconds, float(pages) / cpu

    def spider():
        out, _, cpu = timed([SPIDER, seeds, proxy, pages, HOSTS, folder / "spider"])
        fetched, rate = measured(out)
        return float(rate), float(fetched) / cpu

    def scrapy():
        environment = {**os.environ, "http_proxy": proxy, "SCRAPY_SECONDS": scrapy_seconds}
        command = [PYTHON, Path(__file__).with_name("scrapy_peer.py"), seeds, proxy, pages, HOSTS, folder / "scrapy"]
        out, _, cpu = timed(command, env=environment)
        fetched, rate = measured(out)
        return float(rate), float(fetched) / cpu

    runs = {"webmill": (webmill, WEBMILL), "spider": (spider, SPIDER), "scrapy": (scrapy, PYTHON)}
    rates = {name: [] for name in runs}
    try:
        for turn in range(rounds):
            for name, (run, needed) in runs.items():
                if not needed.exists():
                    print(f"{name}: left out, {needed} is not there")
                    continue
                rate, per_cpu = run()
                rates[name].append((rate, per_cpu))
                print(f"round {turn + 1}  {name:8} {rate:9.0f} pages/s  {per_cpu:9.0f} pages a CPU second", flush=True)
    finally:
        server.terminate()
        shutil.rmtree(folder, ignore_errors=True)
    for name in ("spider", "scrapy"):
        for i, what in enumerate(("pages/s", "pages a CPU second")):
            ratios = [ours[i] / theirs[i] for ours, theirs in zip(rates["webmill"], rates[name])]
            if ratios:
                low, middle, high = min(ratios), statistics.median(ratios), max(ratios)
                print(f"webmill / {name}, {what}: {low:.2f} / {middle:.2f} / {high:.2f}")


main()
