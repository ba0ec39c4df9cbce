"""Time two builds of the program against each other, in turns, in one run.

usage: builds.py OLD NEW DATA WORK [--repeat N] [--limit RATIO]

OLD and NEW are programs `xray`; DATA has the data sets; WORK is for matrices made from them. For
each job both run in turns. Told are the least processor seconds of each (of the whole program,
reading and writing included) and their ratio, which a busy machine disturbs less than seconds by
the clock; the same of the seconds that the program counts for its anchors and refinement; and of
its peak of memory. Above the limit, exits with 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# A job: its name, the data set, and what is asked for.
JOBS = [
    ("max 100, TDT2", "tdt2", ["factorize", "-r", "100", "--selection", "max"]),
    ("greedy 50, TDT2", "tdt2", ["factorize", "-r", "50", "--selection", "greedy"]),
    ("dist 30, TDT2", "tdt2", ["factorize", "-r", "30", "--selection", "dist"]),
    ("agg 30, TDT2", "tdt2", ["factorize", "-r", "30", "--selection", "agg"]),
    (
        "max 30, 5 steps of refinement, TDT2",
        "tdt2",
        ["factorize", "-r", "30", "--selection", "max", "--refine", "5"],
    ),
    ("max 40, Samson", "samson", ["factorize", "-r", "40", "--selection", "max"]),
    ("topics 20, BBC", "bbc", ["topics", "-k", "20"]),
]


def matrices(program: Path, data: Path, work: Path) -> dict[str, list[str]]:
    """Files and options of the data sets; weighted once, by one program."""
    work.mkdir(parents=True, exist_ok=True)
    tdt2, samson = work / "tdt2.npz", work / "samson.npy"
    made = [
        (data / "tdt2/TDT2.mat", tdt2, ["--variable", "fea", "--weighting", "tfidf"]),
        (data / "samson/samson_1.mat", samson, ["--variable", "V"]),
    ]
    for source, target, options in made:
        if not target.exists():
            subprocess.run([program, "convert", source, target, "-q", *options], check=True)
    bbc = data / "bbc/articles.csv.gz"
    return {"tdt2": [str(tdt2)], "samson": [str(samson)], "bbc": [str(bbc), "--text", "text"]}


def run(program: Path, words: list[str], folder: str) -> tuple[float, float, float]:
    """Processor seconds of the program, the seconds that it counts for its work, and megabytes."""
    command = [str(program), *words, "--threads", "1", "--json", "-q"]
    with tempfile.TemporaryFile() as answer:
        child = subprocess.Popen(command, stdout=answer, cwd=folder)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"failed: {' '.join(command)}")
        answer.seek(0)
        seconds = json.load(answer)["seconds"]
    counted = sum(seconds.get(stage, 0.0) for stage in ("anchors", "refine"))
    return used.ru_utime + used.ru_stime, counted, used.ru_maxrss / 1e3


def main() -> None:
    """Takes turns and tells the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("old", "new", "data", "work"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--limit", type=float)
    given = parser.parse_args()
    programs = [given.old.resolve(), given.new.resolve()]
    sets = matrices(programs[1], given.data.resolve(), given.work.resolve())
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, data, (verb, *options) in JOBS:
            words = [verb, *sets[data], *options]
            runs = [
                [run(program, words, folder) for program in programs] for _ in range(given.repeat)
            ]
            least = [[min(turn[k][q] for turn in runs) for k in range(2)] for q in range(3)]
            (old, new), (before, after), (small, large) = least
            worst = max(worst, new / old, large / small)
            print(
                f"{name}: processor {old:.3f} -> {new:.3f} s, {new / old:.3f} x; "
                f"counted {before:.3f} -> {after:.3f} s, {after / before:.3f} x; "
                f"peak {small:.0f} -> {large:.0f} MB, {large / small:.3f} x",
                flush=True,
            )
    if given.limit is not None and worst > given.limit:
        sys.exit(f"the worst ratio is {worst:.3f}, above {given.limit}")


if __name__ == "__main__":
    main()
