"""Topics of 124,708 tweets, end to end, against scikit-learn's tf-idf alone, in one run."""

import argparse
import gzip
import json
import subprocess
import tempfile
import time
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer


def vectorize(path: Path) -> float:
    """Seconds that scikit-learn takes to read, tokenise and weigh the texts."""
    start = time.perf_counter()
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [line.rstrip("\n") for line in lines][1:]
    TfidfVectorizer(stop_words="english", min_df=10, max_df=0.5).fit_transform(texts)
    return time.perf_counter() - start


def topics(program: str, path: Path, rank: int) -> dict[str, float]:
    """Seconds of each stage of the program, from the file to all outputs."""
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "topics", str(path), "-k", str(rank), "-o", folder, "--json"]
        start = time.perf_counter()
        answer = subprocess.run(command, check=True, capture_output=True)
        seconds: dict[str, float] = json.loads(answer.stdout)["seconds"]
        seconds["wall"] = time.perf_counter() - start
        lines = sum(1 for _ in (Path(folder) / "documents.csv").open("rb"))
        if lines != 124_709:
            raise SystemExit(f"documents.csv has {lines} lines, expected 124709")
    return seconds


def main() -> None:
    """Take turns, and print every time and the ratio of the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("data", type=Path)
    parser.add_argument("--rank", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    path = arguments.data / "tweets" / "tweets.tsv.gz"
    theirs: list[float] = []
    ours: list[float] = []
    for _ in range(arguments.runs):
        theirs.append(vectorize(path))
        stages = topics(arguments.program, path, arguments.rank)
        ours.append(stages["wall"])
        parts = ", ".join(f"{name} {span:.2f}" for name, span in stages.items())
        print(f"scikit-learn tf-idf {theirs[-1]:.2f} s; xray topics: {parts}")
    middle = arguments.runs // 2
    ratio = sorted(ours)[middle] / sorted(theirs)[middle]
    print(f"xray topics -k {arguments.rank}: {ratio:.2f} x scikit-learn's tf-idf alone (at most 3)")


if __name__ == "__main__":
    main()
