"""Time the engine on TDT2 against SciPy's X'X, all in one run.

usage: engine.py TIME FOLDER [--direct] [--repeat N]

TIME is the timing program (the example `time` of xray-experiments); FOLDER holds tdt2.npz as
prepare.py writes it. The runs alternate, so that a busy machine slows all of them alike; ratios are
of the medians. `--direct` also times the engine that scores every column in every step (a minute or
more). Needs numpy and scipy.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import scipy.sparse as sp

Result = dict[str, Any]


def lines(program: str, *options: str) -> list[Result]:
    """What one call of the timing program printed: an object a line."""
    ran = subprocess.run([program, *options], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def fit(program: str, path: Path, *options: str) -> Result:
    """One whole fit: its seconds, and what was found."""
    [found] = lines(program, "--file", str(path), *options)
    return found


def summary(found: Result) -> str:
    """What was found, without the times, for people."""
    first, last = found["anchors"][:5], found["anchors"][-2:]
    numbers = {k: found[k] for k in ("evaluations", "residual", "kkt_violation") if k in found}
    shown = ", ".join(f"{name} {value:.6g}" for name, value in numbers.items())
    megabytes = (found["peak_bytes"] or 0) >> 20
    return f"{shown + ', ' if shown else ''}anchors {first} .. {last}, peak {megabytes} MB"


def main() -> None:
    """Runs everything `repeat` times in turn and prints the ratios."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--direct", action="store_true")
    arguments.add_argument("--repeat", type=int, default=3)
    given = arguments.parse_args()
    path = given.folder / "tdt2.npz"
    matrix = sp.load_npz(path)
    runs = {
        "greedy, r = 100, 2 threads": ("--threads", "2"),
        "greedy, r = 100, 1 thread": ("--threads", "1"),
        "max, r = 30, 2 threads": ("--threads", "2", "--selection", "max", "--rank", "30"),
        "dist, r = 100, 2 threads": ("--threads", "2", "--selection", "dist"),
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
    print(f"TDT2 {matrix.shape[0]} x {matrix.shape[1]}; SciPy X.T @ X: {median['scipy']:.2f} s")
    for name in runs:
        print(f"{name}: {median[name]:.2f} s = {median[name] / median['scipy']:.3f} x SciPy")
        print(f"    {summary(found[name])}")
    one, two = median["greedy, r = 100, 1 thread"], median["greedy, r = 100, 2 threads"]
    print(f"2 threads against 1: {one / two:.2f} x")
    if given.direct:
        slow = fit(given.program, path, "--threads", "2", "--direct")
        direct = slow["seconds"]
        print(f"direct: {direct:.1f} s = {direct / two:.1f} x lazy\n    {summary(slow)}")


if __name__ == "__main__":
    main()
