"""Columns and arguments: every layout that people have, and errors that say where and what there is."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import webmill

PAGE = "<body><h1>Mills</h1><p>The mill grinds slowly but finely, as mills do, and it has done so for years."
TEXTS = ["a b c", "x y z w"] * 3


@pytest.mark.parametrize(
    "column",
    [
        TEXTS, tuple(TEXTS), iter(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object), pd.Series(TEXTS),
        pd.Series(TEXTS, dtype="category"), pd.Series(TEXTS, dtype="string"), pl.Series(TEXTS), pl.Series(TEXTS, dtype=pl.Categorical),
        pa.array(TEXTS), pa.array(TEXTS, pa.large_string()), pa.array(TEXTS, pa.string_view()), pa.array(TEXTS).dictionary_encode(),
        pa.array(["-", *TEXTS, "-"])[1:-1], pa.chunked_array([TEXTS[:2], TEXTS[2:]]),
        pa.array(["-", *TEXTS]).dictionary_encode()[1:],
    ],
)  # fmt: skip
def test_texts_of_any_layout(column: Any) -> None:
    assert webmill.near_duplicates(column).to_polars()["representative"].to_list() == [0, 1, 0, 1, 0, 1]


def test_nulls_are_texts_that_are_missing() -> None:
    for column in [["a b c", None, "a b c"], ["a b c", float("nan"), "a b c"], pd.Series(["a b c", pd.NA, "a b c"])]:
        assert webmill.near_duplicates(column).to_polars()["representative"].to_list() == [0, 1, 0]
    assert webmill.near_duplicates(pa.nulls(2)).num_rows == 2


@pytest.mark.parametrize("labels", [[0, 1], np.array([0, 1]), pd.Series([0, 1]), [True, False], pa.array([0, 1], pa.int8())])
def test_labels_may_be_numbers(labels: Any) -> None:
    column = pa.concat_arrays([labels] * 4) if isinstance(labels, pa.Array) else [*labels] * 4
    assert webmill.train(["apple pear", "saw axe"] * 4, column).classes == ["0", "1"]


def test_pages_of_any_table() -> None:
    for table in [
        pl.DataFrame({"html": [PAGE], "url": [None]}), pl.LazyFrame({"html": [PAGE], "url": [None]}), pa.table({"html": [PAGE], "url": pa.nulls(1)}),
        pa.table({"html": pa.array([PAGE]).dictionary_encode(), "url": pa.array([b"http://a.example/"])}),
        pd.DataFrame({"html": pd.Series([PAGE], dtype="category"), "url": [None]}),
    ]:  # fmt: skip
        assert "grinds" in webmill.extract_batch(table).to_polars()["text"][0]


def test_nodes_of_any_type() -> None:
    large = [1, 2**63]
    for src, dst in [
        (np.array(large, np.uint64), np.array(large[::-1], np.uint64)), (large, large[::-1]),
        (pl.Series(large, dtype=pl.UInt64), pl.Series(large[::-1], dtype=pl.UInt64)),
    ]:  # fmt: skip
        assert webmill.pagerank(src, dst).to_polars()["node"].to_list() == large
    assert webmill.Graph(np.array([3, -1], np.int8), [1, 2]).nodes == [-1, 1, 2, 3]
    assert webmill.Graph(pd.Series(["a"], dtype="category"), ["b"]).nodes == ["a", "b"]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: webmill.pagerank(["a", None], ["b", "a"]), r"src\[1\] is null"),
        (lambda: webmill.pagerank(["a", "b"], ["b", 3]), r"dst\[1\] is int"),
        (lambda: webmill.pagerank([1, -1], [2**63, 2]), "below 0"),
        (lambda: webmill.Graph(["a", "b"], ["b", "a"], [1, None]), r"weights\[1\] is null"),
        (lambda: webmill.Graph(["a", "b"], ["b", "a"], [1, float("nan")]), r"weights\[1\] = NaN"),
        (lambda: webmill.Graph(["a", "b"], ["b", "a"], [-1.0, 1]), r"weights\[0\] = -1"),
        (lambda: webmill.Graph(["a"] * 2, ["b", "c"], [2.0**24, 2.0**24 + 1]), r"weights\[1\] = 16777217"),
        (lambda: webmill.near_duplicates(["a", 3.5]), r"texts\[1\] is float"),
        (lambda: webmill.near_duplicates([1, 2]), "texts are strings"),
        (lambda: webmill.near_duplicates("a b c"), "texts is one value"),
        (lambda: webmill.near_duplicates(3), "texts: a column"),  # type: ignore[arg-type]
        (lambda: webmill.near_duplicates(np.zeros((2, 2))), "one dimension"),
        (lambda: webmill.captures("nothing", kinds="responses"), "'response'"),
        (lambda: webmill.extract(PAGE, format="nope"), "'md'"),  # type: ignore[call-overload]
        (lambda: webmill.extract(PAGE, input="nope"), "'sitemap'"),  # type: ignore[call-overload]
        (lambda: webmill.extract(PAGE, focus="nope"), "'recall'"),  # type: ignore[call-overload]
        (lambda: webmill.extract(PAGE, language="klingon"), "klingon"),
        (lambda: webmill.topics(TEXTS, languages=["tlh"] * 6), r"languages\[0\] = \"tlh\""),
        (lambda: webmill.train(TEXTS, TEXTS, method="magic"), "naive-bayes"),
        (lambda: webmill.near_duplicates(TEXTS, bands="magic"), "datatrove"),
        (lambda: webmill.run([], "nowhere"), "inputs"),
        (lambda: webmill.captures(b"a\xff.warc"), "UTF-8"),
    ],
)  # fmt: skip
def test_what_cannot_be_says_why(call: Any, why: str) -> None:
    with pytest.raises((ValueError, TypeError), match=why):
        call()


def test_a_cut_is_told_with_its_number() -> None:
    many = "".join(f"<p>The mill number {i} grinds slowly.</p>" for i in range(60_000))
    assert webmill.extract(many).cuts == ["blocks:10000"]
    rows = "".join(f"<tr><td>name {i}<td>value {i}" for i in range(30_000))
    assert webmill.extract(f"<h1>Values</h1><table>{rows}</table>").cuts == ["blocks:10001"]
    long = "<h1>Mills</h1><p>" + "The mill grinds slowly. " * 440_000
    page = webmill.extract(long)
    assert [cut.split(":")[0] for cut in page.cuts] == ["text"] and len(page.text) > 8_000_000
    table = webmill.extract_batch(pl.DataFrame({"html": [many, PAGE]}), url=None).to_polars()
    assert table["cuts"].to_list() == [["blocks:10000"], []]


def test_as_many_topics_as_are_asked_for() -> None:
    fruit, tools = ["apple and pear", "a ripe pear", "apple pie, apple"], ["hammer and saw", "a sharp saw", "saw the wood, hammer"]
    texts = fruit * 4 + tools * 4
    for k in [1, 2, 3]:
        assert webmill.topics(texts, k=k)[1].num_rows == k
    of_texts, about = webmill.topics(texts, k=2, languages=["en"] * 24)
    assert about.to_polars()["size"].to_list() == [12, 12] and of_texts.to_polars()["topic"][:12].n_unique() == 1


def test_pages_are_never_lost_to_an_argument_of_trafilatura() -> None:
    from webmill.compat import trafilatura

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for more in [{"url": "/a"}, {"url": "a.example/x"}, {"url": ""}, {"target_language": "en-gb"}, {"target_language": "klingon"}]:
            text = trafilatura.extract(PAGE, **more)  # type: ignore[arg-type]
            assert text and "grinds" in text
        assert "grinds" in (trafilatura.extract(PAGE + "\ud800 ") or "")
    for nothing in [None, 3, "", b"", "   ", b"\x00\x01\x02" * 100]:
        assert trafilatura.extract(nothing) is None


def test_forms_of_trafilatura() -> None:
    import csv
    import json

    theirs = pytest.importorskip("trafilatura")
    from lxml import html
    from webmill.compat import trafilatura

    page = (
        "<html lang=en><head><title>Mills</title><meta name=author content='A. Miller'><meta name=keywords content='mill, flour'>"
        "<link rel=canonical href='http://a.example/mills'><meta property='article:published_time' content='2020-05-06'></head><body><article><h1>Mills"
        "</h1><p>The <b>mill</b> grinds slowly but finely, as <a href='/x'>mills</a> do, and it has done so for a hundred years.</p>"
        "<ul><li>one stone</li><li>two stones</li></ul><p>It stands at the river, and the river never sleeps while it rains.</p>"
    )
    assert set(theirs.__all__) <= set(trafilatura.__all__)
    for form in ["txt", "markdown", "json", "csv", "html", "xml", "xmltei"]:
        for metadata in [False, True]:
            ours = trafilatura.extract(page, output_format=form, with_metadata=metadata, record_id="7")
            assert ours is not None and "grinds slowly" in ours, form
            if form == "json":
                assert set(json.loads(ours)) == set(json.loads(theirs.extract(page, output_format=form, with_metadata=metadata)))
            if form in ("html", "xml"):
                html.fromstring(ours)
    found = json.loads(trafilatura.extract(page, output_format="json", with_metadata=True) or "")
    assert (found["tags"], found["source"], found["hostname"]) == ("mill;flour", "http://a.example/mills", "a.example")
    row = next(csv.reader([trafilatura.extract(page, output_format="csv", with_metadata=True) or ""], delimiter="\t"))
    assert row[0] == "http://a.example/mills" and row[4] == "Mills"
    header = trafilatura.extract(page, with_metadata=True) or ""
    assert header.startswith("---\ntitle: Mills\nauthor: A. Miller\n")
    bare = trafilatura.bare_extraction(page, with_metadata=True)
    assert isinstance(bare, trafilatura.Document) and bare.date == "2020-05-06" and bare.body.findall("p")
    assert set(bare.as_dict()) == set(theirs.bare_extraction(page).as_dict())
    stated = trafilatura.extract_metadata(page)
    assert stated is not None and (stated.title, stated.text) == ("Mills", None)
    assert trafilatura.extract(html.fromstring(page)) == trafilatura.extract(page)
    assert "grinds" not in (trafilatura.extract(page, prune_xpath="//p[1]") or "")
    options = theirs.settings.Extractor(output_format="markdown", links=True, url="http://a.example/")
    assert "](http://a.example/x)" in (trafilatura.extract(page, options=options) or "")
    assert trafilatura.html2txt(page).startswith("Mills Mills The mill grinds")
    assert trafilatura.baseline(page)[2] > 100 and trafilatura.load_html(page).tag == "html"
    for call in [lambda m: m.extract(page, output_format="python"), lambda m: m.extract(page, max_tree_size=3)]:
        for module in [theirs, trafilatura]:
            with pytest.raises(ValueError):
                call(module)


def test_fetching_as_trafilatura_does() -> None:
    import http.server
    import threading

    from webmill.compat import trafilatura

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html; charset=gb2312")
            self.end_headers()
            self.wfile.write("<p>石磨".encode("gb2312"))

        def log_message(self, *_: object) -> None: ...

    with http.server.HTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        assert trafilatura.fetch_url(base + "/") == "<p>石磨"
        assert trafilatura.fetch_url(base + "/none") is None
        answer = trafilatura.fetch_response(base + "/none", with_headers=True)
        assert answer is not None and answer.status == 404 and (answer.headers or {})["content-type"].startswith("text/html")
        server.shutdown()
    assert trafilatura.fetch_url("file:///etc/passwd") is None


@pytest.mark.parametrize("missing", ["pandas", "pyarrow"])
def test_spark_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    # The module of Spark's check needs a name of PySpark alone.
    pyspark = types.ModuleType("webmill.spark._pyspark")
    pyspark.SparkSession = Any  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "webmill.spark._pyspark", pyspark)
    from webmill.spark import _check

    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(webmill.Error, match=f"pip install {missing}"):
        _check.check(None)
