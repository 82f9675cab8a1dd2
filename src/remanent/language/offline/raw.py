"""Words of a sentence before they are a claim: function words and cues are still among them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

LONGEST_SENTENCE = 1_000
"""Characters of a sentence that are read for what it says: what goes on longer is no sentence, and laying the words of
two claims side by side takes the product of their numbers."""


class Cue(StrEnum):
    """What a word does to those around it."""

    DENY = "deny"
    """Denies what follows in its clause."""
    END = "end"
    """Says that what follows in its clause held before and does not any more."""
    LEAVE = "leave"
    """Says the same of what stands between `FROM` and it."""
    BEFORE = "before"
    """Says that its clause speaks of the past."""
    FROM = "from"
    """Begins what was left, up to `TO`, where the sentence speaks of a change."""
    TO = "to"
    CHANGE = "change"
    BREAK = "break"
    """Ends a clause."""
    CONDITION = "condition"
    """The claim holds under a condition, or not for certain."""
    UNTIL = "until"
    """The claim holds up to a time: open until eight is closed at eight."""
    QUESTION = "question"
    BE = "be"
    """Says what something is."""


Person = Literal["", "first", "second", "third"]


@dataclass(frozen=True, slots=True)
class Raw:
    """One word with its place in the text."""

    text: str
    start: int
    end: int
    key: str = ""
    """Empty for a word that carries nothing by itself."""
    cues: frozenset[Cue] = frozenset()
    is_name: bool = False
    is_verb: bool = False
    is_adverb: bool = False
    """Says how something is done; even before the verb it is no part of the subject."""
    person: Person = ""
    definite: bool | None = None
    """For an article and the like: whether it says which one is meant."""

    def has(self, *cues: Cue) -> bool:
        """Tell whether the word is one of these cues."""
        return not self.cues.isdisjoint(cues)
