#!/usr/bin/env python3
"""The policy can be broken, and then somebody complains.

usage: test_supply.py
"""

from __future__ import annotations

import unittest
from pathlib import Path

import supply
from dependencies import Dependency
from spdx import choices

REGISTRY = "registry+https://example.org/index"


def package(name: str, licence: str) -> Dependency:
    """A package that nobody wrote."""
    return Dependency(name, "1.0.0", licence, REGISTRY, "00", Path("nowhere"), {})


def entry(name: str, version: str = "1.0.0", **more: str) -> dict[str, str]:
    """A package as in a lock file."""
    return {"name": name, "version": version, "source": REGISTRY, "checksum": "00", **more}


class Expressions(unittest.TestCase):
    """What SPDX expressions let one choose."""

    def test_choices(self) -> None:
        """Or is a choice, and is not; an exception belongs to its licence; a slash is an or."""
        cases = {
            "MIT": [{"MIT"}],
            "MIT/Apache-2.0": [{"MIT"}, {"Apache-2.0"}],
            "A AND B OR C": [{"A", "B"}, {"C"}],
            "(A OR B) AND C": [{"A", "C"}, {"B", "C"}],
            "A WITH E OR B": [{"A WITH E"}, {"B"}],
        }
        for expression, expected in cases.items():
            self.assertEqual(choices(expression), [frozenset(choice) for choice in expected])

    def test_nonsense_is_refused(self) -> None:
        """What cannot be read is not taken for free."""
        for expression in ("", "MIT OR", "(MIT", "MIT Apache-2.0", "AND MIT"):
            with self.assertRaises(ValueError, msg=expression):
                choices(expression)


class Policy(unittest.TestCase):
    """Each rule, kept and broken."""

    def test_licences(self) -> None:
        """One allowed choice is enough; none, or nothing said, is not."""
        free = package("free", "MIT OR GPL-3.0-only")
        self.assertEqual(supply.licences([free], ["MIT"]), [])
        for licence in ("GPL-3.0-only", "MIT AND GPL-3.0-only", ""):
            self.assertEqual(len(supply.licences([free, package("bound", licence)], ["MIT"])), 1)
        self.assertEqual(len(supply.licences([free], ["MIT", "Zlib"])), 1)

    def test_sources(self) -> None:
        """Only the registry, and only known bytes; our own packages have no source."""
        self.assertEqual(supply.sources([entry("good"), {"name": "ours", "version": "1"}]), [])
        for source in ("git+https://example.org/bad", "registry+https://example.org/other"):
            bad = entry("bad", source=source)
            self.assertEqual(len(supply.sources([entry("a"), entry("b"), bad])), 1)
        self.assertEqual(len(supply.sources([entry("a", source="git+https://example.org/a")])), 1)
        unpinned = {key: value for key, value in entry("bad").items() if key != "checksum"}
        self.assertEqual(len(supply.sources([unpinned])), 1)

    def test_versions(self) -> None:
        """Two versions need an entry, and an entry needs two versions."""
        two = [entry("a", "1.2.0"), entry("a", "2.0.0"), entry("b")]
        self.assertEqual(len(supply.versions(two, [])), 1)
        self.assertEqual(supply.versions(two, [{"crate": "a@1"}]), [])
        self.assertEqual(len(supply.versions(two[1:], [{"crate": "a@1"}])), 1)
        ten = [entry("a", "10.0.0"), entry("a", "2.0.0")]
        self.assertEqual(len(supply.versions(ten, [{"crate": "a@1"}])), 2)

    def test_bans(self) -> None:
        """What is banned is found."""
        denied = [{"crate": "network", "reason": "we do without"}]
        self.assertEqual(supply.banned([entry("quiet")], denied), [])
        self.assertEqual(supply.banned([entry("network")], denied), ["network: we do without"])

    def test_wildcards(self) -> None:
        """Any version at all is no choice; a package beside ours has one by its place."""
        needs = [
            {"name": "a", "req": "*"},
            {"name": "b", "req": "^1"},
            {"name": "c", "req": "*", "path": "c"},
        ]
        about = {"packages": [{"name": "ours", "source": None, "dependencies": needs}]}
        self.assertEqual(supply.wildcards(about), ["ours: takes any version of a"])


if __name__ == "__main__":
    unittest.main()
