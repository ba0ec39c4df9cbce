"""How topics are spread over groups of documents: classes, or periods of time."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _xray_nmf
from ._check import text
from ._input import threads
from ._topic_table import as_frame
from ._words import described

Period = Literal["day", "week", "month", "year"]


class TopicGroups(BaseEstimator):
    """The part of `TopicModel` that looks at groups of documents."""

    def shares_by(
        self, groups: Any, X: Any = None, *, vocabulary: Iterable[str] | None = None
    ) -> Any:
        """The mean shares of topics in each group of documents.

        Parameters
        ----------
        groups : sequence
            The group of each document: any label, which is told as ``str(label)``. None, NaN and ""
            stand for no group.
        X : documents, optional
            As in `transform`; by default those that `fit` was given.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `transform`.

        Returns
        -------
        DataFrame, or list of dict without pandas
            A row for each ``group``, in the order of their names: its number of ``documents``, and
            the shares "topic0", "topic1" and so on.
        """
        names = [group_name(label) for label in list_of("groups", groups)]
        return self._shares("group", names, X, vocabulary)

    def shares_over_time(
        self,
        times: Any,
        period: Period | None = None,
        X: Any = None,
        *,
        vocabulary: Iterable[str] | None = None,
    ) -> Any:
        """The mean shares of topics in each period of time.

        Parameters
        ----------
        times : sequence
            When each document was written: dates, datetimes, datetime64, timestamps and periods of
            pandas, or texts such as 2024-03-05, 5 March 2024, 3/5/2024 and 2024. What has no date
            that can be read is in no period, with a warning. In texts such as 3/5/2024 the day
            comes first if it must in any of them (25/2/2024); if none tells, there is a warning.
        period : {"day", "week", "month", "year"}, optional
            How long periods are; by default what gives some tens of them, and is not shorter than
            what times tell: years are not cut into months.
        X : documents, optional
            As in `transform`; by default those that `fit` was given.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `transform`.

        Returns
        -------
        DataFrame, or list of dict without pandas
            A row for each ``period`` that has documents, in the order of time: its number of
            ``documents``, and the shares "topic0", "topic1" and so on. Weeks are called by their
            Monday.
        """
        texts = [time_text(time) for time in list_of("times", times)]
        asked = None if period is None else text("period", period)
        named, doubt = _xray_nmf.periods(texts, asked)
        unknown = named.count("")
        if texts and unknown == len(texts):
            raise ValueError(
                f"no document has a date that can be read (such as {texts[0]!r}); dates look like "
                "2024-03-05, 5 March 2024, 3/5/2024 or 2024"
            )
        if unknown:
            warnings.warn(
                f"{unknown} documents have no date that can be read", UserWarning, stacklevel=2
            )
        if doubt is not None:
            warnings.warn(doubt, UserWarning, stacklevel=2)
        return self._shares("period", named, X, vocabulary)

    def _shares(self, kind: str, names: list[str], X: Any, vocabulary: Iterable[str] | None) -> Any:
        check_is_fitted(self)
        weights = self.weights_
        if X is not None:
            weights = self._model.weigh(self._documents(X, vocabulary), threads(self.n_jobs))
        elif not len(weights):
            raise ValueError("the model has no weights of documents: give X, the documents")
        if len(names) != len(weights):
            raise ValueError(f"a {kind} is given for {len(names)} of {len(weights)} documents")
        topics = self.get_feature_names_out().tolist()
        rows = [
            {kind: name, "documents": n, **dict(zip(topics, shares, strict=True))}
            for name, n, shares in zip(*_xray_nmf.group_shares(weights, names), strict=True)
        ]
        frame = as_frame(rows, [kind, "documents", *topics])
        return rows if frame is None else frame.set_index(kind)


def list_of(name: str, given: Any) -> list[Any]:
    """What is given for each document."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} are {described(given)}; give a list with one for each document")
    return list(given)


def is_missing(value: Any) -> bool:
    """Whether there is no value: None, NaN, or what pandas and NumPy have in their place."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)


def group_name(label: Any) -> str:
    """What a group is called; nothing for none."""
    return "" if is_missing(label) else str(label)


def time_text(time: Any) -> str:
    """A time as the reader of dates takes it; nothing for none."""
    if is_missing(time):
        return ""
    if isinstance(time, datetime.date):
        # Of a datetime or a timestamp, too, the day: where it was written, as in a text.
        return f"{time.year:04}-{time.month:02}-{time.day:02}"
    if isinstance(time, np.datetime64):
        # One of a year or a month tells no more than that.
        is_coarse = np.datetime_data(time)[0] in ("Y", "M")
        return str(time if is_coarse else time.astype("datetime64[D]"))
    return str(time)
