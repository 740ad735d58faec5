"""Time and memory of a process."""

import os
import statistics
import subprocess
import time
from dataclasses import dataclass


@dataclass
class Spent:
    """What a process and the children it waited for used."""

    wall: float
    cpu: float
    peak_mib: float
    status: int
    said: str


def spent(command, log, limit=None, **options):
    """Runs a command, its output to the file `log`; ends it after `limit` seconds (status -9)."""
    with open(log, "wb") as out:
        begun = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=out, stderr=out, **options)
        until = begun + limit if limit else None
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG if until else 0)
            if pid:
                break
            if time.perf_counter() > until:
                process.kill()
                until = float("inf")
            time.sleep(0.02)
        wall = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    text = log.read_text(errors="replace")
    return Spent(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode, text)


def three(values, form="{:.2f}"):
    """min / median / max."""
    return " / ".join(form.format(f(values)) for f in (min, statistics.median, max))
