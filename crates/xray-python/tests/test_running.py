"""Threads, Ctrl-C and fork."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray

from xray_nmf import TopicModel, XRay, __version__, nnls, synth
from xray_nmf._input import threads

Floats = NDArray[np.float64]
TEXTS = ["cats purr", "dogs bark", "cats sleep", "dogs run", "cats and dogs"]


def test_four_threads_fit_at_once() -> None:
    X = synth.corpus("ibmt", scale=0.05).X
    expected = XRay(12, selection="greedy").fit(X)
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(XRay(12, selection="greedy").fit, X) for _ in range(8)]
        for done in fits:
            assert (done.result().components_ == expected.components_).all()


def test_four_threads_find_topics_at_once() -> None:
    X = synth.corpus("ibmt", scale=0.03).X
    expected = TopicModel(8).fit(X)
    with ThreadPoolExecutor(4) as pool:
        fits = [pool.submit(TopicModel(8, n_jobs=2).fit, X) for _ in range(6)]
        weights = [pool.submit(expected.transform, X) for _ in range(4)]
        assert all((fit.result().components_ == expected.components_).all() for fit in fits)
        assert all((done.result() == expected.weights_).all() for done in weights)


def own_threads(_: int) -> int:
    return threads(-1)


def test_workers_of_joblib_share_the_cores() -> None:
    cores = joblib.cpu_count()
    found = joblib.Parallel(n_jobs=2, backend="loky")(
        joblib.delayed(own_threads)(i) for i in (0, 1)
    )
    assert found == [max(cores // 2, 1)] * 2


@pytest.mark.parametrize(("said", "expected"), [("1", 1), ("1,4", 1), ("x", 0), ("0", 0), ("", 0)])
def test_the_number_of_threads_follows_the_environment(
    monkeypatch: pytest.MonkeyPatch, said: str, expected: int
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert threads(-1) == (expected or joblib.cpu_count())
    assert threads(3) == 3


def test_other_threads_run_during_a_fit() -> None:
    X = synth.corpus("rcv1", scale=0.03).X
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    beside = threading.Thread(target=tick)
    beside.start()
    start = time.monotonic()
    XRay(60, selection="greedy", n_jobs=1).fit(X)
    taken = time.monotonic() - start
    done.set()
    beside.join()
    assert ticks > 10 * taken, f"{ticks} ticks in {taken:.2f} s"


# Each makes data, says that it is ready, works for long, and prints how long it took to stop.
PROGRAM = """
import os, time, numpy as np
from xray_nmf import TopicModel, XRay, nnls, refine, snpa, synth
{setup}
threads = len(os.listdir("/proc/self/task")) if {ends} else 0
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
    # The engine's thread ends soon after, if it can look within its work.
    while {ends} and len(os.listdir("/proc/self/task")) > threads:
        time.sleep(0.01)
    print("ended", time.time(), flush=True)
    # What was stopped left everything usable.
    print(XRay(2).fit(np.eye(3)).anchors_.tolist())
"""

LONG_WORK = {
    "many steps": ("X = synth.corpus(scale=0.05).X", "XRay(2000, selection='dist').fit(X)"),
    "one long step": (
        "X = np.random.default_rng(0).random((3000, 6000))",
        "XRay(100, selection='greedy', engine='direct', n_jobs=1).fit(X)",
    ),
    "number of anchors": (
        "X = np.random.default_rng(0).random((1500, 1200))",
        "XRay(path_length=100).fit(X)",
    ),
    "refinement": (
        "X = np.random.default_rng(0).random((900, 900))",
        "refine(X, X[:, :40].copy(), X[:40].copy(), steps=10**6)",
    ),
    "nnls": (
        "A = np.random.default_rng(0).random((300, 250))\\n"
        "B = np.random.default_rng(1).random((300, 200_000), dtype=np.float32)",
        "nnls(A, B, n_jobs=1)",
    ),
    "topics": (
        "X = synth.corpus(scale=0.05).X",
        "TopicModel(1000, selection='dist', refine_steps=0).fit(X)",
    ),
    "topics of texts": (
        "rng = np.random.default_rng(0)\\n"
        "texts = [' '.join(f'w{i}' for i in rng.integers(0, 20000, 60)) for _ in range(20000)]",
        "TopicModel(500, refine_steps=1000, n_jobs=1).fit(texts)",
    ),
    "snpa": (
        "X = np.random.default_rng(0).random((600, 6000))",
        "snpa(X, 300, n_jobs=1)",
    ),
    "progress": (
        "X = synth.corpus(scale=0.05).X",
        "XRay(2000, selection='dist', verbose=True).fit(X)",
    ),
}

# What looks for a request to stop within its steps.
ENDS = ("many steps", "one long step", "number of anchors", "refinement")


@pytest.mark.parametrize("name", LONG_WORK)
def test_interrupts_stop_within_a_second(name: str) -> None:
    setup, work = LONG_WORK[name]
    ends = sys.platform == "linux" and name in ENDS
    program = PROGRAM.format(setup=setup.replace("\\n", "\n"), work=work, ends=ends)
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    assert child.poll() is None, "the work is too short for this test"
    sent = time.time()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    words = out.split()
    assert words[:1] == ["interrupted"], err
    assert float(words[1]) - sent < 1.0
    assert words[2] == "ended" and float(words[3]) - sent < 2.0
    assert "[0, 1]" in out and child.returncode == 0, err


TOO_WIDE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
import scipy.sparse as sp
from xray_nmf import XRay
try:
    XRay(3, n_jobs=1).fit(sp.csr_matrix((3, 2**31 - 2)))
except MemoryError as error:
    print("MemoryError:", error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits on addresses are those of Linux")
def test_memory_that_is_not_there_is_an_exception() -> None:
    out = subprocess.run([sys.executable, "-c", TOO_WIDE], capture_output=True, text=True)
    assert out.returncode == 0 and out.stdout.startswith("MemoryError: there is no memory"), out


def test_an_error_in_a_signal_handler_stops_a_fit() -> None:
    def complain(number: int, frame: object) -> None:
        raise TimeoutError("too long")

    X = synth.corpus(scale=0.05).X
    before = signal.signal(signal.SIGALRM, complain)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError, match="too long"):
            XRay(2000, selection="dist").fit(X)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_can_fit(dense: Floats) -> None:
    expected = XRay(5, selection="greedy").fit(dense)  # the parent has had threads
    synth.corpus(scale=0.01)
    expected_topics = TopicModel(2).fit_transform(TEXTS)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        fits = pool.map_async(XRay(5, selection="greedy", path_length=9).fit, [dense] * 4)
        made = pool.apply_async(synth.corpus)
        solved = pool.apply_async(nnls, (dense, dense))
        topics = pool.apply_async(TopicModel(2).fit_transform, (TEXTS,))
        for model in fits.get(timeout=60):
            assert (model.components_ == expected.components_).all()
        assert made.get(timeout=60).X.shape == (7813, 430)
        assert solved.get(timeout=60).kkt_violation < 1e-12
        assert (topics.get(timeout=60) == expected_topics).all()


def count_warnings(dense: Floats) -> int:
    """What a fit in this process warns of."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        XRay(3).fit(dense)
    return len(told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_worker_of_a_pool_fits_without_a_warning(dense: Floats) -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(count_warnings, (dense,)).get(timeout=60) == 0


def test_the_module_tells_versions() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "xray_nmf"], capture_output=True, text=True, check=True
    )
    facts = dict(line.split(maxsplit=1) for line in run.stdout.splitlines())
    assert facts["xray-nmf"] == __version__
    assert facts["NumPy"] == np.__version__
