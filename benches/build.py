"""Where the time of a build goes: by crate, from what `cargo build --timings` leaves.

    cargo build --release --timings && python3 benches/build.py [target/cargo-timings/cargo-timing.html] [--most 40]

Seconds are those in which a unit was being compiled, by the clock; units run beside each other, and one may use several processors.
"""

import argparse
import json
import re
from collections import Counter
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("report", type=Path, nargs="?", default=Path("target/cargo-timings/cargo-timing.html"))
    parser.add_argument("--most", type=int, default=40, help="crates to show")
    options = parser.parse_args()
    text = options.report.read_text(encoding="utf-8")
    units = json.loads(re.search(r"UNIT_DATA = (\[.*?\]);", text, re.DOTALL).group(1))
    crates, kinds = Counter(), Counter()
    for unit in units:
        name, seconds = unit["name"], unit["duration"]
        crates[name] += seconds
        kinds["webmill" if name.startswith("webmill") else "polars" if name.startswith("polars") else "others"] += seconds
    print(f"{len(units)} units, {sum(crates.values()):.0f} s:", ", ".join(f"{k} {s:.0f} s" for k, s in kinds.most_common()))
    for name, seconds in crates.most_common(options.most):
        print(f"{seconds:8.1f}  {name}")


main()
