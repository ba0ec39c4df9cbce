#!/usr/bin/env python3
"""Holds every package that we take from others to the policy in deny.toml, without any network.

usage: supply.py

Licences, places that packages come from, packages in several versions, packages that must not be
there, versions that nobody chose. `make deny` asks cargo-deny the same, where it is installed.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from typing import Any

from dependencies import Dependency, dependencies, locked, metadata, policy
from spdx import choices


def meant(spec: str, several: dict[str, set[str]]) -> set[str]:
    """The versions of those there that "name@version" means: "1" is 1.2.0, and not 10.0.0."""
    name, _, start = spec.partition("@")
    return {version for version in several[name] if f"{version}.".startswith(f"{start}.")}


def licences(found: list[Dependency], allowed: list[str]) -> list[str]:
    """Packages that no choice of theirs allows, and allowed licences that nobody has."""
    complaints = []
    for package in found:
        if not package.licence:
            complaints.append(f"{package}: says no licence")
        elif not any(choice <= set(allowed) for choice in choices(package.licence)):
            complaints.append(f"{package}: its licence {package.licence} is not allowed")
    said = {licence for p in found for choice in choices(p.licence or "none") for licence in choice}
    return complaints + [
        f"deny.toml allows {name}, which no package has" for name in set(allowed) - said
    ]


def sources(packages: list[dict[str, Any]]) -> list[str]:
    """Packages from elsewhere than the one registry, and packages whose bytes are not pinned.

    Where cargo gets most of them from is the registry: no manifest and no setting names another.
    """
    given = Counter(package["source"] for package in packages if "source" in package)
    known = [source for source, _ in given.most_common(1) if source.startswith("registry+")]
    complaints = []
    for package in packages:
        source = package.get("source")
        if source is not None and source not in known:
            complaints.append(f"{package['name']}: comes from {source}")
        elif source and "checksum" not in package:
            complaints.append(f"{package['name']}: Cargo.lock has no checksum of it")
    return complaints


def versions(packages: list[dict[str, Any]], skipped: list[dict[str, str]]) -> list[str]:
    """Packages in several versions that the policy does not name, and names it need not have."""
    found: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        found[package["name"]].add(package["version"])
    complaints = []
    left = {name: set(several) for name, several in found.items()}
    for spec in (entry["crate"] for entry in skipped):
        name, known = spec.partition("@")[0], meant(spec, found)
        if len(found[name]) < 2 or not known:
            complaints.append(f"deny.toml skips {spec}, which is not there twice")
        left[name] = left.get(name, set()) - known
    several = [(name, sorted(versions)) for name, versions in sorted(left.items())]
    return complaints + [f"{name}: in versions {', '.join(v)}" for name, v in several if len(v) > 1]


def banned(packages: list[dict[str, Any]], denied: list[dict[str, str]]) -> list[str]:
    """Packages that must not be there."""
    names = {package["name"] for package in packages}
    reasons = {entry["crate"]: entry["reason"] for entry in denied}
    return [f"{name}: {reason}" for name, reason in sorted(reasons.items()) if name in names]


def wildcards(about: dict[str, Any]) -> list[str]:
    """Dependencies of ours in any version at all."""
    return [
        f"{package['name']}: takes any version of {need['name']}"
        for package in about["packages"]
        if not package["source"]
        for need in package["dependencies"]
        if need["req"] == "*" and not need.get("path")
    ]


def main() -> None:
    """Looks, and complains."""
    rules, about, packages = policy(), metadata(), locked()
    found = list(dependencies(about).values())
    complaints = [
        *licences(found, rules["licenses"]["allow"]),
        *sources(packages),
        *versions(packages, rules["bans"]["skip"]),
        *banned(packages, rules["bans"]["deny"]),
        *wildcards(about),
    ]
    if complaints:
        sys.exit("\n".join(complaints))
    print(f"{len(found)} packages of others: all is as deny.toml wants it")


if __name__ == "__main__":
    main()
