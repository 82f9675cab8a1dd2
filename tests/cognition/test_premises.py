"""What follows from what: when a premise changes, what was said to follow from it is known to be doubtful."""

from datetime import timedelta
from itertools import product

import pytest

from remanent.errors import NotFound
from remanent.memory import AsyncAgent
from remanent.model import MemoryData
from remanent.stores.conformance.base import SetClock


async def stale_of(ada: AsyncAgent) -> dict[str, str]:
    found = await ada.cognition.memories(limit=10_000)
    return {one.content: one.data.stale for one in found if isinstance(one.data, MemoryData) and one.data.stale}


@pytest.mark.spec("COG-08")
async def test_a_change_of_a_premise_marks_what_follows_in_chains_and_recall_says_so(ada: AsyncAgent) -> None:
    cognition = ada.cognition
    job = await cognition.add("Ann works at IBM", subject="Ann", attribute="employer", value="IBM")
    home = await cognition.add("Ann lives in Rome", subject="Ann", attribute="residence", premises=[job.id])
    await cognition.add("Ann is called in the morning", premises=[home.id])
    await cognition.add("Ann likes tea")
    await cognition.edit(job.id, "Ann works at SAP", value="SAP")
    assert set(await stale_of(ada)) == {"Ann lives in Rome", "Ann is called in the morning"}
    why = await cognition.why(home.id)
    (premise,) = why.premises
    assert premise.content == "Ann works at IBM", "the premise is shown as it was when the other followed from it"
    assert premise.valid_to is not None
    assert isinstance(why.record.data, MemoryData)
    assert why.record.data.stale == "Ann works at SAP"
    assert [one.content for one in why.dependants] == ["Ann is called in the morning"]
    assert (await cognition.health()).stale == 2
    await cognition.confirm(home.id)
    assert set(await stale_of(ada)) == {"Ann is called in the morning"}
    with pytest.raises(NotFound):
        await cognition.add("x follows", premises=["nothing"])


async def test_why_shows_a_premise_in_the_words_that_it_was_said_in(ada: AsyncAgent) -> None:
    await ada.remember("I live in Ghent because I work at Barco.", session="first")
    await ada.settle()
    (home,) = [one for one in await ada.cognition.memories() if "Ghent" in one.content]
    (premise,) = (await ada.cognition.why(home.id)).premises
    assert (premise.content, premise.valid_to) == ("The user works at Barco", None)
    await ada.remember("I left Barco, I now work at Imec.", session="second")
    await ada.settle()
    (premise,) = (await ada.cognition.why(home.id)).premises
    assert premise.content == "The user works at Barco"
    assert premise.valid_to is not None


JOBS = ["IBM", "SAP", "Bosch", "Nokia"]
TOWNS = ["Rome", "Oslo", "Bern", "Lyon", "Kiel"]
SPOKEN = (
    ("Because I work at {job}, I live in {town}.", "I work at {other} now.", "The user lives in {town}"),
    ("I live in {town} because I work at {job}.", "I started a new job at {other}.", "The user lives in {town}"),
    ("I work at {job}. So I live in {town}.", "I work for {other}.", "The user lives in {town}"),
    ("I work at {job}, so I live in {town}.", "I work at {other}.", "The user lives in {town}"),
    ("因为我的公司是{job}，所以我住在{town}。", "我的公司换成了{other}。", "用户住在{town}"),
    ("我的公司是{job}，所以我住在{town}。", "我的公司是{other}。", "用户住在{town}"),
)


@pytest.mark.spec("COG-08")
async def test_of_200_spoken_dependants_most_are_known_to_be_stale(ada: AsyncAgent, clock: SetClock) -> None:
    cases = []
    for number, (job, town, spoken) in enumerate(product(JOBS, TOWNS, SPOKEN)):
        other = JOBS[(JOBS.index(job) + 1) % len(JOBS)]
        cases += [(f"u{number}{half}", job, town, other, spoken) for half in ("a", "b")]
    cases = cases[:200]
    await ada.remember(
        [
            {"content": form[0].format(job=job, town=town), "metadata": {"user_id": user}}
            for user, job, town, _, form in cases
        ]
    )
    clock.now += timedelta(days=1)
    changed, same = cases[::2], cases[1::2]
    await ada.remember(
        [{"content": form[1].format(other=other), "metadata": {"user_id": user}} for user, *_, other, form in changed]
        + [{"content": "I really enjoy tea.", "metadata": {"user_id": user}} for user, *_ in same]
    )
    await ada.settle()
    stale = {
        one.data.user
        for one in await ada.cognition.memories(kinds=["semantic"], limit=10_000)
        if isinstance(one.data, MemoryData) and one.data.stale
    }
    assert len(stale & {user for user, *_ in changed}) >= 0.95 * len(changed)
    assert not stale & {user for user, *_ in same}, "a premise that holds makes nothing stale"
    found = await ada.recall("Where do I live? 我住在哪里？", where={"user_id": changed[0][0]})
    assert found.items[0].stale
    assert "may no longer hold" in found.text or "可能不再成立" in found.text


@pytest.mark.parametrize(
    ("told", "later", "of_the_rest", "of_it"),
    [
        (
            "Because I work at Barco, I take the ferry every morning. My sister Clara lives in Bremen.",
            "I no longer work at Barco.",
            "Where does my sister Clara live?",
            "Which ferry do I take every morning?",
        ),
    ],
)
async def test_a_changed_premise_is_told_where_what_follows_is_asked_for_and_not_of_the_rest_of_a_message(
    ada: AsyncAgent, told: str, later: str, of_the_rest: str, of_it: str
) -> None:
    await ada.remember(told, session="first")
    await ada.remember(later, session="second")
    await ada.settle()
    assert await stale_of(ada)
    rest, it = [
        next(item for item in (await ada.recall(asked)).items if item.text == told) for asked in (of_the_rest, of_it)
    ]
    assert (bool(rest.stale), bool(it.stale)) == (False, True)
