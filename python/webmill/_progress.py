"""A bar of progress: tqdm's where it is installed, in notebooks too, else a line on stderr."""

from __future__ import annotations

import sys
import time
from typing import Any

_PAUSE_S = 0.5


class Bar:
    """Shows phases one after the other. Called with the phase, the amount done and the whole amount (0: not known)."""

    def __init__(self) -> None:
        self.unit = "it"
        self._phase = ""
        self._bar: Any = None
        self._said = 0.0
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self._tqdm: Any = tqdm

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase:
            self.close()
            self._phase = phase
            if self._tqdm is not None:
                self._bar = self._tqdm(desc=phase, total=total or None, unit=self.unit, unit_scale=True)
        if self._bar is not None:
            self._bar.update(max(0, done - self._bar.n))
        elif time.monotonic() - self._said > _PAUSE_S:
            self._said = time.monotonic()
            share = f"{100 * done / total:3.0f} %" if total else str(done)
            sys.stderr.write(f"\r{phase:<24} {share:>12}")
            sys.stderr.flush()

    def notes(self, notes: list[str]) -> None:
        """Says what users should read."""
        for note in notes:
            if self._bar is not None:
                self._bar.write(note, file=sys.stderr)
            else:
                sys.stderr.write(f"\r{note}\n")

    def close(self) -> None:
        """Ends the bar of the phase."""
        if self._bar is not None:
            self._bar.close()
        elif self._said:
            sys.stderr.write("\n")
        self._bar, self._said = None, 0.0
