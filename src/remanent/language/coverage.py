"""Whether what a model wrote still holds what it was made from: looked at before anything is let go."""

from functools import cached_property

from remanent.text.keywords import content_words
from remanent.text.numerals import has_digit
from remanent.text.scripts import fold
from remanent.text.terms import query_terms

_MOST = 0.5
"""More than this share of a text's own words must be there: "most" of them, and no more than that, since a good piece
has names in place of pronouns and leaves fillers out. A word with a digit in it is a fact, and none may be missing."""


class WordIndex:
    """The words of a text, to look up those of other texts in."""

    def __init__(self, text: str) -> None:
        self._text = text

    def share(self, other: str) -> float:
        """Return the share of another text's own words that stand in this one, in whatever form of the word."""
        own = _own_words(other)
        return sum(map(self._has, own)) / len(own) if own else 1.0

    def holds(self, other: str) -> bool:
        """Tell whether this text has most of what another says; one without words of its own is held by any."""
        numbers = (word for word in _own_words(other) if has_digit(word))
        return self.share(other) > _MOST and all(map(self._has, numbers))

    def invents_numbers(self, other: str) -> bool:
        """Tell whether another text has a number that this one has not."""
        return any(not self._has(word) for word in _own_words(other) if has_digit(word))

    def tells(self, answer: str, *, asked: str) -> bool:
        """Tell whether an answer says anything of this text that the question did not, or a number, or only yes or no.

        A number may have been reckoned from what stands here, and "yes" has no words of its own.
        """
        question = WordIndex(asked)
        own = _own_words(answer)
        new = [word for word in own if not question._has(word)]
        return not own or any(has_digit(word) or self._has(word) for word in new)

    @cached_property
    def _terms(self) -> frozenset[str]:
        return frozenset(query_terms(self._text))

    @cached_property
    def _folded(self) -> str:
        return fold(self._text).casefold()

    def _has(self, word: str) -> bool:
        stems = query_terms(word)
        if stems and all(stem in self._terms for stem in stems):
            return True
        # Words of Chinese are cut differently in another sentence; a number inside another one is another number.
        return not word.isascii() and not has_digit(word) and word in self._folded


def _own_words(text: str) -> list[str]:
    """Return the words of a text that say something; numbers as in the index, whatever separates their digits."""
    words = (fold(word).casefold() for word in content_words(text))
    return [*(word for word in words if not has_digit(word)), *filter(has_digit, query_terms(text))]
