#!/usr/bin/env python3
"""How often the suggested number of topics is the number that data were drawn with.

usage: number.py PROGRAM WORK [--seed N] [--ranks 3,8,15,25,40] [--kinds text,dense] [--max 60]

Texts: documents from a topic model (each topic has its own words and a share of common ones,
documents mix a few topics), of which a part of the words is background that all share. Dense: a
near-separable matrix with noise. Three levels each. The table tells the number that `xray rank`
suggests, whether it is exact or within a tenth, and the time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from pathlib import Path

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

LEVELS = {"text": (0.0, 0.1, 0.3), "dense": (0.02, 0.08, 0.15)}


def text(rng: np.random.Generator, r: int, background: float) -> scipy.sparse.csr_matrix:
    """Counts of 150 to 2,000 documents: 60 for each topic."""
    n_words, n_documents = 40 * r + 200, max(150, 60 * r)
    topics = rng.dirichlet(np.full(n_words, 0.02), r)
    common = rng.dirichlet(np.full(n_words, 0.5))
    shares = rng.dirichlet(np.full(r, 0.1), n_documents)
    words = (1 - background) * shares @ topics + background * common
    counts = np.array(
        [rng.multinomial(rng.poisson(120) + 5, row) for row in words / words.sum(1, keepdims=True)]
    )
    return scipy.sparse.csr_matrix(counts)


def dense(rng: np.random.Generator, r: int, noise: float) -> NDArray[np.float64]:
    """W [I, H'] with 300 rows and 10 mixtures for each anchor, and noise relative to entries."""
    w = rng.random((300, r))
    h = np.hstack([np.eye(r), rng.dirichlet(np.ones(r), 10 * r).T])
    x = w @ h[:, rng.permutation(11 * r)]
    noisy: NDArray[np.float64] = x + noise * x.std() * rng.standard_normal(x.shape)
    return np.clip(noisy, 0, None)


def suggestion(program: str, file: Path, most: int) -> tuple[dict[str, object], float]:
    """What the program says of a file, and how long it takes."""
    command = [program, "rank", str(file), "--max", str(most), "--words", "0", "--json", "--quiet"]
    begin = time.perf_counter()
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return json.loads(told), time.perf_counter() - begin


def main() -> None:
    """Draws, asks, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("work", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ranks", default="3,8,15,25,40")
    parser.add_argument("--kinds", default="text,dense")
    parser.add_argument("--max", type=int, default=60)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    exact = near = n = 0
    for kind in args.kinds.split(","):
        for r in map(int, args.ranks.split(",")):
            for level in LEVELS[kind]:
                rng = np.random.default_rng([args.seed, r, int(1000 * level), len(kind)])
                file = args.work / ("x.npz" if kind == "text" else "x.npy")
                if kind == "text":
                    scipy.sparse.save_npz(file, text(rng, r, level))
                else:
                    np.save(file, dense(rng, r, level))
                said, seconds = suggestion(args.program, file, args.max)
                found = said["suggested_rank"]
                assert isinstance(found, int)
                n += 1
                exact += found == r
                near += abs(found - r) <= 0.1 * r
                told = f"{found:3} ({seconds:.1f} s; {said['reason']})"
                print(f"{kind:5} {r:3} {level:5}: {told}", flush=True)
    print(f"exact {exact} of {n}, within 10 % {near} of {n}")


if __name__ == "__main__":
    main()
