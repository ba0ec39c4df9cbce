"""Progress with rate and time left, in a terminal, a notebook or a log."""

from __future__ import annotations

import math
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import TextIO

# A log gets a line this often (seconds); a terminal or notebook, where the line is overwritten.
LOG_PERIOD = 2.0
LIVE_PERIOD = 0.1


def is_live(out: TextIO) -> bool:
    """Whether a carriage return on `out` overwrites the line."""
    return out.isatty() or type(out).__module__.partition(".")[0] == "ipykernel"


class Progress:
    """Shows how far a run is; the engine calls it with each step of each stage."""

    def __init__(self) -> None:
        self._stage = ""
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
        self._end_stage()

    def __call__(self, stage: str, done: int, total: int, error: float) -> None:
        """Show that `done` of `total` steps are done; `error` is NaN where none is known."""
        now = time.monotonic()
        if stage != self._stage:
            self._end_stage()
            self._stage, self._start = stage, now
        if not done:
            return
        taken = max(now - self._start, 1e-9)
        left = taken / done * max(total - done, 0)
        known = "" if math.isnan(error) else f"error {error:.4g}, "
        self._line = (
            f"{stage} {done}/{total}, {known}"
            f"{done / taken:.1f} a second, {taken:.0f} s, {left:.0f} s left"
        )
        if now - self._shown >= (LIVE_PERIOD if self._live else LOG_PERIOD):
            self._shown = now
            self._write(self._line, end="" if self._live else "\n")

    def _end_stage(self) -> None:
        if self._line:
            self._write(self._line, end="\n")
        self._line = ""

    def _write(self, line: str, end: str) -> None:
        start = "\r\x1b[K" if self._live else ""
        self._out.write(f"{start}{line}{end}")
        self._out.flush()


def progress_if(verbose: object) -> AbstractContextManager[Progress | None]:
    """Shows progress, or nothing."""
    return Progress() if verbose else nullcontext()
