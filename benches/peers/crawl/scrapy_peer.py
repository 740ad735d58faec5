"""Scrapy on a simulated Web, for the benchmark `crawl`.

usage: scrapy_peer.py SEEDS PROXY PAGES CONNECTIONS OUT [aware|plain]

Breadth-first, one connection a host, no delay, robots.txt obeyed, no cookies, no retries, no console. The bodies go to the
file OUT, one after the other. Links come from one XPath, which is faster than a LinkExtractor. `aware` takes the priority
queue that Scrapy's manual recommends for broad crawls, `plain` (default) the one that does not look through all hosts a request: with
ten thousand hosts it is the faster one. Prints one line: pages, seconds, pages/s.
"""

import os
import sys
import time

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider

SEEDS, PROXY, PAGES, CONNECTIONS, OUT = sys.argv[1:6]
QUEUE = sys.argv[6] if len(sys.argv) > 6 else "plain"
LINKS = "//a[not(contains(@rel, 'nofollow'))]/@href | //area/@href | //iframe/@src | //frame/@src"


class Peer(scrapy.Spider):
    name = "peer"
    pages = 0
    began = None
    seconds = None

    async def start(self):
        self.bodies = open(OUT, "wb", buffering=1 << 20)
        self.began = time.perf_counter()
        with open(SEEDS) as seeds:
            for line in seeds:
                yield self.ask(line.strip())

    def ask(self, url):
        return scrapy.Request(url, callback=self.parse)

    def parse(self, response):
        if self.pages >= int(PAGES):
            return
        self.bodies.write(response.body)
        self.pages += 1
        if self.pages >= int(PAGES):
            self.seconds = time.perf_counter() - self.began
            raise CloseSpider("enough pages")
        if isinstance(response, scrapy.http.TextResponse):
            for link in response.xpath(LINKS).getall():
                url = response.urljoin(link)
                if url.startswith("http"):
                    yield self.ask(url)

    def closed(self, reason):
        seconds = self.seconds or time.perf_counter() - self.began
        self.bodies.close()
        print(f"scrapy {scrapy.__version__} pages {self.pages} seconds {seconds:.2f} pages/s {self.pages / seconds:.0f}")


# By the environment: requests for robots.txt would not have the proxy from the meta of pages.
os.environ["http_proxy"] = PROXY
queue = {"aware": "DownloaderAwarePriorityQueue", "plain": "ScrapyPriorityQueue"}[QUEUE]
process = CrawlerProcess(
    settings={
        "CONCURRENT_REQUESTS": int(CONNECTIONS),
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "ROBOTSTXT_OBEY": True,
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "REFERER_ENABLED": False,
        "MEMUSAGE_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
        "DOWNLOADER_STATS": False,
        "LOG_LEVEL": "ERROR",
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        "SCHEDULER_PRIORITY_QUEUE": f"scrapy.pqueues.{queue}",
        "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "DOWNLOAD_TIMEOUT": 30,
        "CLOSESPIDER_TIMEOUT": int(os.environ.get("SCRAPY_SECONDS", "0")),
        "USER_AGENT": "scrapy-peer",
    },
)
process.crawl(Peer)
process.start()
