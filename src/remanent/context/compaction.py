"""Making a conversation fit: one mechanism with two policies, and a view that says what it did.

A view never replaces anything: the journal holds every message, and a view keeps what each of its summaries stands for
(`ContextView.original`). What is made of a stretch of messages is kept by the stretch's content, so that a new message
extends a view instead of making it anew. A model is never waited for: until its summary is there, the one that needs no
model stands in its place, and the next view has the better one.
"""

import asyncio
import logging
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace
from datetime import timedelta
from functools import partial
from hashlib import blake2b
from itertools import chain, pairwise
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import Field

from remanent.bilingual import Language
from remanent.context.cutting import Cutting
from remanent.context.messages import (
    MESSAGE_TOKENS,
    Message,
    ReadMessage,
    read_messages,
    sanitized,
    spoken,
    style_of,
    text_key,
    tokens_of,
    units,
)
from remanent.context.savings import Saving, Strategy
from remanent.context.trimming import SHORTENED, shortened_result, without_long_results, without_pictures
from remanent.errors import InvalidInput, RemanentError
from remanent.language import Engine
from remanent.language.engines import OfflineEngine
from remanent.language.offline.salience import bare, relabelled, with_speaker
from remanent.language.roles.commitments import Commitments, find_commitments, standing
from remanent.language.roles.extraction import only_confirms
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
from remanent.model import Model, Scope
from remanent.model.entry import ChatRole
from remanent.settings import ContextSettings
from remanent.stores.cache import Cache
from remanent.text.dialogue_summary import DialogueSentence, ranked, statements, telling, tells
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.tokens import TokenCounter, token_counter
from remanent.values import dataclass

_logger = logging.getLogger(__name__)

SEGMENT = 10
"""Messages that become one summary at the second level, and that stay as they are at its end (the design)."""
RECENT = 5
"""Messages that stay as they are at the third level (the design)."""
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
_FULL = 0.98
"""The share of a budget that a view with a digest may take: tokens of texts together may be a few more than apart."""
_CHOSEN_FROM = 4
"""Stretches of ten that a digest chooses sentences from together. On LoCoMo (120 questions) all that a question needs
survived for .46 of them by one stretch, for .53 by four, .49 by all at once."""
_LEAST_CHOSEN = 100
"""Tokens below which a part of a digest has room for remarks only ("Nice job!"): then more stretches go together."""
_LEAST_FILLED, _MOST_FILL = 0.8, 4.0
"""The share of its room that a digest takes at least where there is more to tell, and how far parts are widened for it.
Chosen by hand."""
_LEAST_DIGEST = 24
"""Tokens below which no digest is made: a heading and one sentence."""
_LEAST_NEWEST, _MOST_NEWEST = 0.25, 0.75
"""The share of a budget that the newest message has a claim to beside a long system prompt, and what it may take of
the rest where it is cut and there is a conversation before it. Chosen by hand."""
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
_Sizes = dict[int, tuple[int, ReadMessage]]
"""The tokens of messages, by their identity; the message stands beside, so that no other can get its identity."""
_Shown = ReadMessage | tuple[ReadMessage, int, int]
"""A message of a view; with the first and the last place of those that it stands for, where it does."""


class Replaced(Model):
    """A message of a view that stands for others, or for itself where it was cut."""

    place: int
    """Its place in the view."""
    first: int
    last: int
    """The places, in the list that was given, of the first and the last message that it stands for."""


