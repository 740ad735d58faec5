"""Compares `webmill show --format json` with what DuckDB finds in the tables, page by page.

usage: show.py WEBMILL RESULTS EVERY: looks at every EVERY-th URL that is a capture or a node of the graph. Prints the number of
pages and of values compared; exits with 1 at the first difference.
"""

import json
import subprocess
import sys

import duckdb

webmill, results, every = sys.argv[1], sys.argv[2], int(sys.argv[3])
db = duckdb.connect()


def table(job, name):
    return f"read_parquet('{results}/{job}/latest/{name}/*.parquet')"


for job, names in {
    "extract": ["pages", "texts", "links", "posts", "records", "structured", "templates"],
    "graph": ["nodes", "arcs"],
    "rank": ["ranks"],
    "dedup": ["duplicates", "clusters", "passages"],
    "keywords": ["keywords"],
    "report": ["hosts"],
}.items():
    for name in names:
        db.execute(f"CREATE TABLE {name} AS SELECT * FROM {table(job, name)}")
db.execute("DELETE FROM nodes WHERE level <> 'page'; DELETE FROM ranks WHERE level <> 'page'; DELETE FROM arcs WHERE level <> 'page'")

compared = 0


def rows(sql, *values):
    return db.execute(sql, list(values)).fetchall()


def same(what, found, expected):
    global compared
    compared += 1
    if isinstance(expected, float) and isinstance(found, (int, float)):
        equal = abs(found - expected) <= 1e-9 * max(abs(found), abs(expected))
    else:
        equal = found == expected
    if not equal:
        sys.exit(f"{url}: {what}: show says {found!r}, DuckDB {expected!r}")


def captures(told):
    expected = rows(
        "SELECT content_digest, warc_filename, warc_record_offset, fetch_status, is_current FROM pages WHERE url = ?", url
    )
    keys = ["digest", "shard", "offset", "status", "is_current"]
    found = [tuple(capture[key] for key in keys) for capture in told["captures"]["listed"]]
    same("captures", sorted(found, key=str), sorted(expected, key=str))
    same("number of captures", told["captures"]["total"], len(expected))
    page = rows("SELECT title, author, published, content_languages, page_type, num_words FROM pages WHERE url = ? AND is_current", url)
    found = told["page"] and [told["page"][key] for key in ["title", "author", "published", "languages", "page_type", "words"]]
    same("page", found, list(page[0]) if page else None)


def cut(line):
    """What is shown of a line: up to the character that ends at or after byte 400."""
    shown = ""
    for character in line:
        if len(shown.encode()) >= 400:
            return shown + "…"
        shown += character
    return line


def text(told):
    expected = rows(
        "SELECT t.text, t.language, t.num_words FROM texts t JOIN pages p USING (url, warc_filename, warc_record_offset) "
        "WHERE url = ? AND p.is_current",
        url,
    )
    if not expected:
        return same("text", told["text"], None)
    lines = expected[0][0].split("\n")
    same("lines", told["text"]["first_lines"], [cut(line) for line in lines])
    same("number of lines", told["text"]["lines"], len(lines))
    same("words of the text", (told["text"]["language"], told["text"]["words"]), expected[0][1:])


def rank(told):
    found = told["rank"]
    expected = rows("SELECT node, pagerank, authority, hub, harmonic, indegree, outdegree FROM ranks WHERE url = ?", url)
    if not expected:
        return same("rank", found, None)
    for key, value in zip(["node", "pagerank", "authority", "hub", "harmonic", "indegree", "outdegree"], expected[0]):
        same(key, found[key], value)
    higher, lower, nodes = rows(
        "SELECT count(*) FILTER (pagerank > ?), count(*) FILTER (pagerank < ?), count(*) FROM ranks", expected[0][1], expected[0][1]
    )[0]
    same("position", (found["position"], found["nodes"]), (higher + 1, nodes))
    same("percentile", found["percentile"], 100.0 * lower / nodes)
    # Each in-link gives 0.85 of the rank of its source, shared among what that links to.
    shares = rows(
        "SELECT r.url, 0.85 * r.pagerank / r.outdegree FROM arcs a JOIN ranks r ON r.node = a.source WHERE a.target = ?", found["node"]
    )
    comes = found["comes_from"]
    same("contributors", sorted(link["url"] for link in comes["links"]["listed"]), sorted(link for link, _ in shares))
    amounts = dict(shares)
    for link in comes["links"]["listed"]:
        same(f"contribution of {link['url']}", link["amount"], amounts[link["url"]])
    parts = comes["teleport"] + comes["dangling"] + sum(amounts.values()) + comes["remainder"]
    same("sum of contributions", parts, found["pagerank"])


