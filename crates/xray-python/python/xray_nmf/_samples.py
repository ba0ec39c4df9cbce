"""Samples that count more or less than once.

A sample x with weight w counts as ``sqrt(w) x``: its squared error then counts w times. The rules'
vector p is scaled alike, so that anchors which are features are those of data in which the sample
stands w times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.sparsefuncs import inplace_row_scale
from sklearn.utils.validation import _check_sample_weight

from ._input import is_sparse
from ._request import weights_of
from ._types import Floats


def roots_of(sample_weight: Any, X: Any) -> Floats | None:
    """The square root of each sample's weight, if they have weights."""
    if sample_weight is None:
        return None
    weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is 0 for all samples; give a positive number to some")
    roots: Floats = np.sqrt(weights)
    return roots


def scaled(X: Any, roots: Floats) -> Any:
    """X with its rows scaled, in the same type and layout."""
    factors = roots.astype(X.dtype)
    if not is_sparse(X):
        return X * factors[:, np.newaxis]
    X = X.copy()
    inplace_row_scale(X, factors)
    return X


def vector_of(model: Any, roots: Floats | None) -> Floats | None:
    """The vector p of the rules."""
    p = weights_of(model.weights)
    if roots is None or model.axis == "samples":
        return p
    # Where a row is all zeros, p has nothing to multiply, but must be positive.
    positive: Floats = np.where(roots > 0, roots, 1.0)
    # The engine tells of a wrong length.
    return positive if p is None else p if len(p) != len(positive) else p * positive
