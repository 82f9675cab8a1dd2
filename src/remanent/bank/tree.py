"""The Interaction Tree: the raw words behind each node, as a view of the journal that changes nothing."""

from collections.abc import Sequence

from pydantic import Field

from remanent.bank.ledger import Ledger
from remanent.errors import NotFound
from remanent.model import Attachment, Entry, EntryKind, Instant, JsonObject, Record, Source, Word
from remanent.model.ids import Id
from remanent.model.word import Text

BANK = "bank"
"""The key of an entry's metadata under which a bank says what the entry is to it."""


def source_of(entry: Entry) -> str:
    """Return what an entry is to its bank: where it came from; empty for one that is only kept."""
    return str(bank_said(entry).get("source", ""))


def bank_said(entry: Entry) -> JsonObject:
    """Return what a bank says of an entry of its own."""
    said = entry.metadata.get(BANK)
    return said if isinstance(said, dict) else {}


class TreeEntry(Word):
    """One parent of a tree: what was said, word for word, with the files that belong to it."""

    entry_id: Id
    kind: EntryKind
    text: Text
    """The stretches that belong to the node, in their order; of a merge event, what was merged and why."""
    timestamp: Instant
    source: Text = ""
    """Where it came from: the given context, a step's execution, a validation, a merge."""
    metadata: JsonObject = Field(default_factory=dict)
    attachments: tuple[Attachment, ...] = ()
    """The children: those that the text refers to."""


class InteractionTree:
    """Shows the trees of nodes; nothing here writes."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def of(self, node_id: str) -> tuple[TreeEntry, ...]:
        """Return every entry of a node's trees by timestamp, also of a node that was merged away."""
        record = self._ledger.record(node_id)
        if record is None:
            raise NotFound(f"there is no node {node_id} in this bank; `search` shows the ids of those that are")
        return tree_of(record, [self._ledger.entries[source.entry_id] for source in record.sources])

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


def tree_of(record: Record, entries: Sequence[Entry]) -> tuple[TreeEntry, ...]:
    """Return the entries that a record names as its sources, by timestamp; those that are not given are left out."""
    known = {entry.id: entry for entry in entries}
    spans: dict[str, list[Source]] = {}
    for source in record.sources:
        if source.entry_id in known:
            spans.setdefault(source.entry_id, []).append(source)
    found = [_shown(known[entry_id], parts) for entry_id, parts in spans.items()]
    return tuple(sorted(found, key=lambda shown: (shown.timestamp, known[shown.entry_id].seq)))


def _shown(entry: Entry, parts: Sequence[Source]) -> TreeEntry:
    text = "".join(entry.text[part.start : part.end] for part in sorted(parts, key=lambda part: part.start))
    # What a bank read in may be many files in one entry; its nodes are about those that their words refer to.
    is_own = not source_of(entry)
    return TreeEntry(
        entry_id=entry.id,
        kind=entry.kind,
        text=text,
        timestamp=entry.occurred_at,
        source=source_of(entry),
        metadata=entry.metadata,
        attachments=tuple(item for item in entry.attachments if is_own or item.attachment_id in text),
    )
