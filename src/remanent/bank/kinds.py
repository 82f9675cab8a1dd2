"""The kind of record that a bank makes."""

from remanent.model.base import Text
from remanent.model.kinds import RecordData, register_kind


class QueryNodeData(RecordData):
    """A topic of a task bank."""

    context: Text = ""


QUERY_NODE = register_kind("query_node", QueryNodeData)
