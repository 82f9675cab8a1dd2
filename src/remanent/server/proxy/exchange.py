"""One chat: what is new in the request and what is answered to it become one turn, kept exactly once."""

import asyncio
from collections.abc import Awaitable
from datetime import datetime, timedelta

from remanent.memory import AsyncMemory
from remanent.model import Clock, Entry, Message, Scope
from remanent.server.proxy.answers import Answer
from remanent.server.proxy.conversation import WINDOW, Conversation, bucket_of, message_id, to_remember
from remanent.server.proxy.spool import Turn
from remanent.server.proxy.tolerance import Tolerated

_LOOKED_THROUGH = 200


class Exchange:
    """A request on its way to becoming a turn."""

    def __init__(
        self, scope: Scope, conversation: Conversation, *, who: str, memory: AsyncMemory, clock: Clock
    ) -> None:
        self.scope = scope
        self._who = who
        self._conversation = conversation
        self._agent = memory.agent(scope.agent, workspace=scope.workspace, org=scope.org)
        self._longest = memory.settings.max_text_length
        self._patience = memory.settings.proxy.keep_timeout
        self._clock = clock
        self._begun = clock()
        self._is_turning = False
        # While the model thinks: by the time it has answered, this is known.
        self._looking = asyncio.create_task(self._look())

    def turn(self, answer: Answer, *, cut_by: str | None = None) -> Awaitable[Turn | None]:
        """Return what to keep, if there is anything; `cut_by` says who ended the answer before its end."""
        # From the call on, and not from when it is first waited for: in between the request may be gone.
        self._is_turning = True
        return self._turn(answer, cut_by=cut_by)

    async def _turn(self, answer: Answer, *, cut_by: str | None) -> Turn | None:
        bucket = await self._looking
        answered = answer.to_remember(
            self._conversation.chain, bucket=bucket, moment=self._clock(), longest=self._longest, cut_by=cut_by
        )
        asked = self._asked(bucket, self._begun)
        if cut_by and not answered:
            asked = [message.replace(metadata={**message.metadata, "unanswered": cut_by}) for message in asked]
        messages = (*asked, *answered)
        return Turn(scope=self.scope, who=self._who, messages=messages) if messages else None

    def _asked(self, bucket: int, moment: datetime) -> list[Message]:
        return [
            message
            for said in self._conversation.new
            for message in to_remember(said, bucket=bucket, moment=moment, longest=self._longest)
        ]

    def abandon(self) -> None:
        """Stop looking when no turn will come of this; a turn under way has what it needs."""
        if not self._is_turning:
            self._looking.cancel()

    async def _look(self) -> int:
        """Return the stretch of time that the request counts to: that of a first sending, if this is a second one."""
        bucket = bucket_of(self._begun)
        before = {message_id(said.chain, bucket - 1) for said in self._conversation.new}
        lately: list[Entry] = []
        with Tolerated("memory cannot tell what was said lately"):
            async with asyncio.timeout(self._patience):
                lately = await self._agent.entries(
                    session=self.scope.session,
                    since=self._begun - timedelta(seconds=WINDOW),
                    newest_first=True,
                    limit=_LOOKED_THROUGH,
                )
        return bucket - 1 if any(entry.caller_id in before for entry in lately) else bucket
