"""The picture of README.md: the museum of the demonstration site beside its report.

    python notebooks/demo_picture.py [DEMO] [PICTURE]      # of out/demo, into notebooks/demo.png

Serves DEMO/results with target/release/webmill on loopback, looks at both pages with Chromium and puts the pictures side by side.
Needs what notebooks/requirements.txt names, Chromium, and a release build.
"""

import io
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
# Of each page as the browser draws it, and of each half of the picture.
WIDTH, HEIGHT, SHOWN = 1180, 1240, 760
GAP = 24


def page(browser: str, url: str) -> Image.Image:
    """A page as Chromium draws it."""
    with tempfile.TemporaryDirectory() as folder:
        shot = Path(folder) / "page.png"
        subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}",
             "--virtual-time-budget=5000", f"--screenshot={shot}", url],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip
        return Image.open(io.BytesIO(shot.read_bytes())).convert("RGB")


def museum(browser: str, demo: Path) -> Image.Image:
    """What `webmill serve` shows of results first."""
    command = [ROOT / "target/release/webmill", "serve", demo / "results", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            url = next(word for line in server.stdout for word in line.split() if word.startswith("http://127.0.0.1:"))
            return page(browser, url.rstrip("/") + "/results/")
        finally:
            server.terminate()


def main():
    demo = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "out/demo").resolve()
    picture = Path(sys.argv[2] if len(sys.argv) > 2 else ROOT / "notebooks/demo.png")
    browser = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
    if browser is None:
        sys.exit("no Chromium on the PATH")
    halves = [museum(browser, demo), page(browser, (demo / "results/report/latest/report.html").as_uri())]
    height = SHOWN * HEIGHT // WIDTH
    both = Image.new("RGB", (2 * SHOWN + GAP, height), "#c9d1de")
    for number, half in enumerate(halves):
        both.paste(half.resize((SHOWN, height), Image.Resampling.LANCZOS), (number * (SHOWN + GAP), 0))
    both.quantize(256, dither=Image.Dither.NONE).save(picture, "PNG", optimize=True)
    print(picture)


if __name__ == "__main__":
    main()
