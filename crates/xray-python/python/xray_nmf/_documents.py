"""What a `TopicModel` may be given: texts, lists of words, or counts with the words' names.

====================================================  ==========================================
given                                                  taken as
====================================================  ==========================================
list, generator, Series, Index, array of str           texts
Arrow array or chunked array of strings                texts
DataFrame, Arrow table, dict of columns                texts: its only column, or `text_column`
any of these with lists of str in place of str         documents that are cut into words already
array, sparse matrix or DataFrame of numbers           counts, or weights, of words
====================================================  ==========================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from ._input import is_sparse, plain, table_of
from ._words import are_words, counts_of, refuse_single, texts_of, words_of
from ._xray_nmf import Documents, Matrix

# Rows of a table that are looked at for words; one may have none where a text is missing.
LOOKED_AT = 100


class Given(NamedTuple):
    """Documents, the names of their columns and how many there are, if they are a matrix."""

    documents: Documents
    names: list[str] | None
    n_columns: int | None


def documents_of(
    model: Any, given: Any, vocabulary: Iterable[str] | None, known: Known | None = None
) -> Given:
    """The documents as a `TopicModel` reads them, new ones with what is `known` of the old."""
    refuse_single(table_of(given))
    given = column_of(given, model.text_column)
    listed = given if hasattr(given, "shape") else list(given)
    if is_matrix(listed):
        names = names_of(listed, vocabulary) or (known and known.names)
        return Given(*matrix_of(listed, names))
    if vocabulary is not None:
        raise ValueError("vocabulary is for matrices; texts have their own words")
    documents = list(listed)
    if not documents:
        raise ValueError("there are no documents; give at least one text")
    words = words_of(model, documents)
    if words is None:
        return Given(Documents.of_texts(texts_of(model, documents)), None, None)
    counts, names = counts_of(words, known and known.vocabulary)
    return Given(matrix_of(counts, names)[0], None, None)


class Known(NamedTuple):
    """What a model knows of the documents that it was fitted to."""

    names: list[str] | None
    """Of the columns, if they were a matrix with names."""
    vocabulary: list[str]


def matrix_of(counts: Any, names: list[str] | None) -> tuple[Documents, list[str] | None, int]:
    """Counts as documents."""
    checked = check_array(counts, accept_sparse="csr", dtype=np.float64, ensure_all_finite=False)
    checked = checked if is_sparse(checked) else sp.csr_array(checked)
    matrix = Matrix(plain(checked), False, False, names)
    return Documents.of_counts(matrix, names), names, checked.shape[1]


def is_matrix(given: Any) -> bool:
    """Whether it is a table of numbers; else it is taken as texts."""
    if is_sparse(given) or getattr(given, "ndim", None) == 2:
        return True
    if hasattr(given, "shape") or not given:
        return False
    if isinstance(given[0], str) or any(are_words(row) for row in given):
        return False
    try:
        return np.ndim(given) == 2 and np.size(given) > 0
    except ValueError:
        # Rows of different lengths.
        return False


def column_of(given: Any, text_column: Any) -> Any:
    """The texts of a table; what is no table, or one of numbers, as it is."""
    if isinstance(given, Mapping) or hasattr(given, "column_names"):
        # A dict of columns, or an Arrow table.
        names = list(given) if isinstance(given, Mapping) else list(given.column_names)
        given = given[name_in(names, text_column, type(given).__name__, None)]
    elif text_column is not None and hasattr(given, "columns"):
        names = list(given.columns)
        given = given[name_in(names, text_column, type(given).__name__, None)]
    if hasattr(given, "to_pylist"):
        return given.to_pylist()
    if getattr(given, "ndim", None) != 2 or is_sparse(given) or not has_words(given):
        return given
    if given.shape[1] == 1:
        return np.asarray(given, dtype=object)[:, 0].tolist()
    columns = getattr(given, "columns", None)
    if columns is None:
        n = given.shape[1]
        raise TypeError(f"X is a table of {n} columns with words; give a column of texts: X[:, 0]")
    return given[name_in(list(columns), None, type(given).__name__, words_column(given))]


def name_in(names: list[Any], asked: Any, kind: str, likely: Any) -> Any:
    """The column that was asked for, or the only one."""
    shown = ", ".join(map(str, names[:8])) + (", ..." if len(names) > 8 else "")
    if asked is not None and asked not in names:
        raise ValueError(f"text_column = {asked!r} is no column of the {kind}; there are {shown}")
    if asked is None and len(names) != 1:
        likely = names[0] if likely is None and names else likely
        raise TypeError(
            f"X is a {kind} with the columns {shown}; tell which has the texts, such as "
            f"text_column={likely!r}, or give X[{likely!r}]"
        )
    return names[0] if asked is None else asked


def has_words(table: Any) -> bool:
    """Whether a table has words in its first rows."""
    first = table.iloc[:LOOKED_AT] if hasattr(table, "iloc") else table[:LOOKED_AT]
    return any(isinstance(value, str) for value in np.asarray(first, dtype=object).ravel())


def words_column(frame: Any) -> Any:
    """The column of a DataFrame that has the longest words in its first row."""
    values = np.asarray(frame.iloc[:1], dtype=object)[0]
    lengths = [len(value) if isinstance(value, str) else -1 for value in values]
    return frame.columns[int(np.argmax(lengths))]


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
