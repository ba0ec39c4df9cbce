#!/usr/bin/env python3
"""Lists what a program or library of ours is made of, as a CycloneDX document.

usage: sbom.py PACKAGE OUTPUT [CARGO OPTIONS ...]

The same lock file gives the same bytes: it has neither the time nor a random number.
"""

from __future__ import annotations

import argparse
import json
import uuid
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dependencies import Dependency, Key, dependencies, metadata, needs, shipped
from spdx import choices


def reference(key: Key) -> str:
    """The name of a package that all tools understand."""
    return f"pkg:cargo/{key[0]}@{quote(key[1])}"


def licence(expression: str) -> str:
    """The same choice in the words of SPDX: what some packages still write with a slash."""
    ways = [" AND ".join(sorted(choice)) for choice in choices(expression)]
    return " OR ".join(f"({way})" if " AND " in way and len(ways) > 1 else way for way in ways)


def component(package: Dependency) -> dict[str, Any]:
    """One package of somebody else."""
    links = {"website": package.about["homepage"], "vcs": package.about["repository"]}
    return {
        "type": "library",
        "bom-ref": reference(package.key),
        "name": package.name,
        "version": package.version,
        "purl": reference(package.key),
        "licenses": [{"expression": licence(package.licence)}],
        "hashes": [{"alg": "SHA-256", "content": package.checksum}],
        "externalReferences": [{"type": k, "url": url} for k, url in links.items() if url],
    }


def own(about: dict[str, Any], kind: str) -> dict[str, Any]:
    """One package of ours."""
    key = about["name"], about["version"]
    return {
        "type": kind,
        "bom-ref": reference(key),
        "name": key[0],
        "version": key[1],
        "purl": reference(key),
        "licenses": [{"expression": about["license"]}],
    }


def document(package: str, options: list[str]) -> dict[str, Any]:
    """All packages inside of `package`, and who needs whom."""
    about = metadata()
    known, edges, inside = dependencies(about), needs(about), shipped(package, options)
    ours = {p["name"]: p for p in about["packages"] if not p["source"]}
    others = [key for key in inside if key[0] != package]
    listed = [component(known[k]) if k in known else own(ours[k[0]], "library") for k in others]
    graph = [
        {
            "ref": reference(key),
            "dependsOn": [reference(k) for k in sorted(edges[key] & set(inside))],
        }
        for key in inside
    ]
    content = {
        "metadata": {"component": own(ours[package], "application")},
        "components": listed,
        "dependencies": graph,
    }
    number = uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(content, sort_keys=True))
    head = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": number.urn,
        "version": 1,
    }
    return head | content


def main() -> None:
    """Writes one document."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("package")
    parser.add_argument("output", type=Path)
    args, options = parser.parse_known_args()
    content = document(args.package, options)
    args.output.parent.mkdir(parents=True, exist_ok=True)
    args.output.write_text(json.dumps(content, indent=1) + "\n")
    print(f"{args.output}: {args.package} and {len(content['components'])} packages inside it")


if __name__ == "__main__":
    main()
