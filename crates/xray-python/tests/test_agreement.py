"""New documents are weighed, told and grouped as those of the fit: the same ones get the same."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from test_topics import TEXTS

from xray_nmf import TopicModel

# Some have no word that is kept, and some are there twice.
DOCUMENTS = [*TEXTS, "", "zebra", "the and", TEXTS[0], "goal oven", "year"]
COUNTER = CountVectorizer().fit(DOCUMENTS)
COUNTS = COUNTER.transform(DOCUMENTS).astype(float)
SCALED = sp.csr_array(COUNTS * 0.37)


def check_agreement(model: TopicModel, documents: Any, folder: Path, **known: Any) -> None:
    """All ways to ask for the documents of the fit, and for some of them, from file, too."""
    assert model.document_clusters_ is not None
    model.save(folder / "model.npz")
    n = len(model.document_topics_)
    some = np.random.default_rng(3).permutation(n)[: n // 3]
    taken = documents[some] if hasattr(documents, "shape") else [documents[i] for i in some]
    for asked in (model, TopicModel.load(folder / "model.npz")):
        assert (asked.transform(documents, **known) == model.weights_).all()
        assert (asked.predict(documents, **known) == model.document_topics_).all()
        assert (asked.predict_clusters(documents, **known) == model.document_clusters_).all()
        assert (asked.transform(taken, **known) == model.weights_[some]).all()
        assert (asked.predict(taken, **known) == model.document_topics_[some]).all()
        assert (asked.predict_clusters(taken, **known) == model.document_clusters_[some]).all()
    assert set(model.document_clusters_.tolist()) <= {-1, *range(model.n_topics_)}


@pytest.mark.parametrize("refinement", ["hals", "exact", "kullback-leibler"])
@pytest.mark.parametrize("weighting", ["tfidf", "counts", "none"])
def test_texts(weighting: Any, refinement: Any, tmp_path: Path) -> None:
    model = TopicModel(4, weighting=weighting, refinement=refinement).fit(DOCUMENTS)
    check_agreement(model, DOCUMENTS, tmp_path)


def test_words(tmp_path: Path) -> None:
    documents = [text.split() for text in DOCUMENTS]
    check_agreement(TopicModel(4).fit(documents), documents, tmp_path)


@pytest.mark.parametrize("counts", [COUNTS, SCALED, COUNTS.toarray()])
@pytest.mark.parametrize("names", [None, COUNTER.get_feature_names_out()])
def test_matrices(counts: Any, names: Any, tmp_path: Path) -> None:
    known = {} if names is None else {"vocabulary": names}
    model = TopicModel(4).fit(counts, **known)
    check_agreement(model, counts, tmp_path, **known)


def test_real_texts(data: Path, tmp_path: Path) -> None:
    with gzip.open(data / "bbc" / "articles.csv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    field = max(rows[0], key=lambda name: len(rows[0][name]))
    texts = [row[field] for row in rows]
    check_agreement(TopicModel(5).fit(texts), texts, tmp_path)
