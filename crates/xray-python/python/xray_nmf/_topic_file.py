"""The model file of a `TopicModel`, which is that of the program."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._input import threads
from ._topic_request import topic_parameters_of
from ._types import Floats, Indices
from ._xray_nmf import Model

if TYPE_CHECKING:
    from typing_extensions import Self


class TopicFile(BaseEstimator):
    """The part of `TopicModel` that writes and reads the model file."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file that ``xray transform`` and `load` read.

        Parameters
        ----------
        path : path
            The file, usually called model.npz. It appears complete or not at all.
        """
        check_is_fitted(self)
        callables = [name for name in ("preprocessor", "tokenizer") if getattr(self, name)]
        if callables:
            warnings.warn(
                f"the model file cannot keep {' and '.join(callables)}: set_params after load",
                UserWarning,
                stacklevel=2,
            )
        self._model.save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model that `save` or ``xray topics`` has written.

        Parameters
        ----------
        path : path
            The file, or the folder that the program has written, in one piece or in shards.

        Returns
        -------
        TopicModel
            Fitted; its parameters are those of the fit as far as the file has them.
        """
        model = Model.load(os.fspath(path))
        if model.kind != "topics":
            raise ValueError(f"{path}: a model of a matrix; XRay.load opens it")
        self = cls(**topic_parameters_of(model, cls))
        self._names = None
        self._keep_file(model)
        return self

    def _keep_file(self, model: Model) -> None:
        """Sets what the model file has, and what follows from it."""
        self._keep(model)
        self._lengths: Indices | None = None
        self._coherence: list[tuple[float, float]] | None = None
        self._evidence: list[dict[str, Any]] | None = None
        self._explained: tuple[Floats, float] | None = None
        self._topics = model.topics(self.n_words, bool(self.distinct))
        self.document_topics_ = model.heaviest(self.weights_, threads(self.n_jobs))
