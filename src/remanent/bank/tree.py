"""The Interaction Tree: the raw words behind each node, as a view of the journal that changes nothing."""

from remanent.agents.deep_retrieval import TreeEntry, tree_of
from remanent.bank.ledger import Ledger
from remanent.errors import NotFound
from remanent.model import Entry, JsonObject

BANK = "bank"
"""The key of an entry's metadata under which a bank says what the entry is to it."""


def source_of(entry: Entry) -> str:
    """Return what an entry is to its bank: where it came from; empty for one that is only kept."""
    return str(bank_said(entry).get("source", ""))


def bank_said(entry: Entry) -> JsonObject:
    """Return what a bank says of an entry of its own."""
    said = entry.metadata.get(BANK)
    return said if isinstance(said, dict) else {}


class InteractionTree:
    """Shows the trees of nodes; nothing here writes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def of(self, node_id: str) -> tuple[TreeEntry, ...]:
        """Return every entry of a node's trees by timestamp, also of a node that was merged away."""
        record = self._ledger.record(node_id)
        if record is None:
            raise NotFound(f"there is no node {node_id} in this bank; `search` shows the ids of those that are")
        entries = [self._ledger.entries[source.entry_id] for source in record.sources]
        return tree_of(record, entries, source_of=source_of)

    def entry(self, entry_id: str) -> Entry:
        """Return a whole entry as it was written."""
        entry = self._ledger.entries.get(entry_id)
        if entry is None:
            raise NotFound(f"there is no entry {entry_id} in this bank")
        return entry

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All that was written, in order."""
        return tuple(self._ledger.entries.values())
