"""Making a conversation fit: by the design's three levels within a budget, or once it is longer than a threshold.

A view never replaces anything: the journal holds every message, and a view keeps what each of its summaries stands for
(`ContextView.original`). What stands for messages is made in `digests.py`.
"""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

from pydantic import Field

from remanent.bilingual import Language
from remanent.context.digests import (
    DIGEST_TOKENS,
    FULL,
    SEGMENT,
    SUMMARY_TOKENS,
    Digests,
    MessageSizes,
    StretchSummaries,
    share_of_room,
    speaker_of,
    stretch_key,
    utterance_of,
)
from remanent.context.messages import (
    MESSAGE_TOKENS,
    Message,
    ReadMessage,
    read_messages,
    sanitized,
    style_of,
    units,
    with_results,
)
from remanent.context.trimming import Cutting, without_pictures
from remanent.errors import InvalidInput, RemanentError
from remanent.language import Engine
from remanent.language.engines import OfflineEngine
from remanent.language.roles.summary import Summarisation, SummaryLevel, SummaryRequest
from remanent.model import Model, Scope
from remanent.model.statistics import Saving, Strategy
from remanent.text.scripts import working_language

_RECENT = 5
"""Messages that stay as they are at the third level (the design)."""
_LEAST_DIGEST = 24
"""Tokens below which no digest is made: a heading and one sentence."""
_LEAST_NEWEST, _MOST_NEWEST = 0.25, 0.75
"""The share of a budget that the newest messages have a claim to beside a long system prompt, and what they may take of
the rest where there is a conversation before them. Chosen by hand."""
_LEAST_FILLED = 0.8
"""The share of a budget below which older messages come back in their own words. Chosen by hand."""
_TOLD = 0.4
"""The share of older messages that is told at least before more than the newest stay in their own words. On two stores
of LoCoMo (300 questions) at half the length evidence survived for .96 of them like this, .91 with .35, .75 with .2."""


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
                    f"a view from a server has no originals: they are messages {part.first} to {part.last} of yours"
                )
            if part.place == place:
                return list(self.given[part.first : part.last + 1])
        raise InvalidInput(f"message {place} of the view is an original, not a summary")


class Compactor(StretchSummaries):
    """Shortens conversations of many agents by the three levels; keeps what it made for as long as a session lives."""

    async def view(
        self, scope: Scope, messages: Iterable[Message], *, budget: int | None = None, level: int | None = None
    ) -> ContextView:
        """Return the messages as they may be sent, within a budget of tokens; a level given is applied at once."""
        asked: object = budget
        if asked is not None and (not isinstance(asked, int) or isinstance(asked, bool) or asked < 1):
            raise InvalidInput(
                f"a budget must be a whole number of tokens, at least 1, not {asked!r}; leave it out for the default"
            )
        if level is not None and level not in range(4):
            raise InvalidInput(f"the level must be 0, 1, 2 or 3, not {level}")
        window = None
        if budget is None and level is None:
            budget, window = self.settings.budget, self.settings.messages
        notes, read = self.notes_of(scope), read_messages(messages)
        sizes = await notes.sizes_of(read)
        shaping = _Shaping(Digests(self, notes, scope, _language(read)), read, budget=budget, sizes=sizes)
        await shaping.shorten(level, window=window)
        return shaping.view()


