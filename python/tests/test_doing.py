"""What the compiled part does, against other programs and the binary."""

import functools
import http.server
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
import zipfile
from pathlib import Path

import polars as pl
import pytest

import webmill

pytest.importorskip("webmill._webmill", reason="the compiled part is not installed")

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>hello"


def test_extract_agrees_with_the_binary(binary: str, pages: list[Path]) -> None:
    assert pages
    seen = 0
    for options, arguments in [
        ({}, []),
        ({"with_markdown": True, "focus": "precision"}, ["--with-markdown", "--precision"]),
        ({"with_title": True}, ["--with-title"]),
        ({"tables": False, "links": False, "comments": False}, ["--no-tables", "--no-links", "--no-comments"]),
    ]:
        for page in pages[:12]:
            command = [binary, "text", "--format", "json", "--input", "html", "--url", "http://a.example/x", *arguments]
            done = subprocess.run(command, stdin=page.open("rb"), capture_output=True, text=True)
            if done.returncode:
                with pytest.raises(webmill.Error):
                    webmill.extract(page.read_bytes(), "http://a.example/x", **options)
                continue
            assert dict(webmill.extract(page.read_bytes(), "http://a.example/x", **options)) == json.loads(done.stdout), page
            seen += 1
    assert seen > 6


def test_extract_batch_agrees_with_extract(pages: list[Path]) -> None:
    html = [page.read_bytes() for page in pages]
    table = pl.DataFrame({"html": [*html, None], "url": [None] * (len(html) + 1)}, schema={"html": pl.Binary, "url": pl.String})
    batch = webmill.extract_batch(table, full=True).to_polars()
    assert batch["row"].to_list() == list(range(len(html) + 1))
    for row, page in zip(batch.iter_rows(named=True), html):
        if row["error"] is None:
            one = webmill.extract(page)
            assert json.loads(row["json"]) == one
            assert (row["text"], row["title"], row["tags"]) == (one.text, one.title, one.tags)
        else:
            with pytest.raises(webmill.Error):
                webmill.extract(page)
    assert batch["error"].null_count() == len(html)
    assert "null" in batch["error"][-1]


def test_characters_are_not_bytes() -> None:
    page = "<meta charset=gbk><p>Grüße aus der Mühle, in der Wörter zu Korn gemahlen werden."
    assert "Mühle" in webmill.extract(page).text
    assert "Mühle" in webmill.extract_batch(pl.DataFrame({"html": [page]}), url=None).to_polars()["text"][0]
    with pytest.raises(webmill.Error, match="no address"):
        webmill.extract(page, "mill")
    with pytest.raises(TypeError):
        webmill.extract(12)  # pyright: ignore


def test_forms_feeds_and_languages() -> None:
    page = "<body><h1>Mills</h1><p>The mill grinds slowly but finely, as all mills of this valley do since they were built."
    assert webmill.extract(page, format="md").startswith("# Mills\n")
    assert webmill.extract(page, format="tei").startswith("<TEI")
    assert webmill.extract(page, language="fr") is None
    feed = b"<rss version='2.0'><channel><title>F</title><item><title>A</title><description>One.</description></item></channel></rss>"
    items = webmill.extract(feed, input="auto")
    assert [item.kind for item in items] == ["item"]


def warc(records: list[tuple[str, bytes]], gzip: bool) -> bytes:
    from warcio.statusandheaders import StatusAndHeaders
    from warcio.warcwriter import WARCWriter

    out = io.BytesIO()
    writer = WARCWriter(out, gzip=gzip)
    for url, body in records:
        http = StatusAndHeaders("200 OK", [("Content-Type", "text/html"), ("X-Mill", "grinds")], protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(body), http_headers=http))
        writer.write_record(writer.create_warc_record(url, "metadata", payload=io.BytesIO(b"a: b")))
    return out.getvalue()


