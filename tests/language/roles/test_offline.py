"""Every role without a model: the same promises, no network, the same answer every time."""

import pytest

from remanent.language.engines import OfflineEngine
from remanent.model import Maker
from tests.language.roles.cases import CASES, role_of
from tests.language.roles.promises import check


@pytest.mark.parametrize("case", CASES)
async def test_a_role_is_done_without_a_model_and_the_same_way_every_time(case: str) -> None:
    role, engine = role_of(case), OfflineEngine()
    answer = await engine.run(role, CASES[case])
    assert answer.made_by == Maker(role=role.name, engine="offline", version=role.version)
    check(role.name, CASES[case], answer.value)
    assert (await OfflineEngine().run(role, CASES[case])).value == answer.value
