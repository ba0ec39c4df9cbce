"""The estimator."""

from __future__ import annotations

import json
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from . import _xray_nmf
from ._input import CHECKS, is_sparse, plain, table_of, threads
from ._nnls import nnls
from ._paths import Path
from ._progress import progress_if
from ._refine import start_of
from ._request import (
    check_choices,
    check_output,
    factorize_request,
)
from ._samples import roots_of, scaled, vector_of
from ._score import explained_share, frobenius_norm
from ._search import SUGGESTED, find, stability, warn_of_number
from ._selector import AnchorSelector
from ._start import check_start, improved
from ._types import (
    Axis,
    Engine,
    Floats,
    Init,
    MatrixLike,
    Normalize,
    Output,
    Refinement,
    Solver,
    SuitedSelection,
)
from ._xray_file import ModelFile
from ._xray_nmf import Factorization, Matrix


class XRay(AnchorSelector, ModelFile, TransformerMixin, BaseEstimator):
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
    selection : "auto" or Selection, default="auto"
        The rule that chooses the next anchor. "max" suits near-separable data with noise, "greedy"
        text and the selection of features; README.md says what each is for. "auto" is "greedy"
        where `output` is "anchors", else "max"; `selection_` tells which.
    output : {"weights", "anchors"}, default="weights"
        What `transform` returns: nonnegative weights of `components_`, or, for feature selection,
        the anchor columns of its input as they are.
    fixed : list of int or str, optional
        Taken as the first anchors, in this order. Names stand for features of a DataFrame.
    excluded : list of int or str, optional
        Never chosen as anchors; still explained. A boolean mask will do.
    candidates : list of int or str, optional
        The only ones that may be chosen. A boolean mask will do.
    anchor_min_df : int or float, optional
        Only columns (rows, if anchors are samples) with so many entries that are not zero, or such
        a share of them, may be chosen; others are still explained. For counts of words: rare words
        are extreme columns, and all rules but "greedy" prefer them.
    init : {"xray", "custom"}, default="xray"
        Where refinement starts: at the anchors, or at the W and H that `fit` is given. Then there
        are no anchors, and what is said about them is not looked at.
    refine_steps : int, default=0
        The most steps of alternating optimisation after the anchors are found: a smaller error, but
        `components_` no longer belong to columns of X. Each of them then has a sum and a length
        whose product is 1, so that weights of broad and narrow components compare.
    refine_tol : float, default=0.0
        End these steps when three together lower the objective by less than this part of it; 0
        makes all.
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
    robust : bool, default=False
        Seek anchors above the noise: estimates it, and looks where it is even if it can. The rule
        is "dist" then, whatever `selection` and `mean_ray` say; ``noise_`` tells what was decided.
    outliers : float, default=0.0
        With `robust`, the share of columns that may be something else: anchors that explain only
        themselves are dropped. Without outliers it costs good ones.
    stability : bool, default=False
        Also tell how far each anchor can be trusted (``anchor_stability_``); costs about five fits.
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
        For ``selection="rand"``, and for the samples that ``n_components="auto"`` draws.
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
    selection_ : str or None
        The rule that `selection` stands for, with these data.
    path_ : ndarray
        ``||X - X_A H|| / ||X||`` after each anchor, for every rank of the path.
    termination_ : {"rank_reached", "exhausted", "below_threshold", "given"}
        Why the run ended.
    kkt_violation_ : float
        Certificate: the largest relative violation of the projections' optimality conditions.
    noise_ : dict or None
        What a robust fit saw of the noise: ``gate`` (what was decided), ``deviation``, ``edge`` and
        ``directions`` above it.
    anchor_stability_ : ndarray or None
        With `stability`, the share of ten halves of the rows in which each anchor comes back: from
        .95 on it is stable, below .5 do not trust it. Outliers are stable, too.
    n_iter_ : int
        Steps of refinement that were made.
    reconstruction_err_ : float
        ``||X - W H||`` of the fit: W are the anchors' columns, or what refinement made of them, and
        `transform` finds none that are worse. After "kullback-leibler" it is, as scikit-learn has
        it, the root of twice the divergence. X counts as `sample_weight` says.
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
        selection: SuitedSelection = "auto",
        output: Output = "weights",
        fixed: Any = None,
        excluded: Any = None,
        candidates: Any = None,
        anchor_min_df: int | float | None = None,
        init: Init = "xray",
        refine_steps: int = 0,
        refine_tol: float = 0.0,
        refinement: Refinement = "auto",
        path_length: int | None = None,
        normalize: Normalize | None = None,
        mean_ray: bool = False,
        robust: bool = False,
        outliers: float = 0.0,
        stability: bool = False,
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
        self.anchor_min_df = anchor_min_df
        self.init = init
        self.refine_steps = refine_steps
        self.refine_tol = refine_tol
        self.refinement = refinement
        self.path_length = path_length
        self.normalize = normalize
        self.mean_ray = mean_ray
        self.robust = robust
        self.outliers = outliers
        self.stability = stability
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

    def fit(
        self,
        X: MatrixLike,
        y: Any = None,
        *,
        sample_weight: Any = None,
        W: Any = None,
        H: Any = None,
    ) -> XRay:
        """Find the anchors of X.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            Float32 or float64 arrays of either order and csr or csc matrices are used in place;
            anything else is copied once. Do not write to X during the fit.
        y : ignored
        sample_weight : array of shape (n_samples,), optional
            How many times each sample counts: rows of X, and of `weights` if anchors are features,
            are scaled by its square root. A sample of weight 2 is then one that is there twice,
            but for ``normalize="l1"`` and for anchors that are samples.
        W : array of shape (n_samples, n_components), optional
            Where ``init="custom"`` starts.
        H : array of shape (n_components, n_features), optional
            Where ``init="custom"`` starts.

        Returns
        -------
        XRay
            This estimator, fitted.
        """
        self._fit(X, sample_weight, W, H)
        return self

    def fit_transform(
        self,
        X: MatrixLike,
        y: Any = None,
        *,
        sample_weight: Any = None,
        W: Any = None,
        H: Any = None,
    ) -> Any:
        """Find the anchors of X, and explain each of its rows by the components.

        Parameters
        ----------
        X, y, sample_weight, W, H
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            What ``fit(X).transform(X)`` returns; X is checked and taken over once.
        """
        X, matrix = self._fit(X, sample_weight, W, H)
        return self._transform(X, matrix)

    def _fit(self, X: Any, sample_weight: Any, W: Any, H: Any) -> tuple[Any, Matrix | None]:
        """Fits, and returns X as the engine takes it, and as the engine has it, if it does."""
        check_choices(self)
        custom = check_start(self, W, H)
        X = plain(validate_data(self, table_of(X), **CHECKS))
        roots = roots_of(sample_weight, X)
        counted = X if roots is None else plain(scaled(X, roots))
        request = factorize_request(self, X)
        by_rows = custom or self.axis == "features"
        matrix = self._matrix(counted, not by_rows)
        if custom:
            w, h_transposed = start_of(X.shape, W, H)
            start = w if roots is None else w * roots[:, np.newaxis], h_transposed
            self._keep_improved(*improved(self, matrix, start, request["refine_tolerance"]))
        else:
            p = vector_of(self, roots)
            self.selection_ = request["params"]["selection"]
            found, path, self.suggestion_ = find(self, counted, matrix, request, p)
            told = found.noise
            self.noise_ = None if told is None else json.loads(told)
            self.anchor_stability_ = None
            if self.stability:
                self.anchor_stability_ = stability(self, found, matrix, request, p)
            self._keep(matrix, found, path, request, roots is None)
            if roots is not None and not by_rows and not self.refine_steps:
                rows = X[self.anchors_]
                self.components_ = np.array(rows.toarray() if is_sparse(rows) else rows, np.float64)
            warn_of_number(self, X.shape[1 if by_rows else 0])
        self.n_iter_ = max(len(self.objective_) - 1, 0)
        self.reconstruction_err_ = self._error(counted)
        return X, matrix if by_rows and roots is None else None

    def _error(self, X: Any) -> float:
        """``||X - W H||``, or the root of twice the divergence, of the fit."""
        if len(self.objective_):
            twice = 2 if self.refinement == "kullback-leibler" else 1
            return float(np.sqrt(max(twice * self.objective_[-1], 0.0)))
        left = self.path_[self.n_components_ - 1] if self.n_components_ else 1.0
        return float(left) * frobenius_norm(X)

    def transform(self, X: MatrixLike) -> Any:
        """Explain each row of X by the components.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
            The nonnegative weights with the least ``||x - w @ components_||`` for each row x, found
            exactly, and rounded to float32 if that is the type of X. With ``output="anchors"``: the
            anchor columns of X.
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
        return self._weigh(X, matrix).astype(X.dtype, copy=False)

    def _weigh(self, X: Any, matrix: Matrix | None) -> Floats:
        """The weights of checked X, in double precision."""
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
        rebuilt = safe_sparse_dot(X, self.components_, dense_output=True)
        return rebuilt.astype(X.dtype, copy=False)

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
        if self.output == "anchors":
            anchors = X[:, self.anchors_].astype(np.float64)
            W = anchors.toarray() if is_sparse(anchors) else anchors
        else:
            W = self._weigh(X, None)
        return explained_share(X, W, self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.input_tags.positive_only = not self.allow_negative
        return tags

    def _keep(
        self,
        matrix: Matrix,
        found: Factorization,
        path: Path,
        request: dict[str, Any],
        with_w: bool,
    ) -> None:
        """Sets what was found, refined if asked for; W is kept if it is that of X as given."""
        self.anchors_ = found.anchors
        self.n_components_ = len(self.anchors_)
        self.path_ = path.residuals.copy()
        whole = self.n_components_ == len(path.anchors)
        self.termination_ = path.termination if whole else "rank_reached"
        self.kkt_violation_ = found.kkt_violation
        suggested = self.n_components in SUGGESTED
        request["params"]["rank"] = self.n_components_ if suggested else int(self.n_components)
        options, samples = json.dumps(request), self.axis == "samples"
        if self.refine_steps:
            with progress_if(self.verbose) as progress:
                n_threads = threads(self.n_jobs)
                found = found.refine(matrix, options, samples, n_threads, progress)
        self.components_ = found.components(samples)
        self.objective_: Floats = found.objective
        # Anchors of a model file are columns.
        model = None if samples else found.to_model(options, self._feature_names(), with_w)
        self._model = model

    def _keep_improved(self, components: Floats, objective: Floats) -> None:
        """Sets what came of a start that has no anchors."""
        self.components_, self.objective_ = components, objective
        self.n_components_ = len(components)
        self.anchors_ = np.empty(0, dtype=np.int64)
        self.path_ = np.empty(0)
        self.termination_, self.kkt_violation_ = "given", float("nan")
        self.suggestion_ = self.selection_ = self._model = None
        self.noise_ = self.anchor_stability_ = None

    def _matrix(self, X: Any, transposed: bool) -> Matrix:
        return Matrix(X, transposed, bool(self.allow_negative), self._feature_names())

    def _feature_names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else list(names)
