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


# pandas prints the first and the last columns of a wide table.
COLUMNS = [
    "anchor",
    "anchor_place",
    "anchor_left",
    "share",
    "margin",
    "npmi",
    "umass",
    "weights",
    "documents",
    "weight_share",
    "exclusivity",
    "stability",
    "related",
    "best_documents",
    "runner_up",
    "name",
    "words",
]


def topic_table(
    topics: list[_Listed],
    vocabulary: Any,
    coherence: list[tuple[float, float]] | None,
    evidence: list[dict[str, Any]] | None,
) -> Any:
    """A row for each topic: a DataFrame, or a list of dicts where there is no pandas."""
    unknown = (float("nan"), float("nan"))
    scores = coherence or [unknown] * len(topics)
    rows = []
    for k, (topic, (npmi, umass)) in enumerate(zip(topics, scores, strict=True)):
        anchors, words, weights, share, margin, name, place, left, second = topic
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
                **told(evidence[k] if evidence else None),
                "runner_up": None if second is None else str(vocabulary[second]),
            }
        )
    frame = as_frame(rows, COLUMNS)
    return rows if frame is None else frame.rename_axis("topic")


def told(evidence: dict[str, Any] | None) -> dict[str, Any]:
    """What speaks for a topic, as Rust tells it; topics are numbered from 0 here."""
    numbers = ("documents", "weight_share", "exclusivity", "stability")
    if evidence is None:
        return {**dict.fromkeys(numbers, float("nan")), "related": None, "best_documents": None}
    known = {name: evidence[name] for name in numbers}
    if known["stability"] is None:
        known["stability"] = float("nan")
    related = [(other["topic"] - 1, other["similarity"]) for other in evidence["related"]]
    return {**known, "related": related, "best_documents": evidence["best_documents"]}


def as_frame(rows: list[dict[str, Any]], columns: list[str]) -> Any:
    """The rows as a DataFrame; None where there is no pandas."""
    try:
        import pandas as pd
    except ImportError:
        return None
    return pd.DataFrame(rows, columns=columns)


def table(rows: list[dict[str, Any]], columns: list[str]) -> Any:
    """The rows as a DataFrame, or as they are where there is no pandas."""
    frame = as_frame(rows, columns)
    return rows if frame is None else frame


def row_sums(rows: Floats) -> Floats:
    """The sum of each row, from left to right as in Rust: the same bits."""
    sums = np.zeros(len(rows))
    for column in rows.T:
        sums += column
    return sums


def shares_of(weights: Floats) -> Floats:
    """Rows that sum to 1; a row of zeros stays so."""
    sums = row_sums(weights)[:, None]
    shares = np.zeros_like(weights)
    np.divide(weights, sums, out=shares, where=sums > 0)
    return shares


def distributions(rows: Floats) -> Floats:
    """Rows that sum to 1; a row of zeros becomes uniform."""
    sums = rows.sum(axis=1, keepdims=True)
    uniform = np.full_like(rows, 1 / max(rows.shape[1], 1))
    np.divide(rows, sums, out=uniform, where=sums > 0)
    return uniform
