"""From the parameters of a `TopicModel` to the requests of the Rust crates, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from ._check import share, text, whole
from ._request import (
    DEFAULTS,
    NAMES,
    Reader,
    at_least,
    fields,
    frequency,
    optional,
    parameters_of,
    seed_of,
)
from ._xray_nmf import Model

# Columns have a scaling of their own.
TEXT_NAMES = {**NAMES, "normalize": "normalize_documents"}


def topics_request(model: Any) -> dict[str, Any]:
    """What is to be found."""
    readers: dict[str, Reader] = {
        "n_topics": n_topics_of,
        "max_topics": at_least(1),
        "anchor_words": word_lists,
        "exclude": words,
        "anchor_min_df": frequency,
        "refine_steps": optional(at_least(0)),
        "refine_tol": optional(share),
    }
    defaults = DEFAULTS["topics"]
    request = {**fields(model, defaults, readers), "fast": model.n_topics == "fast"}
    params = fields(model, defaults["params"], {"random_state": seed_of})
    return {**request, "params": params}


def text_request(model: Any) -> dict[str, Any]:
    """How texts become numbers."""
    readers: dict[str, Reader] = {
        "keep": words,
        "min_characters": at_least(1),
        "token_pattern": optional(text),
        "stop_words": stop_words_of,
        "phrases": lambda _, learned: "learn" if learned else "none",
        "stemming": optional(language),
        "ngram_range": lengths,
        "min_df": frequency,
        "max_df": frequency,
        "max_features": optional(at_least(1)),
        "normalize_documents": row_scale,
    }
    defaults = DEFAULTS["text"]
    request = fields(model, defaults, {"drop": words})
    return {**request, "text": fields(model, defaults["text"], readers, TEXT_NAMES)}


def n_topics_of(name: str, value: Any) -> int | None:
    """A number of topics, or none to have it suggested."""
    return None if value in ("auto", "fast") else whole(name, value, 1, ', "auto" or "fast"')


def language(name: str, value: Any) -> str:
    """The name of a language, in any case."""
    return text(name, value).lower()


def lengths(name: str, value: Any) -> list[int]:
    """The shortest and the longest run of words."""
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"{name} = {value!r} is not allowed; give two numbers")
    return [whole(name, length, 1) for length in value]


def stop_words_of(name: str, value: Any) -> str | dict[str, list[str]]:
    """The name of a list, or a list; None drops nothing."""
    if isinstance(value, str):
        return language(name, value)
    return "none" if value is None else {"list": words(name, value)}


def row_scale(name: str, value: Any) -> bool | str:
    """What documents are divided by: a name, or whether it is their length."""
    return text(name, value).lower() if isinstance(value, str) else bool(value)


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


def word_lists(name: str, given: Iterable[str | Iterable[str]] | None) -> list[list[str]]:
    """A list of words for each topic that begins with words."""
    if given is None:
        return []
    if isinstance(given, (str, bytes, Iterator)) or not isinstance(given, Iterable):
        raise TypeError(
            f"{name} = {given!r} is not allowed; give a list with one word, or "
            "one list of words, for each topic"
        )
    return [[topic] if isinstance(topic, str) else words(name, topic) for topic in given]


def topic_parameters_of(model: Model, estimator: type) -> dict[str, Any]:
    """The parameters of an estimator that a model file was written with, as far as it says."""
    found = parameters_of(model, estimator)
    found["n_topics"] = len(model.anchors)
    # `refine` tells the steps that were made.
    found["refine_steps"] = json.loads(model.parameters).get("refine_limit")
    if "anchor_words" in found:
        found["anchor_words"] = [split(topic) for topic in found["anchor_words"]]
    return {**found, **text_parameters(json.loads(model.text_options or "{}"))}


def split(topic: str | list[str]) -> list[str]:
    """Words with commas between them, or a list of words."""
    if isinstance(topic, str):
        return [word.strip() for word in topic.split(",") if word.strip()]
    return topic


def text_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters that say how texts become numbers, from `TextOptions` as JSON."""
    if not options:
        return {}
    found = {TEXT_NAMES.get(name, name): value for name, value in options.items()}
    found["ngram_range"] = tuple(found["ngram_range"])
    # Files that do not say it were made of texts as they are.
    found["keep"] = found.get("keep", ["all"]) or None
    del found["smooth_idf"]
    weighted = found.pop("tf_idf")
    found["weighting"] = "tfidf" if weighted else "none"
    if not weighted:
        del found["sublinear_tf"], found["normalize_documents"]
    for name in ("min_df", "max_df"):
        limit = found[name]
        found[name] = None if limit == "automatic" else next(iter(limit.values()))
    found["phrases"] = found.get("phrases", "none") != "none"
    stop_words = found.pop("stop_words")
    if stop_words == "none":
        found["stop_words"] = []
    elif isinstance(stop_words, dict) and "list" in stop_words:
        found["stop_words"] = stop_words["list"]
    elif isinstance(stop_words, dict) and "of_and" in stop_words:
        found["stop_words"], found["drop"] = stop_words["of_and"]
    elif isinstance(stop_words, dict):
        found["drop"] = stop_words["english_and"]
    else:
        found["stop_words"] = stop_words
    return found
