"""Runs `xray` under real MPI and demands the bits of `xray` alone.

usage: mpi_runs.py XRAY XRAY_MPI_OPENMPI XRAY_MPI_MPICH GOLDEN DATA WORK [PART ...] [--quick]

XRAY is the program of one machine, the others the same program built for each MPI (- for none).
GOLDEN and DATA are folders, or - where there are none. PART: golden, files, topics, methods,
failures, resume, real; all by default. --quick takes fewer rules, sizes and data sets: two minutes
instead of half an hour.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io
import scipy.sparse as sp
from failures import check_failures
from launch import Launcher, assert_same, assert_same_model, assert_same_topics, xray
from resume import check_resume


@dataclass
class Runs:
    """What to run: both programs, where to work, and how much."""

    launchers: list[Launcher]
    program: Path
    work: Path
    quick: bool

    @cached_property
    def rules(self) -> list[str]:
        """All selection rules, as the program lists them."""
        told = xray(self.program, "factorize", "-", "--selection", "?").err
        return told.split("[possible values: ")[1].split("]")[0].split(", ")

    def compare(self, data: Path, args: list[str], ranks: list[int], threads: list[int]) -> int:
        """Compares numbers of ranks and threads with one machine; returns how many runs."""
        expected_out = self.work / "expected"
        base = ["factorize", str(data), "--json", "-q", *args]
        expected = xray(self.program, *base, "-o", str(expected_out)).answer()
        count = 0
        for launcher, n, t in product(self.launchers, ranks, threads):
            what = f"{launcher.name}, {n} ranks, {t} threads, {data.name} {' '.join(args)}"
            out = self.work / "found"
            found = launcher.run(n, *base, "--threads", str(t), "-o", str(out)).answer()
            assert_same(what, found, expected)
            assert_same_model(what, out / "model.npz", expected_out / "model.npz")
            assert n == 1 or found["ranks"]["number"] == n, what
            count += 1
        return count


def check_golden(runs: Runs, golden: Path) -> int:
    """All golden matrices, all rules; if quick, each matrix with one rule."""
    count = 0
    for q, file in enumerate(sorted(golden.glob("*.npy"))):
        rank = min(*np.load(file).shape, 12)
        for k, rule in enumerate(runs.rules):
            if runs.quick and k != q % len(runs.rules):
                continue
            args = ["-r", str(rank), "--selection", rule, "--allow-negative", "--seed", "3"]
            ranks = [2 + (q + k) % 3] if runs.quick else [1, 2, 3, 4]
            count += runs.compare(file, args, ranks, [1] if runs.quick else [1, 2])
    return count


def reuters10(data: Path, work: Path) -> Path:
    """The counts of the ten largest classes of Reuters."""
    path = work / "reuters10-counts.npz"
    loaded = scipy.io.loadmat(data / "reuters" / "Reuters21578.mat")
    labels = loaded["gnd"].ravel()
    classes, sizes = np.unique(labels, return_counts=True)
    largest = classes[np.argsort(-sizes, kind="stable")[:10]]
    sp.save_npz(path, sp.csr_matrix(loaded["fea"], dtype=float)[np.isin(labels, largest)])
    return path


def real_matrices(runs: Runs, data: Path) -> list[tuple[Path, int]]:
    """The real data sets as weighted matrices, with the number of anchors to find in each."""
    weigh = ["--weighting", "tfidf"]
    sources: list[tuple[str, Path, list[str], int]] = [
        ("bbc", data / "bbc/bbc.mtx.gz", ["--transpose", *weigh], 20),
    ]
    if not runs.quick:
        sources += [
            ("reuters10", reuters10(data, runs.work), weigh, 15),
            ("tdt2", data / "tdt2/TDT2.mat", ["--variable", "fea", *weigh], 15),
            ("tweets", data / "tweets/tweets.tsv.gz", [], 8),
        ]
    found = []
    for name, source, options, rank in sources:
        matrix = runs.work / f"{name}.npz"
        if not matrix.exists():
            done = xray(runs.program, "convert", str(source), str(matrix), "-q", *options)
            assert done.status == 0, done.err
        found.append((matrix, rank))
    return found


def check_real(runs: Runs, data: Path) -> int:
    """Real data, all rules, 1 to 4 ranks; if quick, one data set on 3 ranks."""
    count = 0
    for matrix, rank in real_matrices(runs, data):
        for rule in ("max", "greedy", "agg", "joint") if runs.quick else runs.rules:
            args = ["-r", str(rank), "--selection", rule]
            ranks, threads = ([3], [1]) if runs.quick else ([1, 2, 3, 4], [1, 2])
            count += runs.compare(matrix, args, ranks, threads)
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


def check_files(runs: Runs) -> int:
    """Rows in several files, read by different ranks; H in shards, and refined."""
    work = runs.work
    whole = synthetic(work)
    matrix = sp.csr_matrix(sp.load_npz(whole))
    for k, start in enumerate(range(0, 3000, 700)):
        sp.save_npz(work / f"part-{k}.npz", matrix[start : start + 700])
    (work / "parts.txt").write_text("".join(f"part-{k}.npz\n" for k in range(5)))
    refine = ["-r", "6", "--refine", "3", "--refine-method", "hals"]
    count = runs.compare(whole, refine, [3] if runs.quick else [1, 2, 3, 4], [1])
    expected_out = work / "expected"
    base = ["factorize", "--json", "-q", "-r", "12", "--selection", "greedy"]
    expected = xray(runs.program, *base, str(whole), "-o", str(expected_out)).answer()
    with np.load(expected_out / "model.npz") as model:
        parts = (model["h_data"], model["h_indices"], model["h_indptr"])
        h = sp.csr_matrix(parts, shape=model["h_shape"]).tocsc()
    h.sort_indices()
    for launcher, n in product(runs.launchers, [3] if runs.quick else [1, 2, 3, 4, 7]):
        for source in (str(work / "part-*.npz"), f"@{work / 'parts.txt'}"):
            what = f"{launcher.name}, {n} ranks, {source}"
            out = work / f"shards-{launcher.name}-{n}"
            found = launcher.run(n, *base, source, "-o", str(out), "--shards").answer()
            assert_same(what, found, expected)
            assert_same_shards(what, out, n, h)
            found = launcher.run(n, *base, source, "-o", str(out)).answer()
            assert_same(what, found, expected)
            assert_same_model(what, out / "model.npz", expected_out / "model.npz")
            left = [file.name for file in out.iterdir() if file.name.startswith(("h-", "manifest"))]
            assert not left, f"{what}: {left} of the run before"
            file = work / "one-file.npz"
            launcher.run(n, *base, source, "-o", str(file)).answer()
            assert_same_model(what, file, expected_out / "model.npz")
            count += 3
    return count


def assert_same_shards(what: str, out: Path, n: int, h: sp.csc_matrix) -> None:
    """The shards, put in order as the manifest says, are H."""
    manifest = json.loads((out / "manifest.json").read_text())
    parts = [s for s in manifest["files"] if s["part"] == "h"]
    assert len(parts) == n, what
    listed = [s for s in parts if s["ranges"]]
    ranges = [r for s in listed for r in s["ranges"]]
    place = np.concatenate([np.arange(first, end) for first, end in ranges])
    shards = sp.hstack([sp.load_npz(out / s["file"]) for s in listed]).tocsc()
    shards = shards[:, np.argsort(place)]
    shards.sort_indices()
    assert shards.data.tobytes() == h.data.tobytes(), what
    assert np.array_equal(shards.indices, h.indices), what
    assert np.array_equal(shards.indptr, h.indptr), what


def texts(work: Path, n: int) -> Path:
    """Documents of made-up words, each about one or two of six subjects, most with a date."""
    path = work / "texts.tsv"
    random = np.random.default_rng(2)
    with path.open("w") as out:
        out.write("id\tlabel\tdate\ttext\n")
        for d in range(n):
            subjects = random.integers(0, 6, size=2)
            places = np.minimum(random.geometric(0.02, size=30), 300)
            words = [f"w{subjects[k % 2]}x{p}" if k % 3 else f"c{p}" for k, p in enumerate(places)]
            date = "" if d % 50 == 0 else f"{1 + d % 28}/{1 + d % 12}/{2001 + d % 3}"
            out.write(f"d{d}\tc{subjects[0]}\t{date}\t{' '.join(words)}\n")
    return path


def in_parts(whole: Path, n: int) -> str:
    """The same records in several files, one of them empty; the pattern that finds them."""
    header, *records = whole.read_text().splitlines(keepends=True)
    size = -(-len(records) // n)
    for k in range(n):
        part = whole.with_name(f"texts-part-{k}.tsv")
        part.write_text("".join([header, *records[k * size : (k + 1) * size]]))
    whole.with_name("texts-part-9.tsv").touch()
    return str(whole.with_name("texts-part-*.tsv"))


def counts(work: Path) -> Path:
    """Counts of 600 words in 5,000 documents."""
    path = work / "counts.npz"
    random = np.random.default_rng(3)
    means = random.gamma(0.1, 3.0, size=(8, 600))
    matrix = random.poisson(random.dirichlet([0.2] * 8, size=5000) @ means).astype(float)
    sp.save_npz(path, sp.csr_matrix(matrix))
    return path


def check_topics(runs: Runs, data: Path | None) -> int:
    """Topics of texts and of counts: everything that is written is the same."""
    made = texts(runs.work, 9000)
    cases: list[tuple[Path, list[str]]] = [
        (made, ["-k", "6", "--labels", "label", "--time", "date"]),
        (made, ["--anchor", "w3x2", "--exclude", "c1"]),
        (counts(runs.work), ["-k", "8", "--refine-method", "exact"]),
    ]
    if data is not None and not runs.quick:
        cases.append((data / "tweets/tweets.tsv.gz", ["-k", "20"]))
        cases.append((data / "bbc/bbc.mtx.gz", ["-k", "5", "--transpose"]))
    count = 0
    for source, args in cases:
        base = ["topics", "--json", "-q", *args]
        expected_out, out = runs.work / "expected-topics", runs.work / "found-topics"
        expected = xray(runs.program, *base, str(source), "-o", str(expected_out)).answer()
        given = [str(source), in_parts(made, 4)] if "label" in args else [str(source)]
        ranks = [3] if runs.quick else [1, 2, 3, 4]
        for launcher, n, data_of_run in product(runs.launchers, ranks, given):
            what = f"{launcher.name}, {n} ranks: topics {data_of_run} {' '.join(args)}"
            found = launcher.run(n, *base, data_of_run, "-o", str(out)).answer()
            assert_same_topics(what, found, expected, out, expected_out)
            count += 1
    return count


def figures(answer: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """What a comparison tells of the methods that ran, but for time and memory."""
    own = {"seconds", "refined_seconds", "memory_bytes"}
    return {
        method["method"]: [{k: v for k, v in run.items() if k not in own} for run in method["runs"]]
        for method in answer["methods"]
        if "runs" in method
    }


def check_methods(runs: Runs) -> int:
    """Comparisons: the rules have the same figures, and a rival is left out with the reason."""
    made = texts(runs.work, 9000)
    rules = [f"xray-{rule}" for rule in (["greedy"] if runs.quick else runs.rules)]
    base = ["compare", str(made), "--labels", "label", "-r", "6", "--runs", "2", "--json", "-q"]
    expected = figures(xray(runs.program, *base, "--methods", ",".join(rules)).answer())
    assert list(expected) == rules
    count = 0
    for launcher, n in product(runs.launchers, [3] if runs.quick else [2, 3, 4]):
        what = f"{launcher.name}, {n} ranks: compare"
        out = runs.work / "compared"
        listed = ["--methods", ",".join([*rules, "spa"]), "-o", str(out)]
        answer = launcher.run(n, *base, *listed).answer()
        assert json.dumps(figures(answer)) == json.dumps(expected), what
        reason = answer["methods"][-1]["left_out"]
        assert reason == "needs the whole matrix on one machine", f"{what}: {reason}"
        assert (out / "compare.csv").exists(), what
        count += 1
    return count


def main() -> None:
    """Runs the parts that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("xray", "openmpi", "mpich", "golden", "data", "work"):
        parser.add_argument(name)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_intermixed_args()
    launchers = [
        Launcher(name, Path(path).resolve())
        for name, path in (("openmpi", given.openmpi), ("mpich", given.mpich))
        if path != "-"
    ]
    work = Path(given.work).resolve()
    work.mkdir(parents=True, exist_ok=True)
    runs = Runs(launchers, Path(given.xray).resolve(), work, given.quick)
    data = None if given.data == "-" else Path(given.data)
    golden = None if given.golden == "-" else Path(given.golden)
    all_parts = ["golden", "files", "topics", "methods", "failures", "resume", "real"]
    for part in given.parts or all_parts:
        if (part == "golden" and golden is None) or (part == "real" and data is None):
            print(f"SKIPPED: {part} (no folder)")
            continue
        count = {
            "golden": lambda: check_golden(runs, golden or work),
            "files": lambda: check_files(runs),
            "topics": lambda: check_topics(runs, data),
            "methods": lambda: check_methods(runs),
            "failures": lambda: check_failures(launchers, synthetic(work), work),
            "resume": lambda: check_resume(
                launchers,
                runs.program,
                synthetic(work),
                work,
                ["rand", "greedy"] if runs.quick else runs.rules,
            ),
            "real": lambda: check_real(runs, data or work),
        }[part]()
        print(f"{part}: {count} runs as they should be", flush=True)


if __name__ == "__main__":
    main()
