"""The terms by which full-text search finds a record: its own, and of a reply those of what it replies to."""

from datetime import timedelta

from remanent.model import Entry, Kind, MemoryData, Record, Status, TurnData
from remanent.model.filters import user_in
from remanent.text.talk import takes_back
from remanent.text.terms import index_terms

_REPLY_WITHIN = timedelta(hours=1)
"""What is said later than that begins something new. Chosen by hand."""
_REPLY_TERMS = 20
"""Terms of what a turn replies to that it is found by as well; more would drown its own."""
_REPLY_CHARACTERS = 400
"""The end of a message from which those terms are taken."""


def is_searched(record: Record) -> bool:
    """Tell whether search finds a record by itself; a memory that quotes a turn is found by way of that turn."""
    return not (isinstance(record.data, MemoryData) and record.data.quoted)


def search_terms(record: Record) -> str:
    """Return the terms under which full-text search finds a record."""
    if not is_searched(record):
        return ""
    speaker = record.data.speaker if isinstance(record.data, TurnData) else ""
    parts = [record.content, record.summary, *record.keywords, *record.tags, speaker]
    return " ".join(index_terms("\n".join(part for part in parts if part)))


def indexed_terms(record: Record) -> str:
    """Return the terms that are kept for a record: none of a forgotten one, which leaves the index."""
    return "" if record.status is Status.FORGOTTEN else search_terms(record)


def talk_of(entry: Entry) -> tuple[str | None, str]:
    """Return in which talk something was said: nobody replies to what another user said."""
    return entry.scope.session, user_in(entry.metadata)


def reply_terms(entry: Entry, previous: Entry | None) -> str:
    """Return terms of what an entry replies to: "Yes, in May" is found by the words of the question before it.

    The end of a long message is what gets a reply; more of it would drown the reply's own words. Who goes on talking
    replies to nobody, but who takes back what they said ("no wait, it's Wednesday") speaks of the same.
    """
    goes_on = previous is not None and previous.role == entry.role and not takes_back(entry.text)
    if previous is None or goes_on or entry.occurred_at - previous.occurred_at > _REPLY_WITHIN:
        return ""
    speaker = TurnData(role=previous.role).speaker
    return " ".join(index_terms(previous.text[-_REPLY_CHARACTERS:])[-_REPLY_TERMS:] + index_terms(speaker))


class TermsOfTalks:
    """Tells the terms of records where a whole journal is written anew: all its entries come before any record."""

    def __init__(self) -> None:
        self._last: dict[tuple[str | None, str], Entry] = {}
        self._replies: dict[str, str] = {}

    def hear(self, entry: Entry) -> None:
        """Take in the next entry of the journal."""
        if entry.text and not entry.erased:
            if terms := reply_terms(entry, self._last.get(talk_of(entry))):
                self._replies[entry.id] = terms
            self._last[talk_of(entry)] = entry

    def of(self, record: Record) -> str:
        """Return the terms of a record; a turn that a person has edited is found by its own words alone."""
        replied = self._replies.pop(record.id, "") if record.kind is Kind.TURN else ""
        terms = indexed_terms(record)
        return f"{terms} {replied}" if terms and replied and record.version == 1 else terms
