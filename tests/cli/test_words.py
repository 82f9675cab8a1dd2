import re
from pathlib import Path
from string import Formatter

import pytest

from remanent.bilingual import Bilingual, locale_language
from remanent.cli import words
from remanent.cli.words import chosen_language

TEXT = Path(words.__file__).with_name("words.txt").read_text(encoding="utf-8")
SOURCES = "".join(file.read_text(encoding="utf-8") for file in Path(words.__file__).parent.glob("*.py"))


def phrases() -> dict[str, Bilingual]:
    found, tables = words.read_words(TEXT)
    return found | {f"{name}.{key}": phrase for name, rows in tables.items() for key, phrase in rows.items()}


def test_every_phrase_that_is_said_is_there_once_and_none_is_there_that_nobody_says() -> None:
    found, tables = words.read_words(TEXT)
    names = re.findall(r"(?m)^\n(?:#.*\n)*([A-Z][A-Z0-9_]+):?$", TEXT)
    assert sorted(names) == sorted([*found, *tables])
    said = {name for name in re.findall(r"\bwords\.([A-Z][A-Z0-9_]+)\b", SOURCES) if not hasattr(words, name)}
    assert said == set(), "words.txt lacks these"
    assert [name for name in found if not re.search(rf"\b{name}\b", SOURCES)] == []
    with pytest.raises(AttributeError, match="no phrase NOWHERE"):
        _ = words.NOWHERE


@pytest.mark.parametrize("name", phrases())
def test_both_languages_fill_the_same_places(name: str) -> None:
    def places(text: str) -> set[str]:
        return {place for _, place, _, _ in Formatter().parse(text) if place}

    phrase = phrases()[name]
    # The English line of an error is the message alone; the Chinese one says first what sort of trouble it is.
    assert places(phrase.zh) - places(phrase.en) <= ({"meaning"} if name == "ERROR" else set())
    assert places(phrase.en) <= places(phrase.zh)


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "", "LC_MESSAGES": "ZH"}, "zh"),
        ({"LANG": "C"}, "en"),
    ],
)
def test_the_language_follows_the_locale_in_the_order_of_posix(environment: dict[str, str], language: str) -> None:
    assert locale_language(environment) == language


def test_the_setting_decides_unless_it_leaves_the_choice_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert [chosen_language(setting) for setting in ("zh", "en", "auto")] == ["zh", "en", "zh"]
