#!/usr/bin/env python3
"""Write reference files in every format with SciPy, scikit-learn, pandas and pyarrow.

usage: make_reference.py FOLDER [DATA]

FOLDER gets the files and manifest.json, which says what each one holds: bit patterns of all
entries, names, labels, texts. With DATA (the folder of real data) it also gets checksums of the
.mat files there, and tf-idf matrices of the raw texts. The test `reference.rs` reads it all back:

    XRAY_REFERENCE=FOLDER XRAY_DATA=DATA cargo test -p xray-data reference
"""

import csv
import gzip
import json
import re
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer

Dense: TypeAlias = npt.NDArray[np.float64]
# A sparse array or matrix of SciPy, in whatever format.
Sparse: TypeAlias = Any

rng = np.random.default_rng(20260101)
folder = Path(sys.argv[1])
data = Path(sys.argv[2]) if len(sys.argv) > 2 else None
folder.mkdir(parents=True, exist_ok=True)
manifest: dict[str, list[dict[str, Any]]] = {"tables": [], "documents": [], "mat": [], "tfidf": []}


def bits(matrix: npt.ArrayLike) -> list[list[int]]:
    """Rows of 64-bit patterns."""
    dense = np.ascontiguousarray(matrix, dtype=np.float64)
    patterns: list[list[int]] = dense.view(np.uint64).tolist()
    return patterns


def is_sparse(value: Any) -> bool:
    """Whether SciPy calls it sparse, without narrowing its type."""
    return bool(sp.issparse(value))


def table(name: str, matrix: Any, sparse: bool, **more: Any) -> None:
    """Say in the manifest which matrix a file holds."""
    dense = matrix.toarray() if is_sparse(matrix) else np.asarray(matrix)
    manifest["tables"].append({"file": name, "bits": bits(dense), "sparse": sparse, **more})


def documents(
    name: str, ids: list[str], texts: list[str], labels: list[str] | None, **more: Any
) -> None:
    """Say in the manifest which texts a file or folder holds."""
    manifest["documents"].append(
        {"file": name, "ids": ids, "texts": texts, "labels": labels, **more}
    )


def matrices() -> tuple[Sparse, Dense]:
    """A sparse and a dense matrix with awkward values."""
    sparse: Sparse = sp.random_array((37, 23), density=0.2, rng=rng, format="csr")
    sparse.data = sparse.data * 10.0 ** rng.integers(-30, 30, sparse.nnz)
    sparse.data[:4] = [0.1, 1 / 3, 5e-324, 123456789.123456789]
    dense = rng.random((11, 7)) * 10.0 ** rng.integers(-20, 20, (11, 7))
    dense[3, 4] = 0.0
    return sparse, dense


def compressed(name: str) -> list[str]:
    """The file again in gzip and Zstandard."""
    content = (folder / name).read_bytes()
    with gzip.open(folder / (name + ".gz"), "wb") as out:
        out.write(content)
    with pa.output_stream(folder / (name + ".zst"), compression="zstd") as out:
        out.write(content)
    return [name, name + ".gz", name + ".zst"]


def matrix_market(sparse: Sparse, dense: Dense) -> None:
    """Matrix Market files of several fields and symmetries."""
    scipy.io.mmwrite(folder / "general.mtx", sparse, precision=17)
    for name in compressed("general.mtx"):
        table(name, sparse, True)
    counts = sparse.copy()
    counts.data = np.arange(1.0, counts.nnz + 1)
    scipy.io.mmwrite(folder / "integer.mtx", counts.astype(np.int64), field="integer")
    table("integer.mtx", counts, True)
    pattern = sparse.copy()
    pattern.data[:] = 1
    scipy.io.mmwrite(folder / "pattern.mtx", pattern, field="pattern")
    table("pattern.mtx", pattern, True)
    square = (sparse @ sparse.T).tocsr()
    square = ((square + square.T) / 2).tocsr()
    scipy.io.mmwrite(folder / "symmetric.mtx", square, symmetry="symmetric", precision=17)
    table("symmetric.mtx", square, True)
    scipy.io.mmwrite(folder / "array.mtx", dense, precision=17)
    table("array.mtx", dense, False)
    full = dense.T @ dense
    full = (full + full.T) / 2
    scipy.io.mmwrite(folder / "array_symmetric.mtx", full, symmetry="symmetric", precision=17)
    table("array_symmetric.mtx", full, False)