@pytest.mark.parametrize("gzip", [True, False])
def test_captures_are_those_of_warcio(tmp_path: Path, gzip: bool) -> None:
    from warcio.archiveiterator import ArchiveIterator

    records = [(f"http://a.example/{i}", b"<p>page %d" % i * (i + 1)) for i in range(200)]
    path = tmp_path / "a.warc.gz"
    path.write_bytes(warc(records, gzip))
    expected = []
    with path.open("rb") as stream:
        iterator = ArchiveIterator(stream)
        for record in iterator:
            if record.rec_type == "response":
                body = record.content_stream().read()
                expected.append(
                    (record.rec_headers["WARC-Target-URI"], body, record.http_headers.headers, iterator.get_record_offset())
                )
    found = [(c.url, c.body, c.headers, c.offset) for c in webmill.captures(path)]
    assert found == expected and len(found) == 200
    first = next(webmill.captures(path))
    assert (first.status, first.mime, first.header("x-mill"), first.kind) == (200, "text/html", "grinds", "response")
    assert first.date is not None and first.date.tzinfo is not None and first.record_id
    assert webmill.read_capture(path, found[7][3]).url == found[7][0]
    assert sum(1 for _ in webmill.captures(path, kinds=None)) == 401 - 1
    assert [c.kind for c in webmill.captures(path, kinds="metadata")][:1] == ["metadata"]


