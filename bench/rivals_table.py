"""Tables of rivals.py, for the terminal and in Markdown. Standard library only."""

from __future__ import annotations

import os
import platform
import statistics
import textwrap
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rivals_entries import ENTRIES, THREADS, XRAY

Runs = dict[str, list[dict[str, Any]]]
"""The runs of each method, one a turn."""

HEADER = [
    "method",
    "fit, s",
    "times xray",
    "processor, s",
    "whole, s",
    "before, MB",
    "peak, MB",
    "NMI",
    "NMI as given",
    "NPMI",
    "turns",
]


def span(values: list[float], digits: int) -> str:
    """Median, with the least and the greatest where there are several."""
    middle = f"{statistics.median(values):.{digits}f}"
    if len(values) < 2:
        return middle
    return f"{middle} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def spread(values: list[float]) -> str:
    """Mean, with the standard deviation where the values differ."""
    middle = f"{statistics.mean(values):.3f}"
    if max(values) - min(values) < 5e-4:
        return middle
    return f"{middle} ± {statistics.stdev(values):.3f}"


def ratios(runs: Runs, method: str) -> list[float]:
    """How many times as long as xray the method took, turn by turn."""
    pairs = zip(runs[method], runs[XRAY], strict=False)
    return [
        a["seconds"] / b["seconds"] for a, b in pairs if "failed" not in a and "failed" not in b
    ]


def failed_row(label: str, run: dict[str, Any]) -> list[str]:
    """A method that did not come to its end."""
    size = f"{run['peak'] / 1e6:.0f}" if "peak" in run else ""
    if run["failed"] == "time":
        return [label, f"stopped after {run['seconds']:.0f}", *[""] * 4, size, *[""] * 3, "1"]
    what = "out of memory" if run["failed"] == "memory" else run["failed"]
    return [label, what, *[""] * 4, size, *[""] * 3, "1"]


def row(runs: Runs, method: str) -> list[str]:
    """One method's line."""
    label = ENTRIES[method].label
    done = [run for run in runs[method] if "failed" not in run]
    if not done:
        return failed_row(label, runs[method][0])
    return [
        label,
        span([run["seconds"] for run in done], 2),
        "1" if method == XRAY else span(ratios(runs, method), 1),
        f"{statistics.median(run['processor'] for run in done):.2f}",
        f"{statistics.median(run['whole'] for run in done):.2f}",
        f"{max(run['before'] for run in done) / 1e6:.0f}",
        f"{max(run['peak'] for run in done) / 1e6:.0f}",
        spread([run["nmi"] for run in done]),
        spread([run["nmi_given"] for run in done]),
        spread([run["npmi"] for run in done]),
        str(len(done)),
    ]


def rows(runs: Runs) -> list[list[str]]:
    """The table of a data set."""
    return [HEADER, *(row(runs, method) for method in runs if runs[method])]


def terminal(table: list[list[str]]) -> str:
    """Columns side by side."""
    widths = [max(len(line[c]) for line in table) for c in range(len(HEADER))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if c == 0 else cell.rjust(width)
            for c, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in table
    )


def markdown(table: list[list[str]]) -> str:
    """The same in Markdown."""
    lines = [f"| {' | '.join(line)} |" for line in table]
    return "\n".join([lines[0], "|---|" + "---:|" * (len(HEADER) - 1), *lines[1:]])


def machine() -> str:
    """Processor, cores, memory, system."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = named[0].split(":", 1)[1].strip() if named else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"


def versions(program: str) -> str:
    """Of this program, of Python and of every library."""
    packages = ["numpy", "scipy", *dict.fromkeys(e.package for e in ENTRIES.values() if e.package)]
    return ", ".join(
        [program, f"Python {platform.python_version()}", *(f"{p} {version(p)}" for p in packages)]
    )


def methods(names: list[str]) -> list[str]:
    """A line on each method."""
    entries = (ENTRIES[name] for name in names)
    return [f"{entry.label}: {entry.settings}. Threads: {entry.threads}." for entry in entries]


def stages(runs: Runs) -> str:
    """The median time of each stage of this program."""
    names = runs[XRAY][0]["stages"]
    medians = {name: statistics.median(r["stages"][name] for r in runs[XRAY]) for name in names}
    return "Stages of xray: " + ", ".join(f"{n} {s:.2f} s" for n, s in medians.items()) + "."


def bullets(lines: list[str]) -> str:
    """A list in Markdown, lines of at most 110 characters."""
    return "\n".join(
        textwrap.fill(line, 110, initial_indent="- ", subsequent_indent="  ") for line in lines
    )


NOTES = f"""\
Every fit has a process of its own and {THREADS} threads where there is a choice. The methods take
turns, back and forth; the number of the turn is the seed. *Times xray* compares within a turn.

All get the same counts or the same tf-idf weights of them, ready in memory and in the form that
they take. *Fit* is the time from there to the topics and the weights of all documents: for xray
its stages anchors, refinement and weights. *Whole* is from the start of the process, with imports
and reading; for xray also with writing all files.

*Processor* is the time on all cores, of the fit, for xray of the whole run. *Before* is the
memory that the process had when the fit began, *peak* the most that it had from then on; for xray
the most before its anchors, and in the whole run.

*NMI* compares the labels with each document's heaviest topic, the topics of NMF being equally
long; *as given* takes the weights just as they come. *NPMI* is the coherence of each topic's ten
words, as the library lists them, over the training documents. Both are computed by the same code
for all.

Times are medians (least to greatest), scores are means ± standard deviation over the turns.
"""
