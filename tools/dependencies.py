"""What the workspace takes from others: packages, their licences, and who needs whom."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workspace import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:  # A dependency of the test tools there.
    import tomli as tomllib

# A package that stands for itself in messages: "name version".
Key = tuple[str, str]


@dataclass
class Dependency:
    """One package of somebody else, as its own manifest and our lock file describe it."""

    name: str
    version: str
    licence: str
    source: str
    checksum: str
    folder: Path
    about: dict[str, Any] = field(repr=False)

    @property
    def key(self) -> Key:
        """What tells it from all others."""
        return self.name, self.version

    def __str__(self) -> str:
        """Name and version."""
        return f"{self.name} {self.version}"


def read_toml(path: Path) -> dict[str, Any]:
    """A file of ours."""
    return tomllib.loads(path.read_text())


def policy() -> dict[str, Any]:
    """What is allowed: one file for these scripts and for cargo-deny."""
    return read_toml(ROOT / "deny.toml")


def locked() -> list[dict[str, Any]]:
    """Every package of the lock file, for all systems."""
    packages: list[dict[str, Any]] = read_toml(ROOT / "Cargo.lock")["package"]
    return packages


def metadata() -> dict[str, Any]:
    """Manifests and graph of all packages for all systems, as `cargo fetch` has left them."""
    command = ["cargo", "metadata", "--locked", "--offline", "--all-features", "--format-version=1"]
    found: dict[str, Any] = json.loads(subprocess.check_output(command, cwd=ROOT))
    return found


def dependencies(about: dict[str, Any]) -> dict[Key, Dependency]:
    """All packages from outside of the workspace."""
    checksums = {(p["name"], p["version"]): p.get("checksum", "") for p in locked()}
    found = [
        Dependency(
            name=package["name"],
            version=package["version"],
            licence=package["license"] or "",
            source=package["source"],
            checksum=checksums[package["name"], package["version"]],
            folder=Path(package["manifest_path"]).parent,
            about=package,
        )
        for package in about["packages"]
        if package["source"]
    ]
    return {dependency.key: dependency for dependency in sorted(found, key=lambda d: d.key)}


def shipped(package: str, options: list[str]) -> list[Key]:
    """What becomes part of a program of ours: neither tools of the build nor of the tests.

    The features are those of that package alone; `options` are options of cargo, for other ones.
    """
    command = ["cargo", "tree", "--locked", "--offline", "--package", package, "--prefix=none"]
    command += ["--edges=normal,no-proc-macro", "--format={p}", *options]
    lines = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    found = {(match[1], match[2]) for line in lines if (match := re.match(r"(\S+) v(\S+)", line))}
    return sorted(found)


def needs(about: dict[str, Any]) -> dict[Key, set[Key]]:
    """Who needs whom, by packages."""
    keys = {package["id"]: (package["name"], package["version"]) for package in about["packages"]}
    return {
        keys[node["id"]]: {keys[dep["pkg"]] for dep in node["deps"]}
        for node in about["resolve"]["nodes"]
    }