def numpy_files(sparse: Sparse, dense: Dense) -> None:
    """The .npz and .npy files of several layouts, element types and versions."""
    for kind in ["csr", "csc", "coo"]:
        for packed in [True, False]:
            name = f"{kind}_{'packed' if packed else 'plain'}.npz"
            sp.save_npz(folder / name, sparse.asformat(kind), compressed=packed)
            table(name, sparse, True)
    shuffled = sparse.tocoo()
    order = rng.permutation(shuffled.nnz)
    unsorted = sp.csr_array(sparse)
    for d in range(unsorted.shape[0]):
        a, b = unsorted.indptr[d], unsorted.indptr[d + 1]
        unsorted.indices[a:b] = unsorted.indices[a:b][::-1]
        unsorted.data[a:b] = unsorted.data[a:b][::-1]
    unsorted.has_sorted_indices = False
    sp.save_npz(folder / "unsorted.npz", unsorted)
    table("unsorted.npz", sparse, True)
    mixed = sp.coo_array(
        (shuffled.data[order], (shuffled.row[order], shuffled.col[order])), shape=sparse.shape
    )
    sp.save_npz(folder / "shuffled.npz", mixed)
    table("shuffled.npz", sparse, True)
    long = sp.csr_array(sparse)
    long.indices, long.indptr = long.indices.astype(np.int64), long.indptr.astype(np.int64)
    sp.save_npz(folder / "int64.npz", long)
    table("int64.npz", sparse, True)
    truth = sparse.astype(bool)
    sp.save_npz(folder / "truth.npz", truth)
    table("truth.npz", truth, True)
    np.savez(folder / "arrays.npz", small=np.ones((2, 2)), large=dense, vector=np.arange(99.0))
    table("arrays.npz", dense, False)
    table("arrays.npz", np.ones((2, 2)), False, variable="small")
    words = ["a", "é🚨", "", "b c"] * 2 + ["a", "b", "c"]
    numbers = [k - 3 for k in range(11)]
    np.savez(folder / "labelled.npz", X=dense, y=np.array(words), topic=np.array(numbers))
    table("labelled.npz", dense, False, labels=words)
    table("labelled.npz", dense, False, labels=[str(k) for k in numbers], label="topic")
    np.savez_compressed(folder / "bytes.npz", X=dense, Labels=np.array(words[:1] * 11, dtype="S3"))
    table("bytes.npz", dense, False, labels=["a"] * 11)
    whole = rng.integers(0, 100, (5, 6))
    kinds = "<f4 <f8 >f8 >f4 i1 u1 <i2 >i2 <u2 <i4 >i4 <u4 <i8 <u8 >u8 ?".split()
    layouts: list[Literal["C", "F"]] = ["C", "F"]
    for kind in kinds:
        for layout in layouts:
            name = f"{kind.replace('<', 'le').replace('>', 'be').replace('?', 'b')}_{layout}.npy"
            source = dense if "f" in kind else whole
            array = np.asarray(source.astype(np.dtype(kind)), order=layout)
            np.save(folder / name, array)
            table(name, array.astype(np.float64), False)
    for version in [(1, 0), (2, 0), (3, 0)]:
        name = f"version{version[0]}.npy"
        with open(folder / name, "wb") as out:
            np.lib.format.write_array(out, dense, version=version)
        table(name, dense, False)
    for name in compressed("version1.npy")[1:]:
        table(name, dense, False)
    np.save(folder / "vector.npy", dense[:, 0])
    table("vector.npy", dense[:, :1], False)


