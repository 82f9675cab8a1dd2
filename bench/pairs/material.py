"""The shape of the material that pairs of memories are made from; `english` and `chinese` fill it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that is said of a subject, in wordings that all mean the same.

    A wording has the places `{who}` and `{value}`; an update has `{old}`, too. Of the values only one can hold.
    """

    who: tuple[str, ...]
    wordings: tuple[str, ...]
    values: tuple[str, ...] = ()
    updates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Amount:
    """One number that is said of a subject; each wording has the places `{who}` and `{n}`."""

    who: tuple[str, ...]
    wordings: tuple[str, ...]
    numbers: tuple[int, ...]
    updates: tuple[str, ...] = ()
    spelled: bool = True
    """Whether the number may be written in words."""


@dataclass(frozen=True, slots=True)
class Opposition:
    """Something said in several ways, and its denial in several ways."""

    who: tuple[str, ...]
    said: tuple[str, ...]
    denied: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """Two circumstances under which the same thing may hold with different values; places: `{said}`."""

    one: str
    other: str


@dataclass(frozen=True, slots=True)
class Material:
    """All that pairs of one language are made from."""

    attributes: tuple[Topic, ...]
    amounts: tuple[Amount, ...]
    dates: tuple[Topic, ...]
    """Their values are left empty: dates are made by code."""
    oppositions: tuple[Opposition, ...]
    independent: tuple[Topic, ...]
    """What can be said with several values at once: who likes one thing may like another."""
    paraphrases: tuple[tuple[str, str], ...]
    """Pairs that mean the same although a word or a number differs."""
    changes: tuple[tuple[str, str], ...]
    """Older and newer state of one thing, each pair worded in its own way."""
    other_scopes: tuple[tuple[str, str], ...]
    """Pairs that differ in whom, where or when they speak of."""
    frames: tuple[Frame, ...]
    relatives: tuple[str, ...]
    """Another subject made from a subject; place: `{who}`."""
