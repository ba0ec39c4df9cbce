"""Ranks against threads on one machine: memory and time, in one run.

usage: cluster.py XRAY XRAY_MPI DATA WORK [--mpi openmpi|mpich] [--runs N] [--only time|memory]

Time: 100 greedy anchors of TDT2 and of the tweets, 2 ranks with 1 thread each and 1 rank with 2
threads in turns; at most 1.15 times as long. Memory: peak of the largest rank on the shape of RCV1,
4 ranks against 1, with the same memory for cached products; at most 0.4 times as much.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Other processes with more of a core than this spoil a timing.
QUIET = 0.1


@dataclass
class Timing:
    """One run: seconds of the search, and cores that other processes kept busy meanwhile."""

    seconds: float
    others: float


def busy_seconds() -> float:
    """CPU seconds of the whole machine since it was started."""
    user, nice, system = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:4]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def own_seconds() -> float:
    """CPU seconds of the runs so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@dataclass
class Program:
    """The program under one MPI."""

    path: Path
    mpi: str

    def answer(self, ranks: int, *args: str) -> dict[str, Any]:
        """Runs to the end and returns the JSON answer."""
        more = ["--oversubscribe", "--bind-to", "none"] if self.mpi == "openmpi" else []
        command = [f"mpirun.{self.mpi}", *more, "-n", str(ranks), str(self.path), *args]
        root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        environment = {**os.environ, **root}
        done = subprocess.run(command, check=True, capture_output=True, env=environment)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def timed(self, ranks: int, threads: int, matrix: Path) -> Timing:
        """The time of the search for 100 anchors."""
        start, busy, own = time.monotonic(), busy_seconds(), own_seconds()
        args = ["-r", "100", "--selection", "greedy", "--threads", str(threads), "--json", "-q"]
        answer = self.answer(ranks, "factorize", str(matrix), *args)
        others = (busy_seconds() - busy) - (own_seconds() - own)
        return Timing(answer["seconds"]["anchors"], others / (time.monotonic() - start))


def convert(xray: Path, source: Path, target: Path, *options: str) -> Path:
    """The data as a weighted matrix, made once."""
    if not target.exists():
        subprocess.run([str(xray), "convert", str(source), str(target), "-q", *options], check=True)
    return target


def compare_time(program: Program, matrix: Path, runs: int) -> None:
    """Takes turns and prints the ratio of the medians of the undisturbed runs."""
    kinds = {"1 rank x 2 threads": (1, 2), "2 ranks x 1 thread": (2, 1)}
    timings: dict[str, list[Timing]] = {kind: [] for kind in kinds}
    for _ in range(runs):
        for kind, (ranks, threads) in kinds.items():
            timings[kind].append(program.timed(ranks, threads, matrix))
    middle = []
    for kind, all_runs in timings.items():
        quiet = [run.seconds for run in all_runs if run.others < QUIET]
        middle.append(statistics.median(quiet or [run.seconds for run in all_runs]))
        listed = ", ".join(f"{run.seconds:.2f} ({run.others:.1f})" for run in all_runs)
        note = "" if quiet else "; the machine was never quiet"
        print(f"{matrix.stem} {program.mpi} {kind}: {listed} s (cores of others){note}")
    print(f"{matrix.stem} {program.mpi}: {middle[1] / middle[0]:.2f} x (at most 1.15)", flush=True)


def compare_memory(program: Program, matrix: Path) -> None:
    """Prints the ratio of the peaks."""
    args = ["-r", "30", "--selection", "greedy", "--memory", "4G", "--threads", "1"]
    peaks = {}
    for ranks in (1, 4):
        answer = program.answer(ranks, "factorize", str(matrix), *args, "--json", "-q")
        told = [answer["peak_memory_bytes"]] if ranks == 1 else answer["ranks"]["peak_memory_bytes"]
        peaks[ranks] = max(told)
        sizes = ", ".join(f"{peak / 1e6:.0f}" for peak in told)
        seconds = answer["seconds"]["total"]
        print(f"{matrix.stem} {program.mpi} {ranks} ranks: {sizes} MB, {seconds:.0f} s", flush=True)
    print(f"{matrix.stem} {program.mpi}: {peaks[4] / peaks[1]:.2f} x (at most 0.40)", flush=True)


def main() -> None:
    """Measures what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("xray", type=Path)
    parser.add_argument("xray_mpi", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--mpi", default="openmpi", choices=["openmpi", "mpich"])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=["time", "memory"])
    given = parser.parse_args()
    given.work.mkdir(parents=True, exist_ok=True)
    program = Program(given.xray_mpi.resolve(), given.mpi)
    if given.only != "memory":
        tdt2, tweets = given.data / "tdt2/TDT2.mat", given.data / "tweets/tweets.tsv.gz"
        options = ["--variable", "fea", "--weighting", "tfidf"]
        compare_time(
            program, convert(given.xray, tdt2, given.work / "tdt2.npz", *options), given.runs
        )
        compare_time(program, convert(given.xray, tweets, given.work / "tweets.npz"), given.runs)
    if given.only != "time":
        rcv1 = given.work / "rcv1.npz"
        if not rcv1.exists():
            command = [str(given.xray), "synth", str(rcv1), "--corpus", "rcv1", "-q"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        compare_memory(program, rcv1)


if __name__ == "__main__":
    main()
