#!/usr/bin/env python3
"""Whether topics keep the words they are begun with, and what that costs.

usage: seeds.py PROGRAM DATA [--strength S]

For each set, lists of words begin the first topics. Told are: words among the ten first of their
own topic, beside the same at strength 0; words in another topic's ten; the squared error above that
of free topics; whether the objective fell in every step.

Exits with 1 if a word is missing or elsewhere, the objective rose, or the error is more than 0.6 %
above.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass
class Case:
    """Texts, a number of topics, and words that begin some of them."""

    name: str
    file: str
    topics: int
    lists: str
    limit: float = 0.006

    def seeds(self) -> list[list[str]]:
        """The words of each topic that begins with any."""
        return [words.split(",") for words in self.lists.split()]


BBC = "music,song,album virus,security rugby,wales tax,budget oil,gas"
CASES = [
    Case("BBC 5", "bbc/articles.csv.gz", 5, BBC),
    Case("BBC 2 + 3", "bbc/articles.csv.gz", 5, "music,song,album virus,security"),
    Case("BBC 10", "bbc/articles.csv.gz", 10, BBC),
    Case("Debian 20", "debian/descriptions.tsv.gz", 20, "python game font kernel,driver astronomy"),
    Case(
        "tweets 20",
        "tweets/tweets.tsv.gz",
        20,
        "health,care climate,energy border,wall opioid,addiction veterans",
    ),
]


def topics(program: str, file: Path, case: Case, strength: float | None) -> dict[str, Any]:
    """The program's answer; free topics if there is no strength."""
    command = [program, "topics", str(file), "-k", str(case.topics), "--json", "--quiet"]
    if strength is not None:
        command += ["--anchor-strength", str(strength)]
        for words in case.lists.split():
            command += ["--anchor", words]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    answer: dict[str, Any] = json.loads(told)
    return answer


def main() -> None:
    """Runs all cases, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--strength", type=float, default=0.5)
    args = parser.parse_args()
    failed = False
    for case in CASES:
        file = args.data / case.file
        free = topics(args.program, file, case, None)
        begun = topics(args.program, file, case, 0.0)
        held = topics(args.program, file, case, args.strength)
        seeds = case.seeds()
        lists = [topic["words"][:10] for topic in held["topics"]]
        own = sum(word in lists[t] for t, words in enumerate(seeds) for word in words)
        n_seeds = sum(map(len, seeds))
        elsewhere = sum(
            word in words
            for t, seeded in enumerate(seeds)
            for word in seeded
            for k, words in enumerate(lists)
            if k != t and not (k < len(seeds) and word in seeds[k])
        )
        started = [topic["words"][:10] for topic in begun["topics"]]
        at_zero = sum(word in started[t] for t, words in enumerate(seeds) for word in words)
        cost = held["squared_error"] / free["squared_error"] - 1
        objective = held["refined_objective"]
        falls = all(after <= before for before, after in itertools.pairwise(objective))
        good = own == n_seeds and not elsewhere and falls and cost <= case.limit
        failed |= not good
        print(
            f"{case.name:10} own {own}/{n_seeds} (start only {at_zero}), elsewhere {elsewhere}, "
            f"error {100 * cost:+.2f} %, falls {falls}: {'good' if good else 'NOT GOOD'}",
            flush=True,
        )
    sys.exit(failed)


if __name__ == "__main__":
    main()
