"""Every role through the engine that asks models, over real HTTP."""

from typing import Any

import pytest

from remanent.errors import Refused
from remanent.language.role import Role, TextReply
from remanent.language.roles import all_roles
from remanent.language.roles.classification import CLASSIFICATION, ClassificationRequest
from remanent.language.roles.next_step import PLANNING, PlanningRequest
from remanent.model import Maker
from tests.language.models.samples import engine_at
from tests.language.roles.good import GOOD, WRONG, request_of
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import Step, gives, says


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def step(role: Role[Any, Any, Any], reply: Any) -> Step:
    return says(reply) if role.form == "text" else gives(reply)


@pytest.mark.parametrize("name", all_roles())
async def test_a_good_answer_becomes_a_response(name: str) -> None:
    role, request, reply = all_roles()[name], request_of(name), GOOD[name][1]
    async with ScriptedServer(step(role, reply)) as server, engine_at(server) as engine:
        answer = await engine.run(role, request)
    expected = TextReply(text=reply) if role.form == "text" else role.reply.model_validate(reply)
    assert answer.value == role.read(request, expected)
    assert answer.made_by == Maker(role=name, engine="scripted", version=role.version)
    sent = server.requests[0].body
    assert (sent["temperature"], sent["top_p"]) == (role.defaults.temperature, role.defaults.top_p)


@pytest.mark.parametrize("name", WRONG)
async def test_a_reply_with_no_name_that_was_shown_is_sent_back_once_and_then_refused(name: str) -> None:
    role, request = all_roles()[name], request_of(name)
    async with (
        ScriptedServer(gives(WRONG[name]), gives(GOOD[name][1]).expecting("77")) as server,
        engine_at(server) as engine,
    ):
        answer = await engine.run(role, request)
    assert answer.value == role.read(request, role.reply.model_validate(GOOD[name][1]))
    async with ScriptedServer(gives(WRONG[name]), gives(WRONG[name])) as server, engine_at(server) as engine:
        with pytest.raises(Refused):
            await engine.run(role, request)


def test_there_is_a_good_answer_for_every_role() -> None:
    assert set(GOOD) == set(all_roles())


@pytest.mark.spec("USE-08")
async def test_the_numbers_of_topics_count_where_their_words_were_left_blank() -> None:
    request = ClassificationRequest(text="Kessel Lake was dammed in 1931.")
    blank = {"context": "[topic in one sentence]", "keywords": ["[keyword]", "[keyword]"]}
    async with (
        ScriptedServer(gives({"clusters": [{"passages": [1], **blank}]})) as server,
        engine_at(server) as engine,
    ):
        (topic,) = (await engine.run(CLASSIFICATION, request)).value.clusters
    assert (topic.content, topic.context) == (request.text, request.text)
    assert "Kessel Lake" in topic.keywords


@pytest.mark.spec("USE-08")
async def test_the_words_of_a_form_without_their_brackets_are_no_plan() -> None:
    blank = {"current_task": {"description": "下一步做什么", "conflict": "", "uploads": []}}
    plan = {"current_task": {"description": "查找测绘记录"}}
    async with (
        ScriptedServer(gives(blank), gives(plan).expecting("it repeats the form")) as server,
        engine_at(server) as engine,
    ):
        planned = (await engine.run(PLANNING, PlanningRequest(goal="凯尔特山有多高？"))).value.current_task
    assert planned is not None
    assert planned.description == "查找测绘记录"
