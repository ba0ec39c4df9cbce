"""The cost model of docs/cluster.md, and its comparison with what a run has counted.

usage: cost_model.py XRAY_MPI MATRIX.npz RANK [RANKS ...]    compare with runs under Open MPI
       cost_model.py table                                    what it says for 10^8 documents

Bytes are those that arrive at a rank from the others, averaged over the ranks.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from launch import Launcher

# What every message about a column has besides its numbers: lengths, index, norm.
HEAD = 80.0
# An entry of a column: its row and its value.
ENTRY = 12.0
# An entry that travels to the owner of its column: row, column and value.
TRIPLE = 16.0


def blocks_of(n: int) -> int:
    """Number of blocks that n columns are cut into."""
    return -(-n // min(max(-(-n // 128), 256), 1024))


@dataclass
class Run:
    """What the model has to know of a run."""

    n: int
    nnz: float
    rank: int
    ranks: int
    # Columns scored in all steps; entries of the columns that had to travel to be scored.
    evaluations: float
    scored_entries: float
    # Entries of the columns that were looked from, and of the anchors.
    seen_entries: float
    anchor_entries: float
    lazy: bool


def fitting_bytes(run: Run) -> float:
    """Traffic of the search: bounds once, then columns, partial scores and changes."""
    others = run.ranks - 1
    share = others / run.ranks
    steps = np.arange(1, run.rank + 1, dtype=float)
    bounds = (ENTRY * run.nnz + 8.0 * run.n) * share if run.lazy else 0.0
    anchors = share * (ENTRY * run.anchor_entries + float(np.sum(HEAD + 16.0 * steps)))
    seen = share * (ENTRY * run.seen_entries + float(np.sum(HEAD + 16.0 * steps)))
    partials = 8.0 * blocks_of(run.n) * share
    scores = run.evaluations * (partials + share * (HEAD + 8.0 * run.rank) + others)
    scores += share * ENTRY * run.scored_entries
    changes = others * float(np.sum(8.0 * steps * (steps + 1.0))) if run.lazy else 0.0
    residuals = run.rank * partials
    small = run.rank * others * 150.0
    looked = 0.0 if run.lazy else seen
    return bounds + anchors + looked + scores + changes + residuals + small


def scored_columns(x: sp.csc_matrix, scores: list[float]) -> np.ndarray[Any, np.dtype[Any]]:
    """Columns that greedy scores at least once: those whose first bound reaches the last score."""
    gram = (x.T @ x).tocsc()
    squares = np.asarray(gram.multiply(gram).sum(axis=0)).ravel()
    norms = np.asarray(x.multiply(x).sum(axis=0)).ravel()
    bound = np.divide(squares, norms, out=np.zeros_like(squares), where=norms > 0)
    return np.asarray(bound >= min(scores))


def predicted(x: sp.csc_matrix, answer: dict[str, Any], ranks: int) -> float:
    """What the model says for a run of `max` or `greedy`."""
    greedy = answer["parameters"]["selection"] == "greedy"
    entries = np.diff(x.indptr)
    anchors = float(entries[answer["anchors"]].sum())
    scored = float(entries[scored_columns(x, answer["score"])].sum()) if greedy else 0.0
    return fitting_bytes(
        Run(
            n=x.shape[1],
            nnz=float(x.nnz),
            rank=answer["rank"],
            ranks=ranks,
            evaluations=float(sum(answer["evaluations"])) if greedy else 0.0,
            scored_entries=scored,
            # The column with the largest residual is mostly one with many entries, like an anchor.
            seen_entries=anchors,
            anchor_entries=anchors,
            lazy=greedy,
        )
    )


def compare(program: Path, matrix: Path, rank: int, sizes: list[int]) -> None:
    """Runs, and prints measured and predicted traffic; 10 % apart is an error."""
    x = sp.csc_matrix(sp.load_npz(matrix))
    for rule in ("greedy",):
        for ranks in sizes:
            launcher = Launcher("openmpi", program)
            args = ["factorize", str(matrix), "-r", str(rank), "--selection", rule, "--json", "-q"]
            answer = launcher.run(ranks, *args).answer()
            counted = float(np.mean(answer["ranks"]["received_fitting_bytes"]))
            model = predicted(x, answer, ranks)
            ratio = model / counted
            print(
                f"{matrix.name} {rule} r={rank} ranks={ranks}: counted {counted / 1e6:.2f} MB, "
                f"model {model / 1e6:.2f} MB, ratio {ratio:.3f}"
            )
            assert 0.9 <= ratio <= 1.1, "the model is off by more than 10 %"


def table() -> None:
    """The model for 10^8 documents with 10^6 words, 10^10 entries, 100 anchors by greedy."""
    n, nnz, rank = 10**6, 1e10, 100
    for ranks in (16, 64, 256, 1024):
        run = Run(
            n=n,
            nnz=nnz,
            rank=rank,
            ranks=ranks,
            evaluations=40_000.0,
            scored_entries=0.5 * nnz,
            seen_entries=0.0,
            anchor_entries=rank * 1e6,
            lazy=True,
        )
        memory = 24.0 * nnz / ranks + 8.0 * rank * n / ranks + 16.0 * 1e8
        reading = TRIPLE * nnz / ranks
        print(
            f"{ranks:5d} ranks: {memory / 1e9:8.1f} GB a rank, reading {reading / 1e9:7.1f} GB, "
            f"fitting {fitting_bytes(run) / 1e9:7.1f} GB"
        )


def main() -> None:
    """Compares, or prints the table."""
    if sys.argv[1] == "table":
        table()
        return
    sizes = [int(word) for word in sys.argv[4:]] or [2, 4]
    compare(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3]), sizes)


if __name__ == "__main__":
    main()
