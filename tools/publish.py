#!/usr/bin/env python3
"""Packs every package that goes to an index, and looks at what is inside.

usage: publish.py [--verify]

Each must say what it is (description, keywords, categories, licence) and carry its
README and both licence texts. With --verify each is also built from what was packed (minutes).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tarfile

from workspace import ROOT, Package, packages, target_folder

SAID = ("description", "license", "readme", "keywords", "categories", "rust_version")
INSIDE = ("Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE")


def pack(names: list[str], verify: bool) -> None:
    """Packs into target/package, uncommitted files as well."""
    command = ["cargo", "package", "--quiet", "--allow-dirty"]
    command += [word for name in names for word in ("--package", name)]
    done = subprocess.run([*command, *([] if verify else ["--no-verify"])], cwd=ROOT, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def complaints(package: Package, about: dict[str, object]) -> list[str]:
    """What is missing in the manifest and in the packed file."""
    missing = [f"no {field} in Cargo.toml" for field in SAID if not about[field]]
    packed = target_folder() / "package" / f"{package.name}-{about['version']}.crate"
    with tarfile.open(packed) as archive:
        files = {member.name.split("/", 1)[1]: member for member in archive.getmembers()}
    missing += [f"no {name} inside" for name in INSIDE if name not in files]
    missing += [f"{name} is a link" for name, member in files.items() if not member.isfile()]
    return [f"{package.name}: {word}" for word in missing]


def main() -> None:
    """Packs, looks, and complains."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--verify", action="store_true")
    args = parser.parse_args()
    public = [(package, package.about) for package in packages().values() if package.about]
    pack([package.name for package, _ in public], args.verify)
    found = [word for package, about in public for word in complaints(package, about)]
    if found:
        sys.exit("\n".join(found))
    print(f"{len(public)} packages have all that they need")


if __name__ == "__main__":
    main()
