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
def program() -> Path:
    """The program `xray`."""
    path = Path(os.environ.get("XRAY_PROGRAM", ROOT / "target" / "release" / "xray"))
    if not path.exists():
        pytest.skip(f"no program {path}: build it with cargo build --release, or set XRAY_PROGRAM")
    return path.resolve()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets."""
    path = Path(os.environ.get("XRAY_DATA", ROOT.parent / "shared" / "data"))
    if not path.is_dir():
        pytest.skip(f"no folder {path}: set XRAY_DATA to the folder of the data sets")
    return path


@pytest.fixture
def dense() -> NDArray[np.float64]:
    """Nonnegative data with many zeros, 40 x 25."""
    generator = np.random.default_rng(8)
    return generator.random((40, 25)) * (generator.random((40, 25)) < 0.5)


@pytest.fixture
def sparse(dense: NDArray[np.float64]) -> sp.csr_matrix:
    """The same as csr."""
    return sp.csr_matrix(dense)
