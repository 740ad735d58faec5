"""Time and memory of a process.

It is started by a small process of its own (this file as a script), as the peak that Linux states for a process
includes that of the process it was forked from."""

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass
class Spent:
    """What a process and the children it waited for used; the peak is that of the largest of them."""

    wall: float
    cpu: float
    peak_mib: float
    status: int
    said: str


def spent(command, log, limit=None, env=None):
    """Runs a command, its output to the file `log`; ends it and its group after `limit` seconds (status -9)."""
    starter = [sys.executable, "-S", "-E", __file__, str(log), str(limit or 0), *map(str, command)]
    done = subprocess.run(starter, capture_output=True, text=True, check=True, env=env)
    return Spent(**json.loads(done.stdout), said=log.read_text(errors="replace"))


def start(log, limit, command):
    """What the small process does."""
    with open(log, "wb") as out:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True)
        if limit:
            signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
            signal.setitimer(signal.ITIMER_REAL, limit)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        signal.setitimer(signal.ITIMER_REAL, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    print(json.dumps({"wall": wall, "cpu": cpu, "peak_mib": peak, "status": process.returncode}))


def three(values, form="{:.2f}"):
    """min / median / max."""
    return " / ".join(form.format(f(values)) for f in (min, statistics.median, max))


if __name__ == "__main__":
    start(sys.argv[1], float(sys.argv[2]), sys.argv[3:])
