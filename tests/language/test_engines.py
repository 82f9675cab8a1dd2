"""Settings choose the engine."""

from typing import Any

import pytest

from remanent.errors import InvalidSettings, MissingDependency, ModelDenied, ModelRejected, ModelUnavailable
from remanent.language import engines
from remanent.language.engines import HybridEngine, OfflineEngine, open_engine, role_setups
from remanent.language.models.engine import ModelEngine
from remanent.language.roles import all_roles
from remanent.language.roles.classification import CLASSIFICATION, ClassificationRequest
from remanent.language.roles.next_step import PLANNING, PendingConflict, PlanningRequest
from remanent.language.roles.queries import HYDE, INTENT, HydeRequest, IntentRequest
from remanent.language.roles.summary import STRUCTURE, StructureRequest
from remanent.model import Maker
from remanent.settings import Settings
from tests.language.models.samples import PICK, QUESTION
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import fails, says


async def test_without_a_model_the_offline_engine_works_and_says_so() -> None:
    engine = open_engine(Settings(), embedder=None)
    assert isinstance(engine, OfflineEngine)
    answer = await engine.run(PICK, QUESTION)
    assert answer.value.option == QUESTION.options[0]
    assert answer.made_by == Maker(role="pick", engine="offline", version="7")
    assert answer.usage.requests == 0
    await engine.close()


async def test_a_named_provider_brings_the_engine_that_asks_models() -> None:
    engine = open_engine(Settings.model_validate({"model": {"provider": "ollama", "name": "m"}}), embedder=None)
    assert isinstance(engine, HybridEngine)
    assert engine.name == ModelEngine.name
    await engine.close()


def test_a_provider_without_the_packages_that_speak_to_it_is_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    with pytest.raises(MissingDependency, match=r"pip install 'remanent\[models\]'"):
        open_engine(Settings.model_validate({"model": {"provider": "ollama", "name": "m"}}), embedder=None)


def test_offline_stays_offline_whatever_provider_is_named() -> None:
    settings = Settings.model_validate({"engine": "offline", "model": {"provider": "ollama", "name": "m"}})
    assert isinstance(open_engine(settings, embedder=None), OfflineEngine)
    assert {setup.engine for setup in role_setups(settings)} == {"offline"}


def test_a_setting_for_a_role_that_there_is_not_is_refused() -> None:
    settings = Settings.model_validate({"model": {"roles": {"classify": {"temperature": 0}}}})
    with pytest.raises(InvalidSettings, match="classification"):
        open_engine(settings, embedder=None)


@pytest.mark.spec("BANK-29", "COG-15")
def test_each_role_is_called_as_its_own_settings_say_then_its_tiers_then_the_general_then_its_defaults() -> None:
    settings = Settings.model_validate(
        {
            "model": {
                "provider": "ollama",
                "name": "large",
                "tiers": {"extraction": {"name": "small", "temperature": 0.05}},
                "roles": {"segmentation": {"temperature": 0.3}, "planning": {"window": 9000}},
            }
        }
    )
    setups = {setup.role: setup for setup in role_setups(settings)}
    assert list(setups) == list(all_roles())
    assert (setups["segmentation"].model, setups["segmentation"].temperature) == ("small", 0.3)
    assert (setups["extraction"].model, setups["extraction"].temperature) == ("small", 0.05)
    assert (setups["planning"].model, setups["planning"].window) == ("large", 9000)
    assert (setups["structure"].temperature, setups["structure"].top_p) == (0.1, 0.8)


# ── a model for some roles ──

BUG = IntentRequest(message="The login page fails with an error, please fix it.")
ASKED = HydeRequest(question="Where does Ada live?")


def settings_for(server: ScriptedServer, **model: Any) -> Settings:
    values = {"base_url": server.base_url, "name": "scripted", "attempts": 1, **model}
    return Settings.model_validate({"model": values})


@pytest.fixture
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


WAITING = PendingConflict(conflict_id="k", node_ids=("n1", "n2"), description="It is 3 m. / It is 4 m.")


