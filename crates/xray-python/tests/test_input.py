"""What may be given: layouts, types, and what is refused. All of it must have a defined result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from xray_nmf import TopicModel, XRay, nnls
from xray_nmf._input import plain
from xray_nmf._xray_nmf import Matrix

Floats = NDArray[np.float64]


def wide_indices(dense: Floats) -> sp.csr_matrix:
    matrix = sp.csr_matrix(dense)
    matrix.indices = matrix.indices.astype(np.int64)
    matrix.indptr = matrix.indptr.astype(np.int64)
    return matrix


def unsorted(dense: Floats) -> sp.csr_matrix:
    matrix = sp.csr_matrix(dense)
    for start, end in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True):
        matrix.indices[start:end] = matrix.indices[start:end][::-1].copy()
        matrix.data[start:end] = matrix.data[start:end][::-1].copy()
    matrix.has_sorted_indices = False
    return matrix


def with_repeated_entries(dense: Floats) -> sp.coo_array:
    matrix = sp.coo_array(dense)
    rows, columns = (np.concatenate([i, i]) for i in (matrix.row, matrix.col))
    halves = np.concatenate([matrix.data / 2, matrix.data / 2])
    return sp.coo_array((halves, (rows, columns)), shape=dense.shape)


def strided(dense: Floats) -> Floats:
    room = np.zeros((80, 75))
    room[::2, ::3] = dense
    return room[::2, ::3]


def read_only(dense: Floats) -> Floats:
    copy = dense.copy()
    copy.flags.writeable = False
    return copy


def unaligned(dense: Floats) -> Floats:
    raw = np.zeros(dense.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(np.float64).reshape(dense.shape)
    view[:] = dense
    assert not view.flags.aligned
    return view


def read_only_sparse(dense: Floats) -> sp.csr_matrix:
    matrix = sp.csr_matrix(dense)
    for array in (matrix.data, matrix.indices, matrix.indptr):
        array.flags.writeable = False
    return matrix


LAYOUTS: list[Callable[[Floats], Any]] = [
    np.asfortranarray,
    strided,
    read_only,
    read_only_sparse,
    unaligned,
    wide_indices,
    unsorted,
    with_repeated_entries,
    lambda x: x[::-1][::-1],
    lambda x: x.astype(">f8"),
    lambda x: x.astype(object),
    lambda x: x.tolist(),
    lambda x: pd.DataFrame(x),
    sp.csr_matrix,
    sp.csc_matrix,
    sp.coo_matrix,
    sp.csr_array,
    sp.csc_array,
    sp.coo_array,
    sp.lil_matrix,
    sp.dok_array,
    sp.bsr_array,
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", ["features", "samples"])
def test_every_layout_gives_the_same_bits(
    dense: Floats, layout: Callable[[Floats], Any], axis: Any
) -> None:
    expected = XRay(6, axis=axis, selection="greedy").fit(dense)
    given = layout(dense)
    found = XRay(6, axis=axis, selection="greedy").fit(given)
    assert (found.anchors_ == expected.anchors_).all()
    assert (found.components_ == expected.components_).all()
    assert (found.path_ == expected.path_).all()
    assert (found.transform(given) == expected.transform(dense)).all()


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, bool, np.float16, np.longdouble])
def test_other_numbers_are_converted(dense: Floats, dtype: Any) -> None:
    given = (dense * 4).astype(dtype)
    for matrix in (given, sp.csr_matrix(given) if dtype is not np.float16 else given):
        found = XRay(3).fit(matrix)
        expected = XRay(3).fit(given.astype(np.float64))
        assert (found.components_ == expected.components_).all()


@pytest.mark.parametrize("value", [np.nan, -1.0])
def test_wrong_entries_of_frames_are_told_with_the_name_of_their_column(value: float) -> None:
    frame = pd.DataFrame(np.eye(3), columns=["height", "width", "depth"])
    models: list[Any] = [
        XRay(2).fit(frame),
        TopicModel(2, min_df=0, max_df=1.0, weighting="none").fit(frame),
    ]
    frame.iloc[2, 1] = value
    for model in models:
        for method in (model.fit, model.transform):
            with pytest.raises(ValueError, match=r'column "width": .*entry \(2, 1\) is'):
                method(frame)


def test_single_precision_is_used_as_it_is(dense: Floats) -> None:
    single = dense.astype(np.float32)
    expected = XRay(5).fit(single.astype(np.float64))
    for given in (single, np.asfortranarray(single), sp.csr_matrix(single), sp.csc_array(single)):
        assert (XRay(5).fit(given).components_ == expected.components_).all()


@pytest.mark.parametrize("layout", [np.array, np.asfortranarray, sp.csr_matrix, sp.csc_array])
def test_good_input_is_not_copied(dense: Floats, layout: Callable[[Floats], Any]) -> None:
    given = layout(dense)
    taken = plain(given)
    if sp.issparse(given):
        assert taken is given
    else:
        assert np.shares_memory(taken, given)


def test_input_is_never_changed(dense: Floats) -> None:
    given = unsorted(dense)
    before = [a.copy() for a in (given.data, given.indices, given.indptr)]
    XRay(3).fit(given)
    after = (given.data, given.indices, given.indptr)
    assert all((a == b).all() for a, b in zip(before, after, strict=True))


@pytest.mark.parametrize("layout", [np.array, np.asfortranarray, sp.csr_matrix, sp.csc_matrix])
@pytest.mark.parametrize("axis", ["features", "samples"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.nan, r"entry \(3, 5\) is NaN"),
        (np.inf, r"entry \(3, 5\) is inf"),
        (-np.inf, r"entry \(3, 5\) is -inf"),
        (-0.5, r"entry \(3, 5\) is -0.5; .* nonnegative"),
        (1e90, "1e90, past the limit of 1e70"),
    ],
)
def test_bad_entries_are_refused_with_their_place(
    dense: Floats, layout: Callable[[Floats], Any], axis: Any, value: float, words: str
) -> None:
    model = XRay(2, axis=axis).fit(dense)
    dense[3, 5] = value
    with pytest.raises(ValueError, match=words):
        XRay(2, axis=axis).fit(layout(dense))
    with pytest.raises(ValueError, match=words):
        model.transform(layout(dense))


def test_negative_entries_can_be_allowed(dense: Floats) -> None:
    dense[3, 5] = -0.5
    for axis in ("features", "samples"):
        model = XRay(25, axis=axis, allow_negative=True).fit(dense)
        assert (model.transform(dense) >= 0).all()


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (np.zeros((0, 3)), ValueError),
        (np.zeros((3, 0)), ValueError),
        (sp.csr_matrix((0, 3)), ValueError),
        (np.zeros(3), ValueError),
        (np.float64(3.0), ValueError),
        (np.zeros((2, 2, 2)), ValueError),
        (np.array([["a", "b"]]), ValueError),
        (np.array([[{}, []]], dtype=object), (TypeError, ValueError)),
        (np.array([[1j, 2.0]]), ValueError),
        (None, ValueError),
        ("text", ValueError),
        (np.full((2, 2), 1e-300), ValueError),
    ],
)
def test_what_is_no_matrix_is_refused(given: Any, error: Any) -> None:
    with pytest.raises(error):
        XRay(2).fit(given)
    with pytest.raises(error):
        XRay(2, axis="samples", path_length=3).fit(given)


def broken(**changes: Any) -> Any:
    """A csr matrix with arrays replaced behind SciPy's back."""
    matrix: Any = sp.csr_matrix(np.eye(3))
    for name, values in changes.items():
        setattr(matrix, name, values)
    matrix._has_canonical_format = matrix._has_sorted_indices = True
    return matrix


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"indices": np.array([0, 1, 7], dtype=np.int32)}, "index 7 is out of range"),
        ({"indices": np.array([0, 1, -1], dtype=np.int32)}, "out of range"),
        ({"indices": np.array([0, 1, 2**40])}, "out of range"),
        ({"indptr": np.array([0, 5, 2, 3], dtype=np.int32)}, "out of order"),
        ({"indptr": np.array([0, -5, 2, 3])}, "out of order"),
        ({"indptr": np.array([0, 1, 2], dtype=np.int32)}, "expected length 4, found 3"),
        ({"indices": np.array([0, 1], dtype=np.int32)}, "expected length 3, found 2"),
        (
            {"indptr": np.array([0, 3, 3, 3]), "indices": np.array([0, 2, 1])},
            "must strictly increase",
        ),
    ],
)
def test_broken_sparse_matrices_are_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Matrix(broken(**changes))


