"""The package itself: documentation that runs, types that hold, reading without the compiled part."""

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "webmill"


@pytest.mark.parametrize("name", ["webmill", "webmill._error", "webmill._doing", "webmill.compat.trafilatura"])
def test_examples_run(name: str, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("webmill._webmill", reason="the compiled part is not installed")
    monkeypatch.chdir(archive.parent)
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted > 0 and found.failed == 0


def test_types_hold() -> None:
    pytest.importorskip("pyright")
    root = PACKAGE.parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, str(PACKAGE)], cwd=root, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("checker", ["pyright", "mypy"])
def test_checkers_of_types_find_what_is_wrong(checker: str, tmp_path: Path) -> None:
    pytest.importorskip(checker)
    typed = Path(__file__).with_name("typed.py")
    wrong = {n for n, line in enumerate(typed.read_text().splitlines(), 1) if line.endswith("# wrong")}
    options = ["--pythonpath", sys.executable] if checker == "pyright" else ["--strict", "--cache-dir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", checker, *options, str(typed)],
        cwd=PACKAGE.parents[1], capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    found = {int(line) for line in re.findall(r"typed\.py:(\d+):.*error", done.stdout)}
    assert found == wrong, done.stdout + done.stderr


def test_results_are_read_without_the_compiled_part(results: Path) -> None:
    script = f"""
import sys
sys.modules["webmill._webmill"] = None
import webmill
c = webmill.open({str(results)!r})
assert c.texts(join="ranks").collect().height > 20
try:
    webmill.extract
except ImportError as fault:
    assert "compiled part" in str(fault)
else:
    raise SystemExit("extract without the compiled part")
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_stubs_name_what_there_is() -> None:
    compiled = pytest.importorskip("webmill._webmill", reason="the compiled part is not installed")
    import ast

    tree = ast.parse((PACKAGE / "_webmill.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in dir(compiled) if not name.startswith("_")}
    assert public == set(classes) | functions
    for name, node in classes.items():
        declared = {part.name for part in node.body if isinstance(part, ast.FunctionDef) and not part.name.startswith("_")}
        assert declared == {part for part in dir(getattr(compiled, name)) if not part.startswith("_")}, name
