"""What an `XRay` calls its columns, and which features it selects."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted


class AnchorSelector(BaseEstimator):
    """The part of `XRay` that scikit-learn's selectors of features have."""

    def get_support(self, indices: bool = False) -> Any:
        """Which features are anchors, as scikit-learn's selectors of features tell it.

        Parameters
        ----------
        indices : bool, default=False
            Whether to return the features' numbers instead of a mask.

        Returns
        -------
        ndarray
            A mask of shape (n_features_in_,), or ascending numbers. `anchors_` has them in the
            order found, in which ``output="anchors"`` returns their columns.
        """
        check_is_fitted(self)
        if self.axis == "samples":
            raise ValueError('axis = "samples" selects no features; anchors_ lists its samples')
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.anchors_] = True
        return np.flatnonzero(mask) if indices else mask

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
        return int(self.n_components_)
