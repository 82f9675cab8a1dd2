"""What a reader would take for a tag or for a chat template's control word: escaping must leave none."""

from collections.abc import Collection

from remanent.text import escaping
from remanent.text.spans import Span


def forged_tags(text: str, *, tags: Collection[str] = escaping.RESERVED_TAGS) -> list[Span]:
    """Return where the text would open or close one of the tags: the places of the opening signs, in order."""
    return sorted({Span(*opener) for opener, _ in escaping._forged(escaping._read(text), tags)})


def control_words(text: str) -> list[Span]:
    """Return where a chat template would read a control word in the text, in order; tags are not among them."""
    reading = escaping._read(text)
    found = [Span(*reading.place(match.start())) for match in escaping._CONTROL_WORD.finditer(reading.text)]
    found += [Span(*reading.place(match.start("colon"))) for match in escaping._ROLE_LABEL.finditer(reading.text)]
    return sorted(set(found))
