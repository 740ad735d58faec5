"""What the tests read: results of the demo, made once by the binary that WEBMILL_BINARY names, or found in WEBMILL_RESULTS."""

import os
import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def binary() -> str:
    """The command; its own demo is what the tests read."""
    found = os.environ.get("WEBMILL_BINARY")
    if not found:
        pytest.skip("WEBMILL_BINARY names no webmill")
    return found


@pytest.fixture(scope="session")
def demo(binary: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo: crawl and results."""
    found = os.environ.get("WEBMILL_DEMO")
    if found:
        return Path(found)
    folder = tmp_path_factory.mktemp("demo") / "demo"
    subprocess.run([binary, "demo", "--out", str(folder)], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def results(demo: Path) -> Path:
    """The results of the demo."""
    return demo / "results"


@pytest.fixture(scope="session")
def pages() -> list[Path]:
    """Pages of the repository's tests."""
    folder = Path(__file__).resolve().parents[2] / "tests" / "pages"
    return sorted(folder.rglob("*.html"))
