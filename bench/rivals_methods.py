"""The libraries behind one face: build the input, fit (the timed part), read the result.

Each class imports its library and brings the shared data into the form that the library takes when
it is made, so that `fit` times the library's own work only. Every `fit` ends with the topics and
the weights of all documents.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.io
import scipy.sparse as sp

from rivals_entries import THREADS

TOP = 10


class Result(NamedTuple):
    """What a fit found."""

    weights: Any
    """Documents x topics."""
    lengths: Any
    """Length of each topic's vector of words where weights depend on it (NMF), otherwise ones."""
    words: list[list[str]]
    note: str


class Data(NamedTuple):
    """The shared input."""

    folder: Path
    terms: list[str]

    def counts(self) -> sp.csr_matrix:
        """Counts, documents x words."""
        return sp.csr_matrix(sp.load_npz(self.folder / "counts.npz"))

    def tfidf(self) -> sp.csr_matrix:
        """Weights, documents x words."""
        return sp.csr_matrix(sp.load_npz(self.folder / "tfidf.npz"))

    def documents(self) -> list[list[str]]:
        """Each document as its words, repeated as often as they occur."""
        counts, terms = self.counts(), np.array(self.terms, dtype=object)
        return [
            np.repeat(terms[row.indices], row.data.astype(int)).tolist()
            for row in (counts[i] for i in range(counts.shape[0]))
        ]


def heaviest(H: Any, terms: list[str]) -> list[list[str]]:
    """The words with the largest weights in each topic (row of H)."""
    return [[terms[j] for j in np.argsort(-row, kind="stable")[:TOP]] for row in H]


def spread(rows: Any, kept: Any, n: int) -> Any:
    """Rows of the documents that a library kept, zeros for those it dropped."""
    weights = np.zeros((n, rows.shape[1]))
    weights[np.asarray(kept)] = rows
    return weights


class ScikitLearn:
    """scikit-learn's NMF."""

    def __init__(self, data: Data, k: int, seed: int) -> None:
        from sklearn.decomposition import NMF

        self.data, self.X = data, data.tfidf()
        self.model = NMF(k, random_state=seed)

    def fit(self) -> None:
        """Both factors."""
        self.W = self.model.fit_transform(self.X)

    def result(self) -> Result:
        """W, scaled by the rows of H."""
        H = self.model.components_
        note = f"{self.model.n_iter_} iterations"
        return Result(self.W, np.linalg.norm(H, axis=1), heaviest(H, self.data.terms), note)


class ScikitLearnBatches(ScikitLearn):
    """scikit-learn's NMF on small batches of documents."""

    def __init__(self, data: Data, k: int, seed: int) -> None:
        from sklearn.decomposition import MiniBatchNMF

        self.data, self.X = data, data.tfidf()
        self.model = MiniBatchNMF(k, random_state=seed)


class RcppML:
    """RcppML's NMF, in a process of R that has the matrix before the clock starts."""

    def __init__(self, data: Data, k: int, seed: int) -> None:
        X = data.tfidf()
        self.data, self.out = data, Path(tempfile.mkdtemp(prefix="rivals-"))
        scipy.io.mmwrite(self.out / "x.mtx", sp.coo_matrix(X.T), precision=17)
        script = Path(__file__).with_name("rivals_rcppml.R")
        given = [self.out / "x.mtx", k, seed + 1, THREADS, self.out / "f"]
        command = ["Rscript", str(script), *map(str, given)]
        self.child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.expect("ready")

    def expect(self, word: str) -> str:
        """The next line, which begins with a word."""
        line = self.child.stdout.readline() if self.child.stdout else ""
        if not line.startswith(word):
            raise RuntimeError(f"R said {line!r} instead of {word!r}")
        return line

    def tell(self, word: str) -> None:
        """Sends a line."""
        if self.child.stdin:
            self.child.stdin.write(word + "\n")
            self.child.stdin.flush()

    def usage(self) -> tuple[float, int, int]:
        """Processor time of R in seconds, and its memory now and at its peak, in bytes."""
        folder = Path("/proc") / str(self.child.pid)
        ticks = (folder / "stat").read_text().rsplit(")", 1)[1].split()[11:13]
        lines = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        now, most = (int(lines[name].split()[0]) * 1024 for name in ("VmRSS", "VmHWM"))
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), now, most

    def fit(self) -> None:
        """Both factors."""
        self.tell("go")
        self.expect("done")

    def result(self) -> Result:
        """The weights of documents, scaled by the topics' scales."""
        self.tell("write")
        note = f"{self.expect('').strip()} iterations"
        self.child.wait()
        w, h, d = (np.loadtxt(self.out / f"f-{name}.csv", delimiter=",") for name in "whd")
        shutil.rmtree(self.out)
        words = heaviest(w.T, self.data.terms)
        return Result((h * d[:, np.newaxis]).T, np.linalg.norm(w, axis=0), words, note)


