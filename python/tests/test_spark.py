"""webmill.spark on two cores of this machine: its answers are those of the binary, whatever becomes of its tasks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason="PySpark is not installed: make tools")
pytest.importorskip("webmill._webmill", reason="the compiled part is not installed")
if shutil.which("java") is None:
    pytest.skip("no Java (apt install openjdk-17-jre-headless): webmill.spark was not tried", allow_module_level=True)

from webmill import Error
from webmill import spark as ws

PACKAGE = Path(__file__).resolve().parents[1]
# Small parts, so that there are seams; templates of small hosts too; passages are no part of webmill.spark.
RECIPE: dict[str, dict[str, Any]] = {
    "extract": {"part_bytes": 16_384, "buffer_bytes": 200_000, "file_rows": 64, "template_pages": 20},
    "dedup": {"passages": False},
}


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The recipe as a file, which the binary and Spark read."""
    text = "\n".join(
        f"[{table}]\n" + "\n".join(f"{name} = {json.dumps(value)}" for name, value in values.items())
        for table, values in RECIPE.items()
    )
    path = tmp_path_factory.mktemp("recipe") / "recipe.toml"
    path.write_text(text)
    return str(path)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """A session on two cores, with four attempts a task and speculation."""
    from pyspark.sql import SparkSession

    os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.speculation", "true")
        .config("spark.sql.shuffle.partitions", "3")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    yield spark
    spark.stop()


@pytest.fixture(scope="module")
def shards(demo: Path) -> Path:
    """The shards of the demo's crawl."""
    return demo / "crawl" / "shards"


