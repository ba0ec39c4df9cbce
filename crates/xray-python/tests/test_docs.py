"""Everything that the documentation shows, runs."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest

import xray_nmf

MODULES = [xray_nmf.__name__] + [
    f"xray_nmf.{module.name}"
    for module in pkgutil.iter_modules(xray_nmf.__path__)
    if module.name != "_xray_nmf"
]
GUIDE = Path(__file__).resolve().parents[3] / "docs" / "python.md"
README = GUIDE.parents[1] / "README.md"
INDEX_PAGE = GUIDE.parents[1] / "crates" / "xray-python" / "README.md"


def examples_of(page: Path) -> list[str]:
    """The Python examples of a page."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


EXAMPLES = examples_of(GUIDE)


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_public_names_have_examples() -> None:
    assert all(getattr(xray_nmf, name).__doc__ for name in xray_nmf.__all__)
    for function in ("XRay", "TopicModel", "Unmixer", "nnls", "refine", "spa", "snpa"):
        assert ">>>" in str(getattr(xray_nmf, function).__doc__), function


def run(example: str) -> str:
    """What the example prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(example, str(GUIDE), "exec"), {"__name__": "__main__"})
    return out.getvalue()


def test_examples_are_short() -> None:
    assert len(EXAMPLES) == 5
    assert all(len([line for line in e.splitlines() if line.strip()]) <= 20 for e in EXAMPLES)


def test_topics_of_the_guide(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    words = run(EXAMPLES[0]).splitlines()
    assert len(words) == 10
    assert int(words[8].split("%")[0]) >= 90, words
    assert "['planet + orbit', 'oven'" in words[9], words


def test_more_topics_of_the_guide(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    words = run(EXAMPLES[3])
    assert "exclusivity" in words and "['rename 3=my topic', 'merge 1,2'] ['" in words
    assert "'my topic'" in words and "\n8 [('" in words


def test_the_page_of_the_guide(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crates").symlink_to(root / "crates")
    monkeypatch.chdir(tmp_path)
    run(EXAMPLES[3] + EXAMPLES[4])
    assert (tmp_path / "topics.html").read_text().startswith("<!doctype html>")


def test_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = examples_of(README)
    words = run(example)
    assert all(word in words for word in ("cats", "purr", "dogs", "bark")), words
    assert (tmp_path / "model.npz").exists()


def test_the_page_for_the_index() -> None:
    assert examples_of(INDEX_PAGE) == examples_of(README), "the same example"
    assert not re.findall(r"\]\((?!https?:)", INDEX_PAGE.read_text()), "no relative links"


def test_endmembers_of_the_guide() -> None:
    lines = run(EXAMPLES[1]).splitlines()
    assert sorted(re.findall(r"material (\d)", " ".join(lines))) == ["0", "1", "2", "3"]
    assert all(float(line.split()[-1]) > 0.98 for line in lines), lines


def test_feature_selection_of_the_guide() -> None:
    lines = run(EXAMPLES[2]).splitlines()
    scores = [float(line.split()[-1]) for line in lines[:4]]
    assert scores == sorted(scores) and scores[-1] > 0.85
    assert "pixel_" in lines[4]


def test_notebook(root: Path) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    nbclient: Any = pytest.importorskip("nbclient")
    notebook = nbformat.read(root / "examples" / "python.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(root)}}
    )
    client.execute()
    printed = "".join(
        output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", [])
    )
    assert "anchor 20/20" in printed, "progress shows in notebooks"
