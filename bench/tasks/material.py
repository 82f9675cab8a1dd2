"""The shape of the material that tasks are made from; `english` and `chinese` fill it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that can be said of a subject in several wordings, and how it is asked for.

    Places are `{who}` and `{value}`; of the values only one can hold.
    """

    wordings: tuple[str, ...]
    question: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sort:
    """A sort of subject: names, what can be said of each, and remarks that claim nothing checkable."""

    names: tuple[str, ...]
    facts: tuple[Fact, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Something that a speaker says of themselves and that changes later; the place is `{value}`, and `{old}`."""

    said: tuple[str, ...]
    changed: tuple[str, ...]
    question: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskMaterial:
    """All that tasks of one language are made from."""

    sorts: tuple[Sort, ...]
    sources: tuple[str, ...]
    """How a source is introduced; the place is `{who}`."""
    changes: tuple[Change, ...]
    talk: tuple[tuple[str, str], ...]
    """What is said beside: a user's remark and an answer to it, none of which claims what others deny."""
    speakers: tuple[str, str]
    joint: str
    """What stands between two sentences."""
