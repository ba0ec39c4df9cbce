#!/usr/bin/env python3
"""Lines of code by package: no tests, no comments, no blank lines.

usage: ledger.py                      of the files as they are
       ledger.py BEFORE [AFTER]       of two commits (AFTER: the files as they are), side by side

Rust is counted in src/ and build.rs without what is under `#[cfg(test)]`, Python in python/.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]

# Comments vanish, texts keep their lines, and what is left can be searched for braces.
RUST = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<text>b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])')""",
    re.DOTALL | re.VERBOSE,
)
DOCSTRING = re.compile(r'^[ \t]*[rb]?""".*?"""[ \t]*$', re.DOTALL | re.MULTILINE)
TEST_ITEM = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?")
TEST_FILE = re.compile(TEST_ITEM.pattern + r"mod\s+(\w+)\s*;")


def bare(source: str) -> str:
    """Rust without comments and without what stands in texts."""

    def shorten(match: re.Match[str]) -> str:
        lines = match.group().count("\n")
        return "\n" * lines if match["comment"] else '"' + "x\n" * lines + '"'

    return RUST.sub(shorten, source)


def end_of_item(code: str, start: int) -> int:
    """Where the item that begins at `start` ends: at its semicolon or its closing brace."""
    depth = 0
    for place in range(start, len(code)):
        depth += (code[place] == "{") - (code[place] == "}")
        if depth == 0 and code[place] in ";}":
            return place + 1
    return len(code)


def without_tests(code: str) -> str:
    """Code without items that exist for tests only."""
    while match := TEST_ITEM.search(code):
        code = code[: match.start()] + code[end_of_item(code, match.end()) :]
    return code


def n_lines(code: str) -> int:
    """Lines that are not blank."""
    return sum(1 for line in code.splitlines() if line.strip())


def python_lines(source: str) -> int:
    """Lines of Python that are neither blank nor comment nor docstring."""
    lines = DOCSTRING.sub("", source).splitlines()
    return sum(1 for line in lines if line.strip() and not line.lstrip().startswith("#"))


def test_files(path: PurePosixPath, code: str) -> list[PurePosixPath]:
    """Where the test modules that `path` only declares are kept."""
    folder = path.parent if path.stem in ("lib", "main", "mod") else path.with_suffix("")
    names = [match.group(1) for match in TEST_FILE.finditer(code)]
    return [folder / f"{name}.rs" for name in names] + [folder / name for name in names]


def sources(commit: str | None) -> dict[PurePosixPath, str]:
    """The files to count, of a commit or as they are."""
    listing = ["git", "ls-tree", "-r", "--name-only", commit] if commit else ["git", "ls-files"]
    names = subprocess.check_output([*listing, "crates"], cwd=ROOT, text=True).splitlines()
    found = {}
    for name in names:
        path = PurePosixPath(name)
        inside = path.parts[2] if len(path.parts) > 2 else ""
        rust = path.suffix == ".rs" and inside in ("src", "build.rs")
        if not rust and not (path.suffix == ".py" and inside == "python"):
            continue
        if commit:
            found[path] = subprocess.check_output(
                ["git", "show", f"{commit}:{name}"], cwd=ROOT, text=True
            )
        elif (ROOT / path).exists():
            found[path] = (ROOT / path).read_text()
    return found


def ledger(commit: str | None) -> Counter[str]:
    """Lines by package."""
    files = sources(commit)
    code = {path: bare(text) for path, text in files.items() if path.suffix == ".rs"}
    tests = {test for path, text in code.items() for test in test_files(path, text)}
    lines: Counter[str] = Counter()
    for path, text in files.items():
        package = path.parts[1]
        if path.suffix == ".py":
            lines[f"{package} (Python)"] += python_lines(text)
        elif not tests & {path, *path.parents}:
            lines[package] += n_lines(without_tests(code[path]))
    return lines


def main() -> None:
    """Prints one ledger, or two and their difference."""
    commits: list[str | None] = [*sys.argv[1:3]]
    if len(commits) < 2:
        commits.append(None)
    books = [ledger(commit) for commit in commits]
    for book in books:
        book["all"] = sum(book.values())
    names = sorted({name for book in books for name in book} - {"all"})
    heads = [commit or "now" for commit in commits] + ["change"] * (len(books) - 1)
    print(f"{'':24}" + "".join(f"{head:>10.10}" for head in heads))
    for name in [*names, "all"]:
        counts = [book[name] for book in books]
        change = f"{counts[1] - counts[0]:+10d}" if len(counts) == 2 else ""
        print(f"{name:24}" + "".join(f"{count:10d}" for count in counts) + change)


if __name__ == "__main__":
    main()
