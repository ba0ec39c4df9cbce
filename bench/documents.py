#!/usr/bin/env python3
"""Writing the mixtures of many documents: time and size of two programs, in turns.

usage: documents.py OLD NEW DATA WORK [--documents 737000] [--topics 50] [--turns 2]

Tweets are repeated, each time with some of their words left out, until there are as many documents
as asked for. Told are the size of documents.csv (and of documents.parquet of the new program), and
the seconds of a run with files, but no page, less those of one with JSON alone: what it costs to
write.
"""

from __future__ import annotations

import argparse
import gzip
import random
import subprocess
import time
from pathlib import Path


def write_texts(data: Path, file: Path, number: int) -> None:
    """As many tweets as asked for."""
    with gzip.open(data / "tweets/tweets.tsv.gz", "rt", encoding="utf-8") as lines:
        texts = [line.split() for line in lines][1:]
    rng = random.Random(1)
    with file.open("w", encoding="utf-8") as out:
        for k in range(number):
            words = texts[k % len(texts)]
            kept = [word for word in words if k < len(texts) or rng.random() < 0.9] or words
            out.write(" ".join(kept) + "\n")


def seconds(command: list[str]) -> float:
    """By the clock."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - begin


def main() -> None:
    """Prints a line for each turn and program."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--documents", type=int, default=737_000)
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--turns", type=int, default=2)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    texts = args.work / "texts.txt"
    write_texts(args.data, texts, args.documents)
    ways = {
        "old": [args.old],
        "new": [args.new, "--no-report"],
        "new, parquet": [args.new, "--no-report", "--parquet"],
    }
    for turn in range(args.turns):
        for name, (program, *more) in ways.items():
            out = args.work / name.replace(", ", "-")
            base = [program, "topics", str(texts), "-k", str(args.topics), "--refine", "1"]
            alone = seconds([*base, "--json", "--quiet"])
            whole = seconds([*base, *more, "--quiet", "-o", str(out)])
            sizes = [file.stat().st_size for file in out.glob("documents.*")]
            print(
                f"turn {turn + 1}, {name}: {whole:.1f} s, {whole - alone:.1f} s of it to write; "
                f"documents {sum(sizes) / 1e6:.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
