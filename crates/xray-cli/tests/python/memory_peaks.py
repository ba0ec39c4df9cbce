"""Peaks of memory against --memory, ulimit -v and control groups.

usage: memory_peaks.py PROGRAM [--full]

Runs data of five shapes (tall sparse, wide sparse, dense, texts, bombs) with several limits. A run
either ends well or is refused in words with status 1; in both cases its peak stays within 1.2 times
the limit. Limits that are known to be enough must do. --full takes larger data, where the program
itself weighs less.
"""

from __future__ import annotations

import gzip
import lzma
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.sparse as sp

MB = 1 << 20
SLACK = 1.2
# No limit is enough.
NEVER = 1 << 40
GROUPS = Path("/sys/fs/cgroup")


@dataclass
class Case:
    """A run: its data, its arguments, and limits in MB, of which those from `enough` on must do."""

    name: str
    words: list[str]
    limits: list[int]
    enough: int


@dataclass
class Ended:
    """How a run has ended."""

    status: int
    peak: float
    message: str


# Runs a program under a limit and prints its peak. A process begins with the peak of the one that
# forked it, so this is a small one.
STARTER = """
import os, resource, sys
limit, program = int(sys.argv[1]), sys.argv[2:]
child = os.fork()
if child == 0:
    if limit:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(program[0], program)
_, status, usage = os.wait4(child, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024)
"""


def run(program: Path, words: list[str], address_space: int = 0) -> Ended:
    """Runs the program to its end, and asks the system for its peak."""
    starter = [sys.executable, "-S", "-E", "-c", STARTER, str(address_space), str(program)]
    done = subprocess.run([*starter, *words], capture_output=True, text=True, check=True)
    status, peak = done.stdout.split()
    return Ended(int(status), float(peak), done.stderr.strip())


def sparse(folder: Path, name: str, rows: int, columns: int, entries: int) -> str:
    """A random sparse matrix in a file."""
    random = np.random.default_rng(1)
    places = (random.integers(0, rows, entries), random.integers(0, columns, entries))
    matrix = sp.csr_matrix((random.random(entries), places), shape=(rows, columns))
    path = folder / f"{name}.npz"
    sp.save_npz(path, matrix, compressed=False)
    return str(path)


def texts(folder: Path, documents: int) -> str:
    """Documents of 60 words each, out of 20,000."""
    random = np.random.default_rng(2)
    words = np.array([f"word{k}x" for k in range(20_000)])
    drawn = words[np.minimum(random.zipf(1.3, size=(documents, 60)) - 1, 19_999)]
    path = folder / "texts.txt"
    path.write_text("\n".join(" ".join(line) for line in drawn.tolist()) + "\n")
    return str(path)


