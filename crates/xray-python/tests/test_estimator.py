"""XRay as an estimator: scikit-learn's conventions, attributes, options, nested paths."""

from __future__ import annotations

import inspect
import pickle
import tracemalloc
import warnings
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from xray_nmf import XRay, _xray_nmf, refine, synth
from xray_nmf._paths import STORE, PathStore
from xray_nmf._request import DEFAULTS, NAMES, factorize_request
from xray_nmf._types import Selection

Floats = NDArray[np.float64]
RULES = get_args(Selection)


@pytest.mark.filterwarnings("ignore:the residual's curve has no knee")
@parametrize_with_checks(
    [
        XRay(),
        XRay(2, axis="samples"),
        XRay(2, output="anchors"),
        XRay(2, selection="greedy", refine_steps=2),
        XRay(2, path_length=3),
        XRay(allow_negative=True),
        XRay(2, allow_negative=True, axis="samples"),
        XRay("fast"),
    ],
)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_features_are_selected_by_a_rule_of_their_own(dense: Floats, sparse: Any) -> None:
    cases: list[tuple[Any, Any, Any]] = [
        (XRay(4), dense, "max"),
        (XRay(4), sparse, "max"),
        (XRay(4, output="anchors"), dense, "greedy"),
        (XRay(4, selection="dist"), sparse, "dist"),
    ]
    for model, X, rule in cases:
        assert model.fit(X).selection_ == rule
        assert (XRay(4, selection=rule).fit(X).anchors_ == model.anchors_).all()


