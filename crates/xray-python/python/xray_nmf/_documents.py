"""What a `TopicModel` may be given: texts, or a matrix of counts with the words' names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._input import is_sparse, plain
from ._xray_nmf import Documents, Matrix


def is_matrix(given: Any) -> bool:
    """Whether it is a table of numbers; else it is taken as texts."""
    return is_sparse(given) or getattr(given, "ndim", None) == 2 or np.ndim(given) == 2


def documents_of(
    given: Any, vocabulary: Iterable[str] | None, known: list[str] | None = None
) -> tuple[Documents, list[str] | None, int | None]:
    """The documents, the names of their columns and how many there are, if they are a matrix.

    `known` are the names where neither the caller nor a DataFrame has any.
    """
    if isinstance(given, (str, bytes)):
        raise TypeError("documents are one text; give a list of texts")
    if given is None:
        raise ValueError("documents are None; give a list of texts, or a matrix and its vocabulary")
    listed = given if hasattr(given, "shape") else list(given)
    if not is_sparse(listed) and not hasattr(listed, "shape") and has_text(listed):
        return texts_of(listed, vocabulary), None, None
    if not is_matrix(listed):
        return texts_of(listed, vocabulary), None, None
    names = names_of(listed, vocabulary) or known
    checked = check_array(listed, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    counts = checked if is_sparse(checked) else sp.csr_array(checked)
    matrix = Matrix(plain(counts), False, False)
    return Documents.of_counts(matrix, names), names, counts.shape[1]


def has_text(listed: Sequence[Any]) -> bool:
    """Whether the first entry is a text."""
    return bool(listed) and isinstance(listed[0], str)


def texts_of(given: Any, vocabulary: Any) -> Documents:
    """Texts as they are; anything else among them is refused with its place."""
    if vocabulary is not None:
        raise ValueError("vocabulary is for matrices; texts have their own words")
    texts = list(given)
    if not texts:
        raise ValueError("there are no documents; give at least one text")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            kind = type(text).__name__
            raise TypeError(f"document {place} is {text!r} ({kind}); documents are str")
    return Documents.of_texts(texts)


def names_of(given: Any, vocabulary: Iterable[str] | None) -> list[str] | None:
    """The names of a matrix's columns: those given, or those of a DataFrame."""
    if vocabulary is None:
        columns = getattr(given, "columns", None)
        if columns is None or not all(isinstance(name, str) for name in columns):
            return None
        return list(columns)
    if isinstance(vocabulary, dict):
        # As scikit-learn's vectorizers have it: the column of each word.
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ValueError(
                f"vocabulary has other values than the columns 0 to {len(vocabulary) - 1}"
            )
        vocabulary = sorted(vocabulary, key=vocabulary.__getitem__)
    return [str(name) for name in vocabulary]
