"""Runs the notebooks and writes their outputs without what changes from run to run.

    python notebooks/regenerate.py                        # on ../out/demo/results, in place
    python notebooks/regenerate.py --results R --check    # compares with what is committed; names the first difference
    python notebooks/regenerate.py --results R --archive A --out FOLDER 03 05

What a picture shows is compared by its Vega-Lite, which holds its data; not by the bytes of its PNG, because letters are drawn
with the fonts of the machine. Counters, times, kernel versions and paths are left out, so equal results give equal files.
"""

from __future__ import annotations

import argparse
import base64
import copy
import json
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

HERE = Path(__file__).resolve().parent
DEFAULT = "../out/demo/results"
_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def execute(notebook: Path, results: Path, archive: Path | None, seconds: int) -> Any:
    """The notebook with its outputs, from a fresh kernel in the folder of the notebooks."""
    document = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, "WEBMILL_RESULTS": str(results), "WEBMILL_WORK": work, "IPYTHONDIR": f"{work}/ipython"}
        environment.pop("WEBMILL_ARCHIVE", None)
        if archive is not None:
            environment["WEBMILL_ARCHIVE"] = str(archive)
        client = NotebookClient(document, timeout=seconds, kernel_name="python3", resources={"metadata": {"path": str(HERE)}})
        # Sockets in a folder of its own in place of ports, which others on the machine could listen to.
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", str(Path(work) / "kernel")
        client.execute(env=environment)
        return normal(document, {str(results): DEFAULT, work: "WORK"})


def normal(document: Any, places: dict[str, str]) -> Any:
    """Without what changes from run to run; `places` are paths and what stands for them."""
    document.metadata = nbformat.from_dict(copy.deepcopy(_METADATA))
    for number, cell in enumerate(document.cells, 1):
        cell.id, cell.metadata = f"cell-{number:02}", nbformat.from_dict({})
        if cell.cell_type != "code":
            continue
        cell.execution_count = None
        merged: list[Any] = []
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = None
            if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
                merged[-1].text += output.text
            else:
                merged.append(output)
        cell.outputs = [_replaced(output, places) for output in merged]
    return document


def _replaced(value: Any, places: dict[str, str]) -> Any:
    if isinstance(value, str):
        for path, name in places.items():
            value = value.replace(path, name)
        # Addresses of objects in memory.
        return re.sub(r" at 0x[0-9a-f]{8,}", "", value)
    if isinstance(value, dict):
        return nbformat.from_dict({key: item if key == "image/png" and isinstance(item, str) else _replaced(item, places) for key, item in value.items()})
    if isinstance(value, list):
        return [_replaced(item, places) for item in value]
    return value


def written(document: Any) -> str:
    """The file of a notebook."""
    return nbformat.writes(document).rstrip("\n") + "\n"


def faults(document: Any) -> list[str]:
    """What must not be in a notebook for others: errors, warnings, pictures without a description, paths of this machine."""
    found = []
    for cell in document.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error" or output.get("name") == "stderr":
                found.append(f"{cell.id}: {output.get('ename', '')} {output.get('text', '')}".strip())
            if "image/png" in output.get("data", {}) and not output.metadata.get("image/png", {}).get("alt"):
                found.append(f"{cell.id}: a picture without a description")
            text = json.dumps({key: item for key, item in output.get("data", {}).items() if key != "image/png"}) + output.get("text", "")
            for path in (HERE.parent, Path.home(), tempfile.gettempdir()):
                if len(str(path)) > 1 and f"{path}/" in text:
                    found.append(f"{cell.id}: a path of this machine")
    return found


def difference(committed: Any, now: Any) -> str | None:
    """The first difference between two notebooks; of PNG only that both have one counts."""
    if len(committed.cells) != len(now.cells):
        return f"{len(committed.cells)} cells are committed, {len(now.cells)} are there now"
    for old, new in zip(committed.cells, now.cells):
        if old.source != new.source:
            return f"{new.id}: the source differs"
        one, other = ([_comparable(output) for output in cell.get("outputs", [])] for cell in (old, new))
        for a, b in zip(one, other):
            if a != b:
                first, second = (json.dumps(x, ensure_ascii=False, sort_keys=True) for x in (a, b))
                at = next((i for i, (x, y) in enumerate(zip(first, second)) if x != y), min(len(first), len(second)))
                cut = slice(max(0, at - 60), at + 60)
                return f"{new.id}: committed is …{first[cut]}…, now it is …{second[cut]}…"
        if len(one) != len(other):
            return f"{new.id}: {len(one)} outputs are committed, {len(other)} are there now"
    return None


def _comparable(output: Any) -> Any:
    output = copy.deepcopy(output)
    data = output.get("data", {})
    if "image/png" in data:
        base64.b64decode(data["image/png"])
        data["image/png"] = "a picture"
        for key in ("width", "height"):
            output.metadata["image/png"].pop(key, None)
    return output


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="beginnings of names, as 03; all by default")
    parser.add_argument("--results", type=Path, default=HERE / DEFAULT, help="folder of results (default: the demonstration's)")
    parser.add_argument("--archive", type=Path, help="archive for 05 (default: the one that it makes)")
    parser.add_argument("--check", action="store_true", help="compare with what is committed, write nothing")
    parser.add_argument("--out", type=Path, help="folder to write to, in place of the notebooks themselves")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that a cell may take")
    options = parser.parse_args()
    # The kernel is this very Python, and finds the package of the checkout where none is installed.
    os.environ["PYTHONPATH"] = os.pathsep.join(p for p in (os.environ.get("PYTHONPATH"), str(HERE.parent / "python")) if p)
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    results, archive = options.results.resolve(), options.archive.resolve() if options.archive else None
    chosen = [path for path in sorted(HERE.glob("[0-9]*.ipynb")) if not options.names or path.name.startswith(tuple(options.names))]

    def one(path: Path) -> list[str]:
        try:
            document = execute(path, results, archive, options.timeout)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as fault:
            return [f"{path.name}: {fault}"]
        found = [f"{path.name}: {fault}" for fault in faults(document)]
        if options.check:
            differs = difference(nbformat.read(path, as_version=4), document)
            return found + ([f"{path.name}: {differs}"] if differs else [])
        folder = options.out or HERE
        folder.mkdir(parents=True, exist_ok=True)
        (folder / path.name).write_text(written(document), encoding="utf-8")
        return found

    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        said = [fault for found in pool.map(one, chosen) for fault in found]
    for fault in said:
        print(fault, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
