"""A page to look at topics."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from . import _xray_nmf
from ._check import whole
from ._input import threads
from ._progress import progress_if
from ._request import memory_of
from ._topic_request import topics_request


class Report:
    """A page: shown in a notebook as it is, and a file for any browser.

    Attributes
    ----------
    html : str
        The page, which needs nothing else.
    """

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path
            The file, usually ending in .html.
        """
        Path(path).write_text(self.html, encoding="utf-8", newline="")

    def _repr_html_(self) -> str:
        # A frame of its own: the page can neither reach the notebook nor be reached by it.
        return (
            '<iframe sandbox="allow-scripts allow-downloads" title="Topics" width="100%" '
            f'height="760" style="border: 0" srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<page of {len(self.html) / 1e6:.2f} MB; save it, or show it in a notebook>"


class TopicReport(BaseEstimator):
    """The part of `TopicModel` that makes pages."""

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        X: Any = None,
        *,
        vocabulary: Iterable[str] | None = None,
        ids: Iterable[Any] | None = None,
        labels: Iterable[Any] | None = None,
        levels: Iterable[int] | None = None,
        title: str = "Topics",
    ) -> Report:
        """A page with the topics, their words and documents, a map, and a tree of how they split.

        It is the page that ``xray topics`` writes: one file for any browser, without network. The
        topics of other numbers that it shows take another fit.

        Parameters
        ----------
        path : path, optional
            Where to write the page.
        X : documents, optional
            As in `transform`; by default those that `fit` was given, if they are still there. For
            others, and for a model that was edited, the page has this model's topics alone.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `transform`.
        ids : list, optional
            What documents are called; by default their places, from 0.
        labels : list, optional
            Classes of the documents; None or an empty text for none.
        levels : list of int, optional
            Numbers of topics to show beside; by default some that suit.
        title : str, default="Topics"
            What the data is called.

        Returns
        -------
        Report
            In a notebook it is shown as it is.
        """
        check_is_fitted(self)
        given = getattr(self, "_seen", None) if X is None else X
        if given is None:
            raise ValueError("the model has no documents: give them to report(path, X)")
        documents = self._documents(given, vocabulary)
        names = title, listed_as_text(ids), listed_as_text(labels)
        request = {**topics_request(self), "topics": self.n_topics_, "fast": False}
        asked = json.dumps(request), [whole("levels", number, 1) for number in levels or ()]
        machine = threads(self.n_jobs), memory_of(self)
        with progress_if(self.verbose) as progress:
            page = _xray_nmf.topics_page(self._model, documents, asked, names, machine, progress)
        report = Report(page)
        if path is not None:
            report.save(path)
        return report

    def __getstate__(self) -> Any:
        # What fit was given belongs to whoever gave it.
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_seen"}


def listed_as_text(values: Iterable[Any] | None) -> list[str] | None:
    """Names of any kind as texts; what is missing is empty."""
    if values is None:
        return None
    return ["" if value is None or value != value else str(value) for value in values]
