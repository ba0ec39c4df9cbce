"""Factors that begin where the user says, instead of at anchors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._check import text
from ._input import threads
from ._progress import progress_if
from ._types import Floats
from ._xray_nmf import Matrix
from ._xray_nmf import refine as _improve


def check_start(model: Any, W: Any, H: Any) -> bool:
    """Whether a start is given; refused where it would not be used, or is lacking."""
    given = W is not None or H is not None
    if model.init != "custom":
        if given:
            raise ValueError(
                'W and H are where init = "custom" starts; give that, or leave them out'
            )
        return False
    if W is None or H is None:
        lacking = "W" if W is None else "H"
        raise ValueError(f'init = "custom" starts at W and H, and {lacking} is None; give both')
    if not model.refine_steps:
        raise ValueError('init = "custom" with refine_steps = 0 does nothing; give at least 1 step')
    shape = np.shape(H)
    if len(shape) == 2 and model.n_components not in ("auto", "fast", shape[0]):
        raise ValueError(f"n_components = {model.n_components}, and H has {shape[0]} rows")
    return True


def improved(
    model: Any, matrix: Matrix, start: tuple[Floats, Floats], tolerance: float
) -> tuple[Floats, Floats]:
    """H with comparable components, and the objective at the start and after each step."""
    method, limits = text("refinement", model.refinement), (int(model.refine_steps), tolerance)
    with progress_if(model.verbose) as progress:
        n_threads = threads(model.n_jobs)
        _, h_transposed, objective = _improve(matrix, start, method, limits, n_threads, progress)
    H = h_transposed.T
    sizes = np.sqrt(H.sum(axis=1) * np.linalg.norm(H, axis=1))
    return np.ascontiguousarray(H / np.where(sizes > 0, sizes, 1.0)[:, np.newaxis]), objective
