"""Topics by levels, by groups of documents and over time: as the program has them."""

from __future__ import annotations

import datetime
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from test_program import run
from test_topics import SUBJECT, TEXTS

from xray_nmf import TopicModel


@pytest.fixture(scope="module")
def table(root: Path) -> pd.DataFrame:
    """A small corpus with dates of two years; some are missing."""
    table = pd.read_csv(root / "crates" / "xray-cli" / "corpus" / "demo.tsv", sep="\t")
    first = datetime.date(2023, 1, 30)
    days = [first + datetime.timedelta(days=7 * d % 731) for d in range(len(table))]
    return table.assign(date=[str(day) if d % 50 else "" for d, day in enumerate(days)])


def told(program: Path, table: pd.DataFrame, folder: Path, *arguments: Any) -> Path:
    """Where the program has put its answer."""
    table.to_csv(folder / "texts.csv", index=False)
    more = ["--text", "text", *arguments, "-o", folder / "out"]
    run(program, "topics", folder / "texts.csv", *more)
    return folder / "out"


def counted_from_one(levels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Levels as the program tells them."""

    def one(number: int | None) -> int | None:
        return None if number is None else number + 1

    for level in levels:
        for topic in level["topics"]:
            topic["topic"], topic["parent"] = one(topic["topic"]), one(topic["parent"])
        for flow in level["flows"]:
            flow["from"], flow["to"] = one(flow["from"]), one(flow["to"])
    return levels


@pytest.mark.parametrize(
    ("options", "arguments"),
    [({}, []), ({"anchor_words": ["oven"], "n_words": 4}, ["--anchor", "oven", "--words", 4])],
)
def test_levels_are_those_of_the_program(
    program: Path, table: pd.DataFrame, tmp_path: Path, options: Any, arguments: Any
) -> None:
    out = told(program, table, tmp_path, "--levels", "2,3,5,8", *arguments)
    expected = json.loads((out / "topics.json").read_text())["levels"]
    model = TopicModel(7, **options)
    levels = model.levels(table["text"], [5, 2, 8, 3, 2])
    assert not hasattr(model, "components_")
    assert [level["rank"] for level in levels] == [2, 3, 5, 8]
    assert levels[0]["flows"] == [] and levels[0]["topics"][0]["parent"] is None
    for before, level in pairwise(levels):
        for k, topic in enumerate(level["topics"]):
            assert topic["topic"] == k and 0 <= topic["parent"] < before["rank"]
            arriving = [flow for flow in level["flows"] if flow["to"] == k]
            assert sum(flow["documents"] for flow in arriving) == topic["documents"]
        assert sum(flow["documents"] for flow in level["flows"]) == len(table)
    assert (
        levels[2]["topics"][4]["words"]
        == (TopicModel(5, **options).fit(table["text"]).topics_["words"][4])
    )
    assert counted_from_one(levels) == expected


def test_levels_that_cannot_be() -> None:
    model = TopicModel(3, anchor_words=["goal", "oven"])
    with pytest.raises(ValueError, match="a level of 1 topics is too small: levels begin with 2"):
        model.levels(TEXTS, [1, 3])
    with pytest.raises(ValueError, match="n_topics = 0 is not allowed; give at least 1"):
        model.levels(TEXTS, [0])
    with pytest.raises(ValueError, match=r"n_topics = \[\] is not allowed"):
        model.levels(TEXTS, [])
    with pytest.raises(TypeError, match="n_topics = 3 is not allowed; give a list"):
        model.levels(TEXTS, 3)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="zebra"):
        TopicModel(exclude=["zebra"]).levels(TEXTS, [2])


def test_classes_and_periods_are_those_of_the_program(
    program: Path, table: pd.DataFrame, tmp_path: Path
) -> None:
    more = ["-k", 6, "--labels", "subject", "--time", "date"]
    out = told(program, table, tmp_path, *more)
    model = TopicModel(6).fit(table["text"])
    with pytest.warns(UserWarning, match="documents have no date that can be read"):
        periods = model.shares_over_time(table["date"])
    classes = model.shares_by(table["subject"])
    for found, kind, name in ((classes, "label", "classes"), (periods, "period", "periods")):
        file = pd.read_csv(out / f"{name}.csv", dtype=str)
        assert found.index.tolist() == file[kind].tolist() and len(found) > 5
        assert found.columns.tolist() == ["documents", *(f"topic{k}" for k in range(6))]
        assert (found.to_numpy() == file.drop(columns=kind).astype(float).to_numpy()).all()
        assert found.drop(columns="documents").sum(axis=1).to_numpy() == pytest.approx(1)
    assert classes.index.name == "group" and periods.index.name == "period"


def test_groups_have_any_labels() -> None:
    model = TopicModel(3).fit(TEXTS)
    expected = model.shares_by([str(label) for label in SUBJECT])
    for labels in (SUBJECT, SUBJECT.tolist(), pd.Series(SUBJECT), pd.Categorical(SUBJECT)):
        pd.testing.assert_frame_equal(model.shares_by(labels), expected)
    assert expected["documents"].tolist() == [30] * 3
    assert (expected.drop(columns="documents").max(axis=1) > 0.8).all()
    some = [*(["a"] * 30), *([None] * 10), *([float("nan")] * 10), *([pd.NA] * 10), *([""] * 30)]
    assert model.shares_by(some)["documents"].to_dict() == {"a": 30}
    # Of other documents.
    assert model.shares_by(["x", "x"], TEXTS[:2])["documents"].to_dict() == {"x": 2}
    with pytest.raises(ValueError, match="a group is given for 3 of 90 documents"):
        model.shares_by([1, 2, 3])
    with pytest.raises(TypeError, match="give a list with one for each document"):
        model.shares_by("abc")


def test_times_come_in_many_forms() -> None:
    model = TopicModel(3).fit(TEXTS)
    days = [datetime.date(2020 + d // 30, 1 + d % 12, 1 + d % 28) for d in range(90)]
    stamps = pd.to_datetime(pd.Series(days))
    kinds: list[Any] = [
        days,
        [str(day) for day in days],
        [f"{day:%d %B %Y}" for day in days],
        [datetime.datetime.combine(day, datetime.time(23, 59)) for day in days],
        stamps,
        stamps.dt.tz_localize("Asia/Tokyo"),
        np.array(days, dtype="datetime64[D]"),
        stamps.to_numpy(),
        pd.PeriodIndex(days, freq="D"),
    ]
    for period, n in ((None, 36), ("year", 3), ("month", 36), ("day", 90)):
        expected = model.shares_over_time(days, period)  # type: ignore[arg-type]
        assert len(expected) <= n and expected["documents"].sum() == 90
        for times in kinds:
            found = model.shares_over_time(times, period)  # type: ignore[arg-type]
            pd.testing.assert_frame_equal(found, expected)
    # What tells a year only is not cut into months.
    for years_only in ([day.year for day in days], np.array(days, dtype="datetime64[Y]")):
        found = model.shares_over_time(years_only)
        assert found.index.tolist() == ["2020", "2021", "2022"]
    assert len(model.shares_over_time(np.array(days, dtype="datetime64[M]"))) == 36
    years = model.shares_over_time([day.year for day in days], "year")
    assert years.index.tolist() == ["2020", "2021", "2022"]
    assert model.shares_over_time(["2024-03-05"], "week", TEXTS[:1]).index.tolist() == [
        "2024-03-04"
    ]
    with pytest.warns(UserWarning, match="45 documents have no date"):
        half = model.shares_over_time([*days[:45], *([pd.NaT, None, np.datetime64("NaT")] * 15)])
    assert half["documents"].sum() == 45
    # All texts together tell whether the day comes first.
    expected = model.shares_over_time(days)
    for form in ("%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y"):
        found = model.shares_over_time([f"{day:{form}}" for day in days])
        pd.testing.assert_frame_equal(found, expected)
    with pytest.warns(UserWarning, match='"3/5/2024" is taken for 2024-03-05, the month first'):
        open_ = model.shares_over_time(["3/5/2024"] * 90, "month")
    assert open_.index.tolist() == ["2024-03"]
    with pytest.raises(ValueError, match='"25/2/2024" has the day first and "2/25/2024" the month'):
        model.shares_over_time(["25/2/2024", "2/25/2024"] * 45)
    with pytest.raises(ValueError, match="period = decade is not allowed; use one of day, week"):
        model.shares_over_time(days, "decade")  # type: ignore[arg-type]
    with pytest.raises(
        ValueError, match=r"no document has a date that can be read \(such as 'soon"
    ):
        model.shares_over_time(["soon"] * 90)
