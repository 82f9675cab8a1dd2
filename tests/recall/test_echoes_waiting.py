"""How much is kept in memory of what was given out, with very many agents."""

from typing import cast

import pytest

from remanent.model import Scope
from remanent.recall import echoes as module
from remanent.recall.echoes import Echoes
from remanent.stores import Store


def test_what_was_given_out_is_kept_for_the_agents_that_were_answered_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 6)
    echoes = Echoes(cast(Store, None))
    agents = [Scope(org="lab", workspace="home", agent=f"agent{number}") for number in range(5)]
    for scope in agents[:3]:
        echoes.give(scope, ["a", "b"])
    echoes.give(agents[0], ["b", "a"])
    assert list(echoes._given) == [agents[1], agents[2], agents[0]]
    for scope in agents[3:]:
        echoes.give(scope, ["c"])
    assert list(echoes._given) == [agents[2], agents[0], *agents[3:]]
