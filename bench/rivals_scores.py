"""The two measures of rivals.py, the same code for every method.

- NMI: mutual information of the labels and each document's heaviest topic, divided by the mean of
  their entropies. A document without any weight forms a cluster of its own kind.
- NPMI: mean over all pairs of a topic's ten words of ln(D d_ij / (d_i d_j)) / ln(D / d_ij), where
  d counts the training documents with a word or with both; -1 for words that never meet.
"""

from __future__ import annotations

from itertools import combinations
from math import log
from typing import Any

import numpy as np
import scipy.sparse as sp


def nmi(labels: Any, weights: Any) -> float:
    """Agreement of the labels with the heaviest topics."""
    # Not above: scikit-learn would count in the memory and start of libraries that do without it.
    from sklearn.metrics import normalized_mutual_info_score

    topics = np.where(weights.max(axis=1) > 0, weights.argmax(axis=1), -1)
    return float(normalized_mutual_info_score(labels, topics))


def pair_npmi(n: int, first: int, second: int, both: int) -> float:
    """NPMI of two words in `first` and `second` of n documents, `both` of them shared."""
    if both == 0:
        return -1.0
    if both == n:
        return 1.0
    return log(n * both / (first * second)) / log(n / both)


def npmi(counts: sp.csc_matrix, topics: list[list[int]]) -> float:
    """Mean coherence of topics, each given by its words' columns."""
    means = []
    for words in topics:
        present = (counts[:, words] > 0).astype(np.int64).toarray()
        meets = present.T @ present
        pairs = [
            pair_npmi(counts.shape[0], int(meets[i, i]), int(meets[j, j]), int(meets[i, j]))
            for i, j in combinations(range(len(words)), 2)
        ]
        means.append(sum(pairs) / len(pairs) if pairs else 0.0)
    return float(np.mean(means))
