"""From an estimator's parameters to the requests of the Rust crates, and back from a model file.

Rust tells which fields a request has, with their defaults: a field takes the parameter of its name,
or keeps its default where an estimator has none. Rust also checks ranges and names of methods. Here
is checked what it does not get to see: types, names of features, and choices that only Python has.
"""

from __future__ import annotations

import inspect
import json
import numbers
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from sklearn.utils import check_array, check_random_state

from . import _xray_nmf
from ._check import real, share, text, whole
from ._types import Floats
from ._xray_nmf import Model

DEFAULTS: dict[str, dict[str, Any]] = json.loads(_xray_nmf.defaults())

# The parameters of estimators that requests and model files call otherwise.
NAMES = {
    "anchor": "anchor_words",
    "ngrams": "ngram_range",
    "refine": "refine_steps",
    "refine_method": "refinement",
    "refine_tolerance": "refine_tol",
    "seed": "random_state",
    "tolerance": "tol",
    "topics": "n_topics",
    "words": "n_words",
}

Reader: TypeAlias = Callable[[str, Any], Any]


def fields(
    model: Any,
    defaults: Mapping[str, Any],
    readers: Mapping[str, Reader],
    names: Mapping[str, str] = NAMES,
) -> dict[str, Any]:
    """What an estimator says of the fields of a request; `readers` take what is no plain value."""
    parameters = model.get_params(deep=False)
    said = {}
    for field, default in defaults.items():
        name = names.get(field, field)
        if name in parameters:
            read = readers.get(name) or reader_of(default)
            said[field] = read(name, parameters[name])
    return said


def reader_of(default: Any) -> Reader:
    """Takes what has the type of the default; None stands for the choice "none"."""
    if isinstance(default, bool):
        return lambda name, value: bool(value)
    if isinstance(default, int):
        return at_least(0)
    if isinstance(default, float):
        return real
    return optional(text, default) if default in (None, "none") else text


def at_least(least: int) -> Reader:
    """Takes whole numbers from there on."""
    return lambda name, value: whole(name, value, least)


def optional(read: Reader, default: Any = None) -> Reader:
    """Takes None, too."""
    return lambda name, value: default if value is None else read(name, value)


def frequency(name: str, value: Any) -> str | dict[str, int | float]:
    """A number of documents, or a share of them."""
    if value is None:
        return "automatic"
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return {"count": whole(name, value, 0)}
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return {"share": real(name, value)}
    raise TypeError(f"{name} = {value!r} is not allowed; give a whole number, a share or None")


def factorize_request(model: Any, X: Any) -> dict[str, Any]:
    """What an `XRay` asks for, of this data, but for the rank."""
    n = X.shape[1 if model.axis == "features" else 0]
    names = getattr(model, "feature_names_in_", None) if model.axis == "features" else None

    def listed(name: str, value: Any) -> list[int]:
        return places(name, value, n, names)

    lists: dict[str, Reader] = {"fixed": listed, "excluded": listed}
    readers = {**lists, "candidates": optional(listed), "random_state": seed_of}
    readers["selection"] = lambda name, value: suited_rule(model, text(name, value))
    defaults = DEFAULTS["factorize"]
    request = fields(model, defaults, {"refine_tol": share})
    params = fields(model, defaults["params"], readers)
    frequent = frequent_of(model, X)
    if frequent is not None:
        listed_only = params["candidates"]
        among = frequent if listed_only is None else set(frequent) & set(listed_only)
        params["candidates"] = sorted(among)
    return {**request, "params": params}


def suited_rule(model: Any, asked: str) -> str:
    """The rule that "auto" stands for: features that stand for the others need not be extreme."""
    if asked != "auto":
        return asked
    default: str = DEFAULTS["factorize"]["params"]["selection"]
    return "greedy" if model.output == "anchors" else default


def frequent_of(model: Any, X: Any) -> list[int] | None:
    """The columns (rows) that `anchor_min_df` allows; None for all."""
    if model.anchor_min_df is None:
        return None
    asked = frequency("anchor_min_df", model.anchor_min_df)
    across = 0 if model.axis == "features" else 1
    counts = np.asarray((X != 0).sum(axis=across)).ravel()
    return _xray_nmf.frequent(counts.tolist(), X.shape[across], json.dumps(asked))


