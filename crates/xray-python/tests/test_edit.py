"""Topics changed by hand: the same files as those of `xray edit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_program import run, same_bytes
from test_topics import SUBJECTS, TEXTS

from xray_nmf import TopicModel

CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"rename": {2: "A = B", 0: "cooking"}}, "--rename 3=A_=_B --rename 1=cooking"),
    ({"merge": [[0, 3], [5, 1, 6]]}, "--merge 1,4 --merge 6,2,7"),
    ({"drop": [7, 2]}, "--drop 8,3"),
    ({"split": [2, 4]}, "--split 3,5"),
    ({"move_words": {"oven": 5, "planet": 1}}, "--move-word oven=6 --move-word planet=2"),
    (
        {"merge": [(4, 0)], "split": [1], "drop": [2], "rename": {3: "x"}}
        | {"move_words": {"oven": 4}},
        "--merge 5,1 --split 2 --drop 3 --rename 4=x --move-word oven=5",
    ),
]


@pytest.mark.parametrize(("changes", "arguments"), CHANGES)
@pytest.mark.parametrize("with_documents", [True, False])
def test_edits_are_those_of_the_program(
    program: Path,
    root: Path,
    tmp_path: Path,
    changes: dict[str, Any],
    arguments: str,
    with_documents: bool,
) -> None:
    if "split" in changes and not with_documents:
        changes = {name: change for name, change in changes.items() if name != "split"}
        arguments = arguments.replace("--split 3,5", "").replace("--split 2 ", "")
        if not changes:
            changes, arguments = {"drop": [0]}, "--drop 1"
    corpus = root / "crates" / "xray-cli" / "corpus" / "demo.tsv"
    texts = pd.read_csv(corpus, sep="\t")["text"]
    model = TopicModel(8).fit(texts)
    model.save(tmp_path / "model.npz")
    data = [corpus, "--text", "text"] if with_documents else []
    words = [part.replace("_", " ") for part in arguments.split()]
    run(program, "edit", tmp_path / "model.npz", *data, *words, "-o", tmp_path / "theirs.npz")
    edited = model.edit(**changes, documents=texts if with_documents else None)
    edited.save(tmp_path / "ours.npz")
    same_bytes(tmp_path / "ours.npz", tmp_path / "theirs.npz")
    loaded = TopicModel.load(tmp_path / "theirs.npz")
    assert loaded.edits_ == edited.edits_ != [] and model.edits_ == []
    pd.testing.assert_frame_equal(loaded.topics_, edited.topics_)
    assert (edited.transform(texts) == loaded.transform(texts)).all()
    weighed = with_documents or set(changes) == {"rename"}
    assert len(edited.weights_) == (len(texts) if weighed else 0)


def test_an_edited_model_is_a_fitted_one() -> None:
    model = TopicModel(3, anchor_words=["goal"], n_words=4, n_jobs=1).fit(TEXTS)
    kept = model.components_.copy()
    merged = model.edit(merge=[[0, 1]], rename={0: "one"}, documents=TEXTS)
    assert (model.components_ == kept).all() and model.n_topics_ == 3
    assert merged.n_topics_ == 2 and merged.weights_.shape == (90, 2)
    assert merged.topics_["name"].iloc[0] == "one" and len(merged.topics_["words"].iloc[0]) == 4
    assert np.linalg.norm(merged.components_, axis=1) == pytest.approx([1.0, 1.0])
    assert merged.get_params() == {**model.get_params(), "n_topics": 2, "anchor_words": None}
    assert (merged.transform(TEXTS) == merged.weights_).all()
    assert merged.edits_ == ["rename 1=one", "merge 1,2"]
    again = merged.edit(split=[0], documents=TEXTS)
    assert again.n_topics_ == 3 and again.edits_ == [*merged.edits_, "split 1"]
    parts = [set(words[:3]) for words in again.topics_["words"]]
    assert all(any(part <= set(subject) for subject in SUBJECTS) for part in parts)
    moved = model.edit(move_words={"goal": 2})
    column = moved.vocabulary_.tolist().index("goal")
    assert (moved.components_[:, column] > 0).tolist() == [False, False, True]
    assert moved.weights_.shape == (0, 3)
    renamed = model.edit(rename={1: "Elections"})
    assert renamed.get_params() == model.get_params()
    assert (renamed.weights_ == model.weights_).all() and "Elections" in renamed.topics_["name"][1]


def test_counts_can_be_edited_too() -> None:
    names = sorted({word for text in TEXTS for word in text.split()})
    counts = np.array([[text.split().count(word) for word in names] for text in TEXTS])
    model = TopicModel(3).fit(counts, vocabulary=names)
    dropped = model.edit(drop=[1], documents=counts)
    assert dropped.n_features_in_ == len(names) and dropped.weights_.shape == (90, 2)
    assert (dropped.transform(counts) == dropped.weights_).all()


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({}, ValueError, "nothing to do: give merge, split, drop, rename or move_words"),
        ({"drop": [3]}, ValueError, "drop = 3: there is no such topic; the model has 0 to 2"),
        ({"drop": 1}, TypeError, "drop = 1 is not allowed; give a list of topics"),
        ({"drop": [0, 1, 2]}, ValueError, "no topic would be left"),
        ({"merge": [[1]]}, ValueError, "merging takes two topics or more"),
        ({"merge": [1, 2]}, TypeError, "merge = 1 is not allowed; give a list of topics"),
        ({"merge": [[0, 1]], "drop": [1]}, ValueError, "topic 1 is split, merged or dropped twice"),
        ({"split": [0]}, ValueError, "to split a topic takes its documents: give documents="),
        ({"rename": {"a": "b"}}, TypeError, "rename = 'a' is not allowed; give a whole number"),
        ({"rename": {0: 1}}, TypeError, r"rename\[0\] = 1 is not allowed"),
        ({"move_words": {"zebra": 1}}, ValueError, 'the model has no word "zebra"'),
        ({"move_words": {"goal": 9}}, ValueError, r"move_words\['goal'\] = 9: there is no such"),
    ],
)
def test_edits_that_cannot_be(changes: dict[str, Any], error: Any, words: str) -> None:
    model = TopicModel(3).fit(TEXTS)
    with pytest.raises(error, match=words):
        model.edit(**changes)


def test_a_topic_of_equal_documents_cannot_be_split() -> None:
    texts = ["cats purr"] * 4 + ["dogs bark"] * 4
    model = TopicModel(2).fit(texts)
    word = model.topics_["anchor"][0]
    with pytest.raises(ValueError, match=f'the topic of "{word}" cannot be split'):
        model.edit(split=[0], documents=texts)
