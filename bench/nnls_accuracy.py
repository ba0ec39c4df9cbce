"""Accuracy of nnls beside SciPy's, against exact arithmetic, by the condition of A.

usage: nnls_accuracy.py [--systems N] [--seed S]

Small systems (k <= 10 columns, m <= 30 rows) of every condition from 1 to 1e10, with A of one sign
and of both, and right-hand sides in the cone, within noise of 1e-8, 1e-3 and 0.1 of it, and
anywhere. The optimum of each is found in whole numbers of any length and proven by its optimality
conditions: SciPy's answer is no truth, only the measure. For each class of conditions the worst of

  gap      ||A x - b||^2 above its minimum, relative to ||b||^2
  KKT      the violation of the optimality conditions, relative to the norms involved
  error    of x, relative to the largest weight (columns scaled to length 1)
  support  share of right-hand sides where a weight above 1e-6 is missing or should not be there

Exits with 1 if a figure is more than 10 times SciPy's and above rounding, or if a reported
certificate is not true. Rounding is what the optimum itself loses when it is rounded to floating
point: where terms of both signs cancel, that alone violates the conditions.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls as scipy_nnls

from xray_nmf import nnls

Array: TypeAlias = NDArray[np.float64]
Whole: TypeAlias = "list[int]"

EDGES = [1.0, 1e1, 1e3, 1e4, 1e5, 1e6, 1e7, 1e10]
NOISE = {"in the cone": 0.0, "+ 1e-8": 1e-8, "+ 1e-3": 1e-3, "+ 0.1": 0.1, "anywhere": None}
DIGITS = 900
"""Bits after the point of exact solutions."""
FLOORS = {"gap": 1e-28, "KKT": 5e-15, "error": 1e-13, "support": 0.0}
"""What is below is rounding of the answer itself."""
FACTOR = 10.0


def whole(values: Array, shift: int) -> Whole:
    """Floating-point numbers times 2**shift, as whole numbers."""
    ratios = (float(v).as_integer_ratio() for v in values.ravel())
    return [(top << shift) // bottom for top, bottom in ratios]


class Exact:
    """min ||A x - b|| over x >= 0 in whole numbers: A and b times 2**SHIFT."""

    SHIFT = 1100

    def __init__(self, a: Array, b: Array) -> None:
        columns = [whole(column, self.SHIFT) for column in a.T]
        right = whole(b, self.SHIFT)
        self.normal = [[dot(p, q) for q in columns] for p in columns]
        self.target = [dot(p, right) for p in columns]
        self.square = dot(right, right)

    def on(self, support: list[int]) -> list[int] | None:
        """Least squares on a support, times 2**DIGITS; None if its columns depend on each other."""
        rows = [[self.normal[k][q] for q in support] + [self.target[k]] for k in support]
        n, last = len(rows), 1
        for k in range(n):
            if rows[k][k] == 0:
                return None
            for i in range(k + 1, n):
                for j in range(n, k, -1):
                    product = rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]
                    rows[i][j] = product // last
            last = rows[k][k]
        z = [0] * n
        for k in range(n - 1, -1, -1):
            rest = (rows[k][n] << DIGITS) - sum(rows[k][q] * z[q] for q in range(k + 1, n))
            z[k] = rest // rows[k][k]
        return z

    def gradient(self, x: list[int]) -> list[int]:
        """A'(b - A x), for x times 2**DIGITS, times 2**DIGITS."""
        return [
            (c << DIGITS) - dot(row, x) for c, row in zip(self.target, self.normal, strict=True)
        ]

    def violation(self, x: list[int]) -> float:
        """How far x is from the optimality conditions, as `nnls` defines it."""
        worst = 0.0
        for k, g in enumerate(self.gradient(x)):
            if g > 0:
                scale = (self.normal[k][k] * self.square) << (2 * DIGITS)
                worst = max(worst, ratio(g * g, scale) ** 0.5)
            worst = max(worst, ratio(abs(g) * x[k], self.square << (2 * DIGITS)))
        return worst

    def solve(self, start: list[int]) -> list[int]:
        """The optimum times 2**DIGITS, by Lawson and Hanson's method; ends with a proof."""
        z = self.on(start)
        support, x = [], [0] * len(self.target)
        if z is not None and all(v > 0 for v in z):
            support = list(start)
            for k, v in zip(support, z, strict=True):
                x[k] = v
        while True:
            gradient = self.gradient(x)
            scaled = {
                k: g * abs(g) // self.normal[k][k]
                for k, g in enumerate(gradient)
                if k not in support
            }
            # The last bits of x are cut off: gradients below that are none.
            least = max(self.target, key=abs) << 64
            open_ones = [k for k in scaled if gradient[k] > abs(least)]
            if not open_ones:
                return x
            support.append(max(open_ones, key=scaled.__getitem__))
            x = self.descend(support, x)

    def descend(self, support: list[int], x: list[int]) -> list[int]:
        """Towards the least squares of the support, which loses what would turn negative."""
        while True:
            z = self.on(support)
            if z is None:
                raise ZeroDivisionError("dependent columns")
            falling = [(k, v) for k, v in zip(support, z, strict=True) if v <= 0]
            if not falling:
                x = [0] * len(x)
                for k, v in zip(support, z, strict=True):
                    x[k] = v
                return x
            first = min(falling, key=lambda f: (x[f[0]] << 400) // (x[f[0]] - f[1] or 1))
            top, bottom = x[first[0]], x[first[0]] - first[1] or 1
            for k, v in zip(list(support), z, strict=True):
                x[k] += (v - x[k]) * top // bottom
            x[first[0]] = 0
            support.remove(first[0])
            for k in list(support):
                if x[k] <= 0:
                    x[k] = 0
                    support.remove(k)


def dot(p: Whole, q: Whole) -> int:
    """The inner product."""
    return sum(a * b for a, b in zip(p, q, strict=True))


def ratio(top: int, bottom: int) -> float:
    """A quotient of long numbers."""
    if top == 0:
        return 0.0
    shift = max(top.bit_length(), bottom.bit_length()) - 900
    if shift > 0:
        top, bottom = top >> shift, bottom >> shift
    # Python divides whole numbers of any length correctly, as long as the quotient is a float.
    return top / bottom if bottom else float("inf")


@dataclass
class Worst:
    """The worst figures of a class."""

    gap: float = 0.0
    kkt: float = 0.0
    error: float = 0.0
    wrong: int = 0
    untrue: float = 0.0
    failed: int = 0

    def add(self, exact: Exact, best: list[int], x: Array, reported: float | None = None) -> None:
        """Compares x with the optimum, and a reported violation with the true one."""
        own = whole(x, DIGITS)
        change = [p - q for p, q in zip(own, best, strict=True)]
        square = exact.square << (2 * DIGITS)
        curved = sum(p * dot(row, change) for p, row in zip(change, exact.normal, strict=True))
        linear = 2 * dot(exact.gradient(best), change)
        self.gap = max(self.gap, ratio(curved - linear, square))
        violation = exact.violation(own)
        self.kkt = max(self.kkt, violation)
        if reported is not None and violation > 3.0 * reported + 1e-14:
            self.untrue = max(self.untrue, violation)
        sizes = [exact.normal[k][k] for k in range(len(x))]
        largest = max(v * v * s for v, s in zip(best, sizes, strict=True))
        if largest:
            errors = (ratio(d * d * s, largest) ** 0.5 for d, s in zip(change, sizes, strict=True))
            self.error = max(self.error, *errors)
            self.wrong += differs(own, best, sizes, largest // 10**12)


def differs(own: Whole, best: Whole, sizes: Whole, limit: int) -> bool:
    """Whether a weight whose square is above the limit is missing, or should not be there."""
    for v, truth, size in zip(own, best, sizes, strict=True):
        missing = truth * truth * size > limit and v == 0
        extra = v * v * size > limit and truth == 0
        if missing or extra:
            return True
    return False


@dataclass
class Class:
    """The systems of one range of conditions and one kind of sign."""

    ours: Worst = field(default_factory=Worst)
    theirs: Worst = field(default_factory=Worst)
    rounded: Worst = field(default_factory=Worst)
    n: int = 0


def neighbours(rng: np.random.Generator, m: int, k: int, t: float, signed: bool) -> Array:
    """Some columns are others, a little moved."""
    draw: Callable[..., Array] = rng.normal if signed else rng.random
    a = draw(size=(m, k))
    for j in range(1, k):
        if rng.random() < 0.5:
            a[:, j] = a[:, j - 1] + t * draw(size=m)
    return a


def offset(rng: np.random.Generator, m: int, k: int, t: float, signed: bool) -> Array:
    """All columns are one, a little moved."""
    draw: Callable[..., Array] = rng.normal if signed else rng.random
    return np.asarray(draw(size=(m, 1)) + t * draw(size=(m, k)))


def spectra(rng: np.random.Generator, m: int, k: int, t: float, signed: bool) -> Array:
    """Smooth bumps whose width grows with the condition, on a slope."""
    place = np.linspace(0.0, 1.0, m)[:, np.newaxis]
    width = 0.02 + 0.08 * -np.log10(t)
    a = np.exp(-(((place - rng.random(k)) / width) ** 2)) + 0.1 * place
    return np.asarray(a - 0.5 if signed else a)


def graded(rng: np.random.Generator, m: int, k: int, t: float, signed: bool) -> Array:
    """Singular values fall from 1 to t."""
    u = np.linalg.qr(rng.normal(size=(m, k)))[0]
    v = np.linalg.qr(rng.normal(size=(k, k)))[0]
    a = np.asarray((u * t ** np.linspace(0.0, 1.0, k)) @ v)
    return a if signed else a - 1.1 * min(float(a.min()), 0.0)


FAMILIES = (neighbours, offset, spectra, graded)


def right_sides(rng: np.random.Generator, a: Array, signed: bool) -> Array:
    """One right-hand side of each kind."""
    sides = []
    for noise in NOISE.values():
        x = 10.0 ** -rng.uniform(0, 5, a.shape[1]) * (rng.random(a.shape[1]) < 0.7)
        b = a @ x / max(float(np.linalg.norm(a @ x)), 1e-300)
        direction = rng.normal(size=a.shape[0]) if signed or noise else rng.random(a.shape[0])
        direction = direction / float(np.linalg.norm(direction))
        sides.append(direction if noise is None else b + noise * direction)
    return np.column_stack(sides)


def measure(rng: np.random.Generator, a: Array, signed: bool, into: Class) -> None:
    """Adds all right-hand sides of one system to its class."""
    b = right_sides(rng, a, signed)
    for i in range(b.shape[1]):
        solved = nnls(a, b[:, i])
        exact = Exact(a, b[:, i])
        best = exact.solve([k for k, v in enumerate(solved.x) if v > 0])
        into.n += 1
        into.ours.add(exact, best, solved.x, solved.kkt_violation)
        into.rounded.add(exact, best, np.array([ratio(v, 1 << DIGITS) for v in best]))
        try:
            into.theirs.add(exact, best, scipy_nnls(a, b[:, i])[0])
        except RuntimeError:
            into.theirs.failed += 1


def collect(rng: np.random.Generator, signed: bool, systems: int) -> list[Class]:
    """So many systems of each class, from all families in turn."""
    classes = [Class() for _ in EDGES[1:]]
    wanted = [systems] * len(classes)
    tries = 0
    while any(wanted) and tries < 400 * systems:
        family = FAMILIES[tries % len(FAMILIES)]
        tries += 1
        m = int(rng.integers(3, 31))
        k = int(rng.integers(2, min(10, m) + 1))
        a = family(rng, m, k, 10.0 ** -rng.uniform(0, 10), signed)
        sizes = np.linalg.norm(a, axis=0)
        if not sizes.min() > 0:
            continue
        condition = float(np.linalg.cond(a / sizes))
        place = int(np.searchsorted(EDGES, condition)) - 1
        if 0 <= place < len(classes) and wanted[place]:
            wanted[place] -= 1
            measure(rng, a, signed, classes[place])
    return classes


def table(name: str, classes: list[Class]) -> int:
    """Prints a table; returns the number of its faults."""
    print(f"\n{name} A: xray_nmf / SciPy, worst of a class\n")
    titles = f"{'gap':>17} {'KKT':>17} {'error of x':>17} {'wrong support':>15}"
    print(f"{'condition':>14} {'n':>5} {titles}  fault")
    faults = 0
    for low, high, found in zip(EDGES[:-1], EDGES[1:], classes, strict=True):
        if not found.n:
            continue
        ours, theirs, rounded = found.ours, found.theirs, found.rounded
        figures = {
            "gap": (ours.gap, max(theirs.gap, rounded.gap)),
            "KKT": (ours.kkt, max(theirs.kkt, rounded.kkt)),
            "error": (ours.error, theirs.error),
            "support": (ours.wrong / found.n, theirs.wrong / found.n),
        }
        worse = [
            name
            for name, (own, other) in figures.items()
            if own > max(FACTOR * other, FLOORS[name])
        ]
        worse += ["certificate"] if ours.untrue else []
        faults += len(worse)
        pairs = ((ours.gap, theirs.gap), (ours.kkt, theirs.kkt), (ours.error, theirs.error))
        cells = [f"{own:8.1e} /{other:8.1e}" for own, other in pairs]
        shares = f"{ours.wrong / found.n:6.1%} /{theirs.wrong / found.n:6.1%}"
        gave_up = f" (SciPy gave up {theirs.failed} times)" if theirs.failed else ""
        more = ", ".join(worse) + gave_up
        print(f"{low:6.0e}..{high:6.0e} {found.n:5} {' '.join(cells)} {shares:>15}  {more}")
    return faults


def main() -> None:
    """Prints both tables."""
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--systems", type=int, default=60, help="of each class; 5 sides for each")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    faults = 0
    for signed in (False, True):
        rng = np.random.default_rng([given.seed, signed])
        name = "signed" if signed else "nonnegative"
        faults += table(name, collect(rng, signed, given.systems))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
