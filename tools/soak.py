#!/usr/bin/env python3
"""Random jobs in one process for as long as you like: does it grow?

usage: soak.py [--seconds N] [--seed N]

Every job is drawn anew: anchors of sparse and dense matrices with any rule, refinement, least
squares, topics of drawn texts (with seeds, levels and edits), files written and read, and mistakes
that must be refused. After a while to warm up, the process may not grow by more than ALLOWED
megabytes; at the end it says how many jobs of each kind were done and what memory they left.
"""

from __future__ import annotations

import argparse
import gc
import os
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

import xray_nmf

# Arguments are drawn, and some are wrong on purpose.
nmf: Any = xray_nmf

RULES = ("rand", "max", "dist", "greedy", "agg", "joint")

# Allocators and caches of Python take some time to find their size.
WARM_UP = 0.25
ALLOWED = 40.0


def resident() -> float:
    """Megabytes that the process holds now."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def matrix(rng: np.random.Generator) -> Any:
    """Dense or sparse, of any shape and type."""
    m, n = rng.integers(2, 200, 2)
    kind = np.float32 if rng.random() < 0.5 else np.float64
    if rng.random() < 0.5:
        return sp.csr_array(rng.random((m, n)) * (rng.random((m, n)) < 0.1)).astype(kind)
    dense = rng.random((m, n)).astype(kind)
    return np.asfortranarray(dense) if rng.random() < 0.3 else dense


def texts(rng: np.random.Generator) -> list[str]:
    """Documents of a few subjects, each with words of its own."""
    n_subjects = int(rng.integers(2, 8))
    subjects = rng.integers(0, n_subjects, rng.integers(40, 200))
    return [" ".join(f"word{s}x{w}" for w in rng.zipf(1.5, 30) % 50) for s in subjects]


def anchors(rng: np.random.Generator) -> None:
    """Anchors of a matrix, their weights, and the model file."""
    X = matrix(rng)
    model = nmf.XRay(
        int(rng.integers(1, 8)),
        selection=str(rng.choice(RULES)),
        refine_steps=int(rng.integers(0, 5)),
        random_state=int(rng.integers(1000)),
        n_jobs=int(rng.integers(1, 3)),
    )
    model.fit_transform(X)
    model.transform(X)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        model.save(path)
        nmf.XRay.load(path).transform(X)


def topics(rng: np.random.Generator) -> None:
    """Topics of texts, their levels, and the model file."""
    documents = texts(rng)
    held = {"anchor_words": [["word0x1"]]} if rng.random() < 0.5 else {}
    model = nmf.TopicModel(int(rng.integers(2, 6)), **held).fit(documents)
    model.transform(documents[:5])
    if rng.random() < 0.2:
        model.levels(documents, [2, 3])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        model.save(path)
        nmf.TopicModel.load(path).predict(documents[:3])


def least_squares(rng: np.random.Generator) -> None:
    """Nonnegative least squares."""
    m, n, k = rng.integers(1, 60, 3)
    nmf.nnls(rng.random((m, n)), rng.standard_normal((m, k)))


def other_methods(rng: np.random.Generator) -> None:
    """Rivals and refinement."""
    X = rng.random((30, 40))
    nmf.spa(X, 5)
    nmf.snpa(X, 5)
    nmf.refine(X, rng.random((30, 4)), rng.random((4, 40)), steps=3)


def mistakes(rng: np.random.Generator) -> None:
    """Something that must be refused."""
    wrong: list[Callable[[], object]] = [
        lambda: nmf.XRay(3).fit(np.full((4, 4), np.nan)),
        lambda: nmf.XRay(3).fit(-rng.random((4, 4))),
        lambda: nmf.XRay(3, selection="none").fit(rng.random((4, 4))),
        lambda: nmf.TopicModel(2).fit(["", ""]),
        lambda: nmf.TopicModel.load(__file__),
        lambda: nmf.nnls(rng.random((3, 2)), rng.random((4, 2))),
    ]
    try:
        wrong[int(rng.integers(len(wrong)))]()
    except (ValueError, TypeError):
        return
    sys.exit("a mistake was not refused")


JOBS = (anchors, topics, least_squares, other_methods, mistakes)


def main() -> None:
    """Does random jobs, and looks at the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = np.random.default_rng(args.seed)
    begin = time.monotonic()
    done: Counter[str] = Counter()
    before = 0.0
    told = 0
    while (elapsed := time.monotonic() - begin) < args.seconds:
        job = JOBS[int(rng.integers(len(JOBS)))]
        job(rng)
        done[job.__name__] += 1
        if before == 0.0 and elapsed > WARM_UP * args.seconds:
            before = resident()
        if elapsed > told * args.seconds / 10:
            told += 1
            threads = len(os.listdir("/proc/self/task"))
            print(f"{elapsed:6.0f} s: {done.total()} jobs, {resident():.1f} MB, {threads} threads")
    grown = resident() - before
    print(dict(done))
    print(f"{done.total()} jobs in {elapsed:.0f} s; grown by {grown:.1f} MB since the warm-up")
    if grown > ALLOWED:
        sys.exit(f"more than {ALLOWED} MB")


if __name__ == "__main__":
    main()
