#!/usr/bin/env python3
"""Read with SciPy, pandas and pyarrow what the crate wrote, and compare bit by bit.

usage: check_written.py ORIGINAL WRITTEN [--transpose] [--variable NAME] [--text COLUMN]...
                        [--id COLUMN] [--label COLUMN]
       check_written.py FOLDER

The first form compares two files in any formats, numbers or texts, as .gz or .zst if need be;
names, ids and labels are compared where both files have them. It prints OK, or the first difference
and exits with 1. The options say what to take from ORIGINAL, and that WRITTEN is its transpose.

The second form checks the files that `XRAY_WRITTEN=FOLDER cargo test -p xray-data written`
makes.
"""

import argparse
import csv
import gzip
import io
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file

Names: TypeAlias = list[str] | None

TEXT = "text texts body content contents document abstract article message tweet review comment"
TEXT_COLUMNS = [*TEXT.split(), "description", "sentence", "title"]
ID_COLUMNS = ["id", "doc_id", "document_id", "docid", "key", "uid"]
LABEL_COLUMNS = ["label", "labels", "class", "category", "target"]
MAT_LABELS = ["gnd", "labels", "label", "classes", "class", "y"]


class Different(Exception):
    """What is the first difference."""


@dataclass
class Numbers:
    """A matrix with its names."""

    matrix: Any
    row_names: Names = None
    column_names: Names = None
    labels: Names = None
    may_lack_columns: bool = False

    def transposed(self) -> "Numbers":
        """Rows become columns; labels belong to rows."""
        return Numbers(self.matrix.T, self.column_names, self.row_names)


@dataclass
class Texts:
    """Documents."""

    texts: list[str]
    ids: Names = None
    labels: Names = None


@dataclass
class Choice:
    """What to take from a file."""

    variable: str | None = None
    text: tuple[str, ...] = ()
    id: str | None = None
    label: str | None = None

    def names(self) -> list[str]:
        """All columns that are chosen by name."""
        return [*self.text, *filter(None, [self.id, self.label])]


def content_of(path: Path) -> bytes:
    """The bytes of a file without compression."""
    if path.suffix == ".zst":
        with pa.input_stream(str(path), compression="zstd") as stream:
            return bytes(stream.read())
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def read(path: Path, choice: Choice) -> Numbers | Texts:
    """Whatever a file or folder holds."""
    if path.is_dir():
        return read_folder(path)
    content = content_of(path)
    plain = path.with_suffix("") if path.suffix in (".gz", ".zst") else path
    if plain.name.startswith("docword.") or plain.suffix == ".docword":
        return read_docword(path, content)
    match plain.suffix:
        case ".mtx" | ".mm":
            return Numbers(scipy.io.mmread(io.BytesIO(content)))
        case ".npz":
            return read_npz(content, choice)
        case ".npy":
            array = np.load(io.BytesIO(content))
            return Numbers(array.reshape(-1, 1) if array.ndim == 1 else array)
        case ".mat":
            return read_mat(content, choice)
        case ".svm" | ".svmlight" | ".libsvm":
            x, y = load_svmlight_file(io.BytesIO(content))
            return Numbers(x, labels=[repr(float(v)) for v in y], may_lack_columns=True)
        case ".csv":
            first = content.split(b"\n", 1)[0]
            delimiter = ";" if first.count(b";") > first.count(b",") else ","
            return read_delimited(content, delimiter, choice)
        case ".tsv" | ".tab":
            return read_delimited(content, "\t", choice)
        case ".jsonl" | ".ndjson":
            return from_columns(json_columns(content), choice)
        case ".parquet":
            return from_columns(pq.read_table(io.BytesIO(content)).to_pydict(), choice)
        case ".txt":
            return read_lines(content)
    raise SystemExit(f"{path}: unknown ending")


def read_folder(path: Path) -> Texts:
    """One text for each .txt file, in order of names."""
    files = {str(f.relative_to(path)): f for f in path.rglob("*.txt")}
    ids = sorted(files)
    labels = [i.split("/")[0] if "/" in i else "" for i in ids]
    texts = [files[i].read_bytes().decode("utf-8-sig") for i in ids]
    return Texts(texts, ids, labels if any(labels) else None)


def read_docword(path: Path, content: bytes) -> Numbers:
    """UCI bag of words, with the vocabulary beside it."""
    lines = content.split(b"\n", 3)
    m, n, entries = (int(line) for line in lines[:3])
    table = np.loadtxt(io.BytesIO(lines[3]), dtype=np.int64, ndmin=2).reshape(entries, 3)
    places = (table[:, 0] - 1, table[:, 1] - 1)
    matrix = sp.coo_array((table[:, 2].astype(np.float64), places), shape=(m, n))
    beside = [path.with_name(path.name + ".vocab")]
    if path.name.startswith("docword"):
        beside = [path.with_name("vocab" + path.name.removeprefix("docword"))]
    words = next((content_of(p).decode().split("\n")[:n] for p in beside if p.exists()), None)
    return Numbers(matrix, column_names=words)


