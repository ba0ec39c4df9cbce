"""What becomes words, and words that topics keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from test_topics import TEXTS

from xray_nmf import TopicModel


def test_texts_are_cleaned_unless_something_is_to_be_kept(tmp_path: Path) -> None:
    mails = [
        "From: a@b.org\nSubject: Re: cats\n\nPurr &amp; sleep <br> http://a.org/b 1992\n-- \nAnn",
        "From: c@d.org\nSubject: dogs\n\nIn article <1@a.org>, a@b.org writes:\n> Dogs bark 10:30",
    ]
    cleaned = TopicModel(2).fit(mails)
    assert cleaned.vocabulary_.tolist() == ["bark", "cats", "dogs", "purr", "sleep"]
    numbers = TopicModel(2, keep=["numbers"]).fit(mails)
    assert {"10", "30", "1992"} < set(numbers.vocabulary_)
    plain = TopicModel(2, keep=["all"]).fit(mails)
    assert {"org", "http", "amp", "br", "subject", "writes", "ann"} < set(plain.vocabulary_)
    for model, keep in ((cleaned, None), (numbers, ["numbers"]), (plain, ["all"])):
        model.save(tmp_path / "k.npz")
        again = TopicModel.load(tmp_path / "k.npz")
        assert again.get_params()["keep"] == keep
        assert (again.transform(mails) == model.weights_).all()


def test_topics_stay_with_their_words() -> None:
    words = [["comet", "butter"], ["comet", "star"]]
    free = TopicModel(3, anchor_words=words, anchor_strength=0.0).fit(TEXTS)
    assert not {"comet", "butter"} <= set(free.topics_["words"][0])
    for strength in (0.5, 1.0):
        held = TopicModel(3, anchor_words=words, anchor_strength=strength).fit(TEXTS)
        for topic, seeds in enumerate(words):
            assert set(seeds) <= set(held.topics_["words"][topic]), strength
        assert not {"comet", "star", "butter"} & set(held.topics_["words"][2])


def test_a_number_is_suggested_with_its_reason() -> None:
    model = TopicModel(max_topics=8).fit(TEXTS)
    assert model.suggestion_ is not None
    assert model.suggestion_["rank"] == model.n_topics_ == 3
    assert model.suggestion_["sentence"].startswith("3 topics: ")
    fast = TopicModel("fast", max_topics=8).fit(TEXTS)
    assert fast.suggestion_ is not None
    assert fast.suggestion_["reason"] in ("residual", "exhausted")
    assert TopicModel(3).fit(TEXTS).suggestion_ is None


def test_patterns_phrases_and_languages_are_kept_in_the_file(tmp_path: Path) -> None:
    german = ["der rote Ball und das blaue Tor", "ein Tor ist das Tor und der Ball"] * 6
    options: dict[str, Any] = {"stop_words": "german", "token_pattern": "[a-z]{4,}", "min_df": 1}
    model = TopicModel(1, max_df=1.0, **options).fit(german)
    assert set(model.vocabulary_) == {"rote", "ball", "blaue"}
    model.save(tmp_path / "model.npz")
    opened = TopicModel.load(tmp_path / "model.npz")
    assert (opened.stop_words, opened.token_pattern, opened.phrases) == (
        "german",
        "[a-z]{4,}",
        False,
    )
    assert (opened.transform(german) == model.weights_).all()
    words = ["new york is large", "i like new york", "york in new york", "a new day"] * 6
    model = TopicModel(1, phrases=True, min_df=1, max_df=1.0, stop_words=None).fit(words)
    assert "new york" in model.vocabulary_
    model.save(tmp_path / "model.npz")
    opened = TopicModel.load(tmp_path / "model.npz")
    assert opened.phrases
    assert (opened.transform(words) == model.weights_).all()
