from typing import Any, cast

import pytest
from pydantic import SecretStr

from remanent.bilingual import Language
from remanent.errors import InvalidSettings
from remanent.language.models.call import Endpoint, ModelCall, ask_again, check_roles, model_selection
from remanent.language.role import ChatMessage, Defaults, Form, Tier
from remanent.language.roles import all_roles
from remanent.settings import ModelSettings

OPENAI = {"provider": "openai", "name": "general", "api_key": "key-of-openai"}


def settings(**values: Any) -> ModelSettings:
    return ModelSettings.model_validate({**OPENAI, **values})


@pytest.mark.spec("BANK-29")
def test_without_settings_of_its_own_a_role_is_called_as_it_was_made() -> None:
    plain = model_selection(settings(), role="anything", defaults=Defaults())
    assert (plain.temperature, plain.top_p, plain.max_tokens, plain.window) == (0.6, 0.95, 4096, 32_000)
    sampling = {
        name: (choice.temperature, choice.top_p, choice.window)
        for name, role in all_roles().items()
        for choice in [model_selection(settings(), role=name, defaults=role.defaults)]
    }
    assert sampling["classification"] == (0.4, 0.9, 32_000)
    assert sampling["structure"] == (0.1, 0.8, 32_000)
    assert sampling["analysis"] == (0.4, 0.9, 32_000)
    assert sampling["integration"] == (0.2, 0.85, 32_000)
    assert sampling["planning"] == (0.6, 0.95, 32_000)
    assert sampling["react"][:2] == (0.6, 0.95)


@pytest.mark.spec("USE-08")
def test_an_answer_has_a_part_of_a_small_window_unless_settings_say_more() -> None:
    assert model_selection(settings(window=4_096), role="react", defaults=Defaults()).max_tokens == 585
    assert (
        model_selection(settings(window=4_096, max_tokens=2_000), role="react", defaults=Defaults()).max_tokens == 2_000
    )
    assert model_selection(settings(), role="react", defaults=Defaults(window=128_000)).max_tokens == 4_096


@pytest.mark.spec("COG-15")
def test_each_tier_names_its_model_and_a_role_can_name_another() -> None:
    chosen = settings(
        tiers={tier.value: {"name": f"model-for-{tier}"} for tier in Tier}, roles={"hyde": {"name": "model-for-hyde"}}
    )
    for tier in Tier:
        assert model_selection(chosen, role="any", defaults=Defaults(tier=tier)).model == f"model-for-{tier}"
        assert model_selection(chosen, role="hyde", defaults=Defaults(tier=tier)).model == "model-for-hyde"
    assert model_selection(settings(), role="any", defaults=Defaults(tier=Tier.RERANK)).model == "general"


@pytest.mark.spec("BANK-29")
@pytest.mark.parametrize(
    ("name", "own", "of_tier", "general"),
    [("temperature", 0.1, 0.2, 0.3), ("top_p", 0.1, 0.2, 0.3), ("max_tokens", 1, 2, 3), ("window", 1, 2, 3)],
)
def test_the_role_beats_its_tier_beats_the_general_beats_the_default(
    name: str, own: float, of_tier: float, general: float
) -> None:
    tier = {"tiers": {"core": {name: of_tier}}}
    role = {"roles": {"hyde": {name: own}}}

    def chosen(**values: Any) -> float:
        value: float = getattr(model_selection(settings(**values), role="hyde", defaults=Defaults()), name)
        return value

    assert chosen(**{name: general}, **tier, **role) == own
    assert chosen(**{name: general}, **tier) == of_tier
    assert chosen(**{name: general}) == general
    assert chosen() == getattr(Defaults(), name)


