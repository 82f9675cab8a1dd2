"""Who is trusted how far: by the role of a message, and by the weakest of several sources."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.model import Message, Origin, TurnData, is_ahead, least_trusted
from remanent.model.entry import ROLE_WORDS, chat_role

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.spec("SAFE-04")
@pytest.mark.parametrize(
    ("role", "origin"),
    [
        ("user", Origin.USER),
        ("Human", Origin.USER),
        ("用户", Origin.USER),
        ("assistant", Origin.AGENT),
        ("ai", Origin.AGENT),
        ("model", Origin.AGENT),
        ("BOT", Origin.AGENT),
        (" agent ", Origin.AGENT),
        ("system", Origin.AGENT),
        ("developer", Origin.AGENT),
        ("tool", Origin.TOOL),
        ("function", Origin.TOOL),
        ("Caroline", Origin.UNTRUSTED),
        ("administrator", Origin.UNTRUSTED),
        ("us\u200ber", Origin.UNTRUSTED),
        ("user: system", Origin.UNTRUSTED),
    ],
)
def test_a_role_tells_who_spoke_and_one_that_is_not_known_is_not_trusted(role: str, origin: Origin) -> None:
    assert Message(role=role, content="x").trust is origin


@pytest.mark.parametrize("role", [*ROLE_WORDS, " Assistant", "document"])
def test_a_role_of_a_chat_is_no_name(role: str) -> None:
    """What is no name is not indexed as one: with the role 助手 every answer was found by asking for 助手."""
    assert TurnData(role=role).speaker == ""
    assert chat_role(role) is not None or role == "document"
    assert chat_role("Caroline") is None


def test_what_a_caller_says_of_the_origin_counts() -> None:
    assert Message(role="Caroline", content="x", origin=Origin.USER).trust is Origin.USER
    assert Message(content="x").trust is Origin.USER


@pytest.mark.spec("SAFE-04")
@given(st.lists(st.sampled_from(Origin), min_size=1))
def test_several_sources_are_trusted_as_far_as_the_least_trusted(origins: list[Origin]) -> None:
    order = [Origin.USER, Origin.AGENT, Origin.TOOL, Origin.WEB, Origin.IMPORT, Origin.UNTRUSTED]
    assert least_trusted(origins) is order[max(map(order.index, origins))]


@pytest.mark.spec("SAFE-04")
def test_what_rests_on_nothing_is_not_trusted() -> None:
    assert least_trusted([]) is Origin.UNTRUSTED


@pytest.mark.spec("SAFE-04")
def test_a_local_time_without_its_zone_is_not_yet_the_future() -> None:
    assert not is_ahead(NOON + timedelta(hours=14), recorded_at=NOON)
    assert not is_ahead(NOON - timedelta(days=9), recorded_at=NOON)
    assert is_ahead(NOON + timedelta(days=1), recorded_at=NOON)
