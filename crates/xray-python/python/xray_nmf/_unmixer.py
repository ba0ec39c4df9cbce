"""Hyperspectral unmixing: the estimator behind `xray unmix`."""

from __future__ import annotations

import json
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._check import text, whole
from ._input import threads
from ._progress import progress_if
from ._types import Flags, Floats
from ._xray_nmf import abundances, unmix

Maps: TypeAlias = NDArray[np.float32]
UnmixMethod: TypeAlias = Literal["unmix", "xray", "spa", "vca", "nfindr"]
AbundanceRule: TypeAlias = Literal["scaled", "sum-to-one", "nnls"]


class Unmixer(TransformerMixin, BaseEstimator):
    """Endmembers and abundances of a hyperspectral cube; the same bits as `xray unmix`.

    Parameters
    ----------
    n_endmembers : int or "auto", default="auto"
        How many materials there are; "auto" takes the knee of what 1 to 15 leave unexplained.
    method : {"unmix", "xray", "spa", "vca", "nfindr"}, default="unmix"
        "unmix" averages pixels that are like their neighbours and seeks the smallest simplex; the
        others take single pixels as they are.
    abundances : {"scaled", "sum-to-one", "nnls"}, default="scaled"
        Nonnegative least squares scaled to sum 1, weights that sum to 1 while they are fitted, or
        nonnegative least squares as it is.
    random_state : int, default=0
        Seed of "vca"; the other methods draw nothing.
    verbose : bool, default=False
        Show progress.
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.

    Attributes
    ----------
    endmembers_ : array of shape (n_endmembers, n_bands)
        The spectra; zero where a band is dead.
    abundances_ : float32 array of shape (rows, columns, n_endmembers)
        How much of each is where; (n_pixels, n_endmembers) if pixels were given without an image.
    n_endmembers_ : int
        How many there are.
    path_ : array or None
        What 1, 2, ... anchors leave unexplained, if the number was not given.
    members_ : list of arrays of shape (n_members, 2)
        Rows and columns of the pixels that each endmember was made of, best first; at most 1,000.
    dead_bands_, noisy_bands_ : arrays of int
        Bands that count for nothing, and bands that count for less.
    residual_ : float
        ``||X - A E|| / ||X||``, before abundances are scaled.
    n_features_in_ : int
        Bands.

    Examples
    --------
    >>> import numpy as np
    >>> from xray_nmf import Unmixer
    >>> generator = np.random.default_rng(0)
    >>> spectra = generator.random((3, 50))
    >>> cube = generator.dirichlet([0.3] * 3, size=(30, 40)) @ spectra
    >>> model = Unmixer(3).fit(cube)
    >>> model.abundances_.shape
    (30, 40, 3)
    >>> bool(model.residual_ < 0.05)
    True
    """

    def __init__(
        self,
        n_endmembers: int | Literal["auto"] = "auto",
        *,
        method: UnmixMethod = "unmix",
        abundances: AbundanceRule = "scaled",
        random_state: int = 0,
        verbose: bool = False,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_endmembers = n_endmembers
        self.method = method
        self.abundances = abundances
        self.random_state = random_state
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None, *, mask: Any = None) -> Unmixer:
        """Find the endmembers of a cube.

        Parameters
        ----------
        X : array of shape (rows, columns, n_bands), or (n_pixels, n_bands)
            The cube; pixels without an image have no neighbours.
        y : ignored
        mask : array of shape (rows, columns), optional
            Pixels where it is false are left out.

        Returns
        -------
        self
        """
        cube, is_image = _as_cube(X)
        count = None
        if self.n_endmembers != "auto":
            count = whole("n_endmembers", self.n_endmembers, 1, ' or "auto"')
        seed = whole("random_state", self.random_state, 0)
        rule = text("abundances", self.abundances)
        choices = (count, text("method", self.method), rule, seed)
        chosen = _as_mask(mask, cube)
        with progress_if(self.verbose) as progress:
            spectra, maps, report = unmix(
                cube, is_image, choices, threads(self.n_jobs), chosen, progress
            )
        told = json.loads(report)
        self.endmembers_: Floats = spectra
        self.abundances_: Maps = maps if is_image else maps[0]
        self.n_endmembers_ = len(spectra)
        suggestion = told.get("suggestion")
        self.path_: Floats | None = np.array(suggestion["path"]) if suggestion else None
        members = (np.array(one["members"], int).reshape(-1, 2) for one in told["endmembers"])
        self.members_ = [places - 1 for places in members]
        self.dead_bands_ = np.array(told["bands"]["dead"], int) - 1
        self.noisy_bands_ = np.array(told["bands"]["noisy"], int) - 1
        self.residual_ = float(told["residual"])
        self.n_features_in_ = cube.shape[2]
        return self

    def transform(self, X: Any, *, mask: Any = None) -> Maps:
        """How much of each endmember is in every pixel of a cube.

        Parameters
        ----------
        X : array of shape (rows, columns, n_bands), or (n_pixels, n_bands)
            A cube with the bands of the one that was fitted.
        mask : array of shape (rows, columns), optional
            Pixels where it is false are left out.

        Returns
        -------
        float32 array of shape (rows, columns, n_endmembers), or (n_pixels, n_endmembers)
        """
        check_is_fitted(self)
        cube, is_image = _as_cube(X)
        if cube.shape[2] != self.n_features_in_:
            raise ValueError(
                f"X has {cube.shape[2]} bands, but Unmixer was fitted to {self.n_features_in_}"
            )
        rule = text("abundances", self.abundances)
        chosen = _as_mask(mask, cube)
        maps = abundances(cube, is_image, self.endmembers_, rule, threads(self.n_jobs), chosen)
        return maps if is_image else maps[0]

    def fit_transform(self, X: Any, y: Any = None, *, mask: Any = None) -> Maps:
        """Find the endmembers of a cube, and return its abundances."""
        return self.fit(X, y, mask=mask).abundances_


def _as_cube(X: Any) -> tuple[Floats, bool]:
    """Rows x columns x bands, and whether that is an image."""
    array = np.asarray(X)
    if array.ndim not in (2, 3):
        raise ValueError(
            f"X of shape {array.shape} is not allowed; give rows x columns x bands, or pixels x "
            "bands"
        )
    if array.dtype.kind not in "fiub":
        raise TypeError(f"X of {array.dtype} is not allowed; give real numbers")
    is_image = array.ndim == 3
    cube = array if is_image else array[np.newaxis]
    return np.ascontiguousarray(cube, dtype=np.float64), is_image


def _as_mask(mask: Any, cube: Floats) -> Flags | None:
    """One truth value for each pixel."""
    if mask is None:
        return None
    flags = np.asarray(mask)
    if flags.size != cube.shape[0] * cube.shape[1]:
        raise ValueError(
            f"mask of shape {flags.shape} is not allowed; X has {cube.shape[:2]} pixels"
        )
    return np.ascontiguousarray(flags.ravel() != 0)
