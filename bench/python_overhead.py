"""What Python adds to a fit: XRay against the crate's own program on TDT2, in turns.

usage: python_overhead.py XRAY_BENCH FOLDER [--repeat N]

FOLDER holds tdt2.csr as prepare.py writes it. The crate's time includes making its matrix of the
arrays, and so does Python's. Runs alternate, so that a busy machine slows both alike; the fastest
run of each counts. Also prints the bytes that NumPy allocated during a fit beside the matrix's own.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from pathlib import Path

from engine import fit, read
from xray_nmf import XRay


def main() -> None:
    """Runs both in turns for each rule and prints the ratio."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--repeat", type=int, default=5)
    given = arguments.parse_args()
    path = given.folder / "tdt2.csr"
    X = read(path)
    for rule in ("max", "greedy"):
        model = XRay(30, selection=rule, n_jobs=2)
        crate, python = [], []
        for _ in range(given.repeat):
            crate.append(fit(given.program, path, "rank=30", f"selection={rule}", "threads=2")[0])
            start = time.perf_counter()
            model.fit(X)
            python.append(time.perf_counter() - start)
        tracemalloc.start()
        model.fit(X)
        allocated = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        ratio = min(python) / min(crate) - 1
        print(f"{rule}: crate {min(crate):.3f} s, Python {min(python):.3f} s, {ratio:+.1%}")
        stored = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
        answer = model.components_.nbytes
        print(f"    matrix {stored:,} bytes, H {answer:,}, allocated by NumPy {allocated:,}")


if __name__ == "__main__":
    main()
