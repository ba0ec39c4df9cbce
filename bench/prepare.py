"""Turn the real data sets into tf-idf matrices, as files of SciPy.

usage: prepare.py DATA OUT [NAME ...]

DATA is the folder with tdt2/, reuters/ and bbc/; OUT receives NAME.npz for each of tdt2, reuters10
and bbc (or those named). Needs numpy and scipy.

Weights are tf * ln(m / df), on the words with the document frequencies that the paper used: at
least 5 for TDT2, all words for BBC and for the ten largest classes of Reuters.
"""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp


def tf_idf(counts: sp.csr_matrix, min_df: int) -> sp.csr_matrix:
    """Weights tf * ln(m / df) over the words with at least `min_df` documents."""
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    kept = df >= min_df
    weights = np.log(counts.shape[0] / df[kept])
    matrix = sp.csr_matrix(counts[:, kept].multiply(weights))
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def tdt2(data: Path) -> sp.csr_matrix:
    """TDT2: 9,394 documents, 19,677 words."""
    counts = scipy.io.loadmat(data / "tdt2" / "TDT2.mat")["fea"]
    return tf_idf(sp.csr_matrix(counts, dtype=float), 5)


def reuters10_counts(data: Path) -> tuple[sp.csr_matrix, Any]:
    """The counts of words in the ten largest classes of Reuters, and each document's class."""
    loaded = scipy.io.loadmat(data / "reuters" / "Reuters21578.mat")
    counts, labels = sp.csr_matrix(loaded["fea"], dtype=float), loaded["gnd"].ravel()
    classes, sizes = np.unique(labels, return_counts=True)
    largest = classes[np.argsort(-sizes, kind="stable")[:10]]
    kept = np.isin(labels, largest)
    return counts[kept], labels[kept]


def reuters10(data: Path) -> sp.csr_matrix:
    """The ten largest classes of Reuters: 7,285 documents, 18,221 words."""
    return tf_idf(reuters10_counts(data)[0], 1)


def bbc_counts(data: Path) -> sp.csr_matrix:
    """The counts of words in BBC news."""
    text = gzip.decompress((data / "bbc" / "bbc.mtx.gz").read_bytes())
    return sp.csr_matrix(scipy.io.mmread(io.BytesIO(text)).T, dtype=float)


def bbc(data: Path) -> sp.csr_matrix:
    """BBC news: 2,225 documents, 9,635 words."""
    return tf_idf(bbc_counts(data), 1)


SETS = {"tdt2": tdt2, "reuters10": reuters10, "bbc": bbc}


def main() -> None:
    """Writes the data sets that the command line names."""
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    data, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:] or SETS:
        matrix = SETS[name](data)
        sp.save_npz(out / f"{name}.npz", matrix, compressed=False)
        print(f"{name}: {matrix.shape[0]} x {matrix.shape[1]}, {matrix.nnz} nonzeros")


if __name__ == "__main__":
    main()
