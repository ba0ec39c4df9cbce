"""An `XRay` in the model file that ``xray factorize`` writes and ``xray transform`` reads."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ._settings import places, seed_of
from ._xray_nmf import Model

# The parameters that the file calls as the estimator does.
SAME = ("selection", "engine", "mean_ray", "allow_negative", "min_improvement")
# Those that only Python writes.
MORE = ("solver", "output", "refinement")


def write(model: Any, path: str) -> None:
    """Writes a fitted estimator."""
    if model.axis == "samples":
        raise ValueError(
            'axis = "samples" cannot be saved: anchors of a model file are columns; fit the '
            "transposed matrix"
        )
    seed = seed_of(model.random_state)
    names = getattr(model, "feature_names_in_", None)
    n_columns = model.n_features_in_
    parameters = {
        **{name: getattr(model, name) for name in (*SAME, *MORE)},
        "rank": model.n_components_,
        "normalize": model.normalize or "none",
        "tolerance": model.tol,
        "fixed": places("fixed", model.fixed, n_columns, names) or [],
        "excluded": places("excluded", model.excluded, n_columns, names) or [],
        "refine": int(model.refine_steps),
        "transpose": False,
        "seed": seed,
    }
    rank = model.n_components_
    Model.of_matrix(
        {
            "anchors": model.anchors_.tolist(),
            "residuals": model.path_[:rank].tolist(),
            "h": model.components_.T,
            "refined": bool(model.refine_steps),
            "names": None if names is None else list(names),
            "parameters": json.dumps(parameters),
            "seed": seed,
        }
    ).save(path)


def read(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and the fitted attributes of an estimator."""
    model = Model.load(path)
    if model.kind != "factorize":
        raise ValueError(f"{path}: a model of documents; TopicModel.load opens it")
    said = json.loads(model.parameters)
    parameters = {name: said[name] for name in (*SAME, *MORE) if name in said}
    parameters.update({name: said[name] for name in ("fixed", "excluded") if said.get(name)})
    for ours, theirs in (
        ("tol", "tolerance"),
        ("refine_steps", "refine"),
        ("random_state", "seed"),
    ):
        if theirs in said:
            parameters[ours] = said[theirs]
    if said.get("normalize", "none") != "none":
        parameters["normalize"] = said["normalize"]
    components = model.components
    parameters["n_components"] = len(components)
    attributes: dict[str, Any] = {
        "components_": components,
        "anchors_": model.anchors,
        "n_components_": len(components),
        "path_": model.residuals,
        "n_iter_": len(model.residuals),
        "n_features_in_": components.shape[1],
    }
    if model.vocabulary is not None:
        attributes["feature_names_in_"] = np.array(model.vocabulary, dtype=object)
    return parameters, attributes
