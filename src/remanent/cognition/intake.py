"""What of the journal is learnt from, and the jobs that do it; light, since it is asked whenever something is said."""

from remanent.discipline import Parts
from remanent.model import Entry, EntryKind, Origin
from remanent.recall.indexing import TURNS
from remanent.stores import Transaction

LEARN = "cognition.learn"
"""The job that makes memories, and the state that says how far the journal was read."""
EPISODE = "cognition.episode"
"""The job that makes an episode of a session that ended."""
_SPEAKERS = frozenset({Origin.USER, Origin.UNTRUSTED, Origin.IMPORT})
"""Whose words become memories. Tools and the web speak for themselves, and an agent's word about a user is hearsay."""


def may_state(entry: Entry) -> bool:
    """Tell whether an entry can hold a statement of its speaker."""
    return entry.kind is EntryKind.MESSAGE and entry.origin in _SPEAKERS and not entry.erased and bool(entry.text)


def request_learning(parts: Parts, tx: Transaction) -> None:
    """Ask for memories of what was said, behind the turns that are made of it."""
    # In the lane of turns, whose jobs run one after another: what was recalled and comes back is marked there.
    parts.enqueue(tx, LEARN, lane=TURNS, key=LEARN)
