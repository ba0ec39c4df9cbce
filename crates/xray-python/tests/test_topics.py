"""TopicModel: texts and matrices, words given and excluded, corners, files, scikit-learn."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from xray_nmf import TopicModel, nnls
from xray_nmf._request import DEFAULTS, NAMES
from xray_nmf._topic_request import TEXT_NAMES, text_request, topics_request

if TYPE_CHECKING:
    from typing import assert_type

    # Whoever types a program knows what comes out.
    assert_type(TopicModel().topics_, pd.DataFrame)
    assert_type(TopicModel().transform([]), NDArray[np.float64])
    assert_type(TopicModel().fit_transform([]), NDArray[np.float64])

Floats = NDArray[np.float64]

SUBJECTS = (
    ("goal", "match", "striker", "league", "team", "referee"),
    ("oven", "flour", "butter", "dough", "sugar", "recipe"),
    ("planet", "orbit", "telescope", "star", "galaxy", "comet"),
)


def texts_of(n: int = 90) -> list[str]:
    """Texts on three subjects that share a few words; text d has words of subject d % 3."""
    texts = []
    for d in range(n):
        own = [SUBJECTS[d % 3][(d // 3 + i * i) % 6] for i in range(8)]
        texts.append(" ".join([*own, ("year", "people", "world")[d // 3 % 3]]))
    return texts


TEXTS = texts_of()
SUBJECT = np.arange(90) % 3


TEXTS_ARE_LISTS = "a list of numbers is one of documents, which are texts"


# Data of the checks is dense: with the usual `max_df` words that are everywhere would be dropped.
@parametrize_with_checks(
    [TopicModel(2, min_df=1, max_df=1.0, weighting="none")],
    expected_failed_checks=lambda _: {
        "check_fit1d": TEXTS_ARE_LISTS,
        "check_fit2d_predict1d": TEXTS_ARE_LISTS,
        "check_transformer_data_not_an_array": "what only says that it is an array is refused",
    },
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_topics_are_the_subjects() -> None:
    model = TopicModel(3).fit(TEXTS)
    assert normalized_mutual_info_score(SUBJECT, model.document_topics_) == 1.0
    topics = model.topics_
    assert isinstance(topics, pd.DataFrame) and topics.index.name == "topic"
    assert topics["share"].tolist() == pytest.approx([1 / 3] * 3)
    rows: Any = topics.itertuples()
    for k, row in enumerate(rows):
        subject = next(words for words in SUBJECTS if row.anchor in words)
        assert set(row.words[:5]) <= set(subject) and 6 <= len(row.words) == len(row.weights)
        assert model.vocabulary_[model.anchors_[k]] == row.anchor
        names = row.name.split(", ")
        assert len(names) == 3 and set(names) <= set(subject)
        assert row.words[row.anchor_place - 1] == row.anchor and not row.anchor_left
    assert model.n_topics_ == 3 and model.components_.shape == (3, len(model.vocabulary_))
    assert np.linalg.norm(model.components_, axis=1) == pytest.approx([1.0] * 3)
    assert model.termination_ == "rank_reached" and model.kkt_violation_ < 1e-12
    assert (np.diff(model.objective_) <= 1e-9).all() and (np.diff(model.path_) < 0).all()
    assert topics["npmi"].between(-1, 1).all() and (topics["npmi"] > 0).any()
    # Printed on a narrow page, the table has its words.
    with pd.option_context("display.width", 80):
        assert all(f"[{words[0]}, {words[1]}" in str(topics) for words in topics["words"])


def test_clusters_are_the_subjects_and_the_same_for_new_documents(tmp_path: Path) -> None:
    model = TopicModel(3).fit([*TEXTS, "zzz"])
    clusters = model.document_clusters_
    assert clusters is not None and clusters[-1] == -1
    assert normalized_mutual_info_score(SUBJECT, clusters[:-1]) == 1.0
    assert (model.predict_clusters([*TEXTS, "zzz"]) == clusters).all()
    model.save(tmp_path / "model.npz")
    again = TopicModel.load(tmp_path / "model.npz")
    assert again.document_clusters_ is not None
    assert (again.document_clusters_ == clusters).all()
    assert (again.predict_clusters(TEXTS) == clusters[:-1]).all()


def test_models_without_clusters_are_read(tmp_path: Path) -> None:
    TopicModel(3).fit(TEXTS).save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz", allow_pickle=False) as file:
        kept = {name: file[name] for name in file if "cluster" not in name}
    np.savez(tmp_path / "old.npz", **kept)
    old = TopicModel.load(tmp_path / "old.npz")
    assert old.document_clusters_ is None
    with pytest.raises(ValueError, match="has no clusters"):
        old.predict_clusters(TEXTS)


def test_weights_are_optimal_and_the_same_for_new_documents() -> None:
    model = TopicModel(3)
    weights = model.fit_transform(TEXTS)
    assert (weights == model.weights_).all() and (weights == model.transform(TEXTS)).all()
    assert (model.transform(TEXTS[:7]) == weights[:7]).all()
    assert (model.predict(TEXTS) == model.document_topics_).all()
    for n_jobs in (1, 3):
        other = TopicModel(3, n_jobs=n_jobs).fit(iter(TEXTS))
        assert (other.components_ == model.components_).all()
        assert (other.weights_ == weights).all()
    plain = TopicModel(3, refine_steps=0).fit(TEXTS)
    assert plain.objective_.shape == (1,)
    counts = CountVectorizer().fit(TEXTS)
    X = counts.transform(TEXTS).astype(float)
    # Weights of the counts as they are: an independent solver agrees.
    free = TopicModel(3, weighting="counts").fit(X, vocabulary=counts.vocabulary_)
    kept = [counts.vocabulary_[word] for word in free.vocabulary_]
    solved = nnls(free.components_.T, X[:, kept].T).x.T
    assert free.weights_ == pytest.approx(solved, abs=1e-10)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, iter])
def test_any_list_of_texts_will_do(kind: Any) -> None:
    expected = TopicModel(2).fit(TEXTS)
    assert (TopicModel(2).fit(kind(TEXTS)).components_ == expected.components_).all()


@pytest.mark.parametrize(
    "layout",
    [np.array, np.asfortranarray, sp.csr_matrix, sp.csc_array, sp.coo_matrix, np.ndarray.tolist],
)
def test_any_matrix_of_counts_will_do(layout: Any) -> None:
    counter = CountVectorizer().fit(TEXTS)
    counts = counter.transform(TEXTS).toarray()
    words = counter.get_feature_names_out()
    expected = TopicModel(3).fit(TEXTS)
    for given, vocabulary in (
        (layout(counts), words),
        (layout(counts.astype(float)), words.tolist()),
        (layout(counts), counter.vocabulary_),
        (pd.DataFrame(counts, columns=words), None),
    ):
        model = TopicModel(3).fit(given, vocabulary=vocabulary)
        assert model.vocabulary_.tolist() == expected.vocabulary_.tolist()
        assert (model.components_ == expected.components_).all()
        assert (model.transform(given) == expected.weights_).all()
        assert model.n_features_in_ == counts.shape[1]


def test_columns_are_found_by_name_in_any_order() -> None:
    counter = CountVectorizer().fit(TEXTS)
    counts = counter.transform(TEXTS).toarray()
    words = counter.get_feature_names_out()
    model = TopicModel(3).fit(counts, vocabulary=words)
    turned = model.transform(counts[:, ::-1], vocabulary=words[::-1])
    assert (turned == model.weights_).all()
    # The words of texts are known to a model of counts, too.
    assert (model.transform(TEXTS) == model.weights_).all()
    unnamed = TopicModel(3).fit(counts)
    assert set(unnamed.vocabulary_) <= {str(j) for j in range(counts.shape[1])}
    assert (unnamed.transform(counts) == unnamed.weights_).all()
    with pytest.raises(ValueError, match=f"expecting {len(words)} features as input"):
        unnamed.predict(counts[:, 1:])
    with pytest.raises(ValueError, match=f"{len(words)}"):
        model.transform(counts[:, 1:])
    with pytest.raises(ValueError, match="none of them is known"):
        model.transform(counts, vocabulary=[f"q{j}" for j in range(len(words))])


def test_a_word_may_begin_several_topics_and_they_are_saved(tmp_path: Path) -> None:
    model = TopicModel(4, anchor_words=[["comet", "star"], ["comet", "sugar"]]).fit(TEXTS)
    assert model.topics_["anchor"].tolist()[:2] == ["comet + star", "comet + sugar"]
    assert model.topics_["runner_up"].isna().tolist()[:2] == [True, True]
    model.save(tmp_path / "model.npz")
    again = TopicModel.load(tmp_path / "model.npz")
    assert again.topics_["anchor"].tolist() == model.topics_["anchor"].tolist()
    assert (again.transform(TEXTS) == model.weights_).all()


def test_given_words_begin_topics_and_excluded_ones_never_appear() -> None:
    guided = TopicModel(3, anchor_words=[["comet", "Star"], "sugar"], exclude=["goal"]).fit(TEXTS)
    topics = guided.topics_
    assert topics["anchor"][:2].tolist() == ["comet + star", "sugar"]
    assert topics["margin"].isna().tolist() == [True, True, False]
    assert topics["anchor"][2] in SUBJECTS[0][1:]
    assert not any("goal" in words for words in topics["words"])
    free = TopicModel(3).fit(TEXTS)
    assert (free.components_ != guided.components_).any()


def test_unknown_words_are_warned_about() -> None:
    with pytest.warns(UserWarning, match='"coment" is not in the vocabulary; did you mean comet'):
        model = TopicModel(3, anchor_words=["coment", ["sugar"]]).fit(TEXTS)
    assert model.topics_["anchor"][0] == "sugar"
    with pytest.warns(UserWarning, match='"the" is not in the vocabulary'):
        TopicModel(3, exclude=["the"]).fit(TEXTS)
    with pytest.raises(ValueError, match=r'"star" is among the anchor words and .* to exclude'):
        TopicModel(3, anchor_words=["star"], exclude=["STAR"]).fit(TEXTS)
    with pytest.raises(ValueError, match="words are given for 2 topics, and 1 is asked for"):
        TopicModel(1, anchor_words=["star", "sugar"]).fit(TEXTS)
    with pytest.raises(ValueError, match='two topics are to begin with "sugar,star"'):
        TopicModel(3, anchor_words=[["star", "sugar"], ["sugar", "star"]]).fit(TEXTS)
    with pytest.raises(ValueError, match="strength of anchor words is 2: it is from 0"):
        TopicModel(3, anchor_words=["star"], anchor_strength=2).fit(TEXTS)


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"n_topics": 0}, ValueError, "n_topics = 0 .* at least 1"),
        ({"n_topics": 2.5}, TypeError, "whole number"),
        ({"n_topics": "many"}, TypeError, "whole number"),
        ({"anchor_words": "star"}, TypeError, "give a list"),
        ({"anchor_words": [3]}, TypeError, "give a list of words"),
        ({"exclude": "star"}, TypeError, "give a list of words"),
        ({"exclude": [3]}, TypeError, "no word"),
        ({"weighting": "heavy"}, ValueError, "weighting = heavy .* use tfidf, counts or none"),
        ({"keep": ["links"]}, ValueError, "use urls, emails"),
        ({"keep": "urls"}, TypeError, "give a list of words"),
        ({"stop_words": "klingon"}, ValueError, "another language that has stems"),
        ({"token_pattern": "("}, ValueError, "token_pattern"),
        ({"stemming": "klingon"}, ValueError, "stemming = klingon .* german"),
        ({"ngram_range": (2, 1)}, ValueError, "1 <= shortest <= longest"),
        ({"min_df": 1.5}, ValueError, "a share lies between 0 and 1"),
        ({"min_df": -1}, ValueError, "min_df"),
        ({"min_df": "some"}, TypeError, "min_df"),
        ({"max_df": float("inf")}, ValueError, "max_df = inf .* finite"),
        ({"min_df": 0.9, "max_df": 0.1}, ValueError, "raise it or lower min_df"),
        ({"max_features": 0}, ValueError, "at least 1"),
        ({"min_characters": 0}, ValueError, "at least 1"),
        ({"min_characters": 50}, ValueError, "no words are left"),
        ({"selection": "best"}, ValueError, "use rand, max, dist, greedy"),
        ({"refinement": "newton"}, ValueError, "use auto, exact, hals"),
        ({"refine_steps": -1}, ValueError, "at least 0"),
        ({"tol": 2.0}, ValueError, "tolerance = 2"),
        ({"n_jobs": "all"}, TypeError, "n_jobs"),
        ({"max_topics": 0}, ValueError, "at least 1"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        TopicModel(**{"n_topics": 2, **parameters}).fit(TEXTS)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (["", " "], ValueError, "no words are left"),
        (["\ud800 broken", "text"], ValueError, "surrogates"),
        (np.zeros((2, 2, 2)), (TypeError, ValueError), "document 0 is|dim"),
        (np.array([[1.0, -1.0]]), ValueError, r"entry \(0, 1\) is -1"),
        (np.array([[1.0, np.nan]]), ValueError, r"entry \(0, 1\) is NaN"),
        (np.array([["a", "b"]]), TypeError, "give a column of texts"),
        (np.zeros((3, 4)), ValueError, "no words are left"),
        (np.zeros((0, 4)), ValueError, "0 sample"),
    ],
)
def test_wrong_documents(given: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        TopicModel(2).fit(given)


def test_wrong_vocabularies() -> None:
    with pytest.raises(ValueError, match=r"2 names|expected|3 columns"):
        TopicModel(1).fit(np.eye(3), vocabulary=["a", "b"])
    with pytest.raises(ValueError, match="aa"):
        TopicModel(1).fit(np.eye(3), vocabulary=["aa", "aa", "bb"])
    with pytest.raises(ValueError, match="vocabulary is for matrices"):
        TopicModel(1).fit(TEXTS, vocabulary=["a"])


def test_auto_and_corners() -> None:
    model = TopicModel().fit(TEXTS)
    assert 2 <= model.n_topics_ <= 10 and model.components_.shape[0] == model.n_topics_
    one = TopicModel(1).fit(["one text only"])
    assert one.n_topics_ == 1 and one.document_topics_.tolist() == [0]
    assert TopicModel(2).fit(TEXTS).predict(["nothing known"]).tolist() == [-1]
    assert TopicModel(2).fit(TEXTS).transform([""]).tolist() == [[0.0, 0.0]]
    with pytest.warns(UserWarning, match="more than there are"):
        more = TopicModel(40).fit(["red green", "green blue", "blue red"])
    assert more.n_topics_ <= 3 and more.termination_ == "exhausted"
    assert TopicModel(2, n_words=0).fit(TEXTS).topics_["words"].tolist() == [[], []]


def test_coherence_of_other_documents() -> None:
    model = TopicModel(3, n_words=5).fit(TEXTS)
    inside, again = model.coherence(), model.coherence(TEXTS)
    assert (inside.npmi == again.npmi).all() and (inside.umass == again.umass).all()
    assert inside.npmi.tolist() == model.topics_["npmi"].tolist()
    mixed = [" ".join(words) for words in zip(*SUBJECTS, strict=True)]
    assert (model.coherence(mixed).npmi < inside.npmi).all()
    # By hand, for one topic.
    has = np.array([[word in text.split() for word in model.topics_["words"][0]] for text in TEXTS])
    together, alone = has.T.astype(int) @ has.astype(int), has.sum(axis=0)
    pairs = [(i, j) for j in range(5) for i in range(j)]
    npmi = [
        np.log(90 * together[i, j] / (alone[i] * alone[j])) / np.log(90 / together[i, j])
        if together[i, j]
        else -1.0
        for i, j in pairs
    ]
    assert inside.npmi[0] == pytest.approx(np.mean(npmi))


def test_pyldavis_gets_distributions() -> None:
    model = TopicModel(3).fit([*TEXTS, "unheard of"])
    for given in (model.to_pyldavis(), model.to_pyldavis(TEXTS)):
        assert given["topic_term_dists"].sum(axis=1) == pytest.approx(1.0)
        assert given["doc_topic_dists"].sum(axis=1) == pytest.approx(1.0)
        assert (given["topic_term_dists"] >= 0).all() and (given["doc_topic_dists"] >= 0).all()
        assert given["topic_term_dists"].shape == (3, len(given["vocab"]))
        assert len(given["doc_lengths"]) == len(given["doc_topic_dists"])
    given = model.to_pyldavis()
    # The same product as W H, up to the length of the documents.
    product = given["doc_topic_dists"] @ given["topic_term_dists"]
    expected = model.weights_ @ model.components_
    assert product[:90] == pytest.approx(expected[:90] / expected[:90].sum(axis=1, keepdims=True))
    assert given["doc_lengths"].sum() == given["term_frequency"].sum()


def test_pyldavis_takes_it() -> None:
    pyldavis: Any = pytest.importorskip("pyLDAvis", reason="pyLDAvis is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        prepared = pyldavis.prepare(**TopicModel(3).fit(TEXTS).to_pyldavis(), n_jobs=1)
    assert sorted(prepared.topic_order) == [1, 2, 3]


def test_files(tmp_path: Path) -> None:
    options: dict[str, Any] = {
        "anchor_words": [["comet", "star"]],
        "anchor_strength": 0.75,
        "exclude": ["goal"],
        "stop_words": ["year"],
        "max_df": 0.5,
        "min_df": 2,
        "ngram_range": (1, 2),
        "selection": "dist",
        "n_words": 4,
        "distinct": True,
        "refine_steps": 7,
        "refinement": "exact",
        "engine": "direct",
        "solver": "coordinate-descent",
        "tol": 1e-5,
        "min_improvement": 1e-4,
    }
    model = TopicModel(3, **options).fit(TEXTS)
    model.save(tmp_path / "model.npz")
    again = TopicModel.load(str(tmp_path / "model.npz"))
    for name in ("components_", "weights_", "anchors_", "path_", "vocabulary_", "document_topics_"):
        assert (getattr(again, name) == getattr(model, name)).all(), name
    shared = ["anchor", "anchor_place", "anchor_left", "share", "name", "words", "weights"]
    pd.testing.assert_frame_equal(again.topics_[shared], model.topics_[shared])
    assert {name: again.get_params()[name] for name in options} == options
    assert (again.transform(TEXTS) == model.weights_).all()
    refitted = clone(again).fit(TEXTS)
    assert (refitted.components_ == model.components_).all()
    assert (again.coherence(TEXTS).npmi == model.coherence().npmi).all()
    assert (again.to_pyldavis(TEXTS)["doc_lengths"] == model.to_pyldavis()["doc_lengths"]).all()
    for method in (again.coherence, again.to_pyldavis):
        with pytest.raises(ValueError, match="has no documents: give them"):
            method()
    for stop_words, drop in ((None, None), (None, ["year"]), ("english", ["year"])):
        TopicModel(2, stop_words=stop_words, drop=drop).fit(TEXTS).save(tmp_path / "s.npz")
        loaded = TopicModel.load(tmp_path / "s.npz")
        expected = TopicModel(2, stop_words=stop_words, drop=drop).fit(TEXTS)
        assert (clone(loaded).fit(TEXTS).vocabulary_ == expected.vocabulary_).all()


def test_steps_that_were_left_to_the_data_are_still_left_to_it(tmp_path: Path) -> None:
    TopicModel(3).fit(TEXTS).save(tmp_path / "model.npz")
    assert TopicModel.load(tmp_path / "model.npz").refine_steps is None


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    from xray_nmf import XRay

    model = TopicModel(2).fit(TEXTS)
    with pytest.raises(FileNotFoundError, match="check the name"):
        TopicModel.load(tmp_path / "absent.npz")
    with pytest.raises(OSError, match=r"no/model\.npz"):
        model.save(tmp_path / "no" / "model.npz")
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(ValueError, match="without metadata"):
        TopicModel.load(tmp_path / "other.npz")
    XRay(2).fit(np.eye(3)).save(tmp_path / "matrix.npz")
    with pytest.raises(ValueError, match=r"XRay\.load opens it"):
        TopicModel.load(tmp_path / "matrix.npz")
    model.save(tmp_path / "topics.npz")
    with pytest.raises(ValueError, match=r"TopicModel\.load opens it"):
        XRay.load(tmp_path / "topics.npz")
    (tmp_path / "cut.npz").write_bytes((tmp_path / "topics.npz").read_bytes()[:300])
    with pytest.raises(ValueError, match=r"cut\.npz"):
        TopicModel.load(tmp_path / "cut.npz")


def test_clone_pickle_and_parameters() -> None:
    model = TopicModel(3, anchor_words=["star"]).fit(TEXTS)
    again = pickle.loads(pickle.dumps(model))
    assert (again.transform(TEXTS) == model.weights_).all()
    pd.testing.assert_frame_equal(again.topics_, model.topics_)
    assert (again.coherence().npmi == model.coherence().npmi).all()
    copied = clone(model)
    assert copied.get_params() == model.get_params()
    with pytest.raises(ValueError, match="not fitted"):
        copied.transform(TEXTS)
    with pytest.raises(ValueError, match="not fitted"):
        copied.topics_  # noqa: B018
    assert copied.set_params(n_topics=2).fit(TEXTS).n_topics_ == 2


def test_every_parameter_is_a_field_with_its_default() -> None:
    topics, text = topics_request(TopicModel()), text_request(TopicModel())
    asked = set()
    for said, defaults, inner, names in (
        (topics, DEFAULTS["topics"], "params", NAMES),
        (text, DEFAULTS["text"], "text", TEXT_NAMES),
    ):
        assert said[inner] == {name: defaults[inner][name] for name in said[inner]}
        asked |= {names.get(name, name) for name in (*said, *said.pop(inner))} - {inner}
        assert said == {name: defaults[name] for name in said}
    others = {"max_cache_bytes", "n_jobs", "verbose", "text_column", "preprocessor", "tokenizer"}
    # That a suggestion is to be quick is said by the number of topics.
    assert set(inspect.signature(TopicModel).parameters) == (asked - {"fast"}) | others


def test_pipelines_grid_search_and_set_output() -> None:
    pipeline = make_pipeline(TopicModel(3), LogisticRegression())
    assert pipeline.fit(TEXTS, SUBJECT).score(TEXTS, SUBJECT) == 1.0
    search = GridSearchCV(pipeline, {"topicmodel__n_topics": [1, 3]}, cv=3).fit(TEXTS, SUBJECT)
    assert search.best_params_ == {"topicmodel__n_topics": 3}
    counted = make_pipeline(CountVectorizer(), TopicModel(3), LogisticRegression())
    assert counted.fit(TEXTS, SUBJECT).score(TEXTS, SUBJECT) == 1.0
    series = pd.Series(TEXTS, index=[f"d{i}" for i in range(90)])
    for given in (series, TEXTS):
        frame = TopicModel(2).set_output(transform="pandas").fit_transform(given)
        assert list(frame.columns) == ["topic0", "topic1"]


def test_progress(capsys: pytest.CaptureFixture[str]) -> None:
    TopicModel(3, verbose=True).fit(TEXTS)
    words = capsys.readouterr().err
    assert "anchors 3/3, error" in words and "refinement" in words
    TopicModel(3).fit(TEXTS)
    assert capsys.readouterr().err == ""


def test_without_pandas_topics_are_a_list() -> None:
    program = (
        "import sys; sys.modules['pandas'] = None\n"
        "from xray_nmf import TopicModel\n"
        "topics = TopicModel(2).fit(['cats purr', 'dogs bark', 'cats sleep', 'dogs run']).topics_\n"
        "print(sorted(topic['anchor'] for topic in topics), sorted(topics[0]))\n"
    )
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert "'cats', 'dogs'" in out.stdout and "'words'" in out.stdout


def test_a_matrix_needs_words_where_the_model_has_them() -> None:
    texts = [*texts_of(), "2 goal 2 match"] * 2
    model = TopicModel(3).fit(texts)
    counter = CountVectorizer()
    counts = counter.fit_transform(texts)
    with pytest.raises(ValueError, match="give vocabulary="):
        model.transform(counts)
    assert model.transform(counts, vocabulary=counter.vocabulary_).shape == (len(texts), 3)
    with pytest.raises(ValueError, match="other values than the columns"):
        model.transform(counts[:, :2], vocabulary={"goal": 0, "match": 7})


def test_fewer_topics_than_asked_for_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="n_topics = 5 is more than there are"):
        assert TopicModel(5).fit(["cat dog"] * 6).n_topics_ == 1


def test_a_second_fit_forgets_the_first() -> None:
    model = TopicModel(2).fit(np.eye(4))
    assert model.n_features_in_ == 4
    assert not hasattr(model.fit(texts_of()), "n_features_in_")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("selection", None),
        ("refinement", 1),
        ("ngram_range", 1),
        ("exclude", iter(["a"])),
        ("anchor_words", 3),
        ("stemming", 2),
        ("tol", "x"),
    ],
)
def test_parameters_of_a_wrong_type_are_named(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^{name} = .* is not allowed; give "):
        TopicModel().set_params(**{name: value}).fit(texts_of())
