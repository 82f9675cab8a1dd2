"""What is put into a model's context of what was recalled."""

from typing import Annotated

from pydantic import Field

from remanent.model.base import Count, Model, Text
from remanent.model.ids import Id


class Injection(Model):
    """A text to give a model, what it was made of, and what it counts."""

    text: Text = ""
    """Empty when there is nothing to say."""
    record_ids: tuple[Id, ...] = ()
    """The memories in it, by their places in the text."""
    fingerprints: tuple[Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")], ...] = ()
    """One per memory: hand them in with the next question, and what stands in the context is not said again."""
    tokens: Count | None = None
    """Counted when a budget was given."""
