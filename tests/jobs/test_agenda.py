import asyncio
from datetime import timedelta

import pytest

from remanent.jobs.agenda import Agenda
from tests.jobs.world import ADA, BOB, SPINS, Time


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def agenda(time: Time) -> Agenda:
    return Agenda(clock=time.clock, sleep=time.sleep)


async def settled() -> None:
    for _ in range(SPINS):
        await asyncio.sleep(0)


async def test_agents_are_handed_out_in_the_order_they_came_and_once_each(agenda: Agenda) -> None:
    agenda.look_now(ADA)
    agenda.look_now(BOB)
    agenda.look_now(ADA)
    assert [await agenda.next(), await agenda.next()] == [ADA, BOB]


async def test_an_agent_is_with_one_looker_at_a_time_and_a_call_meanwhile_is_kept(agenda: Agenda) -> None:
    agenda.look_now(ADA)
    assert await agenda.next() == ADA
    agenda.look_now(ADA)
    second = asyncio.create_task(agenda.next())
    await settled()
    assert not second.done()
    agenda.looked(ADA)
    assert await second == ADA


async def test_an_agent_comes_up_at_its_time_and_not_before(agenda: Agenda, time: Time) -> None:
    keeper = asyncio.create_task(agenda.keep_time())
    start = time.now
    agenda.look_at(ADA, start + timedelta(seconds=9))
    agenda.look_at(BOB, start + timedelta(seconds=5))
    looker = asyncio.create_task(agenda.next())
    await settled()
    time.move_to(start + timedelta(seconds=4))
    await settled()
    assert not looker.done()
    time.move_to(start + timedelta(seconds=5))
    assert await looker == BOB
    keeper.cancel()


async def test_the_earlier_of_two_times_counts(agenda: Agenda, time: Time) -> None:
    keeper = asyncio.create_task(agenda.keep_time())
    start = time.now
    for seconds in (30, 1, 60):
        agenda.look_at(ADA, start + timedelta(seconds=seconds))
    await settled()
    time.move_to(start + timedelta(seconds=1))
    assert await agenda.next() == ADA
    agenda.looked(ADA)
    time.move_to(start + timedelta(seconds=100))
    looker = asyncio.create_task(agenda.next())
    await settled()
    assert not looker.done()
    looker.cancel()
    keeper.cancel()


async def test_a_closed_agenda_lets_every_looker_go(agenda: Agenda) -> None:
    lookers = [asyncio.create_task(agenda.next()) for _ in range(3)]
    await settled()
    agenda.close()
    assert await asyncio.gather(*lookers) == [None, None, None]
    agenda.look_now(ADA)
    assert await agenda.next() is None