class ContextView(Model):
    """A conversation as it is sent: not longer than its budget, with what was done to it."""

    messages: tuple[dict[str, Any], ...]
    tokens: int
    tokens_before: int
    budget: int | None = None
    level: int = Field(ge=0, le=3)
    """How far it was shortened: 0 not at all, 1 trimmed, 2 summaries of ten messages, 3 one digest."""
    report: tuple[Saving, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    given: tuple[dict[str, Any], ...] = Field(default=(), exclude=True, repr=False)

    @property
    def fits(self) -> bool:
        """Tell whether the budget is kept; only one of a few tokens is not."""
        return self.budget is None or self.tokens <= self.budget

    def original(self, place: int) -> list[dict[str, Any]]:
        """Return the messages, as they were given, that a message of the view stands for."""
        for part in self.replaced:
            if part.place == place and not self.given:
                raise InvalidInput(
                    f"a view from a server holds no originals: they are {part.first} to {part.last} of yours"
                )
            if part.place == place:
                return list(self.given[part.first : part.last + 1])
        raise InvalidInput(f"message {place} of the view stands for itself")


@dataclass(slots=True)
class _Stretch:
    """What is kept of some ten messages, by their content: read once, shortened to each length once."""

    speakers: dict[int, str]
    """Who spoke, by the number of the message in the stretch."""
    said: list[DialogueSentence]
    tokens: int
    shortened: dict[tuple[int, bool], list[DialogueSentence]] = field(default_factory=dict)
    """The most telling sentences, by the tokens that they may take and whether those that are nearly alike count."""
    order: list[int] | None = None
    """The sentences by how much they tell, once that was asked: every new message leaves the others a little less."""


@dataclass(slots=True)
class _Notes:
    """What was made of one agent's messages, by their content; no text is a key."""

    tokens: dict[bytes, int] = field(default_factory=dict)
    results: OrderedDict[bytes, str] = field(default_factory=OrderedDict)
    """What results of tools were shortened to."""
    said: OrderedDict[bytes, list[DialogueSentence]] = field(default_factory=OrderedDict)
    """The sentences of messages."""
    sentences: OrderedDict[bytes, list[str]] = field(default_factory=OrderedDict)
    """The same as they stand, those that say nothing and blocks of code included."""
    stretches: OrderedDict[bytes, _Stretch] = field(default_factory=OrderedDict)
    commitments: OrderedDict[bytes, Commitments] = field(default_factory=OrderedDict)
    fill: float = 1.0
    """How much more than its share each part of a digest may take, since others leave theirs."""
    repeats: bool = False
    """Whether a conversation has little to tell but what is nearly the same."""
    shares: dict[int, float] = field(default_factory=dict)
    """Which share of older stretches the last view of each level kept."""

    def steady(self, level: int, share: float, *, over: float = 0.0, under: float = 0.0) -> float:
        """Return the share that the last view had, where it is near enough to the one that there is room for.

        What was chosen of older stretches then stays while single messages come and go: as good, and much less work. A
        share that may not be exceeded is chosen a little smaller (`under`), so that there is room for some more.
        """
        before = self.shares.get(level, 0.0)
        self.shares[level] = before if 0.85 * share <= before <= (1 + over) * share else (1 - under) * share
        return self.shares[level]


class Compactor:
    """Shortens conversations of many agents by the three levels; keeps what it made for as long as a session lives."""

    def __init__(
        self, engine: Engine, *, cache: Cache, settings: ContextSettings, counter: TokenCounter | None = None
    ) -> None:
        self._engine = engine
        self._offline = engine if isinstance(engine, OfflineEngine) else OfflineEngine()
        self._cache = cache
        self.settings = settings
        self.count = counter or token_counter()
        self._notes: OrderedDict[str, _Notes] = OrderedDict()
        self._running: dict[str, asyncio.Task[None]] = {}

    async def view(
        self, scope: Scope, messages: Iterable[Message], *, budget: int | None = None, level: int | None = None
    ) -> ContextView:
        """Return the messages as they may be sent, within a budget of tokens; a level given is applied at once."""
        asked: object = budget
        if asked is not None and (not isinstance(asked, int) or isinstance(asked, bool) or asked < 1):
            raise InvalidInput(
                f"a budget is a whole number of tokens, at least 1, not {asked!r}; leave it out for the default"
            )
        if level is not None and level not in range(4):
            raise InvalidInput(f"a level is 0, 1, 2 or 3, not {level}")
        window = None
        if budget is None and level is None:
            budget, window = self.settings.budget, self.settings.messages
        notes, read = self._of(scope), read_messages(messages)
        sizes = await self._sizes(read, notes)
        shaping = _Shaping(self, notes, scope, read, budget=budget, sizes=sizes)
        await shaping.shorten(level, window=window)
        return shaping.view()

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

    def _of(self, scope: Scope) -> _Notes:
        """Return what was worked out for an agent; the one that was not asked for longest makes room."""
        owner = str(scope.owner)
        notes = self._notes.setdefault(owner, _Notes())
        self._notes.move_to_end(owner)
        if len(self._notes) > _MAX_AGENTS:
            self._notes.popitem(last=False)
        if len(notes.tokens) > _MAX_NOTES:
            notes.tokens.clear()
        return notes

    # ── what is made of a stretch ────────────────────────────────────────────

    def tokens(self, message: ReadMessage, notes: _Notes) -> int:
        """Return what a message costs; each text is counted once."""
        return tokens_of(message, lambda text: self._counted(text, notes, message.key))

    async def _sizes(self, messages: Sequence[ReadMessage], notes: _Notes) -> _Sizes:
        """Return the tokens of messages; others get their turn between them, since many take a while."""
        sizes: _Sizes = {}
        fresh = 0
        for message in messages:
            known = len(notes.tokens)
            sizes[id(message)] = (self.tokens(message, notes), message)
            fresh += len(message.text) if len(notes.tokens) > known else 0
            if fresh > _BREATH:
                fresh = 0
                await asyncio.sleep(0)
        return sizes

    def _counted(self, text: str, notes: _Notes, key: bytes = b"") -> int:
        key = key or text_key(text)
        if key not in notes.tokens:
            notes.tokens[key] = self.count(text)
        return notes.tokens[key]

    def _counted_by_lines(self, text: str, notes: _Notes) -> int:
        """Return what a text of many lines costs; lines that were counted before are not counted again.

        A tokenizer joins a border of lines to what stands before it, so that the sum is what the whole has.

        One new message changes few lines of a digest.
        """
        total = notes.tokens[text_key(text)] = sum(self._counted(line, notes) for line in _NEXT_LINE.split(text))
        return total

    def shortened(self, text: str, notes: _Notes, *, is_chinese: bool) -> str:
        """Return what a tool's result comes to; each is shortened once."""
        key = text_key(f"{is_chinese:d}{text}")
        return _once(notes.results, key, lambda: shortened_result(text, count=self.count, is_chinese=is_chinese))

    def _statements(self, text: str, notes: _Notes) -> list[DialogueSentence]:
        """Return the sentences of a message; each message is read once, wherever it stands."""
        return _once(notes.said, text_key(text), lambda: statements(SHORTENED.sub("", text)))

    def _worth(self, message: ReadMessage, text: str, notes: _Notes) -> int:
        """Return how much room a message has a claim to: its tokens, of what a tool gave a part."""
        tokens = self._counted(text, notes) if message.calls else self.tokens(message, notes)
        return int(tokens * min(1.0, _WEIGHTS.get(message.part, 1.0)))

    def _sentences(self, text: str, notes: _Notes) -> Sequence[str]:
        """Return the sentences of a message as they stand; each message is parted once, however its stretch grows."""
        return _once(notes.sentences, text_key(text), lambda: sentence_texts(text))

    def stretch(self, messages: Sequence[ReadMessage], notes: _Notes) -> _Stretch:
        """Return what is kept of some messages; each is read once."""

        def read() -> _Stretch:
            talk = [(message, text) for message in messages if (text := spoken(message)).strip()]
            return _Stretch(
                speakers={number: _speaker(message) for number, (message, _) in enumerate(talk)},
                said=[
                    replace(one, message=number, factor=one.factor * _WEIGHTS.get(message.part, 1.0))
                    for number, (message, text) in enumerate(talk)
                    for one in self._statements(text, notes)
                ],
                tokens=sum(self._worth(message, text, notes) for message, text in talk),
            )

        return _once(notes.stretches, _key(messages), read, most=_MAX_STRETCHES)

    async def commitments(self, messages: Sequence[ReadMessage], notes: _Notes) -> Commitments:
        """Return what messages bind their people to; what tools say binds nobody. Each is read once.

        What was taken back later is neither listed nor told, so that it must be read over the whole conversation; each
        message is read once for it, not once for each view.
        """
        found: list[Commitments] = []
        for run in _runs([one for one in messages if one.part != "tool" and one.text.strip()]):
            key = _key(run)
            if key not in notes.commitments:
                await asyncio.sleep(0)
            said = list(map(_utterance, run))
            by_notes = partial(self._sentences, notes=notes)
            found.append(_once(notes.commitments, key, partial(find_commitments, said, sentences=by_notes)))
        return standing(found)

    def telling(self, stretch: _Stretch, notes: _Notes, *, limit: int, alike: bool = True) -> list[DialogueSentence]:
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
                measure=lambda text: self._counted(text, notes) + _LINE_TOKENS,
                order=stretch.order,
                alike=alike,
            )
        return stretch.shortened[limit, alike]

    async def _better(self, scope: Scope, key: bytes, request: SummaryRequest | None, *, wanted: bool) -> str | None:
        """Return what a model made of a stretch; where it made nothing yet, have it asked and go on."""
        if self._offline is self._engine or request is None or not wanted:
            return None
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

    async def summary(self, messages: Sequence[ReadMessage], notes: _Notes, scope: Scope, *, limit: int) -> str:
        """Return what stands for a stretch: a model's summary where it is there, else the one that needs no model."""
        if self._offline is not self._engine:
            made = await self._better(scope, _key(messages), _request(messages), wanted=len(messages) >= SEGMENT)
            if made is not None and limit < 2 * SUMMARY_TOKENS:
                return made
        stretch = self.stretch(messages, notes)
        chosen = self.telling(stretch, notes, limit=limit - SEGMENT)
        if not chosen:
            return ""
        language = working_language("\n".join(one.text for one in chosen))
        decisions = (await self.commitments(messages, notes)).decisions
        return segment_text(chosen, list(stretch.speakers.values()), decisions, language)

    async def digest(
        self, stretches: Sequence[Sequence[ReadMessage]], notes: _Notes, scope: Scope, *, limit: int
    ) -> str:
        """Return what stands for a whole conversation: what binds, then the sentences that tell most.

        Lists come first, because what was decided must outlive everything else; what a later word took back is in
        neither list nor sentences. Parts are then filled twice at most: what one part cannot fill, since it repeats
        itself, is offered to the others (`fill`), and only where that is not enough are sentences taken that are nearly
        like others.
        """
        language = working_language("\n".join(message.text[:200] for message in stretches[-1]))
        lines, gone = [await self._prose(stretches, notes, scope, language)], set[str]()
        if "\n" not in lines[0]:
            found = await self.commitments(list(chain.from_iterable(stretches)), notes)
            lists = [[relabelled(item, language) for item in kind if tells(item)] for kind in found[:3]]
            gone = set(map(bare, found.gone))
            lines += self._lists([one[language] for one in LIST_HEADINGS], lists, notes, room=_list_room(limit))
        size = _chosen_from(len(stretches), limit)
        read = [
            self.stretch(list(chain.from_iterable(stretches[place : place + size])), notes)
            for place in range(0, len(stretches), size)
        ]
        room = limit - self._counted_by_lines("\n".join(lines), notes)
        share = _share(room, sum(part.tokens for part in read))
        told = gone | {bare(line.removeprefix("- ")) for line in lines}

        def text_of(*, alike: bool) -> tuple[str, int]:
            said = self._sentences_told(read, notes, told, share=notes.shares[3], alike=alike, language=language)
            text = "\n".join([*lines, *said])
            return text, self._counted_by_lines(text, notes)

        text, taken = "", 0
        for alike in (notes.repeats, True):
            notes.steady(3, notes.fill * share, over=0.05)
            text, taken = text_of(alike=alike)
            if not _LEAST_FILLED * limit <= taken <= limit:  # parts that repeat themselves leave their room to others
                notes.fill = min(_MOST_FILL, notes.fill * _FULL * limit / max(1, taken))
                notes.shares[3] = notes.fill * share
                text, taken = text_of(alike=alike)
            if alike or taken >= _LEAST_FILLED * limit:
                break
            notes.repeats, notes.fill = True, 1.0
        return self._within(text, limit, notes)

    def _sentences_told(
        self,
        read: Sequence[_Stretch],
        notes: _Notes,
        told: Collection[str],
        *,
        share: float,
        alike: bool,
        language: Language,
    ) -> Iterator[str]:
        """Yield the most telling sentences of each part, but for those that are told already."""
        before = ""
        for part in read:
            for one in self.telling(part, notes, limit=int(share * part.tokens), alike=alike):
                if bare(one.text) not in told:
                    who = part.speakers[one.message]
                    yield one.text if who == before else with_speaker(one.text, who, language)
                    before = who

    async def _prose(
        self, stretches: Sequence[Sequence[ReadMessage]], notes: _Notes, scope: Scope, language: Language
    ) -> str:
        """Return the digest that a model made, lists and all; the bare heading where there is none."""
        head = MARKS[SummaryLevel.SESSION][language]
        if self._offline is self._engine:
            return head
        earlier = [await self.summary(messages, notes, scope, limit=SUMMARY_TOKENS) for messages in stretches]
        earlier = [text for text in earlier if text][-1000:]
        request = SummaryRequest(level=SummaryLevel.SESSION, earlier=tuple(earlier)) if earlier else None
        key = blake2b(b"".join(map(_key, stretches)), digest_size=16).digest()
        return await self._better(scope, key, request, wanted=True) or head

    def _within(self, text: str, limit: int, notes: _Notes) -> str:
        """Return a digest without the last lines that are too many: what was counted apart may take more together."""
        lines = text.split("\n")
        # The count of the whole is noted: the message that the digest becomes has the same.
        while len(lines) > 1 and (over := self._counted_by_lines("\n".join(lines), notes) - limit) > 0:
            while len(lines) > 1 and over > 0:
                over -= self._counted(lines.pop(), notes) + 1
        return "\n".join(lines)

    def _lists(self, headings: Sequence[str], lists: Sequence[Sequence[str]], notes: _Notes, *, room: int) -> list[str]:
        """Return the lists under their headings; the newest items first get room, in turn from each list."""
        taken: list[list[str]] = [[] for _ in lists]
        for rank in range(max(map(len, lists), default=0)):
            for items, kept in zip(lists, taken, strict=True):
                if rank < len(items):
                    size = self._counted(items[-1 - rank], notes) + 4
                    if size <= room:
                        kept.insert(0, items[-1 - rank])
                        room -= size
        return [
            line
            for heading, kept in zip(headings, taken, strict=True)
            if kept
            for line in (heading, *(f"- {item}" for item in kept))
        ]


