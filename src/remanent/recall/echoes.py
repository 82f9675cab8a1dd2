"""Telling what was said from what memory itself injected into the conversation, which must not be learned again.

Two things are echoes. A `<memory>` block that a host sends back along with a message, whoever sends it; and what an
agent or a tool says when every sentence of it stands word for word in memories that were given out lately. Both only
where the words really stand in a memory: whatever is new stays, so that nothing said can get lost this way. A user who
says a thing again confirms it, and is no echo.
"""

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from remanent.lightweight import dataclass
from remanent.model import Entry, Origin, Record, Scope
from remanent.model.filters import USER_KEY, read_where, user_in
from remanent.recall.injection import ENVELOPE, GAP, is_frame, plain
from remanent.stores import RecordFilter, Store, Transaction
from remanent.text.dates import RESOLVED
from remanent.text.regex import lazy_regex
from remanent.text.sentences import sentence_texts
from remanent.text.spans import Span
from remanent.text.terms import query_terms

_GIVEN = "given"
"""The state that names the records which were given out lately."""

_MAX_GIVEN = 200
"""Records of one agent that are remembered as given out: those of the last twenty answers of ten."""
MAX_WAITING = 500_000
"""Ids that wait for all agents together until something is remembered, some 60 MB; the agents that were answered
longest ago are let go first, and what they were given is then known again only by its words."""
_MIN_ECHO_CHARACTERS = 12
"""Letters and digits below which a turn says too little to be told from what anybody says: "yes, please do". Chosen by
hand."""

_BLOCK = lazy_regex(rf"<{ENVELOPE}>\n(.*?)\n</{ENVELOPE}>", re.DOTALL)
_LEAD = lazy_regex(r"- (?:\[[^\]\n]*\] )?")
_STANDING = lazy_regex(r" \((?:confidence: \d+%, sources: \d+|置信度: \d+%, 来源: \d+)\)\Z")
# In a conversation the names stand at the beginning of lines, where escaping changes the colon behind some of them.
_SPEAKER = lazy_regex(r".*?[:∶] ")
_ECHOING = (Origin.AGENT, Origin.TOOL)
"""Who brings back what memory said; people who say a thing again confirm it."""
# Terms that are searched for what another process gave out, and the best hits that are compared word for word: a record
# that holds all of an item's words is among the first. Chosen by hand.
_SEARCHED = 32
_LOOKED_AT = 8
_MAX_LINES = 400
"""Lines of a conversation that are looked for one by one."""


@dataclass(frozen=True, slots=True)
class Echo:
    """What of an entry is left to learn, and the records that the rest repeats."""

    rest: tuple[Span, ...]
    repeats: tuple[str, ...]


