"""The cost model of docs/cluster.md, and its comparison with what runs have counted.

usage: cost_model.py PROGRAM MATRIX.npz RANK [RANKS ...]    compare traffic with runs under Open MPI
       cost_model.py memory PROGRAM DOCUMENTS [RANKS ...]    compare the memory of topics with it
       cost_model.py table                                   what it says for 10^8 documents

Bytes of traffic are those that arrive at a rank from the others, averaged over the ranks; bytes of
memory are those of the largest rank while a stage runs. Every stage is counted: reading, the search
with its candidates and anchors, refinement, writing.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
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
# An entry that travels to the owner of its column or row: row, column and value. So does a weight.
TRIPLE = 16.0
# An entry of X in the memory of its rank: by rows and by columns.
KEPT = 2.0 * ENTRY
# The same while it is read: as it was in the files, and what is made of it.
READ = 2.0 * KEPT
# How many entries a rank has of a column or row, as its owner is told.
COUNT = 4.0
# The program and MPI without data, and entries on their way: those of a round, three times.
BASE = 30e6
IN_FLIGHT = 3.0 * TRIPLE * 2.0**20
# Rows of W that travel together.
ROW_BLOCK = 4096
# Columns that are scored in one round, at most.
ROUND = 64


def blocks_of(n: int) -> int:
    """Number of blocks that n columns are cut into."""
    return -(-n // min(max(-(-n // 128), 256), 1024))


@dataclass
class Job:
    """What the model has to know of a job."""

    m: int
    n: int
    nnz: float
    rank: int
    ranks: int
    # Columns scored in all steps; entries of the columns that had to travel to be scored.
    evaluations: float = 0.0
    scored_entries: float = 0.0
    # Entries of the columns of one round, of the columns that were looked from, of the anchors.
    round_entries: float = 0.0
    seen_entries: float = 0.0
    anchor_entries: float = 0.0
    # Weights in H that are not 0.
    weights: float = 0.0
    refine_steps: int = 0
    lazy: bool = True

    @property
    def others(self) -> float:
        """The part of all data that other ranks have."""
        return (self.ranks - 1) / self.ranks


def reading_bytes(job: Job) -> float:
    """Traffic of reading many files: an entry goes to the owner of its column. (One file: none.)"""
    return job.others * (TRIPLE * job.nnz / job.ranks + COUNT * job.n)


def fitting_bytes(job: Job) -> float:
    """Traffic of the search: bounds once, then columns, partial scores and changes."""
    others = job.ranks - 1
    steps = np.arange(1, job.rank + 1, dtype=float)
    described = float(np.sum(HEAD + 16.0 * steps))
    bounds = (ENTRY * job.nnz + 8.0 * job.n) * job.others if job.lazy else 0.0
    anchors = job.others * (ENTRY * job.anchor_entries + described)
    looked = 0.0 if job.lazy else job.others * (ENTRY * job.seen_entries + described)
    partials = 8.0 * blocks_of(job.n) * job.others
    scores = job.evaluations * (partials + job.others * (HEAD + 8.0 * job.rank) + others)
    candidates = job.others * ENTRY * job.scored_entries
    changes = others * float(np.sum(8.0 * steps * (steps + 1.0))) if job.lazy else 0.0
    residuals = job.rank * partials
    small = job.rank * others * 150.0
    return bounds + anchors + looked + scores + candidates + changes + residuals + small


def refining_bytes(job: Job) -> float:
    """Traffic of refinement: X by rows and H once, then all of W and H in every step."""
    if job.refine_steps == 0:
        return 0.0
    rows = TRIPLE * job.nnz / job.ranks + COUNT * job.m
    start = TRIPLE * job.weights
    grams = 8.0 * job.rank * job.rank * -(-job.m // ROW_BLOCK)
    products = 8.0 * job.m * job.rank + grams + 8.0 * job.n
    h = 8.0 * job.rank * job.n
    # HALS improves H twice in its first step: with and without looking ahead.
    halves = job.refine_steps + 1
    return job.others * (rows + start + (halves + 1) * products + halves * h)


def writing_bytes(job: Job) -> float:
    """What arrives at rank 0 to be written: W of all rows in blocks, and H. (Shards: nothing.)"""
    w = 8.0 * job.m * job.rank if job.refine_steps else 0.0
    return job.others * (w + TRIPLE * job.weights)


def reading_memory(job: Job) -> float:
    """While reading many files. (One file, or one rank: nothing is in flight.)"""
    in_flight = 0.0 if job.ranks == 1 else IN_FLIGHT
    return BASE + READ * job.nnz / job.ranks + 8.0 * job.m + in_flight


def weighing_memory(job: Job) -> float:
    """While counts become weights: both by rows and by columns, and one form that is being made."""
    return BASE + (READ + ENTRY) * job.nnz / job.ranks + 8.0 * job.m


def fitting_memory(job: Job) -> float:
    """While searching, without the cache: X, products with the anchors, X_A, a round, p."""
    own = KEPT * job.nnz / job.ranks + 8.0 * job.m
    anchors = 8.0 * job.rank * job.n / job.ranks + ENTRY * job.anchor_entries
    # As it arrives, and decoded.
    candidates = 2.0 * ENTRY * job.round_entries
    return BASE + own + anchors + candidates + 8.0 * job.m + ENTRY * job.weights / job.ranks


def refining_memory(job: Job) -> float:
    """While refining: X, W of the own rows, all of H, each with copies to look ahead from."""
    # On several ranks X is there twice, by columns and by rows, and blocks are on their way.
    copies, in_flight = (1.0, 0.0) if job.ranks == 1 else (2.0, IN_FLIGHT)
    own = copies * KEPT * job.nnz / job.ranks + 8.0 * job.m + ENTRY * job.anchor_entries
    w = 3.0 * 8.0 * job.m * job.rank / job.ranks
    h = 3.0 * 8.0 * job.rank * job.n
    return BASE + own + w + h + 8.0 * job.rank * job.n / job.ranks + in_flight


STAGES: dict[str, tuple[Callable[[Job], float], Callable[[Job], float] | None]] = {
    "reading": (reading_bytes, reading_memory),
    "fitting": (fitting_bytes, fitting_memory),
    "refining": (refining_bytes, refining_memory),
    "writing": (writing_bytes, None),
}


def scored_columns(x: sp.csc_matrix, scores: list[float]) -> np.ndarray[Any, np.dtype[Any]]:
    """Columns that greedy scores at least once: those whose first bound reaches the last score."""
    gram = (x.T @ x).tocsc()
    squares = np.asarray(gram.multiply(gram).sum(axis=0)).ravel()
    norms = np.asarray(x.multiply(x).sum(axis=0)).ravel()
    bound = np.divide(squares, norms, out=np.zeros_like(squares), where=norms > 0)
    return np.asarray(bound >= min(scores))


def job_of(x: sp.csc_matrix, answer: dict[str, Any], ranks: int, steps: int) -> Job:
    """The job of a run of `max` or `greedy`."""
    greedy = answer["parameters"]["selection"] == "greedy"
    entries = np.diff(x.indptr)
    anchors = float(entries[answer["anchors"]].sum())
    scored = float(entries[scored_columns(x, answer["score"])].sum()) if greedy else 0.0
    return Job(
        m=x.shape[0],
        n=x.shape[1],
        nnz=float(x.nnz),
        rank=answer["rank"],
        ranks=ranks,
        evaluations=float(sum(answer["evaluations"])) if greedy else 0.0,
        scored_entries=scored,
        round_entries=float(np.sort(entries)[-ROUND:].sum()),
        # The column with the largest residual is mostly one with many entries, like an anchor.
        seen_entries=anchors,
        anchor_entries=anchors,
        # Few of the anchors make up a column.
        weights=3.0 * x.shape[1],
        refine_steps=steps,
        lazy=greedy,
    )


def check(what: str, counted: float, model: float, within: float = 0.1) -> None:
    """Prints counted and predicted bytes; too far apart is an error."""
    ratio = model / counted
    print(
        f"{what}: counted {counted / 1e6:.2f} MB, model {model / 1e6:.2f} MB, ratio {ratio:.3f}",
        flush=True,
    )
    assert abs(ratio - 1.0) <= within, f"the model is off by more than {within:.0%}"


@dataclass
class Runs:
    """Runs of one matrix, as one file or in parts."""

    launcher: Launcher
    data: str
    rank: int

    def mean(self, key: str, ranks: int, *args: str) -> tuple[float, dict[str, Any]]:
        """A number that every rank counted, on average, and the whole answer."""
        rule = [] if "--selection" in args else ["--selection", "max"]
        words = ["factorize", self.data, "-r", str(self.rank), "--json", "-q", *rule, *args]
        answer = self.launcher.run(ranks, *words).answer()
        return float(np.mean(answer["ranks"][key])), answer


def compare(program: Path, matrix: Path, rank: int, sizes: list[int]) -> None:
    """Runs with and without refinement, from one file and from parts, against the model."""
    x = sp.csc_matrix(sp.load_npz(matrix))
    greedy = ["--selection", "greedy"]
    steps = 4
    with tempfile.TemporaryDirectory() as folder:
        for q, part in enumerate(np.array_split(np.arange(x.shape[0]), 6)):
            sp.save_npz(Path(folder) / f"part-{q}.npz", sp.csr_matrix(x)[part])
        launcher = Launcher("openmpi", program)
        one = Runs(launcher, str(matrix), rank)
        parts = Runs(launcher, f"{folder}/part-*.npz", rank)
        for ranks in sizes:
            what = f"{matrix.name} r={rank} ranks={ranks}"
            fitted, answer = one.mean("received_fitting_bytes", ranks, *greedy)
            job = job_of(x, answer, ranks, steps)
            check(f"{what} greedy", fitted, fitting_bytes(job))
            both, _ = one.mean("received_fitting_bytes", ranks, *greedy, "--refine", str(steps))
            check(f"{what} {steps} steps of refinement", both - fitted, refining_bytes(job))
            read, _ = parts.mean("received_reading_bytes", ranks, *greedy)
            # Who reads large files and who owns frequent words is not known to the model.
            check(f"{what} reading 6 files", read, reading_bytes(job), 0.2)


def drawn_counts(documents: int) -> sp.csr_matrix:
    """Counts of 2,048 words, in no order of frequency, in documents of about 20 different ones."""
    random = np.random.default_rng(1)
    words, drawn = 2048, 24
    frequency = random.permutation(1.0 / np.arange(8.0, words + 8.0))
    columns = random.choice(words, size=documents * drawn, p=frequency / frequency.sum())
    rows = np.repeat(np.arange(documents), drawn)
    ones = np.ones(rows.size)
    # Words that are drawn twice count twice.
    return sp.csr_matrix((ones, (rows, columns)), shape=(documents, words))


def compare_memory(program: Path, documents: int, sizes: list[int]) -> None:
    """Peaks of all ranks while topics are found and written, against the model and their mean."""
    rank, cache = 20, 16e6
    launcher = Launcher("openmpi", program)
    with tempfile.TemporaryDirectory() as folder:
        counts = drawn_counts(documents)
        matrix, nnz = Path(folder) / "counts.npz", float(counts.nnz)
        sp.save_npz(matrix, counts, compressed=False)
        entries = np.sort(np.bincount(counts.indices))[::-1].astype(float)
        del counts
        words = ["topics", str(matrix), "-k", str(rank), "--threads", "1"]
        for ranks in sizes:
            output = Path(folder) / f"topics-{ranks}"
            job = Job(
                m=documents,
                n=len(entries),
                nnz=nnz,
                rank=rank,
                ranks=ranks,
                round_entries=float(entries[:ROUND].sum()),
                anchor_entries=float(entries[:rank].sum()),
                weights=3.0 * len(entries),
                refine_steps=1,
            )
            stages = (
                reading_memory(job),
                weighing_memory(job),
                fitting_memory(job) + cache,
                refining_memory(job),
            )
            limit = ["--memory", str(int(1.1 * max(stages)))]
            answer = launcher.run(ranks, *words, *limit, "--json", "-q", "-o", str(output)).answer()
            told = answer["ranks"] if ranks > 1 else answer
            peaks = np.atleast_1d(np.array(told["peak_memory_bytes"], dtype=float))
            listed = ", ".join(f"{peak / 1e6:.0f}" for peak in peaks)
            print(
                f"topics of {documents:,} documents, {ranks} ranks: {listed} MB, "
                f"{peaks.max() / peaks.mean():.2f} x the mean",
                flush=True,
            )
            check("  largest peak", peaks.max(), max(stages), 0.2)
            assert peaks.max() <= 1.2 * peaks.mean(), "one rank needs more than the others"


def large(ranks: int) -> Job:
    """10^8 documents with 10^6 words, 10^10 entries; 100 topics by greedy, refined in 5 steps."""
    m, n, nnz, rank = 10**8, 10**6, 1e10, 100
    return Job(
        m=m,
        n=n,
        nnz=nnz,
        rank=rank,
        ranks=ranks,
        evaluations=40_000.0,
        scored_entries=0.5 * nnz,
        # A candidate is in one document of a hundred, on average; so is an anchor.
        round_entries=ROUND * 1e6,
        anchor_entries=rank * 1e6,
        weights=0.1 * rank * n,
        refine_steps=5,
    )


def table() -> None:
    """Memory and traffic of all stages of the large job."""
    for ranks in (16, 64, 256, 1024):
        job = large(ranks)
        words = []
        for stage, (traffic, memory) in STAGES.items():
            kept = f"{memory(job) / 1e9:.1f} GB, " if memory else ""
            words.append(f"{stage} {kept}arrives {traffic(job) / 1e9:.1f} GB")
        print(f"{ranks:5d} ranks: " + "; ".join(words))


def main() -> None:
    """Compares, or prints the table."""
    if sys.argv[1] == "table":
        table()
        return
    if sys.argv[1] == "memory":
        sizes = [int(word) for word in sys.argv[4:]] or [1, 2, 4]
        compare_memory(Path(sys.argv[2]).resolve(), int(sys.argv[3]), sizes)
        return
    sizes = [int(word) for word in sys.argv[4:]] or [2, 4]
    compare(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3]), sizes)


if __name__ == "__main__":
    main()
