"""What Python adds to a fit: XRay against the crate's own program on TDT2, in turns.

usage: python_overhead.py TIME FOLDER [--turns N]

TIME is the timing program (the example `time` of xray-experiments); FOLDER holds tdt2.npz as
prepare.py writes it. The crate's time includes making its matrix of the arrays, and so does
Python's. In each turn both make five fits, so that a busy machine slows both alike; the fastest
fits are compared, and the medians. Also prints the bytes that were allocated through NumPy during a
fit, beside the matrix's own, and by how much the process grows when the engine takes the matrix
over: it borrows the arrays and builds the other compressed form, which is one copy.
"""

from __future__ import annotations

import argparse
import os
import time
import tracemalloc
from pathlib import Path
from statistics import median
from typing import Any, Literal

import scipy.sparse as sp

from engine import lines
from xray_nmf import XRay
from xray_nmf._input import plain
from xray_nmf._xray_nmf import Matrix

FITS = 5
RULES: tuple[Literal["max", "greedy"], ...] = ("max", "greedy")


def crate_seconds(program: str, path: Path, rule: str) -> list[float]:
    """Seconds of each of the program's fits."""
    options = ["--file", str(path), "--rank", "30", "--selection", rule, "--threads", "2"]
    return [float(fit["seconds"]) for fit in lines(program, *options, "--repeat", str(FITS))]


def python_seconds(model: XRay, X: Any) -> list[float]:
    """Seconds of each of as many fits."""
    taken = []
    for _ in range(FITS):
        start = time.perf_counter()
        model.fit(X)
        taken.append(time.perf_counter() - start)
    return taken


def resident() -> int:
    """Bytes of memory that this process has in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    """Runs both in turns for each rule and prints the ratio."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--turns", type=int, default=8)
    given = arguments.parse_args()
    path = given.folder / "tdt2.npz"
    X = sp.csr_matrix(sp.load_npz(path))
    stored = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    before = resident()
    taken = Matrix(plain(X))
    growth = resident() - before
    print(f"matrix {stored:,} bytes; the engine's takes {growth:,} more, {growth / stored:.2f} x")
    del taken
    for rule in RULES:
        model = XRay(30, selection=rule, n_jobs=2)
        crate: list[float] = []
        python: list[float] = []
        for _ in range(given.turns):
            crate += crate_seconds(given.program, path, rule)
            python += python_seconds(model, X)
        for what, of in (("fastest", min), ("median", median)):
            ratio = of(python) / of(crate) - 1
            print(
                f"{rule}, {what}: crate {of(crate):.3f} s, Python {of(python):.3f} s, {ratio:+.1%}"
            )
        tracemalloc.start()
        model.fit(X)
        print(f"    allocated by NumPy: {tracemalloc.get_traced_memory()[1]:,} bytes")
        tracemalloc.stop()


if __name__ == "__main__":
    main()
