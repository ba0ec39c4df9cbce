"""Pages of topics: as the program writes them, shown in notebooks, and of edited models."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.base import clone
from test_program import run

from xray_nmf import TopicModel, XRay


@pytest.fixture(scope="module")
def table(root: Path) -> pd.DataFrame:
    """A small corpus."""
    return pd.read_csv(root / "crates" / "xray-cli" / "corpus" / "demo.tsv", sep="\t")


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> TopicModel:
    """Its eight topics."""
    return TopicModel(8).fit(table["text"])


def data(page: str) -> dict[str, Any]:
    """The data of a page."""
    found = re.search(r'id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    content: dict[str, Any] = json.loads(found[1])
    return content


def test_the_page_is_that_of_the_program(
    program: Path, tmp_path: Path, table: pd.DataFrame, model: TopicModel
) -> None:
    table.to_csv(tmp_path / "demo.csv", index=False)
    arguments = ["--text", "text", "--labels", "subject", "-k", 8, "-o", tmp_path / "out"]
    run(program, "topics", tmp_path / "demo.csv", *arguments)
    theirs = data((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    ids = theirs["documents"]["id"]
    model.report(tmp_path / "page.html", ids=ids, labels=table["subject"], title="demo.csv")
    ours = data((tmp_path / "page.html").read_text(encoding="utf-8"))
    for page in (ours, theirs):
        for only in ("command", "program", "input"):
            del page[only]
    assert ours == theirs


def test_levels_and_other_documents(table: pd.DataFrame, model: TopicModel) -> None:
    page = data(model.report(levels=[2, 4]).html)
    assert [level["k"] for level in page["levels"]] == [2, 4, 8]
    other = data(model.report(X=table["text"][:100]).html)
    assert [level["k"] for level in other["levels"]] == [8]
    assert other["facts"]["documents"] == 100


def test_edited_and_loaded_models(tmp_path: Path, table: pd.DataFrame, model: TopicModel) -> None:
    edited = model.edit(merge=[[0, 1]], rename={2: "<b>mine</b>"}, documents=table["text"])
    page = data(edited.report(X=table["text"]).html)
    assert [level["k"] for level in page["levels"]] == [7]
    assert page["levels"][0]["topics"][1]["title"] == "<b>mine</b>"
    model.save(tmp_path / "model.npz")
    loaded = TopicModel.load(tmp_path / "model.npz")
    with pytest.raises(ValueError, match="no documents"):
        loaded.report()
    assert data(loaded.report(X=table["text"]).html) == data(model.report().html)


def test_documents_are_not_kept_by_copies(model: TopicModel) -> None:
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="no documents"):
        again.report()
    assert not hasattr(clone(model), "_seen")
    for name in ("ids", "labels"):
        with pytest.raises(ValueError, match="3 entries for 288 documents"):
            wrong: dict[str, Any] = {name: ["a", "b", "c"]}
            model.report(**wrong)


def test_notebooks_show_the_page_in_a_frame(model: TopicModel) -> None:
    report = model.report()
    shown = report._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts allow-downloads"')
    assert "<script" not in shown
    assert "&lt;!doctype html&gt;" in shown
    assert "MB" in repr(report)


@pytest.mark.parametrize("estimator", [TopicModel(3), XRay(2)])
def test_estimators_are_shown_as_others_are(estimator: Any) -> None:
    shown = estimator._repr_html_()
    assert type(estimator).__name__ in shown
    assert "<style>" in shown