class _Shaping:
    """One conversation on its way to a view."""

    def __init__(
        self,
        compactor: Compactor,
        notes: _Notes,
        scope: Scope,
        given: Sequence[ReadMessage],
        *,
        budget: int | None,
        sizes: _Sizes,
    ) -> None:
        self._compactor = compactor
        self._notes = notes
        self._scope = scope
        self._given = given
        self._budget = budget
        self._style = style_of(given)
        self._is_chinese = working_language("\n".join(message.text[:200] for message in given[-20:])) == "zh"
        self._now: list[_Shown] = list(given)
        self._clean: dict[int, ReadMessage] = {}
        self._cut: set[int] = set()
        """The places, in the list that was given, of messages that were cut."""
        self._report: list[Saving] = []
        self._sizes = sizes
        self._level = 0
        self._tokens = self._before = sum(map(self._size, given))

    def _size(self, one: _Shown) -> int:
        message = _message(one)
        if id(message) not in self._sizes:
            self._sizes[id(message)] = (self._compactor.tokens(message, self._notes), message)
        return self._sizes[id(message)][0]

    def _did(self, strategy: Strategy, now: Sequence[_Shown]) -> None:
        if now == self._now:
            return
        before, self._now = self._tokens, list(now)
        self._tokens = sum(map(self._size, self._now))
        if self._tokens != before:
            self._report.append(Saving(strategy=strategy, before=before, after=self._tokens))

    async def shorten(self, level: int | None, *, window: int | None = None) -> None:
        """Go from level to level until the conversation fits well, or to the level that is asked for.

        With a window, summaries stand for all but so many messages, even where there was room for more.
        """
        clean = sanitized(self._given)
        self._clean = {message.number: message for message in clean}
        self._did(Strategy.CLEANING, clean)
        settings = self._compactor.settings

        def wants(number: int, above: float) -> bool:
            return level >= number if level is not None else self._tokens > above * (self._budget or 0)

        if wants(1, settings.trim_above):
            self._level = 1
            await self._trim()
            self._cut_newest()
            trimmed = [_message(one) for one in self._now]
            if wants(2, settings.summarise_above):
                self._level = 2
                await self._summarise(trimmed)
                if wants(3, settings.digest_above):
                    self._level = 3
                    await self._digest(trimmed)
        if window is not None and self._level < 2 and sum(_message(one).part != "system" for one in self._now) > window:
            self._level = 2
            await self._summarise([_message(one) for one in self._now], recent=window)
        if self._budget is not None and self._tokens > self._budget:
            self._cut_newest()
            self._did(Strategy.RETENTION, self._retained())

    def view(self) -> ContextView:
        """Return what came out."""
        stood_for = (
            one[1:] if isinstance(one, tuple) else (one.number, one.number) if one.number in self._cut else None
            for one in self._now
        )
        replaced = tuple(
            Replaced(place=place, first=ends[0], last=ends[1]) for place, ends in enumerate(stood_for) if ends
        )
        return ContextView(
            messages=tuple(dict(_message(one).raw) for one in self._now),
            tokens=self._tokens,
            tokens_before=self._before,
            budget=self._budget,
            level=self._level,
            report=tuple(self._report),
            replaced=replaced,
            given=tuple(dict(message.raw) for message in self._given),
        )

    # ── level 1 ──────────────────────────────────────────────────────────────

    async def _trim(self) -> None:
        """Shorten results, drop older versions of a system prompt, describe attachments.

        What came after the newest message of the user is what the model works on just now: it stays whole.
        """
        now = _newest_prompts([_message(one) for one in self._now])
        self._did(Strategy.SYSTEM_PROMPTS, now)
        current = max((place for place, one in enumerate(now) if one.part == "user"), default=0)

        def short(text: str) -> str:
            return self._compactor.shortened(text, self._notes, is_chinese=self._is_chinese)

        for place, one in enumerate(now[:current]):
            if one.part == "tool":
                await asyncio.sleep(0)
                now[place] = without_long_results(one, short=short)
        self._did(Strategy.TOOL_RESULTS, now)
        self._did(
            Strategy.ATTACHMENTS,
            [
                without_pictures(one, is_chinese=self._is_chinese) if place < current else one
                for place, one in enumerate(now)
            ],
        )

    # ── levels 2 and 3 ───────────────────────────────────────────────────────

    def _split(
        self, trimmed: Sequence[ReadMessage], recent: int
    ) -> tuple[list[ReadMessage], list[list[ReadMessage]], list[ReadMessage]]:
        """Return the system messages, the older stretches of at least ten messages, and what stays as it is.

        The newest messages stay in their own words, with whole results, unless those alone would fill half the budget:
        then results are shortened, and the older of them go with the rest. Five long replies, word by word, are worth
        less than the conversation before them.

        Of a coding chat at a tenth of its size 88 % were four long replies, and five lines told of the 55 messages
        before them.
        """
        system = [message for message in trimmed if message.part == "system"]
        body = units([message for message in trimmed if message.part != "system"])
        tail: list[list[ReadMessage]] = []
        while body and sum(map(len, tail)) < recent:
            tail.insert(0, body.pop())
        while body and self._crowds(tail):
            body.append(tail.pop(0))
        stretches: list[list[ReadMessage]] = [[]]
        for unit in body:
            if len(stretches[-1]) >= SEGMENT:
                stretches.append([])
            stretches[-1] += unit
        newest = [message for unit in tail for message in unit]
        verbatim = [self._clean[message.number] for message in newest]
        fits = self._budget is None or sum(map(self._size, verbatim)) <= self._budget // 2
        return system, [stretch for stretch in stretches if stretch], verbatim if fits else newest

    def _crowds(self, tail: Sequence[Sequence[ReadMessage]]) -> bool:
        """Tell whether the newest messages fill more than half the budget, and are more than the last exchange."""
        if self._budget is None:
            return False
        current = max((place for place, unit in enumerate(tail) if unit[0].part == "user"), default=0)
        return current > 0 and sum(map(self._size, chain.from_iterable(tail))) > self._budget // 2

    def _room(self, *fixed: Sequence[ReadMessage], share: float) -> int | None:
        """Return the tokens that a share of the budget leaves beside messages that stay; none without a budget."""
        if self._budget is None:
            return None
        return int(share * self._budget) - sum(map(self._size, chain.from_iterable(fixed)))

    async def _summarise(self, trimmed: Sequence[ReadMessage], *, recent: int = SEGMENT) -> None:
        """Put a summary in place of every ten older messages; where a budget leaves more room, a longer one.

        The share of older stretches is kept as it was while it is near enough (`steady`), so that a new message does
        not make all summaries anew.
        """
        system, stretches, tail = self._split(trimmed, recent)
        room = self._room(system, tail, share=self._compactor.settings.digest_above) if recent == SEGMENT else None
        if room is not None and room < SUMMARY_TOKENS * len(stretches):
            return  # it would not fit: the next level takes it up
        sizes = [self._compactor.stretch(stretch, self._notes).tokens for stretch in stretches]
        share = self._notes.steady(2, _share(room, sum(sizes)), under=0.05)
        made: list[_Shown] = []
        for stretch, size in zip(stretches, sizes, strict=True):
            await asyncio.sleep(0)
            limit = max(SUMMARY_TOKENS, int(share * size))
            text = await self._compactor.summary(stretch, self._notes, self._scope, limit=limit)
            if text:
                made.append((self._standing(text), stretch[0].number, stretch[-1].number))
        self._did(Strategy.SUMMARIES, [*system, *made, *tail])

    async def _digest(self, trimmed: Sequence[ReadMessage]) -> None:
        """Put one digest in place of all but the newest messages; it takes what room a budget leaves."""
        system, stretches, tail = self._split(trimmed, RECENT)
        if not stretches:
            return
        room = self._room(system, tail, share=_FULL)
        limit = DIGEST_TOKENS if room is None else max(_LEAST_DIGEST, room - MESSAGE_TOKENS)
        text = await self._compactor.digest(stretches, self._notes, self._scope, limit=limit)
        standing = (self._standing(text), stretches[0][0].number, stretches[-1][-1].number)
        self._did(Strategy.DIGEST, [*system, standing, *tail])

    def _standing(self, text: str) -> ReadMessage:
        """Return a message that stands for others, in the caller's style: Anthropic's lists know no system message."""
        role = "user" if self._style == "anthropic" else "system"
        return read_messages([{"role": role, "content": text}])[0]

    # ── what has no room ─────────────────────────────────────────────────────

    def _cut_newest(self) -> None:
        """Cut what must be there where it has no room: the newest message of the user with the newest results.

        The system prompt is cut last, where it would leave them less than a quarter of the budget.
        """
        budget = self._budget or self._tokens
        groups = [group for group in _units_of(self._now) if not any(isinstance(one, tuple) for one in group)]
        system = [one for group in groups if _part(group) == "system" for one in map(_message, group)]
        asked = [group for group in groups if _part(group) == "user"]
        needed = [*asked[-1:], *(groups[-1:] if groups and _part(groups[-1]) == "tool" else [])]
        newest = [_message(one) for group in needed or groups[-1:] for one in group]
        question = "\n".join(_message(one).text for one in chain.from_iterable(asked[-1:]))
        least = min(int(_LEAST_NEWEST * budget), sum(map(self._size, newest)))
        self._cut_to_fit(system, budget - least, question)
        room = budget - sum(self._size(self._clean.get(one.number, one)) for one in system)
        if sum(map(self._size, newest)) > room:
            is_alone = len(system) + len(newest) == len(self._now)
            self._cut_to_fit(newest, room if is_alone else int(_MOST_NEWEST * room), question)

    def _cut_to_fit(self, messages: Sequence[ReadMessage], room: int, question: str) -> None:
        """Cut messages to a room where all else was not enough: a view must not be larger than its budget."""
        if sum(map(self._size, messages)) <= room:
            return
        cutting = Cutting(self._compactor.count, "zh" if self._is_chinese else "en", question)
        short = {one.number: one for one in cutting.to_fit(messages, room)}
        short = {one.number: short[one.number] for one in messages if short[one.number].raw != one.raw}
        self._cut |= set(short)
        self._clean.update(short)
        self._did(
            Strategy.CUTTING, [one if isinstance(one, tuple) else short.get(one.number, one) for one in self._now]
        )

    def _retained(self) -> list[_Shown]:
        """Keep by rank: system prompt, newest message of the user, results of tools, history; newest first in each.

        The last resort, where even a digest is too long: what was asked last must be there, whatever it takes.
        """
        groups = _units_of(self._now)
        newest = max((number for number, group in enumerate(groups) if _part(group) == "user"), default=len(groups) - 1)
        ranks = {"system": 0, "tool": 2}
        ranked = sorted(
            range(len(groups)),
            key=lambda number: (1 if number == newest else ranks.get(_part(groups[number]), 3), -number),
        )
        room = self._budget or 0
        kept: set[int] = set()
        for number in ranked:
            size = sum(map(self._size, groups[number]))
            if size <= room or number == newest:
                kept.add(number)
                room -= size
        return [one for number, group in enumerate(groups) if number in kept for one in group]


