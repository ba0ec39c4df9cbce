"""What the tests share."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data sets; tests that need it are skipped where it is not."""
    folder = Path(os.environ.get("XRAY_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no folder {folder}")
    return folder


@pytest.fixture
def dense() -> NDArray[np.float64]:
    """Nonnegative data with many zeros, 40 x 25."""
    generator = np.random.default_rng(8)
    return generator.random((40, 25)) * (generator.random((40, 25)) < 0.5)


@pytest.fixture
def sparse(dense: NDArray[np.float64]) -> sp.csr_matrix:
    """The same as csr."""
    return sp.csr_matrix(dense)
