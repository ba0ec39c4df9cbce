"""How much of a matrix its factors explain, without a copy of either.

``||X - WH||^2 = ||X||^2 - 2 <X, WH> + ||WH||^2``, where ``<X, WH>`` is a sum over blocks of X: of
rows, ``<X_b H', W_b>``, or, where X is stored by columns, ``<X_b' W, H_b'>``. A block is widened to
float64 by itself, so that single precision stays as small as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._input import is_sparse
from ._types import Floats

# Entries of X that are widened at a time: 2 MB.
BLOCK = 1 << 18


def explained_share(X: Any, W: Floats, H: Floats) -> float:
    """``1 - ||X - WH||^2 / ||X||^2``; 1 for zeros."""
    by_columns = is_sparse(X) and X.format == "csc"
    lines, left, right = (X.T, H.T, W) if by_columns else (X, W, H.T)
    total = inner = 0.0
    for place in blocks(lines):
        block = lines[place].astype(np.float64)
        values = (block.data if is_sparse(block) else block).ravel()
        total += float(values @ values)
        inner += float(np.sum((block @ right) * left[place]))
    rebuilt = float(np.sum((W.T @ W) * (H @ H.T)))
    return (2 * inner - rebuilt) / total if total > 0 else 1.0


def frobenius_norm(X: Any) -> float:
    """``||X||``."""
    values = X.data if is_sparse(X) else X.ravel(order="K")
    total = 0.0
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK].astype(np.float64)
        total += float(block @ block)
    return math.sqrt(total)


def blocks(lines: Any) -> Iterator[slice]:
    """Runs of rows with about `BLOCK` entries, at least one row each."""
    m, n = lines.shape
    entries = lines.nnz if is_sparse(lines) else m * n
    height = max(BLOCK * m // max(entries, 1), 1)
    return (slice(start, min(start + height, m)) for start in range(0, m, height))
