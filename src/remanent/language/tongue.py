"""Which of the two languages a model is spoken to in."""

from typing import Literal

from remanent.text.scripts import language_of

Tongue = Literal["zh", "en"]
"""The language that a model is spoken to in, which is the language of the text at hand."""


def tongue_of(*texts: str) -> Tongue:
    """Return the language of the first text that has one; Chinese mixed with English counts as Chinese."""
    for text in texts:
        language = language_of(text)
        if language != "other":
            return "en" if language == "en" else "zh"
    return "en"