def read_npz(content: bytes, choice: Choice) -> Numbers:
    """A sparse matrix or the largest array, with our lists of names."""
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        if "format" in archive and choice.variable is None:
            matrix: Any = sp.load_npz(io.BytesIO(content))
        else:
            flat = {name: archive[name] for name in archive if archive[name].ndim == 2}
            name = choice.variable or max(flat, key=lambda name: flat[name].size)
            matrix = archive[name]
        keys = ["row_names_json", "column_names_json", "labels_json"]
        rows, columns, labels = (
            json.loads(bytes(archive[k])) if k in archive else None for k in keys
        )
    return Numbers(matrix, rows, columns, labels)


def read_mat(content: bytes, choice: Choice) -> Numbers:
    """The largest matrix, numeric or textual labels, and cell arrays of names."""
    file: Any = io.BytesIO(content)
    variables = scipy.io.loadmat(file)
    usable = {
        name: value
        for name, value in variables.items()
        if sp.issparse(value) or getattr(value, "dtype", np.dtype("O")).kind in "biuf"
    }
    size = {name: int(np.prod(value.shape)) for name, value in usable.items()}
    matrix = usable[choice.variable or max(size, key=lambda name: size[name])]

    def strings(name: str, length: int) -> Names:
        value = variables.get(name)
        if value is None or value.size != length or value.dtype != object:
            return None
        return ["".join(cell) for cell in value.ravel()]

    def labels() -> Names:
        for name in [choice.label] if choice.label else MAT_LABELS:
            value = usable.get(name)
            if value is not None and sorted(value.shape) == sorted((matrix.shape[0], 1)):
                return [repr(float(v)) for v in np.asarray(value).ravel()]
            if (found := strings(name, matrix.shape[0])) is not None:
                return found
        return None

    rows, columns = matrix.shape
    return Numbers(matrix, strings("row_names", rows), strings("column_names", columns), labels())


def is_number(field: str) -> bool:
    """Whether it is meant as a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def records_of(content: bytes, delimiter: str) -> list[list[str]]:
    """The fields of all records; quotes between tabs count only if they close on their line."""
    text = content.decode("utf-8-sig")
    if delimiter != "\t":
        frame = pd.read_csv(
            io.StringIO(text, newline=""),
            sep=delimiter,
            header=None,
            dtype=str,
            keep_default_na=False,
        )
        records: list[list[str]] = frame.to_numpy().tolist()
        return records
    field = re.compile(r'(?:^|\t)(?:"((?:[^"]|"")*)"(?=\t|$)|([^\t]*))')
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return [
        [(a or "").replace('""', '"') if a is not None else b for a, b in groups(field, line)]
        for line in lines
        if line.strip()
    ]


def groups(pattern: re.Pattern[str], line: str) -> list[tuple[str | None, str]]:
    """The groups of all matches, `None` where one did not take part."""
    return [(match.group(1), match.group(2)) for match in pattern.finditer(line)]


def read_delimited(content: bytes, delimiter: str, choice: Choice) -> Numbers | Texts:
    """A table of numbers with or without names, or columns of text."""
    records = records_of(content, delimiter)
    body = records[1:] or records
    numeric = [all(is_number(r[k]) for r in body) for k in range(len(body[0]))]
    if choice.text or not all(numeric[1:]) or (len(numeric) == 1 and not numeric[0]):
        return read_text_table(records, choice)
    first = records[0]
    header = any(not is_number(field) for field in first[0 if numeric[0] else 1 :])
    named = not numeric[0] or (header and not first[0].strip())
    rows = records[1:] if header else records
    skip = int(named)
    values = np.array([r[skip:] for r in rows], dtype=str).astype(np.float64)
    columns = first[skip:] if header else None
    return Numbers(values, [r[0] for r in rows] if named else None, columns)


def read_text_table(records: list[list[str]], choice: Choice) -> Texts:
    """Columns of text, under a header if the first record looks like one."""
    first = [name.strip().lower() for name in records[0]]
    usual = {*TEXT_COLUMNS, *ID_COLUMNS, *LABEL_COLUMNS}
    if choice.names() or usual.intersection(first):
        names, rows = records[0], records[1:]
    else:
        names, rows = [str(k) for k in range(len(first))], records
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    return from_columns(columns, choice)


def json_columns(content: bytes) -> dict[str, list[Any]]:
    """The fields of all objects."""
    objects = [json.loads(line) for line in content.decode("utf-8-sig").split("\n") if line.strip()]
    names = {name: None for o in objects for name in o}
    return {name: [o.get(name) for o in objects] for name in names}


def scalar(value: Any) -> str:
    """An id or a class as text; of a list the first item."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return scalar(value[0]) if value else ""
    return str(value)


