"""A model is examined by exercises whose answers code can tell from wrong ones."""

from typing import Any

import pytest

from remanent.language.engines import OfflineEngine
from remanent.language.examination import EXERCISES, examine, says_unknown
from remanent.language.role import Answer, Engine, ReplyT, RequestT, ResponseT, Role
from remanent.language.roles import all_roles
from remanent.language.roles.next_step import PlannedTask, PlanningRequest, PlanningResponse, TaskType
from tests.language.models.samples import engine_at
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import gives, says

pytestmark = pytest.mark.spec("USE-08")


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


class Forgetful(Engine):
    """Does what it is told until its time is over."""

    name = "forgetful"

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    async def run(self, role: Role[RequestT, ReplyT, ResponseT], request: RequestT) -> Answer[ResponseT]:
        self.seconds += 1
        return await OfflineEngine().run(role, request)

    async def close(self) -> None:
        """Nothing is open."""


def test_a_step_that_was_taken_is_no_plan() -> None:
    exercises = [one for one in EXERCISES if one.role == "planning"]
    assert {one.language for one in exercises} == {"en", "zh"}
    for one in exercises:
        assert isinstance(one.request, PlanningRequest)
        assert one.request.finished is not None
        for planned, is_plan in ((one.request.finished.description, False), (one.request.goal, True)):
            step = PlannedTask(type=TaskType.NORMAL, description=planned)
            assert one.is_right(PlanningResponse(completed=(), current_task=step)) is is_plan


def test_every_role_is_examined_in_both_languages() -> None:
    assert {(exercise.role, exercise.language) for exercise in EXERCISES} == {
        (name, language) for name in all_roles() for language in ("en", "zh")
    }


async def test_a_model_gets_the_roles_in_which_it_is_right_and_no_worse_than_the_offline_engine() -> None:
    exercises = [exercise for exercise in EXERCISES if exercise.role in {"intent", "hyde"}]
    replies = ["bug_fix", "new_task", "bug_fix", "preference"]
    steps = [says("Indexes make queries fast."), says("索引让查询更快。")]
    steps += [gives({"intent": intent, "confidence": 0.9, "target_agent": None}) for intent in replies]
    async with ScriptedServer(*steps) as server, engine_at(server) as engine:
        marks = await examine(engine, OfflineEngine(), seconds=1000, exercises=exercises)
    found = {mark.role: (mark.right, mark.exercises, mark.engine) for mark in marks}
    assert found == {"hyde": (2, 2, "model"), "intent": (3, 4, "offline")}


async def test_an_answer_that_cannot_be_used_is_marked_as_refused() -> None:
    exercises = [exercise for exercise in EXERCISES if exercise.role == "intent"][:1]
    async with ScriptedServer(says("?"), says("?")) as server, engine_at(server) as engine:
        (mark,) = await examine(engine, OfflineEngine(), seconds=1000, exercises=exercises)
    assert (mark.right, mark.refused, mark.engine) == (0, 1, "offline")


async def test_what_there_is_no_time_for_stays_offline_and_is_told() -> None:
    engine = Forgetful()
    told: list[str] = []

    async def report(exercise: Any) -> None:
        told.append(exercise.role)

    marks = await examine(engine, OfflineEngine(), seconds=5, report=report, now=engine.now)
    assert len(told) == 5
    late = [mark for mark in marks if mark.looked_at == 0]
    assert late
    assert {mark.engine for mark in late} == {"offline"}
    assert all(mark.exercises > 0 for mark in marks)


@pytest.mark.parametrize(
    "said",
    [
        "I do not know.",
        "The notes don't mention it.",
        "It is not known.",
        "记录中没有提到。",
        "我不记得了。",
        "信息不足",
    ],
)
def test_admitting_that_something_is_not_known_is_told_from_an_answer(said: str) -> None:
    assert says_unknown(said)
    assert not says_unknown("Dr Brown, in Park Row.")
    assert not says_unknown("他的牙医叫王明。")
