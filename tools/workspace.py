"""The packages of this workspace, as `cargo metadata` tells them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Package:
    """One package: where it is, what it can be built with, and what of the workspace it needs."""

    name: str
    folder: Path
    features: list[str]
    defaults: list[str]
    needs: set[str]
    # What goes into the index; None where it shall not go there.
    about: dict[str, object] | None


def metadata() -> Any:
    """What cargo says of the workspace."""
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    return json.loads(subprocess.check_output(command, cwd=ROOT))


def target_folder() -> Path:
    """Where cargo puts what it makes."""
    return Path(metadata()["target_directory"])


def packages() -> dict[str, Package]:
    """All packages, by name."""
    listed = metadata()["packages"]
    names = {package["name"] for package in listed}
    return {
        package["name"]: Package(
            name=package["name"],
            folder=Path(package["manifest_path"]).parent,
            features=sorted(set(package["features"]) - {"default"}),
            defaults=package["features"].get("default", []),
            needs={need["name"] for need in package["dependencies"]} & names,
            about=None if package["publish"] == [] else package,
        )
        for package in listed
    }


def dependents(known: dict[str, Package], changed: set[str]) -> set[str]:
    """The changed packages, and all that need them directly or by way of others."""
    found = set(changed)
    while more := {p.name for p in known.values() if p.needs & found} - found:
        found |= more
    return found
