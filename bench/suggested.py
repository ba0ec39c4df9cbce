#!/usr/bin/env python3
"""Which numbers of topics are suggested for real data, and what they are worth.

usage: suggested.py PROGRAM DATA [--texts FILE ...] [--sets NAME ...]

The table (Markdown) has for each set the number of classes, the number that `xray rank` suggests
with at most 40 and with at most 100, its range, NMI of the heaviest topics there, the best NMI of a
grid of numbers and where that is, and the processor time beside that of one run at that number.
`--texts` adds tables with columns `label` and `text`. Numbers of classes are no truth: annotators
have their own reasons.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from seeds import REUTERS, ten_classes

TEXT = ["--text", "text", "--labels", "label"]
DEMO = str(Path(__file__).resolve().parent.parent / "crates/xray-cli/corpus/demo.tsv")
SETS: dict[str, tuple[str, list[str], int | None]] = {
    "demo": (DEMO, ["--text", "text", "--labels", "subject"], 8),
    "BBC": ("bbc/articles.csv.gz", TEXT, 5),
    "Reuters-10": (REUTERS, TEXT, 10),
    "TDT2": ("tdt2/TDT2.mat", ["--labels", "gnd", "--min-df", "5"], 30),
    "Samson": ("samson/samson_1.mat", ["--variable", "V"], 3),
    "Jasper Ridge": ("jasper/jasperRidge2_R198.mat", ["--variable", "Y"], 4),
}
GRID = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 80, 100)


def run(command: list[str]) -> tuple[dict[str, Any], float]:
    """What a command tells as JSON, and the processor seconds it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run(
        [*command, "--json", "--quiet"], check=True, capture_output=True, text=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer: dict[str, Any] = json.loads(told.stdout)
    return answer, seconds


def agreement(program: str, file: Path, options: list[str], k: int) -> tuple[float, float]:
    """NMI of k heaviest topics, and the seconds of the run."""
    answer, seconds = run([program, "topics", str(file), *options, "-k", str(k)])
    return float(answer["nmi"]), seconds


def row(program: str, name: str, file: Path, options: list[str], classes: int | None) -> str:
    """The line of a set."""
    at = options.index("--labels") if "--labels" in options else len(options)
    unlabelled = options[:at] + options[at + 2 :]
    told, seconds = run([program, "rank", str(file), *unlabelled, "--max", "40", "--words", "0"])
    wide, _ = run([program, "rank", str(file), *unlabelled, "--max", "100", "--words", "0"])
    suggestion = told["suggestion"]
    k = suggestion["rank"]
    low, high = suggestion["range"]
    if "--labels" in options:
        there, once = agreement(program, file, options, k)
        near = [n for n in GRID if n <= 3 * (classes or k)]
        best, where = max((agreement(program, file, options, n)[0], n) for n in near)
        if there >= best:
            best, where = there, k
        worth = [f"{there:.3f}", f"{best:.3f} ({where})"]
    else:
        once = run([program, "factorize", str(file), *options, "-r", str(k), "--refine", "10"])[1]
        worth = ["", ""]
    cells = [
        name,
        str(classes or ""),
        str(k),
        f"{low} to {high}",
        str(wide["suggestion"]["rank"]),
        *worth,
        f"{seconds:.1f}",
        f"{seconds / once:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints the table, a line as soon as it is known."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--texts", type=Path, nargs="*", default=[])
    parser.add_argument("--sets", nargs="*", choices=list(SETS), default=list(SETS))
    args = parser.parse_args()
    titles = ["data", "classes", "suggested", "range", "with at most 100", "NMI there"]
    titles += ["best NMI (at)", "processor s", "times one run"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets:
            path, options, classes = SETS[name]
            file = args.data / path
            if not file.exists():
                print(f"SKIPPED: {name} (no {file})")
                continue
            if path == REUTERS:
                file = ten_classes(file, Path(folder))
            print(row(args.program, name, file, options, classes), flush=True)
    csv.field_size_limit(sys.maxsize)
    for file in args.texts:
        with file.open(encoding="utf-8", newline="") as lines:
            classes = len({record["label"] for record in csv.DictReader(lines)})
        print(row(args.program, file.stem, file, TEXT, classes), flush=True)


if __name__ == "__main__":
    main()
