"""What takes part in the comparison: names, settings and threads. Standard library only."""

from __future__ import annotations

from typing import NamedTuple

THREADS = 2
TOPICS = {"bbc": 5, "reuters10": 10, "tdt2": 30}


class Entry(NamedTuple):
    """A method as the tables and notes call it."""

    label: str
    package: str
    """Its name on PyPI, or nothing for this program."""
    settings: str
    threads: str
    random: bool
    """Whether the seed matters."""


XRAY = "xray"

ENTRIES = {
    XRAY: Entry(
        "xray topics",
        "",
        "defaults: greedy anchors, refinement, weights of all documents; same answer every time",
        "2",
        False,
    ),
    "sklearn": Entry(
        "scikit-learn NMF",
        "scikit-learn",
        "defaults (nndsvda start, coordinate descent, tol 1e-4, at most 200 iterations)",
        "2 in BLAS; its coordinate descent has one",
        True,
    ),
    "sklearn-batches": Entry(
        "scikit-learn MiniBatchNMF",
        "scikit-learn",
        "defaults (batches of 1,024 documents, nndsvda start, tol 1e-4, at most 200 iterations)",
        "2 in BLAS; its updates have one",
        True,
    ),
    "rcppml": Entry(
        "RcppML nmf",
        "",
        "defaults (random start, tol 1e-4, at most 100 iterations), in a process of R that has the "
        "matrix before the clock starts (Debian's r-cran-rcppml; left out where R is not there); "
        "memory is that of R",
        "setRcppMLthreads(2)",
        True,
    ),
    "gensim1": Entry(
        "gensim Nmf",
        "gensim",
        "defaults (1 pass); then the weights of all documents at once by its inner solver, as its "
        "public call, one document at a time, takes longer than the fit",
        "2 in BLAS; it has no option",
        True,
    ),
    "gensim5": Entry(
        "gensim Nmf, 5 passes",
        "gensim",
        "the same with passes=5, for a better NMI",
        "2 in BLAS; it has no option",
        True,
    ),
    "topica": Entry(
        "topica NMF",
        "topica",
        "defaults (nndsvd start, tol 1e-4, at most 200 iterations); it takes words only, so it "
        "makes its own tf-idf, within the fit",
        "num_threads=2",
        False,
    ),
    "tomotopy": Entry(
        "tomotopy LDA",
        "tomotopy",
        "300 iterations of Gibbs sampling (its default is 10), otherwise defaults",
        "workers=2",
        True,
    ),
    "anchorlda": Entry(
        "topica AnchorLDA",
        "topica",
        "defaults (RecoverKL, words that occur 5 times or more)",
        "2 in BLAS; it has no option",
        False,
    ),
}