def from_columns(columns: dict[str, list[Any]], choice: Choice) -> Texts:
    """The columns that are chosen, have usual names, or (for text) are longest."""

    def usual(names: list[str]) -> str | None:
        lower = {name.strip().lower(): name for name in columns}
        return next((lower[name] for name in names if name in lower), None)

    def length(name: str) -> int:
        return sum(len(v) for v in columns[name] if isinstance(v, str))

    chosen = list(choice.text) or [usual(TEXT_COLUMNS) or max(columns, key=length)]
    parts = zip(*(columns[name] for name in chosen), strict=True)
    texts = [" ".join(p for p in part if p is not None) for part in parts]

    def others(wanted: str | None, names: list[str]) -> Names:
        name = wanted or usual(names)
        return [scalar(v) for v in columns[name]] if name and name not in chosen else None

    return Texts(texts, others(choice.id, ID_COLUMNS), others(choice.label, LABEL_COLUMNS))


def read_lines(content: bytes) -> Numbers | Texts:
    """Numbers between spaces, or one text a line."""
    lines = [line.removesuffix("\r") for line in content.decode("utf-8-sig").split("\n")]
    texts = [line for line in lines if line.strip()]
    if all(is_number(field) for line in texts for field in line.split()):
        return Numbers(np.array([line.split() for line in texts], dtype=str).astype(np.float64))
    return Texts(texts)


def check_lists(what: str, original: Names, written: Names) -> None:
    """Compare names where both files have them; numbers as numbers."""
    if original is None or written is None:
        return
    if len(original) != len(written):
        raise Different(f"{what}: {len(original)} in the original, {len(written)} written")
    if original != written and all(map(is_number, [*original, *written])):
        original = [repr(float(v)) for v in original]
        written = [repr(float(v)) for v in written]
    for k, (a, b) in enumerate(zip(original, written, strict=True)):
        if a != b:
            raise Different(f"{what} {k}: {a!r} in the original, {b!r} written")


def entries(matrix: Any) -> Any:
    """Sorted entries without zeros, as 64-bit floats."""
    rows = sp.csr_array(matrix).astype(np.float64)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    return rows


def compare(original: Numbers | Texts, written: Numbers | Texts) -> None:
    """Raise `Different` at the first difference."""
    if isinstance(original, Texts) and isinstance(written, Texts):
        check_lists("id", original.ids, written.ids)
        check_lists("label", original.labels, written.labels)
        if len(original.texts) != len(written.texts):
            raise Different(f"{len(original.texts)} texts, {len(written.texts)} written")
        for k, (a, b) in enumerate(zip(original.texts, written.texts, strict=True)):
            if a != b:
                raise Different(f"text {k}: {a[:200]!r} in the original, {b[:200]!r} written")
        return
    if isinstance(original, Texts) or isinstance(written, Texts):
        raise Different(f"{type(original).__name__} became {type(written).__name__}")
    check_lists("row name", original.row_names, written.row_names)
    check_lists("column name", original.column_names, written.column_names)
    check_lists("label", original.labels, written.labels)
    a, b = entries(original.matrix), entries(written.matrix)
    if original.may_lack_columns or written.may_lack_columns:
        width = max(a.shape[1], b.shape[1])
        a.resize((a.shape[0], width))
        b.resize((b.shape[0], width))
    if a.shape != b.shape:
        raise Different(f"shape {a.shape} in the original, {b.shape} written")
    same = np.array_equal(a.indptr, b.indptr) and np.array_equal(a.indices, b.indices)
    if not same or not np.array_equal(a.data.view(np.uint64), b.data.view(np.uint64)):
        for d in range(a.shape[0]):
            row_a, row_b = (x[[d], :].toarray()[0] for x in (a, b))
            wrong = np.flatnonzero(row_a.view(np.uint64) != row_b.view(np.uint64))
            if wrong.size:
                j = wrong[0]
                values = f"{row_a[j]!r} in the original, {row_b[j]!r} written"
                raise Different(f"entry ({d}, {j}): {values}")


def check_pair(original: Path, written: Path, choice: Choice, transpose: bool) -> None:
    """Compare two files."""
    first = read(original, choice)
    if transpose:
        if not isinstance(first, Numbers):
            raise Different("texts cannot be transposed")
        first = first.transposed()
    compare(first, read(written, Choice()))


