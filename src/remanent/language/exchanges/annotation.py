"""Annotation: a phrase and keywords for a text, and the text itself compressed to a length."""

from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import Keyword, LongText
from remanent.model import Model
from remanent.model.base import Text

LONGEST_PHRASE = 20
MOST_ANNOTATED_KEYWORDS = 5


class AnnotationRequest(Model):
    """A text, and the number of characters that it is to be compressed to, if it is."""

    text: LongText
    target_length: Annotated[int, Field(ge=1, le=1_000_000)] | None = None


class AnnotationResponse(Model):
    """The text, compressed if that was asked for, with a phrase of 10 to 20 characters and 3 to 5 keywords."""

    content: Annotated[Text, Field(min_length=1)]
    """Exactly the text when no length was asked for or it is short enough; else at most so many characters."""
    phrase: Annotated[Text, Field(min_length=1, max_length=LONGEST_PHRASE)]
    """Shorter than 10 characters only when the text says no more."""
    keywords: Annotated[tuple[Keyword, ...], Field(max_length=MOST_ANNOTATED_KEYWORDS)]
    """Fewer than 3 only when the text has no more; most telling first."""
