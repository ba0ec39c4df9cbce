"""Runs that are cut short and resumed on another number of ranks have the bits of whole ones."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from failures import ranks_of
from launch import LONGEST, Launcher, assert_same, assert_same_model, xray


def check_resume(
    launchers: list[Launcher], program: Path, matrix: Path, work: Path, rules: list[str]
) -> int:
    """Kills a rank after the first checkpoint, and goes on with more and with fewer ranks."""
    count = 0
    for launcher in launchers:
        for rule in rules:
            count += kill_and_resume(launcher, program, matrix, work, rule)
    return count


def kill_and_resume(launcher: Launcher, program: Path, matrix: Path, work: Path, rule: str) -> int:
    """One rule under one MPI."""
    rank = "60"
    base = ["factorize", str(matrix), "-r", rank, "--selection", rule, "--json", "-q"]
    expected_out = work / "expected"
    expected = xray(program, *base, "-o", str(expected_out)).answer()
    checkpoint = work / "checkpoint.json"
    checkpoint.unlink(missing_ok=True)
    save = ["--checkpoint", str(checkpoint), "--checkpoint-every", "1"]
    job = launcher.start(3, *base, *save)
    deadline = time.monotonic() + 300
    while not checkpoint.exists():
        assert time.monotonic() < deadline, "no checkpoint was written"
        time.sleep(0.01)
    ranks = ranks_of(launcher, job.pid)
    killed = job.poll() is None and bool(ranks)
    if killed:
        os.kill(ranks[-1], signal.SIGKILL)
    job.communicate(timeout=2 * LONGEST)
    saved = checkpoint.read_bytes()
    count = 0
    for n in (1, 2, 4):
        checkpoint.write_bytes(saved)
        out = work / "found"
        found = launcher.run(n, *base, *save, "--resume", "-o", str(out)).answer()
        what = f"{launcher.name}, {rule}: resumed on {n} ranks"
        assert_same(what, found, expected)
        assert_same_model(what, out / "model.npz", expected_out / "model.npz")
        count += 1
    other = launcher.run(2, *base, *save, "--resume", "--mean-ray")
    assert other.status != 0 and "another run" in other.err, other.err
    return count
