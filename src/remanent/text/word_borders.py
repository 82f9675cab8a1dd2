"""Where a text may be cut: after a word, or at worst after what is seen as one sign."""

import re

from remanent.text.chinese import cut
from remanent.text.excerpt import is_inside_sign
from remanent.text.scripts import HAN, UNSPACED

# Closing signs and white space stay with the word before them.
_TRAILING = r"[\s，。！？；：、”’」』）】》〉…,.!?;:)\]}]*"
_RUN = re.compile(rf"(?P<han>[{HAN}]+)|[{UNSPACED}]|[^\s{UNSPACED}]+|\s+")
_TRAIL = re.compile(_TRAILING)


def word_borders(text: str) -> list[int]:
    """Return the places after each word in order, the last being the end of the text; no place is inside a word."""
    borders: list[int] = []
    position = 0
    while run := _RUN.match(text, position):
        if run["han"]:
            for word in cut(run[0]):
                position += len(word)
                borders.append(position)
        else:
            position = run.end()
            borders.append(position)
        trail = _TRAIL.match(text, position)
        if trail and trail.end() > position:
            position = borders[-1] = trail.end()
    return [border for border in borders if border == len(text) or not is_inside_sign(text, border)]


def sign_borders(text: str) -> list[int]:
    """Return the places after each visible sign (a letter with its marks, an emoji sequence) in order."""
    inner = [border for border in range(1, len(text)) if not is_inside_sign(text, border)]
    return [*inner, len(text)] if text else []
