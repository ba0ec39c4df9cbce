"""What people give a `TopicModel` first: columns of texts, and mistakes with their remedies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from test_topics import TEXTS

from xray_nmf import TopicModel


@pytest.mark.parametrize(
    "texts",
    [
        pd.DataFrame({"text": TEXTS}),
        np.array(TEXTS)[:, np.newaxis],
        pa.array(TEXTS),
        pa.chunked_array([TEXTS[:40], TEXTS[40:]]),
    ],
    ids=["frame", "column", "arrow", "chunks"],
)
def test_columns_of_texts(texts: Any) -> None:
    expected = TopicModel(3).fit(TEXTS)
    assert (TopicModel(3).fit(texts).weights_ == expected.weights_).all()
    assert (expected.transform(texts) == expected.weights_).all()


def test_texts_within_a_column_transformer() -> None:
    frame = pd.DataFrame({"id": range(90), "text": TEXTS})
    expected = TopicModel(3).fit_transform(TEXTS)
    for chosen in ("text", ["text"]):
        found = ColumnTransformer([("topics", TopicModel(3), chosen)]).fit_transform(frame)
        assert (found == expected).all()


class Annotated:
    """A matrix with its names, as single-cell packages have it."""

    X = np.eye(3)
    var_names = ("a", "b", "c")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            pd.DataFrame({"id": ["a"], "text": ["cats purr"]}),
            r"such as text_column='text', or give X\['text'\]",
        ),
        (np.array([["a", "cats purr"]]), "a table of 2 columns with words; give a column"),
        (Annotated(), r"of type Annotated; give its matrix \.X"),
    ],
)
def test_first_mistakes_are_told_with_their_remedy(given: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        TopicModel(2).fit(given)


def test_a_vocabulary_is_a_list_of_words() -> None:
    with pytest.raises(TypeError, match="vocabulary = 'abc' is not allowed; give a list"):
        TopicModel(2).fit(np.eye(3), vocabulary="abc")
