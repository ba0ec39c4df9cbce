"""Whatever goes wrong on one rank ends the whole job, with one message, in time."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

from launch import LONGEST, Launcher


def assert_fails(what: str, launcher: Launcher, message: str, *args: str) -> None:
    """The job ends in time, with a status and one line that says why."""
    result = launcher.run(3, *args, seconds=2 * LONGEST)
    assert result.status != 0, f"{what}: status 0"
    assert result.seconds < LONGEST, f"{what}: {result.seconds:.0f} s"
    errors = [line for line in result.err.splitlines() if line.startswith("error:")]
    assert len(errors) == 1, f"{what}: {result.err}"
    assert message in errors[0], f"{what}: {errors[0]}"


def check_failures(launchers: list[Launcher], matrix: Path, work: Path) -> int:
    """Missing, damaged and contradictory input, wrong arguments, and a rank that dies."""
    damaged = work / "damaged.npz"
    damaged.write_bytes(matrix.read_bytes()[:-1000])
    (work / "copy.npz").write_bytes(matrix.read_bytes())
    (work / "missing.txt").write_text(f"{matrix.name}\nnowhere.npz\ncopy.npz\n")
    (work / "malformed.txt").write_text(f"{matrix.name}\ncopy.npz\ndamaged.npz\n")
    (work / "twice.txt").write_text(f"{matrix.name}\n{matrix.name}\n")
    (work / "order-0.csv").write_text("a,b,c\n1,2,3\n4,5,6\n")
    (work / "order-1.csv").write_text("b,a,c\n1,2,3\n4,5,7\n")
    for k, width in enumerate((3, 4)):
        head = "%%MatrixMarket matrix coordinate real general\n"
        (work / f"width-{k}.mtx").write_text(f"{head}2 {width} 2\n1 1 1.0\n2 2 3.0\n")
    (work / "negative.csv").write_text("a,b\n1,2\n3,-4\n")
    plain = ["factorize", "-r", "5", "-q"]
    cases: list[tuple[str, str, list[str]]] = [
        ("a missing file", "nowhere.npz", [*plain, str(work / "nowhere.npz")]),
        ("a damaged file", "damaged.npz", [*plain, str(damaged)]),
        ("a missing shard", "rank 1: ", [*plain, f"@{work / 'missing.txt'}"]),
        ("a damaged shard", "rank 2: ", [*plain, f"@{work / 'malformed.txt'}"]),
        ("a file twice", "twice", [*plain, f"@{work / 'twice.txt'}"]),
        ("no file fits", "no file fits", [*plain, str(work / "none-*.npz")]),
        ("a wrong column", "there are 2000", [*plain, str(matrix), "--fixed", "2000"]),
        ("no place for checkpoints", "cannot write the checkpoint", [*plain, str(matrix),
            "--checkpoint", str(work / "none" / "c.json")]),
        ("another order", "as in the first file", [*plain, str(work / "order-*.csv")]),
        ("another width", "columns and others", [*plain, str(work / "width-*.mtx")]),
        ("a negative value", "entry (1, 1) is -4", [*plain, str(work / "negative.csv")]),
        ("shards nowhere", "add -o FOLDER", [*plain, str(matrix), "--shards"]),
        ("no folder", "cannot", [*plain, str(matrix), "-o", "/proc/none/out"]),
    ]  # fmt: skip
    count = 0
    for launcher in launchers:
        for what, message, args in cases:
            assert_fails(f"{launcher.name}: {what}", launcher, message, *args)
            count += 1
        count += check_disagreement(launcher, matrix, work)
        count += check_killed(launcher, matrix)
    return count


def check_disagreement(launcher: Launcher, matrix: Path, work: Path) -> int:
    """Ranks that see different things under the same names, or are started in different ways."""
    script = work / "differ.sh"
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    changed = bytearray(matrix.read_bytes())
    changed[len(changed) // 2] ^= 1
    (work / "changed.npz").write_bytes(changed)
    records = "".join(f"apple banana cherry word{k % 7}\n" for k in range(60))
    (work / "lines.txt").write_text(records)
    script.write_text(
        f'#!/bin/sh\nmkdir -p "{work}/at-{rank}" && cd "{work}/at-{rank}" || exit 9\n'
        f'cp "{matrix}" x.npz && cp "{work}/lines.txt" t-0.txt && echo word1 > stop\n'
        f"if [ {rank} = 1 ]; then\n"
        f'  cp "{work}/changed.npz" x.npz && cp t-0.txt t-1.txt && echo word2 > stop\n'
        '  [ "$1" = factorize ] && [ "$2" = --version ] && set -- --version\n'
        f'fi\nexec "{launcher.program}" "$@"\n'
    )
    script.chmod(0o755)
    wrapped = Launcher(launcher.name, script)
    cases: list[tuple[str, list[str]]] = [
        ("the data on rank 1 differ", ["factorize", "x.npz", "-r", "3"]),
        ("the list of files on rank 1 differ", ["topics", "t-*.txt", "-k", "2"]),
        ("the options for texts on rank 1 differ", ["topics", "t-0.txt", "-k", "2",
            "--stop-words", "stop"]),
        ("the arguments on rank 1 differ", ["factorize", "--version", "x.npz"]),
    ]  # fmt: skip
    for message, args in cases:
        assert_fails(f"{launcher.name}: {message}", wrapped, message, *args, "-q")
    return len(cases)


def ranks_of(launcher: Launcher, parent: int) -> list[int]:
    """The processes of the program that a launcher has started, however deep."""
    children: dict[int, list[int]] = {}
    programs: list[int] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            command = (entry / "cmdline").read_bytes().split(b"\0")[0].decode()
        except OSError:
            continue
        children.setdefault(int(stat[1]), []).append(int(entry.name))
        if command == str(launcher.program):
            programs.append(int(entry.name))
    below, todo = set(), [parent]
    while todo:
        process = todo.pop()
        below.add(process)
        todo.extend(children.get(process, []))
    return [process for process in programs if process in below]


def check_killed(launcher: Launcher, matrix: Path) -> int:
    """A rank that is killed at a random moment takes the others with it."""
    choose = random.Random(7)
    for _ in range(2):
        args = ["factorize", str(matrix), "-r", "1500", "--selection", "dist", "-q"]
        job = launcher.start(3, *args)
        ranks: list[int] = []
        while len(ranks) < 3:
            time.sleep(0.1)
            assert job.poll() is None, "ended before it could be killed"
            ranks = ranks_of(launcher, job.pid)
        time.sleep(choose.uniform(0.2, 3.0))
        assert job.poll() is None, "ended before it could be killed"
        os.kill(choose.choice(ranks), signal.SIGKILL)
        start = time.monotonic()
        # MPICH's launcher tells of the signal on standard output.
        told = " ".join(job.communicate(timeout=2 * LONGEST)).lower()
        # The launcher need not wait for those that it ends.
        while any(Path(f"/proc/{rank}").exists() for rank in ranks):
            assert time.monotonic() < start + 2 * LONGEST, "some ranks live on"
            time.sleep(0.05)
        seconds = time.monotonic() - start
        what = f"{launcher.name}: a killed rank"
        assert seconds < LONGEST, f"{what}: {seconds:.0f} s"
        assert job.returncode != 0, what
        print(f"  {what}: all ended after {seconds:.1f} s", flush=True)
        assert any(word in told for word in ("killed", "signal 9")), f"{what}: {told}"
    return 2