def memory_of(model: Any) -> int | None:
    """Bytes for cached products."""
    memory: int | None = optional(at_least(0))("max_cache_bytes", model.max_cache_bytes)
    return memory


def parameters_of(model: Model, estimator: type) -> dict[str, Any]:
    """The parameters of an estimator that a model file was written with, as far as it says."""
    said = {NAMES.get(name, name): value for name, value in json.loads(model.parameters).items()}
    known = inspect.signature(estimator).parameters
    return {name: said[name] for name in said if name in known and said[name] not in ("none", [])}


def check_choices(model: Any) -> None:
    """Refuses choices that the engine does not look at."""
    one_of(model, "axis", ("features", "samples"))
    one_of(model, "init", ("xray", "custom"))
    for name, least in {"refine_steps": 0, "path_length": 1, "n_components": 1}.items():
        value = getattr(model, name)
        if name == "path_length" and value is None:
            continue
        if name == "n_components" and value in ("auto", "fast"):
            continue
        whole(name, value, least, ', "auto" or "fast"' if name == "n_components" else "")
    check_output(model)


def check_output(model: Any) -> None:
    """Refuses what `transform` cannot return."""
    one_of(model, "output", ("weights", "anchors"))
    if model.output == "anchors" and model.init == "custom":
        raise ValueError(
            'output = "anchors" is not allowed with init = "custom"; it has no anchors'
        )
    if model.output == "anchors" and (model.axis == "samples" or model.refine_steps):
        raise ValueError(
            'output = "anchors" is not allowed with axis = "samples" or refine_steps; '
            "it returns columns of X as they are"
        )


def one_of(model: Any, name: str, allowed: tuple[str, ...]) -> None:
    """Refuses other choices."""
    value = getattr(model, name)
    if value not in allowed:
        raise ValueError(f"{name} = {value!r} is not allowed; use {' or '.join(allowed)}")


def places(parameter: str, given: Any, n: int, names: Any) -> list[int]:
    """A list of numbers or names, or a mask, as numbers of columns (rows)."""
    if given is None:
        return []
    if isinstance(given, (str, set, frozenset)):
        raise TypeError(f"{parameter} = {given!r} is not allowed; give a list")
    listed = np.asarray(given)
    if listed.ndim != 1:
        raise ValueError(f"{parameter} has {listed.ndim} axes; give a list")
    if listed.dtype == bool:
        if len(listed) != n:
            raise ValueError(f"{parameter} is a mask of length {len(listed)}; expected {n}")
        return np.flatnonzero(listed).tolist()
    if listed.dtype.kind in "UOT":
        return named_places(parameter, list(given), names)
    if listed.size and listed.dtype.kind not in "iu":
        kind = listed.dtype
        raise TypeError(f"{parameter} has entries of type {kind}; give whole numbers or names")
    if listed.size and listed.min() < 0:
        raise ValueError(f"{parameter} lists {listed.min()}; numbers start at 0")
    return [int(j) for j in listed]


def named_places(parameter: str, listed: list[Any], names: Any) -> list[int]:
    """Names of features as numbers."""
    if names is None:
        raise ValueError(f"{parameter} lists names, but there are no names: give whole numbers")
    known = {feature: j for j, feature in enumerate(names)}
    unknown = [entry for entry in listed if entry not in known]
    if unknown:
        raise ValueError(f"{parameter} lists {unknown[0]!r}, which is not the name of a feature")
    return [known[entry] for entry in listed]


def weights_of(given: Any) -> Floats | None:
    """The vector p."""
    if given is None:
        return None
    vector = check_array(given, ensure_2d=False, dtype=np.float64, input_name="weights")
    return np.ascontiguousarray(vector.ravel())


def seed_of(name: str, random_state: Any) -> int:
    """An int is the engine's seed itself; anything else draws one."""
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return whole(name, random_state, 0)
    return int(check_random_state(random_state).randint(2**31))
