"""Topics of a `TopicModel` changed by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from . import _xray_nmf
from ._check import text
from ._input import threads
from ._xray_nmf import Model

if TYPE_CHECKING:
    from typing_extensions import Self


class TopicEdit(BaseEstimator):
    """The part of `TopicModel` that changes topics."""

    def edit(
        self,
        *,
        merge: Iterable[Iterable[int]] = (),
        split: Iterable[int] = (),
        drop: Iterable[int] = (),
        rename: Mapping[int, str] | None = None,
        move_words: Mapping[str, int] | None = None,
        documents: Any = None,
        vocabulary: Iterable[str] | None = None,
    ) -> Self:
        """A model with topics changed by hand; this one stays as it is.

        All numbers are those of this model, from 0 (``xray edit``, which does the same to the same
        bits, counts from 1). Words are moved first, then topics are renamed, split, merged and
        dropped; those that are left are numbered anew in the same order.

        Parameters
        ----------
        merge : list of lists of int
            Topics that become one, in the place of the first.
        split : list of int
            Topics that become two, which takes `documents`.
        drop : list of int
            Topics that go.
        rename : dict of int to str, optional
            Names of topics.
        move_words : dict of str to int, optional
            Words that go from all other topics to one.
        documents : documents, optional
            As in `transform`, usually those of `fit`: their weights and clusters are found anew.
            Without, the new model has none, unless only names change.
        vocabulary : list of str, or dict of a scikit-learn vectorizer, optional
            As in `transform`.

        Returns
        -------
        TopicModel
            Fitted, as after `load`; `edits_` has the history.
        """
        check_is_fitted(self)
        edits: dict[str, list[Any]] = {
            "move_words": self._moves(move_words or {}),
            "rename": self._names_of(rename or {}),
            "split": self._topics_of("split", split),
            "merge": [self._topics_of("merge", topics) for topics in list_of("merge", merge)],
            "drop": self._topics_of("drop", drop),
        }
        if not any(edits.values()):
            raise ValueError("nothing to do: give merge, split, drop, rename or move_words")
        refuse_twice([*edits["split"], *chain(*edits["merge"]), *edits["drop"]])
        if edits["split"] and documents is None:
            raise ValueError("to split a topic takes its documents: give documents=")
        given = None if documents is None else self._documents(documents, vocabulary)
        asked = self._model, json.dumps(edits), given, threads(self.n_jobs)
        return self._with_topics(_xray_nmf.edit_topics(*asked))

    def _with_topics(self, edited: Model) -> Self:
        """An estimator with the parameters of this one, and another model."""
        new: Self = clone(self)
        new.set_params(n_topics=len(edited.anchors))
        if not json.loads(edited.parameters).get("anchor"):
            # Topics that began with words are others now.
            new.set_params(anchor_words=None)
        new._names = self._names
        if hasattr(self, "n_features_in_"):
            new.n_features_in_ = self.n_features_in_
        new._keep_file(edited)
        return new

    @property
    def edits_(self) -> list[str]:
        """All changes since the fit, as the program tells them: topics are numbered from 1."""
        check_is_fitted(self)
        history: list[str] = json.loads(self._model.parameters).get("edits", [])
        return history

    def _moves(self, words: Mapping[str, int]) -> list[Any]:
        told = (f"move_words[{word!r}]" for word in words)
        topics = (self._from_one(*pair) for pair in zip(told, words.values(), strict=True))
        return list(zip(words, topics, strict=True))

    def _names_of(self, names: Mapping[int, str]) -> list[Any]:
        told = (text(f"rename[{topic!r}]", name) for topic, name in names.items())
        return list(zip(self._topics_of("rename", names), told, strict=True))

    def _topics_of(self, name: str, topics: Any) -> list[int]:
        return [self._from_one(name, topic) for topic in list_of(name, topics)]

    def _from_one(self, name: str, topic: Any) -> int:
        """The number that Rust has for a topic."""
        number: int = self._topic(name, topic)
        return number + 1


def list_of(name: str, given: Any) -> list[Any]:
    """A list, as it was given."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} = {given!r} is not allowed; give a list of topics")
    return list(given)


def refuse_twice(topics: list[int]) -> None:
    """Topics, numbered from 1, can be split, merged or dropped once."""
    for place, topic in enumerate(topics):
        if topic in topics[:place]:
            raise ValueError(
                f"topic {topic - 1} is split, merged or dropped twice: edit the result once more"
            )