class Gensim:
    """gensim's online NMF, which takes a sparse matrix of words x documents."""

    passes = 1

    def __init__(self, data: Data, k: int, seed: int) -> None:
        from gensim.models.nmf import Nmf

        self.data, self.X = data, sp.csc_matrix(data.tfidf().T)
        self.names = dict(enumerate(data.terms))
        self.make, self.k, self.seed = Nmf, k, seed

    def fit(self) -> None:
        """The topics, then all documents' weights.

        The public call weighs one document at a time and needs longer than the fit itself; its
        inner solver takes them all at once, as in training.
        """
        self.model = self.make(
            self.X,
            num_topics=self.k,
            id2word=self.names,
            passes=self.passes,
            random_state=self.seed,
        )
        self.W = self.model._solveproj(self.X, self.model._W, v_max=np.inf).T

    def result(self) -> Result:
        """Weights, scaled by the topics."""
        H = self.model.get_topics(normalize=False)
        words = heaviest(H, self.data.terms)
        return Result(self.W, np.linalg.norm(H, axis=1), words, f"passes: {self.passes}")


class GensimFive(Gensim):
    """The same with five passes over the documents."""

    passes = 5


class TopicaNmf:
    """topica's NMF, which takes words and weighs them itself."""

    def __init__(self, data: Data, k: int, seed: int) -> None:
        import topica

        documents = data.documents()
        self.n = len(documents)
        self.corpus = topica.Corpus.from_documents(documents, vocabulary=data.terms)
        self.model = self.make(topica, k, seed)

    def make(self, topica: Any, k: int, seed: int) -> Any:
        """The model before the fit."""
        return topica.NMF(k, seed=seed)

    def fit(self) -> None:
        """Topics and proportions."""
        self.model.fit(self.corpus, num_threads=THREADS)

    def result(self) -> Result:
        """Proportions; its topics sum to 1, so their lengths undo what it scaled by."""
        model = self.model
        weights = spread(model.doc_topic, self.corpus.kept_indices, self.n)
        lengths = np.linalg.norm(model.topic_word, axis=1)
        return Result(weights, lengths, model.top_words(TOP), f"{model.iters_run} iterations")


class TopicaAnchors(TopicaNmf):
    """topica's AnchorLDA (Arora et al. 2013), on a dense words x words matrix."""

    def make(self, topica: Any, k: int, seed: int) -> Any:
        """The model before the fit."""
        return topica.AnchorLDA(k, seed=seed)

    def fit(self) -> None:
        """Anchors, topics and proportions."""
        self.model.fit(self.corpus)

    def result(self) -> Result:
        """Proportions, and the words as the library ranks them."""
        model = self.model
        weights = spread(model.doc_topic, self.corpus.kept_indices, self.n)
        note = f"{len(model.vocabulary)} words kept"
        return Result(weights, np.ones(weights.shape[1]), model.top_words(TOP), note)


class Tomotopy:
    """tomotopy's LDA by Gibbs sampling."""

    iterations = 300

    def __init__(self, data: Data, k: int, seed: int) -> None:
        import tomotopy

        documents = data.documents()
        self.n = len(documents)
        self.model = tomotopy.LDAModel(k=k, seed=seed)
        added = [self.model.add_doc(document) for document in documents]
        self.kept = [i for i, place in enumerate(added) if place is not None]

    def fit(self) -> None:
        """Samples, and reads off the proportions."""
        self.model.train(self.iterations, workers=THREADS)
        self.proportions = np.array([document.get_topic_dist() for document in self.model.docs])

    def result(self) -> Result:
        """Proportions and the words of highest probability."""
        model = self.model
        words = [[word for word, _ in model.get_topic_words(t, TOP)] for t in range(model.k)]
        weights = spread(self.proportions, self.kept, self.n)
        return Result(weights, np.ones(model.k), words, f"{self.iterations} iterations")


METHODS: dict[str, Any] = {
    "sklearn": ScikitLearn,
    "sklearn-batches": ScikitLearnBatches,
    "rcppml": RcppML,
    "gensim1": Gensim,
    "gensim5": GensimFive,
    "topica": TopicaNmf,
    "tomotopy": Tomotopy,
    "anchorlda": TopicaAnchors,
}
