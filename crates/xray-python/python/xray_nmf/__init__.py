"""Find the few columns of a nonnegative matrix that explain all the others.

`XRay` is a scikit-learn estimator over the Rust engine of xray-nmf: near-separable nonnegative
matrix factorization with the XRAY rules of Kumar, Sindhwani and Kambadur (ICML 2013), on sparse
and dense data. `TopicModel` finds the topics of documents, `Unmixer` the endmembers and abundances
of hyperspectral cubes. `nnls` solves nonnegative least squares
with many right-hand sides, `refine` improves any factorization, `spa` and `snpa` are rival ways to
find anchors, and `synth` makes data with known anchors.
"""

from . import synth
from ._nnls import NnlsResult, nnls
from ._refine import Refined, refine
from ._rivals import Anchors, snpa, spa
from ._topic_model import TopicModel
from ._topic_table import Coherence
from ._unmixer import Unmixer
from ._xray import XRay
from ._xray_nmf import VERSION as __version__

__all__ = [
    "Anchors",
    "Coherence",
    "NnlsResult",
    "Refined",
    "TopicModel",
    "Unmixer",
    "XRay",
    "__version__",
    "nnls",
    "refine",
    "snpa",
    "spa",
    "synth",
]
