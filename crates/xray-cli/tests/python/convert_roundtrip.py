#!/usr/bin/env python3
"""Convert reference files to every format and back, and compare bit by bit.

usage: convert_roundtrip.py PROGRAM FOLDER

FOLDER has the files of `make_reference.py`, which SciPy, scikit-learn, pandas and pyarrow wrote.
Each goes through `PROGRAM convert` to every format that can hold it, and from there back to its own
format. What SciPy, pandas and pyarrow read from both must be what they read from the original: all
bits of all numbers, all texts, and names, ids and labels where both formats have them.

Prints how many files each format passed on, and exits with 1 if anything differs. A format may
refuse what it cannot hold (fractions in a bag of words, a text of several lines as a line), but
only with a message that says so.
"""

import importlib
import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[3] / "xray-data" / "tests" / "python"))
check: Any = importlib.import_module("check_written")

NUMBERS = "mtx mtx.gz npz npy npy.zst mat svm docword csv csv.gz tsv tsv.zst txt".split()
TEXTS = "csv csv.zst tsv jsonl jsonl.gz parquet txt folder".split()
# These cannot hold everything.
MAY_REFUSE = {"docword", "svm", "txt", "tsv", "folder"}
LISTS = ["row_names", "column_names", "labels"]


class Refused(Exception):
    """The format cannot hold what is to be written."""


@dataclass
class Original:
    """A reference file, and what to take from it."""

    path: Path
    choice: Any
    options: list[str]
    content: Any

    @property
    def is_text(self) -> bool:
        """Whether it holds texts."""
        return isinstance(self.content, check.Texts)


def originals(folder: Path) -> list[Original]:
    """All files of the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text())
    found = []
    for entry in manifest["tables"] + manifest["documents"]:
        path = folder / entry["file"]
        choice = check.Choice(variable=entry.get("variable"), label=entry.get("label"))
        options = ["--variable", choice.variable] if choice.variable else []
        options += ["--labels", choice.label] if choice.label else []
        if entry.get("quoting"):
            # An option of the library alone, whose own tests read this file.
            continue
        content = check.read(path, choice)
        if isinstance(content, check.Numbers) and isinstance(content.matrix, np.ndarray):
            # SciPy's sparse matrices know one byte order.
            content.matrix = content.matrix.astype(np.float64)
        found.append(Original(path, choice, options, content))
    return found


def convert(program: Path, source: Path, target: Path, options: list[str]) -> None:
    """Run the program; it must succeed, or say that the format cannot hold this."""
    arguments: list[str | Path] = [
        program,
        "convert",
        source,
        target,
        "--quiet",
        "--threads",
        "1",
        *options,
    ]
    run = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if run.returncode == 0 and not run.stdout and not run.stderr:
        return
    if run.returncode == 1 and "cannot be written" in run.stderr and not target.exists():
        raise Refused(run.stderr.strip())
    raise check.Different(f"exit status {run.returncode}: {run.stdout}{run.stderr}".strip())


def target_options(ending: str, is_text: bool) -> list[str]:
    """What to say besides the name."""
    if ending == "folder":
        return ["--to", "folder"]
    return ["--to", "spaced"] if ending == "txt" and not is_text else []


def own_ending(original: Original) -> str:
    """The format to go back to."""
    name = original.path.name
    if original.path.is_dir():
        return "folder"
    if name.startswith("docword."):
        return "docword"
    return name.split(".", 1)[1]


def only_lists_of(written: Any, content: Any) -> Any:
    """The content with the names, ids and labels that came through."""
    names = ["ids", "labels"] if isinstance(content, check.Texts) else LISTS
    lost = {name: None for name in names if getattr(written, name) is None}
    return replace(content, **lost)


def compare(content: Any, written: Any, in_folder: bool) -> None:
    """Raise `Different` at the first difference; files in a folder are named and sorted anew."""
    if in_folder:
        content, written = (check.Texts(sorted(side.texts)) for side in (content, written))
    check.compare(content, written)


def there_and_back(program: Path, original: Original, ending: str, place: Path) -> None:
    """Convert to a format and back, and compare both."""
    is_text = original.is_text
    there = place / f"there.{ending}"
    convert(program, original.path, there, original.options + target_options(ending, is_text))
    written = check.read(there, check.Choice())
    compare(original.content, written, "folder" in (ending, own_ending(original)))
    own = own_ending(original)
    back = place / f"back.{own}"
    convert(program, there, back, target_options(own, is_text))
    kept = only_lists_of(written, original.content)
    compare(kept, check.read(back, check.Choice()), "folder" in (ending, own))


def has_names(content: Any) -> bool:
    """Whether rows or columns of a matrix have names."""
    return bool(content.row_names or content.column_names)


def main() -> None:
    """Try every file with every format."""
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    passed: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    wrong: list[str] = []
    files = originals(folder)
    for original in files:
        for ending in TEXTS if original.is_text else NUMBERS:
            if ending == "txt" and not original.is_text and has_names(original.content):
                continue
            row = f"{'texts' if original.is_text else 'numbers':<10}{ending}"
            with tempfile.TemporaryDirectory() as place:
                try:
                    there_and_back(program, original, ending, Path(place))
                    passed[row] += 1
                except Refused as message:
                    refused[row] += 1
                    if ending not in MAY_REFUSE:
                        wrong.append(f"{original.path.name} as {ending}: {message}")
                except check.Different as difference:
                    wrong.append(f"{original.path.name} as {ending}: {difference}")
    print(f"{len(files)} files, to each format and back:")
    print(f"{'':10}{'format':<12}{'ok':>4}{'refused':>9}")
    for row in sorted({*passed, *refused}):
        print(f"{row:<22}{passed[row]:>4}{refused[row]:>9}")
        if not passed[row]:
            wrong.append(f"{row}: nothing came through")
    for line in wrong:
        print(f"DIFFERENT: {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
