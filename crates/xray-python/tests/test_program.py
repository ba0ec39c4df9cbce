"""The same bits as the program, and model files that both read."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import warnings
import zipfile
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from numpy.typing import NDArray

from xray_nmf import TopicModel, XRay, synth
from xray_nmf._types import Selection

Floats = NDArray[np.float64]


def run(program: Path, *arguments: Any) -> str:
    """What the program prints."""
    command = [str(program), *map(str, arguments), "--quiet"]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def factor(archive: Any, name: str) -> Floats:
    """W or H of a model file."""
    if name in archive:
        return np.array(archive[name])
    parts = (archive[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_array(tuple(parts), shape=tuple(archive[f"{name}_shape"])).toarray()


def same_bytes(ours: Path, theirs: Path) -> None:
    """The same bytes, but for where the data came from, and when, in the text of the metadata."""
    with zipfile.ZipFile(ours) as a, zipfile.ZipFile(theirs) as b:
        assert a.namelist() == b.namelist() and "metadata.npy" in a.namelist()
        for name in a.namelist():
            first, second = (without_origin(archive.read(name)) for archive in (a, b))
            assert first == second, name


def without_origin(array: bytes) -> bytes:
    """An array's bytes; those of the metadata without provenance, and without their own length."""
    cut, found = re.subn(rb'"provenance":\{.*?\},', b"", array)
    return cut[cut.index(b'{"format"') :] if found else cut


def tf_idf(data: Path) -> sp.csr_matrix:
    """TDT2 with tf * ln(m / df) over the words in at least 5 documents."""
    counts = sp.csr_matrix(scipy.io.loadmat(data / "tdt2" / "TDT2.mat")["fea"], dtype=float)
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    matrix = sp.csr_matrix(counts[:, df >= 5].multiply(np.log(counts.shape[0] / df[df >= 5])))
    matrix.sort_indices()
    return matrix


def check_factorize(program: Path, X: Any, file: Path, folder: Path, **options: Any) -> XRay:
    """Fits with both and compares; returns Python's."""
    model = XRay(**options).fit(X)
    out = folder / "program.npz"
    rank = options["n_components"]
    selection = model.selection_
    more = ["--refine", options.get("refine_steps", 0), "--seed", options.get("random_state", 0)]
    run(program, "factorize", file, "-r", rank, "--selection", selection, *more, "-o", out)
    with np.load(out, allow_pickle=False) as archive:
        assert (archive["anchors"] == model.anchors_).all()
        assert (archive["residual_norm"] == model.path_).all()
        assert (factor(archive, "h") == model.components_).all()
        assert model.components_.shape[0] == rank
    model.save(folder / "ours.npz")
    same_bytes(folder / "ours.npz", out)
    opened = XRay.load(out)
    assert (opened.components_ == model.components_).all()
    expected = {**model.get_params(), "n_jobs": -1, "selection": selection}
    assert opened.get_params() == expected
    opened.save(folder / "again.npz")
    assert (folder / "again.npz").read_bytes() == out.read_bytes()
    return model


@pytest.mark.parametrize("selection", get_args(Selection))
def test_every_rule(program: Path, tmp_path: Path, selection: Any) -> None:
    planted = synth.planted(noise=0.3, clip=True, random_state=5).X
    corpus = synth.corpus("ibmt", scale=0.02).X
    np.save(tmp_path / "planted.npy", planted)
    sp.save_npz(tmp_path / "corpus.npz", corpus)
    for X, file, rank in ((planted, "planted.npy", 15), (corpus, "corpus.npz", 10)):
        for n_jobs, refine_steps in ((1, 2), (3, 0)):
            options = {"n_jobs": n_jobs, "selection": selection, "random_state": 3}
            check_factorize(
                program,
                X,
                tmp_path / file,
                tmp_path,
                n_components=rank,
                refine_steps=refine_steps,
                **options,
            )


@pytest.mark.parametrize("selection", ["max", "greedy"])
def test_tdt2(program: Path, data: Path, tmp_path: Path, selection: Any) -> None:
    X = tf_idf(data)
    assert X.shape == (9394, 19677)
    sp.save_npz(tmp_path / "tdt2.npz", X)
    check_factorize(
        program, X, tmp_path / "tdt2.npz", tmp_path, n_components=30, selection=selection
    )


