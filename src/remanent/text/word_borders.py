"""Where a text may be cut: after a word, or at worst after what is seen as one sign."""

import re

from remanent.text.chinese import cut
from remanent.text.excerpt import inside_signs
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
    inner = borders[:-1]  # the last is the end of the text
    return [border for border, inside in zip(inner, inside_signs(text, inner), strict=True) if not inside] + borders[
        -1:
    ]


def sign_borders(text: str) -> list[int]:
    """Return the places after each visible sign (a letter with its marks, an emoji sequence) in order."""
    places = range(1, len(text))
    inner = [border for border, inside in zip(places, inside_signs(text, places), strict=True) if not inside]
    return [*inner, len(text)] if text else []
