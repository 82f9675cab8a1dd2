"""Classification: which passages of a text belong to one topic."""

from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import Context, Keywords, LongText, Remark, Stretch
from remanent.model import Model
from remanent.model.base import Count, Text


class ClassificationRequest(Model):
    """A text to part by topics, with the task that it serves; longer than a window, it is cut by the caller before."""

    text: LongText
    task: Remark = ""
    find_question: bool = False
    """Set for a user's own input: the question in it is then extracted on its own."""


class Cluster(Model):
    """The part of a text that belongs to one topic."""

    cluster_id: Annotated[Count, Field(ge=1)]
    context: Context
    content: Text
    """The passages of the topic, word for word, in the order of the text."""
    keywords: Keywords
    stretches: tuple[Stretch, ...]
    """Where in the text the content stands."""


class ClassificationResponse(Model):
    """The topics of a text; each character of it is in exactly one cluster or in the question."""

    should_cluster: bool
    clusters: tuple[Cluster, ...]
    """Just one when the text should not be parted; none only when all of it is the question."""
    question: Text = ""
    """The user's question, word for word; empty when none was looked for or found."""