def test_a_dense_cube(program: Path, data: Path, tmp_path: Path) -> None:
    file = data / "samson" / "samson_1.mat"
    pixels = np.asarray(scipy.io.loadmat(file)["V"], dtype=float)
    np.save(tmp_path / "cube.npy", pixels)
    for options in ({}, {"refine_steps": 3}):
        model = check_factorize(
            program, pixels, tmp_path / "cube.npy", tmp_path, n_components=3, **options
        )
    by_samples = XRay(3, axis="samples").fit(pixels.T)
    assert (by_samples.anchors_ == model.anchors_).all()


def weights_of(printed: str) -> Floats:
    """The weights in the program's table of documents."""
    rows = list(csv.DictReader(io.StringIO(printed)))
    columns = [name for name in rows[0] if name.startswith("topic_")]
    return np.array([[float(row[name]) for name in columns] for row in rows])


def test_the_program_reads_what_python_saves(program: Path, tmp_path: Path, dense: Floats) -> None:
    np.save(tmp_path / "x.npy", dense)
    names = [f"gene{j}" for j in range(dense.shape[1])]
    for refine_steps in (0, 2):
        model = XRay(4, refine_steps=refine_steps).fit(pd.DataFrame(dense, columns=names))
        model.save(tmp_path / "model.npz")
        files = tmp_path / "model.npz", tmp_path / "x.npy"
        printed = run(program, "transform", "--exact", *files, "--by-position")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no names
            assert (weights_of(printed) == model.transform(dense)).all()
        again = XRay.load(tmp_path / "model.npz")
        assert again.feature_names_in_.tolist() == names
        assert (again.path_ == model.path_).all() and (again.anchors_ == model.anchors_).all()
    with pytest.raises(ValueError, match="fit the transposed matrix"):
        XRay(2, axis="samples").fit(dense).save(tmp_path / "rows.npz")


OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"n_topics": 8}, "-k 8"),
    (
        {
            "n_topics": 6,
            "anchor_words": [["Orbit", "planet"], "oven"],
            "exclude": ["water"],
            "n_words": 4,
            "stemming": "english",
            "ngram_range": (1, 2),
            "min_df": 2,
            "max_df": 0.4,
            "drop": ["day"],
            "distinct": True,
        },
        "-k 6 --anchor Orbit,planet --anchor oven --exclude water --words 4 --stem english "
        "--ngrams 2 --min-df 2 --max-df 0.4 --drop day --distinct",
    ),
    (
        {"n_topics": 5, "selection": "max", "refinement": "exact", "refine_steps": 3}
        | {"stop_words": None, "sublinear_tf": False, "normalize_documents": False},
        "-k 5 --selection max --refine-method exact --refine 3 --stop-words none --raw-tf "
        "--no-document-norm",
    ),
    (
        {"n_topics": 5, "selection": "dist", "anchor_min_df": 0.05, "normalize_documents": "l1"},
        "-k 5 --selection dist --anchor-min-df 0.05 --row-scale l1",
    ),
    (
        {"n_topics": 5, "selection": "agg", "anchor_min_df": 1},
        "-k 5 --selection agg --anchor-min-df 1",
    ),
    (
        {"n_topics": 4, "weighting": "counts", "lowercase": False, "max_features": 300}
        | {"min_characters": 4, "mean_ray": True, "normalize": "l2"},
        "-k 4 --weighting counts --case-sensitive --max-features 300 --min-characters 4 "
        "--mean-ray --normalize l2",
    ),
]


@pytest.mark.parametrize(("options", "arguments"), OPTIONS)
def test_topics_of_texts(
    program: Path, root: Path, tmp_path: Path, options: dict[str, Any], arguments: str
) -> None:
    corpus = root / "crates" / "xray-cli" / "corpus" / "demo.tsv"
    texts = pd.read_csv(corpus, sep="\t")["text"]
    run(program, "topics", corpus, "--text", "text", *arguments.split(), "-o", tmp_path / "out")
    model = TopicModel(**options).fit(texts)
    model.save(tmp_path / "ours.npz")
    same_bytes(tmp_path / "ours.npz", tmp_path / "out" / "model.npz")
    listed = json.loads((tmp_path / "out" / "topics.json").read_text())
    topics = model.topics_
    assert [topic["anchor"] for topic in listed["topics"]] == topics["anchor"].tolist()
    assert [topic["words"] for topic in listed["topics"]] == topics["words"].tolist()
    assert [topic["name"] for topic in listed["topics"]] == topics["name"].tolist()
    assert [topic["anchor_left"] for topic in listed["topics"]] == topics["anchor_left"].tolist()
    assert [topic["weights"] for topic in listed["topics"]] == topics["weights"].tolist()
    assert [topic["share"] for topic in listed["topics"]] == topics["share"].tolist()
    margins = [np.nan if t["margin"] is None else t["margin"] for t in listed["topics"]]
    assert np.array_equal(margins, topics["margin"], equal_nan=True)
    assert listed["refined_objective"] == model.objective_.tolist()
    assert listed["kkt_violation"] == model.kkt_violation_
    # Each reads the other's file, and weighs new documents alike.
    new = tmp_path / "new.txt"
    new.write_text("the orbit of a planet\nbread in the oven\nnothing known: zzz\n")
    opened = TopicModel.load(tmp_path / "out" / "model.npz")
    weights = opened.transform(new.read_text().splitlines())
    assert (
        weights_of(run(program, "transform", "--exact", tmp_path / "ours.npz", new)) == weights
    ).all()