def check_folder(folder: Path) -> None:
    """Check what the test `written` makes."""
    values = np.zeros((4, 5))
    values[0, 1], values[1, 0], values[2, 4], values[3, 2] = 0.1, 1 / 3, 1e-300, 7.0
    rows = ["naïve", "b, c", "🚨", ""]
    columns = [f"column {k}" for k in range(5)]
    expected = Numbers(values, rows, columns, ["x", "y", "x", "1"])
    for name in "npz mtx.gz npy csv tsv.zst mat".split():
        compare(expected, read(folder / f"x.{name}", Choice()))
        compare(expected, read(folder / f"dense.{name}", Choice()))
    labelled = read(folder / "numbers.mat", Choice())
    compare(Numbers(values, rows, columns, ["1.0", "-2.5", "3.0", "0.0"]), labelled)
    compare(labelled, read(folder / "numbers.svm", Choice()))
    for name in ["x.npz", "x.mat"]:
        found = read(folder / name, Choice())
        assert isinstance(found, Numbers) and found.row_names and found.labels, name
        assert sp.issparse(found.matrix), name
    counts = Numbers(np.array([[0, 3, 1], [0, 0, 12]]), column_names=["red", "grün", "b"])
    compare(counts, read(folder / "docword.counts.txt.gz", Choice()))

    with open(folder / "documents.json", encoding="utf-8") as file:
        documents = Texts(**json.load(file))
    for name in ["texts.csv", "texts.jsonl.gz", "texts.parquet"]:
        if (folder / name).exists():
            compare(documents, read(folder / name, Choice()))
    flat = [k for k, text in enumerate(documents.texts) if "\n" not in text]
    assert documents.ids is not None and documents.labels is not None
    kept = Texts(
        [documents.texts[k] for k in flat],
        [documents.ids[k] for k in flat],
        [documents.labels[k] for k in flat],
    )
    compare(kept, read(folder / "flat.tsv", Choice()))
    # Other programs read quotes between tabs as in CSV.
    frame = pd.read_csv(folder / "flat.tsv", sep="\t", dtype=str, keep_default_na=False)
    compare(kept, Texts(*(frame[name].tolist() for name in ["text", "id", "label"])))
    with open(folder / "texts.csv", encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    compare(documents, Texts(*([r[name] for r in records] for name in ["text", "id", "label"])))
    compare(Texts([text for text in kept.texts if text]), read(folder / "lines.txt", Choice()))
    names = [f"{label}/{k}.txt" for k, label in enumerate(documents.labels)]
    order = sorted(range(len(names)), key=lambda k: names[k])
    in_order = Texts([documents.texts[k] for k in order], [names[k] for k in order])
    compare(in_order, read(folder / "texts", Choice()))
    check_model(folder / "model.npz")


def check_model(path: Path) -> None:
    """Check the arrays of a model."""
    with np.load(path, allow_pickle=False) as z:
        metadata = json.loads(bytes(z["metadata"]))
        vocabulary = json.loads(bytes(z["vocabulary"]))
        h = sp.csr_array((z["h_data"], z["h_indices"], z["h_indptr"]), shape=tuple(z["h_shape"]))
        assert metadata["format_version"] == 1 and metadata["kind"] == "topics", metadata
        assert metadata["preprocessing"]["n_documents"] == 3, metadata
        assert metadata["provenance"]["seed"] == 7, metadata
        assert vocabulary == ["blue", "grün", "red"], vocabulary
        assert h.toarray().tolist() == [[1.0, 0.0, 0.0], [0.0, 0.3, 0.1]], h
        assert z["anchors"].tolist() == [0, 2] and z["idf"].shape == (3,)
        assert z["w"].tolist() == [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]
        assert z["residual_norm"].tolist() == [0.5, 0.1]


def main() -> None:
    """Compare what the command line names."""
    parser = argparse.ArgumentParser(description="Compare what was written with its original.")
    parser.add_argument("original", type=Path)
    parser.add_argument("written", type=Path, nargs="?")
    parser.add_argument("--transpose", action="store_true")
    parser.add_argument("--variable")
    parser.add_argument("--text", action="append", default=[])
    parser.add_argument("--id")
    parser.add_argument("--label")
    given = parser.parse_args()
    choice = Choice(given.variable, tuple(given.text), given.id, given.label)
    try:
        if given.written is None:
            check_folder(given.original)
        else:
            check_pair(given.original, given.written, choice, given.transpose)
    except Different as difference:
        sys.exit(f"{given.written or given.original}: {difference}")
    print("OK")


if __name__ == "__main__":
    main()
