"""What replaces messages for which there is no room: their most informative sentences, as summaries or one digest.

What is made of a stretch of messages is kept by the stretch's content, so that a new message extends a view instead of
making it anew. A model is never waited for: until its summary is there, the one that needs no model stands in its
place, and the next view has the better one. How far a conversation is shortened is for `compaction.py` to say.
"""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field, replace
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from itertools import chain, groupby
from typing import TypeVar
from urllib.parse import quote

from remanent.bilingual import Language
from remanent.context.messages import ReadMessage, spoken, text_key, tokens_of
from remanent.context.trimming import SHORTENED, shortened_result
from remanent.errors import RemanentError
from remanent.language import Engine
from remanent.language.engines import OfflineEngine
from remanent.language.offline.commitments import Commitments, find_commitments, standing
from remanent.language.offline.salience import relabelled, with_speaker, without_speaker
from remanent.language.offline.statements import only_confirms
from remanent.language.roles.summary import (
    LIST_HEADINGS,
    MARKS,
    TOKENS,
    Summarisation,
    SummaryLevel,
    SummaryRequest,
    segment_text,
)
from remanent.language.shapes import MAX_TEXT, Utterance
from remanent.lightweight import dataclass
from remanent.model import Scope
from remanent.model.entry import ChatRole
from remanent.settings import ContextSettings
from remanent.stores.cache import Cache
from remanent.text.sentences import sentence_texts
from remanent.text.summary import DialogueSentence, joined, ranked, statements, telling, tells
from remanent.text.tokens import TokenCounter, token_counter

_logger = logging.getLogger(__name__)
SEGMENT = 10
"""Messages that become one summary at the second level, and that stay as they are at its end (the design)."""
SUMMARY_TOKENS = TOKENS[SummaryLevel.SEGMENT]
DIGEST_TOKENS = TOKENS[SummaryLevel.SESSION]
"""What a summary and a digest take where no budget leaves them more room (the design)."""
_LISTED_TOKENS, _LISTED = 480, 0.05
"""What lists may take: all but a third of a plain digest; of a longer one a twentieth at most, since in everyday talk
much looks like a decision that is none, and the sentences themselves are there. With a tenth, all that a question of
LoCoMo needs survived for .47 of 240, with a twentieth for .49."""
_WEIGHTS: dict[ChatRole, float] = {"user": 3.0, "tool": 0.25}
"""What a sentence counts by who says it: what the user wants goes before what was tried on the way, and that before the
output of tools. Chosen by hand: of a coding agent's chat the request was left out, and 22 calls were kept. With them,
of BEAM's chats (144 questions) evidence survived at a twentieth of their size for .799 of the questions where .653 had
it, at a tenth for .944 where .861 had it; LoCoMo, where all are users, stayed as it was."""
FULL = 0.98
"""The share of a budget that a view with a digest may take: tokens of texts together may be a few more than apart."""
_CHOSEN_FROM = 4
"""Stretches of ten that a digest chooses sentences from together. On LoCoMo (120 questions) all that a question needs
survived for .46 of them by one stretch, for .53 by four, .49 by all at once."""
_LEAST_CHOSEN = 100
"""Tokens below which a part of a digest has room for remarks only ("Nice job!"): then more stretches go together."""
_LEAST_FILLED, _MOST_FILL = 0.8, 4.0
"""The share of its room that a digest takes at least where there is more to tell, and how far parts are widened for it.
Chosen by hand."""
_BREATH = 20_000
"""Characters that are counted before other work gets a turn: some 10 ms."""
_LINE_TOKENS = 1
"""What a speaker's name takes of a line, on average: most lines have none. With one more, a seventh of the budget was
left over."""
_MAX_AGENTS = 256
_MAX_NOTES, _MAX_MESSAGES, _MAX_STRETCHES = 100_000, 5_000, 2_000
"""Agents whose work is kept in the process, and for each: counts of tokens, messages, stretches. Beyond it is made
again."""
_NEXT_LINE = re.compile(r"(?<=\n)(?=[^\s/])")
"""Where no tokenizer joins two lines; before a slash one does."""
_Made = TypeVar("_Made")
MessageSizes = dict[int, tuple[int, ReadMessage]]
"""The tokens of messages, by their identity; the message stands beside, so that no other can get its identity."""