class _Shaping:
    """One conversation on its way to a view."""

    def __init__(
        self, digests: Digests, given: Sequence[ReadMessage], *, budget: int | None, sizes: MessageSizes
    ) -> None:
        self._digests = digests
        self._notes = digests.notes
        self._settings = digests.made.settings
        self._given = given
        self._budget = budget
        self._style = style_of(given)
        self._is_chinese = digests.language == "zh"
        self._now: list[ReadMessage] = list(given)
        self._clean: dict[int, ReadMessage] = {}
        self._trimmed: Sequence[ReadMessage] = given
        self._cut: dict[int, ReadMessage] = {}
        """What was cut, by its place in the list that was given."""
        self._report: list[Saving] = []
        self._sizes = sizes
        self._level = 0
        self._window: int | None = None
        self._tokens = self._before = sum(map(self._size, given))

    def _size(self, message: ReadMessage) -> int:
        if id(message) not in self._sizes:
            self._sizes[id(message)] = (self._notes.size(message), message)
        return self._sizes[id(message)][0]

    def _did(self, strategy: Strategy, now: Sequence[ReadMessage]) -> None:
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
        self._trimmed = clean
        self._did(Strategy.CLEANING, clean)
        settings = self._settings
        self._window = window

        def wants(number: int, above: float) -> bool:
            return level >= number if level is not None else self._tokens > above * (self._budget or 0)

        if wants(1, settings.trim_above):
            self._level = 1
            is_enough = await self._trim(fill=level is None)
            self._cut_newest()
            self._trimmed = trimmed = self._now
            if not is_enough and wants(2, settings.summarise_above):
                self._level = 2
                has_room = await self._summarise(trimmed)
                if wants(3, 1.0 if has_room else settings.digest_above):
                    self._level = 3
                    await self._digest(trimmed)
        if window is not None and self._level < 2 and sum(one.part != "system" for one in self._now) > window:
            self._level = 2
            await self._summarise(self._now, recent=window)
        if self._budget is not None and self._tokens > self._budget:
            self._cut_newest()
            self._did(Strategy.RETENTION, self._filled(self._retained()))

    def view(self) -> ContextView:
        """Return what came out."""
        itself = {number: (number, number) for number in self._cut}
        stood_for = (one.stands_for or itself.get(one.number) for one in self._now)
        replaced = tuple(
            Replaced(place=place, first=ends[0], last=ends[1]) for place, ends in enumerate(stood_for) if ends
        )
        return ContextView(
            messages=tuple(dict(one.raw) for one in self._now),
            tokens=self._tokens,
            tokens_before=self._before,
            budget=self._budget,
            level=self._level,
            report=tuple(self._report),
            replaced=replaced,
            given=tuple(dict(message.raw) for message in self._given),
        )

    # ── level 1 ──────────────────────────────────────────────────────────────

    async def _trim(self, *, fill: bool) -> bool:
        """Shorten results, drop older versions of a system prompt, describe attachments; tell whether that is enough.

        What came after the newest message of the user is what the model works on just now: it stays whole. Where all
        fits easily (`fill`), so do the newest results before it.
        """
        now = _newest_prompts(self._now)
        self._did(Strategy.SYSTEM_PROMPTS, now)
        current = max((place for place, one in enumerate(now) if one.part == "user"), default=0)

        short = partial(self._notes.shortened, is_chinese=self._is_chinese)
        for place, one in enumerate(now[:current]):
            if one.part == "tool":
                await asyncio.sleep(0)
                now[place] = with_results(one, short)
        settings, budget = self._settings, self._budget or 0
        fill = fill and sum(map(self._size, now)) <= settings.summarise_above * budget
        if fill:  # to below the border that the whole is above, or to all there is
            borders = (settings.trim_above, settings.summarise_above, FULL)
            above = sum(self._before > share * budget for share in (settings.summarise_above, 1.0))
            now = self._with_results(now, share=borders[above])
        self._did(Strategy.TOOL_RESULTS, now)
        self._did(
            Strategy.ATTACHMENTS,
            [
                without_pictures(one, is_chinese=self._is_chinese) if place < current else one
                for place, one in enumerate(now)
            ],
        )
        return fill

    def _with_results(self, shown: Sequence[ReadMessage], *, share: float) -> list[ReadMessage]:
        """Return messages of a view with the results of tools whole, the newest first, as far as there is room."""
        now = list(shown)
        room = int(share * (self._budget or 0)) - sum(map(self._size, now))
        for place in range(len(now) - 1, -1, -1):
            one = now[place]
            if one.stands_for or one.part != "tool" or one.number in self._cut:
                continue
            whole = self._clean[one.number]
            more = self._size(whole) - self._size(one)
            if 0 < more <= room:
                now[place], room = whole, room - more
        return now

    # ── levels 2 and 3 ───────────────────────────────────────────────────────

    def _split(
        self, trimmed: Sequence[ReadMessage], recent: int
    ) -> tuple[list[ReadMessage], list[list[ReadMessage]], list[ReadMessage]]:
        """Return the system messages, the older stretches of at least ten messages, and what stays as it is.

        The newest messages stay in their own words, with whole results, unless those alone would fill half the budget:
        then results are shortened, and the older of them go with the rest. Five long replies, word by word, are worth
        less than the conversation before them. What the user said last stays, however much came after it.

        Of a coding chat at a tenth of its size 88 % were four long replies, and five lines told of the 55 messages
        before them.
        """
        system = [message for message in trimmed if message.part == "system"]
        body = units([message for message in trimmed if message.part != "system"])
        needed = _needed(body)
        tail: list[list[ReadMessage]] = []
        while body and sum(map(len, tail)) < recent:
            tail.insert(0, body.pop())
        for group in needed:
            if group in body:
                body.remove(group)
                tail.insert(0, group)
        while body and (oldest := self._crowding(tail, needed, room=self._room(system, share=FULL))):
            tail.remove(oldest)
            body.append(oldest)
        stretches: list[list[ReadMessage]] = []
        for unit in body:
            if not stretches or len(stretches[-1]) >= SEGMENT:
                stretches.append([])
            stretches[-1] += unit
        newest = [message for unit in tail for message in unit]
        verbatim = [self._cut.get(message.number, self._clean[message.number]) for message in newest]
        fits = self._budget is None or sum(map(self._size, verbatim)) <= self._budget // 2
        return system, stretches, verbatim if fits else newest

    def _keep_more(
        self, system: Sequence[ReadMessage], stretches: list[list[ReadMessage]], tail: list[ReadMessage]
    ) -> None:
        """Let more of the newest messages stay as they are, while enough can be told of those before them.

        Whole stretches stay or are told, so that a new message does not make the others anew. The oldest is told in any
        case: a level that is entered does something.
        """
        room = self._room(system, tail, share=FULL)
        sizes = [sum(map(self._size, stretch)) for stretch in stretches]
        most = self._window or len(self._given)
        while room is not None and len(stretches) > 1 and len(tail) + len(stretches[-1]) <= most:
            room -= sizes.pop()
            if room < _TOLD * sum(sizes):
                return
            tail += stretches.pop()
            tail.sort(key=lambda one: one.number)  # what the user said last may stand before them

    def _crowding(
        self, tail: Sequence[list[ReadMessage]], needed: Sequence[Sequence[ReadMessage]], *, room: int | None
    ) -> list[ReadMessage] | None:
        """Return the oldest of the newest messages where they take too much room; never one of those that are needed.

        All of them may fill half the budget, the last exchange as much of the room as a newest message may.
        """
        kept = {group[0].number for group in needed}
        oldest = next((group for group in tail if group[0].number not in kept), None)
        if oldest is None or room is None or self._budget is None:
            return None
        asked = next((group[0].number for group in needed if group[0].part == "user"), 0)
        most = self._budget // 2 if oldest[0].number < asked else int(_MOST_NEWEST * room)
        return oldest if sum(map(self._size, chain.from_iterable(tail))) > most else None

    def _room(self, *fixed: Sequence[ReadMessage], share: float) -> int | None:
        """Return the tokens that a share of the budget leaves beside messages that stay; none without a budget."""
        if self._budget is None:
            return None
        return int(share * self._budget) - sum(map(self._size, chain.from_iterable(fixed)))

    async def _summarise(self, trimmed: Sequence[ReadMessage], *, recent: int = SEGMENT) -> bool:
        """Put a summary in place of every ten older messages, where a budget has room for them; tell whether it has.

        Where it leaves more room, more of the newest messages stay, and summaries are longer.

        The share of older stretches is kept as it was while it is near enough (`steady`), so that a new message does
        not make all summaries anew.
        """
        system, stretches, tail = self._split(trimmed, recent)
        room = None
        if recent == SEGMENT and self._budget is not None:
            room = self._room(system, tail, share=self._settings.digest_above) or 0
            if room < SUMMARY_TOKENS * len(stretches):
                return False  # it would not fit: the next level takes it up
            self._keep_more(system, stretches, tail)
            room = self._room(system, tail, share=FULL)
        sizes = [self._notes.stretch(stretch).tokens for stretch in stretches]
        share = self._notes.steady(2, share_of_room(room, sum(sizes)), under=0.05)
        made: list[ReadMessage] = []
        for stretch, size in zip(stretches, sizes, strict=True):
            await asyncio.sleep(0)
            limit = SUMMARY_TOKENS if room is None else int(share * size)
            if text := await self._digests.summary(stretch, limit=limit):
                made.append(self._standing(text, stretch))
        self._did(Strategy.SUMMARIES, self._filled([*system, *made, *tail]))
        return True

    async def _digest(self, trimmed: Sequence[ReadMessage]) -> None:
        """Put one digest in place of all but the newest messages; it takes what room a budget leaves."""
        system, stretches, tail = self._split(trimmed, _RECENT)
        if not stretches:
            return
        self._keep_more(system, stretches, tail)
        room = self._room(system, tail, share=FULL)
        limit = DIGEST_TOKENS if room is None else max(_LEAST_DIGEST, room - MESSAGE_TOKENS)
        text = await self._digests.digest(stretches, limit=limit)
        standing = self._standing(text, [*chain.from_iterable(stretches)])
        self._did(Strategy.DIGEST, self._filled([*system, standing, *tail]))

    def _standing(self, text: str, others: Sequence[ReadMessage]) -> ReadMessage:
        """Return a message that stands for others, in the caller's style: Anthropic's lists know no system message."""
        role = "user" if self._style == "anthropic" else "system"
        (message,) = read_messages([{"role": role, "content": text}])
        return replace(message, stands_for=(others[0].number, others[-1].number))

    # ── what has no room ─────────────────────────────────────────────────────

    def _cut_newest(self) -> None:
        """Cut what must be there where it has no room: what the user said last, and what came last, whoever said it.

        The system prompt is cut last, where it would leave them less than a quarter of the budget.
        """
        budget = self._budget or self._tokens
        own = [one for one in self._now if not one.stands_for]
        system = [one for one in own if one.part == "system"]
        newest = [*chain.from_iterable(_needed(units([one for one in own if one.part != "system"])))]
        least = min(int(_LEAST_NEWEST * budget), sum(map(self._size, newest)))
        self._cut_to_fit(system, budget - least)
        room = budget - sum(self._size(self._cut.get(one.number, one)) for one in system)
        if sum(map(self._size, newest)) > room:
            is_alone = len(system) + len(newest) == len(self._now)
            self._cut_to_fit(newest, room if is_alone else int(_MOST_NEWEST * room))

    def _cut_to_fit(self, messages: Sequence[ReadMessage], room: int) -> None:
        """Cut messages to a room where all else was not enough: a view must not be larger than its budget."""
        if sum(map(self._size, messages)) <= room:
            return
        short = {one.number: one for one in self._in_room(messages, room)}
        self._note_cut(messages, short)
        self._did(Strategy.CUTTING, [one if one.stands_for else short.get(one.number, one) for one in self._now])

    def _in_room(self, messages: Sequence[ReadMessage], room: int) -> Sequence[ReadMessage]:
        """Return messages, cut where they are longer than their room."""
        if sum(map(self._size, messages)) <= room:
            return messages
        question = next((one.text for one in reversed(self._given) if one.part == "user"), "")
        return Cutting(self._notes.count, self._digests.language, question).to_fit(messages, room)

    def _note_cut(self, whole: Sequence[ReadMessage], shown: Mapping[int, ReadMessage]) -> None:
        for one in whole:
            if shown[one.number].raw != one.raw:
                self._cut[one.number] = shown[one.number]
            elif one.raw == self._clean[one.number].raw:
                self._cut.pop(one.number, None)

    def _filled(self, shown: Sequence[ReadMessage]) -> list[ReadMessage]:
        """Return a view with what room it leaves given to results, then to messages that are told or cut in it.

        The newest first, in their own words as far as there is room: of what has few sentences (code, a log, one long
        line) a digest has next to nothing to tell, and the rest of the budget stayed empty.
        """
        now = self._with_results(shown, share=FULL)
        least = max(_LEAST_DIGEST, int((FULL - _LEAST_FILLED) * (self._budget or 0)))
        room = self._room(now, share=FULL) or 0
        if room <= least or self._before <= (self._budget or 0):
            return now
        own = {one.number: one for one in now if not one.stands_for}
        body = [one for one in self._trimmed if one.part != "system"]
        short = [group for group in reversed(units(body)) if group[0].number not in own]
        short += [
            group for group in reversed(units(body)) if not self._cut.keys().isdisjoint(one.number for one in group)
        ]
        for group in short:
            whole = [self._clean[one.number] if one.number in self._cut else one for one in group]
            before = sum(self._size(own[one.number]) for one in group if one.number in own)
            fitting = {one.number: one for one in self._in_room(whole, room + before)}
            more = sum(map(self._size, fitting.values())) - before
            if more <= room:
                own |= fitting
                self._note_cut(whole, fitting)
                room -= more
            if room <= least:
                break
        told = [one.number for one in body if one.number not in own]
        return [
            *(one for one in own.values() if one.part == "system"),
            *(left for one in now if (left := _left_of(one, told))),
            *sorted((one for one in own.values() if one.part != "system"), key=lambda one: one.number),
        ]

    def _retained(self) -> list[ReadMessage]:
        """Keep by rank: system prompt, newest message of the user, results of tools, history; newest first in each.

        The last resort, where even a digest is too long: what was asked last must be there, whatever it takes.
        """
        groups = units(self._now)
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


