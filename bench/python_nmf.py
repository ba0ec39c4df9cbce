"""XRay against scikit-learn's NMF: at equal objective, and at equal steps, in one run.

usage: python_nmf.py DATA [--sets NAME ...] [--repeat N] [--page FILE]

DATA is the folder with tdt2, bbc, reuters and tweets.

Both get the same weights (sublinear tf-idf, documents of length 1) and the same number of topics,
and are timed for `fit_transform`; the median of all runs counts.

- Equal objective: scikit-learn runs as it comes (nndsvda start, coordinate descent, tolerance 1e-4,
  at most 200 iterations). XRay makes as many steps of refinement as it takes to bring
  ||X - WH||^2 down to scikit-learn's last one, from its own start, the anchors of `greedy`, and
  from scikit-learn's start. Finding a start is part of the time.
- Equal steps: both make ten steps from their own starts.

NMI compares the heaviest topic of each document, with topics of length 1, with the labels, where
there are any. --page writes the table; README quotes nothing else. Needs xray_nmf, scikit-learn and
pandas.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import sklearn
from sklearn.decomposition import NMF
from sklearn.decomposition._nmf import _initialize_nmf
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import normalized_mutual_info_score

import xray_nmf
from rivals_data import labelled, weighed
from xray_nmf import XRay

TOPICS = {"tdt2": 30, "bbc": 5, "reuters10": 10, "tweets": 50}
OWN = "XRay, from its anchors"
STEPS = 10
MOST = 400
"""The most steps that XRay may take to another's objective."""


class Run(NamedTuple):
    """A `fit_transform`: what it took, and what came of it."""

    seconds: float
    W: Any
    H: Any
    steps: int


class Row(NamedTuple):
    """A line of the table."""

    data: str
    what: str
    method: str
    steps: str
    seconds: float
    ratio: str
    objective: float
    nmi: str


def tweets(data: Path) -> Any:
    """Weights of the words of tweets."""
    table = pd.read_csv(data / "tweets" / "tweets.tsv.gz", sep="\t", quoting=3)
    texts = table.iloc[:, -1].astype(str)
    vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=10, stop_words="english")
    return vectorizer.fit_transform(texts)


def loaded(data: Path, name: str) -> tuple[Any, Any]:
    """Weights, and labels if there are any."""
    if name == "tweets":
        return tweets(data), None
    counts, labels = labelled(data, name)
    kept = counts.getnnz(axis=0) >= (5 if name == "tdt2" else 1)
    return weighed(counts[:, kept], "sublinear"), labels


def objective(X: Any, W: Any, H: Any) -> float:
    """``||X - W H||**2``."""
    cross = float(np.sum(np.asarray(X @ H.T) * W))
    return float(X.multiply(X).sum()) - 2.0 * cross + float(np.sum((W.T @ W) * (H @ H.T)))


def timed(make: Callable[[], Any], X: Any, **start: Any) -> Run:
    """Runs a new model."""
    model = make()
    clock = time.perf_counter()
    W = model.fit_transform(X, **start)
    return Run(time.perf_counter() - clock, W, model.components_, int(model.n_iter_))


def refined(X: Any, topics: int, steps: int) -> Run:
    """XRay with so many steps from its anchors."""
    return timed(lambda: XRay(topics, selection="greedy", refine_steps=steps, refinement="hals"), X)


def from_their_start(X: Any, topics: int, steps: int) -> Run:
    """XRay's steps from scikit-learn's start, which is part of the time."""
    clock = time.perf_counter()
    W, H = _initialize_nmf(X, topics, init="nndsvda", random_state=0)
    spent = time.perf_counter() - clock
    custom = XRay(topics, init="custom", refine_steps=steps, refinement="hals")
    run = timed(lambda: custom, X, W=np.maximum(W, 0.0), H=np.maximum(H, 0.0))
    return run._replace(seconds=run.seconds + spent)


def steps_to(X: Any, topics: int, goal: float, start: dict[str, Any]) -> int | None:
    """How many steps XRay needs to come down to an objective, if it does."""
    options: dict[str, Any] = {"init": "custom"} if start else {"selection": "greedy"}
    model = XRay(topics, refine_steps=MOST, refinement="hals", **options)
    model.fit(X, **start)
    reached = np.flatnonzero(model.objective_ <= goal)
    return int(reached[0]) if len(reached) else None