@dataclass(slots=True)
class Stretch:
    """What is kept of some ten messages, by their content: read once, shortened to each length once."""

    speakers: dict[int, str]
    """Who spoke, by the number of the message in the stretch."""
    said: list[DialogueSentence]
    tokens: int
    shortened: dict[tuple[int, bool], list[DialogueSentence]] = field(default_factory=dict)
    """The most telling sentences, by the tokens that they may take and whether those that are nearly alike count."""
    order: list[int] | None = None
    """The sentences by how much they tell, once that was asked: every new message leaves the others a little less."""


class MessageNotes:
    """What was made of one agent's messages, each read once, wherever it stands; by their content, no text is a key."""

    def __init__(self, count: TokenCounter) -> None:
        self.count = count
        self.tokens: dict[bytes, int] = {}
        self._results: OrderedDict[bytes, str] = OrderedDict()
        """What results of tools were shortened to."""
        self._said: OrderedDict[bytes, list[DialogueSentence]] = OrderedDict()
        """The sentences of messages."""
        self._sentences: OrderedDict[bytes, list[str]] = OrderedDict()
        """The same as they stand, those that say nothing and blocks of code included."""
        self._stretches: OrderedDict[bytes, Stretch] = OrderedDict()
        self._commitments: OrderedDict[bytes, Commitments] = OrderedDict()
        self.fill = 1.0
        """How much more than its share each part of a digest may take, since others leave theirs."""
        self.repeats = False
        """Whether a conversation has little to tell but what is nearly the same."""
        self.shares: dict[int, float] = {}
        """Which share of older stretches the last view of each level kept."""

    def steady(self, level: int, share: float, *, over: float = 0.0, under: float = 0.0) -> float:
        """Return the share that the last view had, where it is near enough to the one that there is room for.

        What was chosen of older stretches then stays while single messages come and go: as good, and much less work. A
        share that may not be exceeded is chosen a little smaller (`under`), so that there is room for some more.
        """
        before = self.shares.get(level, 0.0)
        self.shares[level] = before if 0.85 * share <= before <= (1 + over) * share else (1 - under) * share
        return self.shares[level]

    def size(self, message: ReadMessage) -> int:
        """Return what a message costs; each text is counted once."""
        return tokens_of(message, lambda text: self.counted(text, message.key))

    async def sizes_of(self, messages: Sequence[ReadMessage]) -> MessageSizes:
        """Return the tokens of messages; others get their turn between them, since many take a while."""
        sizes: MessageSizes = {}
        fresh = 0
        for message in messages:
            known = len(self.tokens)
            sizes[id(message)] = (self.size(message), message)
            fresh += len(message.text) if len(self.tokens) > known else 0
            if fresh > _BREATH:
                fresh = 0
                await asyncio.sleep(0)
        return sizes

    def counted(self, text: str, key: bytes = b"") -> int:
        """Return the tokens of a text."""
        key = key or text_key(text)
        if key not in self.tokens:
            self.tokens[key] = self.count(text)
        return self.tokens[key]

    def counted_by_lines(self, text: str) -> int:
        """Return what a text of many lines costs; lines that were counted before are not counted again.

        A tokenizer joins a border of lines to what stands before it, so that the sum is what the whole has.

        One new message changes few lines of a digest.
        """
        total = self.tokens[text_key(text)] = sum(map(self.counted, _NEXT_LINE.split(text)))
        return total

    def shortened(self, text: str, *, is_chinese: bool) -> str:
        """Return what a tool's result comes to; each is shortened once."""
        key = text_key(f"{is_chinese:d}{text}")
        return _once(self._results, key, lambda: shortened_result(text, count=self.count, is_chinese=is_chinese))

    def stretch(self, messages: Sequence[ReadMessage]) -> Stretch:
        """Return what is kept of some messages."""

        def read() -> Stretch:
            talk = [(message, text) for message in messages if (text := spoken(message)).strip()]
            said: list[DialogueSentence] = []
            claims: list[int] = []
            for number, (message, text) in enumerate(talk):
                weight = _WEIGHTS.get(message.part, 1.0)
                told = _once(self._said, text_key(text), partial(statements, SHORTENED.sub("", text)))
                said += [replace(one, message=number, factor=one.factor * weight) for one in told]
                # What room a message has a claim to: its tokens, of what a tool gave a part.
                claims.append(int((self.counted(text) if message.calls else self.size(message)) * min(1.0, weight)))
            speakers = {number: speaker_of(message) for number, (message, _) in enumerate(talk)}
            return Stretch(speakers=speakers, said=said, tokens=sum(claims))

        return _once(self._stretches, stretch_key(messages), read, most=_MAX_STRETCHES)

    async def commitments(self, messages: Sequence[ReadMessage]) -> Commitments:
        """Return what messages bind their people to; what tools say binds nobody. Each is read once.

        What was taken back later is neither listed nor told, so that it must be read over the whole conversation; each
        message is read once for it, not once for each view, and one that only says "remember that" with the one before.
        """
        runs: list[list[ReadMessage]] = []
        for message in messages:
            if message.part == "tool" or not message.text.strip():
                continue
            if runs and only_confirms(message.text):
                runs[-1].append(message)
            else:
                runs.append([message])
        found: list[Commitments] = []
        for run in runs:
            key = stretch_key(run)
            if key not in self._commitments:
                await asyncio.sleep(0)
            said = list(map(utterance_of, run))
            found.append(_once(self._commitments, key, partial(find_commitments, said, sentences=self._sentences_of)))
        return standing(found)

    def _sentences_of(self, text: str) -> Sequence[str]:
        """Return the sentences of a message as they stand; each message is parted once, however its stretch grows."""
        return _once(self._sentences, text_key(text), lambda: sentence_texts(text))

    def telling(self, stretch: Stretch, *, limit: int, alike: bool = True) -> list[DialogueSentence]:
        """Return the sentences of a stretch that tell most within so many tokens.

        The order is worked out once: every new message leaves older ones a little less room, and weighing all of their
        sentences again took 6 of 43 ms for one message on 50,000 tokens.
        """
        if (limit, alike) not in stretch.shortened:
            if stretch.order is None:
                stretch.order = ranked(stretch.said)
            stretch.shortened[limit, alike] = telling(
                stretch.said,
                limit=limit,
                measure=lambda text: self.counted(text) + _LINE_TOKENS,
                order=stretch.order,
                alike=alike,
            )
        return stretch.shortened[limit, alike]


