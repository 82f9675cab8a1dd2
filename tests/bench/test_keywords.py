from pathlib import Path

import pytest

from bench.abstracts import KeyedText, generated_abstracts
from bench.keywords import Language, compare, load_folder, load_table, score


@pytest.mark.parametrize("language", ["en", "zh"])
def test_generated_abstracts_are_the_same_each_time_and_hold_their_keys(language: Language) -> None:
    texts = generated_abstracts(language, 40)
    assert texts == generated_abstracts(language, 40)
    assert len({text.text for text in texts}) == 40
    for text in texts:
        assert len(set(text.keys)) == 5
        assert all(key.lower() in text.text.lower() for key in text.keys)


def test_a_score_counts_forms_of_a_word_as_one_and_five_phrases_at_most() -> None:
    text = KeyedText("", ("neural networks", "soil"))
    found = ["Neural network", "neural networks", "soils", "a", "b", "c", "d"]
    result = score("en", [text], [found])
    assert (result.precision, result.recall) == (0.4, 1.0)
    assert result.f1 == pytest.approx(2 * 0.4 / 1.4)
    assert score("en", [text], [[]]).f1 == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_planted_keys_are_found(language: Language) -> None:
    texts = generated_abstracts(language, 40)
    (figure, *_) = compare("generated", language, texts, [{"other": []} for _ in texts])
    assert figure.kept
    assert figure.value > (0.7 if language == "en" else 0.4)


def test_being_behind_another_method_is_shown() -> None:
    texts = generated_abstracts("en", 5)
    figures = compare("generated", "en", texts, [{"all": list(text.keys)} for text in texts])
    assert figures[0].kept is False
    assert figures[1].value == 1.0


def test_public_sets_are_read_in_their_own_layouts(tmp_path: Path) -> None:
    (tmp_path / "docsutf8").mkdir()
    (tmp_path / "keys").mkdir()
    (tmp_path / "docsutf8" / "1.txt").write_text("On soil.", encoding="utf-8")
    (tmp_path / "keys" / "1.key").write_text("soil\n\n\twater\n", encoding="utf-8")
    assert load_folder(tmp_path) == [KeyedText("On soil.", ("soil", "water"))]
    table = tmp_path / "set.tsv"
    table.write_text("to keywords\t土壤水分很重要\t土壤水分_滴灌\nto keywords\t没有\t滴灌\n", encoding="utf-8")
    assert load_table(table) == [KeyedText("土壤水分很重要", ("土壤水分",))]
