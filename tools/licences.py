#!/usr/bin/env python3
"""Collects the licence texts of everything that a program or library of ours is made of.

usage: licences.py PACKAGE OUTPUT [CARGO OPTIONS ...]

The texts are those in the packages' own files, each once, with all packages that have it. The
Rust standard library is named as well. It fails if a package brings no text at all.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import defaultdict
from pathlib import Path

from dependencies import Dependency, dependencies, metadata, shipped

FILE = re.compile(r"(li[cs]en[cs]e|copying|notice|copyright|unlicense|ofl)", re.IGNORECASE)
# Code and manifests have such names, too, and are no texts.
ENDINGS = {"", ".txt", ".md", ".mit", ".apache", ".markdown"}
# The other choice of packages that are also free under a shorter licence, which we take.
NOT_TAKEN = "GNU GENERAL PUBLIC LICENSE"
HEAD = """\
{package} contains the packages that are listed below, each under its own licence. Every text
stands here once, after the packages that have it.

It also contains parts of the Rust standard library, under MIT OR Apache-2.0, Copyright (c) The Rust
Project Developers: both texts are below.
"""


def texts(package: Dependency) -> list[str]:
    """What the files of a package say; also those of sources of others that it carries."""
    files = [
        path
        for path in sorted(package.folder.rglob("*"))
        if FILE.match(path.name) and path.suffix.lower().rstrip("-0123456789.") in ENDINGS
    ]
    named = package.about["license_file"]
    files += [package.folder / named] if named else []
    found = [path.read_text(errors="replace").strip() for path in files if path.is_file()]
    taken = [text for text in found if not text.startswith(NOT_TAKEN)]
    if not taken:
        sys.exit(f"{package}: brings no text of its licence {package.licence}")
    return taken


def collect(packages: list[Dependency]) -> str:
    """Every text once, in the order of the first package that has it."""
    owners: dict[str, list[str]] = defaultdict(list)
    wording: dict[str, str] = {}
    for package in packages:
        for text in texts(package):
            words = " ".join(text.split())
            wording.setdefault(words, text)
            if str(package) not in owners[words]:
                owners[words].append(str(package))
    rule = "-" * 80
    parts = [
        f"{rule}\n{', '.join(owners[words])}\n{rule}\n\n{wording[words]}\n" for words in owners
    ]
    return "\n".join(parts)


def main() -> None:
    """Writes one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("output", type=Path)
    args, options = parser.parse_known_args()
    known = dependencies(metadata())
    found = [known[key] for key in shipped(args.package, options) if key in known]
    listing = "".join(f"  {package}: {package.licence}\n" for package in found)
    text = f"{HEAD.format(package=args.package)}\n{listing}\n{collect(found)}"
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(text)
    print(f"{args.output}: licences of {len(found)} packages, {len(text.encode()) / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
