"""Data with known anchors, from a seed: for tests, noise experiments and benchmarks.

Same seed, same bits, whatever the number of threads. Another version may give other bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from . import _xray_nmf
from ._check import real, whole
from ._input import threads
from ._types import Floats, Indices

__all__ = ["Corpus", "Planted", "corpus", "planted"]

Design: TypeAlias = Literal[
    "dirichlet",
    "middle-points",
    "ill-conditioned",
    "ill-conditioned-middle-points",
    "scaled-columns",
    "rank-deficient",
]


class Planted(NamedTuple):
    """A dense matrix, and the columns that are its anchors."""

    X: Floats
    anchors: Indices

    def recovery(self, found: Iterable[int]) -> float:
        """The fraction of the true anchors among `found`."""
        return len(set(self.anchors.tolist()) & {int(j) for j in found}) / len(self.anchors)


class Corpus(NamedTuple):
    """A document-word matrix, and each topic's anchor words."""

    X: sp.csr_matrix
    anchors: list[Indices]


def planted(
    n_samples: int = 200,
    n_features: int = 210,
    n_components: int = 20,
    *,
    design: Design = "dirichlet",
    noise: float = 0.0,
    outward: bool = False,
    clip: bool = False,
    shuffle: bool = True,
    random_state: int = 0,
) -> Planted:
    """Near-separable data ``X = W [I, H'] + noise``, columns shuffled: the anchors are W.

    The defaults are those of the experiment of Kumar, Sindhwani and Kambadur (ICML 2013), without
    noise.

    Parameters
    ----------
    n_samples, n_features, n_components : int
        Rows and columns of X, and columns of W.
    design : str, default="dirichlet"
        How W and H' are drawn: "dirichlet", "middle-points" (needs
        ``n_features = r + r (r - 1) / 2``), "ill-conditioned", "ill-conditioned-middle-points",
        "scaled-columns" or "rank-deficient".
    noise : float, default=0.0
        Noise level.
    outward : bool, default=False
        Push mixtures out of the cone instead of adding Gaussian noise.
    clip : bool, default=False
        Replace negative entries, which Gaussian noise makes, by 0.
    shuffle : bool, default=True
        Permute the columns; else the anchors come first.
    random_state : int, default=0

    Returns
    -------
    Planted
        ``X`` and ``anchors``; ``recovery(found)`` is the fraction of them among ``found``.

    Examples
    --------
    >>> from xray_nmf import XRay, synth
    >>> data = synth.planted(noise=0.1, clip=True)
    >>> data.recovery(XRay(20).fit(data.X).anchors_)
    1.0
    """
    X, anchors = _xray_nmf.planted(
        {
            "design": design,
            "n_rows": whole("n_samples", n_samples, 1),
            "n_columns": whole("n_features", n_features, 1),
            "rank": whole("n_components", n_components, 1),
            "noise": real("noise", noise),
            "outward": outward,
            "seed": whole("random_state", random_state, 0),
            "clip": clip,
            "shuffle": shuffle,
        }
    )
    return Planted(X, np.asarray(anchors, dtype=np.int64))


def corpus(
    like: Literal["rcv1", "ppl2", "ibmt"] = "rcv1",
    *,
    scale: float = 0.01,
    random_state: int = 0,
    n_jobs: int | None = -1,
) -> Corpus:
    """A sparse document-word matrix with the statistics of a large text collection.

    Parameters
    ----------
    like : {"rcv1", "ppl2", "ibmt"}, default="rcv1"
        Newswire (781,265 x 43,001), people and places on web pages (351,849 x 44,739), or short
        messages (124,708 x 25,998).
    scale : float, default=0.01
        How many times as many documents, words and entries.
    random_state : int, default=0
    n_jobs : int or None, default=-1
        Threads, counted as in joblib; -1 uses all cores. No effect on the result.

    Returns
    -------
    Corpus
        ``X``, a csr matrix of float32 tf-idf weights, and ``anchors``, an array of word numbers
        for each topic.

    Examples
    --------
    >>> from xray_nmf import synth
    >>> synth.corpus(scale=0.01).X.shape
    (7813, 430)
    """
    (shape, offsets, indices, values), anchors = _xray_nmf.corpus(
        like, real("scale", scale), whole("random_state", random_state, 0), threads(n_jobs)
    )
    X = sp.csr_matrix((values, indices, offsets), shape=shape)
    return Corpus(X, [np.asarray(words, dtype=np.int64) for words in anchors])
