"""What those miss who come from scikit-learn's NMF: errors, starts, weights of samples, types."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.decomposition import NMF

from xray_nmf import XRay, refine
from xray_nmf._types import Selection

Floats = NDArray[np.float64]
LAYOUTS = [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array]


def start(X: Floats, rank: int) -> tuple[Floats, Floats]:
    """W and H at random."""
    generator = np.random.default_rng(1)
    return generator.random((X.shape[0], rank)), generator.random((rank, X.shape[1]))


def divergence(X: Floats, product: Floats) -> float:
    """Kullback-Leibler."""
    terms = np.where(X > 0, X * np.log(np.where(X > 0, X / product, 1.0)), 0.0)
    return float((terms - X + product).sum())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("number", [np.float64, np.float32])
def test_the_error_of_the_fit_is_told(dense: Floats, layout: Any, number: Any) -> None:
    X = dense.astype(number)
    model = XRay(5).fit(layout(X))
    expected = np.linalg.norm(X - X[:, model.anchors_] @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(expected, rel=1e-9) and model.n_iter_ == 0
    by_rows = XRay(5, axis="samples")
    rebuilt = by_rows.fit_transform(layout(X)).astype(np.float64) @ by_rows.components_
    expected = np.linalg.norm(X - rebuilt)
    assert by_rows.reconstruction_err_ == pytest.approx(expected, rel=1e-6)
    better = XRay(5, refine_steps=4).fit(layout(X))
    by_hand = refine(layout(X), X[:, model.anchors_], model.components_, steps=4)
    expected = np.linalg.norm(X - by_hand.W @ by_hand.H)
    assert better.reconstruction_err_ == pytest.approx(expected, rel=1e-9)
    assert better.n_iter_ == 4
    assert XRay().fit(layout(X * 0)).reconstruction_err_ == 0.0


def test_the_error_after_divergence_is_that_of_scikit_learn(dense: Floats) -> None:
    W, H = start(dense, 5)
    options: dict[str, Any] = {"init": "custom", "refinement": "kullback-leibler"}
    ours = XRay(5, refine_steps=100, **options)
    ours.fit(dense, W=W, H=H)
    theirs = NMF(5, init="custom", beta_loss="kullback-leibler", solver="mu", tol=0, max_iter=100)
    theirs.fit(dense, W=W.copy(), H=H.copy())
    assert ours.reconstruction_err_ == pytest.approx(theirs.reconstruction_err_, rel=0.02)
    product = ours.transform(dense) @ ours.components_
    root = np.sqrt(2 * divergence(dense, product))
    assert ours.reconstruction_err_ == pytest.approx(root, rel=0.02)


@pytest.mark.parametrize("axis", ["features", "samples"])
def test_a_tolerance_ends_refinement(dense: Floats, axis: Any) -> None:
    whole = XRay(5, axis=axis, refine_steps=60, refinement="hals").fit(dense)
    assert whole.n_iter_ == 60
    falls = whole.objective_[:-3] / whole.objective_[3:] - 1
    model = XRay(5, axis=axis, refine_steps=60, refine_tol=1e-3, refinement="hals").fit(dense)
    # Three steps are judged together.
    expected = 3 + int(np.flatnonzero(falls < 1e-3)[0])
    assert model.n_iter_ == expected < 60
    assert (model.objective_ == whole.objective_[: expected + 1]).all()
    same = refine(dense, *start(dense, 5), steps=60, tol=1e-3)
    assert 1 < len(same.objective) - 1 < 60


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_start_of_ones_own(dense: Floats, layout: Any) -> None:
    W, H = start(dense, 4)
    model = XRay(init="custom", refine_steps=5)
    found = model.fit_transform(layout(dense), W=W, H=H)
    by_hand = refine(dense, W, H, steps=5)
    sizes = np.sqrt(by_hand.H.sum(axis=1) * np.linalg.norm(by_hand.H, axis=1))
    assert model.components_ == pytest.approx(by_hand.H / sizes[:, np.newaxis], rel=1e-9)
    assert model.objective_ == pytest.approx(by_hand.objective)
    assert (found == model.transform(layout(dense))).all() and found.shape == (40, 4)
    assert model.anchors_.shape == (0,) and model.n_components_ == 4 and model.n_iter_ == 5
    assert model.suggestion_ is None and not model.get_support().any()
    again = XRay(4, axis="samples", init="custom", refine_steps=5).fit(layout(dense), W=W, H=H)
    assert (again.components_ == model.components_).all()
    with pytest.raises(ValueError, match="cannot be saved: a model file has anchors"):
        model.save("model.npz")


@pytest.mark.parametrize(
    ("parameters", "given", "words"),
    [
        ({}, "WH", 'W and H are where init = "custom" starts'),
        ({"init": "custom", "refine_steps": 1}, "W", "H is None; give both"),
        ({"init": "custom", "refine_steps": 1}, "", "W is None; give both"),
        ({"init": "custom"}, "WH", "refine_steps = 0 does nothing; give at least 1"),
        ({"init": "custom", "refine_steps": 1, "n_components": 3}, "WH", "and H has 4 rows"),
        ({"init": "random"}, "", "init = 'random' is not allowed; use xray or custom"),
        ({"init": "custom", "refine_steps": 1, "output": "anchors"}, "WH", "it has no anchors"),
        ({"refine_tol": 1.0}, "", "refine_tol = 1.0 is not allowed; give a number from 0 to less"),
        ({"refine_tol": -1e-3}, "", "refine_tol = -0.001 is not allowed"),
    ],
)
def test_starts_that_cannot_be(
    dense: Floats, parameters: dict[str, Any], given: str, words: str
) -> None:
    factors = dict(zip("WH", start(dense, 4), strict=True))
    with pytest.raises(ValueError, match=words):
        XRay(**parameters).fit(dense, **{name: factors[name] for name in given})


def test_a_start_of_another_shape(dense: Floats) -> None:
    W, H = start(dense, 4)
    with pytest.raises(ValueError, match="W needs the rows of X, H its columns"):
        XRay(init="custom", refine_steps=1).fit(dense, W=W[:-1], H=H)
    for lines in (5.0, [1.0, 2.0]):
        with pytest.raises(ValueError, match="Expected 2D array"):
            XRay(init="custom", refine_steps=1).fit(dense, W=W, H=lines)
    with pytest.raises(ValueError, match="not negative"):
        XRay(init="custom", refine_steps=1).fit(dense, W=W, H=-H)


@pytest.mark.parametrize("selection", get_args(Selection))
@pytest.mark.parametrize("options", [{}, {"refine_steps": 3}, {"normalize": "l2"}])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sample_of_weight_two_is_there_twice(
    dense: Floats, selection: Any, options: dict[str, Any], layout: Any
) -> None:
    times = np.random.default_rng(2).integers(0, 4, 40)
    model = XRay(5, selection=selection, **options)
    repeated = model.fit(layout(np.repeat(dense, times, axis=0)))
    anchors, components, error = repeated.anchors_, repeated.components_, model.reconstruction_err_
    weighted = model.fit(layout(dense), sample_weight=times)
    assert (weighted.anchors_ == anchors).all()
    assert weighted.components_ == pytest.approx(components, rel=1e-7, abs=1e-9)
    assert weighted.reconstruction_err_ == pytest.approx(error, rel=1e-9)
    fresh = XRay(5, selection=selection, **options)
    assert (fresh.fit_transform(layout(dense), sample_weight=times) == model.transform(dense)).all()


def test_weights_scale_rows(dense: Floats) -> None:
    weights = np.random.default_rng(2).random(40)
    roots = np.sqrt(weights)[:, np.newaxis]
    for axis, p in (("features", roots.ravel()), ("samples", None)):
        model = XRay(5, axis=axis, path_length=6).fit(dense, sample_weight=weights)  # type: ignore[arg-type]
        scaled = XRay(5, axis=axis, weights=p).fit(roots * dense)  # type: ignore[arg-type]
        assert (model.anchors_ == scaled.anchors_).all()
        assert (model.path_[:5] == scaled.path_).all()
    assert (model.components_ == dense[model.anchors_]).all()
    vector = np.logspace(-1, 1, 40)
    both = XRay(5, weights=vector).fit(dense, sample_weight=weights)
    scaled = XRay(5, weights=vector * roots.ravel()).fit(roots * dense)
    assert (both.components_ == scaled.components_).all()
    ones = XRay(5).fit(dense, sample_weight=np.ones(40))
    assert (ones.components_ == XRay(5).fit(dense).components_).all()


def test_a_weighted_model_is_saved_without_its_w(dense: Floats, tmp_path: Path) -> None:
    model = XRay(3).fit(dense, sample_weight=np.arange(40) + 1.0)
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as file:
        assert not [name for name in file.files if name.upper().startswith("W")]
    again = XRay.load(tmp_path / "model.npz")
    assert (again.transform(dense) == model.transform(dense)).all()


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([1.0, 2.0], "sample_weight"),
        ([-1.0] * 40, "[Nn]egative values in data passed to `sample_weight`"),
        ([0.0] * 40, "0 for all samples|non-zero"),
        ([np.nan] * 40, "NaN"),
    ],
)
def test_wrong_weights_of_samples(dense: Floats, weights: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        XRay(3).fit(dense, sample_weight=weights)
    with pytest.raises(ValueError, match="expected length 40, found 2"):
        XRay(3, weights=[1.0, 2.0]).fit(dense, sample_weight=np.ones(40))


def test_support_is_that_of_a_selector(dense: Floats) -> None:
    frame = pd.DataFrame(dense, columns=[f"word{j}" for j in range(25)])
    model = XRay(4, output="anchors").fit(frame)
    mask = model.get_support()
    assert mask.dtype == bool and mask.shape == (25,)
    assert np.flatnonzero(mask).tolist() == sorted(model.anchors_.tolist())
    assert model.get_support(indices=True).tolist() == sorted(model.anchors_.tolist())
    assert set(frame.columns[mask]) == set(model.get_feature_names_out())
    with pytest.raises(ValueError, match='axis = "samples" selects no features'):
        XRay(4, axis="samples").fit(frame).get_support()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"axis": "samples"},
        {"refine_steps": 2, "refinement": "kullback-leibler"},
        {"output": "anchors"},
    ],
)
def test_single_precision_is_kept(dense: Floats, layout: Any, parameters: dict[str, Any]) -> None:
    single = layout(dense.astype(np.float32))
    model = XRay(4, **parameters)
    weights = model.fit_transform(single)
    assert weights.dtype == model.transform(single).dtype == np.float32
    assert model.inverse_transform(weights).dtype == np.float32
    assert model.components_.dtype == np.float64
    double = single.astype(np.float64)
    same = XRay(4, **parameters)
    exact = same.fit_transform(double)
    assert exact.dtype == same.inverse_transform(exact).dtype == np.float64
    assert (model.components_ == same.components_).all()
    assert abs(sp.csr_array(weights) - sp.csr_array(exact.astype(np.float32))).max() == 0
    assert model.score(single) == pytest.approx(same.score(double), rel=1e-12)
    weighted = model.fit(single, sample_weight=np.ones(40))
    assert (weighted.components_ == same.components_).all()
