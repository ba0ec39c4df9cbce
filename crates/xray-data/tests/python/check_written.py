#!/usr/bin/env python3
"""Read with NumPy and SciPy what the crate wrote, and compare.

usage: check_written.py FOLDER

FOLDER is made by `XRAY_WRITTEN=FOLDER cargo test -p xray-data --test written`.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

folder = Path(sys.argv[1])
expected = np.zeros((4, 5))
expected[0, 1], expected[1, 0], expected[2, 4], expected[3, 2] = 0.1, 1 / 3, 1e-300, 7.0
assert (sp.load_npz(folder / "x.npz").toarray() == expected).all()
market: Any = scipy.io.mmread(folder / "x.mtx.gz")
assert (market.toarray() == expected).all()
assert (np.load(folder / "x.npy") == expected).all()
assert (np.loadtxt(folder / "x.csv", delimiter=",", skiprows=1) == expected).all()
x, _ = load_svmlight_file(str(folder / "x.svm"), n_features=5, zero_based=False)
assert (x.toarray() == expected).all()

with np.load(folder / "model.npz", allow_pickle=False) as z:
    metadata = json.loads(bytes(z["metadata"]))
    vocabulary = json.loads(bytes(z["vocabulary"]))
    h = sp.csr_array((z["h_data"], z["h_indices"], z["h_indptr"]), shape=tuple(z["h_shape"]))
    assert metadata["format_version"] == 1 and metadata["kind"] == "topics", metadata
    assert metadata["preprocessing"]["n_documents"] == 3, metadata
    assert metadata["provenance"]["seed"] == 7, metadata
    assert vocabulary == ["blue", "grün", "red"], vocabulary
    assert h.toarray().tolist() == [[1.0, 0.0, 0.0], [0.0, 0.3, 0.1]], h
    assert z["anchors"].tolist() == [0, 2] and z["idf"].shape == (3,)
    assert z["w"].tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
    assert z["residual_norm"].tolist() == [0.5, 0.1]
print("all files read back")