def test_a_wacz_is_read_as_the_archive_in_it(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    data = warc([(f"http://a.example/{i}", b"<p>page") for i in range(9)], True)
    (tmp_path / "a.warc.gz").write_bytes(data)
    with zipfile.ZipFile(tmp_path / "in" / "x.wacz", "w") as wacz:
        wacz.writestr("datapackage.json", "{}", zipfile.ZIP_DEFLATED)
        wacz.writestr("archive/a.warc.gz", data)
    plain = [(c.url, c.offset, c.body) for c in webmill.captures(tmp_path / "a.warc.gz")]
    for place in ["in/x.wacz", "in"]:
        assert [(c.url, c.offset, c.body) for c in webmill.captures(tmp_path / place)] == plain
    inside = tmp_path / "in" / "x.wacz" / "archive" / "a.warc.gz"
    assert webmill.read_capture(inside, plain[4][1]).url == plain[4][0]
    results = webmill.run(tmp_path / "in", tmp_path / "out")
    names = results.table("pages").collect()["warc_filename"].unique().to_list()
    assert names == ["x.wacz/archive/a.warc.gz"]
    assert results.html(plain[4][0]) == plain[4][2]


def test_run_takes_files_and_urls_of_archives(archive: Path, tmp_path: Path) -> None:
    wacz = tmp_path / "pages.wacz"
    with zipfile.ZipFile(wacz, "w") as out:
        out.writestr("datapackage.json", "{}", zipfile.ZIP_DEFLATED)
        out.write(archive, "archive/pages.warc.gz")
    serve = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        urls = [f"http://127.0.0.1:{server.server_port}/{path.name}" for path in (archive, wacz)]
        for n, source in enumerate([archive, str(wacz), *urls]):
            made = webmill.run(source, tmp_path / f"out{n}", threads=2)
            opened = webmill.open(tmp_path / f"out{n}")
            assert made.texts().collect().height == opened.texts().collect().height == 2
            with pytest.raises(webmill.Error, match="webmill.run"):
                webmill.open(source)
        server.shutdown()


def test_damage_has_path_offset_and_reason_and_reading_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    whole = warc([(f"http://a.example/{i}", b"<p>page") for i in range(9)], True)
    path.write_bytes(whole)
    offset = [c.offset for c in webmill.captures(path)][4]
    path.write_bytes(whole[: offset + 30] + b"\xff" * 40 + whole[offset + 70 :])
    captures = webmill.captures(path)
    urls: list[str] = []
    faults: list[webmill.Error] = []
    while True:
        try:
            urls.append(next(captures).url)
        except StopIteration:
            break
        except webmill.Error as fault:
            faults.append(fault)
    assert urls == [f"http://a.example/{i}" for i in range(9) if i != 4]
    assert faults[0].path and faults[0].path.endswith("a.warc.gz")
    assert faults[0].offset is not None and offset <= faults[0].offset < offset + 200
    assert faults[0].kind == "corrupt" and faults[0].reason
    passed = webmill.captures(path, errors="skip")
    assert [c.url for c in passed] == urls
    assert passed.skipped == len(faults) == len(passed.damage)
    columns = webmill.captures(path, errors="skip").batches()
    assert columns.to_pyarrow().column("url").to_pylist() == urls
    assert columns.skipped == len(faults) and columns.damage == passed.damage
    with pytest.raises(webmill.Error):
        webmill.captures(path).batches().to_pyarrow()
    with pytest.raises(webmill.Error) as fault:
        webmill.captures(tmp_path / "none.warc")
    assert fault.value.path and fault.value.kind == "io"


def written(path: Path, count: int = 5) -> Path:
    with webmill.RawDbWriter(path, compression="gzip") as out:
        for i in range(count):
            out.write(f"http://a.example/{i}", ANSWER, 1_700_000_000_123 // 1000 * 1000, properties={"x-mill": str(i)})
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.rawdb")
    found = list(webmill.captures(path))
    assert [c.url for c in found] == [f"http://a.example/{i}" for i in range(5)]
    assert all(c.body == b"<p>hello" and c.data == ANSWER and c.date_ms == 1_700_000_000_000 for c in found)
    assert ("x-mill", "3") in found[3].properties
    with pytest.raises(RuntimeError), webmill.RawDbWriter(tmp_path / "b.rawdb") as out:
        out.write("http://a.example/", ANSWER)
        raise RuntimeError
    assert not (tmp_path / "b.rawdb").exists()


def test_capsules_go_round_polars_pyarrow_pandas_and_duckdb(tmp_path: Path) -> None:
    import duckdb
    import pyarrow as pa

    batches = webmill.captures(written(tmp_path / "a.rawdb", 2500)).batches(rows=1000)
    assert [len(batch) for batch in batches] == [1000, 1000, 500]
    frame = batches.to_polars()
    assert frame.height == 2500 and frame["body"][0] == b"<p>hello" and frame["status"].dtype == pl.Int16
    table = pa.table(batches)
    assert table.num_rows == 2500 and pl.DataFrame(table).equals(frame)
    assert pa.RecordBatchReader.from_stream(batches).read_all().equals(table)
    bodies = pl.DataFrame({"html": ["<p>One page says this.", "<p>Another says that."]})
    texts = webmill.extract_batch(bodies, url=None)
    assert texts.to_pandas()["text"].tolist() == ["One page says this.", "Another says that."]
    arrow = texts.to_pyarrow()
    for form in (arrow, texts):
        assert duckdb.sql("SELECT COUNT(*) FROM form WHERE text LIKE 'One%'").fetchall() == [(1,)], type(form)
    for form in (bodies, bodies.to_arrow(), bodies.to_pandas(), pa.table({"html": bodies["html"].to_list()}), duckdb.sql("FROM bodies")):
        again = webmill.extract_batch(form, url=None)
        assert again.to_pyarrow().equals(arrow), type(form)
    with pytest.raises(ValueError, match="html"):
        webmill.extract_batch(pl.DataFrame({"x": ["a"]}))
    with pytest.raises(TypeError, match="no Arrow data"):
        webmill.extract_batch([1])


ARCS = [(1, 2), (2, 3), (3, 1), (3, 2), (4, 1), (5, 4), (5, 2), (2, 6)]


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("named", [True, False])
def test_pagerank_is_that_of_networkx(named: bool, weighted: bool) -> None:
    import networkx

    name = (lambda node: f"http://n{node}.example/") if named else (lambda node: node)
    src, dst = [name(u) for u, _ in ARCS], [name(v) for _, v in ARCS]
    weights = [1.0 + i % 3 for i in range(len(ARCS))] if weighted else None
    graph = networkx.DiGraph()
    for i, (u, v) in enumerate(zip(src, dst)):
        graph.add_edge(u, v, weight=weights[i] if weights else 1.0)
    expected = networkx.pagerank(graph, tol=1e-12, max_iter=1000)
    found = dict(webmill.pagerank(src, dst, weights).to_polars().iter_rows())
    assert found.keys() == expected.keys()
    assert all(abs(found[node] - expected[node]) < 1e-9 for node in found)
    frame = pl.DataFrame({"src": src, "dst": dst})
    assert dict(webmill.pagerank(frame["src"], frame["dst"], weights).to_polars().iter_rows()) == found
    if not weighted:
        hubs, authorities = networkx.hits(graph, tol=1e-12, max_iter=5000)
        ours = webmill.hits(src, dst).to_polars()
        for scores, column in ((hubs, "hub"), (authorities, "authority")):
            total = ours[column].sum()
            assert all(abs(scores[n] - s / total) < 1e-6 for n, s in zip(ours["node"], ours[column]))


def quoting(number: int) -> bytes:
    """An answer whose body holds what looks like records, as archives of archives do."""
    record = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://quoted.example/\r\nContent-Length: 4\r\n\r\nfake\r\n\r\n"
    filler = f"<p>{number} " + "".join(f"{number * i % 9973:x} " for i in range(number % 700))
    return ("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + filler + record * (number % 40)).encode()


@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_large_files_are_read_in_their_order_by_all_processors(tmp_path: Path, compression: str) -> None:
    expected = []
    for name in ("a", "b"):
        with webmill.RawDbWriter(tmp_path / f"{name}.rawdb", compression=compression) as out:
            for number in range(3000):
                out.write(f"http://{name}.example/{number}", quoting(number), 1_700_000_000_000)
                expected.append((f"http://{name}.example/{number}", len(quoting(number).split(b"\r\n\r\n", 1)[1])))
    assert (tmp_path / "a.rawdb").stat().st_size > (1 << 20), "several parts"
    found = [(capture.url, len(capture.body)) for capture in webmill.captures(tmp_path)]
    assert found == expected
    assert sum(batch.num_rows for batch in webmill.captures(tmp_path).batches()) == len(expected)
    # Who stops in the middle leaves nothing behind.
    for _ in range(20):
        assert next(iter(webmill.captures(tmp_path))).url == "http://a.example/0"
    begun = webmill.captures(tmp_path)
    next(iter(begun))
    if hasattr(os, "fork"):
        child = os.fork()
        if child == 0:
            try:
                for _ in range(3000):
                    next(iter(begun))
            except webmill.Error as fault:
                os._exit(0 if "fork" in str(fault) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_graphs_are_loaded_and_converted(tmp_path: Path, results: Path) -> None:
    edges = tmp_path / "edges.txt"
    edges.write_text("http://a.org/ -> http://b.org/\nhttp://b.org/ -> http://c.org/\n")
    graph = webmill.Graph.load(edges)
    assert (graph.num_nodes, graph.num_arcs, graph.nodes[0]) == (3, 2, "http://a.org/")
    webmill.convert_graph(edges, tmp_path / "graph.mtx")
    webmill.convert_graph(edges, tmp_path / "again.out", format="mtx")
    assert (tmp_path / "again.out").read_bytes() == (tmp_path / "graph.mtx").read_bytes()
    assert webmill.Graph.load(tmp_path / "graph.mtx").arcs().to_polars().height == 2
    ranked = webmill.Graph.load(results, level="host").pagerank(tolerance=1e-12).to_polars()
    stored = webmill.open(results).ranks.filter(level="host").select("url", "pagerank").collect()
    assert ranked["node"].to_list() == stored["url"].to_list()
    assert (ranked["pagerank"] - stored["pagerank"]).abs().max() < 1e-9  # pyright: ignore
    with pytest.raises(webmill.Error):
        webmill.Graph.load(tmp_path / "none")
    with pytest.raises((TypeError, ValueError)):
        webmill.pagerank(["a"], [1])
    with pytest.raises(webmill.Error, match="one length"):
        webmill.pagerank(["a", "b"], ["b"])


def test_fingerprints_and_duplicates(results: Path) -> None:
    c = webmill.open(results)
    pages = c.texts(join="pages").select("text", "simhash").head(20).collect()
    assert [webmill.simhash(text) for text in pages["text"]] == pages["simhash"].to_list()
    assert webmill.simhash("…") is None and webmill.minhash("") is None
    words = [f"word{i}" for i in range(400)]
    a, b = " ".join(words), " ".join([*words[:395], "else"])
    x, y = webmill.minhash(a), webmill.minhash(b)
    assert x and y and sum(p == q for p, q in zip(x, y)) > 100
    found = webmill.near_duplicates([a, "nothing of that", a.upper(), b]).to_polars()
    assert found["representative"].to_list() == [0, 1, 0, 0]
    assert found["kind"].to_list() == ["representative", "representative", "text", "near"]
    assert found.to_dicts() == webmill.near_duplicates(pl.Series([a, "nothing of that", a.upper(), b])).to_polars().to_dicts()
    # One band of 64 rows brings no two texts together that differ; their SimHashes do.
    few = webmill.near_duplicates([a, b], bands="1x64", simhash_bits=7).to_polars()
    assert few["representative"].to_list() == [0, 0]
    assert webmill.near_duplicates([a, b], bands="1x64", simhash_bits=None).to_polars()["representative"].to_list() == [0, 1]
    with pytest.raises(webmill.Error, match="simhash_bits"):
        webmill.near_duplicates([a, b], simhash_bits=8)


def test_run_gives_results_and_progress(tmp_path: Path, demo: Path) -> None:
    phases: list[tuple[str, int, int]] = []
    c = webmill.run(
        demo / "crawl" / "shards",
        tmp_path / "out",
        recipe={"rank": {"damping": 0.5}},
        progress=lambda *news: phases.append(news),
        memory="256MiB",
    )
    assert c.texts(join="ranks").collect().height > 20
    assert len({phase for phase, _, _ in phases}) > 1
    url = c.texts().collect()["url"][0]
    assert b"<" in c.html(url) and c.capture(url).url == url
    with pytest.raises(webmill.Error, match="damping"):
        webmill.run(demo / "crawl" / "shards", tmp_path / "out", recipe={"rank": {"damping": 5.0}})
    with pytest.raises(webmill.Error):
        webmill.run(tmp_path / "none.warc", tmp_path / "out2")
    moved = webmill.open(tmp_path / "out", shards=tmp_path)
    with pytest.raises(webmill.Error, match="shards=FOLDER"):
        moved.html(url)


SLOW = """
import sys, time, webmill, polars as pl
page = "<p>" + "The mill grinds slowly but finely, as all mills of the valley do. " * 20000
pages = pl.DataFrame({"html": [page] * 400})
print("begin", flush=True)
try:
    webmill.extract_batch(pages, url=None)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def test_an_interrupt_ends_work_within_a_second() -> None:
    child = subprocess.Popen([sys.executable, "-c", SLOW], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begin\n"
    time.sleep(0.5)
    assert child.poll() is None
    begin = time.monotonic()
    child.send_signal(signal.SIGINT)
    line = child.stdout.readline()
    seconds = time.monotonic() - begin
    child.kill()
    assert line == "interrupted\n"
    assert seconds < 1.5, seconds


def test_the_interpreter_is_let_go() -> None:
    pages = pl.DataFrame({"html": ["<p>" + "The mill grinds slowly but finely, as mills do. " * 3000] * 100})
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    webmill.extract_batch(pages, url=None)
    done.set()
    thread.join()
    assert ticks > 2


def test_drop_in_for_trafilatura() -> None:
    from webmill.compat import trafilatura

    page = "<html><head><title>Mills</title></head><body><h1>Mills</h1><p>The mill grinds slowly but finely, as <a href='/x'>mills</a> do."
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = trafilatura.extract(page, favor_recall=True, include_links=False)
        assert text and "grinds slowly" in text
        form = trafilatura.extract(page, url="http://a.example/", output_format="markdown", include_links=True)
        assert form and "](http://a.example/x)" in form
        assert trafilatura.extract(page, only_with_metadata=True) is None
        assert json.loads(trafilatura.extract(page, output_format="json", with_metadata=True) or "")["title"] == "Mills"
        assert trafilatura.extract(b"") is None
    with pytest.warns(UserWarning, match="deduplicate, date_extraction_params") as found:
        trafilatura.extract(page, deduplicate=True, date_extraction_params={"max_date": "2020-01-01"})
    assert len(found) == 1
    with pytest.raises(AttributeError):
        trafilatura.extract(page, output_format="pdf")


def test_its_arguments_are_those_of_trafilatura() -> None:
    import inspect

    theirs = pytest.importorskip("trafilatura")
    from webmill.compat import trafilatura

    asked = [name for name in inspect.signature(theirs.extract).parameters if name not in ("args", "kwargs")]
    ours = list(inspect.signature(trafilatura.extract).parameters)
    assert [name for name in ours if name in asked] == asked


def test_shards_of_equal_names_are_told_apart(tmp_path: Path) -> None:
    for year in ("2013", "2014"):
        (tmp_path / "in" / year).mkdir(parents=True)
        page = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>{year}</title><p>Words of the year {year}."
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000{year}>\r\n"
            f"WARC-Date: {year}-01-01T00:00:00Z\r\nWARC-Target-URI: http://mill.example/{year}\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(page)}\r\n\r\n"
        )
        (tmp_path / "in" / year / "a.warc").write_bytes((head + page + "\r\n\r\n").encode())
    webmill.run(tmp_path / "in", tmp_path / "out")
    results = webmill.open(tmp_path / "out")
    for year in ("2013", "2014"):
        assert f"<title>{year}".encode() in results.html(f"http://mill.example/{year}")
    whole = (tmp_path / "in" / "2014" / "a.warc").read_bytes()
    (tmp_path / "torn.warc").write_bytes(whole + b"WARC/1.1\r\n" + bytes(400) + whole)
    with pytest.warns(RuntimeWarning, match="records damaged"):
        webmill.run(tmp_path / "torn.warc", tmp_path / "torn")
