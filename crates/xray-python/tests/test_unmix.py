"""Unmixer: the same bits as the program, scikit-learn's manners, and what is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from xray_nmf import Unmixer, XRay, synth

ROWS, COLUMNS, BANDS = 24, 30, 40


@pytest.fixture(scope="module")
def cube() -> NDArray[np.float64]:
    generator = np.random.default_rng(5)
    bands = np.linspace(0, 1, BANDS)
    spectra = np.array([np.exp(-(((bands - c) / 0.25) ** 2)) + 0.1 for c in (0.1, 0.5, 0.9)])
    mixed = generator.dirichlet([0.3] * 3, size=(ROWS, COLUMNS)) @ spectra
    noisy = mixed + 0.005 * generator.standard_normal(mixed.shape)
    rounded: NDArray[np.float64] = np.maximum(noisy, 0).astype(np.float32).astype(np.float64)
    return rounded


@pytest.mark.parametrize("count", [3, "auto"])
def test_same_bits_as_the_program(
    program: Path, tmp_path: Path, cube: NDArray[np.float64], count: Any
) -> None:
    np.save(tmp_path / "cube.npy", cube)
    number = [] if count == "auto" else ["-r", str(count)]
    command = [str(program), "unmix", "cube.npy", "-o", "out", "--quiet", *number]
    subprocess.run(command, cwd=tmp_path, check=True)
    model = Unmixer(count).fit(cube)
    maps = np.load(tmp_path / "out" / "abundances.npy")
    assert maps.dtype == np.float32 and np.array_equal(maps, model.abundances_)
    told = json.loads((tmp_path / "out" / "unmix.json").read_text())
    spectra = np.array([one["spectrum"] for one in told["endmembers"]])
    assert np.array_equal(spectra, model.endmembers_)
    assert told["residual"] == model.residual_
    assert [one["n_members"] for one in told["endmembers"]] == [len(m) for m in model.members_]
    if count == "auto":
        assert model.path_ is not None and told["suggestion"]["path"] == model.path_.tolist()


def test_manners(cube: NDArray[np.float64]) -> None:
    model = Unmixer(3, abundances="sum-to-one", n_jobs=1)
    with pytest.raises(NotFittedError):
        model.transform(cube)
    maps = model.fit_transform(cube)
    assert np.array_equal(maps, model.transform(cube))
    assert np.allclose(maps.sum(axis=2), 1, atol=1e-5)
    again = clone(model).set_params(n_jobs=2).fit(cube)
    assert np.array_equal(again.endmembers_, model.endmembers_)
    assert model.n_features_in_ == BANDS and model.n_endmembers_ == 3 and model.path_ is None


def test_pixels_without_an_image(cube: NDArray[np.float64]) -> None:
    pixels = cube.reshape(-1, BANDS)
    model = Unmixer(3).fit(pixels)
    assert model.abundances_.shape == (ROWS * COLUMNS, 3)
    assert np.array_equal(model.transform(pixels[:50]), model.abundances_[:50])


def test_masked_pixels_are_left_out(cube: NDArray[np.float64]) -> None:
    mask = np.zeros((ROWS, COLUMNS), bool)
    mask[:, :15] = True
    spoilt = np.where(mask[:, :, np.newaxis], cube, np.nan)
    model = Unmixer(3).fit(spoilt, mask=mask)
    assert not model.abundances_[~mask].any()
    assert all((places[:, 1] < 15).all() for places in model.members_)


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"n_endmembers": 0}, ValueError, "at least 1"),
        ({"n_endmembers": 99}, ValueError, "give 1 to 40"),
        ({"n_endmembers": "many"}, TypeError, "auto"),
        ({"method": "magic"}, ValueError, "use unmix, xray, spa, vca or nfindr"),
        ({"abundances": 1}, TypeError, "name of a choice"),
    ],
)
def test_wrong_parameters(
    cube: NDArray[np.float64], change: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        Unmixer(**change).fit(cube)


def test_wrong_cubes(cube: NDArray[np.float64]) -> None:
    for wrong, words in ((cube[0, 0], "rows x columns x bands"), (np.full((3, 3, 4), 1j), "real")):
        with pytest.raises((TypeError, ValueError), match=words):
            Unmixer(2).fit(wrong)
    with pytest.raises(ValueError, match="row 3, column 2, band 5"):
        spoilt = cube.copy()
        spoilt[2, 1, 4] = np.inf
        Unmixer(2).fit(spoilt)
    with pytest.raises(ValueError, match="mask of shape"):
        Unmixer(2).fit(cube, mask=np.ones(7))
    with pytest.raises(ValueError, match="bands"):
        Unmixer(2).fit(cube).transform(cube[:, :, :9])


def test_robust_fits_tell_noise_and_stability() -> None:
    data = synth.planted(60, 90, 5, noise=0.05, random_state=3)
    model = XRay(5, robust=True, stability=True, allow_negative=True).fit(data.X)
    assert data.recovery(model.anchors_) == 1.0
    assert model.noise_ is not None and model.noise_["gate"] == "whitened"
    assert abs(model.noise_["deviation"] - 0.05) < 0.01
    stability = model.anchor_stability_
    assert stability is not None and stability.shape == (5,) and min(stability) >= 0.9
    plain = XRay(5, allow_negative=True).fit(data.X)
    assert plain.noise_ is None and plain.anchor_stability_ is None
    with pytest.raises(ValueError, match="robust"):
        XRay(5, outliers=0.1).fit(np.abs(data.X))
