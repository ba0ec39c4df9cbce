#!/usr/bin/env python3
"""Checks every package that people build by itself: without features, and with each one alone.

usage: features.py [--without FEATURE ...] [-- CARGO OPTIONS]

In the workspace all features are on, by one package's wishes for another, which hides what is
missing. A feature that this machine lacks the libraries for is named by --without.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from workspace import ROOT, Package, packages


def sets_of_features(package: Package, left_out: set[str]) -> list[list[str]]:
    """No feature, and each one alone; all of them is what the workspace is linted with."""
    return [[], *([feature] for feature in package.features if feature not in left_out)]


def check(package: str, features: list[str], options: list[str]) -> bool:
    """Lints the library and the programs of a package that is built with these features only."""
    command = ["cargo", "clippy", "--quiet", "--package", package, "--no-default-features"]
    command += ["--features", ",".join(features), *options, "--", "-D", "warnings"]
    print(f"{package}: {' '.join(features) or 'no features'}", flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0


def main() -> None:
    """Checks all sets, and then tells which of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("options", nargs="*", help="options of cargo clippy")
    args = parser.parse_args()
    failed = [
        f"{package.name} with {' '.join(features) or 'no features'}"
        for package in packages().values()
        if package.about is not None
        for features in sets_of_features(package, set(args.without))
        if not check(package.name, features, args.options)
    ]
    if failed:
        sys.exit("does not pass: " + ", ".join(failed))


if __name__ == "__main__":
    main()
