"""Answers that are kept for a while."""

from datetime import UTC, datetime, timedelta

from remanent.model import Found, Scope
from remanent.recall.caching import KeptAnswers
from remanent.stores.conformance.samples import SetClock
from remanent.stores.inprocess import InProcessCache

ADA = Scope(org="acme", workspace="lab", agent="ada")
LIFETIME = timedelta(minutes=5)


async def test_an_agent_that_is_asked_for_days_takes_no_more_room_than_one_that_is_asked_for_minutes() -> None:
    clock = SetClock(datetime(2024, 5, 1, tzinfo=UTC))
    cache = InProcessCache(clock=clock)
    answers = KeptAnswers(cache, lifetime=LIFETIME, clock=clock)
    sizes = []
    for number in range(600):
        await answers.keep(f"recall:ada:{number}", Found(query=f"{number:>6}"), scope=ADA, until=None)
        clock.advance(seconds=30)
        sizes.append(cache._bytes)
    assert max(sizes[100:]) <= 2 * max(sizes[:50])


async def test_erasing_takes_along_every_answer_that_is_still_kept() -> None:
    clock = SetClock(datetime(2024, 5, 1, 0, 4, 50, tzinfo=UTC))
    answers = KeptAnswers(InProcessCache(clock=clock), lifetime=LIFETIME, clock=clock)
    for number in range(4):  # before and after the turn of a stretch
        await answers.keep(f"recall:ada:{number}", Found(query=f"{number}"), scope=ADA, until=None)
        clock.advance(seconds=60)
    assert await answers.get("recall:ada:0") is not None
    await answers.erased(ADA)
    assert [await answers.get(f"recall:ada:{number}") for number in range(4)] == [None] * 4
