"""Words of a fixed set are refused with those that there are, whichever door they come by."""

from collections.abc import Callable
from typing import Any

import pytest

import remanent
from remanent import Agent
from remanent.bilingual import translated
from remanent.errors import InvalidInput


@pytest.fixture(scope="module")
def ada(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with remanent.open(tmp_path_factory.mktemp("home"), embedder="none") as memory:
        yield memory.agent("ada")


COGNITION = pytest.mark.needs("cognition")


@pytest.mark.parametrize(
    ("ask", "known"),
    [
        pytest.param(
            lambda ada: ada.cognition.memories(flaw="x"),
            "unsure, stale, duplicates, rotten, junk",
            id="flaw",
            marks=COGNITION,
        ),
        pytest.param(
            lambda ada: ada.cognition.memories(statuses=["x"]), "active", id="status of a memory", marks=COGNITION
        ),
        pytest.param(lambda ada: ada.cognition.set_role("x"), "choose one of", id="role", marks=COGNITION),
        pytest.param(lambda ada: ada.records(statuses=["x"]), "active", id="status of a record"),
        pytest.param(lambda ada: ada.admin.jobs(states=["x"]), "pending", id="state of a job"),
    ],
)
def test_a_word_that_means_nothing_is_refused_with_those_that_do(
    ada: Agent, ask: Callable[[Agent], object], known: str
) -> None:
    with pytest.raises(InvalidInput, match=known) as refused:
        ask(ada)
    assert "'x'；可选：" in translated(str(refused.value), "zh")
