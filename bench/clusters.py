"""Groups of documents at the true number of classes: ours, NMF's and those of k-means.

usage: clusters.py PROGRAM DATA [--sets NAME ...] [--texts FILE ...] [--starts N]

DATA is the folder with bbc/, tdt2/, reuters/ and debian/; sets that are not there are named and
left out. `--texts` adds tables (CSV) with columns `label` and `text`. All methods get the same
matrix: weights (1 + ln tf) (1 + ln((1 + m) / (1 + df))), documents of length 1. Normalized mutual
information (NMI) compares groups with classes; more is better. Columns:

- heaviest topic, cluster: `xray topics` with that number of topics and otherwise its defaults, with
  the time of reading and writing;
- NMF: scikit-learn's on the same matrix, 400 iterations at most. Of the starts nndsvd and nndsvda,
  and components of length 1 ("unit H") and as they are ("long H"), the best NMI is told, which
  nobody can know without the classes; the time is that of its fit;
- long X: the same for documents that are as long as they are, another weighting;
- k-means: scikit-learn's, mean and standard deviation of ten starts; the time is that of one.

Needs scikit-learn and SciPy.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.decomposition import NMF
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.metrics import normalized_mutual_info_score

from rivals_data import labelled

FILES = {
    "bbc": "bbc/bbc.mtx.gz",
    "reuters10": "reuters/Reuters21578.mat",
    "tdt2": "tdt2/TDT2.mat",
    "debian": "debian/descriptions.tsv.gz",
}
# Words in fewer documents are left out, as the program does for texts and the paper for TDT2.
FEWEST = {"bbc": 1, "reuters10": 1, "tdt2": 5, "debian": 10}
ITERATIONS = 400


class Timed(NamedTuple):
    """What came of something, and the seconds that it took."""

    answer: Any
    seconds: float


def timed(work: Callable[[], Any]) -> Timed:
    """Does the work."""
    start = time.perf_counter()
    answer = work()
    return Timed(answer, time.perf_counter() - start)


def words_of(texts: list[str], labels: list[str]) -> tuple[sp.csr_matrix, Any]:
    """Counts of words, and the class of each text."""
    counter = CountVectorizer(stop_words="english", max_df=0.5)
    return counter.fit_transform(texts), np.array(labels)


def debian(data: Path) -> tuple[sp.csr_matrix, Any]:
    """Counts of words in descriptions of packages, and their sections."""
    text = gzip.decompress((data / FILES["debian"]).read_bytes()).decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))
    return words_of([row[2] for row in rows], [row[1] for row in rows])


def table(file: Path) -> tuple[sp.csr_matrix, Any]:
    """Counts of words in texts of one's own, and their labels; no text without a word."""
    csv.field_size_limit(sys.maxsize)
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    counts, labels = words_of([row["text"] for row in rows], [row["label"] for row in rows])
    # As the program does, by the number of documents.
    limits = ((200, 1), (1_000, 2), (10_000, 3), (100_000, 5))
    fewest = next((least for below, least in limits if counts.shape[0] < below), 10)
    counts = counts[:, counts.getnnz(axis=0) >= fewest]
    kept = counts.getnnz(axis=1) > 0
    return sp.csr_matrix(counts[kept], dtype=float), labels[kept]


def counted(data: Path, name: str) -> tuple[sp.csr_matrix, Any]:
    """Counts of the words that are kept, and the class of each document."""
    counts, labels = debian(data) if name == "debian" else labelled(data, name)
    return sp.csr_matrix(counts[:, counts.getnnz(axis=0) >= FEWEST[name]], dtype=float), labels


