"""Which sentences of a conversation tell most."""

from collections.abc import Iterator
from typing import Self

import pytest

from remanent.text.summary import DialogueSentence, ranked, statements, telling


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


@pytest.mark.parametrize(
    "text",
    [
        "### Step 7: Verify deployment",
        "**Next steps:**",
        "Good luck!",
        "Certainly!",
        "Feel free to ask if anything is unclear.",
        "Here are some ideas:",
        "希望这些对你有帮助！",
        "祝你成功！",
        "谢谢！",
        "Yep!",
        "Woo!",
        "辛苦了，早点休息。",
    ],
)
def test_what_opens_heads_or_ends_a_reply_tells_nothing(text: str) -> None:
    told = "The bridge opens on 3 May." if text.isascii() else "大桥五月三日通车。"
    assert [one.text for one in statements(f"{text}\n\n{told}")] == [told]


@pytest.mark.parametrize(
    "said",
    [
        "I hope this winter we move to Bergen.",
        "Let me know when the build is green.",
        "Feel free to delete the old branch.",
        "Happy Lantern is the name of the café.",
        "如果明天下雨，请提前告诉我。",
    ],
)
def test_a_sentence_that_begins_like_a_closing_is_told(said: str) -> None:
    assert [one.text for one in statements(said)] == [said]


def test_sentences_that_differ_in_numbers_only_wait_until_the_others_have_room() -> None:
    alike = [f"I looked at the lines {place}0 to {place}9 of the long export file." for place in range(10)]
    said = [one for place, text in enumerate([*alike, "Ida keeps bees."]) for one in statements(text, message=place)]
    chosen = [one.text for one in telling(said, limit=140, measure=len)]
    assert "Ida keeps bees." in chosen
    assert len(chosen) == 3
    assert len(telling(said, limit=2_000, measure=len)) == 11
