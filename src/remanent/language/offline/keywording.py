"""Key phrases brought into the bounds of a role."""

from remanent.language.tidying import keywords as tidied
from remanent.text.keywords import keywords


def key_phrases(text: str, *, most: int) -> tuple[str, ...]:
    """Return at most so many key phrases, best first; none when the text has none."""
    return tidied((found.text for found in keywords(text, limit=most)), most=most)
