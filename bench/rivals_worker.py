"""One fit of one library in a process of its own; or the scores of what the program wrote.

usage: rivals_worker.py METHOD FOLDER TOPICS SEED STARTED
       rivals_worker.py xray FOLDER ANSWER

FOLDER is what rivals_data.py wrote, STARTED the monotonic clock when the process was started.
ANSWER is the folder with what `xray topics` printed (answer.json) and wrote. Prints one JSON
object.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from rivals_methods import METHODS, Data, Result
from rivals_scores import nmi, npmi


def forget_peak() -> None:
    """Makes the peak start anew, so that loading does not hide what the fit takes (Linux only)."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> int:
    """Peak memory of this process in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def resident() -> int:
    """Memory of this process now, in bytes."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak()
    return pages * os.sysconf("SC_PAGE_SIZE")


def scores(data: Data, result: Result) -> dict[str, float]:
    """Both measures; NMI also by the weights just as they are."""
    labels = (data.folder / "labels.txt").read_text().split()
    if len(result.weights) != len(labels):
        sys.exit(f"weights of {len(result.weights)} documents, expected {len(labels)}")
    column = {term: j for j, term in enumerate(data.terms)}
    topics = [[column[word] for word in words] for words in result.words]
    return {
        "nmi": nmi(labels, result.weights * result.lengths),
        "nmi_given": nmi(labels, result.weights),
        "npmi": npmi(data.counts().tocsc(), topics),
    }


def run(method: str, data: Data, k: int, seed: int, started: float) -> dict[str, Any]:
    """Fits and measures."""
    model = METHODS[method](data, k, seed)
    forget_peak()
    # A library in a process of its own tells of that.
    usage = getattr(model, "usage", lambda: (time.process_time(), resident(), peak()))
    processor, before, _ = usage()
    clock = time.perf_counter()
    model.fit()
    seconds = time.perf_counter() - clock
    after, _, most = usage()
    measured = {
        "seconds": seconds,
        "processor": after - processor,
        "whole": time.monotonic() - started,
        "before": before,
        "peak": most,
    }
    result: Result = model.result()
    return {**measured, **scores(data, result), "note": result.note}


def written(answer: Path) -> Result:
    """What the program printed and wrote: topics of length 1 and their weights."""
    words = [topic["words"] for topic in json.loads((answer / "answer.json").read_text())["topics"]]
    with open(answer / "documents.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    names = [f"topic_{t}" for t in range(1, len(words) + 1)]
    weights = np.array([[float(row[name]) for name in names] for row in rows])
    return Result(weights, np.ones(len(words)), words, "")


def main() -> None:
    """Does what the command line says."""
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__)
    method, folder = sys.argv[1], Path(sys.argv[2])
    data = Data(folder, (folder / "terms.txt").read_text().split())
    try:
        if method == "xray":
            answer: dict[str, Any] = scores(data, written(Path(sys.argv[3])))
        else:
            answer = run(method, data, int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5]))
    except MemoryError:
        answer = {"failed": "memory"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
