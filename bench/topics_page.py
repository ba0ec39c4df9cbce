#!/usr/bin/env python3
"""Writes docs/topics.md: what topics are worth, measured.

usage: topics_page.py PROGRAM DATA [--texts FILE ...] [--case FILE K "word,word word"]...
                      [--parts NAME ...] [--page docs/topics.md]

Each part of the page is what a script of this folder prints; parts that are not asked for stay as
they are. `--texts` are tables (CSV) with columns `label` and `text` that nothing was tuned to: they
are told of by their names, and are not part of the repository. `--case` is that of seeds.py.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def commands(
    program: str, data: str, texts: list[str], cases: list[list[str]]
) -> dict[str, list[str]]:
    """The script of each part, and its arguments."""
    more = ["--texts", *texts] if texts else []
    words = [word for case in cases for word in ("--case", *case)]
    return {
        "seeds": ["seeds.py", program, data, *words],
        "suggested": ["suggested.py", program, data, *more],
        "clusters": ["clusters.py", program, data, *more],
        "mails": ["mails.py", program, data],
    }


def with_part(page: str, name: str, printed: str) -> str:
    """The page with another text between the marks of a part."""
    marked = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    if not marked.search(page):
        sys.exit(f"the page has no part {name}")
    return marked.sub(lambda marks: marks[1] + printed.strip() + "\n" + marks[2], page)


def main() -> None:
    """Runs the scripts one after the other, and writes the page after each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("data")
    parser.add_argument("--texts", nargs="*", default=[])
    parser.add_argument("--case", nargs=3, action="append", default=[])
    parser.add_argument("--parts", nargs="*")
    parser.add_argument("--page", type=Path, default=HERE.parent / "docs" / "topics.md")
    args = parser.parse_args()
    parts = commands(args.program, args.data, args.texts, args.case)
    failed = []
    for name in args.parts or parts:
        script, *arguments = parts[name]
        run = subprocess.run(
            [sys.executable, HERE / script, *arguments], stdout=subprocess.PIPE, text=True
        )
        if run.returncode:
            failed.append(name)
        args.page.write_text(with_part(args.page.read_text(), name, run.stdout))
    if failed:
        sys.exit(f"not as it should be: {', '.join(failed)}")


if __name__ == "__main__":
    main()
