"""The model file of an `XRay`, which is that of the program."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._request import parameters_of
from ._xray_nmf import Model

if TYPE_CHECKING:
    from typing_extensions import Self


class ModelFile(BaseEstimator):
    """The part of `XRay` that writes and reads the model file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that ``xray transform`` and `load` read.

        Parameters
        ----------
        path : path
            The file, usually called model.npz. It appears complete or not at all.
        """
        check_is_fitted(self)
        if self.init == "custom":
            raise ValueError('init = "custom" cannot be saved: a model file has anchors')
        if self._model is None:
            raise ValueError(
                'axis = "samples" cannot be saved: anchors of a model file are columns; fit the '
                "transposed matrix"
            )
        more: dict[str, str] = {"output": self.output}
        self._model.save(os.fspath(path), None if self.output == "weights" else more)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` or ``xray factorize`` has written.

        Parameters
        ----------
        path : path
            The file, or the folder that the program has written, in one piece or in shards.

        Returns
        -------
        XRay
            Fitted, but for `termination_`, `kkt_violation_`, `suggestion_`, `objective_`, `n_iter_`
            and `reconstruction_err_`, which the file does not have; nor has it `candidates`,
            `weights`, `refine_tol`, and residuals beyond the rank.
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
        if model.vocabulary is not None:
            self.feature_names_in_ = np.array(model.vocabulary, dtype=object)
        return self
