"""Nonnegative least squares with many right-hand sides."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ._input import as_matrix, is_sparse, threads
from ._types import Floats, MatrixLike
from ._xray_nmf import nnls as _solve


class NnlsResult(NamedTuple):
    """The solution of `nnls`."""

    x: Floats
    """One column for each right-hand side, or a vector for one."""
    residual_norms: Floats
    """``||A x - b||`` for each right-hand side."""
    kkt_violation: float
    """The largest violation of the optimality conditions, relative to the norms involved, as the
    residual shows it: below 1e-14, unless weights are so large that their terms cancel."""


def nnls(A: MatrixLike, B: MatrixLike, *, n_jobs: int | None = -1) -> NnlsResult:
    """Solve ``min ||A x - b||`` over ``x >= 0`` exactly, for every column b of B.

    Works on the normal equations, formed once for all right-hand sides: fast where there are many.
    Solutions are corrected from the residual, and found by orthogonal transformations where columns
    of A are nearly dependent, so they are as accurate as those of `scipy.optimize.nnls` (against
    exact arithmetic, see ``bench/nnls_accuracy.py``): the error of x, relative to its largest
    entry, is at most 1e-13 for a condition of A up to 1e2, 1e-12 to 1e3, 1e-10 to 1e5, 1e-8 to 1e7
    and 1e-5 to 1e10. The residual is within 1e-14 ``||b||`` of the smallest, unless A has both
    signs and the terms of ``A x`` cancel; the certificate is computed from it and tells how much
    that costs.

    Parameters
    ----------
    A : array or sparse matrix of shape (m, k)
    B : array or sparse matrix of shape (m, n), or array of shape (m,)
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.

    Returns
    -------
    NnlsResult
        ``x`` of shape (k, n) or (k,), ``residual_norms`` of shape (n,) or (1,), and the
        certificate ``kkt_violation``.

    Examples
    --------
    >>> import numpy as np
    >>> from xray_nmf import nnls
    >>> A = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> nnls(A, [[2.0, 1.0], [3.0, -1.0], [5.0, 0.0]]).x.round(6)
    array([[2. , 0.5],
           [3. , 0. ]])
    """
    single = not is_sparse(B) and np.ndim(B) == 1
    matrix, _ = as_matrix(A, "A")
    right, _ = as_matrix(np.asarray(B)[:, np.newaxis] if single else B, "B")
    solutions, residual_norms, violation = _solve(matrix, right, threads(n_jobs))
    x = solutions[0] if single else solutions.T
    return NnlsResult(x, residual_norms, violation)
