"""From what users have to what the engine takes: at most one copy, and never of good input.

====================================================  =====================================
given                                                  copied
====================================================  =====================================
float32 or float64 array, C or Fortran order           nothing
csr or csc, float32 or float64, sorted indices         nothing (int64 indices: the indices)
strided, unaligned or byte-swapped array               once, to C order
integers, booleans, other floats, objects, DataFrame   once, to float64
csr or csc with unsorted or repeated indices           once, sorted and added up
coo and other sparse formats                           once, to csr
====================================================  =====================================

What is given is never changed. The engine itself keeps a sparse matrix by rows and by columns, so
it builds the form that it was not given.
"""

from __future__ import annotations

import multiprocessing
import numbers
import os
from typing import Any

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._types import MatrixLike
from ._xray_nmf import Matrix

# How scikit-learn is asked to look at data. Whether entries are finite, the engine checks, and says
# where one is not.
CHECKS: dict[str, Any] = {
    "accept_sparse": ("csr", "csc"),
    "accept_large_sparse": True,
    "dtype": (np.float64, np.float32),
    "ensure_all_finite": False,
}


def is_sparse(matrix: Any) -> bool:
    """Whether it is a sparse matrix or array of SciPy's."""
    return bool(sp.issparse(matrix))


def plain(matrix: Any) -> Any:
    """The matrix in a layout that the engine borrows from; `matrix` has passed `CHECKS`."""
    if is_sparse(matrix):
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        return matrix
    flags = matrix.flags
    if (flags.c_contiguous or flags.f_contiguous) and flags.aligned:
        return np.asarray(matrix)
    return np.require(matrix, requirements=["C", "A"])


def as_matrix(
    matrix: MatrixLike, name: str, *, transposed: bool = False
) -> tuple[Matrix, tuple[int, int]]:
    """The engine's matrix and the shape given, for functions; `name` appears in errors."""
    checked = check_array(matrix, input_name=name, ensure_min_samples=0, **CHECKS)
    return Matrix(plain(checked), transposed), checked.shape


def table_of(given: Any) -> Any:
    """What was given, unless it is a container that has the matrix within it."""
    if hasattr(given, "X") and hasattr(given, "var_names"):
        kind = type(given).__name__
        raise TypeError(f"X is of type {kind}; give its matrix .X, with samples as rows")
    return given


def threads(n_jobs: int | None) -> int:
    """Number of threads for an `n_jobs` of joblib.

    -1 stands for all cores, but no more than `OMP_NUM_THREADS`, by which joblib and others tell
    each of their workers how many are its own.
    """
    if n_jobs is not None and not isinstance(n_jobs, numbers.Integral):
        raise TypeError(f"n_jobs = {n_jobs!r} is not allowed; give a whole number or None")
    left_open = n_jobs is None or n_jobs < 0
    if multiprocessing.current_process().daemon and left_open:
        # A worker of a pool has one core; joblib says the same, with a warning each time.
        return 1
    most = own_share() if left_open else None
    return min(int(joblib.effective_n_jobs(n_jobs)), most or 1024)


def own_share() -> int | None:
    """What `OMP_NUM_THREADS` says, if it says a number."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) if first.isdecimal() and int(first) > 0 else None
