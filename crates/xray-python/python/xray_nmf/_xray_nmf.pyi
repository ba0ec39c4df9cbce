"""The compiled part of xray_nmf; import that instead."""

from collections.abc import Callable
from typing import TypedDict, final

import numpy as np
from numpy.typing import NDArray

from ._settings import Settings

__all__ = [
    "VERSION",
    "Factorization",
    "Matrix",
    "corpus",
    "defaults",
    "fit",
    "nnls",
    "planted",
    "refine",
    "row_weights",
]

VERSION: str

class _Plan(TypedDict):
    design: str
    n_rows: int
    n_columns: int
    rank: int
    noise: float
    outward: bool
    seed: int
    clip: bool
    shuffle: bool

@final
class Matrix:
    def __new__(
        cls, matrix: object, transposed: bool = False, allow_negative: bool = True
    ) -> Matrix: ...

@final
class Factorization:
    @property
    def anchors(self) -> NDArray[np.int64]: ...
    @property
    def residuals(self) -> NDArray[np.float64]: ...
    @property
    def termination(self) -> str: ...
    @property
    def kkt_violation(self) -> float: ...
    @property
    def suggested_rank(self) -> int: ...
    def truncate(self, rank: int, threads: int) -> Factorization: ...
    def weights(self) -> NDArray[np.float64]: ...

def defaults() -> dict[str, object]: ...
def fit(
    matrix: Matrix,
    settings: Settings,
    progress: Callable[[int, float], None] | None = None,
) -> Factorization: ...
def nnls(
    matrix: Matrix, right: Matrix, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
def row_weights(
    rows: Matrix, components: NDArray[np.float64], threads: int
) -> NDArray[np.float64]: ...
def refine(
    matrix: Matrix,
    w: NDArray[np.float64],
    h: NDArray[np.float64],
    plan: tuple[str, int, int],
    progress: Callable[[int, float], None] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def planted(plan: _Plan) -> tuple[NDArray[np.float64], list[int]]: ...
def corpus(
    like: str, scale: float, seed: int, threads: int
) -> tuple[
    tuple[tuple[int, int], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]],
    list[list[int]],
]: ...
