"""The single statements that a summary makes, without headings and bullets, each once."""

import re

from remanent.text.scripts import fold
from remanent.text.sentences import sentence_texts

_BULLET = re.compile(r"^\s*(?:[-*+•·▪◦]|\d{1,3}[.)、]|[（(]\d{1,3}[)）])\s*")
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s+.*|[^\n:：]{1,24}[:：])\s*$|^\s*(?:key facts|evidence|reasoning|summary|要点|证据|逻辑|"
    r"摘要)\s*[:：]\s*",
    re.IGNORECASE,
)
MOST = 40


def statements(summary: str, *, most: int = MOST) -> list[str]:
    """Return the statements of a summary in order; of a very long one the first."""
    found: dict[str, str] = {}
    for line in summary.splitlines():
        bare = _HEADING.sub("", _BULLET.sub("", line)).strip()
        for sentence in sentence_texts(bare):
            key = "".join(sign for sign in fold(sentence).casefold() if sign.isalnum())
            if key:
                found.setdefault(key, sentence)
        if len(found) >= most:
            break
    return list(found.values())[:most]
