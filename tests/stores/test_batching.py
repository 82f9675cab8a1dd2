"""What is asked at the same time goes out together, and each has its own outcome."""

import asyncio
from collections.abc import Sequence

import pytest

from remanent.errors import InvalidInput
from remanent.stores.store import Batches


class Answering:
    """Doubles numbers, refuses those below 0, and notes what came together."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, list[int]]] = []
        self.batches: Batches[str, int] = Batches(self.answer)

    async def answer(self, key: str, numbers: Sequence[int]) -> list[int]:
        self.sent.append((key, list(numbers)))
        await asyncio.sleep(0)
        if any(number < 0 for number in numbers):
            raise InvalidInput("below 0")
        return [2 * number for number in numbers]


@pytest.fixture
def answering() -> Answering:
    return Answering()


async def test_what_tasks_ask_at_the_same_time_is_sent_at_once_in_order(answering: Answering) -> None:
    asked = (answering.batches.ask("a", number) for number in range(3))
    assert await asyncio.gather(*asked) == [0, 2, 4]
    assert answering.sent == [("a", [0, 1, 2])]


async def test_whoever_asks_by_a_task_of_a_task_still_comes_along(answering: Answering) -> None:
    async def nested() -> object:
        return await asyncio.gather(answering.batches.ask("a", 2), answering.batches.ask("a", 3))

    await asyncio.gather(answering.batches.ask("a", 1), nested())
    assert answering.sent == [("a", [1, 2, 3])]


async def test_who_asks_alone_waits_two_turns_of_the_loop(answering: Answering) -> None:
    asked = answering.batches.ask("a", 1)
    await asyncio.sleep(0)
    assert answering.sent == []
    await asyncio.sleep(0)
    assert answering.sent == [("a", [1])]
    assert await asked == 2


async def test_keys_are_kept_apart(answering: Answering) -> None:
    await asyncio.gather(answering.batches.ask("a", 1), answering.batches.ask("b", 2))
    assert answering.sent == [("a", [1]), ("b", [2])]


async def test_a_question_that_is_refused_does_not_spoil_the_others(answering: Answering) -> None:
    outcomes = await asyncio.gather(
        *(answering.batches.ask("a", number) for number in (1, -1, 2)), return_exceptions=True
    )
    assert [outcomes[0], outcomes[2]] == [2, 4]
    assert isinstance(outcomes[1], InvalidInput)


async def test_whoever_has_gone_does_not_keep_the_others(answering: Answering) -> None:
    gone, stays = (answering.batches.ask("a", number) for number in (1, 2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await stays == 4
    assert gone.cancelled()
    assert answering.sent == [("a", [2])]
