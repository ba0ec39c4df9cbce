"""Licence expressions: which sets of licences one can choose from."""

from __future__ import annotations

import re
from itertools import product

Choice = frozenset[str]


def choices(expression: str) -> list[Choice]:
    """Every way to comply, as the licences that must then be complied with; the author's order.

    "MIT OR (Apache-2.0 AND BSD-3-Clause)" has two. A slash is an old way to write OR.
    """
    words = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))
    found = _any(words)
    if words:
        raise ValueError(f"{expression!r}: {words[0]!r} is out of place")
    return found


def _any(words: list[str]) -> list[Choice]:
    found = _all(words)
    while words[:1] == ["OR"]:
        words.pop(0)
        found += _all(words)
    return found


def _all(words: list[str]) -> list[Choice]:
    parts = [_one(words)]
    while words[:1] == ["AND"]:
        words.pop(0)
        parts.append(_one(words))
    return [frozenset[str]().union(*part) for part in product(*parts)]


def _one(words: list[str]) -> list[Choice]:
    if not words or words[0] in (")", "AND", "OR", "WITH"):
        raise ValueError(f"a licence is missing before {' '.join(words) or 'the end'!r}")
    word = words.pop(0)
    if word == "(":
        found = _any(words)
        if words[:1] != [")"]:
            raise ValueError("a closing parenthesis is missing")
        words.pop(0)
        return found
    if words[:1] == ["WITH"] and len(words) > 1:
        word = f"{word} WITH {words[1]}"
        del words[:2]
    return [frozenset({word})]
