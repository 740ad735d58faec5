"""Reading results, without the compiled part."""

import json
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import webmill
from webmill import _sql


def test_three_lines_to_url_text_and_pagerank(results: Path) -> None:
    c = webmill.open(results)
    frame = c.texts(join=["ranks"]).select("url", "text", "pagerank").collect()
    assert frame.height > 20
    assert frame["url"].n_unique() == frame.height
    assert frame["text"].null_count() == frame["pagerank"].null_count() == 0
    ranks = dict(c.ranks.filter(level="page").select("url", "pagerank").collect().iter_rows())
    assert all(ranks[url] == rank for url, rank in frame.select("url", "pagerank").iter_rows())


def test_every_table_opens_as_polars_arrow_and_pandas(results: Path) -> None:
    c = webmill.open(results)
    assert {"pages", "links", "texts", "ranks", "hosts"} <= set(c.tables)
    for name in c.tables:
        rows = c.files(name).rows
        assert c.table(name).collect().height == rows, name
        assert c.arrow(name).num_rows == rows, name
        assert len(c.pandas(name)) == rows, name
    html = c.pages.filter(pl.col("is_html"))
    assert html.arrow().num_rows == len(html.pandas()) > 20


def test_joins_multiply_no_row(results: Path) -> None:
    c = webmill.open(results)
    alone = c.texts().collect()
    joined = c.texts(join=["pages", "ranks", "nodes", "keywords", "clusters", "hosts"]).collect()
    assert joined["url"].to_list() == alone["url"].to_list()
    assert joined["top_language"].null_count() < joined.height
    everything = c.texts(current=False, join="ranks").collect()
    assert everything.height == c.files("texts").rows >= alone.height
    with pytest.raises(webmill.Error, match="no row a page"):
        c.texts(join="links")


def test_sql_over_all_tables(results: Path) -> None:
    c = webmill.open(results)
    found = c.sql("SELECT COUNT(*) AS n FROM texts JOIN ranks ON texts.url = ranks.url WHERE level = 'page'")
    assert found["n"][0] == c.texts(current=False, join="ranks").collect().height
    for name in c.tables:
        assert c.sql(f'SELECT * FROM "{name}"').height == c.files(name).rows, name


def test_sql_counts_rightly(results: Path) -> None:
    c = webmill.open(results)
    pages = c.pages.collect()
    told = c.sql("SELECT SUM(1) AS n, SUM(num_words * 1000000000) AS words, COUNT(*) - 1000 AS less FROM pages")
    assert told.row(0) == (pages.height, pages["num_words"].cast(pl.Int64).sum() * 10**9, pages.height - 1000)
    assert told["words"][0] > 2**32 and told.dtypes == [pl.Int64] * 3
    shares = c.sql("SELECT host, COUNT(*) / SUM(COUNT(*)) OVER () AS p FROM pages GROUP BY host")
    assert abs(shares["p"].sum() - 1) < 1e-9 and shares.height > 1
    assert c.sql("SELECT simhash FROM pages")["simhash"].max() == pages["simhash"].max()
    day = c.sql("SELECT date, fetch_time FROM pages WHERE fetch_time >= TIMESTAMP '2000-01-01 00:00:00' AND status = 200")
    assert day.height > 20 and all(time.date() == date and str(time.tzinfo) == "UTC" for date, time in day.iter_rows())
    with pytest.raises(webmill.Error, match="pagez"):
        c.sql("SELECT * FROM pagez")
    for without_rows in ("SET threads = 1", "CREATE TABLE a (b INT)", ""):
        with pytest.raises(webmill.Error, match="gives no rows"):
            c.sql(without_rows)
    with pytest.raises(webmill.Error, match="beyond 64 bits"):
        c.sql("SELECT SUM(9223372036854775807) * 4 AS n FROM pages")


def test_short_names_stand_for_columns_that_are_there(results: Path) -> None:
    c = webmill.open(results)
    views = (results / "webmill.sql").read_text()
    for alias, (_, expression) in _sql.ALIASES.items():
        assert f", {expression} AS {alias}" in views, alias
    short = c.sql("SELECT status, mime, host, domain, date, language FROM pages LIMIT 1")
    assert short.columns == list(_sql.ALIASES)
    # A column of that name stays what it is.
    assert c.sql("SELECT host FROM texts")["host"].sort().equals(c.texts.collect()["host"].sort())


def test_sql_says_what_it_needs(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match="pip install duckdb"):
        webmill.open(results).sql("SELECT 1")


def test_a_page_and_its_links(results: Path) -> None:
    c = webmill.open(results)
    best = c.sql("SELECT url FROM ranks WHERE level = 'page' ORDER BY pagerank DESC LIMIT 1")["url"][0]
    page = c.show(best)
    assert page.ranks["pagerank"] == c.ranks.filter(level="page").collect()["pagerank"].max()
    assert page.num_links_in > 0 and page.url in repr(page)
    sources = c.links.filter(target_url=best).collect().height
    assert page.num_links_in <= sources
    with pytest.raises(webmill.Error, match="no table knows"):
        c.show("http://nowhere.invalid/")


