"""The estimator."""

from __future__ import annotations

import json
import os
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from . import _xray_nmf
from ._input import CHECKS, is_sparse, plain, table_of, threads
from ._nnls import nnls
from ._progress import progress_if
from ._request import (
    check_choices,
    check_output,
    factorize_request,
    parameters_of,
    weights_of,
)
from ._score import explained_share
from ._search import SUGGESTED, find, warn_of_number
from ._types import (
    Axis,
    Engine,
    Floats,
    MatrixLike,
    Normalize,
    Output,
    Refinement,
    Selection,
    Solver,
)
from ._xray_nmf import Factorization, Matrix, Model


class XRay(TransformerMixin, BaseEstimator):
    """Near-separable NMF: a few features (or samples) that explain all the others.

    Finds *anchors* among the columns of X such that all columns are nearly nonnegative combinations
    of them: ``X ~= X[:, anchors_] @ components_``. With ``axis="samples"``, anchors are rows:
    ``X ~= weights @ X[anchors_]``. Either way ``X ~= transform(X) @ components_``.

    There is no random start: the same data gives the same bits, on any number of threads. The
    anchors of a smaller ``n_components`` are the first of a larger one.

    Parameters
    ----------
    n_components : int, "auto" or "fast", default="auto"
        How many anchors to find. "auto" asks what ``xray rank`` does: of the numbers up to
        `path_length` (or 40), which do the data support, and, for sparse data, which come out again
        best in other samples. "fast" keeps the anchors up to the knee of the residual's curve, and
        so does "auto" where there are too few samples, or negative entries. `suggestion_` tells the
        reason.
    axis : {"features", "samples"}, default="features"
        What anchors are: features for the anchor words of documents, samples for the pure pixels
        of an image.
    selection : Selection, default="max"
        The rule that chooses the next anchor. "max" suits near-separable data with noise, "greedy"
        text; README.md says what each is for.
    output : {"weights", "anchors"}, default="weights"
        What `transform` returns: nonnegative weights of `components_`, or, for feature selection,
        the anchor columns of its input as they are.
    fixed : list of int or str, optional
        Taken as the first anchors, in this order. Names stand for features of a DataFrame.
    excluded : list of int or str, optional
        Never chosen as anchors; still explained. A boolean mask will do.
    candidates : list of int or str, optional
        The only ones that may be chosen. A boolean mask will do.
    refine_steps : int, default=0
        Steps of alternating optimisation after the anchors are found: a smaller error, but
        `components_` no longer belong to columns of X. Each of them then has a sum and a length
        whose product is 1, so that weights of broad and narrow components compare.
    refinement : {"auto", "hals", "exact", "kullback-leibler"}, default="auto"
        What each of these steps does; see `refine`. After "kullback-leibler", `transform` minimises
        the divergence, too.
    path_length : int, optional
        Find at least so many anchors, keep `n_components` of them, and remember the path: a fit on
        the same data with another `n_components` then needs no selection. For grid search.
    normalize : {"l1", "l2"}, optional
        Scale columns (rows, if anchors are samples) before anchors are chosen. Weights and
        residuals refer to X as given.
    mean_ray : bool, default=False
        Start from the mean column: more robust to noise with "dist" and "greedy".
    weights : array of shape (n_samples,), optional
        The positive vector p of the selection rules, one entry for each entry of an anchor; ones by
        default.
    allow_negative : bool, default=False
        Keep negative entries instead of refusing them.
    tol : float, default=1e-6
        Columns with a relative residual below this count as explained; at least 1e-6.
    min_improvement : float, default=0.0
        Stop when an anchor lowers the relative residual by less.
    engine : {"lazy", "direct"}, default="lazy"
        How scores are kept; the answer is the same.
    solver : {"active-set", "coordinate-descent"}, default="active-set"
        How columns are projected: exactly, or as the paper did.
    max_cache_bytes : int, optional
        Memory for cached products; a quarter of the machine's by default.
    random_state : int, RandomState or None, default=0
        For ``selection="rand"``.
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    anchors_ : ndarray of shape (n_components_,)
        Columns (rows, if anchors are samples) of X, in the order found.
    components_ : ndarray of shape (n_components_, n_features)
        H; the anchor rows themselves if anchors are samples.
    n_components_ : int
        Number of anchors; fewer than asked for if they explain everything.
    suggestion_ : dict or None
        Why there are so many, if no number was given: ``rank``, the ``range`` nearly as good, what
        the data support (``supported``), and a ``sentence``.
    path_ : ndarray
        ``||X - X_A H|| / ||X||`` after each anchor, for every rank of the path.
    termination_ : {"rank_reached", "exhausted", "below_threshold"}
        Why the run ended.
    kkt_violation_ : float
        Certificate: the largest relative violation of the projections' optimality conditions.
    n_iter_ : int
        Number of anchors on the path.
    objective_ : ndarray
        The refinement's objective at its start and after each step; empty without refinement.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of str
        Their names, if X has string names for all of them.

    See Also
    --------
    sklearn.decomposition.NMF : Factors that are not columns of the data.

    References
    ----------
    A. Kumar, V. Sindhwani and P. Kambadur, "Fast Conical Hull Algorithms for Near-separable
    Non-negative Matrix Factorization", ICML 2013.

    Examples
    --------
    Columns 0 and 2 span the cone; column 1 is their sum.

    >>> import numpy as np
    >>> from xray_nmf import XRay
    >>> X = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]])
    >>> model = XRay(2).fit(X)
    >>> model.anchors_
    array([0, 2])
    >>> model.components_
    array([[1., 1., 0.],
           [0., 1., 1.]])
    >>> model.transform([[2.0, 5.0, 3.0]]).round(6)
    array([[2., 3.]])
    """

    def __init__(
        self,
        n_components: int | Literal["auto", "fast"] = "auto",
        *,
        axis: Axis = "features",
        selection: Selection = "max",
        output: Output = "weights",
        fixed: Any = None,
        excluded: Any = None,
        candidates: Any = None,
        refine_steps: int = 0,
        refinement: Refinement = "auto",
        path_length: int | None = None,
        normalize: Normalize | None = None,
        mean_ray: bool = False,
        weights: Any = None,
        allow_negative: bool = False,
        tol: float = 1e-6,
        min_improvement: float = 0.0,
        engine: Engine = "lazy",
        solver: Solver = "active-set",
        max_cache_bytes: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.axis = axis
        self.selection = selection
        self.output = output
        self.fixed = fixed
        self.excluded = excluded
        self.candidates = candidates
        self.refine_steps = refine_steps
        self.refinement = refinement
        self.path_length = path_length
        self.normalize = normalize
        self.mean_ray = mean_ray
        self.weights = weights
        self.allow_negative = allow_negative
        self.tol = tol
        self.min_improvement = min_improvement
        self.engine = engine
        self.solver = solver
        self.max_cache_bytes = max_cache_bytes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: MatrixLike, y: Any = None) -> XRay:
        """Find the anchors of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Float32 or float64 arrays of either order and csr or csc matrices are used in place;
            anything else is copied once. Do not write to X during the fit.
        y : ignored

        Returns
        -------
        XRay
            This estimator, fitted.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: MatrixLike, y: Any = None) -> Any:
        """Find the anchors of X, and explain each of its rows by the components.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            What ``fit(X).transform(X)`` returns; X is checked and taken over once.
        """
        X, matrix = self._fit(X)
        return self._transform(X, matrix if self.axis == "features" else None)

    def _fit(self, X: MatrixLike) -> tuple[Any, Matrix]:
        """Fits, and returns X as the engine takes it, and as the engine has it."""
        check_choices(self)
        X = plain(validate_data(self, table_of(X), **CHECKS))
        matrix = self._matrix(X, self.axis == "samples")
        request = factorize_request(self, X.shape)
        found, path, self.suggestion_ = find(self, X, matrix, request, weights_of(self.weights))
        self.anchors_ = found.anchors
        self.n_components_ = len(self.anchors_)
        self.path_ = path.residuals.copy()
        whole = self.n_components_ == len(path.anchors)
        self.termination_ = path.termination if whole else "rank_reached"
        self.kkt_violation_ = found.kkt_violation
        self.n_iter_ = len(path.anchors)
        suggested = self.n_components in SUGGESTED
        request["params"]["rank"] = self.n_components_ if suggested else int(self.n_components)
        self._keep(matrix, found, json.dumps(request))
        warn_of_number(self, X.shape[1 if self.axis == "features" else 0])
        return X, matrix

    def transform(self, X: MatrixLike) -> Any:
        """Explain each row of X by the components.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            The nonnegative weights with the least ``||x - w @ components_||`` for each row x, found
            exactly. With ``output="anchors"``: the anchor columns of X.
        """
        check_is_fitted(self)
        check_output(self)
        if self.output == "anchors":
            checks = {**CHECKS, "ensure_all_finite": True}
            return validate_data(self, X, reset=False, **checks)[:, self.anchors_]
        return self._transform(plain(validate_data(self, X, reset=False, **CHECKS)), None)

    def _transform(self, X: Any, matrix: Matrix | None) -> Any:
        """`transform` of checked X, which the engine may have already."""
        if self.output == "anchors":
            return X[:, self.anchors_]
        rows = matrix or self._matrix(X, False)
        if not (self.components_ >= 0).all():
            return nnls(self.components_.T, X.T, n_jobs=self.n_jobs).x.T
        by_divergence = bool(self.refine_steps) and self.refinement == "kullback-leibler"
        n_threads = threads(self.n_jobs)
        return _xray_nmf.row_weights(rows, self.components_.T, n_threads, by_divergence)

    def inverse_transform(self, X: MatrixLike) -> Any:
        """Rebuild data from what `transform` returned.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_components_)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            ``X @ components_``.
        """
        check_is_fitted(self)
        X = check_array(X, accept_sparse=True, dtype=(np.float64, np.float32))
        if X.shape[1] != self.n_components_:
            raise ValueError(
                f"X has {X.shape[1]} columns, but there are {self.n_components_} components"
            )
        return safe_sparse_dot(X, self.components_, dense_output=True)

    def score(self, X: MatrixLike, y: Any = None) -> float:
        """How much of X the components explain.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
            ``1 - ||X - transform(X) @ components_||**2 / ||X||**2``: at most 1, more is better; 1
            for data that is zero.
        """
        check_is_fitted(self)
        X = plain(validate_data(self, X, reset=False, **CHECKS))
        weights = self._transform(X, None)
        W = weights.toarray() if is_sparse(weights) else weights
        return explained_share(X, np.asarray(W, dtype=np.float64), self.components_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that ``xray transform`` and `load` read.

        Parameters
        ----------
        path : path
            The file, usually called model.npz. It appears complete or not at all.
        """
        check_is_fitted(self)
        if self._model is None:
            raise ValueError(
                'axis = "samples" cannot be saved: anchors of a model file are columns; fit the '
                "transposed matrix"
            )
        more: dict[str, str] = {"output": self.output}
        self._model.save(os.fspath(path), None if self.output == "weights" else more)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> XRay:
        """Read a model that `save` or ``xray factorize`` has written.

        Parameters
        ----------
        path : path
            The file, or the folder that the program has written, in one piece or in shards.

        Returns
        -------
        XRay
            Fitted, but for `termination_`, `kkt_violation_`, `suggestion_` and `objective_`, which
            the file does not have; nor has it `candidates`, `weights`, and residuals beyond the
            rank.
        """
        model = Model.load(os.fspath(path))
        if model.kind != "factorize":
            raise ValueError(f"{path}: a model of documents; TopicModel.load opens it")
        self = cls(len(model.anchors), **parameters_of(model, cls))
        self._model = model
        self.components_ = model.components
        self.anchors_ = model.anchors
        self.path_ = model.residuals
        self.n_components_, self.n_features_in_ = self.components_.shape
        self.n_iter_ = len(self.path_)
        if model.vocabulary is not None:
            self.feature_names_in_ = np.array(model.vocabulary, dtype=object)
        return self

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Names of the columns that `transform` returns.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the input's features, if `fit` saw none.

        Returns
        -------
        ndarray of str
            "xray0", "xray1" and so on; with ``output="anchors"`` the names of the anchors.
        """
        check_is_fitted(self)
        if self.output != "anchors":
            return np.array([f"xray{k}" for k in range(self.n_components_)], dtype=object)
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            given = np.asarray(input_features, dtype=object)
            if names is not None and not np.array_equal(names, given):
                raise ValueError("input_features is not equal to feature_names_in_")
            if len(given) != self.n_features_in_:
                raise ValueError(f"input_features should have length {self.n_features_in_}")
            names = given
        if names is None:
            names = np.array([f"x{j}" for j in range(self.n_features_in_)], dtype=object)
        return names[self.anchors_]

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = not self.allow_negative
        return tags

    def _keep(self, matrix: Matrix, found: Factorization, request: str) -> None:
        """Sets the components, refined if asked for."""
        samples = self.axis == "samples"
        if self.refine_steps:
            with progress_if(self.verbose) as progress:
                n_threads = threads(self.n_jobs)
                found = found.refine(matrix, request, samples, n_threads, progress)
        self.components_ = found.components(samples)
        self.objective_: Floats = found.objective
        # Anchors of a model file are columns.
        model = None if samples else found.to_model(request, self._feature_names(), True)
        self._model: Model | None = model

    def _matrix(self, X: Any, transposed: bool) -> Matrix:
        return Matrix(X, transposed, bool(self.allow_negative), self._feature_names())

    def _feature_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)