def ours(program: str, X: sp.csr_matrix, k: int) -> tuple[list[str], list[str]]:
    """The heaviest topic and the cluster of each row of the matrix as it is."""
    as_it_is = ["--weighting", "none", "--stop-words", "none", "--min-df", "1", "--max-df", "1.0"]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "x.npz"
        sp.save_npz(file, X, compressed=False)
        command = [program, "topics", str(file), "-k", str(k), *as_it_is, "--quiet", "-o", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with (Path(folder) / "documents.csv").open(encoding="utf-8", newline="") as lines:
            rows = list(csv.DictReader(lines))
    return [row["topic"] for row in rows], [row["cluster"] for row in rows]


def nmf(X: sp.csr_matrix, k: int, labels: Any) -> tuple[float, float, str]:
    """The best NMI of all that may be tried, the seconds of its fit, and what it was."""
    tried = []
    for start in ("nndsvd", "nndsvda"):
        # The start is drawn, too: its SVD is a random one.
        model = NMF(k, init=start, max_iter=ITERATIONS, random_state=0)
        W, seconds = timed(partial(model.fit_transform, X))
        lengths = np.linalg.norm(model.components_, axis=1)
        for components, weights in (("long", W), ("unit", W * lengths)):
            found = agreement(labels, weights.argmax(axis=1))
            tried.append((found, seconds, f"{start}, {components} H"))
    return max(tried)


def k_means(X: sp.csr_matrix, k: int, labels: Any, starts: int) -> tuple[Any, float]:
    """The NMI of each start, and the mean of their seconds."""
    models = [KMeans(k, n_init=1, random_state=seed) for seed in range(starts)]
    runs = [timed(partial(model.fit_predict, X)) for model in models]
    scores = np.array([agreement(labels, run.answer) for run in runs])
    return scores, float(np.mean([run.seconds for run in runs]))


def agreement(labels: Any, groups: Any) -> float:
    """NMI."""
    return float(normalized_mutual_info_score(labels, groups))


def row(program: str, name: str, counts: sp.csr_matrix, labels: Any, starts: int) -> str:
    """The line of a data set."""
    k = len(set(labels))
    matrices = {
        name: sp.csr_matrix(TfidfTransformer(sublinear_tf=True, norm=norm).fit_transform(counts))
        for name, norm in (("long", None), ("unit", "l2"))
    }
    X = matrices["unit"]
    (topics, clusters), seconds = timed(partial(ours, program, X, k))
    best, nmf_seconds, which = nmf(X, k, labels)
    long = nmf(matrices["long"], k, labels)[0]
    scores, mean_seconds = k_means(X, k, labels, starts)
    cells = [
        name,
        f"{X.shape[0]:,} x {X.shape[1]:,}",
        str(k),
        f"{agreement(labels, topics):.3f}",
        f"{agreement(labels, clusters):.3f}",
        f"{seconds:.1f}",
        f"{best:.3f}",
        f"{nmf_seconds:.1f}",
        f"{long:.3f}",
        f"{scores.mean():.3f} ± {scores.std(ddof=1):.3f}",
        f"{mean_seconds:.1f}",
        which,
    ]
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Prints the table, a line as soon as it is known."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("program")
    arguments.add_argument("data", type=Path)
    arguments.add_argument("--sets", nargs="*", choices=list(FILES), default=list(FILES))
    arguments.add_argument("--texts", type=Path, nargs="*", default=[])
    arguments.add_argument("--starts", type=int, default=10, help="starts of k-means, 2 or more")
    given = arguments.parse_args()
    titles = ["data", "documents x words", "classes", "heaviest topic", "cluster", "s"]
    titles += ["NMF", "s", "long X", "k-means", "s", "the best of NMF"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}", flush=True)
    missing = [name for name in given.sets if not (given.data / FILES[name]).exists()]
    for name in given.sets:
        if name not in missing:
            line = row(given.program, name, *counted(given.data, name), given.starts)
            print(line, flush=True)
    for file in given.texts:
        print(row(given.program, file.stem, *table(file), given.starts), flush=True)
    for name in missing:
        print(f"\nSKIPPED: {name} (no {given.data / FILES[name]})")


if __name__ == "__main__":
    main()
