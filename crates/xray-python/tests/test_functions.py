"""nnls, refine, spa, snpa and synth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from numpy.typing import NDArray

from xray_nmf import XRay, nnls, refine, snpa, spa, synth

Floats = NDArray[np.float64]


@pytest.mark.parametrize("layout", [np.array, np.asfortranarray, sp.csr_matrix, sp.csc_array])
def test_nnls_agrees_with_scipy(layout: Any) -> None:
    generator = np.random.default_rng(2)
    A, B = generator.random((30, 8)), generator.normal(size=(30, 200))
    solved = nnls(layout(A), layout(B))
    assert solved.x.shape == (8, 200) and solved.residual_norms.shape == (200,)
    assert solved.kkt_violation < 1e-12
    for j in range(200):
        x, norm = scipy.optimize.nnls(A, B[:, j])
        assert solved.x[:, j] == pytest.approx(x, abs=1e-10)
        assert solved.residual_norms[j] == pytest.approx(norm, abs=1e-10)


def test_nnls_of_one_vector() -> None:
    A = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    solved = nnls(A, [2, 3, 5], n_jobs=1)
    assert solved.x.tolist() == pytest.approx([2.0, 3.0]) and solved.residual_norms.shape == (1,)
    assert nnls(A, A.astype(np.float32)).x == pytest.approx(np.eye(2))


def test_nnls_corners() -> None:
    A = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0]])
    assert nnls(A, [3.0, 3.0]).residual_norms[0] == pytest.approx(0.0, abs=1e-12)
    assert nnls(A, np.zeros((2, 4))).x.tolist() == np.zeros((3, 4)).tolist()
    with pytest.raises(ValueError, match="expected length 2, found 3"):
        nnls(A, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"entry \(1, 0\) is NaN"):
        nnls(A, [1.0, np.nan])
    with pytest.raises(ValueError):
        nnls(A, [["a"], ["b"]])


@pytest.mark.parametrize("t", [1e-3, 1e-6, 3e-7, 1e-8])
def test_nnls_solves_opposite_columns_and_certifies_them(t: float) -> None:
    solved = nnls([[1.0, -1.0], [0.0, t]], [0.0, 1.0])
    assert solved.x == pytest.approx([1 / t, 1 / t], rel=1e-12)
    assert solved.residual_norms[0] <= 1e-9


@pytest.mark.parametrize("refinement", ["auto", "exact", "hals", "kullback-leibler"])
def test_refine_descends_and_tells_the_truth(dense: Floats, refinement: Any) -> None:
    generator = np.random.default_rng(1)
    W, H = generator.random((40, 4)), generator.random((4, 25))
    better = refine(dense, W, H, steps=20, refinement=refinement)
    assert better.W.shape == W.shape and better.H.shape == H.shape
    assert (np.diff(better.objective) <= 1e-9).all() and len(better.objective) == 21
    if refinement != "kullback-leibler":
        error = np.linalg.norm(dense - better.W @ better.H) ** 2
        assert better.objective[-1] == pytest.approx(error)
    same = refine(sp.csr_matrix(dense), W, H, steps=20, refinement=refinement, n_jobs=1)
    assert (same.W == better.W).all() and (same.H == better.H).all()


def test_refine_refuses_what_does_not_fit(dense: Floats) -> None:
    with pytest.raises(ValueError, match="shapes do not fit"):
        refine(dense, np.ones((40, 3)), np.ones((4, 25)))
    with pytest.raises(ValueError, match="not negative"):
        refine(dense, -np.ones((40, 3)), np.ones((3, 25)))
    with pytest.raises(ValueError, match="use auto, exact, hals"):
        refine(dense, np.ones((40, 3)), np.ones((3, 25)), refinement="newton")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="steps = -1 is not allowed; give at least 0"):
        refine(dense, np.ones((40, 3)), np.ones((3, 25)), steps=-1)


def spa_by_hand(X: Floats, rank: int) -> list[int]:
    """Gillis and Vavasis' algorithm 1, dense and slow."""
    R = X / X.sum(axis=0)
    found = []
    for _ in range(rank):
        norms = np.linalg.norm(R, axis=0)
        found.append(int(norms.argmax()))
        q = R[:, found[-1]] / norms.max()
        R = R - np.outer(q, q @ R)
    return found


