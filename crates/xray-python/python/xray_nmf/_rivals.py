"""Other ways to find anchors: successive projection."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from ._check import whole
from ._input import as_matrix, threads
from ._types import Axis, Floats, Indices, MatrixLike, Normalize
from ._xray_nmf import successive


class Anchors(NamedTuple):
    """The result of `spa` and `snpa`."""

    anchors: Indices
    """Columns (rows, if anchors are samples), in the order chosen."""
    scores: Floats
    """The squared length of each anchor's residual when it was chosen."""
    termination: str
    """"rank_reached", or "exhausted" if there are no more."""


def spa(
    X: MatrixLike,
    n_components: int,
    *,
    axis: Axis = "features",
    normalize: Normalize | None = "l1",
    tol: float | None = None,
    n_jobs: int | None = -1,
) -> Anchors:
    """Find anchors by successive projection (SPA).

    Takes the column with the largest norm, projects all columns onto its orthogonal complement,
    and repeats. Finds the anchors of separable data if they are linearly independent.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Entries may be negative.
    n_components : int
        How many anchors to find.
    axis : {"features", "samples"}, default="features"
        What anchors are: columns or rows.
    normalize : {"l1", "l2"} or None, default="l1"
        Scale columns (rows) first; the method needs it unless they have equal sums.
    tol : float, optional
        A column within this relative distance of the anchors' span is dependent; 1e-9 by default.
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.

    Returns
    -------
    Anchors
        ``anchors``, ``scores`` and ``termination``. For weights and residuals, fit
        ``XRay(len(anchors), fixed=anchors)``.

    References
    ----------
    N. Gillis and S. Vavasis, "Fast and robust recursive algorithms for separable nonnegative
    matrix factorization", IEEE TPAMI 36 (2014).

    Examples
    --------
    >>> from xray_nmf import spa, synth
    >>> data = synth.planted(30, 40, 5)
    >>> data.recovery(spa(data.X, 5).anchors)
    1.0
    """
    return _successive("spa", X, n_components, (axis, normalize, tol, n_jobs))


def snpa(
    X: MatrixLike,
    n_components: int,
    *,
    axis: Axis = "features",
    normalize: Normalize | None = "l1",
    tol: float | None = None,
    n_jobs: int | None = -1,
) -> Anchors:
    """Find anchors by successive nonnegative projection (SNPA).

    As `spa`, but columns are projected onto the convex hull of the anchors and the origin: exact
    on separable data also where anchors are linearly dependent, and more robust to noise.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_samples, n_features)
        Entries may be negative.
    n_components : int
        How many anchors to find.
    axis : {"features", "samples"}, default="features"
        What anchors are: columns or rows.
    normalize : {"l1", "l2"} or None, default="l1"
        Scale columns (rows) first; the method needs it unless they have equal sums.
    tol : float, optional
        Columns with a relative residual below this count as explained; 1e-6 by default.
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.

    Returns
    -------
    Anchors
        ``anchors``, ``scores`` and ``termination``. For weights and residuals, fit
        ``XRay(len(anchors), fixed=anchors)``.

    References
    ----------
    N. Gillis, "Successive nonnegative projection algorithm for robust nonnegative blind source
    separation", SIAM J. Imaging Sciences 7 (2014).

    Examples
    --------
    Eight extreme rays in three dimensions: `spa` can find three of them, `snpa` all.

    >>> from xray_nmf import snpa, synth
    >>> data = synth.planted(30, 40, 8, design="rank-deficient")
    >>> data.recovery(snpa(data.X, 8).anchors)
    1.0
    """
    return _successive("snpa", X, n_components, (axis, normalize, tol, n_jobs))


def _successive(
    method: str,
    X: MatrixLike,
    n_components: int,
    choices: tuple[Axis, Normalize | None, float | None, int | None],
) -> Anchors:
    axis, normalize, tol, n_jobs = choices
    if axis not in ("features", "samples"):
        raise ValueError(f"axis = {axis!r} is not allowed; use features or samples")
    n_components = whole("n_components", n_components, 1)
    matrix, _ = as_matrix(X, "X", transposed=axis == "samples")
    found = Anchors(*successive(matrix, method, n_components, normalize, tol, threads(n_jobs)))
    if len(found.anchors) < n_components:
        warnings.warn(
            f"{len(found.anchors)} anchors explain all {axis}: n_components = {n_components} is "
            "more than there are",
            UserWarning,
            stacklevel=3,
        )
    return found
