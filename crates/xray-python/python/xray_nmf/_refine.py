"""A few steps of alternating optimisation from any start."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_array

from ._check import share, text, whole
from ._input import as_matrix, threads
from ._progress import progress_if
from ._types import Floats, MatrixLike, Refinement
from ._xray_nmf import refine as _improve


class Refined(NamedTuple):
    """The result of `refine`: ``X ~= W @ H``."""

    W: Floats
    H: Floats
    objective: Floats
    """The objective at the start and after each step; it never increases."""


def refine(
    X: MatrixLike,
    W: MatrixLike,
    H: MatrixLike,
    *,
    steps: int = 10,
    tol: float = 0.0,
    refinement: Refinement = "auto",
    n_jobs: int | None = -1,
    verbose: bool = False,
) -> Refined:
    """Improve a factorization ``X ~= W @ H`` by alternating optimisation.

    Each step improves W for fixed H and then H for fixed W.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, n)
    W : array of shape (m, r)
        Where to start; entries are not negative.
    H : array of shape (r, n)
        Where to start; entries are not negative.
    steps : int, default=10
        The most steps.
    tol : float, default=0.0
        End when three steps together lower the objective by less than this part of it; 0 makes all.
    refinement : {"auto", "hals", "exact", "kullback-leibler"}, default="auto"
        Hierarchical alternating least squares (a few sweeps over the topics), alternating exact
        nonnegative least squares, or multiplicative updates for the Kullback-Leibler divergence.
        "auto" is "exact" if a column of W is nearer to the span of the others than a tenth of its
        length, as those of spectra are (a third less error on Samson after ten steps, in the same
        time), else "hals".
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    Refined
        ``W``, ``H``, and ``objective``: the squared Frobenius norm of ``X - W @ H``, or the
        divergence, at the start and after each step.

    Examples
    --------
    >>> import numpy as np
    >>> from xray_nmf import refine
    >>> X = np.array([[1.0, 2.0, 0.1], [0.5, 1.0, 1.0], [0.0, 0.2, 2.0]])
    >>> better = refine(X, X[:, :2], np.ones((2, 3)))
    >>> bool(better.objective[-1] < better.objective[0])
    True
    """
    matrix, shape = as_matrix(X, "X")
    start = start_of(shape, W, H)
    limits = whole("steps", steps, 0), share("tol", tol)
    how = text("refinement", refinement), limits, threads(n_jobs)
    with progress_if(verbose) as progress:
        w, h_transposed, objective = _improve(matrix, start, *how, progress)
    return Refined(w, h_transposed.T, objective)


def start_of(shape: tuple[int, int], W: MatrixLike, H: MatrixLike) -> tuple[Floats, Floats]:
    """W and the transpose of H to start with, for X of this shape."""
    w = check_array(W, dtype=np.float64, ensure_all_finite=False, input_name="W")
    h = check_array(H, dtype=np.float64, ensure_all_finite=False, input_name="H")
    if (w.shape[0], h.shape[1]) != shape or w.shape[1] != h.shape[0]:
        shapes = f"X {shape}, W {w.shape}, H {h.shape}"
        raise ValueError(f"shapes do not fit: {shapes}; W needs the rows of X, H its columns")
    return w, h.T