def median_of(run: Callable[[], Run], repeat: int) -> Run:
    """The run whose time is in the middle."""
    runs = sorted((run() for _ in range(repeat)), key=lambda run: run.seconds)
    return runs[len(runs) // 2]


def agreement(run: Run, labels: Any) -> str:
    """The NMI of the heaviest topics with labels."""
    if labels is None:
        return ""
    heaviest = (run.W * np.linalg.norm(run.H, axis=1)).argmax(axis=1)
    return f"{normalized_mutual_info_score(labels, heaviest):.3f}"


def compare(data: Path, name: str, repeat: int) -> list[Row]:
    """All lines of one data set."""
    X, labels = loaded(data, name)
    topics = TOPICS[name]
    title = f"{name}: {X.shape[0]:,} x {X.shape[1]:,}, {X.nnz:,} nonzeros, {topics} topics"
    print(title, flush=True)
    rows: list[Row] = []

    def add(what: str, method: str, run: Run, theirs: Run) -> None:
        ratio = "1" if run is theirs else f"{theirs.seconds / run.seconds:.1f}"
        left = objective(X, run.W, run.H)
        found = agreement(run, labels)
        row = Row(title, what, method, str(run.steps), run.seconds, ratio, left, found)
        spent = f"{row.steps} steps, {run.seconds:.2f} s, {ratio} x"
        print(f"  {what}: {method}: {spent}, objective {left:.2f}, NMI {found}", flush=True)
        rows.append(row)

    theirs = median_of(lambda: timed(lambda: NMF(topics, random_state=0), X), repeat)
    goal = objective(X, theirs.W, theirs.H)
    add("equal objective", "scikit-learn NMF", theirs, theirs)
    W, H = _initialize_nmf(X, topics, init="nndsvda", random_state=0)
    their_start = {"W": np.maximum(W, 0.0), "H": np.maximum(H, 0.0)}
    for method, start in {OWN: {}, "XRay's steps, from scikit-learn's start": their_start}.items():
        needed = steps_to(X, topics, goal, start)
        if needed is None:
            missed = f"{method}: not reached in {MOST} steps"
            rows.append(Row(title, "equal objective", missed, "", 0, "", 0, ""))
            continue

        def run(needed: int = needed, custom: bool = bool(start)) -> Run:
            return from_their_start(X, topics, needed) if custom else refined(X, topics, needed)

        add("equal objective", method, median_of(run, repeat), theirs)

    def few() -> Run:
        return timed(lambda: NMF(topics, random_state=0, tol=0.0, max_iter=STEPS), X)

    theirs = median_of(few, repeat)
    add("equal steps", "scikit-learn NMF", theirs, theirs)
    add("equal steps", OWN, median_of(lambda: refined(X, topics, STEPS), repeat), theirs)
    return rows


def page(rows: list[Row], before: float, command: str) -> str:
    """The table with how it was made."""
    load = os.getloadavg()[0]
    measured, listed = (__doc__ or "").split("\n\n")[3:5]
    versions = f"xray_nmf {xray_nmf.__version__}, Python {platform.python_version()}, numpy "
    versions += f"{np.__version__}, scikit-learn {sklearn.__version__}"
    machine = f"{os.cpu_count()} cores, {platform.system()}"
    lines = [
        "# Against scikit-learn's NMF",
        "",
        "Written by `make bench-python`; do not edit.",
        "",
        f"- Machine: {machine}; load {before:.1f} when the run began, {load:.1f} when it ended",
        f"- Versions: {versions}",
        f"- Command: `{command}`",
        "",
        measured,
        "",
        listed,
    ]
    for title in dict.fromkeys(row.data for row in rows):
        lines += ["", f"## {title}", ""]
        lines.append("| | method | steps | seconds | times as fast | objective | NMI |")
        lines.append("|---|---|---:|---:|---:|---:|---:|")
        for row in (row for row in rows if row.data == title):
            seconds = f"{row.seconds:.2f}" if row.seconds else ""
            left = f"{row.objective:.2f}" if row.seconds else ""
            cells = (row.what, row.method, row.steps, seconds, row.ratio, left, row.nmi)
            lines.append("| " + " | ".join(cells) + " |")
    ratios = [
        float(row.ratio) for row in rows if row.what == "equal objective" and row.method == OWN
    ]
    if ratios:
        middle = statistics.median(ratios)
        said = f"At equal objective, from its own start, XRay is {min(ratios):.1f} to "
        said += f"{max(ratios):.1f} times as fast as scikit-learn (median {middle:.1f} of "
        lines += ["", said + f"{len(ratios)} data sets)."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Compares on each data set, and writes the page if asked."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--sets", nargs="+", choices=list(TOPICS), default=list(TOPICS))
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--page", type=Path)
    given = arguments.parse_args()
    before = os.getloadavg()[0]
    rows = [row for name in given.sets for row in compare(given.data, name, given.repeat)]
    options = f"--sets {' '.join(given.sets)} --repeat {given.repeat}"
    command = f"python bench/python_nmf.py DATA {options}"
    text = page(rows, before, command)
    if given.page:
        given.page.write_text(text)
    else:
        print(text)


if __name__ == "__main__":
    main()
