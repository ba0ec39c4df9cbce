"""`xray topics` against the NMF and LDA of scikit-learn, gensim, topica and tomotopy, in one run.

Measures time, memory, agreement with labels and coherence on BBC, Reuters-10 and TDT2, each method
in a process of its own, in turns. `make bench-rivals` sets up what it needs.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

from rivals_child import Limits, Task, library, program
from rivals_entries import ENTRIES, TOPICS, XRAY
from rivals_table import (
    NOTES,
    Runs,
    bullets,
    machine,
    markdown,
    methods,
    rows,
    stages,
    terminal,
    versions,
)

TITLES = {"bbc": "BBC", "reuters10": "Reuters-10", "tdt2": "TDT2"}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="the program xray")
    parser.add_argument("data", type=Path, help="folder with bbc/, reuters/ and tdt2/")
    parser.add_argument("--output", type=Path, help="also write the tables to this Markdown file")
    parser.add_argument("--raw", type=Path, help="also write every run to this JSON file")
    parser.add_argument("--quick", action="store_true", help="BBC only, one turn")
    parser.add_argument("--turns", type=int, default=3, help="turns, and so seeds (default 3)")
    parser.add_argument("--sets", nargs="+", choices=TOPICS, default=list(TOPICS))
    parser.add_argument("--methods", nargs="+", choices=ENTRIES, default=list(ENTRIES))
    parser.add_argument("--weighting", choices=["sublinear", "plain", "paper"], default="sublinear")
    parser.add_argument(
        "--once",
        type=float,
        default=30,
        help="what takes longer, in seconds, has one turn only; a third of it if not random",
    )
    parser.add_argument("--limit", type=int, default=150, help="seconds that a process may take")
    parser.add_argument("--memory", type=float, default=14, help="GB that a process may take")
    parser.add_argument("--folder", type=Path, default=Path("target/rivals"), help="for the input")
    given = parser.parse_args()
    if given.turns < 1:
        parser.error("--turns must be at least 1")
    if given.quick:
        given.sets, given.turns = ["bbc"], 1
    # All ratios are to xray, so it always takes part.
    given.methods = [name for name in ENTRIES if name == XRAY or name in given.methods]
    if "rcppml" in given.methods and shutil.which("Rscript") is None:
        given.methods.remove("rcppml")
        print("left out: rcppml: there is no Rscript; apt install r-cran-rcppml", file=sys.stderr)
    return given


def prepare(given: argparse.Namespace, name: str) -> str:
    """Writes a data set's input in a child, which needs much memory; says its size."""
    script = Path(__file__).with_name("rivals_data.py")
    command = [sys.executable, str(script), str(given.data), str(given.folder)]
    done = subprocess.run([*command, given.weighting, name], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{name} could not be prepared from {given.data}; the message above says why")
    return done.stdout.strip()


def say(name: str, turn: int, method: str, run: dict[str, Any]) -> None:
    """Progress."""
    if "failed" in run:
        outcome = f"failed ({run['failed']})"
    else:
        outcome = f"{run['seconds']:.2f} s, NMI {run['nmi']:.3f}, {run['peak'] / 1e6:.0f} MB, "
        outcome += run["note"]
    print(f"{name} turn {turn + 1}: {ENTRIES[method].label} {outcome}", file=sys.stderr, flush=True)


def compare(given: argparse.Namespace, name: str) -> Runs:
    """All turns on one data set."""
    limits = Limits(given.limit, int(given.memory * 1e9))
    runs: Runs = {method: [] for method in given.methods}
    slow: set[str] = set()
    for turn in range(given.turns):
        # Back and forth, so that no method always follows the same one.
        for method in given.methods if turn % 2 == 0 else reversed(given.methods):
            if method in slow:  # never xray, which all others are compared with
                continue
            task = Task(method, given.folder / name, TOPICS[name], turn)
            if method == XRAY:
                run = program(given.program, task, limits)
            else:
                run = library(task, limits)
            patience = given.once if ENTRIES[method].random else given.once / 3
            if method != XRAY and ("failed" in run or run["whole"] > patience):
                slow.add(method)
            runs[method].append(run)
            say(name, turn, method, run)
    if any("failed" in run for run in runs[XRAY]):
        sys.exit(f"xray failed on {name}: {runs[XRAY][-1]['failed']}")
    return runs


def page(given: argparse.Namespace, about: list[str], parts: list[str]) -> str:
    """The Markdown file."""
    ends = f"A process that needs more than {given.limit} s or {given.memory:g} GB is stopped; "
    ends += f"one that needs more than {given.once:g} s, or {given.once / 3:g} s if it draws no "
    ends += "random numbers, has one turn."
    head = ["# Against other libraries", "Written by `make bench-rivals`; do not edit."]
    rest = [
        "## How it is measured",
        NOTES + textwrap.fill(ends, 98),
        bullets(methods(given.methods)),
    ]
    return "\n\n".join([*head, bullets(about), *parts, *rest]) + "\n"


def command(given: argparse.Namespace) -> str:
    """What repeats this run, every setting spelled out."""
    return (
        f"python bench/rivals.py PROGRAM DATA --sets {' '.join(given.sets)} --turns {given.turns} "
        f"--methods {' '.join(given.methods)} --weighting {given.weighting} "
        f"--once {given.once:g} --limit {given.limit} --memory {given.memory:g}"
    )


def main() -> None:
    """Runs all and prints the tables."""
    given = arguments()
    clock, load = time.perf_counter(), os.getloadavg()[0]
    named = subprocess.run([given.program, "--version"], check=True, capture_output=True, text=True)
    about = [
        f"Machine: {machine()}; load {load:.1f} when the run began",
        f"Versions: {versions(named.stdout.strip())}",
        f"Command: `{command(given)}`",
        f"Weights of words: {given.weighting} tf-idf",
    ]
    parts, raw = [], {}
    for name in given.sets:
        size = prepare(given, name)
        runs = raw[name] = compare(given, name)
        table = rows(runs)
        title = f"{TITLES[name]}: {size}, {TOPICS[name]} topics"
        parts += [f"## {title}", markdown(table), textwrap.fill(stages(runs), 98)]
        print(f"\n{title}\n{terminal(table)}\n{stages(runs)}\n", flush=True)
    about[0] += f", {os.getloadavg()[0]:.1f} when it ended"
    about.append(f"The run took {time.perf_counter() - clock:.0f} s")
    print("\n".join([*about, *methods(given.methods)]))
    if given.output:
        given.output.write_text(page(given, about, parts), encoding="utf-8")
    if given.raw:
        given.raw.write_text(json.dumps(raw, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
