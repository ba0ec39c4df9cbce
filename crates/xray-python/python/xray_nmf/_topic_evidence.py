"""How good the topics of a model are: coherence, and a picture to explore."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._input import threads
from ._topic_table import Coherence, distributions


class TopicEvidence(BaseEstimator):
    """The part of `TopicModel` that looks at its topics."""

    def coherence(self, X: Any = None, *, vocabulary: Iterable[str] | None = None) -> Coherence:
        """How well the top words of each topic go together.

        Parameters
        ----------
        X : documents, optional
            As in `transform`; by default those that `fit` was given. After `load` they are needed.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `transform`.

        Returns
        -------
        Coherence
            ``npmi`` and ``umass``, one number for each topic.
        """
        check_is_fitted(self)
        if X is None:
            scores = self._coherence
        else:
            lists = [words for _, words, *_ in self._topics]
            documents = self._documents(X, vocabulary)
            scores, _ = self._model.coherence(documents, lists, threads(self.n_jobs))
        if scores is None:
            raise ValueError("the model file has no documents: give them to coherence()")
        pairs = np.array(scores, dtype=np.float64).reshape(-1, 2)
        return Coherence(pairs[:, 0], pairs[:, 1])

    def to_pyldavis(
        self, X: Any = None, *, vocabulary: Iterable[str] | None = None
    ) -> dict[str, Any]:
        """What ``pyLDAvis.prepare(**model.to_pyldavis())`` takes: distributions that sum to 1.

        The length of a document is the number of its different words, and the frequency of a word
        the number of its documents.

        Parameters
        ----------
        X : documents, optional
            As in `transform`; by default those that `fit` was given. After `load` they are needed.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `transform`.

        Returns
        -------
        dict
            ``topic_term_dists``, ``doc_topic_dists``, ``doc_lengths``, ``vocab`` and
            ``term_frequency``. A document without known words, and a topic without words, has
            the uniform distribution.
        """
        check_is_fitted(self)
        weights, lengths = self.weights_, self._lengths
        if X is not None:
            documents = self._documents(X, vocabulary)
            weights = self._model.weigh(documents, threads(self.n_jobs))
            lengths = np.array(self._model.coherence(documents, [], threads(self.n_jobs))[1])
        if lengths is None:
            raise ValueError("the model file has no documents: give them to to_pyldavis()")
        return {
            "topic_term_dists": distributions(self.components_),
            # Topics that sum to 1 take their sums to the documents' side: W H is the same.
            "doc_topic_dists": distributions(weights * self.components_.sum(axis=1)),
            "doc_lengths": lengths,
            "vocab": self.vocabulary_,
            "term_frequency": self._model.document_frequencies,
        }
