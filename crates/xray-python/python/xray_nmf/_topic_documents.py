"""What a `TopicModel` tells of its documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _xray_nmf
from ._check import whole
from ._documents import column_of
from ._request import DEFAULTS
from ._topic_table import shares_of, table
from ._types import Flags, Floats, Indices


class TopicDocuments(BaseEstimator):
    """The part of `TopicModel` that looks at its documents."""

    @property
    def document_shares_(self) -> Floats:
        """The topics' shares in each document."""
        check_is_fitted(self)
        return shares_of(self.weights_)

    @property
    def explained_(self) -> Floats:
        """The part of each document that the topics explain."""
        return self._explanation()[0]

    @property
    def unexplained_(self) -> Flags:
        """Whether each document is about something else than the topics."""
        parts, least = self._explanation()
        topics: Indices = self.document_topics_
        return (parts < least) | (topics < 0)

    def _explanation(self) -> tuple[Floats, float]:
        check_is_fitted(self)
        if self._explained is None:
            raise AttributeError(f"{UNKNOWN} what topics explain of documents: fit the model again")
        found: tuple[Floats, float] = self._explained
        return found

    def best_documents(self, topic: int, n: int = 5, *, documents: Any = None) -> Any:
        """The documents in which a topic is heaviest, without near copies.

        Parameters
        ----------
        topic : int
            Its number, from 0.
        n : int, default=5
            The most documents to tell; a fit keeps 5 for each topic.
        documents : sequence, optional
            The documents of `fit`, to tell those as well: the model does not keep them.

        Returns
        -------
        DataFrame, or list of dict without pandas
            Heaviest first: ``row`` (from 0), ``id``, the topic's ``weight`` and ``share`` in it,
            and with `documents` its ``text``.
        """
        check_is_fitted(self)
        if self._evidence is None:
            raise ValueError(f"{UNKNOWN} the best documents of topics: fit the model again")
        whole("n", n, 1)
        if n > KEPT:
            raise ValueError(
                f"n = {n} is not allowed; a fit keeps {KEPT} documents for each topic. "
                "np.argsort(-model.weights_[:, topic]) has all, with near copies"
            )
        place = self._topic("topic", topic)
        rows = [dict(row) for row in self._evidence[place]["best_documents"][:n]]
        return table(*with_texts(rows, ["row", "id", "weight", "share"], self, documents))

    def nearest_documents(self, document: int, n: int = 5, *, documents: Any = None) -> Any:
        """The documents whose topics are most like those of one document.

        Parameters
        ----------
        document : int
            Its row, from 0.
        n : int, default=5
            The most documents to tell.
        documents : sequence, optional
            The documents of `fit`, to tell those as well: the model does not keep them.

        Returns
        -------
        DataFrame, or list of dict without pandas
            Nearest first, of equals the first: ``row`` (from 0), the cosine of the two rows of
            `weights_` (``similarity``), and with `documents` its ``text``. Documents without any
            topic in common are left out.
        """
        check_is_fitted(self)
        whole("n", n, 1)
        weights, place = self.weights_, whole("document", document, 0)
        if place >= len(weights):
            raise ValueError(
                f"there is no document {place}; the model has the weights of {len(weights)}"
            )
        nearest = _xray_nmf.nearest(weights, place, n)
        rows = [{"row": row, "similarity": similarity} for row, similarity in nearest]
        return table(*with_texts(rows, ["row", "similarity"], self, documents))

    def _topic(self, name: str, topic: Any) -> int:
        """The number of a topic that is there."""
        number = whole(name, topic, 0)
        if number >= self.n_topics_:
            raise ValueError(
                f"{name} = {number}: there is no such topic; the model has 0 to "
                f"{self.n_topics_ - 1}"
            )
        return number


UNKNOWN = "the model file does not keep"

# Documents that a fit keeps for each topic.
KEPT = int(DEFAULTS["evidence"]["best_documents"])


def with_texts(
    rows: list[dict[str, Any]], columns: list[str], model: Any, documents: Any
) -> tuple[list[dict[str, Any]], list[str]]:
    """Rows with their documents, if these are given."""
    if documents is None:
        return rows, columns
    given = column_of(documents, model.text_column)
    listed: Sequence[Any] = given if isinstance(given, Sequence) else list(given)
    n = len(model.weights_)
    if len(listed) != n:
        raise ValueError(f"there are {len(listed)} documents; the model was fitted to {n}")
    return [{**row, "text": listed[row["row"]]} for row in rows], [*columns, "text"]
