"""The web graph over a cluster: joins and sorts of Spark, URLs by the compiled part."""

from __future__ import annotations

import json
from typing import Any

from . import _tasks
from ._arrow import compiled
from ._check import check
from ._count import of_current
from ._numbers import dense
from ._pyspark import Column, DataFrame, F
from ._recipe import Recipe, parts_of

# What captures of a URL are at best, as column `crawled` says it; the better come first.
_CRAWLED = ["html", "other", "redirect", "error"]
_NAMED = "url string, canonical string, surt string, host string"


class LinkGraph:
    """A level of the web graph: ``nodes`` (node, url, url_sortkey, crawled, pages) and ``arcs`` (source, target, weight)."""

    def __init__(self, nodes: DataFrame, arcs: DataFrame) -> None:
        self.nodes, self.arcs = nodes, arcs


def page_graph(pages: DataFrame, links: DataFrame, *, recipe: Recipe = None) -> LinkGraph:
    """The graph of pages, numbered as ``webmill graph`` numbers them: by SURT form, then URL, from 0.

    ``recipe``: the table ``[graph]`` counts, but for ``fold_duplicates``.
    """
    check(pages.sparkSession)
    settings = json.loads(compiled().graph_settings(parts_of(recipe)))
    counted = _counted(pages, links, settings).persist()
    captured = F.when(_good() & _is_page(), F.lit(None)).when(F.col("fetch_status").between(200, 299), F.lit(1))
    captured = captured.when(F.col("fetch_status").isNull() & (F.col("warc_type") == "resource"), F.lit(1))
    captured = captured.when(F.col("fetch_status").between(300, 399), F.lit(2)).when(F.col("fetch_status").between(400, 599), F.lit(3))
    of_pages = pages.where(F.col("is_current") & _good() & _is_page()).select("url", "url_sortkey", F.lit(0).alias("code"))
    redirects = pages.where("fetch_status between 300 and 399").select("url").unionByName(
        pages.where("url_origin is not null").select(F.col("url_origin").alias("url"))
    )
    named = redirects.distinct().mapInArrow(_tasks.name_urls(True), _NAMED).where("canonical is not null")
    sources = named.select(F.col("canonical").alias("url"), F.col("surt").alias("url_sortkey"), F.lit(2).alias("code"))
    targets = counted.select(F.col("target_url").alias("url"), F.col("surt").alias("url_sortkey"), F.lit(None).cast("int").alias("code"))
    others = pages.select("url", "url_sortkey", captured.alias("code")).where("code is not null")
    urls = of_pages.unionByName(sources).unionByName(targets).groupBy("url_sortkey", "url").agg(F.min("code").alias("code"))
    known = others.groupBy("url_sortkey", "url").agg(F.min("code").alias("other"))
    urls = urls.join(known, ["url_sortkey", "url"], "left").withColumn("code", F.least("code", "other"))
    nodes = dense(urls, ["url_sortkey", "url"], "node").select(
        "node", "url", "url_sortkey", _word(F.col("code")).alias("crawled"), F.lit(1).alias("pages")
    ).persist()  # fmt: skip
    named_arcs = counted.groupBy("source_url", "target_url").agg(F.count("*").alias("weight"))
    arcs = _numbered(named_arcs, nodes)
    if settings["drop_internal"]:
        host = _host(F.col("url_sortkey"))
        arcs = _of_hosts(arcs, nodes.select("node", host.alias("host"))).where("source_host != target_host")
    return LinkGraph(nodes, arcs.select("source", "target", "weight"))


def host_graph(graph: LinkGraph) -> LinkGraph:
    """The graph of hosts from that of pages, without arcs of a host to itself; the weight of an arc is the number of links."""
    of = graph.nodes.select("node", "crawled", _host(F.col("url_sortkey")).alias("url_sortkey"))
    code = F.coalesce(*[F.when(F.col("crawled") == word, F.lit(at)) for at, word in enumerate(_CRAWLED)])
    hosts = of.groupBy("url_sortkey").agg(F.min(code).alias("code"), F.count("*").alias("pages"))
    nodes = dense(hosts, ["url_sortkey"], "node").select(
        "node", _name(F.col("url_sortkey")).alias("url"), "url_sortkey", _word(F.col("code")).alias("crawled"), "pages"
    ).persist()  # fmt: skip
    numbers = of.select("node", "url_sortkey").join(nodes.select(F.col("node").alias("host"), "url_sortkey"), "url_sortkey")
    arcs = _of_hosts(graph.arcs, numbers.select("node", "host"))
    arcs = arcs.where("source_host != target_host")
    folded = arcs.groupBy(F.col("source_host").alias("source"), F.col("target_host").alias("target"))
    return LinkGraph(nodes, folded.agg(F.sum("weight").alias("weight")))


def _good() -> Column:
    return F.col("fetch_status").isNull() | F.col("fetch_status").between(200, 299)


def _is_page() -> Column:
    return F.col("is_html") | F.col("page_type").isNotNull()


def _counted(pages: DataFrame, links: DataFrame, settings: dict[str, Any]) -> DataFrame:
    """Links that count: their ends and the SURT form of the target."""
    taken = of_current(links.where(F.col("kind").isin(settings["kinds"])), pages)
    if settings["drop_nofollow"]:
        taken = taken.where(~F.col("nofollow"))
    if settings["drop_self"]:
        taken = taken.where("source_url != target_url")
    urls = taken.select(F.col("target_url").alias("url")).distinct()
    named = urls.mapInArrow(_tasks.name_urls(True), _NAMED).where("canonical is not null")
    for host in settings["stop_surts"]:
        rest = F.substring(F.col("surt"), len(host) + 1, 1)
        named = named.where(~(F.col("surt").startswith(host) & rest.isin(")", ",", ":", "")))
    surts = named.select(F.col("url").alias("target_url"), "surt")
    return taken.select("source_url", "target_url").join(surts, "target_url")


def _word(code: Column) -> Column:
    return F.coalesce(*[F.when(code == at, F.lit(word)) for at, word in enumerate(_CRAWLED)])


def _host(surt: Column) -> Column:
    """The host, with its port, of a SURT form."""
    return F.substring_index(surt, ")", 1)


def _name(surt: Column) -> Column:
    """The name of a host by its SURT form: its labels turned round, its port behind them."""
    port = F.regexp_extract(surt, r":[0-9]*$", 0)
    labels = F.regexp_replace(surt, r":[0-9]*$", "")
    return F.concat(F.array_join(F.reverse(F.split(labels, ",", -1)), "."), port)


def _numbered(arcs: DataFrame, nodes: DataFrame) -> DataFrame:
    sources = nodes.select(F.col("node").alias("source"), F.col("url").alias("source_url"))
    targets = nodes.select(F.col("node").alias("target"), F.col("url").alias("target_url"))
    return arcs.join(sources, "source_url").join(targets, "target_url").select("source", "target", "weight")


def _of_hosts(arcs: DataFrame, hosts: DataFrame) -> DataFrame:
    """Arcs of pages with the hosts of their ends."""
    sources = hosts.select(F.col("node").alias("source"), F.col("host").alias("source_host"))
    targets = hosts.select(F.col("node").alias("target"), F.col("host").alias("target_host"))
    return arcs.join(sources, "source").join(targets, "target")