@pytest.mark.parametrize("layout", [np.array, np.asfortranarray, sp.csr_matrix, sp.csc_array])
def test_spa_is_the_algorithm(layout: Any) -> None:
    X = synth.planted(60, 90, 7, noise=0.2, clip=True, random_state=3).X
    found = spa(layout(X), 7)
    assert found.anchors.tolist() == spa_by_hand(X, 7)
    assert (np.diff(found.scores) <= 0).all() and found.termination == "rank_reached"
    for n_jobs in (1, 3):
        assert (spa(X, 7, n_jobs=n_jobs).scores == found.scores).all()
    assert (spa(X.T, 7, axis="samples").anchors == found.anchors).all()
    assert (spa(X.astype(np.float32), 7).anchors == found.anchors).all()


def test_snpa_finds_dependent_anchors() -> None:
    data = synth.planted(30, 40, 8, design="rank-deficient")
    assert data.recovery(snpa(data.X, 8).anchors) == 1.0
    with pytest.warns(UserWarning, match="3 anchors explain all features"):
        assert spa(data.X, 8).termination == "exhausted"
    assert data.recovery(snpa(data.X.T, 8, axis="samples").anchors) == 1.0
    anchors = snpa(data.X, 8).anchors
    model = XRay(8, fixed=anchors).fit(data.X)
    assert (model.anchors_ == anchors).all() and model.path_[-1] < 1e-6


@pytest.mark.parametrize("method", [spa, snpa])
def test_rivals_refuse_what_they_cannot_do(method: Any, dense: Floats) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        method(dense, 0)
    with pytest.raises(ValueError, match="features or samples"):
        method(dense, 2, axis="rows")
    with pytest.raises(ValueError, match="none, l1 or l2"):
        method(dense, 2, normalize="l3")
    with pytest.raises(ValueError, match="tolerance = 2"):
        method(dense, 2, tol=2.0)
    with pytest.raises(ValueError, match="NaN"):
        method(np.array([[1.0, np.nan]]), 1)
    with pytest.raises(TypeError):
        method(dense, "two")
    signed = dense - 0.1
    assert len(method(signed, 3, normalize=None).anchors) == 3


def test_planted_data_holds_its_anchors() -> None:
    data = synth.planted(30, 40, 5, shuffle=False)
    assert data.X.shape == (30, 40) and data.anchors.tolist() == [0, 1, 2, 3, 4]
    assert data.recovery([0, 1, 7]) == 0.4
    again = synth.planted(30, 40, 5, shuffle=False)
    assert (data.X == again.X).all()
    assert (synth.planted(noise=0.3, clip=True).X >= 0).all()
    assert (synth.planted(noise=0.3).X < 0).any()
    deficient = synth.planted(30, 40, 8, design="rank-deficient")
    assert np.linalg.matrix_rank(deficient.X) == 3
    for wrong in ({"design": "cube"}, {"n_components": 0}, {"noise": -1.0}, {"n_samples": 2}):
        with pytest.raises(ValueError):
            synth.planted(**wrong)


def test_corpora_have_their_shape() -> None:
    made = synth.corpus("ibmt", scale=0.02)
    assert made.X.shape == (2494, 520) and made.X.dtype == np.float32
    assert made.X.has_canonical_format and (made.X.data > 0).all()
    same = synth.corpus("ibmt", scale=0.02, n_jobs=1)
    other = synth.corpus("ibmt", scale=0.02, random_state=1)
    assert (made.X.toarray() == same.X.toarray()).all()
    assert (made.X.toarray() != other.X.toarray()).any()
    assert sum(len(words) for words in made.anchors) == 5 * len(made.anchors)
    with pytest.raises(ValueError, match="rcv1, ppl2 or ibmt"):
        synth.corpus("brown")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="scale"):
        synth.corpus(scale=float("nan"))
