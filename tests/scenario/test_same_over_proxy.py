"""The same scenario through the proxy: what is remembered is said in chats, and a model is shown what is recalled.

The official client does both. A chat has no place for the other operations; they are done beside it.
"""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import remanent
from remanent.model import Found, Message, Receipt
from remanent.operations import Target
from remanent.operations.context import PadValues
from remanent.recall import INJECTED_ITEMS
from tests.language.scripted.steps import Step, says
from tests.language.scripted.wire import Request, Wire
from tests.scenario.play import play, steps
from tests.scenario.test_same_everywhere import through
from tests.server.proxy.world import MODEL, Hands, World, question, world

ADA = Target(org="default", workspace="default", agent="ada")
# The proxy gives every message an id of its own and says by which way it came.
OWN = frozenset({"caller_id", "metadata"})
# A busy machine must not look like a memory that fails.
PATIENT: dict[str, Any] = {"recall_timeout": 60, "keep_timeout": 60}


class Model:
    """Stands behind the proxy and says what it is told to, at the time it is told to."""

    def __init__(self) -> None:
        self.next = ""
        self.at: datetime | None = None
        self.clock: Hands | None = None

    @property
    def step(self) -> Step:
        async def act(request: Request, wire: Wire) -> None:
            if self.clock is not None and self.at is not None:
                self.clock.now = self.at
            await says(self.next).act(request, wire)

        return Step("says the next", act)


class Talking:
    """Remembers by saying and answering, and recalls by asking."""

    def __init__(self, here: World, model: Model, homes: Path) -> None:
        self._here = here
        self._model = model
        self._homes = homes
        self._asked = 0
        self.chats: list[str] = []

    async def do(self, name: str, given: dict[str, Any]) -> Any:
        if name == "remember":
            return await self._remember([Message.model_validate(one) for one in given["messages"]], given["session"])
        answer = await self._here.service.perform(name, given, place=ADA)
        if name == "recall" and given.keys() <= {"query", "limit"}:
            await self._ask(given["query"], answer)
        if isinstance(answer, PadValues):
            return answer.values
        return getattr(answer, "items", answer) if not isinstance(answer, Found) else answer

    async def _remember(self, messages: list[Message], session: str) -> Receipt:
        """Say every message of a user, and let the model give those of the assistant as its answers."""
        before = {entry.id for entry in await self._here.journal()}
        said: list[dict[str, Any]] = []
        async with self._here.client(session=quote(session)) as client:
            for message, following in zip(messages, [*messages[1:], None], strict=True):
                said.append({"role": message.role, "content": message.content})
                if message.role == "user":
                    answer = following if following is not None and following.role == "assistant" else None
                    assert message.occurred_at is not None
                    self._here.clock.now = message.occurred_at
                    self._model.next = answer.content if answer else ""
                    self._model.at = answer.occurred_at if answer else None
                    await client.chat.completions.create(model=MODEL, messages=said)
                    self.chats.append(message.content)
        self._here.clock.now = datetime.now(UTC)
        journal = await self._here.journal()
        kept = [
            next(entry for entry in journal if entry.text == message.content and entry.scope.session == session)
            for message in messages
        ]
        return Receipt(
            entry_ids=tuple(entry.id for entry in kept),
            last_seq=max(entry.seq for entry in kept),
            repeated=sum(entry.id in before for entry in kept),
            recorded_at=self._here.clock.now,
        )

    async def _ask(self, text: str, expected: Found) -> None:
        """Ask a copy of the memory, since a question in a chat is remembered; the model is shown what was recalled."""
        lines = [line async for line in self._here.agent().export()]
        self._asked += 1
        async with world(self._homes / str(self._asked), says("Well."), limit=INJECTED_ITEMS, **PATIENT) as copy:
            copy.clock.now = self._here.clock.now
            await copy.agent().load(lines)
            await copy.memory.settle()  # a reply is found by the words of what it replies to once it is indexed
            there = await copy.agent().recall(text, limit=len(expected.items) or 1)
            assert [item.text for item in there.items] == [item.text for item in expected.items]
            async with copy.client(session="asking") as client:
                await client.chat.completions.create(model=MODEL, messages=[question(text)])
            *reminded, asked = copy.asked()
            assert asked == ("user", text)
            assert [shown for _, shown in reminded] == ([there.text] if expected.items else [])
        self.chats.append(text)


async def test_chats_of_the_official_client_give_the_same(tmp_path: Path) -> None:
    def expected() -> list[Any]:
        with remanent.open(tmp_path / "library", embedder="none") as memory:
            return play(through(memory.agent("ada")), without=OWN)

    loop = asyncio.get_running_loop()
    model = Model()
    async with world(tmp_path / "proxied", forever=model.step, **PATIENT) as here:
        model.clock = here.clock
        talking = Talking(here, model, tmp_path / "copies")

        def do(name: str, given: dict[str, Any]) -> Any:
            return asyncio.run_coroutine_threadsafe(talking.do(name, given), loop).result()

        outcome = await asyncio.to_thread(play, do, without=OWN)
    assert outcome == await asyncio.to_thread(expected)
    told = [step["given"] for step in steps() if step["do"] == "remember"]
    said = [message["content"] for given in told for message in given["messages"] if message["role"] == "user"]
    asked = [step["given"] for step in steps() if step["do"] == "recall"]
    assert sorted(talking.chats) == sorted(said + [given["query"] for given in asked if "session" not in given])
