"""Time SPA's 30 anchors on TDT2 against SciPy's X'X, both in one run.

usage: spa.py TIME FOLDER [--repeat N] [--limit SHARE]

TIME is the timing program (the example `time` of xray-experiments); FOLDER holds tdt2.npz as
prepare.py writes it. The runs alternate, so that a busy machine slows both alike. Fails if the
median of SPA's times is more than SHARE (0.05) of the median of SciPy's. The time of SPA is that of
the whole call, from the matrix as it is to the anchors: it includes scaling the columns to sum 1.
Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

import scipy.sparse as sp

from engine import Result, fit, summary


def main() -> None:
    """Runs both `repeat` times in turn and prints the ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--limit", type=float, default=0.05)
    given = arguments.parse_args()
    path = given.folder / "tdt2.npz"
    matrix = sp.load_npz(path)
    runs = {
        "SPA, r = 30, 1 thread": ("--method", "spa", "--rank", "30", "--threads", "1"),
        "SPA, r = 30, 2 threads": ("--method", "spa", "--rank", "30", "--threads", "2"),
    }
    seconds: dict[str, list[float]] = {name: [] for name in [*runs, "scipy"]}
    found: dict[str, Result] = {}
    for _ in range(given.repeat):
        start = time.perf_counter()
        _product = matrix.T @ matrix
        seconds["scipy"].append(time.perf_counter() - start)
        for name, settings in runs.items():
            found[name] = fit(given.program, path, *settings)
            seconds[name].append(found[name]["seconds"])
    median = {name: statistics.median(values) for name, values in seconds.items()}
    print(f"TDT2 {matrix.shape[0]} x {matrix.shape[1]}; SciPy X.T @ X: {median['scipy']:.3f} s")
    for name in runs:
        share = median[name] / median["scipy"]
        print(f"{name}: {median[name]:.3f} s = {share:.4f} x SciPy\n    {summary(found[name])}")
        if share > given.limit:
            sys.exit(f"{name}: more than {given.limit} x SciPy")


if __name__ == "__main__":
    main()
