#!/usr/bin/env python3
"""Write what scikit-learn and SciPy say about small problems.

usage: make_reference.py FOLDER

FOLDER gets measures.json. The test `reference.rs` compares it with what this crate says:

    XRAY_REFERENCE=FOLDER cargo test -p xray-experiments reference
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.datasets import load_digits, load_iris, make_classification
from sklearn.metrics import adjusted_mutual_info_score, normalized_mutual_info_score
from sklearn.svm import LinearSVC

Dense: TypeAlias = npt.NDArray[np.float64]
Labels: TypeAlias = npt.NDArray[np.int64]
Case: TypeAlias = dict[str, Any]

rng = np.random.default_rng(20260202)


def groupings() -> Iterator[tuple[Labels, Labels]]:
    """Pairs of groupings: random, dependent, and without entropy."""
    for n, a, b in [(1, 1, 1), (2, 2, 2), (50, 3, 7), (400, 20, 4), (1000, 5, 5), (60, 60, 60)]:
        truth = rng.integers(0, a, n)
        yield truth, rng.integers(0, b, n)
        yield truth, np.where(rng.random(n) < 0.8, (truth + 1) % b, rng.integers(0, b, n))
        yield truth, np.zeros(n, dtype=np.int64)
        yield np.zeros(n, dtype=np.int64), np.arange(n)
        yield truth, truth * 3 + 1


def clusters() -> Iterator[Case]:
    """Agreement of groupings."""
    for truth, found in groupings():
        yield {
            "truth": truth.tolist(),
            "found": found.tolist(),
            "nmi": float(normalized_mutual_info_score(truth, found)),
            "ami": float(adjusted_mutual_info_score(truth, found)),
        }


def coherences() -> Iterator[Case]:
    """Occurrences of words and the mean scores of lists of words."""
    for n, n_words, density in [(40, 12, 0.3), (300, 20, 0.05), (25, 6, 0.9)]:
        present = rng.random((n, n_words)) < density
        counts = present.T.astype(np.int64) @ present.astype(np.int64)
        for length in [2, 5, 6]:
            words = rng.permutation(n_words)[:length]
            npmi, umass = [], []
            for q in range(length):
                for p in range(q):
                    first, second = words[p], words[q]
                    both, one = counts[first, second], counts[first, first]
                    share = both / n
                    lift = share * n * n / max(1, one * counts[second, second])
                    npmi.append(np.log(lift) / -np.log(share) if 0 < share < 1 else share * 2 - 1)
                    umass.append(np.log((both + 1) / (one if one else n)))
            yield {
                "present": present.astype(int).tolist(),
                "words": words.tolist(),
                "npmi": float(np.mean(npmi)),
                "umass": float(np.mean(umass)),
            }


def reconstructions() -> Iterator[Case]:
    """A matrix, two factors, and the relative error."""
    for m, n, r in [(30, 20, 4), (100, 7, 1), (5, 60, 5)]:
        w, h = rng.random((m, r)), rng.random((r, n))
        for noise in [1.0, 1e-3, 1e-9]:
            x = w @ h + noise * rng.random((m, n))
            error = float(np.linalg.norm(x - w @ h) / np.linalg.norm(x))
            factors = {"w": w.tolist(), "h": h.T.tolist()}
            yield {"x": x.tolist(), **factors, "error": error}


def problems() -> Iterator[tuple[str, Dense, Labels]]:
    """Rows and their classes."""
    iris = load_iris()
    yield "iris", iris.data, iris.target
    digits = load_digits()
    yield "digits", digits.data[:500] / 16, digits.target[:500]
    x, y = make_classification(200, 30, n_informative=8, random_state=5)
    yield "two classes", x, y
    topics = rng.random((4, 300)) ** 8
    y = rng.integers(0, 4, 240)
    counts = rng.poisson(topics[y] * 0.8).astype(float)
    yield "words", counts / np.maximum(1, np.linalg.norm(counts, axis=1, keepdims=True)), y


def objective(x: Dense, y: Labels, svm: LinearSVC) -> list[float]:
    """The primal objective of each hyperplane."""
    positive = svm.classes_ if len(svm.classes_) > 2 else svm.classes_[1:]
    scores = x @ svm.coef_.T + svm.intercept_
    signs = np.where(y[:, None] == positive[None, :], 1.0, -1.0)
    losses = (np.maximum(0, 1 - signs * scores) ** 2).sum(axis=0)
    intercepts = np.broadcast_to(svm.intercept_, losses.shape) / svm.intercept_scaling
    squares = (svm.coef_**2).sum(axis=1) + intercepts**2
    values: list[float] = (squares / 2 + svm.C * losses).tolist()
    return values


def svms() -> Iterator[Case]:
    """Training data, and the hyperplanes, objectives and predictions of LinearSVC."""
    for name, x, y in problems():
        train = np.arange(len(y)) % 2 == 0
        for c, bias in [(0.1, 1.0), (1.0, None), (4.0, 2.5)]:
            svm = LinearSVC(
                loss="squared_hinge",
                dual=True,
                C=c,
                fit_intercept=bias is not None,
                intercept_scaling=bias or 1.0,
                tol=1e-10,
                max_iter=1_000_000,
                random_state=0,
            ).fit(x[train], y[train])
            yield {
                "name": f"{name}, C = {c}, bias = {bias}",
                "sparse": bool(sp.csr_array(x).nnz < 0.4 * x.size),
                "c": c,
                "bias": bias,
                "train": x[train].tolist(),
                "labels": y[train].tolist(),
                "test": x[~train].tolist(),
                "predicted": svm.predict(x[~train]).tolist(),
                "accuracy": float(svm.score(x[~train], y[~train])),
                "truth": y[~train].tolist(),
                "coefficients": svm.coef_.tolist(),
                "intercepts": np.broadcast_to(svm.intercept_, len(svm.coef_)).tolist(),
                "objectives": objective(x[train], y[train], svm),
            }


def main() -> None:
    """Write all cases."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    parts = [clusters, coherences, reconstructions, svms]
    cases = {part.__name__: list(part()) for part in parts}
    (folder / "measures.json").write_text(json.dumps(cases))
    print(f"wrote {sum(map(len, cases.values()))} cases to {folder / 'measures.json'}")


main()
