"""Runs `xray-mpi` under real MPI and demands the bits of `xray`.

usage: mpi_runs.py XRAY XRAY_MPI_OPENMPI XRAY_MPI_MPICH GOLDEN DATA WORK [PART ...]

XRAY is the program of one machine, the others the same program built for each MPI (- for none).
GOLDEN and DATA are folders, or - where there are none. PART: golden, real, files, failures, resume;
all by default.
"""

from __future__ import annotations

import json
import sys
from itertools import product
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from failures import check_failures
from launch import Launcher, assert_same, assert_same_model, xray
from resume import check_resume

RULES = ["rand", "max", "dist", "greedy"]


def compare(
    launchers: list[Launcher],
    program: Path,
    data: Path,
    args: list[str],
    ranks: list[int],
    work: Path,
) -> int:
    """Compares all numbers of ranks and threads with one machine; returns how many runs."""
    expected_out = work / "expected"
    base = ["factorize", str(data), "--json", "-q", *args]
    expected = xray(program, *base, "-o", str(expected_out)).answer()
    count = 0
    for launcher, n, threads in product(launchers, ranks, [1, 2]):
        what = f"{launcher.name}, {n} ranks, {threads} threads, {data.name} {' '.join(args)}"
        out = work / "found"
        found = launcher.run(n, *base, "--threads", str(threads), "-o", str(out)).answer()
        assert_same(what, found, expected)
        assert_same_model(what, out / "model.npz", expected_out / "model.npz")
        assert found["ranks"]["number"] == n, what
        count += 1
    return count


def check_golden(launchers: list[Launcher], program: Path, golden: Path, work: Path) -> int:
    """All golden matrices, all rules."""
    count = 0
    for file in sorted(golden.glob("*.npy")):
        rank = min(np.load(file).shape)
        for k, rule in enumerate(RULES):
            args = [
                "-r",
                str(min(rank, 12)),
                "--selection",
                rule,
                "--allow-negative",
                "--seed",
                "3",
            ]
            # Each rule on other numbers of ranks: the matrices are many and small.
            count += compare(launchers, program, file, args, [2 + k % 3], work)
    return count


def real_matrices(program: Path, data: Path, work: Path) -> list[tuple[Path, int]]:
    """The real data sets as weighted matrices, with the number of anchors to find in each."""
    sources: list[tuple[str, list[str], int]] = [
        ("bbc/bbc.mtx.gz", ["--transpose", "--weighting", "tfidf"], 20),
        ("reuters/Reuters21578.mat", ["--variable", "fea", "--weighting", "tfidf"], 15),
        ("tdt2/TDT2.mat", ["--variable", "fea", "--weighting", "tfidf"], 15),
        ("tweets/tweets.tsv.gz", [], 8),
    ]
    found = []
    for source, options, rank in sources:
        matrix = work / f"{Path(source).parent.name}.npz"
        if not matrix.exists():
            done = xray(program, "convert", str(data / source), str(matrix), "-q", *options)
            assert done.status == 0, done.err
        found.append((matrix, rank))
    return found


def check_real(launchers: list[Launcher], program: Path, data: Path, work: Path) -> int:
    """Real data, all rules, 1 to 4 ranks."""
    count = 0
    for matrix, rank in real_matrices(program, data, work):
        for rule in RULES:
            args = ["-r", str(rank), "--selection", rule]
            count += compare(launchers, program, matrix, args, [1, 2, 3, 4], work)
            print(f"  {matrix.name} {rule}: same bits", flush=True)
    return count


def synthetic(work: Path, rows: int = 3000, columns: int = 2000) -> Path:
    """A sparse matrix that is large enough for every rank to own columns."""
    path = work / "synthetic.npz"
    random = np.random.default_rng(1)
    dense = random.random((rows, columns))
    matrix = sp.csr_matrix(np.where(dense < 0.01, dense, 0.0))
    sp.save_npz(path, matrix, compressed=False)
    return path


def check_files(launchers: list[Launcher], program: Path, work: Path) -> int:
    """Rows in several files, read by different ranks; H in shards."""
    whole = synthetic(work)
    matrix = sp.csr_matrix(sp.load_npz(whole))
    for k, start in enumerate(range(0, 3000, 700)):
        sp.save_npz(work / f"part-{k}.npz", matrix[start : start + 700])
    (work / "parts.txt").write_text("".join(f"part-{k}.npz\n" for k in range(5)))
    args = ["-r", "12", "--selection", "greedy"]
    expected_out = work / "expected"
    base = ["factorize", "--json", "-q", *args]
    expected = xray(program, *base, str(whole), "-o", str(expected_out)).answer()
    with np.load(expected_out / "model.npz") as model:
        h = sp.csr_matrix(
            (model["h_data"], model["h_indices"], model["h_indptr"]), shape=model["h_shape"]
        ).tocsc()
    count = 0
    for launcher, n in product(launchers, [1, 2, 3, 4, 7]):
        for source in (str(work / "part-*.npz"), f"@{work / 'parts.txt'}"):
            what = f"{launcher.name}, {n} ranks, {source}"
            out = work / f"shards-{launcher.name}-{n}"
            found = launcher.run(n, *base, source, "-o", str(out), "--shards").answer()
            assert_same(what, found, expected)
            manifest = json.loads((out / "manifest.json").read_text())
            assert len(manifest["shards"]) == n and manifest["anchors"] == found["anchors"], what
            files = [s["file"] for s in manifest["shards"] if s["columns"] > 0]
            shards = sp.hstack([sp.load_npz(out / file) for file in files]).tocsc()
            ranges = [r for s in manifest["shards"] for r in s["ranges"]]
            place = np.concatenate([np.arange(first, end) for first, end in ranges])
            shards = shards[:, np.argsort(place)]
            shards.sort_indices()
            h.sort_indices()
            assert shards.data.tobytes() == h.data.tobytes(), what
            assert np.array_equal(shards.indices, h.indices), what
            assert np.array_equal(shards.indptr, h.indptr), what
            count += 1
    return count


def main() -> None:
    """Runs the parts that were asked for."""
    program, openmpi, mpich, golden, data, work = sys.argv[1:7]
    parts = sys.argv[7:] or ["golden", "files", "failures", "resume", "real"]
    launchers = [
        Launcher(name, Path(path).resolve())
        for name, path in (("openmpi", openmpi), ("mpich", mpich))
        if path != "-"
    ]
    folder = Path(work).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    one = Path(program).resolve()
    for part in parts:
        if part in ("golden", "real") and {"golden": golden, "real": data}[part] == "-":
            print(f"SKIPPED: {part} (no folder)")
            continue
        count = {
            "golden": lambda: check_golden(launchers, one, Path(golden), folder),
            "real": lambda: check_real(launchers, one, Path(data), folder),
            "files": lambda: check_files(launchers, one, folder),
            "failures": lambda: check_failures(launchers, synthetic(folder), folder),
            "resume": lambda: check_resume(launchers, one, synthetic(folder), folder),
        }[part]()
        print(f"{part}: {count} runs as they should be", flush=True)


if __name__ == "__main__":
    main()
