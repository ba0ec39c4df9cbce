"""Progress with rate and time left, in a terminal, a notebook or a log."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TextIO

# A log gets a line this often (seconds); a terminal or notebook, where the line is overwritten.
LOG_PERIOD = 2.0
LIVE_PERIOD = 0.1


def is_live(out: TextIO) -> bool:
    """Whether a carriage return on `out` overwrites the line."""
    return out.isatty() or type(out).__module__.partition(".")[0] == "ipykernel"


class Progress:
    """Shows how far a run is; called with the number of steps done and the error that is left."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._start = self._shown = time.monotonic()
        self._out = sys.stderr
        self._live = is_live(self._out)
        self._line = ""

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._line:
            self._write(self._line, end="\n")

    def __call__(self, done: int, error: float) -> None:
        """Show that `done` steps are done."""
        now = time.monotonic()
        taken = max(now - self._start, 1e-9)
        left = taken / done * max(self._total - done, 0)
        self._line = (
            f"{self._what} {done}/{self._total}, error {error:.4g}, "
            f"{done / taken:.1f} a second, {taken:.0f} s, {left:.0f} s left"
        )
        if now - self._shown >= (LIVE_PERIOD if self._live else LOG_PERIOD):
            self._shown = now
            self._write(self._line, end="" if self._live else "\n")

    def _write(self, line: str, end: str) -> None:
        start = "\r\x1b[K" if self._live else ""
        self._out.write(f"{start}{line}{end}")
        self._out.flush()
