#!/usr/bin/env python3
"""Runs libFuzzer on one target until it has had its time.

usage: fuzz.py PROGRAM TARGET [--seconds S] [--inputs N]

Time is the processor's, so that a busy machine tries as much as an idle one; N inputs end it
sooner. Corpora stay in fuzz/corpus, from where the next run goes on. What does harm is kept in
fuzz/regressions: the tests try it for ever after.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from workspace import ROOT

# Seconds by the clock, which a busy machine stretches; megabytes; bytes of an input.
LIMITS = {"rss_limit_mb": 3000, "timeout": 300, "report_slow_units": 300, "max_len": 16384}
# The longest piece of a run: its end is by the clock, and processor time is known only then.
PIECE = 300


def piece(command: list[str], environment: dict[str, str], log: Path) -> tuple[int, float]:
    """Inputs tried and processor seconds used by one call of libFuzzer; a fault ends all."""
    with log.open("wb") as output:
        child = subprocess.Popen(command, env=environment, stdout=output, stderr=output)
        _, status, usage = os.wait4(child.pid, 0)
    text = log.read_text(errors="replace")
    if status:
        sys.exit("\n".join(text.splitlines()[-40:]))
    tried = re.search(r"number_of_executed_units: (\d+)", text)
    if not tried:
        sys.exit(f"{log}: libFuzzer does not tell how many inputs it tried")
    return int(tried[1]), usage.ru_utime + usage.ru_stime


def main() -> None:
    """Runs piece after piece, and tells what was tried."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("target")
    parser.add_argument("--seconds", type=float, default=1200, help="of processor time")
    parser.add_argument("--inputs", type=int, default=10**7, help="that are enough")
    chosen = parser.parse_args()

    corpus = ROOT / "fuzz" / "corpus" / chosen.target
    kept = ROOT / "fuzz" / "regressions" / chosen.target
    log = ROOT / "target" / f"fuzz-{chosen.target}.log"
    for folder in (corpus, kept, log.parent):
        folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {
        "XRAY_FUZZ_TARGET": chosen.target,
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=8",
        # Small files that live for a moment.
        "TMPDIR": "/dev/shm" if Path("/dev/shm").is_dir() else tempfile.gettempdir(),
    }
    seeds = environment | {"XRAY_FUZZ_SEEDS": str(corpus)}
    subprocess.run([chosen.program], env=seeds, check=True, stderr=subprocess.DEVNULL)

    options = [f"-{name}={value}" for name, value in LIMITS.items()]
    options += ["-print_final_stats=1", f"-dict={ROOT / 'fuzz' / 'dictionary.txt'}"]
    options += [f"-artifact_prefix={kept}/"]
    tried, used = 0, 0.0
    while used < chosen.seconds and tried < chosen.inputs:
        limit = max(1, round(min(PIECE, chosen.seconds - used)))
        ends = [f"-max_total_time={limit}", f"-runs={chosen.inputs - tried}"]
        command = [str(chosen.program), str(corpus), str(kept), *options, *ends]
        more, seconds = piece(command, environment, log)
        tried, used = tried + more, used + seconds
    print(f"{chosen.target}: {tried:,} inputs in {used:.0f} s of processor, nothing found")
    if not any(kept.iterdir()):
        kept.rmdir()


if __name__ == "__main__":
    main()
