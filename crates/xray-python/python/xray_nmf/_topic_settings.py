"""From the parameters of a `TopicModel` to those of the Rust crates, and back from a model file."""

from __future__ import annotations

import json
import numbers
from collections.abc import Iterable, Iterator
from typing import Any, TypedDict

from ._check import text, whole
from ._settings import Settings, common_settings
from ._xray_nmf import Model


class TextSettings(TypedDict):
    """How texts become numbers: `xray_data::text::TextOptions`."""

    weighting: str | None
    lowercase: bool
    min_characters: int
    stop_words: str | list[str] | None
    drop: list[str]
    stemming: str | None
    ngram_range: tuple[int, int]
    min_df: int | float | None
    max_df: int | float | None
    max_features: int | None
    sublinear_tf: bool
    normalize_documents: bool


class TopicSettings(TypedDict):
    """What is done with them: `xray_pipeline::TopicOptions`."""

    n_topics: int | None
    max_topics: int
    anchor_words: list[list[str]]
    exclude: list[str]
    refine_steps: int | None
    refinement: str
    n_words: int
    distinct: bool
    text: TextSettings
    params: Settings


def topic_settings(model: Any) -> TopicSettings:
    """The parameters of an estimator, checked for what Rust does not get to see."""
    n_topics = None
    if model.n_topics != "auto":
        n_topics = whole("n_topics", model.n_topics, 1, ' or "auto"')
    steps = model.refine_steps
    return {
        "n_topics": n_topics,
        "max_topics": whole("max_topics", model.max_topics, 1),
        "anchor_words": word_lists(model.anchor_words),
        "exclude": words("exclude", model.exclude),
        "refine_steps": None if steps is None else whole("refine_steps", steps, 0),
        "refinement": text("refinement", model.refinement),
        "n_words": whole("n_words", model.n_words, 0),
        "distinct": bool(model.distinct),
        "text": text_settings(model),
        "params": common_settings(model),
    }


def text_settings(model: Any) -> TextSettings:
    """How texts become numbers."""
    stop_words = model.stop_words
    if stop_words is not None and not isinstance(stop_words, str):
        stop_words = words("stop_words", stop_words)
    if not isinstance(model.ngram_range, (tuple, list)) or len(model.ngram_range) != 2:
        raise TypeError(f"ngram_range = {model.ngram_range!r} is not allowed; give two numbers")
    shortest, longest = model.ngram_range
    most = model.max_features
    return {
        "weighting": None if model.weighting is None else text("weighting", model.weighting),
        "lowercase": bool(model.lowercase),
        "min_characters": whole("min_characters", model.min_characters, 1),
        "stop_words": stop_words,
        "drop": words("drop", model.drop),
        "stemming": None if model.stemming is None else text("stemming", model.stemming),
        "ngram_range": (whole("ngram_range", shortest, 1), whole("ngram_range", longest, 1)),
        "min_df": frequency("min_df", model.min_df),
        "max_df": frequency("max_df", model.max_df),
        "max_features": None if most is None else whole("max_features", most, 1),
        "sublinear_tf": bool(model.sublinear_tf),
        "normalize_documents": bool(model.normalize_documents),
    }


def frequency(name: str, value: Any) -> int | float | None:
    """A number of documents, or a share of them."""
    if value is None:
        return None
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    raise TypeError(f"{name} = {value!r} is not allowed; give a whole number, a share or None")


def words(name: str, given: Iterable[str] | None) -> list[str]:
    """A list of words; a set is put in order."""
    if given is None:
        return []
    if isinstance(given, (str, bytes, Iterator)) or not isinstance(given, Iterable):
        raise TypeError(f"{name} = {given!r} is not allowed; give a list of words")
    listed = sorted(given) if isinstance(given, (set, frozenset)) else list(given)
    for word in listed:
        if not isinstance(word, str):
            raise TypeError(f"{name} lists {word!r}, which is no word")
    return listed


def word_lists(given: Iterable[str | Iterable[str]] | None) -> list[list[str]]:
    """A list of words for each topic that begins with words."""
    if given is None:
        return []
    if isinstance(given, (str, bytes, Iterator)) or not isinstance(given, Iterable):
        raise TypeError(
            f"anchor_words = {given!r} is not allowed; give a list with one word, or "
            "one list of words, for each topic"
        )
    return [[topic] if isinstance(topic, str) else words("anchor_words", topic) for topic in given]


def parameters_of(model: Model) -> dict[str, Any]:
    """The parameters of an estimator that a model file was written with, as far as it says."""
    said: dict[str, Any] = json.loads(model.parameters)
    found: dict[str, Any] = {
        "n_topics": said.get("rank"),
        "selection": said.get("selection"),
        "mean_ray": said.get("mean_ray"),
        "refine_steps": said.get("refine"),
        "random_state": said.get("seed"),
        "anchor_words": [split(topic) for topic in said.get("anchor", [])] or None,
        "exclude": said.get("exclude") or None,
    }
    normalize = said.get("normalize", "none")
    found["normalize"] = None if normalize == "none" else normalize
    options = json.loads(model.text_options or "{}")
    found.update(text_parameters(options))
    return {name: value for name, value in found.items() if value is not None}


def split(topic: str | list[str]) -> list[str]:
    """Words with commas between them, or a list of words."""
    if isinstance(topic, str):
        return [word.strip() for word in topic.split(",") if word.strip()]
    return topic


def text_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters that say how texts become numbers, from `TextOptions` as JSON."""
    if not options:
        return {}
    found = {name: options[name] for name in ("lowercase", "min_characters", "max_features")}
    found["stemming"] = options["stemming"]
    found["ngram_range"] = tuple(options["ngrams"])
    found["weighting"] = "tfidf" if options["tf_idf"] else "none"
    if options["tf_idf"]:
        found["sublinear_tf"] = options["sublinear_tf"]
        found["normalize_documents"] = options["normalize"]
    for name in ("min_df", "max_df"):
        limit = options[name]
        found[name] = None if limit == "automatic" else next(iter(limit.values()))
    stop_words = options["stop_words"]
    if stop_words == "none":
        found["stop_words"] = []
    elif isinstance(stop_words, dict) and "list" in stop_words:
        found["stop_words"] = stop_words["list"]
    elif isinstance(stop_words, dict):
        found["drop"] = stop_words["english_and"]
    return found
