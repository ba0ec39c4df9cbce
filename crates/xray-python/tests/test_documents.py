"""What documents may be: texts of any kind, words, callables; and what is wrong with others."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import clone
from test_topics import TEXTS

from xray_nmf import TopicModel

WORDS = [text.split() for text in TEXTS]
FRAME = pd.DataFrame({"number": range(90), "body": TEXTS, "title": "a title"})


@pytest.mark.parametrize(
    "texts",
    [
        lambda: pd.Series(TEXTS, dtype="string"),
        lambda: pd.Series(TEXTS, dtype="category"),
        lambda: pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.string())),
        lambda: pd.Series(TEXTS, index=range(7, 97)),
        lambda: pd.Index(TEXTS),
        lambda: pd.Categorical(TEXTS),
        lambda: pd.array(TEXTS, dtype="string"),
        lambda: pd.DataFrame({"any": pd.Series(TEXTS, dtype="category")}),
        lambda: pa.array(TEXTS),
        lambda: pa.array(TEXTS).dictionary_encode(),
        lambda: pa.chunked_array([TEXTS[:40], TEXTS[40:]]),
        lambda: pa.table({"any": TEXTS}),
        lambda: pa.table({"any": TEXTS})["any"],
        lambda: {"any": TEXTS},
        lambda: (text for text in TEXTS),
        lambda: map(str, TEXTS),
        lambda: np.array(TEXTS, dtype=object),
    ],
)
def test_texts_of_any_kind(texts: Callable[[], Any]) -> None:
    expected = TopicModel(3).fit(TEXTS)
    model = TopicModel(3).fit(texts())
    assert (model.weights_ == expected.weights_).all()
    assert (model.transform(texts()) == expected.weights_).all()


@pytest.mark.parametrize(
    "table",
    [
        FRAME,
        FRAME.astype({"body": "category"}),
        FRAME.convert_dtypes(dtype_backend="pyarrow"),
        pa.Table.from_pandas(FRAME),
        pa.RecordBatch.from_pandas(FRAME),
        {"number": list(range(90)), "body": TEXTS},
    ],
    ids=["frame", "category", "arrow frame", "table", "batch", "dict"],
)
def test_the_column_of_a_table(table: Any) -> None:
    expected = TopicModel(3).fit(TEXTS)
    model = TopicModel(3, text_column="body").fit(table)
    assert (model.weights_ == expected.weights_).all()
    assert (model.transform(table) == expected.weights_).all()
    # Texts without a table will do, too.
    assert (model.predict(TEXTS[:5]) == model.document_topics_[:5]).all()
    with pytest.raises(
        ValueError, match=r"text_column = 'text' is no column of the .* there are n"
    ):
        TopicModel(3, text_column="text").fit(table)
    with pytest.raises(TypeError, match="tell which has the texts, such as text_column="):
        TopicModel(3).fit(table)


def test_a_table_whose_first_text_is_missing() -> None:
    frame = pd.DataFrame({"id": [1, 2], "text": [None, "cats purr"]})
    with pytest.raises(TypeError, match="tell which has the texts"):
        TopicModel(2).fit(frame)
    with pytest.raises(TypeError, match=r"document 0 is .*leave it out"):
        TopicModel(2, text_column="text").fit(frame)


@pytest.mark.parametrize(
    "documents",
    [
        lambda: WORDS,
        lambda: [tuple(words) for words in WORDS],
        lambda: (words for words in WORDS),
        lambda: pd.Series(WORDS),
        lambda: pd.Series([np.array(words) for words in WORDS]),
        lambda: pd.DataFrame({"words": WORDS})["words"],
        lambda: pa.array(WORDS),
        lambda: pa.table({"words": WORDS}),
    ],
)
def test_lists_of_words_are_texts_that_are_cut(documents: Callable[[], Any]) -> None:
    expected = TopicModel(3).fit(TEXTS)
    model = TopicModel(3).fit(documents())
    assert model.vocabulary_.tolist() == expected.vocabulary_.tolist()
    assert (model.components_ == expected.components_).all()
    assert (model.weights_ == expected.weights_).all()
    assert (model.transform(documents()) == expected.weights_).all()
    assert (model.predict_clusters(documents()) == expected.document_clusters_).all()
    assert (model.transform(TEXTS) == expected.weights_).all()
    assert (model.coherence(documents()).npmi == expected.coherence().npmi).all()
    assert not hasattr(model, "n_features_in_")


def test_words_are_taken_as_they_are() -> None:
    documents = [["New York", "C++", "the", "x"], ["New York", "c++"], [], ["C++", "x", "x"]]
    model = TopicModel(2, min_df=1, max_df=1.0).fit(documents)
    # Stop words are dropped, as from a matrix of counts.
    assert model.vocabulary_.tolist() == ["C++", "New York", "c++", "x"]
    assert model.document_topics_[2] == -1 and (model.weights_[2] == 0).all()
    assert (model.transform([["unknown"], []]) == 0).all()
    assert TopicModel(2, min_df=2, max_df=1.0).fit(documents).n_topics_ <= 2


def test_callables_go_before_the_reader(tmp_path: Path) -> None:
    shouted = [f"<<{text}>>".upper() for text in TEXTS]
    expected = TopicModel(3).fit(TEXTS)
    cleaned = TopicModel(3, preprocessor=lambda text: text.strip("<>")).fit(shouted)
    assert (cleaned.weights_ == expected.weights_).all()
    assert (cleaned.transform(shouted) == expected.weights_).all()
    cut = TopicModel(3, tokenizer=re.compile("[a-z]+").findall).fit(shouted)
    assert (cut.weights_ == expected.weights_).all()
    assert (cut.transform(iter(shouted)) == expected.weights_).all()
    large = TopicModel(3, lowercase=False, tokenizer=lambda text: iter(text.split())).fit(TEXTS)
    assert (large.weights_ == expected.weights_).all()
    both = TopicModel(3, preprocessor=str.lower, lowercase=False, tokenizer=str.split)
    assert (both.fit(TEXTS).weights_ == expected.weights_).all()
    assert clone(both).get_params()["tokenizer"] is str.split
    # Words that are given need no tokenizer.
    assert (both.transform(WORDS) == expected.weights_).all()
    with pytest.warns(UserWarning, match="cannot keep preprocessor and tokenizer"):
        both.save(tmp_path / "model.npz")
    again = TopicModel.load(tmp_path / "model.npz").set_params(tokenizer=str.split)
    assert (again.transform(TEXTS) == expected.weights_).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"tokenizer": str.split, "ngram_range": (1, 2)}, r"ngram_range = \(1, 2\) .* a tokenizer"),
        ({"tokenizer": str.split, "stemming": "english"}, "leave it at None, and make such words"),
        ({"tokenizer": len}, r"the tokenizer made \d+ \(int\) of document 0"),
        ({"tokenizer": str.upper}, r"\(str\) of document 0; it has to make a list of words"),
        ({"tokenizer": lambda text: [1]}, r"made 1 \(int\) of document 0; words are str"),
        ({"preprocessor": str.split}, r"\(list\) of document 0; it has to make a str"),
    ],
)
def test_callables_that_do_something_else(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises((TypeError, ValueError), match=words):
        TopicModel(2, **parameters).fit(TEXTS)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ("one text", TypeError, r"one text; give a list of texts: \[text\]"),
        (b"bytes", TypeError, "documents are bytes; decode them and give a list"),
        (None, ValueError, "documents are None; give a list of texts"),
        (5, TypeError, r"documents are 5 \(int\); give a list of texts"),
        (Path("texts.csv"), TypeError, "documents are .*texts.csv.*; give a list of texts"),
        ({"a text", "another"}, TypeError, "a set, which has no order; give a list"),
        ([], ValueError, "there are no documents; give at least one text"),
        (iter([]), ValueError, "there are no documents; give at least one text"),
        (pd.Series([], dtype=str), ValueError, "there are no documents"),
        ([[], []], TypeError, r"document 0 is \[\] \(list\); documents are str"),
        (["a text", None], TypeError, r'document 1 is None \(NoneType\); .* put "" in its place'),
        (pd.Series(["a", np.nan]), TypeError, r"document 1 is nan \(float\); .* X\.dropna\(\)"),
        (pd.Series(["a", None], dtype="string"), TypeError, r"document 1 is <NA> .* leave it out"),
        (pd.Series(["a", None], dtype="category"), TypeError, "document 1 is nan .* leave it out"),
        (pa.array(["a", None]), TypeError, "document 1 is None .* leave it out"),
        (["a text", b"bytes"], TypeError, r"document 1 is b'bytes' \(bytes\); .*\.decode\(\)"),
        ([1, 2, 3], TypeError, r"document 0 is 1 \(int\); .* or a matrix of counts"),
        (["a", 2.5], TypeError, r"document 1 is 2\.5 \(float\); documents are str"),
        (np.arange(3.0), TypeError, "document 0 is .*; documents are str"),
        ([[1, 2], [3]], TypeError, r"document 0 is \[1, 2\] \(list\)"),
        (["cats", ["dogs"]], TypeError, "document 0 is 'cats' .*, and others are lists of words"),
        ([["cats"], None], TypeError, "document 1 is None .*, and others are lists of words"),
        ([["cats"], ["dogs", 5]], TypeError, r"document 1, word 1 is 5 \(int\); words are str"),
        ([["cats purr"], ["dogs"]], TypeError, r"a list of one text; give the texts: \[document"),
    ],
)
def test_wrong_documents_are_told_with_place_and_remedy(given: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        TopicModel(2).fit(given)


def test_new_documents_are_refused_alike() -> None:
    model = TopicModel(3).fit(TEXTS)
    for method in (model.transform, model.predict, model.predict_clusters, model.coherence):
        with pytest.raises(TypeError, match=r"document 1 is None .* leave it out"):
            method(["goal", None])


def test_the_error_of_the_fit_is_told() -> None:
    counts = np.random.default_rng(0).poisson(0.4, (60, 30)).astype(float)
    model = TopicModel(4, weighting="counts", min_df=1, max_df=1.0, refine_steps=7)
    model.fit(counts)
    error = np.linalg.norm(counts - model.weights_ @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(error, rel=1e-9) and model.n_iter_ == 7
    assert TopicModel(4, refine_tol=0.5, refine_steps=7).fit(TEXTS).n_iter_ == 3
    with pytest.raises(ValueError, match="refine_tol = 2 is not allowed"):
        TopicModel(4, refine_tol=2).fit(TEXTS)