@pytest.fixture(scope="module")
def local(binary: str, shards: Path, recipe: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the binary makes of the shards."""
    commands = ["extract", "graph", "rank", "dedup", "count words", "count backlinks", "count host-terms"]
    return run_locally(binary, shards, recipe, tmp_path_factory.mktemp("local"), commands)


def run_locally(binary: str, shards: Path, recipe: str, out: Path, commands: list[str]) -> Path:
    """Runs commands of the binary, the first on the shards."""
    for command in commands:
        inputs = [str(shards), "--out", str(out)] if command == "extract" else [str(out)]
        arguments = [*command.split(), *inputs, "--recipe", recipe]
        done = subprocess.run([binary, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return out


def rows_of(table: Any) -> list[str]:
    """The rows of a table of pyarrow, each as JSON, sorted; numbers with a fraction to nine digits."""

    def plain(value: Any) -> Any:
        if isinstance(value, float):
            return float(f"{value:.9g}")
        if isinstance(value, list):
            return [plain(one) for one in value]
        return value.hex() if isinstance(value, bytes) else str(value) if hasattr(value, "isoformat") else value

    return sorted(json.dumps({name: plain(value) for name, value in row.items()}, sort_keys=True) for row in table.to_pylist())


def local_table(out: Path, job: str, table: str) -> Any:
    """A table of the binary."""
    from pyarrow import parquet

    return parquet.read_table(sorted((out / job / "latest" / table).glob("*.parquet")))


def same(found: Any, wanted: Any, columns: Callable[[str], bool] = lambda _: True) -> None:
    """The rows are the same, but for the types of their numbers."""
    names = [name for name in wanted.column_names if columns(name)]
    found, wanted = rows_of(found.select(names)), rows_of(wanted.select(names))
    different = [pair for pair in zip(found, wanted, strict=False) if pair[0] != pair[1]]
    assert len(found) == len(wanted) and not different, (len(found), len(wanted), different[:2])


def same_tables(tables: Any, out: Path) -> None:
    """All tables of extract are the same, with the same schemas."""
    from pyarrow import parquet

    names = {path.parent.name for path in (out / "extract" / "latest").glob("*/part-*.parquet")}
    assert names <= set(tables.names)
    for name in sorted(names):
        found, wanted = parquet.read_table(f"{tables.folder}/{name}"), local_table(out, "extract", name)
        assert found.schema.equals(wanted.schema), name
        same(found, wanted)
    manifest = json.loads((out / "extract" / "latest" / "manifest.json").read_text())
    wanted = {name: count for name, count in manifest["counts"]["kept"].items() if name != "pictures-not-fetched"}
    assert tables.counts["kept"] == wanted
    assert tables.counts["dropped"] == manifest["counts"]["dropped"]


def same_rejects(tables: Any, out: Path) -> int:
    """The rejects are the same; how many."""
    from pyarrow import parquet

    wanted = parquet.read_table(out / "extract" / "latest" / "rejects.parquet")
    same(tables.rejects.toArrow(), wanted)
    return wanted.num_rows


@pytest.mark.parametrize("partitions", [1, 3, 16])
def test_tables_are_those_of_one_machine(
    spark: Any, shards: Path, local: Path, recipe: str, partitions: int, tmp_path: Path
) -> None:
    splits = ws.shards(spark, shards, split_bytes=RECIPE["extract"]["part_bytes"])
    assert splits.count() > 3
    tables = ws.extract(splits.repartition(partitions), str(tmp_path / "out"), recipe=recipe)
    same_tables(tables, local)
    assert not (tmp_path / "out" / ".staging").exists()
    assert tables.pages.count() == ws.open_tables(spark, str(tmp_path / "out")).counts["rows"]["pages"]
    pages = tables.pages
    with pytest.raises(Error, match="another layout"):
        ws.near_duplicates(pages.withColumn("url_key", pages.url_key.cast("binary")), tables.texts)
    marker = tmp_path / "out" / "webmill-spark.json"
    marker.write_text(json.dumps({**json.loads(marker.read_text()), "layout": 2}))
    with pytest.raises(Error, match="found layout 2"):
        ws.open_tables(spark, str(tmp_path / "out"))
    with pytest.raises(Error, match="not empty"):
        ws.extract(splits, str(tmp_path / "out"))


def local_frames(spark: Any, out: Path) -> dict[str, Any]:
    """Tables of the binary as Spark reads them."""
    return {name: spark.read.parquet(str(out / "extract" / "latest" / name)) for name in ("pages", "links", "texts")}


def test_duplicates_are_those_of_one_machine(
    spark: Any, local: Path, recipe: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webmill.spark import _duplicates

    frames = local_frames(spark, local)
    found = ws.near_duplicates(frames["pages"], frames["texts"], recipe=recipe)
    for name in ("duplicates", "clusters"):
        wanted = local_table(local, "dedup", name)
        assert wanted.num_rows > 2
        same(getattr(found, name).toArrow(), wanted)
    # Signed here, in place of the bands that the table has.
    again = ws.near_duplicates(frames["pages"].repartition(7), frames["texts"].drop("bands"), recipe=recipe)
    same(again.clusters.toArrow(), local_table(local, "dedup", "clusters"))
    # As if components were too large for a task, and tables for all executors.
    monkeypatch.setattr(_duplicates, "_LARGE", 1)
    monkeypatch.setattr(_duplicates, "_SENT_TO_ALL", 0)
    large = ws.near_duplicates(frames["pages"], frames["texts"], recipe=recipe)
    for name in ("duplicates", "clusters"):
        same(getattr(large, name).toArrow(), local_table(local, "dedup", name))
    with pytest.raises(Error, match="keep"):
        ws.near_duplicates(frames["pages"], frames["texts"], recipe={"dedup": {"keep": "rank"}})
    with pytest.raises(Error, match="bands and simhash"):
        ws.near_duplicates(frames["pages"], frames["texts"], recipe={"dedup": {"by": ["semantic"]}})


def test_simhash_finds_on_spark_what_it_finds_on_one_machine(
    spark: Any, shards: Path, binary: str, tmp_path: Path
) -> None:
    # One band of 64 rows brings few pages together, so that SimHash alone finds pairs.
    path = tmp_path / "recipe.toml"
    path.write_text('[dedup]\nbands = "1x64"\nmin_resemblance = 0.5\nsimhash_bits = 7\npassages = false\n')
    out = run_locally(binary, shards, str(path), tmp_path / "out", ["extract", "dedup"])
    frames = local_frames(spark, out)
    found = ws.near_duplicates(frames["pages"], frames["texts"], recipe=str(path))
    wanted = local_table(out, "dedup", "duplicates")
    assert "simhash" in set(wanted["found_by"].to_pylist())
    same(found.duplicates.toArrow(), wanted)
    same(found.clusters.toArrow(), local_table(out, "dedup", "clusters"))


@pytest.mark.parametrize("kind", ["words", "backlinks", "anchors", "host-terms"])
def test_counts_are_those_of_one_machine(spark: Any, local: Path, recipe: str, kind: str) -> None:
    job = "count-backlinks" if kind == "anchors" else f"count-{kind}"
    wanted = local_table(local, job, f"count_{kind.replace('-', '_')}")
    assert wanted.num_rows > 10
    for parts in (1, 16):
        same(ws.count(kind, local_frames(spark, local), recipe=recipe, parts=parts).toArrow(), wanted)


def test_graphs_and_ranks_are_those_of_one_machine(spark: Any, local: Path) -> None:
    import pyarrow.compute as pc

    frames = local_frames(spark, local)
    pages = ws.page_graph(frames["pages"], frames["links"])
    hosts = ws.host_graph(pages)
    for level, graph in (("page", pages), ("host", hosts)):
        for name in ("nodes", "arcs"):
            wanted = local_table(local, "graph", name)
            wanted = wanted.filter(pc.equal(wanted.column("level"), level))
            found = getattr(graph, name).toArrow()
            same(found, wanted, lambda column: column in found.column_names)
    ranks = local_table(local, "rank", "ranks")
    for level, graph, weighted in (("page", pages, False), ("host", hosts, True)):
        of_level = ranks.filter(pc.equal(ranks.column("level"), level)).sort_by("node")
        wanted = of_level.column("pagerank").to_pylist()
        gathered = ws.pagerank(graph, weighted=weighted, tolerance=1e-12).toArrow().sort_by("node")
        assert gathered.column("pagerank").to_pylist() == pytest.approx(wanted, abs=1e-9)
    rough = {"damping": 0.5, "tolerance": 1e-3}
    blocked = ws.pagerank(pages, **rough, gather_bytes=0, block_nodes=50).toArrow().sort_by("node")
    exact = ws.pagerank(pages, damping=0.5, tolerance=1e-12).toArrow().sort_by("node")
    both = zip(blocked.column("pagerank").to_pylist(), exact.column("pagerank").to_pylist(), strict=True)
    assert sum(abs(a - b) for a, b in both) <= rough["tolerance"]


def write_site(path: Path, pages: Iterator[tuple[str, str]]) -> None:
    """A shard of pages."""
    import webmill

    path.parent.mkdir(parents=True, exist_ok=True)
    with webmill.RawDbWriter(path) as out:
        for url, body in pages:
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
            out.write(url, head + body.encode())


def large_host() -> Iterator[tuple[str, str]]:
    """One host with half of all pages, each fetched twice, near-duplicates among them."""
    for fetch in range(2):
        for page in range(60):
            host = "large.example" if page % 2 else f"h{page}.example"
            about = " ".join(f"word{(page // 4 * 7 + i) % 97} of {i}" for i in range(60))
            extra = f" page {page} again {fetch}" if page % 3 else ""
            yield f"http://{host}/p{page}", f"<title>{page}</title><a href='/p{page + 1}'>next</a><p>{about}{extra}</p>"


def test_damage_is_counted_and_rejected(
    spark: Any, binary: str, recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from webmill.spark import _extract

    folder = tmp_path / "shards"
    write_site(folder / "a.rawdb", large_host())
    whole = (folder / "a.rawdb").read_bytes()
    # A shard that dies within a range, one with a hole, one that is empty, a file that is none.
    (folder / "b.rawdb").write_bytes(whole[: len(whole) * 2 // 3 + 7])
    (folder / "c.rawdb").write_bytes(whole[:20_000] + b"\xff" * 9_000 + whole[29_000:])
    (folder / "d.rawdb").write_bytes(b"")
    (folder / "e.pdf").write_bytes(b"%PDF-1.4 and no more")
    write_site(folder / "f.rawdb", iter([("http://quotes.example/", "<pre>" + "\n" + whole.decode()), *large_host()]))
    done = subprocess.run(
        [binary, "extract", str(folder), "--out", str(tmp_path / "local"), "--recipe", recipe, "--max-bad", "1"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    splits = ws.shards(spark, folder, split_bytes=RECIPE["extract"]["part_bytes"])
    # A page that quotes records: splits that begin in it guess wrong, and are read again.
    wrong: list[int] = []
    look = _extract._wrong
    monkeypatch.setattr(_extract, "_wrong", lambda *told: wrong.extend(found := look(*told)) or found)
    # Partitions without rows among them.
    rows = splits.repartition(2).union(splits.where("false").repartition(2))
    tables = ws.extract(rows, str(tmp_path / "out"), recipe=recipe)
    assert len(wrong) > 1
    same_tables(tables, tmp_path / "local")
    assert same_rejects(tables, tmp_path / "local") >= 3


def test_tasks_that_die_change_nothing(
    spark: Any, binary: str, recipe: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, graves = tmp_path / "shards", tmp_path / "graves"
    write_site(folder / "a.rawdb", large_host())
    out = run_locally(binary, folder, recipe, tmp_path / "local", ["extract", "dedup", "count words"])
    graves.mkdir()
    # What tasks find in their environment.
    monkeypatch.setitem(spark.sparkContext.environment, "WEBMILL_TEST_SPARK", str(graves))
    splits = ws.shards(spark, folder, split_bytes=RECIPE["extract"]["part_bytes"])
    tables = ws.extract(splits.repartition(3), str(tmp_path / "out"), recipe=recipe)
    found = ws.near_duplicates(tables.pages, tables.texts, recipe=recipe)
    frames = {name: getattr(found, name).toArrow() for name in ("duplicates", "clusters")}
    words = ws.count("words", tables, recipe=recipe).toArrow()
    assert len(list(graves.iterdir())) > 5
    same_tables(tables, out)
    for name, frame in frames.items():
        wanted = local_table(out, "dedup", name)
        assert wanted.num_rows > 2
        same(frame, wanted)
    same(words, local_table(out, "count-words", "count_words"))


@pytest.mark.parametrize("kind", ["another", "none"])
def test_executors_with_another_webmill_are_told(
    spark: Any, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver has this package; what executors import is another one, or nothing."""
    fake = tmp_path / "fake" / "webmill"
    (fake / "spark").mkdir(parents=True)
    (fake / "spark" / "__init__.py").write_text("")
    if kind == "another":
        (fake / "__init__.py").write_text("")
        (fake / "_webmill.py").write_text("__version__ = '0.0.7'\n")
    else:
        (fake / "__init__.py").write_text("raise ImportError('no webmill here')\n")
    monkeypatch.setitem(spark.sparkContext.environment, "PYTHONPATH", str(fake.parent))
    from webmill.spark import _check

    monkeypatch.setattr(_check, "_checked", {})
    with pytest.raises(Error, match="executors have no webmill") as told:
        ws.check(spark)
    assert ("version 0.0.7" if kind == "another" else "no webmill here") in str(told.value)
    assert "docs/spark.md" in str(told.value)


def test_real_archives_are_read_as_on_one_machine(spark: Any, binary: str, tmp_path: Path) -> None:
    data = Path(os.environ.get("WEBMILL_DATA", PACKAGE.parents[1] / "shared" / "data"))
    archives = data / "archives.tar.zst"
    if not archives.exists():
        pytest.skip(f"no real archives: {archives} is missing (WEBMILL_DATA)")
    folder = tmp_path / "archives"
    folder.mkdir()
    subprocess.run(["tar", "--zstd", "-xf", str(archives), "-C", str(folder)], check=True)
    recipe = tmp_path / "recipe.toml"
    recipe.write_text("[extract]\npart_bytes = 1_000_000\n")
    done = subprocess.run(
        [binary, "extract", str(folder), "--out", str(tmp_path / "local"), "--recipe", str(recipe), "--max-bad", "1"],
        capture_output=True,
        text=True,
    )
    # A file among them is named as a WACZ and is none.
    assert done.returncode == 1, done.stderr
    splits = ws.shards(spark, folder, split_bytes=1_000_000)
    tables = ws.extract(splits.repartition(3), str(tmp_path / "out"), recipe=str(recipe))
    same_tables(tables, tmp_path / "local")
    same_rejects(tables, tmp_path / "local")


def test_the_notebook_for_a_cluster_runs(spark: Any, shards: Path, recipe: str, local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells one after the other; its tables are those of the binary."""
    for name, value in (("SHARDS", shards), ("OUT", tmp_path / "out"), ("RECIPE", recipe)):
        monkeypatch.setenv(f"WEBMILL_{name}", str(value))
    notebook = json.loads((PACKAGE.parent / "examples" / "spark_cluster.ipynb").read_text())
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    read = lambda table: spark.read.parquet(str(tmp_path / "out" / table)).toArrow()
    same(read("count/words"), local_table(local, "count-words", "count_words"))
    assert read("rank/host").num_rows == names["hosts"].nodes.count() > 1
    assert read("dedup/clusters").num_rows > 1


def test_the_driver_script_runs(binary: str, shards: Path, recipe: str, tmp_path: Path) -> None:
    """As a program of its own, on sound shards and on one that a hole was torn into."""
    script = PACKAGE.parent / "examples" / "spark_job.py"
    environment = {
        **os.environ, "PYTHONPATH": str(PACKAGE), "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_SUBMIT_ARGS": "--master local[2] --conf spark.ui.enabled=false --conf spark.driver.bindAddress=127.0.0.1 "
        "--conf spark.driver.host=127.0.0.1 --conf spark.sql.shuffle.partitions=2 pyspark-shell",
    }  # fmt: skip

    def run(shards: Path, out: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(script), str(shards), str(tmp_path / out), "--recipe", recipe]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    done = run(shards, "sound")
    assert done.returncode == 0, done.stderr[-3000:]
    assert "near_duplicates" in done.stdout and " 0 damaged" in done.stdout, done.stdout
    for table in ("extract/pages", "dedup/clusters", "count/words", "rank/host", "arcs/page"):
        assert list((tmp_path / "sound" / table).glob("*.parquet")), table
    torn = tmp_path / "torn"
    torn.mkdir()
    for path in shards.iterdir():
        body = bytearray(path.read_bytes())
        body[len(body) // 4 : len(body) // 2] = bytes(len(body) // 2 - len(body) // 4)
        (torn / path.name).write_bytes(body)
    done = run(torn, "out")
    assert done.returncode == 1 and "--max-bad" in done.stderr, done.stderr[-3000:]
