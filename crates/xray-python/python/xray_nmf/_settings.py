"""From an estimator's parameters to the engine's; what is wrong with them is said here or there.

The engine checks ranges and names of methods. Here is checked what it does not get to see: types,
names of features, and choices that only Python has.
"""

from __future__ import annotations

import numbers
from typing import Any, TypedDict

import numpy as np
from sklearn.utils import check_array, check_random_state

from ._check import real, text, whole
from ._input import threads


class Settings(TypedDict):
    """What the engine takes: `xray_nmf::Params`."""

    rank: int
    selection: str
    engine: str
    solver: str
    normalize: str | None
    mean_ray: bool
    allow_negative: bool
    tolerance: float
    min_improvement: float
    weights: list[float] | None
    fixed: list[int]
    excluded: list[int]
    candidates: list[int] | None
    seed: int
    threads: int
    memory: int | None


def check_choices(model: Any) -> None:
    """Refuses choices that the engine does not look at."""
    choices = {"axis": ("features", "samples"), "output": ("weights", "anchors")}
    for name, allowed in choices.items():
        value = getattr(model, name)
        if value not in allowed:
            raise ValueError(f"{name} = {value!r} is not allowed; use {' or '.join(allowed)}")
    for name, least in {"refine_steps": 0, "path_length": 1, "n_components": 1}.items():
        value = getattr(model, name)
        if (name, value) in (("path_length", None), ("n_components", "auto")):
            continue
        whole(name, value, least, ' or "auto"' if name == "n_components" else "")
    if model.output == "anchors" and (model.axis == "samples" or model.refine_steps):
        raise ValueError(
            'output = "anchors" is not allowed with axis = "samples" or refine_steps; '
            "it returns columns of X as they are"
        )


def settings_of(model: Any, shape: tuple[int, int]) -> Settings:
    """The engine's parameters for data of this shape, but for the rank."""
    n = shape[1 if model.axis == "features" else 0]
    names = getattr(model, "feature_names_in_", None) if model.axis == "features" else None
    fixed, excluded, candidates = (
        places(name, getattr(model, name), n, names) for name in ("fixed", "excluded", "candidates")
    )
    return {
        **common_settings(model),
        "allow_negative": bool(model.allow_negative),
        "weights": weights_of(model.weights),
        "fixed": fixed or [],
        "excluded": excluded or [],
        "candidates": candidates,
    }


def common_settings(model: Any) -> Settings:
    """The parameters that all estimators have, and nothing else."""
    memory = model.max_cache_bytes
    return {
        "rank": 0,
        "selection": text("selection", model.selection),
        "engine": text("engine", model.engine),
        "solver": text("solver", model.solver),
        "normalize": None if model.normalize is None else text("normalize", model.normalize),
        "mean_ray": bool(model.mean_ray),
        "allow_negative": False,
        "tolerance": real("tol", model.tol),
        "min_improvement": real("min_improvement", model.min_improvement),
        "weights": None,
        "fixed": [],
        "excluded": [],
        "candidates": None,
        "seed": seed_of(model.random_state),
        "threads": threads(model.n_jobs),
        "memory": None if memory is None else whole("max_cache_bytes", memory, 0),
    }


def places(parameter: str, given: Any, n: int, names: Any) -> list[int] | None:
    """A list of numbers or names, or a mask, as numbers of columns (rows)."""
    if given is None:
        return None
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


def weights_of(given: Any) -> list[float] | None:
    """The vector p."""
    if given is None:
        return None
    vector = check_array(given, ensure_2d=False, dtype=np.float64, input_name="weights")
    listed: list[float] = vector.ravel().tolist()
    return listed


def seed_of(random_state: Any) -> int:
    """An int is the engine's seed itself; anything else draws one."""
    if isinstance(random_state, numbers.Integral) and int(random_state) >= 0:
        return whole("random_state", random_state, 0)
    return int(check_random_state(random_state).randint(2**31))
