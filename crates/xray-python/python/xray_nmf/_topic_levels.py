"""How topics split as their number grows."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable
from typing import Any

from sklearn.base import BaseEstimator

from . import _xray_nmf
from ._check import whole
from ._documents import documents_of
from ._input import threads
from ._progress import progress_if
from ._request import memory_of
from ._topic_request import text_request, topics_request


class TopicLevels(BaseEstimator):
    """The part of `TopicModel` that looks at several numbers of topics."""

    def levels(
        self, X: Any, n_topics: Iterable[int], *, vocabulary: Iterable[str] | None = None
    ) -> list[dict[str, Any]]:
        """The topics of several numbers, and how documents go from one level to the next.

        Each level has the topics that `fit` finds with this number of them and the other parameters
        of this model, which need not be fitted and does not change.

        Parameters
        ----------
        X : documents
            As in `fit`.
        n_topics : list of int
            The numbers of topics. Levels come in ascending order, each once, and end where the
            documents have no more topics.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `fit`.

        Returns
        -------
        list of dict
            For each level its number of topics (``rank``); its ``topics``, each with its number
            (``topic``, from 0), ``name``, ``words``, number of ``documents`` in which it is the
            heaviest, the topic of the level before that most of these were in (``parent``) and
            how many (``from_parent``); and its ``flows``: how many ``documents`` come ``from``
            each topic of the level before ``to`` each of this one, None for no topic.
        """
        numbers = [whole("n_topics", number, 1) for number in listed(n_topics)]
        # The levels say how many topics there are to be.
        request = {**topics_request(self), "topics": max(numbers), "fast": False}
        asked = json.dumps(request), json.dumps(text_request(self))
        machine = threads(self.n_jobs), memory_of(self)
        documents = documents_of(self, X, vocabulary).documents
        with progress_if(self.verbose) as progress:
            found, said = _xray_nmf.topic_levels(documents, numbers, *asked, machine, progress)
        for words in said:
            warnings.warn(words, UserWarning, stacklevel=2)
        return [from_zero(level) for level in json.loads(found)]


def listed(n_topics: Any) -> list[Any]:
    """Numbers of topics, at least one."""
    if isinstance(n_topics, (str, bytes)) or not isinstance(n_topics, Iterable):
        raise TypeError(f"n_topics = {n_topics!r} is not allowed; give a list of whole numbers")
    numbers = list(n_topics)
    if not numbers:
        raise ValueError("n_topics = [] is not allowed; give a number of topics for each level")
    return numbers


def from_zero(level: dict[str, Any]) -> dict[str, Any]:
    """A level with topics numbered from 0; Rust numbers them from 1."""
    for topic in level["topics"]:
        topic["topic"] -= 1
        topic["parent"] = before(topic["parent"])
    for flow in level["flows"]:
        flow["from"], flow["to"] = before(flow["from"]), before(flow["to"])
    return level


def before(number: int | None) -> int | None:
    """A number from 0 of one from 1."""
    return None if number is None else number - 1
