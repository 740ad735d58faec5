"""Classifiers and topics in memory, against the binary and by hand."""

import csv
import subprocess
from pathlib import Path

import polars as pl
import pytest

import webmill

pytest.importorskip("webmill._webmill", reason="the compiled part is not installed")

KITCHEN = "kettle spoon oven flour butter salt plate knife pan lid".split()
STABLE = "horse saddle hay bridle hoof pony groom meadow rein stall".split()
HARBOUR = "anchor sail mast rope tide crane quay hull deck wharf".split()


def corpus(pages: int = 30) -> tuple[list[str], list[str]]:
    """Texts of three classes; each shares a few words with the next class."""
    texts, labels = [], []
    for name, own, other in [("kitchen", KITCHEN, STABLE), ("stable", STABLE, HARBOUR), ("harbour", HARBOUR, KITCHEN)]:
        for page in range(pages):
            words = [own[(page * step + step) % 10] for step in range(1, 8)] + [other[page % 10]]
            texts.append(f"This is what we have written about our {words[0]} and what people do with it: " + ", ".join(words))
            labels.append(name)
    return texts, labels


def test_a_classifier_tells_what_it_was_taught(tmp_path: Path) -> None:
    texts, labels = corpus()
    model = webmill.train(texts, labels, method="svm")
    assert model.classes == ["harbour", "kitchen", "stable"] and model.method == "svm"
    assert model.accuracy is not None and model.accuracy > 0.95 and model.left_out == {}
    evaluation = model.evaluation().to_polars()
    assert evaluation["texts"].to_list() == [30, 30, 30]
    assert model.macro_f1 == pytest.approx(evaluation["f1"].mean())
    confusion = model.confusion().to_polars()
    assert confusion["texts"].sum() == 90
    assert confusion.filter(pl.col("class") == pl.col("told"))["texts"].sum() / 90 == pytest.approx(model.accuracy)
    told = model.predict(["a saddle for the pony", "butter and flour", None]).to_polars()
    assert told["label"].to_list() == ["stable", "kitchen", None]
    assert set(told["words"].to_list()[0]) <= {"saddle", "pony"}
    assert {word for word, _ in model.top_features("harbour", 5)} <= set(HARBOUR)
    model.save(tmp_path / "model.webmill")
    again = webmill.Classifier.open(tmp_path / "model.webmill")
    assert again.accuracy is None and again.predict(texts).to_polars().equals(model.predict(texts).to_polars())
    with pytest.raises(webmill.Error, match="evaluation"):
        again.evaluation()


def test_the_binary_reads_the_model_and_says_the_same(binary: str, tmp_path: Path) -> None:
    texts, labels = corpus()
    model = webmill.train(texts, labels)
    model.save(tmp_path / "model.webmill")
    with (tmp_path / "pages.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["text", "label"], *zip(texts, labels)])
    command = [binary, "learn", "apply", "pages.csv", "model.webmill", "--out", "told"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    told = webmill.open(tmp_path / "told").table("classes").collect()
    mine = model.predict(texts).to_polars()
    assert sorted(told["label"].to_list()) == sorted(mine["label"].to_list())
    assert sorted(told["probability"].to_list()) == pytest.approx(sorted(mine["probability"].to_list()), abs=1e-6)


def test_what_cannot_be_trained_on_is_counted_or_refused() -> None:
    texts, labels = corpus(8)
    model = webmill.train([*texts, "one more", None, "", "unlabelled"], [*labels, "lonely", "kitchen", "", None], method="complement-bayes")
    assert model.left_out == {"class-of-one-text": 1, "no-label": 2, "no-text": 1}
    assert model.classes == ["harbour", "kitchen", "stable"]
    for texts, labels, why in [
        (["a b"] * 4, ["x"] * 4, "only"),
        ([], [], "sequence|none"),
        (["a"], ["x", "y"], "labels are 2"),
    ]:
        with pytest.raises(webmill.Error, match=why):
            webmill.train(texts, labels)
    for method in ["magic", "blend"]:
        with pytest.raises(webmill.Error, match=method):
            webmill.train(["a b", "c d"] * 2, ["x", "y"] * 2, method=method)
    with pytest.raises(TypeError, match="labels"):
        webmill.train(["a"], [1.5])
    with pytest.raises(webmill.Error, match="no class"):
        model.top_features("stables")


def test_topics_are_made_within_languages() -> None:
    english, _ = corpus(10)
    chinese = ["图书馆 的 读者 借阅 小说 和 杂志，今天 闭馆", "小说 和 杂志 都 在 图书馆 二楼，读者 很多", "渡船 今天 停航，码头 的 船工 在 修 船", "船工 说 渡船 明天 开航，码头 很忙"] * 3
    of_texts, about = (table.to_polars() for table in webmill.topics([*english, *chinese], k=5))
    assert set(about["language"]) == {"eng", "zho"}
    assert not any(len(word) == 1 for words in about["words"] for word in words)
    placed = pl.DataFrame({"topic": of_texts["topic"], "chinese": [False] * len(english) + [True] * len(chinese)})
    assert placed.group_by("topic").agg(pl.col("chinese").n_unique())["chinese"].max() == 1


def test_topics_are_what_texts_share() -> None:
    texts, labels = corpus()
    of_texts, about = (table.to_polars() for table in webmill.topics(texts, k=3))
    assert about["size"].to_list() == [30, 30, 30] and about["topic"].to_list() == [0, 1, 2]
    pairs = pl.DataFrame({"label": labels, "topic": of_texts["topic"]}).unique()
    assert pairs.height == 3
    for words in about["words"].to_list():
        assert any(set(words[:5]) <= set(own) for own in (KITCHEN, STABLE, HARBOUR))
    again, _ = webmill.topics(pl.Series(texts), k=3)
    assert again.to_polars().equals(of_texts)
    of_texts, _ = (table.to_polars() for table in webmill.topics([*texts, "", None, "solitaire"], k=3))
    assert of_texts["topic"].tail(3).to_list() == [None, None, None]
    for texts, k, why in [(["", ""], None, "no topics"), (["a b", "a b"], 0, "k = 0")]:
        with pytest.raises(webmill.Error, match=why):
            webmill.topics(texts, k=k)
