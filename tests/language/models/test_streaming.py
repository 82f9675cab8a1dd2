import asyncio
from typing import Any

import pytest

from remanent.errors import ModelRejected, ModelUnavailable, Refused
from tests.language.models.samples import ANSWER, GOOD, PICK, QUESTION, TELL, Patience, TellRequest, engine_at
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import (
    INPUT_TOKENS,
    OUTPUT_TOKENS,
    Step,
    breaks_the_stream,
    cuts,
    fails,
    gives,
    hangs_up,
    says,
    stalls,
)

pytestmark = pytest.mark.usefixtures("loaded")

WHY = TellRequest(question="Why?")
STORY = "Once upon a time there was a memory. 从前有一段记忆。"


class Ear:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.pieces: list[str] = []

    async def __call__(self, piece: str) -> None:
        self.pieces.append(piece)

    @property
    def heard(self) -> str:
        return "".join(self.pieces)


@pytest.fixture
def ear() -> Ear:
    return Ear()


async def test_a_text_is_told_in_pieces_and_given_back_whole(ear: Ear) -> None:
    async with ScriptedServer(says(STORY, pieces=5)) as server, engine_at(server) as engine:
        answer = await engine.stream(TELL, WHY, listener=ear)
    assert answer.value.story == ear.heard == STORY
    assert len(ear.pieces) == 5
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert server.requests[0].streams


async def test_a_role_that_replies_in_json_tells_nothing(ear: Ear) -> None:
    async with ScriptedServer(gives(GOOD)) as server, engine_at(server) as engine:
        assert (await engine.stream(PICK, QUESTION, listener=ear)).value == ANSWER
    assert ear.pieces == []
    assert not server.requests[0].streams


@pytest.mark.parametrize("politely", [True, False])
async def test_a_stream_that_is_cut_is_no_answer_and_not_begun_again(ear: Ear, politely: bool) -> None:
    patience = Patience()
    steps = (cuts(STORY, after=2, politely=politely),)
    async with ScriptedServer(*steps) as server, engine_at(server, patience=patience) as engine:
        with pytest.raises(ModelUnavailable):
            await engine.stream(TELL, WHY, listener=ear)
        assert engine.meter()["tell"].failures == {"unavailable": 1}
    assert ear.heard
    assert STORY.startswith(ear.heard)
    assert patience.waits == []


@pytest.mark.parametrize(
    "first",
    [fails(503), hangs_up(), cuts(STORY, after=0), breaks_the_stream({"message": "overloaded", "code": "overloaded"})],
    ids=lambda step: step.name,
)
async def test_a_stream_that_fails_before_its_first_piece_is_tried_again(ear: Ear, first: Step) -> None:
    async with ScriptedServer(first, says(STORY)) as server, engine_at(server) as engine:
        assert (await engine.stream(TELL, WHY, listener=ear)).value.story == STORY
    assert ear.heard == STORY


async def test_an_error_in_the_middle_of_a_stream_is_a_failure(ear: Ear) -> None:
    step = breaks_the_stream({"message": "the server is on fire", "code": "server_error"}, text="Once")
    async with ScriptedServer(step) as server, engine_at(server) as engine:
        with pytest.raises(ModelUnavailable, match="the server is on fire"):
            await engine.stream(TELL, WHY, listener=ear)
    assert ear.heard == "Once"


async def test_a_stream_is_rejected_like_any_request(ear: Ear) -> None:
    async with ScriptedServer(fails(401)) as server, engine_at(server) as engine:
        with pytest.raises(ModelRejected, match="answers 401"):
            await engine.stream(TELL, WHY, listener=ear)


async def test_an_answer_that_is_repaired_is_given_back_and_not_told(ear: Ear) -> None:
    steps = (says("some nonsense"), says(STORY).expecting("the story makes no sense"))
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        assert (await engine.stream(TELL, WHY, listener=ear)).value.story == STORY
    assert ear.heard == "some nonsense"
    assert [request.streams for request in server.requests] == [True, False]


async def test_nonsense_twice_is_refused(ear: Ear) -> None:
    async with ScriptedServer(says("nonsense"), says("nonsense")) as server, engine_at(server) as engine:
        with pytest.raises(Refused, match="the story makes no sense"):
            await engine.stream(TELL, WHY, listener=ear)


async def test_a_stream_that_falls_silent_ends_with_the_time_for_it(ear: Ear) -> None:
    limits: dict[str, Any] = {"request_timeout": 0.2, "attempts": 1}
    async with ScriptedServer(stalls("middle")) as server, engine_at(server, **limits) as engine, asyncio.timeout(30):
        with pytest.raises(ModelUnavailable, match=r"took longer than 0\.2 s"):
            await engine.stream(TELL, WHY, listener=ear)


@pytest.mark.parametrize("error", [ZeroDivisionError("the listener's own"), TimeoutError("the listener's own")])
async def test_the_listeners_errors_are_its_own(error: Exception) -> None:
    async def listener(piece: str) -> None:
        raise error

    async with ScriptedServer(says(STORY), says(STORY)) as server, engine_at(server) as engine:
        with pytest.raises(type(error), match="the listener's own"):
            await engine.stream(TELL, WHY, listener=listener)
        assert (await engine.run(TELL, WHY)).value.story == STORY


async def test_a_listener_that_is_cancelled_ends_the_stream() -> None:
    listening = asyncio.Event()

    async def listener(piece: str) -> None:
        listening.set()
        await asyncio.Event().wait()

    async with ScriptedServer(says(STORY), says(STORY)) as server, engine_at(server) as engine:
        run = asyncio.create_task(engine.stream(TELL, WHY, listener=listener))
        async with asyncio.timeout(30):
            await listening.wait()
            run.cancel()
            with pytest.raises(asyncio.CancelledError):
                await run
            assert (await engine.run(TELL, WHY)).value.story == STORY
