"""Wording in the two languages that Remanent speaks to people and to models in."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["zh", "en"]
"""A language that users and models are addressed in."""


@dataclass(frozen=True, slots=True)
class Bilingual:
    """A text in English and Chinese, perhaps with named places to fill in.

    Both stand side by side where the text is declared, so that nobody changes one and forgets the other.
    """

    en: str
    zh: str

    def say(self, language: Language, **values: object) -> str:
        """Return the text in one language; `values` fill its places, and without any it is returned as it stands."""
        text = self.zh if language == "zh" else self.en
        return text.format(**values) if values else text
