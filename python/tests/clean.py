"""What a user does first, in an environment that has the package and nothing but what it asks for.

usage: clean.py DEMO: a folder that `webmill demo` made. Reads its results, then extracts, reads captures, finds duplicates, ranks,
and mills shards into new results. Says what it ran on; fails where anything does.
"""

import sys
import tempfile
from pathlib import Path

demo = Path(sys.argv[1])
for name in ("pyarrow", "pandas", "numpy", "duckdb", "tqdm"):
    try:
        __import__(name)
    except ImportError:
        continue
    raise SystemExit(f"{name} is here: this environment is not clean")

import polars as pl

import webmill

c = webmill.open(demo / "results")
best = c.texts(join=["ranks"]).select("url", "text", "pagerank").sort("pagerank", descending=True).collect()
assert best.height > 20 and best["pagerank"][0] > best["pagerank"][-1] and all(best["text"].str.len_chars() > 0)
assert best["url"].n_unique() == best.height, "one row per URL"
try:
    c.sql("SELECT COUNT(*) AS n FROM pages")
    raise SystemExit("SQL without DuckDB")
except ImportError as fault:
    assert "pip install duckdb" in str(fault), fault
assert c["pages"]._repr_html_().count("<tr><td>") == 1 + 10
assert b"<" in c.html(best["url"][0])
assert best["url"][0] in str(c.show(best["url"][0]))

shards = sorted((demo / "crawl" / "shards").iterdir())
captures = list(webmill.captures(shards))
assert len(captures) == c.pages.filter(warc_type="response").select(pl.len()).collect().item()
pages = [(capture.url, capture.body) for capture in captures if capture.mime and "html" in capture.mime]
frame = pl.DataFrame({"url": [url for url, _ in pages], "html": [body for _, body in pages]})
texts = webmill.extract_batch(frame, html="html", url="url").to_polars()
assert texts.height == frame.height and texts["text"].drop_nulls().len() > 20
assert webmill.extract(pages[0][1], url=pages[0][0]).text
assert webmill.near_duplicates(texts["text"].fill_null("")).to_polars()["kind"].n_unique() > 1
links = c.links.select("source_url", "target_url").collect()
ranks = webmill.pagerank(links["source_url"], links["target_url"]).to_polars()
assert abs(ranks["pagerank"].sum() - 1) < 1e-6

with tempfile.TemporaryDirectory() as folder:
    again = webmill.run(shards, Path(folder) / "again", threads=2)
    assert again.texts(join=["ranks"]).collect().height > 20

print(f"Python {sys.version.split()[0]}, polars {pl.__version__}: {webmill.__file__}")
