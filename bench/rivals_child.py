"""Children of rivals.py: one process a fit, with limits, timed and weighed from outside.

Standard library only: a child's peak memory counts from its fork, so this process must stay small.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from rivals_entries import THREADS, XRAY

WORKER = Path(__file__).with_name("rivals_worker.py")
POOLS = ("OMP", "OPENBLAS", "MKL", "RAYON")
UNITS = {"B": 1.0, "KB": 1e3, "MB": 1e6, "GB": 1e9}


class Limits(NamedTuple):
    """What a child may take."""

    seconds: int
    memory: int
    """Bytes of address space."""


class Task(NamedTuple):
    """A fit to be made."""

    method: str
    folder: Path
    topics: int
    seed: int


class Ended(NamedTuple):
    """A child that has come to its end."""

    status: int
    seconds: float
    processor: float
    peak: int
    out: str
    err: str


def start(command: list[str], limits: Limits) -> Ended:
    """Runs a command under limits and waits for it."""

    def confine() -> None:
        # Both outlive the exec; the alarm ends a child that takes too long.
        signal.alarm(limits.seconds)
        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))

    threads = {f"{pool}_NUM_THREADS": str(THREADS) for pool in POOLS}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        clock = time.perf_counter()
        child = subprocess.Popen(
            command, stdout=out, stderr=err, env={**os.environ, **threads}, preexec_fn=confine
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - clock
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        processor = usage.ru_utime + usage.ru_stime
        return Ended(
            child.returncode, seconds, processor, usage.ru_maxrss * 1024, out.read(), err.read()
        )


def failure(ended: Ended, limits: Limits) -> dict[str, Any] | None:
    """How a child failed; nothing if it did not."""
    if ended.status == -signal.SIGALRM:
        return {"failed": "time", "peak": ended.peak, "seconds": float(limits.seconds)}
    if ended.status == 0:
        return None
    lines = ended.err.strip().splitlines() or ["no message"]
    return {"failed": f"exit {ended.status}: {lines[-1][:200]}", "peak": ended.peak}


def library(task: Task, limits: Limits) -> dict[str, Any]:
    """One fit of a library."""
    command = [sys.executable, "-W", "ignore", str(WORKER), task.method, str(task.folder)]
    command += [str(task.topics), str(task.seed), str(time.monotonic())]
    ended = start(command, limits)
    failed = failure(ended, limits)
    if failed:
        return failed
    answer: dict[str, Any] = json.loads(ended.out.splitlines()[-1])
    return {"peak": ended.peak, **answer}


def peak_before(lines: str, stage: str) -> int:
    """Peak memory in bytes after the stage, as `--verbose` prints it; 0 if it does not."""
    found = re.search(rf"^{stage} .*peak memory ([\d.]+) ([KMG]?B)", lines, re.MULTILINE)
    return int(float(found.group(1)) * UNITS[found.group(2)]) if found else 0


def program(path: str, task: Task, limits: Limits) -> dict[str, Any]:
    """One run of this program on the same matrix, every word kept and no weight changed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [path, "topics", str(task.folder / "tfidf.npz"), "-k", str(task.topics)]
        command += ["--terms", str(task.folder / "terms.txt")]
        command += ["--labels", str(task.folder / "labels.txt")]
        command += ["--weighting", "none", "--min-df", "1", "--max-df", "1.0"]
        command += ["--stop-words", "none", "--threads", str(THREADS)]
        command += ["--json", "--verbose", "-o", folder]
        ended = start(command, limits)
        failed = failure(ended, limits)
        if failed:
            return failed
        (Path(folder) / "answer.json").write_text(ended.out)
        score = [sys.executable, str(WORKER), XRAY, str(task.folder), folder]
        scored = subprocess.run(score, check=True, capture_output=True, text=True).stdout
    answer = json.loads(ended.out)
    n_terms = len((task.folder / "terms.txt").read_text().split())
    if answer["vocabulary"] != n_terms:
        sys.exit(f"xray kept {answer['vocabulary']} of {n_terms} words: not the same input")
    measured = json.loads(scored)
    if abs(measured["nmi"] - answer["nmi"]) > 1e-9:
        sys.exit(f"xray says NMI {answer['nmi']}, the files it wrote give {measured['nmi']}")
    stages = answer["seconds"]
    return {
        "seconds": sum(stages[stage] for stage in ("anchors", "refinement", "weights")),
        "stages": stages,
        "processor": ended.processor,
        "whole": ended.seconds,
        "before": peak_before(ended.err, "text"),
        "peak": ended.peak,
        "note": f"{len(answer['refined_objective'])} steps of refinement",
        **measured,
    }
