"""What a `TopicModel` may be given: texts, or a matrix of counts with the words' names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._input import is_sparse, plain, table_of
from ._xray_nmf import Documents, Matrix


def is_matrix(given: Any) -> bool:
    """Whether it is a table of numbers; else it is taken as texts."""
    if is_sparse(given) or getattr(given, "ndim", None) == 2:
        return True
    # Lists of words have lengths of their own, and NumPy refuses them.
    rows = not hasattr(given, "shape") and bool(given) and is_list_of_words(given[0])
    return not rows and np.ndim(given) == 2


def is_list_of_words(document: Any) -> bool:
    """Whether a document is cut into words already."""
    return isinstance(document, (list, tuple)) and any(isinstance(word, str) for word in document)


def column_of_texts(given: Any) -> Any:
    """Texts that stand in a column of their own, as a list; other tables as they are."""
    if hasattr(given, "to_pylist"):
        return given.to_pylist()
    if getattr(given, "ndim", None) != 2 or is_sparse(given) or not has_words(given):
        return given
    if given.shape[1] == 1:
        return np.asarray(given, dtype=object)[:, 0].tolist()
    names = getattr(given, "columns", None)
    remedy = "" if names is None else f', such as X["{words_column(given)}"]'
    n = given.shape[1]
    raise TypeError(f"X is a table of {n} columns with words; give a column of texts{remedy}")


def has_words(table: Any) -> bool:
    """Whether a table has words in its first row."""
    first = table.iloc[:1] if hasattr(table, "iloc") else table[:1]
    return any(isinstance(value, str) for value in np.asarray(first, dtype=object).ravel())


def words_column(frame: Any) -> Any:
    """The column of a DataFrame that has the longest words in its first row."""
    values = np.asarray(frame.iloc[:1], dtype=object)[0]
    lengths = [len(value) if isinstance(value, str) else -1 for value in values]
    return frame.columns[int(np.argmax(lengths))]


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
    given = column_of_texts(table_of(given))
    listed = given if hasattr(given, "shape") else list(given)
    if not is_sparse(listed) and not hasattr(listed, "shape") and has_text(listed):
        return texts_of(listed, vocabulary), None, None
    if not is_matrix(listed):
        return texts_of(listed, vocabulary), None, None
    names = names_of(listed, vocabulary) or known
    checked = check_array(listed, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    counts = checked if is_sparse(checked) else sp.csr_array(checked)
    matrix = Matrix(plain(counts), False, False, names)
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
            raise TypeError(f"document {place} is {described(text)}; documents are str")
    return Documents.of_texts(texts)


def described(document: Any) -> str:
    """What stands where a text should be, and how to make one of it."""
    kind = type(document).__name__
    if is_list_of_words(document):
        return f'a {kind} of words (join them: " ".join(words))'
    shown = repr(document)
    return f"{shown if len(shown) <= 80 else shown[:77] + '...'} ({kind})"


def names_of(given: Any, vocabulary: Iterable[str] | None) -> list[str] | None:
    """The names of a matrix's columns: those given, or those of a DataFrame."""
    if vocabulary is None:
        columns = getattr(given, "columns", None)
        if columns is None or not all(isinstance(name, str) for name in columns):
            return None
        return list(columns)
    if isinstance(vocabulary, (str, bytes)):
        raise TypeError(f"vocabulary = {vocabulary!r} is not allowed; give a list of words")
    if isinstance(vocabulary, dict):
        # As scikit-learn's vectorizers have it: the column of each word.
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ValueError(
                f"vocabulary has other values than the columns 0 to {len(vocabulary) - 1}"
            )
        vocabulary = sorted(vocabulary, key=vocabulary.__getitem__)
    return [str(name) for name in vocabulary]