def _message(one: _Shown) -> ReadMessage:
    return one[0] if isinstance(one, tuple) else one


def _units_of(now: Sequence[_Shown]) -> list[list[_Shown]]:
    sizes = map(len, units([_message(one) for one in now]))
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    return [list(now[start:end]) for start, end in pairwise(ends)]


def _part(group: Sequence[_Shown]) -> str:
    """Return what rank a group has: calls with their results count as results; what stands for history is history."""
    if len(group) == 1 and isinstance(group[0], tuple):
        return "history"
    return "tool" if len(group) > 1 else _message(group[0]).part


def _newest_prompts(messages: Sequence[ReadMessage]) -> list[ReadMessage]:
    """Return the messages with only the newest version of each system prompt.

    Hosts send their prompt again with a changed line in it; the design drops the older ones. Six words of ten in common
    make two versions of one prompt, which is chosen by hand.
    """
    kept: list[ReadMessage] = []
    newer: list[frozenset[str]] = []
    for message in reversed(messages):
        if message.part == "system":
            words = frozenset(message.text.casefold().split()) or frozenset(message.text)
            if any(len(words & other) >= 0.6 * len(words | other) for other in newer):
                continue
            newer.append(words)
        kept.append(message)
    return kept[::-1]


def _key(messages: Sequence[ReadMessage]) -> bytes:
    """Return what names a stretch by its content."""
    parts = chain.from_iterable(
        (message.key, f"{message.part}\x1f{message.speaker}\x1e".encode(errors="replace")) for message in messages
    )
    return blake2b(b"".join(parts), digest_size=16).digest()