class StretchSummaries:
    """Shortens conversations of many agents by the three levels; keeps what it made for as long as a session lives."""

    def __init__(
        self, engine: Engine, *, cache: Cache, settings: ContextSettings, counter: TokenCounter | None = None
    ) -> None:
        self._engine = engine
        self.asks_model = not isinstance(engine, OfflineEngine)
        self._cache = cache
        self.settings = settings
        self.count = counter or token_counter()
        self._notes: OrderedDict[str, MessageNotes] = OrderedDict()
        self._running: dict[str, asyncio.Task[None]] = {}

    async def forget(self, scope: Scope) -> None:
        """Let go of everything that was made of an agent's messages; of a session, of what a model made in it.

        Erasing must reach what a model made as well: it stands in a cache that other processes read, under names that
        begin with the owner's.
        """
        made = _prefix(scope) if scope.session is not None else f"{_index(scope)}/"
        if scope.session is None:
            self._notes.pop(str(scope.owner), None)
        # A model that is still at it would else put back what was made of words that are gone.
        asked = [task for name, task in self._running.items() if name.startswith(made)]
        for task in asked:
            task.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        gone = [key for key, _ in await self._cache.ranked(_index(scope), limit=_MAX_NOTES) if key.startswith(made)]
        for key in gone:
            await self._cache.delete(key)
        await self._cache.unrank(_index(scope), *gone)

    async def settle(self) -> None:
        """Wait until the summaries that a model is asked for are there or have failed."""
        while self._running:
            await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def close(self) -> None:
        """Stop asking a model."""
        for task in list(self._running.values()):
            task.cancel()
        await self.settle()

    def notes_of(self, scope: Scope) -> MessageNotes:
        """Return what was worked out for an agent; the one that was not asked for longest makes room."""
        owner = str(scope.owner)
        notes = self._notes.setdefault(owner, MessageNotes(self.count))
        self._notes.move_to_end(owner)
        if len(self._notes) > _MAX_AGENTS:
            self._notes.popitem(last=False)
        if len(notes.tokens) > _MAX_NOTES:
            notes.tokens.clear()
        return notes

    async def better(self, scope: Scope, key: bytes, request: SummaryRequest) -> str | None:
        """Return what a model made of a stretch; where it made nothing yet, have it asked and go on."""
        name = f"{_prefix(scope)}{request.level}/{key.hex()}"
        made = await self._cache.get(name)
        if made is not None:
            await self._keep(scope, name, made)
            return made.decode()
        if name not in self._running:
            task = asyncio.create_task(self._ask(scope, name, request))
            self._running[name] = task
            task.add_done_callback(lambda _: self._running.pop(name, None))
        return None

    async def _ask(self, scope: Scope, name: str, request: SummaryRequest) -> None:
        """Have the model make a summary behind the one that was given at once: nobody waits for it."""
        try:
            answer = await self._engine.run(Summarisation(), request)
        except RemanentError as error:
            _logger.warning(
                "a summary was not made by the model, the one without a model stays: %s", type(error).__name__
            )
            return
        await self._keep(scope, name, answer.value.text.encode())

    async def _keep(self, scope: Scope, name: str, made: bytes) -> None:
        """Keep what a model made for as long as a session lives after it was last used: every view uses it anew."""
        lifetime = timedelta(minutes=self.settings.idle_minutes)
        await self._cache.set(name, made, ttl=lifetime)
        await self._cache.rank(_index(scope), {name: 1.0}, ttl=lifetime)


