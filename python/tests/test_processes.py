"""Threads, forks and signals: wherever Python runs, a call ends, and the process lives on."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import webmill

PAGE = "<p>The mill grinds slowly but finely, as mills do."
TEXTS = [" ".join(f"w{(i * 7 + j * 13) % 97}" for j in range(6)) for i in range(4000)]


def alone(script: str, seconds: float = 60, **more: Any) -> str:
    """What a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", script], capture_output=True, text=True, timeout=seconds, **more
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_the_compiled_part_may_be_loaded_in_a_thread_that_ends() -> None:
    script = f"""
import threading, webmill
from concurrent.futures import ThreadPoolExecutor
for _ in range(10):
    thread = threading.Thread(target=lambda: webmill.extract({PAGE!r}))
    thread.start()
    thread.join()
for _ in range(2):
    with ThreadPoolExecutor(4) as pool:
        print(sum(len(page.text) for page in pool.map(lambda n: webmill.extract({PAGE!r}), range(100))))
"""
    first, second = alone(script).split()
    assert first == second != "0"


def calls(folder: Path) -> dict[str, Any]:
    """Calls that use threads."""
    shard = str(folder / "a.rawdb")
    table: Any = webmill.near_duplicates(TEXTS[:10])
    return {
        "extract_batch": lambda: webmill.extract_batch(pages(), url=None).num_rows,
        "near_duplicates": lambda: webmill.near_duplicates(TEXTS).num_rows,
        "pagerank": lambda: webmill.pagerank(list(range(50_000)), list(range(1, 50_001))).num_rows,
        "train": lambda: len(webmill.train(TEXTS[:200], ["a", "b"] * 100).classes),
        "topics": lambda: webmill.topics(TEXTS[:200], k=3)[1].num_rows,
        "captures": lambda: sum(1 for _ in webmill.captures(shard)),
        "run": lambda: webmill.run(shard, folder / f"out-{os.getpid()}", threads=1) and 1,
        "document": lambda: len(webmill.extract(rb"{\rtf1 The mill grinds slowly.}", input="document").text),
        "rows": lambda: len(table),
    }


def pages() -> Any:
    import polars

    return polars.DataFrame({"html": [PAGE] * 1000})


def stored(folder: Path) -> None:
    with webmill.RawDbWriter(folder / "a.rawdb") as out:
        for n in range(20):
            out.write(f"http://a.example/{n}", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE.encode())


def called(folder: Path, name: str, answers: Any) -> None:
    answers.put((name, calls(folder)[name]()))


@pytest.mark.parametrize("way", [way for way in ("fork", "spawn", "forkserver") if way in multiprocessing.get_all_start_methods()])
def test_children_call_what_their_parent_called(way: str, tmp_path: Path) -> None:
    stored(tmp_path)
    names = list(calls(tmp_path))
    expected = {name: calls(tmp_path)[name]() for name in names}
    context = multiprocessing.get_context(way)
    for name in names if way == "fork" else ["extract_batch"]:
        answers = context.Queue()
        child = context.Process(target=called, args=(tmp_path, name, answers))
        child.start()
        try:
            assert answers.get(timeout=60) == (name, expected[name])
            child.join(20)
            assert child.exitcode == 0, name
        finally:
            child.kill()