def test_every_parameter_is_a_field_with_its_default() -> None:
    defaults = DEFAULTS["factorize"]
    said = factorize_request(XRay(), np.ones((2, 3)))
    params = said.pop("params")
    assert said == {name: defaults[name] for name in said}
    assert params == {name: defaults["params"][name] for name in params}
    asked = {NAMES.get(name, name) for name in (*said, *params)}
    only_here = {"n_components", "axis", "output", "init", "path_length", "n_jobs", "verbose"}
    beside = {"weights", "max_cache_bytes", "anchor_min_df"}
    assert set(inspect.signature(XRay).parameters) == asked | only_here | beside
    signature = inspect.signature(refine).parameters
    assert signature["refinement"].default == defaults["refine_method"]
    assert signature["steps"].default == DEFAULTS["refine"]["steps"]


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ('{"rnak": 2}', "^rnak is no field; there are rank, selection, "),
        ('{"rank": "two"}', 'invalid type: string "two"'),
        ('{"row_weights": [1.0]}', "row_weights is no field"),
        ('{"rank"', "EOF"),
    ],
)
def test_requests_that_cannot_be_read(params: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        _xray_nmf.fit(_xray_nmf.Matrix(np.eye(3)), params, 1)


@pytest.mark.parametrize("selection", RULES)
@pytest.mark.parametrize("axis", ["features", "samples"])
def test_attributes_belong_together(dense: Floats, selection: Any, axis: Any) -> None:
    model = XRay(6, selection=selection, axis=axis).fit(dense)
    assert model.anchors_.shape == (6,) and len(set(model.anchors_.tolist())) == 6
    assert model.components_.shape == (6, 25) and (model.components_ >= 0).all()
    assert model.n_components_ == len(model.path_) == 6 and model.termination_ == "rank_reached"
    assert (np.diff(model.path_) <= 0).all() and model.kkt_violation_ < 1e-12
    if axis == "samples":
        assert (model.components_ == dense[model.anchors_]).all()
        explained = model.transform(dense) @ model.components_
    else:
        explained = dense[:, model.anchors_] @ model.components_
    residual = np.linalg.norm(dense - explained) / np.linalg.norm(dense)
    assert residual == pytest.approx(model.path_[-1], abs=1e-10)


def test_axis_is_a_transposition(dense: Floats) -> None:
    by_rows = XRay(5, axis="samples").fit(dense)
    by_columns = XRay(5).fit(dense.T)
    assert (by_rows.anchors_ == by_columns.anchors_).all()
    assert (by_rows.path_ == by_columns.path_).all()


def test_transform_is_optimal_and_the_same_as_fit_transform(dense: Floats) -> None:
    from scipy.optimize import nnls

    model = XRay(6, selection="greedy")
    W = model.fit_transform(dense)
    assert (W == model.transform(dense)).all()
    for x, w in zip(dense, W, strict=True):
        assert w == pytest.approx(nnls(model.components_.T, x)[0], abs=1e-9)
    assert (model.inverse_transform(W) == W @ model.components_).all()
    error = np.linalg.norm(dense - W @ model.components_) ** 2 / np.linalg.norm(dense) ** 2
    assert model.score(dense) == pytest.approx(1 - error)
    for layout in (sp.csr_matrix, sp.csc_matrix, np.asfortranarray, np.float32):
        assert model.score(layout(dense)) == pytest.approx(1 - error)


@pytest.mark.parametrize("layout", [np.asarray, np.asfortranarray, sp.csr_matrix, sp.csc_matrix])
def test_score_makes_no_copy(layout: Any) -> None:
    X = layout(np.random.default_rng(0).random((4_000, 1_000), dtype=np.float32))
    model = XRay(3).fit(X[:100])
    tracemalloc.start()
    model.score(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # X has 16 MB; blocks of it are widened, one at a time.
    assert peak < 9e6


def test_auto_tells_where_there_is_no_knee() -> None:
    with pytest.warns(UserWarning, match="has no knee within 6 anchors, so all are kept"):
        assert XRay().fit(np.eye(6)).n_components_ == 6


def test_choices_are_checked_whether_they_are_used_or_not(dense: Floats) -> None:
    with pytest.raises(ValueError, match="refinement = nonsense is not allowed"):
        XRay(2, refinement="nonsense").fit(dense)  # type: ignore[arg-type]
    model = XRay(2, axis="samples").fit(dense)
    model.set_params(output="anchors")
    with pytest.raises(ValueError, match='output = "anchors" is not allowed with axis = "samples"'):
        model.transform(dense)


def test_fixed_excluded_and_candidates(dense: Floats) -> None:
    free = XRay(4).fit(dense).anchors_
    assert XRay(4, fixed=[7, 3]).fit(dense).anchors_[:2].tolist() == [7, 3]
    assert free[0] not in XRay(4, excluded=[free[0]]).fit(dense).anchors_
    assert set(XRay(4, candidates=[1, 2, 3, 4]).fit(dense).anchors_) == {1, 2, 3, 4}
    mask = np.arange(25) < 4
    assert set(XRay(4, candidates=mask).fit(dense).anchors_) == {0, 1, 2, 3}
    assert set(XRay(3, candidates=mask, excluded=~mask).fit(dense).anchors_) <= {0, 1, 2, 3}
    frame = pd.DataFrame(dense, columns=[f"word{j}" for j in range(25)])
    named = XRay(4, fixed=["word7"], excluded=["word3", "word4"]).fit(frame)
    assert named.anchors_[0] == 7 and not {3, 4} & set(named.anchors_.tolist())


def test_rare_columns_are_no_anchors(dense: Floats) -> None:
    rare = dense.copy()
    rare[2:, :5] = 0.0  # the first columns have entries in two rows of 40
    counts = (rare != 0).sum(axis=0)
    for asked in (3, 0.06):
        for X in (rare, sp.csr_matrix(rare)):
            model = XRay(6, selection="dist", anchor_min_df=asked).fit(X)
            assert counts[model.anchors_].min() >= 3
            assert (model.components_[:, :5] > 0).any()
    assert counts[XRay(6, selection="dist").fit(rare).anchors_].min() < 3
    both = XRay(6, anchor_min_df=3, candidates=[0, 1, 7, 8, 9]).fit(rare)
    assert set(both.anchors_) == {7, 8, 9}
    of_rows = (rare != 0).sum(axis=1)
    least = int(np.sort(of_rows)[-6])
    rows = XRay(3, axis="samples", anchor_min_df=least).fit(rare)
    assert of_rows[rows.anchors_].min() >= least > of_rows.min()
    with pytest.raises(ValueError, match="no column has entries in 41 of 40 rows"):
        XRay(2, anchor_min_df=41).fit(rare)
    with pytest.raises(ValueError, match=r"from 0\.0 to 1\.0"):
        XRay(2, anchor_min_df=1.5).fit(rare)


def test_weights_of_the_rules_are_used(dense: Floats) -> None:
    p = np.logspace(-3, 3, 40)
    assert (XRay(6, weights=np.ones(40)).fit(dense).anchors_ == XRay(6).fit(dense).anchors_).all()
    assert (XRay(6, weights=p).fit(dense).anchors_ != XRay(6).fit(dense).anchors_).any()


@pytest.mark.parametrize(
    ("parameters", "error", "words"),
    [
        ({"n_components": 0}, ValueError, "at least 1"),
        ({"n_components": "many"}, TypeError, "whole number"),
        ({"n_components": 2.0}, TypeError, "whole number"),
        ({"n_components": True}, TypeError, "whole number"),
        ({"axis": "rows"}, ValueError, "features or samples"),
        ({"output": "all"}, ValueError, "weights or anchors"),
        ({"selection": "best"}, ValueError, f"use {', '.join(RULES[:-1])} or {RULES[-1]}$"),
        ({"selection": 3}, TypeError, "selection"),
        ({"refinement": "newton", "refine_steps": 1}, ValueError, "use auto, exact, hals"),
        ({"refine_steps": -1}, ValueError, "at least 0"),
        ({"path_length": 0}, ValueError, "at least 1"),
        ({"normalize": "l3"}, ValueError, "none, l1 or l2"),
        ({"engine": "steam"}, ValueError, "lazy or direct"),
        ({"solver": "magic"}, ValueError, "active-set or"),
        ({"tol": 2.0}, ValueError, "tolerance = 2"),
        ({"tol": float("nan")}, ValueError, "tol = nan .* finite"),
        ({"min_improvement": -1.0}, ValueError, "min_improvement"),
        ({"fixed": [99]}, ValueError, "column 99, which does not exist"),
        ({"fixed": [1, 1]}, ValueError, "twice"),
        ({"fixed": [-1]}, ValueError, "numbers start at 0"),
        ({"fixed": [0.5]}, TypeError, "whole numbers or names"),
        ({"fixed": [[1]]}, ValueError, "give a list"),
        ({"fixed": ["word"]}, ValueError, "there are no names"),
        ({"candidates": [True, False]}, ValueError, "mask of length 2; expected 25"),
        ({"weights": [1.0, 2.0]}, ValueError, "expected length 40, found 2"),
        ({"weights": [-1.0] * 40}, ValueError, "must be positive"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"n_jobs": "all"}, TypeError, "n_jobs"),
        ({"output": "anchors", "refine_steps": 1}, ValueError, "as they are"),
        ({"random_state": "dice"}, ValueError, "seed"),
    ],
)
def test_wrong_parameters(
    dense: Floats, parameters: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        XRay(**{"n_components": 3, **parameters}).fit(dense)


def test_unknown_names_are_refused(dense: Floats) -> None:
    frame = pd.DataFrame(dense, columns=[f"word{j}" for j in range(25)])
    with pytest.raises(ValueError, match="'nothing', which is not the name of a feature"):
        XRay(3, fixed=["nothing"]).fit(frame)
    with pytest.raises(ValueError, match=r"fixed = 3 columns .* as many as the rank"):
        XRay(2, fixed=[1, 2, 3]).fit(dense)


def test_fewer_anchors_than_asked_for() -> None:
    data = synth.planted(12, 15, 3)
    with pytest.warns(UserWarning, match="3 anchors explain all features"):
        model = XRay(8).fit(data.X)
    assert model.termination_ == "exhausted" and model.n_components_ == 3
    assert set(model.anchors_.tolist()) == set(data.anchors.tolist())
    assert model.transform(data.X).shape == (12, 3)


def test_auto_finds_the_number_of_anchors() -> None:
    data = synth.planted(12, 15, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = XRay().fit(data.X)
        noisy = XRay(path_length=20).fit(synth.planted(noise=0.05, clip=True, n_components=8).X)
    assert model.n_components_ == 3 and model.termination_ == "exhausted"
    assert noisy.n_components_ == 8 and len(noisy.path_) == 20
    assert noisy.termination_ == "rank_reached"


def test_zero_data_has_no_anchors() -> None:
    model = XRay().fit(np.zeros((3, 4)))
    assert model.anchors_.shape == (0,) and model.components_.shape == (0, 4)
    assert model.transform(np.ones((2, 4))).shape == (2, 0)
    assert model.score(np.zeros((2, 4))) == 1.0


def sizes(components: Floats) -> Floats:
    """Each component's sum times its length."""
    products: Floats = components.sum(axis=1) * np.linalg.norm(components, axis=1)
    return products


@pytest.mark.parametrize("axis", ["features", "samples"])
@pytest.mark.parametrize("refinement", ["auto", "exact", "hals", "kullback-leibler"])
def test_refinement_lowers_the_error(dense: Floats, axis: Any, refinement: Any) -> None:
    plain = XRay(5, axis=axis).fit(dense)
    better = XRay(5, axis=axis, refine_steps=8, refinement=refinement).fit(dense)
    assert (better.anchors_ == plain.anchors_).all()
    assert better.objective_.shape == (9,) and (np.diff(better.objective_) <= 1e-9).all()
    assert better.components_.shape == plain.components_.shape
    assert sizes(better.components_) == pytest.approx(1.0)
    assert (better.fit_transform(dense) == better.transform(dense)).all()
    if refinement != "kullback-leibler":
        assert better.score(dense) > plain.score(dense)


def test_weights_after_divergence_have_the_objective_of_the_refinement(dense: Floats) -> None:
    model = XRay(5, refine_steps=200, refinement="kullback-leibler")
    product = model.fit_transform(dense) @ model.components_
    terms = np.where(dense > 0, dense * np.log(np.where(dense > 0, dense / product, 1.0)), 0.0)
    divergence = float((terms - dense + product).sum())
    assert divergence <= model.objective_[-1] * (1 + 1e-6)
    assert divergence == pytest.approx(model.objective_[-1], rel=0.02)


def test_refinement_is_the_function(dense: Floats) -> None:
    plain = XRay(5).fit(dense)
    by_hand = refine(dense, dense[:, plain.anchors_], plain.components_, steps=3)
    scaled = by_hand.H / np.sqrt(sizes(by_hand.H))[:, None]
    assert XRay(5, refine_steps=3).fit(dense).components_ == pytest.approx(scaled, rel=1e-12)


def test_feature_names_and_set_output(dense: Floats) -> None:
    frame = pd.DataFrame(dense, columns=[f"word{j}" for j in range(25)])
    weigher = XRay(3).set_output(transform="pandas")
    weights = weigher.fit_transform(frame)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert weigher.score(frame) == XRay(3).fit(dense).score(dense)
    assert list(weights.columns) == ["xray0", "xray1", "xray2"]
    model = XRay(3, output="anchors").set_output(transform="pandas").fit(frame)
    chosen = model.transform(frame)
    names = [f"word{j}" for j in model.anchors_]
    assert list(chosen.columns) == names == model.get_feature_names_out().tolist()
    pd.testing.assert_frame_equal(chosen, frame[names])
    assert model.feature_names_in_.tolist() == list(frame.columns)
    unnamed = XRay(2, output="anchors").fit(dense)
    assert unnamed.get_feature_names_out().tolist() == [f"x{j}" for j in unnamed.anchors_]
    assert sp.issparse(unnamed.transform(sp.csr_matrix(dense)))
    with pytest.raises(ValueError, match="length 25"):
        unnamed.get_feature_names_out(["a"])


def test_clone_and_pickle(sparse: sp.csr_matrix) -> None:
    model = XRay(4, selection="dist", fixed=[2], path_length=6).fit(sparse)
    copied = clone(model)
    assert copied.get_params() == model.get_params() and not hasattr(copied, "anchors_")
    again = pickle.loads(pickle.dumps(model))
    assert (again.transform(sparse) == model.transform(sparse)).all()
    assert (again.set_params(n_components=2).fit(sparse).anchors_ == model.anchors_[:2]).all()


def test_wrong_shapes_are_refused(dense: Floats) -> None:
    model = XRay(3).fit(dense)
    with pytest.raises(ValueError, match="25 features"):
        model.transform(dense[:, :-1])
    with pytest.raises(ValueError, match="3 components"):
        model.inverse_transform(dense)


@pytest.mark.parametrize("selection", RULES)
@pytest.mark.parametrize("options", [{}, {"mean_ray": True}, {"normalize": "l2"}])
def test_a_remembered_path_changes_no_bit(
    dense: Floats, selection: Any, options: dict[str, Any]
) -> None:
    for k in (7, 3, 1, 5):
        hits = STORE.hits
        short = XRay(k, selection=selection, path_length=7, **options).fit(dense)
        assert STORE.hits == hits + (k != 7)
        fresh = XRay(k, selection=selection, **options).fit(dense)
        assert (short.anchors_ == fresh.anchors_).all()
        assert (short.components_ == fresh.components_).all()
        assert (short.path_[:k] == fresh.path_).all() and len(short.path_) == 7
        assert short.kkt_violation_ == fresh.kkt_violation_
        assert short.termination_ == fresh.termination_ == "rank_reached"
        short.path_[:] = short.anchors_[:] = 0  # no one else's


def test_a_path_is_not_used_for_other_data_or_settings(dense: Floats) -> None:
    XRay(2, path_length=4).fit(dense)
    hits = STORE.hits
    changed = dense.copy()
    changed[3, 3] += 1e-9
    XRay(2, path_length=4).fit(changed)
    XRay(2, path_length=4).fit(dense[:, ::-1])
    XRay(2, path_length=4, axis="samples").fit(dense)
    XRay(2, path_length=4, selection="dist").fit(dense)
    XRay(2, path_length=4, fixed=[1]).fit(dense)
    XRay(2, path_length=5).fit(dense)
    assert STORE.hits == hits
    XRay(3, path_length=4, n_jobs=1).fit(dense)
    assert STORE.hits == hits + 1


def test_the_store_keeps_the_paths_used_last() -> None:
    store = PathStore(capacity=2)
    for key in (b"a", b"b"):
        store.put(key, None)  # type: ignore[arg-type]
    store._paths[b"a"] = store._paths[b"b"] = "path"  # type: ignore[assignment]
    store.get(b"a")
    store.put(b"c", "path")  # type: ignore[arg-type]
    assert list(store._paths) == [b"a", b"c"]


def test_grid_search_finds_each_path_once(dense: Floats) -> None:
    labels = (dense[:, 0] > dense[:, 1]).astype(int)
    pipeline = make_pipeline(XRay(path_length=6, selection="greedy"), LogisticRegression())
    hits = STORE.hits
    search = GridSearchCV(pipeline, {"xray__n_components": [2, 3, 4, 6]}, cv=3).fit(dense, labels)
    assert STORE.hits - hits == 3 * (4 - 1)
    assert search.best_estimator_[0].n_components_ in (2, 3, 4, 6)
    alone = GridSearchCV(XRay(path_length=6), {"n_components": [1, 6]}, cv=2).fit(dense)
    assert alone.best_params_ == {"n_components": 6}


def test_verbose_says_how_far_it_is(dense: Floats, capsys: pytest.CaptureFixture[str]) -> None:
    XRay(4, refine_steps=2, verbose=True).fit(dense)
    words = capsys.readouterr().err
    assert "anchor 4/4, error" in words and "refinement 2/2" in words
    XRay(4, refine_steps=2).fit(dense)
    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("ignore:the residual's curve has no knee")
def test_the_suggested_rank_of_few_columns_explains_them() -> None:
    for n in (1, 2, 5):
        assert XRay().fit(np.eye(n)).n_components_ == n
    assert XRay().fit([[3.0], [1.0]]).n_components_ == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("selection", None),
        ("engine", 3),
        ("solver", None),
        ("normalize", 1),
        ("tol", "a"),
        ("tol", None),
        ("min_improvement", "0"),
        ("max_cache_bytes", 1.5),
        ("fixed", {1, 2}),
        ("n_components", None),
    ],
)
def test_parameters_of_a_wrong_type_are_named(name: str, value: object) -> None:
    with pytest.raises(TypeError, match=f"^{name} = .* is not allowed; give "):
        XRay(2).set_params(**{name: value}).fit(np.eye(3))


@pytest.mark.parametrize("name", ["n_components", "refine_steps", "random_state"])
def test_huge_numbers_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"{name} = \d+ is not allowed; give less than 2\*\*63"):
        XRay(2).set_params(**{name: 2**70}).fit(np.eye(3))


def test_a_model_file_keeps_what_transform_returns(tmp_path: Any) -> None:
    X = np.random.default_rng(0).random((20, 6))
    model = XRay(2, output="anchors", excluded=[3]).fit(X)
    model.save(tmp_path / "model.npz")
    again = XRay.load(tmp_path / "model.npz")
    assert (again.transform(X) == model.transform(X)).all()
    assert again.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert again.excluded == [3]
