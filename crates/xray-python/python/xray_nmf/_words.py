"""Documents as texts, and as words: what Python does before the Rust reader, and what it refuses.

Words that come in lists, or from a `tokenizer`, are counted here as they are. Stop words and rare
ones are dropped by the engine, as they are from a matrix of counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

MISSING = 'leave it out, or put "" in its place, as X.dropna() and X.fillna("") of pandas do'


def refuse_single(given: Any) -> None:
    """Tells of one thing where many documents are needed."""
    if given is None:
        raise ValueError("documents are None; give a list of texts, or a matrix and its vocabulary")
    if isinstance(given, str):
        raise TypeError("documents are one text; give a list of texts: [text]")
    if isinstance(given, (bytes, bytearray)):
        raise TypeError(
            "documents are bytes; decode them and give a list of texts: [text.decode()]"
        )
    if isinstance(given, (set, frozenset)):
        raise TypeError("documents are a set, which has no order; give a list of texts")
    if not isinstance(given, Iterable) and not hasattr(given, "shape"):
        raise TypeError(f"documents are {described(given)}; give a list of texts")


def are_words(document: Any) -> bool:
    """Whether a document is cut into words already."""
    if isinstance(document, np.ndarray):
        document = document.tolist() if document.ndim == 1 else ()
    return isinstance(document, (list, tuple)) and any(isinstance(word, str) for word in document)


def texts_of(model: Any, documents: Sequence[Any]) -> list[str]:
    """Texts as the preprocessor leaves them; anything else is refused with its place."""
    for place, text in enumerate(documents):
        if not isinstance(text, str):
            raise TypeError(f"document {place} is {described(text)}; {remedy_for(text)}")
    if model.preprocessor is None:
        return list(documents)
    made = [model.preprocessor(text) for text in documents]
    for place, text in enumerate(made):
        if not isinstance(text, str):
            raise TypeError(
                f"the preprocessor made {described(text)} of document {place}; it has to make a str"
            )
    return made


def words_of(model: Any, documents: Sequence[Any]) -> list[list[str]] | None:
    """The words of each document, if they are given, or a tokenizer makes them."""
    if any(are_words(document) for document in documents):
        refuse_columns(documents)
        words = [list_of(document, place) for place, document in enumerate(documents)]
        source = "documents that are lists of words"
    elif model.tokenizer is not None:
        texts = texts_of(model, documents)
        words = [tokens_of(model, text, place) for place, text in enumerate(texts)]
        source = "a tokenizer"
    else:
        return None
    for name, plain in (("ngram_range", (1, 1)), ("stemming", None)):
        value = getattr(model, name)
        if (tuple(value) if isinstance(value, list) else value) != plain:
            raise ValueError(
                f"{name} = {value!r} is not allowed with {source}, whose words are taken as they "
                f"are; leave it at {plain!r}, and make such words yourself"
            )
    return words


def list_of(document: Any, place: int) -> list[str]:
    """The words of a document that is a list of them."""
    if not isinstance(document, (list, tuple, np.ndarray)):
        raise TypeError(
            f"document {place} is {described(document)}, and others are lists of words; "
            "give either lists or texts"
        )
    words = list(document)
    for k, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"document {place}, word {k} is {described(word)}; words are str")
    return words


def tokens_of(model: Any, text: str, place: int) -> list[str]:
    """The words that the tokenizer makes of a text."""
    made = model.tokenizer(text.lower() if model.lowercase else text)
    if isinstance(made, (str, bytes)) or not isinstance(made, Iterable):
        raise TypeError(
            f"the tokenizer made {described(made)} of document {place}; it has to make a list of "
            "words"
        )
    words = list(made)
    for word in words:
        if not isinstance(word, str):
            raise TypeError(
                f"the tokenizer made {described(word)} of document {place}; words are str"
            )
    return words


def refuse_columns(documents: Sequence[Any]) -> None:
    """Lists of one text each are a column of texts, not lists of words."""
    alone = all(are_words(document) and len(document) == 1 for document in documents)
    if alone and any(" " in document[0].strip() for document in documents):
        raise TypeError(
            "each document is a list of one text; give the texts: [document[0] for document in X]"
        )


def counts_of(
    documents: Sequence[list[str]], vocabulary: list[str] | None
) -> tuple[sp.csr_array, list[str]]:
    """How often each word (of `vocabulary`, if given) is in each document, and the words."""
    if vocabulary is None:
        vocabulary = sorted(set().union(*documents))
        if not vocabulary:
            raise ValueError("no document has a word; give at least one that has")
    columns = {word: j for j, word in enumerate(vocabulary)}
    offsets, indices, values = [0], [], []
    for words in documents:
        counted = Counter(columns[word] for word in words if word in columns)
        for column in sorted(counted):
            indices.append(column)
            values.append(counted[column])
        offsets.append(len(indices))
    parts = np.array(values, dtype=np.float64), np.array(indices, dtype=np.int64), np.array(offsets)
    return sp.csr_array(parts, shape=(len(documents), len(vocabulary))), vocabulary


def described(value: Any) -> str:
    """What stands where a text should be."""
    shown = repr(value)
    return f"{shown if len(shown) <= 80 else shown[:77] + '...'} ({type(value).__name__})"


def remedy_for(document: Any) -> str:
    """How to make a text of what is none."""
    missing = document is None or type(document).__name__ in ("NAType", "NaTType")
    if missing or (isinstance(document, float) and document != document):
        return f"documents are str: {MISSING}"
    if isinstance(document, (bytes, bytearray)):
        return "documents are str: decode it, as in document.decode()"
    return "documents are str: give texts, or a matrix of counts with its vocabulary"


Preprocessor = Callable[[str], str]
Tokenizer = Callable[[str], Iterable[str]]
