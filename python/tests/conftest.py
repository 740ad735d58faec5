"""What the tests read: results of the demo, made once by the binary that WEBMILL_BINARY names, or found in WEBMILL_RESULTS."""

import io
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


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A WARC file of two pages."""
    warcio = pytest.importorskip("warcio")
    path = tmp_path / "pages.warc.gz"
    with path.open("wb") as out:
        writer = warcio.WARCWriter(out)
        for name, text in [("", "The mill grinds slowly but finely"), ("flour", "Flour of the mill is sold on Fridays")]:
            page = f"<title>Mill</title><p>{text}, as everybody in the valley has known for years, and says so to strangers."
            headers = warcio.StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
            url = "http://mill.example/" + name
            writer.write_record(writer.create_warc_record(url, "response", payload=io.BytesIO(page.encode()), http_headers=headers))
    return path


@pytest.fixture(scope="session")
def pages() -> list[Path]:
    """Pages of the repository's tests."""
    folder = Path(__file__).resolve().parents[2] / "tests" / "pages"
    return sorted(folder.rglob("*.html"))