def mat_files(sparse: Sparse, dense: Dense) -> None:
    """MATLAB files, compressed and plain, of several element types."""
    labels = np.arange(37.0)[:, None] % 3
    for packed in [True, False]:
        name = f"sparse_{packed}.mat"
        scipy.io.savemat(
            folder / name,
            {
                "text": "words",
                "cell": np.array([["a", 1]], dtype=object),
                "part": {"x": 1.5},
                "gnd": labels,
                "fea": sp.csc_array(sparse),
                "z": np.zeros((2, 2)) * 1j,
            },
            do_compression=packed,
        )
        names = [f"{v:g}" for v in labels[:, 0]]
        table(name, sparse, True, labels=names)
        table(name, labels, False, variable="gnd", labels=names)
        name = f"dense_{packed}.mat"
        scipy.io.savemat(folder / name, {"small": np.eye(2), "big": dense}, do_compression=packed)
        table(name, dense, False)
        table(name, np.eye(2), False, variable="small")
        rows = np.array([f"row {k} naïve 🚨" if k else "" for k in range(37)], dtype=object)
        columns = np.array([f"column {k}" for k in range(23)], dtype=object)
        classes = np.array(["a", "b,c", "é", ""] * 9 + ["a"], dtype=object)
        name = f"named_{packed}.mat"
        scipy.io.savemat(
            folder / name,
            {"row_names": rows, "X": sparse, "column_names": columns[:, None], "topics": classes},
            do_compression=packed,
        )
        listed = {"row_names": rows.tolist(), "column_names": columns.tolist()}
        table(name, sparse, True, **listed)
        table(name, sparse, True, label="topics", labels=classes.tolist(), **listed)
    for kind in "int8 uint8 int16 uint16 int32 uint32 int64 uint64 float32 bool".split():
        name = f"{kind}.mat"
        array = rng.integers(0, 100, (4, 9)).astype(kind)
        scipy.io.savemat(folder / name, {"x": array})
        table(name, array.astype(np.float64), False)


def text_tables(sparse: Sparse, dense: Dense) -> None:
    """Matrices in text: svmlight, bag of words, separated and spaced."""
    labels = [str(k % 2) for k in range(37)]
    for name, zero_based in [("zero.svm", True), ("one.svm", False)]:
        dump_svmlight_file(sparse, np.arange(37) % 2, str(folder / name), zero_based=zero_based)
        again, _ = load_svmlight_file(str(folder / name), n_features=23, zero_based=zero_based)
        table(name, again, True, labels=labels, zero_based=zero_based)
    counts = (rng.random((20, 30)) < 0.2) * rng.integers(1, 9, (20, 30))
    with open(folder / "docword.test.txt", "w") as out:
        places = np.argwhere(counts)
        out.write(f"20\n30\n{len(places)}\n")
        for d, w in places:
            out.write(f"{d + 1} {w + 1} {counts[d, w]}\n")
    words = [f"word{k}" for k in range(30)]
    (folder / "vocab.test.txt").write_text("\n".join(words) + "\n")
    table("docword.test.txt", counts, True, column_names=words)
    names = [f"column {k}" if k else 'quoted "one", with comma' for k in range(7)]
    rows = [f"row\t{k}" for k in range(11)]
    numbered = [str(k) for k in range(11)]
    frame = pd.DataFrame(dense, columns=names)
    named = frame.set_axis(rows, axis=0)
    for name, separator in [("x.csv", ","), ("x.tsv", "\t"), ("semicolon.csv", ";")]:
        frame.to_csv(folder / ("plain_" + name), sep=separator, header=False, index=False)
        table("plain_" + name, dense, False)
        frame.to_csv(folder / ("header_" + name), sep=separator, index=False)
        table("header_" + name, dense, False, column_names=names)
        frame.to_csv(folder / ("index_" + name), sep=separator)
        table("index_" + name, dense, False, column_names=names, row_names=numbered)
        named.to_csv(folder / ("named_" + name), sep=separator)
        table("named_" + name, dense, False, column_names=names, row_names=rows)
        for packed in compressed("named_" + name)[1:]:
            table(packed, dense, False, column_names=names, row_names=rows)
    np.savetxt(folder / "spaced.txt", dense, fmt="%.17g")
    table("spaced.txt", dense, False)


