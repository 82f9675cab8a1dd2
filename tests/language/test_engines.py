"""Settings choose the engine."""

import pytest

from remanent.errors import InvalidSettings, MissingDependency
from remanent.language import engines
from remanent.language.engines import OfflineEngine, open_engine, role_setups
from remanent.language.models import ModelEngine
from remanent.language.roles import ROLES
from remanent.model import Maker
from remanent.settings import Settings
from tests.language.models.samples import PICK, QUESTION


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
    assert isinstance(engine, ModelEngine)
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
    assert list(setups) == list(ROLES)
    assert (setups["segmentation"].model, setups["segmentation"].temperature) == ("small", 0.3)
    assert (setups["extraction"].model, setups["extraction"].temperature) == ("small", 0.05)
    assert (setups["planning"].model, setups["planning"].window) == ("large", 9000)
    assert (setups["structure"].temperature, setups["structure"].top_p) == (0.1, 0.8)
