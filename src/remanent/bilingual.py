"""Wording in English and Chinese, for people and for models; and the Chinese of every error message.

Errors are raised in English where they happen, and told in Chinese at the border, by their wording: whoever raises one
need not know who reads it, and what other packages say can be told as well. A test finds every error without Chinese.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Literal

from remanent.lightweight import dataclass

Language = Literal["zh", "en"]
"""A language that users and models are addressed in."""


@dataclass(frozen=True, slots=True)
class Bilingual:
    """A text in English and Chinese, perhaps with named places to fill in.

    Both stand side by side where the text is declared, so that nobody changes one and forgets the other.
    """

    en: str
    zh: str

    def __getitem__(self, language: Language) -> str:
        """Return the text in one language, as it stands."""
        return self.zh if language == "zh" else self.en

    def say(self, language: Language, **values: object) -> str:
        """Return the text in one language; `values` fill its places, and without any it is returned as it stands."""
        return self[language].format(**values) if values else self[language]


def bilingual_words(words: str) -> tuple[Bilingual, ...]:
    """Return the words of a list, each in English and then, behind its last space, in Chinese."""
    pairs = (word.rpartition(" ") for word in words.split(", "))
    return tuple(Bilingual(en, zh) for en, _, zh in pairs)


def in_language(texts: Mapping[str, Bilingual], language: Language) -> dict[str, str]:
    """Return the texts of a table in one language."""
    return {name: text[language] for name, text in texts.items()}


def locale_language(environment: Mapping[str, str] = os.environ) -> Language:
    """Return the user's language as far as the environment tells: REMANENT_LANGUAGE, else the locale; else English.

    Help texts and errors are worded before settings are read, so that a settings file has no say in them.
    """
    chosen = environment.get("REMANENT_LANGUAGE", "").lower()
    if chosen in {"en", "zh"}:
        return "zh" if chosen == "zh" else "en"
    named = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := environment.get(name))), "")
    return "zh" if named.lower().startswith("zh") else "en"


def prefers_chinese(languages: str) -> bool:
    """Tell whether the first language of an `Accept-Language` header is Chinese."""
    return languages.strip().lower().startswith("zh")


def translated(message: str, language: Language, table: tuple[Bilingual, ...] = ()) -> str:
    """Return what an error says in a language, as far as a table, or else `errors_zh.txt`, has it."""
    if language == "en":
        return message
    table = table or known_errors()
    several = _NEXT_FIELD.split(message) if _FIELD.match(message) else [message]
    if len(several) > 1:
        return "；".join(translated(one, language, table) for one in several)
    for error, wording in _patterns(table):
        found = wording.fullmatch(message)
        if found:
            return error.zh.format(**{name: _filled(name, value, table) for name, value in found.groupdict().items()})
    field = _FIELD.match(message)
    said = translated(message[field.end() :], language, table) if field else ""
    return f"{field[1]}：{said}" if field and said != message[field.end() :] else message


_FIELD = re.compile(r"([\w.]+): ")
_NEXT_FIELD = re.compile(r"; (?=[\w.]+: )")
"""Between what is said of one field and of the next."""


def _filled(name: str, value: str, table: tuple[Bilingual, ...]) -> str:
    """Return in Chinese what fills a place of an error."""
    if name == "choices":
        return value.replace("', '", "'、'").replace("' or '", "' 或 '")
    return _NAMED_THINGS.get(value, value) if name == "what" else translated(value, "zh", table)


_NAMED_THINGS = {
    "name": "名称",
    "org": "组织",
    "workspace": "工作区",
    "agent": "智能体",
    "session": "会话",
    "task": "任务",
}
"""What the things are called in Chinese whose names are checked."""


@cache
def known_errors() -> tuple[Bilingual, ...]:
    """Return what errors say to people; the English is that of the place where they are raised.

    `errors_zh.txt` has each in English with the Chinese under it. Only who is told an error in Chinese has it read.
    """
    lines = (resources.files(__package__) / "errors_zh.txt").read_text(encoding="utf-8").splitlines()
    return tuple(Bilingual(en, zh.strip()) for en, zh in zip(lines[::2], lines[1::2], strict=True))


@cache
def _patterns(table: tuple[Bilingual, ...]) -> tuple[tuple[Bilingual, re.Pattern[str]], ...]:
    """Return each error with a pattern of its English wording, whatever is filled in."""
    return tuple(
        (error, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(error.en)), re.DOTALL)) for error in table
    )