class Echoes:
    """Knows what was given out, and finds it in what comes back."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._given: OrderedDict[Scope, dict[str, None]] = OrderedDict()
        self._waiting = 0

    def give(self, scope: Scope, record_ids: Iterable[str]) -> None:
        """Note records whose words were given out; they are kept for good with the next thing remembered."""
        fresh = dict.fromkeys(record_ids)
        if not fresh:
            return
        owner = scope.owner
        before = self._given.pop(owner, {})
        self._given[owner] = _newest({**before, **fresh})
        self._waiting += len(self._given[owner]) - len(before)
        while self._waiting > MAX_WAITING:
            self._waiting -= len(self._given.popitem(last=False)[1])

    async def keep(self, tx: Transaction) -> None:
        """Put what was given out since the last time into a unit of work."""
        fresh = self._given.pop(tx.scope.owner, None)
        if fresh:
            self._waiting -= len(fresh)
            known = dict.fromkeys(await self._known(tx.scope.owner))
            tx.state(_GIVEN, list(_newest({**known, **fresh})))

    async def find(self, scope: Scope, entries: Sequence[Entry]) -> dict[str, Echo]:
        """Return by entry the echoes among them."""
        suspects = [
            entry for entry in entries if not entry.erased and (_BLOCK.search(entry.text) or entry.origin in _ECHOING)
        ]
        if not suspects:
            return {}
        ids = await self._known(scope)
        given: dict[str, list[Record]] = {}
        found = {}
        for entry in suspects:
            # What another user was given is nothing that comes back here.
            user = user_in(entry.metadata)
            if user not in given:
                own = replace(_of_user_of(entry), statuses=None)
                given[user] = await self._records(scope, await self._store.match(scope, ids, own) if own.where else ids)
            echo = await self._echo(scope, entry, given[user])
            if echo is not None:
                found[entry.id] = echo
        return found

    async def _echo(self, scope: Scope, entry: Entry, given: Sequence[Record]) -> Echo | None:
        rest: list[Span] = []
        repeats: dict[str, None] = {}
        position = 0
        for block in _BLOCK.finditer(entry.text):
            holders = await self._holders(scope, block[1], given, entry)
            if holders is not None:
                rest.append(Span(position, block.start()).trimmed(entry.text))
                repeats |= dict.fromkeys(holders)
                position = block.end()
        rest = [span for span in [*rest, Span(position, len(entry.text)).trimmed(entry.text)] if span]
        if repeats or entry.origin not in _ECHOING:
            return Echo(tuple(rest), tuple(repeats)) if repeats else None
        said = [plain(sentence) for sentence in sentence_texts(entry.text)]
        holding = [_holder(words, given, entry) for words in said if words]
        if sum(map(len, said)) < _MIN_ECHO_CHARACTERS or None in holding:
            return None
        return Echo((), tuple(dict.fromkeys(holder for holder in holding if holder is not None)))

    async def _holders(self, scope: Scope, block: str, given: Sequence[Record], entry: Entry) -> list[str] | None:
        """Return the records that the items of a block stand in, or None when anything in it is not known."""
        lines = block.split("\n")
        loose = [line for line in lines if not line.startswith(("- ", "  ")) and not is_frame(line)]
        items = [item for item in re.split(r"\n(?=- )", block) if item.startswith("- ")]
        if loose or not items:
            return None
        holders: list[str] = []
        for item in items:
            words = "\n".join(line for line in item.split("\n") if line.startswith(("- ", "  ")))
            held = await self._held(scope, words, given, entry)
            if held is None:
                return None
            holders += held
        return holders

    async def _held(self, scope: Scope, words: str, given: Sequence[Record], entry: Entry) -> list[str] | None:
        """Return the records that the words of an item stand in: one, or in a conversation one for each line."""
        whole = await self._holder_of(scope, words, given, entry)
        if whole is not None:
            return [whole]
        lines = [line for line in words.split("\n") if plain(line)]
        if not 1 < len(lines) <= _MAX_LINES:
            return None
        holders = []
        for line in lines:
            holder = await self._holder_of(scope, line, given, entry)
            if holder is None:
                return None
            holders.append(holder)
        return holders

    async def _holder_of(self, scope: Scope, words: str, given: Sequence[Record], entry: Entry) -> str | None:
        records = [*given, *await self._searched(scope, words, entry)]
        return next((found for form in _forms(words) if (found := _holder_of_parts(form, records, entry))), None)

    async def _searched(self, scope: Scope, words: str, entry: Entry) -> list[Record]:
        """Return the records that hold most of the words: what was given out by another process is found so."""
        terms = query_terms(words)[:_SEARCHED]
        hits = await self._store.search_text(scope, terms, record_filter=_of_user_of(entry), limit=_LOOKED_AT)
        return await self._records(scope, [hit.record_id for hit in hits])

    async def _records(self, scope: Scope, record_ids: Sequence[str]) -> list[Record]:
        return list((await self._store.records_by_id(scope, record_ids)).values())

    async def _known(self, scope: Scope) -> list[str]:
        kept = await self._store.state(scope, _GIVEN)
        return [str(record_id) for record_id in kept] if isinstance(kept, list) else []


def _of_user_of(entry: Entry) -> RecordFilter:
    """Return what passes the records of the user whose entry it is; all where it names none."""
    user = entry.metadata.get(USER_KEY)
    return RecordFilter(where=read_where({USER_KEY: user}) if isinstance(user, str | int) else ())


def _newest(record_ids: dict[str, None]) -> dict[str, None]:
    return dict.fromkeys(list(record_ids)[-_MAX_GIVEN:])


def _forms(item: str) -> Iterable[str]:
    """Yield the words of an item, without what was told of it: as they are, and without a speaker before them.

    Each with the dates that stand behind "yesterday", because somebody may have said them, and without.
    """
    words = _STANDING.sub("", _LEAD.sub("", item, count=1))
    lead = _SPEAKER.match(words)
    for form in (words, *([words[lead.end() :]] if lead else [])):
        yield form
        if RESOLVED.search(form):
            yield RESOLVED.sub("", form)


def _holder_of_parts(words: str, records: Sequence[Record], entry: Entry) -> str | None:
    """Return the record that all parts of a told memory stand in."""
    parts = [plain(part) for part in words.split(GAP)]
    for record in records:
        if record.id != entry.id:
            content = plain(record.content)
            if any(parts) and all(part in content for part in parts):
                return record.id
    return None


def _holder(words: str, records: Sequence[Record], entry: Entry) -> str | None:
    return next((record.id for record in records if record.id != entry.id and words in plain(record.content)), None)
