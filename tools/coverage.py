#!/usr/bin/env python3
"""Which lines the tests reach.

usage: coverage.py [--least PERCENT] PACKAGE ...

Runs the tests of these packages, instrumented, and counts the lines of their src/ that ran. Needs
llvm-profdata and llvm-cov of the compiler's own version of LLVM: those of rustup's llvm-tools, or
of the folder $LLVM_BIN, or of a package such as Debian's llvm-22.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from workspace import ROOT

PROFILES = ROOT / "target" / "coverage"
SOURCE = re.compile(r"/crates/([^/]+)/src/(.*)$")


def tool(name: str) -> str:
    """A tool of the LLVM that the compiler has."""
    about = subprocess.check_output(["rustc", "--version", "--verbose"], text=True)
    fields = dict(line.split(": ", 1) for line in about.splitlines() if ": " in line)
    version = fields["LLVM version"].split(".")[0]
    root = Path(subprocess.check_output(["rustc", "--print=sysroot"], text=True).strip())
    places = [
        Path(os.environ.get("LLVM_BIN", "")) / name,
        root / "lib" / "rustlib" / fields["host"] / "bin" / name,
        Path(f"/usr/lib/llvm-{version}/bin/{name}"),
    ]
    found = next((str(place) for place in places if place.is_file()), None)
    found = found or shutil.which(f"{name}-{version}")
    if not found:
        package = f"apt-get install llvm-{version}"
        sys.exit(f"no {name} of LLVM {version}: rustup component add llvm-tools, or {package}")
    return found


def run_tests(packages: list[str]) -> list[str]:
    """Runs all tests but those of the documentation; the programs that did."""
    shutil.rmtree(PROFILES, ignore_errors=True)
    environment = os.environ | {
        "INSTRUMENT": "-Cinstrument-coverage",
        "RUSTC_WORKSPACE_WRAPPER": str(ROOT / "tools" / "instrument.sh"),
        "LLVM_PROFILE_FILE": str(PROFILES / "%p-%m.profraw"),
    }
    chosen = [word for package in packages for word in ("--package", package)]
    command = ["cargo", "test", "--tests", *chosen]
    built = subprocess.run(
        [*command, "--no-run", "--message-format=json"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    return sorted({str(m["executable"]) for m in messages if m.get("executable")})


def covered(programs: list[str]) -> list[dict[str, Any]]:
    """For each file: how many lines have code, and how many of them ran."""
    merged = str(PROFILES / "all.profdata")
    raw = [str(path) for path in PROFILES.glob("*.profraw")]
    subprocess.run(
        [tool("llvm-profdata"), "merge", "--sparse", "--output", merged, *raw], check=True
    )
    command = [
        tool("llvm-cov"),
        "export",
        "--summary-only",
        f"--instr-profile={merged}",
        programs[0],
    ]
    command += [f"--object={program}" for program in programs[1:]]
    exported = json.loads(subprocess.check_output(command, text=True))
    files: list[dict[str, Any]] = exported["data"][0]["files"]
    return files


def main() -> None:
    """Prints every file that is not covered well, and the sum for each package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("packages", nargs="+")
    args = parser.parse_args()
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for file in covered(run_tests(args.packages)):
        match = SOURCE.search(file["filename"])
        if not match or match[1] not in args.packages:
            continue
        lines = file["summary"]["lines"]
        sums[match[1]][0] += lines["covered"]
        sums[match[1]][1] += lines["count"]
        if lines["percent"] < max(args.least, 1.0):
            print(f"{lines['percent']:6.1f} % of {lines['count']:4d}  {match[1]}/src/{match[2]}")
    low = []
    for package, (n_covered, n_lines) in sorted(sums.items()):
        share = 100 * n_covered / n_lines
        print(f"{share:6.1f} % of {n_lines} lines of {package}")
        low += [package] if share < args.least else []
    if low or not sums:
        sys.exit(f"less than {args.least} % in: {', '.join(low) or 'all'}")


if __name__ == "__main__":
    main()
