#!/usr/bin/env python3
"""Time scikit-learn's TfidfVectorizer against examples/vectorize.rs on the same texts, in one run.

usage: text.py [FILE [REPEATS]]

FILE has one text a line under a header (default: tweets/tweets.tsv.gz of the folder XRAY_DATA).
Both sides tokenise and weigh texts that are already in memory; runs alternate; the best counts.
"""

import gzip
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from sklearn.feature_extraction.text import TfidfVectorizer

root = Path(__file__).resolve().parents[3]
data = Path(os.environ.get("XRAY_DATA", root.parent / "shared" / "data"))
file = Path(sys.argv[1]) if len(sys.argv) > 1 else data / "tweets" / "tweets.tsv.gz"
repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 3
target = Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
program = target / "release" / "examples" / "vectorize"

opener = gzip.open if file.suffix == ".gz" else open
with opener(file, "rt", encoding="utf-8", newline="\n") as lines:
    texts = [line.rstrip("\r\n") for line in lines][1:]

theirs: list[float] = []
ours: list[float] = []
ours_one: list[float] = []
for _ in range(repeats):
    start = time.perf_counter()
    x = TfidfVectorizer().fit_transform(texts)
    theirs.append(time.perf_counter() - start)
    for threads, seconds in (("0", ours), ("1", ours_one)):
        environment = {**os.environ, "RAYON_NUM_THREADS": threads}
        out = subprocess.run([program, file], env=environment, check=True, capture_output=True)
        result = json.loads(out.stdout)
        counted = (result["documents"], result["terms"], result["entries"])
        assert counted == (*x.shape, x.nnz), result
        seconds.append(result["seconds"])

print(f"{len(texts)} texts, {x.shape[1]} terms, {x.nnz} entries")
print(f"scikit-learn        {min(theirs):7.3f} s")
print(f"vectorize           {min(ours):7.3f} s   ratio {min(theirs) / min(ours):5.1f}")
print(f"vectorize, 1 thread {min(ours_one):7.3f} s   ratio {min(theirs) / min(ours_one):5.1f}")