def _language(messages: Sequence[ReadMessage]) -> Language:
    """Return the language of the newest messages of people, else of the assistant: a log is English in every talk."""
    spoken_by = [[one.text[:200] for one in messages if one.part == part][-20:] for part in ("user", "assistant")]
    return working_language(*map("\n".join, spoken_by), "\n".join(one.text[:200] for one in messages[-20:]))


def _needed(groups: Sequence[list[ReadMessage]]) -> list[list[ReadMessage]]:
    """Return what must be in a view: what the user said last, and what came last, whoever said it."""
    asked = [group for group in groups if _part(group) == "user"]
    return [*asked[-1:], *(group for group in groups[-1:] if group not in asked[-1:])]


def _left_of(standing: ReadMessage, told: Sequence[int]) -> ReadMessage | None:
    """Return what stands for others with the places of those that are not in the view themselves; none without any."""
    if not standing.stands_for:
        return None
    first, last = standing.stands_for
    inside = [number for number in told if first <= number <= last]
    return replace(standing, stands_for=(inside[0], inside[-1])) if inside else None


def _part(group: Sequence[ReadMessage]) -> str:
    """Return what rank a group has: calls with their results count as results; what stands for history is history."""
    if len(group) == 1 and group[0].stands_for:
        return "history"
    return "tool" if len(group) > 1 else group[0].part


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


_logger = logging.getLogger(__name__)

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
        if self._last is not None and stretch_key(fresh[: self._last[0]]) == self._last[1]:
            earlier, since = [self._last[2]], fresh[self._last[0] :]
        else:
            since = fresh
        if not since and earlier:
            return earlier[-1]
        request = SummaryRequest(
            level=SummaryLevel.COMPACTION,
            earlier=tuple(earlier[-1000:]),
            utterances=tuple(map(utterance_of, since[-2000:])),
        )
        try:
            text = (await self._engine.run(Summarisation(), request)).value.text
        except RemanentError as error:
            _logger.warning("the conversation is compacted without the model: %s", type(error).__name__)
            # Short beginnings of what was said: what holds where the model and the rules both fail needs neither.
            told = [*earlier, *(f"{speaker_of(one)}: {one.text}" for one in since)]
            short = [" ".join(text.removeprefix("[compacted]").split())[:_PIECE] for text in told]
            return "[compacted] " + " | ".join(short[-_MAX_PIECES:])
        self._last = (len(fresh), stretch_key(fresh), text)
        return text


def _is_compacted(message: ReadMessage) -> bool:
    return message.text.startswith("[compacted]")