def links(told):
    node = told["rank"] and told["rank"]["node"]
    if node is None:
        return
    for key, this, other in [("links_in", "target", "source"), ("links_out", "source", "target")]:
        expected = rows(
            f"SELECT n.url, a.weight, r.pagerank FROM arcs a JOIN nodes n ON n.node = a.{other} JOIN ranks r ON r.node = n.node "
            f"WHERE a.{this} = ? ORDER BY r.pagerank DESC, n.node",
            node,
        )
        found = told[key]["pages"]
        same(key, [(link["url"], link["links"], link["pagerank"]) for link in found["listed"]], expected)
        same(f"number of {key}", (found["total"], told[key]["links"]), (len(expected), sum(row[1] for row in expected)))
        for link in found["listed"]:
            ends = (link["url"], url) if key == "links_in" else (url, link["url"])
            anchors = rows(
                "SELECT DISTINCT anchor, kind FROM links WHERE target_url = ? AND source_key = (SELECT url_key FROM pages WHERE url = ? LIMIT 1)",
                ends[1],
                ends[0],
            )
            told_anchors = {(anchor["anchor"], anchor["kind"]) for anchor in link["anchors"]}
            same(f"anchors {ends}", told_anchors <= set(anchors) and len(told_anchors), min(3, len(anchors)))


def copies(told):
    pairs = rows(
        "SELECT b, kind, resemblance FROM duplicates WHERE a = ? UNION ALL SELECT a, kind, resemblance FROM duplicates WHERE b = ?", url, url
    )
    found = [(pair["url"], pair["kind"], pair["resemblance"]) for pair in told["duplicates"]["listed"]]
    same("duplicates", sorted(found), sorted(pairs))
    cluster = rows("SELECT cluster, size, representative, keep, kind FROM clusters WHERE url = ?", url)
    keys = ["number", "size", "representative", "keep", "kind"]
    same("cluster", told["cluster"] and tuple(told["cluster"][key] for key in keys), cluster[0] if cluster else None)
    passages = rows("SELECT b, words FROM passages WHERE a = ? UNION ALL SELECT a, words FROM passages WHERE b = ?", url, url)
    same("passages", sorted((row["url"], row["words"]) for row in told["passages"]["listed"]), sorted(passages))


def around(told):
    words = rows("SELECT tfidf_words FROM keywords WHERE url = ?", url)
    same("keywords", told["keywords"] and told["keywords"]["tfidf"], words[0][0] if words else None)
    for name in ["posts", "records", "structured"]:
        count = rows(
            f"SELECT count(*) FROM {name} t JOIN pages p USING (url, warc_filename, warc_record_offset) WHERE url = ? AND p.is_current", url
        )[0][0]
        same(name, told[name] or 0, count)
    name = url.split("/")[2].split(":")[0]
    host = rows("SELECT captures, html_pages, hosts_in, pagerank FROM hosts WHERE url_host_name = ?", name)
    keys = ["captures", "html_pages", "hosts_in", "pagerank"]
    same("host", told["host"] and tuple(told["host"][key] for key in keys), host[0] if host else None)
    template = rows("SELECT verdict, texts FROM templates WHERE url_host_name = ?", name)
    same("template", told["template"] and (told["template"]["verdict"], told["template"]["texts"]), template[0] if template else None)


urls = [row[0] for row in rows("SELECT url FROM pages UNION SELECT url FROM nodes ORDER BY url")][::every]
for url in urls:
    arguments = [webmill, "show", results, url, "--format", "json", "--top", "100000"]
    told = json.loads(subprocess.run(arguments, check=True, capture_output=True).stdout)
    if told["url"] != url or told["missing"] or told["warnings"]:
        sys.exit(f"{url}: {told['url']}, {told['missing']}, {told['warnings']}")
    for look_up in [captures, text, rank, links, copies, around]:
        look_up(told)
print(len(urls), compared)