@pytest.mark.parametrize(
    "call",
    [
        "webmill.Graph(range(3_000_000), range(1, 3_000_001))",
        "webmill.Graph([str(n) for n in range(3_000_000)], ['0'] * 3_000_000)",
        "webmill.extract('<div>' * 400_000 + 'x' + '<b><p>' * 300_000)",
        "webmill.pagerank(range(2_000_000), range(1, 2_000_001), tolerance=1e-13, damping=0.999, max_iterations=10**9)",
    ],
)
def test_an_interrupt_ends_a_call_within_seconds(call: str) -> None:
    script = f"""
import time, webmill
print("begun", flush=True)
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "begun\n"
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    # Within a second on a machine that does nothing else; here others may run.
    timer = threading.Timer(20, child.kill)
    timer.start()
    assert child.stdout.read() == "interrupted\n"
    timer.cancel()
    child.wait()


def test_two_runs_on_one_new_folder_do_not_break_each_other(tmp_path: Path) -> None:
    stored(tmp_path)
    ended: list[str] = []

    def run() -> None:
        try:
            webmill.run(tmp_path / "a.rawdb", tmp_path / "out", threads=1)
            ended.append("done")
        except webmill.Error as fault:
            ended.append(str(fault))

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "done" in ended and all(said == "done" or "another process is running this job" in said for said in ended), ended


def test_results_may_be_opened_from_elsewhere_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path)
    monkeypatch.chdir(tmp_path)
    results = webmill.run("a.rawdb", b"out", threads=1)
    writer = webmill.RawDbWriter("b.rawdb")
    monkeypatch.chdir("/")
    assert results.pages.collect().height == 20
    writer.write("http://a.example/", b"HTTP/1.1 200 OK\r\n\r\n")
    assert writer.close() == tmp_path / "b.rawdb"


def test_results_grow_and_are_replaced_where_that_is_said(tmp_path: Path) -> None:
    stored(tmp_path)
    first, second, out = tmp_path / "a.rawdb", tmp_path / "b.rawdb", tmp_path / "out"
    writer = webmill.RawDbWriter(second)
    writer.write("http://b.example/", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Tea")
    writer.close()
    webmill.run(first, out, threads=1)
    with pytest.raises(webmill.Error, match="b.rawdb would be another corpus"):
        webmill.run(second, out, threads=1)
    assert webmill.run([first, second], out, threads=1).pages.collect().height == 21
    assert webmill.run(second, out, threads=1, replace=True).pages.collect().height == 1


def test_what_functions_give_can_be_pickled(tmp_path: Path) -> None:
    stored(tmp_path)

    def again(value: Any) -> Any:
        return pickle.loads(pickle.dumps(value))

    capture = next(iter(webmill.captures(tmp_path)))
    assert (again(capture).url, again(capture).body) == (capture.url, capture.body)
    for graph in [
        webmill.Graph(["a", "b", "b"], ["b", "a", "c"], [1, 2, 0.5]),
        webmill.Graph([1, 2], [2, 3]),
        webmill.Graph([2**63, 1], [1, 2**63]),
    ]:
        assert again(graph).nodes == graph.nodes
        assert again(graph).arcs().to_polars().equals(graph.arcs().to_polars())
        assert again(graph).pagerank().to_polars().equals(graph.pagerank().to_polars())
    model = webmill.train(TEXTS[:200], ["a", "b"] * 100)
    assert again(model).predict(TEXTS[:9]).to_polars().equals(model.predict(TEXTS[:9]).to_polars())
    page = webmill.extract(PAGE)
    assert again(page) == page and again(page).text == page.text
    results = webmill.run(tmp_path / "a.rawdb", tmp_path / "out", threads=1)
    assert again(results).pages.collect().equals(results.pages.collect())


def test_a_run_keeps_its_memory(tmp_path: Path) -> None:
    if not Path("/proc/self/status").exists():
        pytest.skip("the most that a process held is read from /proc")
    script = f"""
import webmill, re
with webmill.RawDbWriter({str(tmp_path / "a.rawdb")!r}) as out:
    for n in range(60):
        out.write(f"http://a.example/{{n}}", b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n\\r\\n<p>" + b"word " * 200_000)
webmill.run({str(tmp_path / "a.rawdb")!r}, {str(tmp_path / "out")!r}, threads=2, memory="256MiB")
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) >> 10)
"""
    # The interpreter and polars, which opens the results, come beside what a program takes.
    assert int(alone(script, 120)) <= 256 + 64 + 100