@pytest.mark.parametrize("counted", [True, False])
def test_topics_of_a_matrix(program: Path, tmp_path: Path, dense: Floats, counted: bool) -> None:
    X = sp.csr_matrix(np.ceil(3 * dense) if counted else dense)
    words = [f"word{chr(97 + j)}" for j in range(X.shape[1])]
    scipy.io.mmwrite(tmp_path / "x.mtx", X, precision=17)
    (tmp_path / "words.txt").write_text("\n".join(words) + "\n")
    where = ["--terms", tmp_path / "words.txt", "-k", "3", "-o", tmp_path / "out"]
    run(program, "topics", tmp_path / "x.mtx", *where)
    model = TopicModel(3).fit(X, vocabulary=words)
    model.save(tmp_path / "ours.npz")
    same_bytes(tmp_path / "ours.npz", tmp_path / "out" / "model.npz")
    assert (model.transform(X) == model.weights_).all()


def test_bbc(program: Path, data: Path, tmp_path: Path) -> None:
    file = data / "bbc" / "articles.csv.gz"
    table = pd.read_csv(file)
    texts = table["text"].tolist()
    run(program, "topics", file, "--text", "text", "-k", "5", "-o", tmp_path / "out")
    model = TopicModel(5).fit(texts)
    model.save(tmp_path / "ours.npz")
    same_bytes(tmp_path / "ours.npz", tmp_path / "out" / "model.npz")


@pytest.fixture(scope="module")
def demo(root: Path) -> Path:
    """A small corpus."""
    return root / "crates" / "xray-cli" / "corpus" / "demo.tsv"


def test_topics_in_shards(program: Path, demo: Path, tmp_path: Path) -> None:
    arguments = ["topics", demo, "--text", "text", "-k", "6"]
    run(program, *arguments, "-o", tmp_path / "whole")
    run(program, *arguments, "-o", tmp_path / "parts", "--shards")
    assert (tmp_path / "parts" / "w-00000-of-00001.npz").exists()
    whole = TopicModel.load(tmp_path / "whole" / "model.npz")
    for folder in ("whole", "parts"):
        model = TopicModel.load(tmp_path / folder)
        for name in ("components_", "weights_", "anchors_", "path_", "document_topics_"):
            assert (getattr(model, name) == getattr(whole, name)).all(), name
        pd.testing.assert_frame_equal(model.topics_, whole.topics_)
        assert model.get_params() == whole.get_params()
    (tmp_path / "parts" / "w-00000-of-00001.npz").unlink()
    with pytest.raises(ValueError, match=r"w-00000-of-00001\.npz: missing"):
        TopicModel.load(tmp_path / "parts")
    with pytest.raises(ValueError, match=r"neither model\.npz nor the manifest"):
        TopicModel.load(tmp_path)


@pytest.mark.parametrize("refine_steps", [0, 2])
def test_factors_in_shards(program: Path, tmp_path: Path, dense: Floats, refine_steps: int) -> None:
    frame = pd.DataFrame(dense, columns=[f"gene{j}" for j in range(dense.shape[1])])
    frame.to_csv(tmp_path / "x.csv", index=False)
    arguments = ["factorize", tmp_path / "x.csv", "-r", "4", "--refine", refine_steps]
    run(program, *arguments, "-o", tmp_path / "parts", "--shards")
    model = XRay.load(tmp_path / "parts")
    expected = XRay(4, selection="max", refine_steps=refine_steps).fit(frame)
    assert model.get_params() == expected.get_params()
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    for name in ("components_", "anchors_", "path_"):
        assert (getattr(model, name) == getattr(expected, name)).all(), name
    assert (model.transform(frame) == expected.transform(frame)).all()
    # One file of it weighs new columns, too: W is there.
    model.save(tmp_path / "one.npz")
    transform = ["transform", tmp_path / "one.npz", tmp_path / "x.csv", "--columns"]
    assert weights_of(run(program, *transform)).shape == (25, 4)
