"""How ranks are started under Open MPI and MPICH, and how their answers are compared."""

from __future__ import annotations

import json
import os
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

# No failure may take longer than this to end the job.
LONGEST = 30.0


@dataclass
class Result:
    """How a run ended."""

    status: int
    out: str
    err: str
    seconds: float

    def answer(self) -> dict[str, Any]:
        """The JSON answer of a run that went well."""
        assert self.status == 0, f"status {self.status}: {self.err}"
        answer: dict[str, Any] = json.loads(self.out)
        return answer


@dataclass
class Launcher:
    """One MPI with the program that was built for it."""

    name: str
    program: Path
    options: list[str] = field(default_factory=list)

    def command(self, ranks: int, *args: str) -> list[str]:
        """The whole command line."""
        mpirun = f"mpirun.{self.name}"
        more = ["--oversubscribe"] if self.name == "openmpi" else []
        return [mpirun, *more, *self.options, "-n", str(ranks), str(self.program), *args]

    def run(self, ranks: int, *args: str, seconds: float = 900.0) -> Result:
        """Runs to the end; a run that takes longer is an error of its own."""
        start = time.monotonic()
        done = subprocess.run(
            self.command(ranks, *args),
            capture_output=True,
            text=True,
            timeout=seconds,
            env=environment(),
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)

    def start(self, ranks: int, *args: str) -> subprocess.Popen[str]:
        """Starts a run and returns at once."""
        return subprocess.Popen(
            self.command(ranks, *args),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )


def environment() -> dict[str, str]:
    """Test machines are often containers where everybody is root and cores are few."""
    return {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    }


def bits(values: list[float | None]) -> list[str | None]:
    """Floating-point numbers as text that keeps every bit."""
    return [None if value is None else float(value).hex() for value in values]


def assert_same(what: str, answer: dict[str, Any], expected: dict[str, Any]) -> None:
    """Anchors, scores, margins and residuals have the same bits."""
    assert answer["anchors"] == expected["anchors"], what
    for key in ("score", "margin", "residual_norm"):
        assert bits(answer[key]) == bits(expected[key]), f"{what}: {key}"
    for key in (
        "rows",
        "columns",
        "entries",
        "rank",
        "termination",
        "parameters",
        "refined_objective",
    ):
        assert answer[key] == expected[key], f"{what}: {key}"


def assert_same_model(what: str, model: Path, expected: Path) -> None:
    """W and H have the same bits."""
    with np.load(model) as own, np.load(expected) as other:
        assert set(own.files) == set(other.files), what
        for name in set(own.files) - {"metadata"}:
            assert own[name].dtype == other[name].dtype, f"{what}: {name}"
            assert own[name].tobytes() == other[name].tobytes(), f"{what}: {name}"


def assert_same_topics(
    what: str, answer: dict[str, Any], expected: dict[str, Any], out: Path, expected_out: Path
) -> None:
    """Topics, documents and model are the same; the time and the ranks are not compared."""
    own = {"seconds", "peak_memory_bytes", "ranks", "evaluations", "wrote", "input"}
    read, expected_read = answer["input"], expected["input"]
    # Parts have another name, and are several.
    for key in expected_read.keys() - {"name", "files"}:
        assert read[key] == expected_read[key], f"{what}: input, {key}"
    for key in expected.keys() - own:
        assert json.dumps(answer[key]) == json.dumps(expected[key]), f"{what}: {key}"
    for name in ("documents.csv", "topics.csv"):
        assert (out / name).read_bytes() == (expected_out / name).read_bytes(), f"{what}: {name}"
    assert_same_model(what, out / "model.npz", expected_out / "model.npz")


def xray(program: Path, *args: str) -> Result:
    """Runs the program of one machine."""
    start = time.monotonic()
    done = subprocess.run([str(program), *args], capture_output=True, text=True, check=False)
    return Result(done.returncode, done.stdout, done.stderr, time.monotonic() - start)
