"""Which sentences of a conversation tell most."""

from collections.abc import Iterator
from typing import Self

from remanent.text.dialogue_summary import DialogueSentence, ranked


class InOrder(frozenset[str]):
    """A set whose members come in one order: as that of any set does within a process, and not in the next."""

    listed: tuple[str, ...]

    def __new__(cls, *listed: str) -> Self:
        made = super().__new__(cls, listed)
        made.listed = listed
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self.listed)


def test_what_tells_most_does_not_hang_on_the_order_of_a_set() -> None:
    # Two sentences of words as rare as each other's. Added up in these orders they differ in the last digit.
    said = [
        DialogueSentence(0, 0, "once", InOrder("two", "one", "three"), 1.0),
        DialogueSentence(1, 0, "also", InOrder("three too", "one too", "two too"), 1.0),
        DialogueSentence(2, 0, "more", InOrder("two", "three", "two too", "three too"), 0.1),
        DialogueSentence(3, 0, "last", InOrder("three", "three too"), 0.1),
    ]
    assert ranked(said)[:2] == [0, 1]
