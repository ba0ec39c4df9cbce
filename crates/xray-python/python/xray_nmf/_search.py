"""The anchors of an `XRay`: how many, which, and the path that they are taken from."""

from __future__ import annotations

import json
import warnings
from typing import Any, NamedTuple

from . import _xray_nmf
from ._input import threads
from ._paths import STORE, Path, key_of
from ._progress import progress_if
from ._request import DEFAULTS, memory_of
from ._types import Floats, Indices
from ._xray_nmf import Factorization, Matrix

# Numbers of anchors that are suggested, instead of given.
SUGGESTED = ("auto", "fast")

# The most anchors that a suggestion considers, unless path_length says.
MOST = int(DEFAULTS["topics"]["max_topics"])


class Found(NamedTuple):
    """The factorization to keep, the path it was taken from, and why it has so many anchors."""

    factorization: Factorization
    path: Path
    suggestion: dict[str, Any] | None


def find(model: Any, X: Any, matrix: Matrix, request: dict[str, Any], p: Floats | None) -> Found:
    """The anchors of X, which the engine has as `matrix`; `p` is the vector of the rules."""
    asked = model.n_components
    suggested = asked in SUGGESTED
    least = 1 if suggested else int(asked)
    # The anchors of a robust fit depend on how many are sought: no path has those of fewer.
    path_length = None if model.robust and not suggested else model.path_length
    length = max(path_length, least) if path_length else MOST if suggested else least
    longest = {**request["params"], "rank": length}
    studied = study(model, matrix, {**request, "params": longest}, p) if asked == "auto" else None
    key = path = found = None
    if model.path_length:
        settings = json.dumps({**longest, "engine": ""}, sort_keys=True)
        key = key_of(X, model.axis, settings, None if p is None else p.tobytes())
        path = STORE.get(key)
    if path is None:
        found = run(model, matrix, longest, p)
        path = Path(found.anchors, found.residuals, found.termination, found.suggestion)
        if key is not None:
            STORE.put(key, path)
    why = json.loads(studied or path.suggestion) if suggested else None
    rank = min(int(asked) if why is None else why["rank"], len(path.anchors))
    if found is None:
        found = replay(model, matrix, request["params"], path.anchors[:rank])
    elif rank < len(path.anchors):
        found = found.truncate(rank, threads(model.n_jobs))
    return Found(found, path, why)


def stability(
    model: Any, found: Factorization, matrix: Matrix, request: dict[str, Any], p: Floats | None
) -> Floats:
    """How often each anchor comes back in halves of the rows."""
    params = json.dumps({**request["params"], "rank": len(found.anchors)})
    with progress_if(model.verbose) as progress:
        return found.stability(matrix, params, threads(model.n_jobs), p, progress)


def study(model: Any, matrix: Matrix, request: dict[str, Any], p: Floats | None) -> str | None:
    """The number of anchors that the data support, if they can be asked."""
    machine = threads(model.n_jobs), memory_of(model)
    with progress_if(model.verbose) as progress:
        return _xray_nmf.study_number(matrix, json.dumps(request), *machine, p, progress)


def run(model: Any, matrix: Matrix, params: dict[str, Any], p: Floats | None) -> Factorization:
    """One search for anchors."""
    machine = threads(model.n_jobs), memory_of(model)
    with progress_if(model.verbose) as progress:
        return _xray_nmf.fit(matrix, json.dumps(params), *machine, p, progress)


def replay(model: Any, matrix: Matrix, params: dict[str, Any], anchors: Indices) -> Factorization:
    """The solution with these anchors: what a fit that chooses them returns."""
    projection = {name: params[name] for name in ("solver", "allow_negative", "tolerance")}
    given = {"rank": len(anchors), "fixed": anchors.tolist()}
    return run(model, matrix, {**projection, **given}, None)


def warn_of_number(model: Any, n: int) -> None:
    """Tells of fewer anchors than asked for, and of a knee that is none; n columns in all."""
    words, found, why = None, model.n_components_, model.suggestion_
    if why is not None:
        whole = found == len(model.path_)
        ended = model.termination_ == "rank_reached" or found == n > 1
        if why["reason"] in ("residual", "exhausted") and whole and ended:
            words = (
                f"the residual's curve has no knee within {found} anchors, so all are kept: "
                "give n_components, or look farther with path_length"
            )
    elif model.termination_ == "exhausted" and found < model.n_components:
        words = (
            f"{found} anchors explain all {model.axis}, or no candidate explains more: "
            f"n_components = {model.n_components} is more than there are"
        )
    if words is not None:
        warnings.warn(words, UserWarning, stacklevel=4)
