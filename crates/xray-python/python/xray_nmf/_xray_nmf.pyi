"""The compiled part of xray_nmf; import that instead."""

from collections.abc import Callable
from typing import Literal, TypeAlias, TypedDict, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "VERSION",
    "Documents",
    "Factorization",
    "Matrix",
    "Model",
    "abundances",
    "corpus",
    "defaults",
    "edit_topics",
    "fit",
    "fit_topics",
    "frequent",
    "group_shares",
    "nearest",
    "nnls",
    "periods",
    "planted",
    "refine",
    "row_weights",
    "study_number",
    "successive",
    "topic_levels",
    "topics_page",
    "unmix",
]

VERSION: str

# Stage, steps done, steps planned, error that is left.
_Progress: TypeAlias = Callable[[str, int, int, float], None]
# Anchors, words, their weights, share, margin, name, the anchor's place, whether it has left, its
# runner-up.
_Listed: TypeAlias = tuple[
    list[int], list[int], list[float], float, float | None, str, int | None, bool, int | None
]

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
        cls,
        matrix: object,
        transposed: bool = False,
        allow_negative: bool = True,
        names: list[str] | None = None,
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
    def noise(self) -> str | None: ...
    def stability(
        self,
        matrix: Matrix,
        params: str,
        threads: int,
        row_weights: NDArray[np.float64] | None = None,
        progress: _Progress | None = None,
    ) -> NDArray[np.float64]: ...
    @property
    def suggestion(self) -> str: ...
    @property
    def objective(self) -> NDArray[np.float64]: ...
    def truncate(self, rank: int, threads: int) -> Factorization: ...
    def refine(
        self,
        matrix: Matrix,
        options: str,
        samples: bool,
        threads: int,
        progress: _Progress | None = None,
    ) -> Factorization: ...
    def components(self, samples: bool) -> NDArray[np.float64]: ...
    def to_model(self, options: str, names: list[str] | None, with_w: bool) -> Model: ...

class _Run(TypedDict):
    topics: list[_Listed]
    document_topics: NDArray[np.int64]
    lengths: NDArray[np.int64]
    coherence: list[tuple[float, float]]
    evidence: str
    explained: NDArray[np.float64]
    least_explained: float
    termination: str
    kkt_violation: float
    objective: NDArray[np.float64]
    squared_error: float
    suggestion: str | None
    warnings: list[str]

@final
class Documents:
    @staticmethod
    def of_texts(texts: list[str]) -> Documents: ...
    @staticmethod
    def of_counts(matrix: Matrix, names: list[str] | None = None) -> Documents: ...

@final
class Model:
    def __new__(cls, data: bytes) -> Model: ...
    @staticmethod
    def load(path: str) -> Model: ...
    def save(self, path: str, more: dict[str, str] | None = None) -> None: ...
    def to_bytes(self) -> bytes: ...
    @property
    def kind(self) -> Literal["topics", "factorize"]: ...
    @property
    def anchors(self) -> NDArray[np.int64]: ...
    @property
    def residuals(self) -> NDArray[np.float64]: ...
    @property
    def components(self) -> NDArray[np.float64]: ...
    @property
    def weights(self) -> NDArray[np.float64] | None: ...
    @property
    def vocabulary(self) -> list[str] | None: ...
    @property
    def document_frequencies(self) -> NDArray[np.int64] | None: ...
    @property
    def parameters(self) -> str: ...
    @property
    def text_options(self) -> str | None: ...
    def topics(self, n_words: int, distinct: bool) -> list[_Listed]: ...
    def heaviest(self, weights: NDArray[np.float64], threads: int) -> NDArray[np.int64]: ...
    @property
    def document_clusters(self) -> NDArray[np.int64] | None: ...
    def clusters(self, documents: Documents, threads: int) -> NDArray[np.int64] | None: ...
    def weigh(self, documents: Documents, threads: int) -> NDArray[np.float64]: ...
    def coherence(
        self, documents: Documents, lists: list[list[int]], threads: int
    ) -> tuple[list[tuple[float, float]], list[int]]: ...
    def __reduce__(self) -> tuple[type[Model], tuple[bytes]]: ...

def defaults() -> str: ...
def frequent(frequencies: list[int], n_rows: int, asked: str) -> list[int] | None: ...
def fit(
    matrix: Matrix,
    params: str,
    threads: int,
    memory: int | None = None,
    row_weights: NDArray[np.float64] | None = None,
    progress: _Progress | None = None,
) -> Factorization: ...
def fit_topics(
    documents: Documents,
    request: str,
    text: str,
    threads: int,
    memory: int | None = None,
    progress: _Progress | None = None,
) -> tuple[Model, _Run]: ...
def topic_levels(
    documents: Documents,
    levels: list[int],
    request: str,
    text: str,
    machine: tuple[int, int | None],
    progress: _Progress | None = None,
) -> tuple[str, list[str]]: ...
def topics_page(
    model: Model,
    documents: Documents,
    asked: tuple[str, list[int]],
    names: tuple[str, list[str] | None, list[str] | None],
    machine: tuple[int, int | None],
    progress: _Progress | None = None,
) -> str: ...
def group_shares(
    weights: NDArray[np.float64], groups: list[str]
) -> tuple[list[str], list[int], list[list[float]]]: ...
def nearest(weights: NDArray[np.float64], row: int, n: int) -> list[tuple[int, float]]: ...
def periods(times: list[str], period: str | None = None) -> tuple[list[str], str | None]: ...
def edit_topics(model: Model, edits: str, documents: Documents | None, threads: int) -> Model: ...
def successive(
    matrix: Matrix,
    method: str,
    rank: int,
    normalize: str | None,
    tolerance: float | None,
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.float64], str]: ...
def nnls(
    matrix: Matrix, right: Matrix, threads: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...
def row_weights(
    rows: Matrix, components: NDArray[np.float64], threads: int, by_divergence: bool
) -> NDArray[np.float64]: ...
def refine(
    matrix: Matrix,
    start: tuple[NDArray[np.float64], NDArray[np.float64]],
    method: str,
    limits: tuple[int, float],
    threads: int,
    progress: _Progress | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
def study_number(
    matrix: Matrix,
    options: str,
    threads: int,
    memory: int | None = None,
    row_weights: NDArray[np.float64] | None = None,
    progress: _Progress | None = None,
) -> str | None: ...
def planted(plan: _Plan) -> tuple[NDArray[np.float64], list[int]]: ...
def corpus(
    like: str, scale: float, seed: int, threads: int
) -> tuple[
    tuple[tuple[int, int], NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]],
    list[list[int]],
]: ...
def unmix(
    cube: NDArray[np.float64],
    is_image: bool,
    choices: tuple[int | None, str, str, int],
    threads: int,
    mask: NDArray[np.bool_] | None = None,
    progress: _Progress | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float32], str]: ...
def abundances(
    cube: NDArray[np.float64],
    is_image: bool,
    spectra: NDArray[np.float64],
    rule: str,
    threads: int,
    mask: NDArray[np.bool_] | None = None,
) -> NDArray[np.float32]: ...
