"""The same bits as the Rust crate, and the same as any other number of threads."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from xray_nmf import XRay, refine, synth


def from_bits(words: str) -> NDArray[np.float64]:
    bits = np.array([int(word, 16) for word in words.split(",")], dtype=np.uint64)
    return bits.view(np.float64)


@pytest.fixture(scope="module")
def crate_says(root: Path) -> list[list[str]]:
    """What the crate's own program prints, a list of words for each line."""
    cargo = shutil.which("cargo")
    if cargo is None:
        pytest.skip("no cargo to build the crate's program with")
    command = [cargo, "run", "--release", "--quiet", "-p", "xray-nmf", "--example", "fit_bits"]
    out = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    return [line.split() for line in out.splitlines()]


def test_anchors_and_weights_have_the_crates_bits(crate_says: list[list[str]]) -> None:
    planted = synth.planted(noise=0.3, clip=True, random_state=5).X
    data: dict[str, Any] = {"planted": planted, "corpus": synth.corpus("ibmt", scale=0.02).X}
    assert len(crate_says) == 12
    for name, rule, anchors, residuals, h, w in crate_says:
        X, rank = data[name], len(anchors.split(","))
        for n_jobs in (1, 3):
            model = XRay(rank, selection=rule, random_state=3, n_jobs=n_jobs).fit(X)  # type: ignore[arg-type]
            assert model.anchors_.tolist() == [int(j) for j in anchors.split(",")]
            assert (model.path_ == from_bits(residuals)).all()
            assert (model.components_.ravel() == from_bits(h)).all()
        start = X[:, model.anchors_]
        start = start if isinstance(start, np.ndarray) else start.toarray()
        better = refine(X, start, model.components_, steps=2)
        assert (better.W.ravel() == from_bits(w)).all()
