"""Write the input that all methods of rivals.py share.

usage: rivals_data.py DATA OUT WEIGHTING NAME ...

For each data set NAME (bbc, reuters10, tdt2) the folder OUT/NAME receives `tfidf.npz` and
`counts.npz` (documents x words), `labels.txt` and `terms.txt`. WEIGHTING is one of

- sublinear: (1 + ln tf) (1 + ln((1 + m) / (1 + df))), documents of length 1;
- plain: tf (1 + ln((1 + m) / (1 + df))), documents of length 1: scikit-learn's default;
- paper: tf ln(m / df), documents as long as they are.

Reuters and TDT2 come without their words, which are called w0, w1, ... here.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer

from prepare import bbc_counts, reuters10_counts, tf_idf
from rivals_entries import TOPICS


def labelled(data: Path, name: str) -> tuple[sp.csr_matrix, Any]:
    """Counts of words, and the class of each document."""
    if name == "bbc":
        lines = (data / "bbc" / "bbc.classes").read_text().splitlines()
        classes = [line.split()[1] for line in lines if line and not line.startswith("%")]
        return bbc_counts(data), np.array(classes)
    if name == "reuters10":
        return reuters10_counts(data)
    loaded = scipy.io.loadmat(data / "tdt2" / "TDT2.mat")
    return sp.csr_matrix(loaded["fea"], dtype=float), loaded["gnd"].ravel()


def weighed(counts: sp.csr_matrix, weighting: str) -> sp.csr_matrix:
    """The tf-idf weights of counts."""
    if weighting == "paper":
        return tf_idf(counts, 1)
    return sp.csr_matrix(
        TfidfTransformer(sublinear_tf=weighting == "sublinear").fit_transform(counts)
    )


def write(data: Path, folder: Path, weighting: str, name: str) -> None:
    """Writes one data set."""
    counts, labels = labelled(data, name)
    if len(labels) != counts.shape[0] or len(set(labels)) != TOPICS[name]:
        sys.exit(f"{name}: {len(labels)} labels of {len(set(labels))} classes do not fit the data")
    kept = np.flatnonzero(counts.getnnz(axis=0) >= (5 if name == "tdt2" else 1))
    counts = sp.csr_matrix(counts[:, kept])
    terms = [f"w{j}" for j in kept]
    if name == "bbc":
        words = (data / "bbc" / "bbc.terms").read_text().split()
        terms = [words[j] for j in kept]
    folder.mkdir(parents=True, exist_ok=True)
    sp.save_npz(folder / "counts.npz", counts)
    sp.save_npz(folder / "tfidf.npz", weighed(counts, weighting))
    (folder / "labels.txt").write_text("".join(f"{label}\n" for label in labels))
    (folder / "terms.txt").write_text("".join(f"{term}\n" for term in terms))
    print(f"{counts.shape[0]:,} documents x {counts.shape[1]:,} words, {counts.nnz:,} nonzeros")


def main() -> None:
    """Writes the data sets that the command line names."""
    if len(sys.argv) < 5 or sys.argv[3] not in ("sublinear", "plain", "paper"):
        sys.exit(__doc__)
    for name in sys.argv[4:]:
        write(Path(sys.argv[1]), Path(sys.argv[2]) / name, sys.argv[3], name)


if __name__ == "__main__":
    main()
