"""The policy of thresholds: one `[compacted]` message in place of a conversation's beginning once it is too long.

For hosts that hold one conversation and know no budget. `compaction.py` has the policy of budgets.
"""

import logging
from collections.abc import Sequence
from typing import Any

from remanent.context.digests import speaker_of, stretch_key, utterance_of
from remanent.context.messages import Message, ReadMessage, read_messages, sanitized, style_of, units
from remanent.errors import RemanentError
from remanent.language import Engine
from remanent.language.engines import OfflineEngine
from remanent.language.roles.summary import Summarisation, SummaryLevel, SummaryRequest

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
            return _pieces([*earlier, *(f"{speaker_of(one)}: {one.text}" for one in since)])
        self._last = (len(fresh), stretch_key(fresh), text)
        return text


def _is_compacted(message: ReadMessage) -> bool:
    return message.text.startswith("[compacted]")


def _pieces(texts: Sequence[str]) -> str:
    """Return short beginnings of what was said, joined: what is left when nothing can summarise it.

    It must hold even where the model and the rules both fail, so that it needs neither.
    """
    short = [" ".join(text.removeprefix("[compacted]").split())[:_PIECE] for text in texts]
    return "[compacted] " + " | ".join(short[-_MAX_PIECES:])
