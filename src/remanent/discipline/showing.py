"""How answers of several operations are shown to people."""

from typing import Protocol

from remanent.bilingual import Bilingual
from remanent.discipline.operation import Screen
from remanent.text.excerpt import excerpt

QUOTED = 60
"""Characters of a memory that are quoted to say which one is meant."""

RESTORED = Bilingual("Restored: “{about}”.", "已恢复：“{about}”。")


class HasContent(Protocol):
    """A record, or a node of a graph."""

    @property
    def content(self) -> str:
        """What it says."""


def show_restored(screen: Screen, answer: HasContent) -> None:
    """Say what is back."""
    screen.line(screen.word(RESTORED, about=excerpt(answer.content, QUOTED)))
