"""How fast `xray explore` answers, and whether it grows: a person who never tires.

usage: explore.py PROGRAM DATA [--changes N] [--seed N]

On BBC and TDT2: the time from a word that is made a seed to the answer (median and worst of ten
words), beside the limits of 0.3 and 3 seconds. Then N random changes of all kinds on BBC, some
of them nonsense, with what the program holds in memory; and all of them undone, which must
give the page of the beginning, byte by byte. Exits with 1 if one of these does not hold.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

# Megabytes that caches and the allocator may take after the first tenth of the changes.
ALLOWED = 40.0


class Served:
    """A program that serves a page, and answers."""

    def __init__(self, program: Path, words: list[str], folder: str) -> None:
        command = [str(program), "explore", *words, "--no-open"]
        self.child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
        )
        assert self.child.stdout is not None
        address = urlsplit(self.child.stdout.readline().strip())
        self.host, self.path = address.netloc, address.path

    def close(self) -> None:
        """Ends the program."""
        self.child.terminate()
        self.child.wait()

    def post(self, what: str, body: dict[str, Any]) -> tuple[int, bytes, float]:
        """Status, answer and seconds."""
        connection = http.client.HTTPConnection(self.host, timeout=120)
        start = time.perf_counter()
        headers = {"Origin": f"http://{self.host}"}
        connection.request("POST", self.path + what, json.dumps(body), headers)
        reply = connection.getresponse()
        answer = reply.read()
        return reply.status, answer, time.perf_counter() - start

    def page(self) -> dict[str, Any]:
        """The data of the page, by a change that changes nothing."""
        found: dict[str, Any] = json.loads(self.post("undo", {"times": 0})[1])
        return found

    def resident(self) -> float:
        """Megabytes that it holds."""
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1e3


def words_of(page: dict[str, Any]) -> list[list[str]]:
    """The words that the page lists for each topic."""
    level = next(level for level in page["levels"] if level["k"] == page["k"])
    return [[page["words"][entry[0]] for entry in topic["words"]] for topic in level["topics"]]


def seeds(served: Served, name: str, limit: float) -> bool:
    """Makes words of other topics seeds, one after the other, each undone again."""
    rng, taken = random.Random(1), []
    listed = words_of(served.page())
    for _ in range(10):
        topic = rng.randrange(len(listed))
        other = rng.choice([k for k in range(len(listed)) if k != topic])
        word = rng.choice(listed[other][3:20])
        status, _, seconds = served.post("change", {"do": "seed", "topic": topic + 1, "word": word})
        if status == 200:
            taken.append(seconds)
            served.post("undo", {"times": 1})
    median, worst = statistics.median(taken), max(taken)
    good = worst < limit
    print(
        f"{name}: a seed is answered in {median:.3f} s (worst of {len(taken)}: {worst:.3f} s; "
        f"limit {limit} s){'' if good else ' TOO SLOW'}",
        flush=True,
    )
    return good


def drawn(rng: random.Random, words: list[list[str]]) -> tuple[str, dict[str, Any]]:
    """A change of any kind; some cannot be made."""
    topic = rng.randrange(len(words)) + 1 if rng.random() < 0.98 else 999
    word = rng.choice(rng.choice(words) or ["nothing"]) if rng.random() < 0.95 else "\u202e<b>\0"
    kinds: list[dict[str, Any]] = [
        {"do": "seed", "topic": topic, "word": word},
        {"do": "unseed", "topic": topic, "word": word},
        {"do": "exclude", "word": word},
        {"do": "topics", "k": rng.randrange(1, 12)},
        {"do": "merge", "topics": rng.sample(range(1, len(words) + 2), min(2, len(words)))},
        {"do": "split", "topic": topic},
        {"do": "drop", "topic": topic},
        {"do": "rename", "topic": topic, "name": word},
        {"do": "move", "word": word, "topic": topic},
    ]
    roll = rng.random()
    if roll < 0.25:
        return "undo", {"times": rng.randrange(1, 6)}
    if roll < 0.35:
        return "redo", {}
    return "change", rng.choice(kinds)


def random_changes(served: Served, n: int, seed: int) -> bool:
    """N random changes, then all of them undone."""
    rng, answers = random.Random(seed), Counter[str]()
    first = served.page()
    page, early, most = first, 0.0, 0.0
    for k in range(n):
        what, body = drawn(rng, words_of(page))
        status, answer, _ = served.post(what, body)
        answers[f"{body.get('do', what)} {'made' if status == 200 else 'refused'}"] += 1
        if status == 200:
            page = json.loads(answer)
        elif status >= 500 or served.child.poll() is not None:
            print(f"change {k}, {body}: status {status}")
            return False
        if 10 * (k + 1) == n:
            early = served.resident()
        most = max(most, served.resident())
    served.post("undo", {"times": len(page["live"]["changes"])})
    last = served.page()
    for one in (first, last):
        one.pop("live")
        one.pop("command")
    restored, grown = json.dumps(first) == json.dumps(last), most - early
    made = sum(count for name, count in answers.items() if name.endswith("made"))
    print(
        f"{n} random changes, {made} made and {n - made} refused: {early:.0f} MB after a tenth, "
        f"at most {most:.0f} MB; undone, the page is {'the same' if restored else 'ANOTHER'}"
    )
    print("  " + ", ".join(f"{name} {count}" for name, count in sorted(answers.items())))
    return restored and grown < ALLOWED


def main() -> None:
    """Prints what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--changes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    program, data = given.program.resolve(), given.data.resolve()
    bbc = [str(data / "bbc/articles.csv.gz"), "--text", "text", "-k", "5"]
    tdt2 = [str(data / "tdt2/TDT2.mat"), "--variable", "fea", "-k", "30"]
    good = True
    with tempfile.TemporaryDirectory() as folder:
        with closing(Served(program, bbc, folder)) as served:
            good &= seeds(served, "BBC, 5 topics", 0.3)
            good &= random_changes(served, given.changes, given.seed)
        with closing(Served(program, tdt2, folder)) as served:
            good &= seeds(served, "TDT2, 30 topics", 3.0)
    sys.exit(not good)


if __name__ == "__main__":
    main()