@pytest.mark.spec("USE-08")
@pytest.mark.usefixtures("_machine")
@pytest.mark.parametrize(
    ("role", "request_", "larger"),
    [
        (PLANNING, PlanningRequest(goal="How high is it?", conflicts=(WAITING,)), {"conflicts": ()}),
        (CLASSIFICATION, ClassificationRequest(text="It is 3 m high."), {"text": "It is high.\n\nTea is green. " * 20}),
        (STRUCTURE, StructureRequest(content="It is 3 m high."), {"content": "It is 3 m high. " * 30}),
    ],
    ids=["planning", "classification", "structure"],
)
async def test_no_model_is_asked_what_code_decides(role: Any, request_: Any, larger: dict[str, Any]) -> None:
    async with ScriptedServer(forever=says("no use")) as server:
        engine = open_engine(settings_for(server), embedder=None)
        answer = await engine.run(role, request_)
        assert (answer.made_by.engine, len(server.requests)) == ("offline", 0)
        await engine.run(role, request_.replace(**larger))
        assert server.requests
        await engine.close()


@pytest.mark.spec("USE-08")
@pytest.mark.usefixtures("_machine")
@pytest.mark.parametrize(
    "chosen",
    [
        {"roles": {"intent": {"engine": "offline"}}},
        {"tiers": {"intent": {"engine": "offline"}}},
        {
            "tiers": {"extraction": {"engine": "offline"}, "intent": {"engine": "offline"}},
            "roles": {"hyde": {"engine": "model"}},
        },
    ],
)
async def test_each_role_is_done_by_the_model_or_without_as_settings_say(chosen: dict[str, Any]) -> None:
    async with ScriptedServer(says("Ada lives in Lisbon, near the river.")) as server:
        settings = settings_for(server, **chosen)
        engine = open_engine(settings, embedder=None)
        without = await engine.run(INTENT, BUG)
        with_model = await engine.run(HYDE, ASKED)
        await engine.close()
    assert without.made_by.engine == "offline"
    assert with_model.made_by.engine == "scripted"
    listed = {setup.role: setup for setup in role_setups(settings)}
    assert (listed["intent"].engine, listed["intent"].model) == ("offline", None)
    assert (listed["hyde"].engine, listed["hyde"].model) == ("model", "scripted")


@pytest.mark.spec("USE-08")
@pytest.mark.usefixtures("_machine")
async def test_what_a_model_cannot_do_is_done_without_one_and_its_tokens_are_told() -> None:
    async with ScriptedServer(says("No idea."), says("Still none.")) as server:
        engine = open_engine(settings_for(server), embedder=None)
        answer = await engine.run(INTENT, BUG)
        await engine.close()
    assert answer.made_by.engine == "offline"
    assert answer.value == (await OfflineEngine().run(INTENT, BUG)).value
    assert answer.usage.input_tokens == 2 * 19


@pytest.mark.spec("USE-08")
@pytest.mark.usefixtures("_machine")
async def test_a_request_that_a_model_rejects_is_done_without_it_unless_whoever_asks_can_ask_for_less() -> None:
    async with ScriptedServer(fails(400), fails(400)) as server:
        engine = open_engine(settings_for(server, output="text"), embedder=None)
        assert (await engine.run(INTENT, BUG)).made_by.engine == "offline"
        with pytest.raises(ModelRejected):
            await engine.run_whole(INTENT, BUG)
        await engine.close()


@pytest.mark.usefixtures("_machine")
@pytest.mark.parametrize(("status", "error"), [(401, ModelDenied), (503, ModelUnavailable)])
async def test_a_key_that_is_refused_or_a_model_that_is_away_is_not_passed_over(
    status: int, error: type[Exception]
) -> None:
    async with ScriptedServer(fails(status)) as server:
        engine = open_engine(settings_for(server), embedder=None)
        with pytest.raises(error):
            await engine.run(INTENT, BUG)
        await engine.close()
