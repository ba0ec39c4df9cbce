"""The topics of a model as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ._types import Floats

if TYPE_CHECKING:
    from ._xray_nmf import _Listed


class Coherence(NamedTuple):
    """Do the top words of each topic occur in the same documents?"""

    npmi: Floats
    """Mean normalised pointwise mutual information of the words' pairs, -1 to 1."""
    umass: Floats
    """Mean UMass score; nearer to 0 is better."""


COLUMNS = [
    "anchor",
    "anchor_place",
    "anchor_left",
    "share",
    "margin",
    "npmi",
    "umass",
    "name",
    "words",
    "weights",
]


def topic_table(
    topics: list[_Listed], vocabulary: Any, coherence: list[tuple[float, float]] | None
) -> Any:
    """A row for each topic: a DataFrame, or a list of dicts where there is no pandas."""
    unknown = (float("nan"), float("nan"))
    scores = coherence or [unknown] * len(topics)
    rows = []
    for topic, (npmi, umass) in zip(topics, scores, strict=True):
        anchors, words, weights, share, margin, name, place, left = topic
        rows.append(
            {
                "anchor": " + ".join(vocabulary[anchors]),
                "anchor_place": 0 if place is None else place,
                "anchor_left": left,
                "share": share,
                "margin": float("nan") if margin is None else margin,
                "npmi": npmi,
                "umass": umass,
                "name": name,
                "words": vocabulary[words].tolist(),
                "weights": weights,
            }
        )
    try:
        import pandas as pd
    except ImportError:
        return rows
    return pd.DataFrame(rows, columns=COLUMNS).rename_axis("topic")


def distributions(rows: Floats) -> Floats:
    """Rows that sum to 1; a row of zeros becomes uniform."""
    sums = rows.sum(axis=1, keepdims=True)
    uniform = np.full_like(rows, 1 / max(rows.shape[1], 1))
    np.divide(rows, sums, out=uniform, where=sums > 0)
    return uniform
