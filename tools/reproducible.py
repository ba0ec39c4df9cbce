#!/usr/bin/env python3
"""Two builds of the same sources, in folders of different names, give the same bytes.

usage: reproducible.py [CARGO OPTIONS ...]

Without options it builds the program for release, twice: ten minutes. What differs between two
machines besides the compiler is where things are, so paths are mapped to fixed names; the flags
that it prints are those for whoever wants to build the same bytes.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workspace import ROOT


def sources() -> list[str]:
    """Files of the repository that are there."""
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    return [name for name in listed if (ROOT / name).is_file()]


def copy_to(folder: Path) -> None:
    """A copy of the sources as they are."""
    for name in sources():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((ROOT / name).read_bytes())


def flags(folder: Path) -> str:
    """Places become names."""
    home = os.environ.get("CARGO_HOME") or str(Path.home() / ".cargo")
    named = {str(folder): "/xray", home: "/cargo"}
    return " ".join(f"--remap-path-prefix={place}={name}" for place, name in named.items())


def build(folder: Path, options: list[str]) -> bytes:
    """The program as it is built there."""
    copy_to(folder)
    environment = os.environ | {"RUSTFLAGS": flags(folder), "CARGO_TARGET_DIR": str(folder / "out")}
    print(f"RUSTFLAGS='{environment['RUSTFLAGS']}'", flush=True)
    command = ["cargo", "build", "--quiet", "--locked", "--package=xray-cli", *options]
    subprocess.run(command, cwd=folder, env=environment, check=True)
    (program,) = [path for path in folder.glob("out/*/xray") if path.is_file()]
    return program.read_bytes()


def main() -> None:
    """Builds twice, and compares."""
    options = sys.argv[1:] or ["--release"]
    programs = []
    with tempfile.TemporaryDirectory() as root:
        for name in ("here", "somewhere/else"):
            folder = Path(root) / name
            folder.mkdir(parents=True)
            programs.append(build(folder, options))
            print(
                f"{hashlib.sha256(programs[-1]).hexdigest()}  {len(programs[-1])} bytes", flush=True
            )
            told = [text for text in (root, str(Path.home())) if text.encode() in programs[-1]]
            if told:
                sys.exit(f"the program names folders of this machine: {', '.join(told)}")
    if programs[0] != programs[1]:
        sys.exit("the two builds differ")
    print("the same bytes twice")


if __name__ == "__main__":
    main()