def _runs(messages: Sequence[ReadMessage]) -> list[list[ReadMessage]]:
    """Return messages one by one; one that only says "remember that" with the one before it."""
    runs: list[list[ReadMessage]] = []
    for message in messages:
        if runs and only_confirms(message.text):
            runs[-1].append(message)
        else:
            runs.append([message])
    return runs


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


def _speaker(message: ReadMessage) -> str:
    return "tool" if message.part == "tool" else message.speaker


def _utterance(message: ReadMessage) -> Utterance:
    return Utterance(speaker=_speaker(message)[:200] or "user", text=message.text[:MAX_TEXT])


def _request(messages: Sequence[ReadMessage]) -> SummaryRequest | None:
    said = tuple(_utterance(message) for message in messages if message.text.strip())
    return SummaryRequest(level=SummaryLevel.SEGMENT, utterances=said) if said else None


def _list_room(limit: int) -> int:
    plain = int(_LISTED_TOKENS * min(1.0, limit / DIGEST_TOKENS))
    return plain if limit <= 2 * DIGEST_TOKENS else min(plain, int(_LISTED * limit))


def _chosen_from(stretches: int, limit: int) -> int:
    """Return how many stretches sentences are chosen from together; in steps, so that it seldom changes."""
    size = _CHOSEN_FROM
    while size < stretches and limit * size < _LEAST_CHOSEN * stretches:
        size *= 2
    return size