def test_the_extension_refuses_what_it_does_not_know() -> None:
    for given in (np.zeros((2, 2), dtype=int), sp.csr_matrix(np.eye(2, dtype=int))):
        with pytest.raises(TypeError, match="not float32 or float64"):
            Matrix(given)
    with pytest.raises(TypeError):
        Matrix(np.zeros(3))
    with pytest.raises(ValueError, match="coo format"):
        matrix = sp.coo_matrix(np.eye(2))
        matrix.indptr = matrix.row  # type: ignore[attr-defined]
        Matrix(matrix)
    with pytest.raises(ValueError, match="contiguous"):
        Matrix(np.zeros((4, 4))[::2, ::2])
    with pytest.raises(AttributeError):
        Matrix("text")


def test_large_and_lopsided_shapes() -> None:
    wide = sp.csr_matrix(([1.0, 2.0], ([0, 0], [0, 2_000_000])), shape=(1, 2_000_001))
    assert XRay(1).fit(wide).anchors_.tolist() == [0]  # one ray, lowest index
    tall = sp.csr_array(([1.0, 2.0], ([5, 2_000_000], [0, 1])), shape=(2_000_001, 2))
    assert sorted(XRay(2).fit(tall).anchors_.tolist()) == [0, 1]
    assert nnls(tall, tall).x.round(9).tolist() == [[1, 0], [0, 1]]
    with pytest.raises(ValueError, match="number of columns"):
        Matrix(sp.csr_matrix(([1.0], ([0], [0])), shape=(1, 2**40)))