def test_a_key_goes_only_to_the_place_it_was_given_for() -> None:
    chosen = settings(
        tiers={"core": {"base_url": "http://localhost:1/v1", "name": "mine"}},
        roles={"hyde": {"provider": "anthropic", "name": "theirs", "api_key": "key-of-anthropic"}},
    )
    own = model_selection(chosen, role="any", defaults=Defaults(tier=Tier.CORE))
    assert (own.place, own.model) == (Endpoint("local", "http://localhost:1/v1", None), "mine")
    role = model_selection(chosen, role="hyde", defaults=Defaults(tier=Tier.CORE))
    assert role.place == Endpoint("anthropic", "https://api.anthropic.com", SecretStr("key-of-anthropic"))
    other = model_selection(chosen, role="any", defaults=Defaults(tier=Tier.CODE))
    assert other.place == Endpoint("openai", "https://api.openai.com/v1", SecretStr("key-of-openai"))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "no language model provider is set: set model.provider"),
        ({"provider": "local", "name": "x"}, "needs an address: set model.base_url"),
        ({"provider": "ollama"}, "no model is set for the role hyde: set model.name to one of ollama's models"),
        ({"provider": "openai", "name": "x"}, "openai needs a key: set OPENAI_API_KEY or model.api_key"),
        ({**OPENAI, "tiers": {"core": {"base_url": "http://a/v1"}}}, "no model is set"),
        ({**OPENAI, "roles": {"hyde": {"provider": "deepseek", "name": "x"}}}, "deepseek needs a key"),
    ],
)
def test_what_is_missing_is_named(values: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidSettings, match=said):
        model_selection(ModelSettings.model_validate(values), role="hyde", defaults=Defaults())


def test_a_provider_at_home_needs_no_key() -> None:
    place = model_selection(ModelSettings(provider="ollama", name="x"), role="hyde", defaults=Defaults()).place
    assert place == Endpoint("ollama", "http://localhost:11434/v1", None)


def test_a_model_for_a_role_that_there_is_not_is_refused() -> None:
    check_roles(settings(roles={"planning": {}}), known=all_roles())
    with pytest.raises(InvalidSettings, match=r"model\.roles\.planing: there is no such role, the nearest is planning"):
        check_roles(settings(roles={"planing": {}}), known=all_roles())


def test_a_place_does_not_show_its_key() -> None:
    assert "canary" not in repr(Endpoint("openai", "http://a", SecretStr("canary")))


def test_the_tiers_of_settings_are_those_of_roles() -> None:
    assert settings(tiers={tier.value: {} for tier in Tier}).tiers.keys() == {tier.value for tier in Tier}


CALL = ModelCall(model="m", instructions="Do it.", turns=(ChatMessage("user", "Which?"),), name="pick")


def test_a_model_is_told_what_was_wrong_in_its_language() -> None:
    again = ask_again(CALL, "nonsense", "it is {no} JSON", form="json", language="en", longest=100)
    assert again.turns[1:] == (
        ChatMessage("assistant", "nonsense"),
        ChatMessage(
            "user",
            "Your reply could not be used: it is {no} JSON. "
            "Reply again, with one JSON object of the form that was asked for and nothing else.",
        ),
    )
    for problem, form, language, told in (
        ("不是 JSON", "json", "zh", "你的回复无法使用：不是 JSON。请重新回复"),
        ("no answer", "text", "en", "Write the whole reply again"),
        ("没有回答", "text", "zh", "请改正后重新写出完整的回复"),
    ):
        last = ask_again(
            CALL, "x", problem, form=cast(Form, form), language=cast(Language, language), longest=100
        ).turns[-1]
        assert told in last.text


def test_a_long_answer_is_shown_by_its_ends() -> None:
    again = ask_again(CALL, "a" * 500 + "b" * 500, "wrong", form="json", language="en", longest=10)
    assert again.turns[1].text == "aaaaa … bbbbb"


@pytest.mark.spec("USE-08")
def test_an_answer_that_says_nothing_is_not_shown_in_words_that_would_be_repeated() -> None:
    (only,) = ask_again(CALL, " \n", "it is empty", form="json", language="en", longest=10).turns
    assert only.speaker == "user"
    assert only.text.startswith("Which?\nYour reply could not be used: it is empty.")
