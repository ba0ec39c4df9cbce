"""Time the engine on TDT2 against SciPy's X'X, all in one run.

usage: engine.py XRAY_BENCH FOLDER [--direct] [--repeat N]

FOLDER holds tdt2.csr as prepare.py writes it. The runs alternate, so that a busy machine slows all
of them alike; ratios are of the medians. `--direct` also times the engine that scores every column
in every step (a minute or more). Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp


def read(path: Path) -> sp.csr_matrix:
    """Reads a file that prepare.py wrote."""
    raw = path.read_bytes()
    m, n, nnz = (int(v) for v in np.frombuffer(raw, "<u8", 3, 8))
    offsets = np.frombuffer(raw, "<u8", m + 1, 32).astype(np.int64)
    indices = np.frombuffer(raw, "<u4", nnz, 32 + 8 * (m + 1)).astype(np.int32)
    values = np.frombuffer(raw, "<f8", nnz, 32 + 8 * (m + 1) + 4 * nnz)
    return sp.csr_matrix((values, indices, offsets), shape=(m, n))


def fit(program: str, path: Path, *settings: str) -> tuple[float, str]:
    """Seconds of one whole fit, and the line that the bench printed."""
    command = [program, f"file={path}", *settings]
    line = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    found = re.search(r"seconds ([0-9.]+)", line)
    assert found, line
    return float(found.group(1)), line


def main() -> None:
    """Runs everything `repeat` times in turn and prints the ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--direct", action="store_true")
    arguments.add_argument("--repeat", type=int, default=3)
    given = arguments.parse_args()
    path = given.folder / "tdt2.csr"
    matrix = read(path)
    runs = {
        "greedy, r = 100, 2 threads": ("threads=2",),
        "greedy, r = 100, 1 thread": ("threads=1",),
        "max, r = 30, 2 threads": ("threads=2", "selection=max", "rank=30"),
        "dist, r = 100, 2 threads": ("threads=2", "selection=dist"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in [*runs, "scipy"]}
    lines: dict[str, str] = {}
    for _ in range(given.repeat):
        start = time.perf_counter()
        _product = matrix.T @ matrix
        seconds["scipy"].append(time.perf_counter() - start)
        for name, settings in runs.items():
            taken, lines[name] = fit(given.program, path, *settings)
            seconds[name].append(taken)
    median = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"TDT2 {matrix.shape[0]} x {matrix.shape[1]}; SciPy X.T @ X: {median['scipy']:.2f} s")
    for name in runs:
        print(f"{name}: {median[name]:.2f} s = {median[name] / median['scipy']:.3f} x SciPy")
        print(f"    {lines[name]}")
    one, two = median["greedy, r = 100, 1 thread"], median["greedy, r = 100, 2 threads"]
    print(f"2 threads against 1: {one / two:.2f} x")
    if given.direct:
        direct, line = fit(given.program, path, "threads=2", "engine=direct")
        print(f"direct: {direct:.1f} s = {direct / two:.1f} x lazy\n    {line}")


if __name__ == "__main__":
    main()