def text_files() -> None:
    """Texts with ids and labels in several formats."""
    texts = [
        "Plain words.",
        'He said "no", twice',
        "two\nlines, one cell",
        "naïve café Ω ΣΟΦΟΣ 中文",
        "",
        "tab\tand ; semicolon",
        "'single' quotes",
        "🚨 emoji ½ ² _under_score",
    ]
    ids = [f"d{k}" for k in range(len(texts))]
    labels = ["a", "b", "a", "c", "b", "a", "c", "a,b"]
    frame = pd.DataFrame({"id": ids, "label": labels, "text": texts})
    frame.to_csv(folder / "texts.csv", index=False)
    for name in compressed("texts.csv"):
        documents(name, ids, texts, labels)
    frame.to_csv(folder / "quoted.tsv", sep="\t", index=False, quoting=csv.QUOTE_ALL)
    documents("quoted.tsv", ids, texts, labels, quoting=True)
    flat = frame[~frame.text.str.contains("\n|\t") & (frame.text != "")]
    flat.to_csv(folder / "flat.tsv", sep="\t", index=False)
    documents("flat.tsv", list(flat.id), list(flat.text), list(flat.label))
    frame.to_json(folder / "texts.jsonl", orient="records", lines=True)
    for name in compressed("texts.jsonl"):
        documents(name, ids, texts, labels)
    pairs: Any = [[label, "other"] for label in labels]
    lists = frame.assign(label=pairs)
    lists.to_json(folder / "lists.jsonl", orient="records", lines=True, force_ascii=False)
    documents("lists.jsonl", ids, texts, labels)
    for codec in ["none", "snappy", "gzip", "zstd"]:
        name = f"{codec}.parquet"
        pq.write_table(
            pa.Table.from_pandas(frame), folder / name, compression=codec, row_group_size=3
        )
        documents(name, ids, texts, labels)
    pq.write_table(pa.Table.from_pandas(lists), folder / "lists.parquet", data_page_version="2.0")
    documents("lists.parquet", ids, texts, labels)
    numbers = frame.assign(label=range(len(texts)))
    pq.write_table(pa.Table.from_pandas(numbers), folder / "numbers.parquet", use_dictionary=False)
    documents("numbers.parquet", ids, texts, [str(k) for k in range(len(texts))])
    kept = [t for t in texts if t and "\n" not in t]
    (folder / "lines.txt").write_text("\n".join(kept) + "\n")
    documents("lines.txt", [str(k + 1) for k in range(len(kept))], kept, None)
    for k, text in enumerate(texts):
        path = folder / "texts" / "abc"[k % 3] / f"{k}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    places = sorted((f"{'abc'[k % 3]}/{k}.txt", text) for k, text in enumerate(texts))
    documents("texts", [p for p, _ in places], [t for _, t in places], [p[0] for p, _ in places])


def characters() -> None:
    """Tokens of x?x for every assigned character, as Python sees it."""
    word = re.compile(r"(?u)\b\w\w+\b")
    with open(folder / "characters.tsv", "w", encoding="utf-8") as out:
        for code in range(sys.maxunicode + 1):
            c = chr(code)
            if unicodedata.category(c) in ("Cn", "Cs", "Co") or c in "\n\r":
                continue
            text = f"x{c}x A{c}"
            out.write(f"{code}\t{' '.join(word.findall(text.lower()))}\n")