@dataclass(frozen=True, slots=True)
class Digests:
    """What stands for the messages of one conversation: summaries of its stretches, and one digest."""

    made: StretchSummaries
    notes: MessageNotes
    scope: Scope
    language: Language

    async def summary(self, messages: Sequence[ReadMessage], *, limit: int) -> str:
        """Return what stands for a stretch: a model's summary where it is there, else the one that needs no model."""
        if self.made.asks_model and len(messages) >= SEGMENT:
            said = tuple(utterance_of(message) for message in messages if message.text.strip())
            request = SummaryRequest(level=SummaryLevel.SEGMENT, utterances=said) if said else None
            made = await self.made.better(self.scope, stretch_key(messages), request) if request else None
            if made is not None and limit < 2 * SUMMARY_TOKENS:
                return made
        stretch = self.notes.stretch(messages)
        chosen = self.notes.telling(stretch, limit=limit - SEGMENT)
        if not chosen:
            return ""
        decisions = (await self.notes.commitments(messages)).decisions
        return segment_text(chosen, list(stretch.speakers.values()), decisions, self.language)

    async def digest(self, stretches: Sequence[Sequence[ReadMessage]], *, limit: int) -> str:
        """Return what stands for a whole conversation: what binds, then the sentences that tell most.

        Lists come first, because what was decided must outlive everything else; what a later word took back is in
        neither list nor sentences. Parts are then filled twice at most: what one part cannot fill, since it repeats
        itself, is offered to the others (`fill`), and only where that is not enough are sentences taken that are nearly
        like others.
        """
        notes, language = self.notes, self.language
        lines, gone = [await self._prose(stretches)], set[str]()
        if "\n" not in lines[0]:
            found = await notes.commitments(list(chain.from_iterable(stretches)))
            lists = [[relabelled(item, language) for item in kind if tells(item)] for kind in found[:3]]
            gone = set(map(without_speaker, found.gone))
            most = int(_LISTED_TOKENS * min(1.0, limit / DIGEST_TOKENS))
            lines += self._lists(lists, room=most if limit <= 2 * DIGEST_TOKENS else min(most, int(_LISTED * limit)))
        size = _CHOSEN_FROM
        while size < len(stretches) and limit * size < _LEAST_CHOSEN * len(stretches):
            size *= 2  # in steps, so that it seldom changes
        read = [
            notes.stretch(list(chain.from_iterable(stretches[place : place + size])))
            for place in range(0, len(stretches), size)
        ]
        room = limit - notes.counted_by_lines("\n".join(lines))
        share = share_of_room(room, sum(part.tokens for part in read))
        told = gone | {without_speaker(line.removeprefix("- ")) for line in lines}

        def text_of(*, alike: bool) -> tuple[str, int]:
            text = "\n".join([*lines, *self._sentences_told(read, told, alike=alike)])
            return text, notes.counted_by_lines(text)

        text, taken = "", 0
        for alike in (notes.repeats, True):
            notes.steady(3, notes.fill * share, over=0.05)
            text, taken = text_of(alike=alike)
            if not _LEAST_FILLED * limit <= taken <= limit:  # parts that repeat themselves leave their room to others
                notes.fill = min(_MOST_FILL, notes.fill * FULL * limit / max(1, taken))
                notes.shares[3] = notes.fill * share
                text, taken = text_of(alike=alike)
            if alike or taken >= _LEAST_FILLED * limit:
                break
            notes.repeats, notes.fill = True, 1.0
        kept = text.split("\n")
        # The last lines that are too many go: what was counted apart may take more together. The count of the whole is
        # noted: the message that the digest becomes has the same.
        while len(kept) > 1 and (over := notes.counted_by_lines("\n".join(kept)) - limit) > 0:
            while len(kept) > 1 and over > 0:
                over -= notes.counted(kept.pop()) + 1
        return "\n".join(kept)

    def _sentences_told(self, read: Sequence[Stretch], told: Collection[str], *, alike: bool) -> Iterator[str]:
        """Yield the most telling sentences of each part, those of a message in one line, but for those told already."""
        before = ""
        for part in read:
            chosen = self.notes.telling(part, limit=int(self.notes.shares[3] * part.tokens), alike=alike)
            for message, group in groupby(chosen, key=lambda one: one.message):
                who = part.speakers[message]
                # A person's name before a line of a list is no role's, and stays when the line is made bare.
                line = joined(
                    one.text
                    for one in group
                    if without_speaker(one.text) not in told and with_speaker(one.text, who) not in told
                )
                if line:
                    yield line if who == before else with_speaker(line, who, self.language)
                    before = who

    async def _prose(self, stretches: Sequence[Sequence[ReadMessage]]) -> str:
        """Return the digest that a model made, lists and all; the bare heading where there is none."""
        head = MARKS[SummaryLevel.SESSION][self.language]
        if not self.made.asks_model:
            return head
        summaries = [await self.summary(messages, limit=SUMMARY_TOKENS) for messages in stretches]
        earlier = tuple(filter(None, summaries))[-1000:]
        if not earlier:
            return head
        key = blake2b(b"".join(map(stretch_key, stretches)), digest_size=16).digest()
        request = SummaryRequest(level=SummaryLevel.SESSION, earlier=earlier)
        return await self.made.better(self.scope, key, request) or head

    def _lists(self, lists: Sequence[Sequence[str]], *, room: int) -> list[str]:
        """Return the lists under their headings; the newest items first get room, in turn from each list."""
        taken: list[list[str]] = [[] for _ in lists]
        for rank in range(max(map(len, lists), default=0)):
            for items, kept in zip(lists, taken, strict=True):
                if rank < len(items):
                    size = self.notes.counted(items[-1 - rank]) + 4
                    if size <= room:
                        kept.insert(0, items[-1 - rank])
                        room -= size
        return [
            line
            for heading, kept in zip(LIST_HEADINGS, taken, strict=True)
            if kept
            for line in (heading[self.language], *(f"- {item}" for item in kept))
        ]


