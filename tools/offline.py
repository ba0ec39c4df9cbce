#!/usr/bin/env python3
"""The program works without any network, and never asks for one.

usage: offline.py PROGRAM

Every verb that computes runs in a network namespace that has no interface, and its system calls are
watched for internet sockets. A program that does ask shows that the watch can see it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Alone with a loopback that is down: as root, or as a user who may have namespaces of his own.
NAMESPACES = (["unshare", "--net"], ["unshare", "--map-root-user", "--net"])
WATCH = ["strace", "--follow-forks", "--trace=%network", "--string-limit=0"]
INTERNET = re.compile(r"\bAF_INET6?\b")
ASKS = "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).close()"


def verbs(folder: Path) -> list[list[str]]:
    """Runs that build on each other."""
    texts, matrix, found = folder / "texts.txt", folder / "x.npz", folder / "found"
    lines = [
        "cats purr and sleep",
        "dogs bark and run",
        "sleepy cats",
        "dogs run far",
        "stocks rise",
    ]
    texts.write_text("\n".join(lines * 4))
    model = str(found / "model.npz")
    return [
        ["demo"],
        ["topics", str(texts), "-k", "2", "-o", str(found)],
        ["transform", model, str(texts)],
        ["synth", str(matrix), "--rows", "60", "--columns", "40", "-r", "4"],
        ["factorize", str(matrix), "-r", "4"],
        ["rank", str(matrix), "--max", "5"],
        ["convert", str(matrix), str(folder / "x.mtx.gz")],
    ]


def works(command: list[str]) -> bool:
    """Whether a command can be run here."""
    if not shutil.which(command[0]):
        return False
    done = subprocess.run([*command, "true"], capture_output=True, check=False)
    return done.returncode == 0


def asked(wrapper: list[str], command: list[str], log: Path) -> list[str]:
    """Calls for internet sockets while a command runs; it must succeed."""
    done = subprocess.run(
        [*wrapper, *WATCH, f"--output={log}", *command], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"without a network, {' '.join(command)} fails:\n{done.stderr}")
    return [line for line in log.read_text().splitlines() if INTERNET.search(line)]


def main() -> None:
    """Runs all verbs."""
    program = str(Path(sys.argv[1]).resolve())
    namespace = next((wrapper for wrapper in NAMESPACES if works(wrapper)), None)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "calls"
        if namespace is None or not works([*WATCH, f"--output={log}"]):
            print("SKIPPED: the program without a network (needs unshare, namespaces, strace)")
            return
        if not asked(namespace, [sys.executable, "-c", ASKS], log):
            sys.exit("a program that opens a socket was not noticed")
        runs = verbs(folder)
        for run in runs:
            if calls := asked(namespace, [program, *run], log):
                sys.exit("\n".join([f"xray {run[0]} asks for the network:", *calls]))
    print(f"{len(runs)} verbs work without a network, and ask for none")


if __name__ == "__main__":
    main()
