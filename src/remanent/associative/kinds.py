"""The kind of record that the associative memory makes."""

from remanent.model.base import Count
from remanent.model.kinds import RecordData, register_kind


class TraceData(RecordData):
    """A node of the associative memory; its links are those of its record."""

    original_length: Count = 0
    """Length of the content before any compression: the measure of every target length."""


TRACE = register_kind("trace", TraceData, section="recent_episodes")
