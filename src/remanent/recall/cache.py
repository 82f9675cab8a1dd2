"""A cache of answers: the same question again, with nothing written in between, costs one look."""

from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import blake2b

from remanent.errors import InvalidInput
from remanent.model import CacheFigures, Clock, Found, Scope, local
from remanent.recall.question import Question
from remanent.stores import Cache

_MAX_KEYS = 100_000
"""Answers of one agent that erasing looks through: far more than anybody asks in the lifetime of one."""


class AnswerCache:
    """Keeps answers under question and revision: any write by any process raises it, so no older answer is served."""

    def __init__(self, cache: Cache, *, lifetime: timedelta, clock: Clock) -> None:
        self._cache = cache
        self._lifetime = lifetime
        self._clock = clock
        self._hits = 0
        self._misses = 0

    @property
    def figures(self) -> CacheFigures:
        """How often an answer was there."""
        return CacheFigures(name="recall", hits=self._hits, misses=self._misses)

    def key(self, question: Question, *, revision: int, options_key: str) -> str:
        """Return the key of an answer; `options_key` says all else that it depends on."""
        wanted = question.record_filter
        # What is alive changes by the moment, but an answer is not kept longer than what is in it lives. The moment of
        # asking counts as far as the words refer to it, and by the day.
        asked = local(question.asked_at).date() if question.asked_at is not None else None
        parts = (
            question.text,
            str(question.scope),
            repr(replace(wanted, alive_at=None)),
            repr((asked, question.dates)),
            options_key,
        )
        digest = blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
        return f"{_book(question.scope)}:{revision}:{digest}"

    async def get(self, key: str) -> Found | None:
        """Return the kept answer, if there is one."""
        kept = await self._cache.get(key)
        if kept is None:
            self._misses += 1
            return None
        try:
            found = Found.from_json(kept)
        except InvalidInput:  # another version of Remanent may have kept it
            self._misses += 1
            return None
        self._hits += 1
        return found.replace(cached=True)

    async def keep(self, key: str, found: Found, *, scope: Scope, until: datetime | None) -> None:
        """Keep an answer, not longer than everything in it lives."""
        now = self._clock()
        lifetime = self._lifetime if until is None else min(self._lifetime, until - now)
        if lifetime <= timedelta():
            return
        await self._cache.set(key, found.to_json().encode(), ttl=lifetime)
        # One list of keys per stretch of time: it expires with the answers that it lists.
        await self._cache.rank(self._books(scope)[0], {key: now.timestamp()}, ttl=2 * self._lifetime)

    async def erased(self, scope: Scope) -> None:
        """Let go of every answer of an agent: something that it may quote was erased."""
        for book in self._books(scope):
            for key, _ in await self._cache.ranked(book, limit=_MAX_KEYS):
                await self._cache.delete(key)
            await self._cache.delete(book)

    def _books(self, scope: Scope) -> tuple[str, str]:
        """Return where the answers of this stretch of time are written down, and those of the one before."""
        stretch = int(self._clock().timestamp() / max(self._lifetime.total_seconds(), 1))
        return f"{_book(scope)}:{stretch}", f"{_book(scope)}:{stretch - 1}"


def _book(scope: Scope) -> str:
    return f"recall:{scope.owner}"
