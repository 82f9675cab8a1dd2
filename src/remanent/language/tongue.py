"""Which of the two languages a model is spoken to in."""

from remanent.bilingual import Language
from remanent.text.scripts import language_of


def tongue_of(*texts: str) -> Language:
    """Return the language of the first text that has one; Chinese mixed with English counts as Chinese."""
    for text in texts:
        language = language_of(text)
        if language != "other":
            return "en" if language == "en" else "zh"
    return "en"