def zipped(folder: Path, name: str, start: bytes, block: bytes, times: int) -> str:
    """A small file that stands for a large one."""
    path = folder / name
    with gzip.open(path, "wb", compresslevel=1) as out:
        out.write(start)
        many = block * (MB // len(block))
        for _ in range(times):
            out.write(many)
    return str(path)


def workbook(folder: Path, name: str, part: str, start: bytes, block: bytes, end: bytes) -> str:
    """A spreadsheet with one part that stands for 60 MB."""
    sheet = b"<w><row r='1'><c r='A1'><v>1</v></c></row></w>"
    parts = {
        "[Content_Types].xml": [b"<Types/>"],
        "xl/workbook.xml": [b"<w><sheet name='a' r:id='r'/></w>"],
        "xl/_rels/workbook.xml.rels": [b"<r><Relationship Id='r' Target='worksheets/s.xml'/></r>"],
        "xl/worksheets/s.xml": [sheet],
    }
    parts[part] = [start, *[block * (MB // len(block))] * 60, end]
    path = folder / name
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for member, blocks in parts.items():
            with archive.open(member, "w") as out:
                for bytes_ in blocks:
                    out.write(bytes_)
    return str(path)


def parquet(folder: Path, name: str, dictionary: bool) -> str:
    """A text of 200 MB in one page of a small file."""
    path = folder / name
    table = pa.table({"text": pa.array(["a " * (100 * MB)])})
    options = {"compression": "zstd", "write_statistics": False, "data_page_size": 1 << 30}
    pq.write_table(table, path, use_dictionary=dictionary, **options)
    return str(path)


def windowed(folder: Path) -> str:
    """Comments that are kept for 64 MB, to be repeated."""
    path = folder / "window.mtx.xz"
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 64 * MB}]
    with lzma.open(path, "wb", filters=filters) as out:
        out.write(b"%%MatrixMarket matrix coordinate real general\n")
        for _ in range(80):
            out.write((b"%" + b"c" * 1022 + b"\n") * 1024)
        out.write(b"3 3 2\n1 1 1\n2 2 3\n")
    return str(path)


def unpacked(folder: Path) -> Iterator[str]:
    """Small files that expand elsewhere than in lines."""
    yield windowed(folder)
    commas = b"," * (MB // 2 - 1) + b"\n"
    yield zipped(folder, "commas.csv.gz", b"", commas, 2)
    yield workbook(folder, "sheets.xlsx", "xl/workbook.xml", b"<w>", b"<sheet r:id='r'/>", b"</w>")
    formats = b"<numFmt numFmtId='1' formatCode='0'/>"
    yield workbook(folder, "styles.xlsx", "xl/styles.xml", b"<s>", formats, b"</s>")
    cell = b"<w><row r='1'><c r='A1' t='str'><v>"
    yield workbook(folder, "cell.xlsx", "xl/worksheets/s.xml", cell, b"a", b"</v></c></row></w>")
    yield parquet(folder, "page.parquet", False)
    yield parquet(folder, "dictionary.parquet", True)


def header(rows: int, columns: int) -> bytes:
    """The start of a .npy file of bytes."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    return b"\x93NUMPY\x01\x00v\x00" + text.ljust(117).encode() + b"\n"


def cases(folder: Path, scale: int) -> Iterator[Case]:
    """All shapes; `scale` 1 is for every day."""
    tall = sparse(folder, "tall", 200_000 * scale, 500, 1_000_000 * scale)
    quiet = ["-q", "--threads", "2"]
    fit = ["-r", "5", *quiet]
    yield Case("tall sparse", ["factorize", tall, *fit], [40, 120 * scale], 120 * scale)
    model, rows = str(folder / "m.npz"), str(folder / "w.npz")
    kept = ["factorize", tall, "-r", "20", *quiet, "-o", model]
    yield Case("tall sparse, kept", kept, [160 * scale], 160 * scale)
    new = ["transform", model, tall, *quiet, "-o", rows]
    yield Case("new rows", new, [64, 160 * scale], 160 * scale)
    wide = sparse(folder, "wide", 500, 100_000 * scale, 500_000 * scale)
    greedy = [*fit, "--selection", "greedy"]
    limits = [60 * scale + 40, 200 * scale]
    yield Case("wide sparse", ["factorize", wide, *greedy], limits, limits[0])
    normalized = ["factorize", wide, *fit, "--normalize", "l2"]
    yield Case("normalised", normalized, [64, 100 * scale], 100 * scale)
    stable = ["factorize", wide, *fit, "--stability"]
    yield Case("halves", stable, [64, 130 * scale], 130 * scale)
    dense = folder / "dense.npy"
    np.save(dense, np.random.default_rng(3).random((2000 * scale, 1500)))
    limits = [20 * scale, 60 * scale]
    yield Case("dense", ["factorize", str(dense), *fit, "--refine", "2"], limits, 60 * scale)
    lines = texts(folder, 30_000 * scale)
    topics = ["topics", lines, "-k", "10", "--refine", "3", *quiet, "-o", str(folder / "out")]
    yield Case("texts", topics, [50, 150 * scale], 150 * scale)
    yield Case("phrases", [*topics, "--phrases"], [64, 90], NEVER)
    bombs = [
        zipped(folder, "lines.txt.gz", b"", b"a\n", 100 * scale),
        zipped(folder, "rows.svm.gz", b"", b"0\n", 100 * scale),
        zipped(folder, "bytes.npy.gz", header(100 * scale, MB), b"\0", 100 * scale),
        zipped(folder, "table.csv.gz", b"a,b\n", b"1,2\n", 100 * scale),
        zipped(folder, "endless.txt.gz", b"", b"a", 400 * scale),
    ]
    for bomb in bombs:
        name = Path(bomb).name
        yield Case(name, ["factorize", bomb, "-r", "2", *quiet], [64, 128], NEVER)
    for bomb in unpacked(folder):
        words = ["convert", bomb, str(folder / "out.csv"), "-q"]
        yield Case(Path(bomb).name, words, [64], NEVER)
    opened = ["transform", bombs[0], lines, *quiet]
    yield Case("bomb as model", opened, [64], NEVER)


def judge(what: str, ended: Ended, limit: float, must: bool) -> str | None:
    """Prints the peak against the limit; what is wrong, if anything is."""
    share = ended.peak / limit
    peak, most = f"{ended.peak / MB:7.1f}", f"{limit / MB:7.1f} MB"
    print(f"{what:32} status {ended.status}  peak {peak} of {most}: {share:.2f}", flush=True)
    if ended.status not in (0, 1) or (must and ended.status):
        return f"{what}: status {ended.status}: {ended.message[-300:]}"
    if ended.status == 1 and not ended.message.startswith("error: "):
        return f"{what}: no words: {ended.message[-300:]}"
    return f"{what}: {share:.2f} of the limit" if share > SLACK else None


def new_group(limit: int) -> Path | None:
    """A control group with a limit, of version 2 or 1, if one can be made."""
    places = [
        (GROUPS, "cgroup.controllers", "memory.max"),
        (GROUPS / "memory", "memory.limit_in_bytes", "memory.limit_in_bytes"),
    ]
    for place, sign, file in places:
        group = place / f"xray-{os.getpid()}"
        if not (place / sign).is_file():
            continue
        try:
            group.mkdir()
            (group / file).write_text(str(limit))
            return group
        except OSError:
            if group.is_dir():
                group.rmdir()
    return None


def in_group(program: Path, words: list[str], limit: int) -> Ended | None:
    """A run in a control group of its own, if that can be made."""
    group = new_group(limit)
    if group is None:
        return None
    try:
        shell = f'echo $$ > {group}/cgroup.procs && exec "$0" "$@"'
        return run(Path("/bin/sh"), ["-c", shell, str(program), *words])
    finally:
        group.rmdir()


def main() -> None:
    """All cases under all limits."""
    program = Path(sys.argv[1]).resolve()
    scale = 8 if "--full" in sys.argv else 1
    faults: list[str | None] = []
    with tempfile.TemporaryDirectory() as name:
        for case in cases(Path(name), scale):
            for limit in case.limits:
                ended = run(program, [*case.words, "--memory", f"{limit}M"])
                must = limit >= case.enough
                faults.append(judge(case.name, ended, limit * MB, must))
            if case.enough == NEVER and scale == 1:
                continue
            # What the system allows is the limit where nothing is said. Threads need addresses of
            # their own.
            limit = max(case.limits[-1], 128) * 2
            ended = run(program, case.words, limit * MB)
            faults.append(judge(f"{case.name}, ulimit -v", ended, limit * MB, False))
            grouped = in_group(program, case.words, limit * MB)
            if grouped is None:
                print(f"SKIPPED: {case.name} in a control group (cannot be made here)")
            else:
                faults.append(judge(f"{case.name}, group", grouped, limit * MB, False))
    told = [fault for fault in faults if fault]
    if told:
        sys.exit("\n".join(told))


if __name__ == "__main__":
    main()
