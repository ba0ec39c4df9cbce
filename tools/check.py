#!/usr/bin/env python3
"""The developer's loop: formatting, lints and tests of the packages that changed.

usage: check.py [--since COMMIT] [--dependents] [CARGO OPTIONS ...]

Changed is what differs from the branch `main` (on main itself: from the last commit), committed or
not. Lints look at the changed packages and all that need them; tests run in the changed ones, with
--dependents in the others, too. `make test` does everything.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from workspace import ROOT, dependents, packages


def git(*args: str) -> list[str]:
    """Lines that git prints."""
    return subprocess.check_output(["git", *args], cwd=ROOT, text=True).splitlines()


def changed_files(since: str | None) -> set[Path]:
    """Files that differ from `since`, or where nothing is said from where the branch left main."""
    base = since or git("merge-base", "HEAD", "main")[0]
    names = git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    if not names and not since:
        names = git("diff", "--name-only", "HEAD~1")
    return {ROOT / name for name in names}


def changed_packages(files: set[Path]) -> set[str]:
    """Packages with changed files; all of them where what they share has changed."""
    known = packages()
    shared = {ROOT / name for name in ("Cargo.toml", "Cargo.lock", ".cargo/config.toml")}
    if files & shared:
        return set(known)
    found = {p.name for p in known.values() if any(p.folder in file.parents for file in files)}
    # The pages' examples are tested with the program.
    if any(file.suffix == ".md" for file in files):
        found.add("xray-cli")
    return found


def run(*command: str) -> None:
    """Runs one command; its failure is ours."""
    print("+", " ".join(command), flush=True)
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    if status:
        sys.exit(status)


def chosen(names: set[str]) -> list[str]:
    """The options that choose packages."""
    return [word for name in sorted(names) for word in ("--package", name)]


def main() -> None:
    """Formats are looked at, then lints, then tests run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--since", help="a commit to compare with")
    parser.add_argument("--dependents", action="store_true")
    args, options = parser.parse_known_args()
    changed = changed_packages(changed_files(args.since))
    touched = dependents(packages(), changed)
    run("cargo", "fmt", "--all", "--check")
    if not changed:
        print("no package changed")
        return
    lint = ["cargo", "clippy", "--quiet", "--all-targets", *options, *chosen(touched)]
    run(*lint, "--", "-D", "warnings")
    run("cargo", "test", "--quiet", *options, *chosen(touched if args.dependents else changed))
    left = touched - changed
    if left and not args.dependents:
        print("linted only:", " ".join(sorted(left)))


if __name__ == "__main__":
    main()