def real_mat_files(source: Path) -> None:
    """Checksums of the variables of the .mat files in a folder of real data."""
    for path in sorted(source.glob("*/*.mat")):
        for name, value in scipy.io.loadmat(path).items():
            if name.startswith("__") or not (is_sparse(value) or value.dtype.kind in "fiub"):
                continue
            coo: Sparse = (
                sp.coo_array(value) if is_sparse(value) else sp.coo_array(value.astype(float))
            )
            order = coo.data.astype(np.float64).view(np.uint64)
            rows, columns = coo.row.astype(np.uint64), coo.col.astype(np.uint64)
            weight = rows * np.uint64(1000003) + columns + np.uint64(1)
            manifest["mat"].append(
                {
                    "file": str(path.relative_to(source)),
                    "variable": name,
                    "shape": value.shape,
                    "entries": int(np.count_nonzero(coo.data)),
                    "checksum": int((order * weight)[coo.data != 0].sum(dtype=np.uint64)),
                }
            )


STOP = (
    "the of and to in is it for on that with as at by be this are was from an or have not".split()
)

SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "sublinear": {"sublinear_tf": True, "stop_words": STOP},
    "ngrams": {"ngram_range": (1, 2), "min_df": 3, "max_df": 0.5},
    "bigrams": {"ngram_range": (2, 3), "min_df": 5, "stop_words": STOP},
    "share": {"min_df": 0.01, "max_df": 0.3},
    "features": {"max_features": 500, "stop_words": STOP},
    "raw": {"norm": None, "smooth_idf": False},
    "counts": {"norm": None, "use_idf": False},
    "case": {"lowercase": False, "min_df": 2},
}


def tfidf(corpus: str, texts: list[str], settings: Iterable[str]) -> None:
    """The tf-idf matrix and vocabulary of a corpus under each of some settings."""
    for setting in settings:
        options = SETTINGS[setting]
        vectorizer = TfidfVectorizer(**options)
        x = vectorizer.fit_transform(texts).tocsr()
        vocabulary = vectorizer.get_feature_names_out().tolist()
        if "max_features" in options:
            # Leave the choice among equals at the border to nobody.
            counting = {**options, "max_features": None, "use_idf": False, "norm": None}
            counts = TfidfVectorizer(**counting).fit_transform(texts).sum(axis=0).A1
            border = np.sort(counts)[::-1]
            limit = options["max_features"]
            while limit < len(border) and border[limit - 1] == border[limit]:
                limit += 1
            options = {**options, "max_features": limit}
            vectorizer = TfidfVectorizer(**options)
            x = vectorizer.fit_transform(texts).tocsr()
            vocabulary = vectorizer.get_feature_names_out().tolist()
        x.sort_indices()
        name = f"tfidf_{corpus}_{setting}"
        sp.save_npz(folder / f"{name}.npz", x)
        (folder / f"{name}.json").write_text(json.dumps(vocabulary))
        manifest["tfidf"].append({"corpus": corpus, "name": name, "options": options})


def main() -> None:
    """Write everything."""
    sparse, dense = matrices()
    matrix_market(sparse, dense)
    numpy_files(sparse, dense)
    mat_files(sparse, dense)
    text_tables(sparse, dense)
    text_files()
    characters()
    awkward = [
        " ".join(chr(c) for c in range(start, start + 60) if chr(c).isprintable()) * 2
        + " ΜΕΓΑΣ ΣΑΣ İstanbul Straße x\u0301y ①② ½x _a __ a_b"
        for start in range(32, 9000, 60)
    ]
    (folder / "awkward.json").write_text(json.dumps(awkward))
    tfidf("awkward", awkward, ["default", "case"])
    if data:
        real_mat_files(data)
        with gzip.open(data / "bbc" / "articles.csv.gz", "rt", encoding="utf-8", newline="") as f:
            bbc = [record["text"] for record in csv.DictReader(f)]
        tfidf("bbc", bbc, SETTINGS)
        with gzip.open(data / "reuters" / "reuters21578.jsonl.gz", "rt", encoding="utf-8") as f:
            reuters = [json.loads(line)["text"] for line in f]
        tfidf("reuters", reuters, ["default", "sublinear", "features"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    print({key: len(value) for key, value in manifest.items()})


main()
