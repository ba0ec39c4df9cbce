"""What speaks for topics, and what is told of documents: as the program tells it."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_program import run
from test_topics import SUBJECT, TEXTS

from xray_nmf import TopicModel


@pytest.fixture(scope="module")
def demo(root: Path) -> Path:
    """A small corpus."""
    return root / "crates" / "xray-cli" / "corpus" / "demo.tsv"


@pytest.fixture(scope="module")
def texts(demo: Path) -> list[str]:
    """Its texts."""
    listed: list[str] = pd.read_csv(demo, sep="\t")["text"].tolist()
    return listed


@pytest.mark.parametrize("n_words", [6, 15])
def test_the_evidence_is_that_of_the_program(
    program: Path, demo: Path, texts: list[str], tmp_path: Path, n_words: int
) -> None:
    more = ["-k", 6, "--words", n_words, "--details", "-o", tmp_path / "out"]
    run(program, "topics", demo, "--text", "text", *more)
    told = json.loads((tmp_path / "out" / "topics.json").read_text())["topics"]
    model = TopicModel(6, n_words=n_words, stability=True).fit(texts)
    topics = model.topics_
    for name in ("documents", "weight_share", "npmi", "exclusivity", "stability"):
        assert topics[name].tolist() == [topic[name] for topic in told], name
    assert topics["stability"].between(0, 1).all() and topics["documents"].dtype == np.int64
    assert any(topics["related"])
    for k, topic in enumerate(told):
        related = [(other["topic"] - 1, other["similarity"]) for other in topic["related"]]
        assert topics["related"][k] == related
        best = model.best_documents(k, documents=texts)
        assert best.columns.tolist() == ["row", "id", "weight", "share", "text"]
        for name in ("row", "weight", "share"):
            assert best[name].tolist() == [row[name] for row in topic["best_documents"]]
        assert [row["row"] for row in topics["best_documents"][k]] == best["row"].tolist()
        assert best["text"].tolist() == [texts[row] for row in best["row"]]
        assert (best["weight"].to_numpy() == model.weights_[best["row"], k]).all()
        assert (best["share"].to_numpy() == model.document_shares_[best["row"], k]).all()
        assert model.best_documents(k, 2).equals(best.drop(columns="text")[:2])
    assert (model.coherence().npmi == topics["npmi"]).all()
    # Stability takes fits of its own, and is looked for only if it is asked for.
    assert TopicModel(6).fit(texts).topics_["stability"].isna().all()


def test_documents_are_explained_as_in_the_program(
    program: Path, demo: Path, texts: list[str], tmp_path: Path
) -> None:
    given = [*texts, "zzz", ""]
    file = tmp_path / "texts.csv"
    pd.DataFrame({"text": given}).to_csv(file, index=False)
    more = ["-k", 9, "--shares", "--exact", "-o", tmp_path / "out"]
    run(program, "topics", file, "--text", "text", *more)
    told = pd.read_csv(tmp_path / "out" / "documents.csv", dtype=str)
    model = TopicModel(9).fit(given)
    assert (told["explained"].astype(float) == model.explained_).all()
    assert ((told["unexplained"] == "1") == model.unexplained_).all()
    assert model.unexplained_[-2:].all() and 2 <= model.unexplained_.sum() < 20
    shares = told[[f"share_{k}" for k in range(1, 10)]].astype(float).to_numpy()
    assert (shares == model.document_shares_).all()
    assert model.document_shares_[:-2].sum(axis=1) == pytest.approx(1)
    assert (model.document_shares_[-2:] == 0).all()
    assert (model.transform(given, shares=True) == model.document_shares_).all()
    assert (model.transform(given) == model.weights_).all()


def test_a_model_file_has_no_evidence(tmp_path: Path) -> None:
    model = TopicModel(3).fit(TEXTS)
    again = pickle.loads(pickle.dumps(model))
    pd.testing.assert_frame_equal(again.topics_, model.topics_)
    assert (again.explained_ == model.explained_).all()
    model.save(tmp_path / "model.npz")
    loaded = TopicModel.load(tmp_path / "model.npz")
    topics = loaded.topics_
    assert topics[["documents", "weight_share", "exclusivity", "stability"]].isna().all(axis=None)
    assert topics["related"].isna().all() and topics["best_documents"].isna().all()
    with pytest.raises(ValueError, match="does not keep the best documents of topics: fit"):
        loaded.best_documents(0)
    for name in ("explained_", "unexplained_"):
        assert not hasattr(loaded, name)
        with pytest.raises(AttributeError, match="does not keep what topics explain"):
            getattr(loaded, name)
    assert (loaded.document_shares_ == model.document_shares_).all()
    assert loaded.nearest_documents(4).equals(model.nearest_documents(4))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3,), ValueError, "topic = 3: there is no such topic; the model has 0 to 2"),
        ((-1,), ValueError, "topic = -1 is not allowed; give at least 0"),
        (("goal",), TypeError, "topic = 'goal' is not allowed; give a whole number"),
        ((0, 0), ValueError, "n = 0 is not allowed; give at least 1"),
        ((0, 6), ValueError, "n = 6 is not allowed; a fit keeps 5 documents for each topic"),
    ],
)
def test_topics_that_are_not_there(arguments: Any, error: Any, words: str) -> None:
    model = TopicModel(3).fit(TEXTS)
    with pytest.raises(error, match=words):
        model.best_documents(*arguments)


def test_other_documents_are_refused() -> None:
    model = TopicModel(3).fit(TEXTS)
    with pytest.raises(ValueError, match="there are 2 documents; the model was fitted to 90"):
        model.best_documents(0, documents=TEXTS[:2])
    frame = pd.DataFrame({"text": TEXTS, "n": range(90)})
    model.set_params(text_column="text")
    for given in (frame, pd.Series(TEXTS), np.array(TEXTS)):
        best = model.best_documents(1, documents=given)
        assert best["text"].tolist() == [TEXTS[row] for row in best["row"]]
    with pytest.raises(ValueError, match="not fitted"):
        TopicModel().best_documents(0)


def test_nearest_documents_have_the_same_topics() -> None:
    texts = [*TEXTS, TEXTS[7], "zzz"]
    model = TopicModel(3).fit(texts)
    weights = model.weights_
    for document in (0, 7, 8):
        nearest = model.nearest_documents(document, 12, documents=texts)
        assert nearest["row"].dtype == np.int64 and document not in nearest["row"].tolist()
        unit = weights[:-1] / np.linalg.norm(weights[:-1], axis=1, keepdims=True)
        cosines = unit @ unit[document]
        cosines[document] = -1
        expected = np.sort(cosines)[::-1][:12]
        assert nearest["similarity"].to_numpy() == pytest.approx(expected, abs=1e-12)
        assert nearest["similarity"].is_monotonic_decreasing
        assert (SUBJECT[nearest["row"][nearest["row"] < 90]] == SUBJECT[document]).all()
        assert nearest["text"].tolist() == [texts[row] for row in nearest["row"]]
    # A copy is as near as can be, and of equals the first comes first.
    assert 90 in model.nearest_documents(7, 89)["row"].tolist()
    alike = TopicModel(2).fit(["cats purr"] * 3 + ["dogs bark"] * 3)
    assert alike.nearest_documents(1)["row"].tolist() == [0, 2]
    assert math.isclose(alike.nearest_documents(4)["similarity"].iloc[0], 1)
    assert len(model.nearest_documents(91)) == 0
    with pytest.raises(ValueError, match="there is no document 92; the model has the weights"):
        model.nearest_documents(92)


def test_nearest_documents_are_those_of_the_program(
    program: Path, demo: Path, texts: list[str], tmp_path: Path
) -> None:
    model = TopicModel(6).fit(texts)
    arguments = ["topics", demo, "--text", "text", "-k", 6, "-o", tmp_path / "out"]
    run(program, *arguments)
    ids = pd.read_csv(tmp_path / "out" / "documents.csv", dtype=str)["id"]
    run(program, *arguments, "--nearest", f"{ids[3]},{ids[50]}")
    told = json.loads((tmp_path / "out" / "topics.json").read_text())["nearest"]
    for row, expected in zip((3, 50), told, strict=True):
        found = model.nearest_documents(row, 10)
        for name in ("row", "similarity"):
            assert found[name].tolist() == [near[name] for near in expected["neighbours"]], name


def test_without_pandas_there_are_lists() -> None:
    script = (
        "import sys; sys.modules['pandas'] = None\n"
        "from xray_nmf import TopicModel\n"
        "texts = ['cats purr', 'dogs bark', 'cats sleep', 'dogs run']\n"
        "model = TopicModel(2).fit(texts)\n"
        "best = model.best_documents(0, 1, documents=texts)\n"
        "assert list(best[0]) == ['row', 'id', 'weight', 'share', 'text'], best\n"
        "assert list(model.nearest_documents(0)[0]) == ['row', 'similarity']\n"
        "assert model.topics_[0]['documents'] == 2\n"
        "rows = model.shares_by([1, 2, 1, None])\n"
        "assert [(row['group'], row['documents']) for row in rows] == [('1', 2), ('2', 1)], rows\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
