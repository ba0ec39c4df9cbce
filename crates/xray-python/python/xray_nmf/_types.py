"""Names for what goes in and comes out."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

MatrixLike: TypeAlias = Any
"""A NumPy array, a SciPy sparse matrix or array, a DataFrame, or nested lists of numbers."""

Floats: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]

Axis: TypeAlias = Literal["features", "samples"]
Selection: TypeAlias = Literal["rand", "max", "dist", "greedy", "agg", "joint"]
SuitedSelection: TypeAlias = Literal["auto"] | Selection
Engine: TypeAlias = Literal["lazy", "direct"]
Solver: TypeAlias = Literal["active-set", "coordinate-descent"]
Normalize: TypeAlias = Literal["l1", "l2"]
Refinement: TypeAlias = Literal["auto", "exact", "hals", "kullback-leibler"]
Init: TypeAlias = Literal["xray", "custom"]
Output: TypeAlias = Literal["weights", "anchors"]
Keep: TypeAlias = Literal[
    "urls", "emails", "tags", "headers", "signatures", "quotes", "numbers", "all"
]
