"""Types of parameters: what is wrong is said with the parameter's name, value and a remedy."""

from __future__ import annotations

import math
import numbers
from typing import Any

LARGEST = 2**63 - 1


def whole(name: str, value: Any, least: int, also: str = "") -> int:
    """A whole number, at least `least`; `also` tells what else may be given."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} = {value!r} is not allowed; give a whole number{also}")
    if int(value) < least:
        raise ValueError(f"{name} = {value} is not allowed; give at least {least}")
    if int(value) > LARGEST:
        raise ValueError(f"{name} = {value} is not allowed; give less than 2**63")
    return int(value)


def real(name: str, value: Any) -> float:
    """A number."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise TypeError(f"{name} = {value!r} is not allowed; give a number")
    if not math.isfinite(value):
        raise ValueError(f"{name} = {value} is not allowed; give a finite number")
    return float(value)


def share(name: str, value: Any) -> float:
    """A part of something, less than all of it."""
    if not 0 <= real(name, value) < 1:
        raise ValueError(f"{name} = {value} is not allowed; give a number from 0 to less than 1")
    return float(value)


def text(name: str, value: Any) -> str:
    """The name of a choice; whether there is such a choice is for others to say."""
    if not isinstance(value, str):
        raise TypeError(f"{name} = {value!r} is not allowed; give the name of a choice as str")
    return value
