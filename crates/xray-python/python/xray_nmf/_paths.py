"""Paths that were found before, so that a search over `n_components` finds each only once.

The anchors of rank k are the first k of any longer run, and with its anchors given, the solution of
rank k takes no selection: only projections. So what is worth keeping of a run is a list of anchors,
some kilobytes. It is kept under a hash of all that it depends on, the data's content included, so
reusing it can not give another answer than finding it again.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

from ._input import is_sparse
from ._types import Floats, Indices

# Five folds of a dozen pipelines.
CAPACITY = 64


class Path(NamedTuple):
    """A run: its anchors in the order found, residuals, how it ended, and its knee."""

    anchors: Indices
    residuals: Floats
    termination: str
    suggestion: str


class PathStore:
    """The paths used last, by key; safe to use from many threads."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._paths: OrderedDict[bytes, Path] = OrderedDict()
        self._lock = threading.Lock()
        self.hits = 0

    def get(self, key: bytes) -> Path | None:
        """The path stored under `key`, if it still is."""
        with self._lock:
            path = self._paths.get(key)
            if path is not None:
                self._paths.move_to_end(key)
                self.hits += 1
            return path

    def put(self, key: bytes, path: Path) -> None:
        """Stores a path; the one not used for longest makes room."""
        with self._lock:
            self._paths[key] = path
            self._paths.move_to_end(key)
            while len(self._paths) > self._capacity:
                self._paths.popitem(last=False)


def key_of(matrix: Any, *settings: object) -> bytes:
    """A hash of a matrix's content and of everything else that a path depends on."""
    digest = hashlib.blake2b(digest_size=32)
    if is_sparse(matrix):
        arrays = [matrix.indptr, matrix.indices, matrix.data]
        layout = matrix.format
    else:
        by_rows = matrix.flags.c_contiguous
        arrays, layout = [matrix if by_rows else matrix.T], "rows" if by_rows else "columns"
    digest.update(repr((layout, matrix.shape, settings)).encode())
    for array in arrays:
        digest.update(repr((array.dtype.str, array.shape)).encode())
        digest.update(np.ascontiguousarray(array).view(np.uint8).data)
    return digest.digest()


STORE = PathStore()