def stretch_key(messages: Sequence[ReadMessage]) -> bytes:
    """Return what names a stretch by its content."""
    parts = chain.from_iterable(
        (message.key, f"{message.part}\x1f{message.speaker}\x1e".encode(errors="replace")) for message in messages
    )
    return blake2b(b"".join(parts), digest_size=16).digest()


def _once(
    kept: OrderedDict[bytes, _Made], key: bytes, make: Callable[[], _Made], *, most: int = _MAX_MESSAGES
) -> _Made:
    """Return what is kept under a key, made where it is not; of more than `most` the oldest goes."""
    found = kept.get(key)
    if found is None:
        found = kept[key] = make()
        if len(kept) > most:
            kept.popitem(last=False)
    return found


def _index(scope: Scope) -> str:
    return f"compaction/{scope.owner}"


def _prefix(scope: Scope) -> str:
    """Return how the names of what a model made in a session begin."""
    return f"{_index(scope)}/{quote(scope.session or '', safe='')}/"


def speaker_of(message: ReadMessage) -> str:
    """Return who is said to have spoken; of a result, a tool, whatever name its message has."""
    return "tool" if message.part == "tool" else message.speaker


def utterance_of(message: ReadMessage) -> Utterance:
    """Return a message as language roles take it, within their bounds."""
    return Utterance(speaker=speaker_of(message)[:200] or "user", text=message.text[:MAX_TEXT])


def share_of_room(room: int | None, total: int) -> float:
    """Return which share of a conversation has room; more than all of it where parts of it have a lesser claim."""
    return 0.0 if room is None or room <= 0 or total <= 0 else room / total
