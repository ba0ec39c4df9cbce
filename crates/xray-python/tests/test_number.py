"""How many anchors: the number, range and sentence of the program."""

from __future__ import annotations

import json
import subprocess
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from xray_nmf import XRay, synth


def topical(n_documents: int = 160, subjects: int = 4, seed: int = 3) -> sp.csr_array:
    """Documents of one subject each: counts of words, of which some are common."""
    generator = np.random.default_rng(seed)
    counts = np.zeros((n_documents, 12 * (subjects + 1)))
    for d in range(n_documents):
        for common in generator.random(25) < 0.3:
            block = subjects if common else d % subjects
            counts[d, 12 * block + generator.integers(12)] += 1
    return sp.csr_array(counts)


def of_the_program(program: Path, file: Path, *options: str) -> dict[str, Any]:
    """What `xray rank` suggests."""
    command = [str(program), "rank", str(file), "--json", "--quiet", *options]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return {**answer["suggestion"], "sentence": answer["reason"]}


def test_dense_data_have_the_number_of_the_program(program: Path, tmp_path: Path) -> None:
    X = synth.planted(90, 40, 6, noise=0.02, clip=True).X
    for matrix in (X, X.astype(np.float32)):
        np.save(tmp_path / "x.npy", matrix)
        told = of_the_program(program, tmp_path / "x.npy", "--max", "12")
        strided = np.repeat(matrix, 2, axis=0)[::2]
        for layout in (matrix, np.asfortranarray(matrix), strided):
            model = XRay(path_length=12, n_jobs=1).fit(layout)
            assert model.suggestion_ == told
            assert model.n_components_ == told["rank"] == 6 and len(model.path_) == 12


def test_large_data_have_the_number_of_the_program(program: Path, tmp_path: Path) -> None:
    # More than two million entries: some of the rows are looked at.
    X = synth.planted(2600, 800, 2, noise=0.05, clip=True).X.astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    told = of_the_program(program, tmp_path / "x.npy", "--max", "2")
    assert XRay(path_length=2).fit(X).suggestion_ == told


def test_sparse_data_have_the_number_of_the_program(program: Path, tmp_path: Path) -> None:
    X = topical()
    sp.save_npz(tmp_path / "x.npz", X)
    told = of_the_program(program, tmp_path / "x.npz", "--weighting", "none")
    assert told["reason"] == "stable" and told["rank"] in (4, 5)
    for matrix in (X, X.tocsc(), X.astype(np.float32)):
        model = XRay(selection="greedy").fit(matrix)
        assert model.suggestion_ == told and model.n_components_ == told["rank"]
        # The path goes on to where it was told to; numbers are looked at while they get better.
        assert told["rank"] <= told["looked_at"] <= len(model.path_) == 40


def test_anchors_that_are_samples_have_a_number_too(program: Path, tmp_path: Path) -> None:
    X = synth.planted(40, 90, 5, noise=0.05, clip=True).X
    np.save(tmp_path / "x.npy", X)
    told = of_the_program(program, tmp_path / "x.npy")
    model = XRay(axis="samples").fit(X.T)
    assert model.suggestion_ == told and model.n_components_ == told["rank"]


def test_fast_is_the_knee() -> None:
    X = synth.planted(noise=0.05, clip=True, n_components=8).X
    model = XRay("fast", path_length=20).fit(X)
    assert model.n_components_ == 8 and model.suggestion_ is not None
    assert model.suggestion_["reason"] == "residual" and model.suggestion_["range"] == [8, 8]
    assert model.suggestion_["sentence"].startswith("8 anchors: anchors beyond bring little")
    assert XRay(3).fit(X).suggestion_ is None


def test_few_samples_and_negative_entries_have_the_knee() -> None:
    generator = np.random.default_rng(5)
    few = generator.random((7, 20))
    signed = generator.random((30, 3)) @ generator.random((3, 20))
    signed[2, 3] = -0.1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for X in (few, signed):
            model = XRay(allow_negative=True).fit(X)
            assert model.suggestion_ == XRay("fast", allow_negative=True).fit(X).suggestion_
            assert model.suggestion_ is not None
            assert model.suggestion_["reason"] in ("residual", "exhausted")


def test_anchors_that_are_given_are_all_kept() -> None:
    X = synth.planted(60, 40, 3, noise=0.02, clip=True).X
    fixed = list(range(12))
    for asked in ("auto", "fast"):
        model = XRay(asked, fixed=fixed).fit(X)
        assert model.anchors_[:12].tolist() == fixed and model.suggestion_ is not None
        assert model.suggestion_["rank"] == model.n_components_ >= 12


def test_the_vector_p_goes_with_its_rows() -> None:
    X = topical()
    plain = XRay().fit(X)
    assert XRay(weights=np.ones(160)).fit(X).suggestion_ == plain.suggestion_
    XRay(weights=np.logspace(-3, 3, 160)).fit(X)
    with pytest.raises(ValueError, match="expected length 160, found 3"):
        XRay(weights=np.ones(3)).fit(X)