def _share(room: int | None, total: int) -> float:
    """Return which share of a conversation has room; more than all of it where parts of it have a lesser claim."""
    return 0.0 if room is None or room <= 0 or total <= 0 else room / total


# ── the policy of thresholds ─────────────────────────────────────────────────

MIN_MESSAGES, MIN_CHARACTERS, MIN_RECENT = 8, 4000, 4
"""Lower thresholds would compact what is short already (the design's floors)."""
_PIECE = 120
_MAX_PIECES = 40
"""Characters of each beginning, and how many of them: some 5,000 characters, which any window takes. Chosen by hand."""


class ContextCompactor:
    """Puts one `[compacted]` message in place of a conversation's beginning once it passes a threshold.

    It remembers the last one it made: when the conversation goes on, only what came since is read.
    """

    def __init__(
        self,
        engine: Engine | None = None,
        *,
        threshold_messages: int = 20,
        threshold_chars: int = 48_000,
        retain_recent_messages: int = 8,
    ) -> None:
        self._engine = engine or OfflineEngine()
        self.threshold_messages = max(threshold_messages, MIN_MESSAGES)
        self.threshold_chars = max(threshold_chars, MIN_CHARACTERS)
        self.retain_recent_messages = max(retain_recent_messages, MIN_RECENT)
        self._last: tuple[int, bytes, str] | None = None

    async def maybe_compact(self, messages: Sequence[Message]) -> list[dict[str, Any]]:
        """Return the messages, their beginning compacted where they are too many or too long.

        Calls of tools stay with their results: a provider refuses a list in which either is missing.
        """
        clean = sanitized(read_messages(messages))
        if (
            len(clean) <= self.threshold_messages
            and sum(len(message.text) for message in clean) <= self.threshold_chars
        ):
            return [dict(message.raw) for message in clean]
        system = [message for message in clean if message.part == "system" and not _is_compacted(message)]
        body = units([message for message in clean if message not in system])
        tail: list[list[ReadMessage]] = []
        while body and sum(map(len, tail)) < self.retain_recent_messages:
            tail.insert(0, body.pop())
        prefix = [message for unit in body for message in unit]
        if not any(message.text.strip() for message in prefix):
            return [dict(message.raw) for message in clean]
        text = await self._compacted(prefix)
        role = "user" if style_of(clean) == "anthropic" else "system"
        kept = [dict(message.raw) for unit in tail for message in unit]
        return [*(dict(message.raw) for message in system), {"role": role, "content": text}, *kept]

    async def _compacted(self, prefix: Sequence[ReadMessage]) -> str:
        """Return a summary of the beginning; one made before is carried on, so that each message is read once."""
        earlier = [message.text for message in prefix if _is_compacted(message)]
        fresh = [message for message in prefix if not _is_compacted(message) and message.text.strip()]
        if self._last is not None and _key(fresh[: self._last[0]]) == self._last[1]:
            earlier, since = [self._last[2]], fresh[self._last[0] :]
        else:
            since = fresh
        if not since and earlier:
            return earlier[-1]
        request = SummaryRequest(
            level=SummaryLevel.COMPACTION,
            earlier=tuple(earlier[-1000:]),
            utterances=tuple(map(_utterance, since[-2000:])),
        )
        try:
            text = (await self._engine.run(Summarisation(), request)).value.text
        except RemanentError as error:
            _logger.warning("the conversation is compacted without the model: %s", type(error).__name__)
            return _pieces([*earlier, *(f"{_speaker(one)}: {one.text}" for one in since)])
        self._last = (len(fresh), _key(fresh), text)
        return text


def _is_compacted(message: ReadMessage) -> bool:
    return message.text.startswith("[compacted]")


def _pieces(texts: Sequence[str]) -> str:
    """Return short beginnings of what was said, joined: what is left when nothing can summarise it.

    It must hold even where the model and the rules both fail, so that it needs neither.
    """
    short = [" ".join(text.removeprefix("[compacted]").split())[:_PIECE] for text in texts]
    return "[compacted] " + " | ".join(short[-_MAX_PIECES:])