def test_a_changed_bit_is_an_error_that_names_the_file(results: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(results, copy, symlinks=True)
    before, found = webmill.open(copy).texts.collect(), 0
    file = webmill.open(copy).files("texts").files[0]
    whole = file.read_bytes()
    for place in range(20, len(whole) // 2, len(whole) // 12):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        try:
            assert webmill.open(copy).texts.collect().equals(before), f"byte {place} was changed in silence"
        except webmill.Error as fault:
            assert fault.path == str(file) and ("column" in fault.reason or "footer" in fault.reason)
            with pytest.raises(webmill.Error):
                webmill.open(copy).sql("SELECT count(*) AS n FROM texts")
            found += 1
    assert found >= 4


def test_what_is_no_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(webmill.Error) as fault:
        webmill.open(tmp_path)
    assert fault.value.path == str(tmp_path) and "webmill run" in fault.value.reason
    with pytest.raises(webmill.Error, match="no such folder"):
        webmill.open(tmp_path / "none")


def test_unknown_tables_name_the_known(results: Path) -> None:
    c = webmill.open(results)
    with pytest.raises(AttributeError, match="links"):
        c.pagez
    with pytest.raises(webmill.Error, match="links"):
        c.table("pagez")
    assert "pages" in dir(c) and "pages" in repr(c) and "<td>pages</td>" in c._repr_html_()


def moved(results: Path, to: Path) -> Path:
    shutil.copytree(results, to, symlinks=True)
    return to


def test_the_catalogue_is_read_where_it_is_as_new_as_the_results(results: Path, tmp_path: Path) -> None:
    folder = moved(results, tmp_path / "moved")
    (folder / "tables.json").unlink(missing_ok=True)
    by_manifests = webmill.open(folder)
    key = by_manifests.files("ranks").key
    link = folder / "rank" / "latest"
    real = os.path.realpath(link)
    jobs = {}
    for name in by_manifests.tables:
        files = by_manifests.files(name)
        folder_of = os.path.relpath(os.path.realpath(folder / files.job / "latest"), os.path.realpath(folder))
        jobs[files.job] = {"key": files.key, "folder": folder_of}
    files = [os.path.relpath(os.path.join(real, "ranks", f.name), os.path.realpath(folder)) for f in by_manifests.files("ranks").files]
    table = {"job": "rank", "key": key, "rows": by_manifests.files("ranks").rows, "bytes": 1, "files": files, "columns": []}
    document = {"format": 1, "webmill": "0", "jobs": jobs, "tables": {"ranks": table}, "stale": []}
    (folder / "tables.json").write_text(json.dumps(document))
    assert webmill.open(folder).tables == ["ranks"]
    # Without the links, as in a folder that was zipped.
    for latest in folder.glob("*/latest"):
        latest.unlink()
    assert webmill.open(folder).ranks.collect().height == by_manifests.files("ranks").rows
    # A catalogue whose files lead elsewhere is refused.
    table["files"] = ["../../etc/passwd"]
    (folder / "tables.json").write_text(json.dumps(document))
    with pytest.raises(webmill.Error, match="leads out"):
        webmill.open(folder)


def test_results_of_another_layout_are_refused(results: Path, tmp_path: Path) -> None:
    folder = moved(results, tmp_path / "moved")
    for found, told in [('{"layout": 2}', "found layout 2, expected"), ('{"layout": 99}', "found layout 99"), ("{}", "unreadable")]:
        (folder / "webmill.json").write_text(found)
        with pytest.raises(webmill.Error, match=told):
            webmill.open(folder)
    (folder / "webmill.json").unlink()
    with pytest.raises(webmill.Error, match="no results of webmill"):
        webmill.open(folder)


def test_results_of_other_results_are_left_out_and_named(results: Path, tmp_path: Path) -> None:
    folder = moved(results, tmp_path / "stale")
    (folder / "tables.json").unlink(missing_ok=True)
    manifest = folder / "graph" / "latest" / "manifest.json"
    content = json.loads(manifest.read_text())
    content["key"] = "0" * 32
    manifest.write_text(json.dumps(content))
    with pytest.warns(UserWarning, match="rank: made from"):
        c = webmill.open(folder)
    assert "ranks" not in c.tables and "nodes" in c.tables
    assert any(reason.startswith("rank:") for reason in c.stale)


@pytest.mark.parametrize("name", ["res [2024]", "res*x", "res?", "{a}", "it's \"so\"", os.fsdecode(b"caf\xe9")])
def test_any_folder_opens_and_stays_open_elsewhere(
    results: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = webmill.open(results).files("pages").rows
    # What the name matches as a pattern would be read too.
    for pattern, other in [("res [2024]", "res 2"), ("res*x", "res--x"), ("res?", "res1")]:
        if name == pattern:
            (tmp_path / other).symlink_to(name)
    monkeypatch.chdir(tmp_path)
    moved(results, Path(name))
    c = webmill.open(name)
    repr(c).encode()
    monkeypatch.chdir("/")
    assert c.pages.collect().height == c["pages"].collect().height == rows
    assert c.show(c.texts().collect()["url"][0]).text
    assert c.sql("SELECT COUNT(*) AS n FROM pages")["n"].to_list() == [rows]
    assert "pages" in c and list(c) == c.tables


def test_notebooks_show_rows_and_pages(results: Path) -> None:
    c = webmill.open(results)
    shown = c.pages.sort("url").select("url")._repr_html_()
    assert shown.count("<tr><td>") == 1 + 10 and "first 10 rows" in shown
    assert "first 10 rows" not in c.pages.head(3)._repr_html_()
    page = c.show(c.links.collect()["target_url"][0])
    shown = page._repr_html_()
    assert f'<a href="{page.url}">' in shown and f"links in: {page.num_links_in}" in shown
    hostile = replace(page, url="javascript:alert(1)", title="<script>", text="</pre><script>", copies=['http://a/"><b>'])
    shown = hostile._repr_html_()
    assert "<script" not in shown and 'href="javascript' not in shown and '"><b>' not in shown
