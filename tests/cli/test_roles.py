import asyncio
import json
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from remanent.cli.exits import Exit
from remanent.language.roles import all_roles
from tests.cli.conftest import Cli
from tests.language.roles.cases import CASES
from tests.language.roles.good import GOOD
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import gives, says


@pytest.fixture(autouse=True)
def _no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "REMANENT_ENGINE", "REMANENT_MODEL__BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def test_every_role_is_listed_with_its_engine_and_settings(cli: Cli) -> None:
    said = cli("roles")
    assert said.code == 0
    assert all(name in said.out for name in all_roles())
    assert "0.85" in said.out
    assert "everything runs offline" in said.err


def test_the_list_in_json_names_the_model_of_each_role(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_MODEL__PROVIDER", "ollama")
    monkeypatch.setenv("REMANENT_MODEL__NAME", "qwen2.5:7b")
    monkeypatch.setenv("REMANENT_MODEL__ROLES__PLANNING__TEMPERATURE", "0.1")
    listed = {setup["role"]: setup for setup in cli("roles", "--json").json}
    assert list(listed) == list(all_roles())
    assert {setup["model"] for setup in listed.values()} == {"qwen2.5:7b"}
    assert {setup["engine"] for setup in listed.values()} == {"model"}
    assert listed["planning"]["temperature"] == 0.1
    assert listed["integration"]["top_p"] == 0.85


def test_a_role_that_settings_misspell_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_MODEL__ROLES__PLANING__TEMPERATURE", "0.1")
    said = cli("roles")
    assert said.code == Exit.CONFIGURATION
    assert "planning" in said.err


def test_what_a_model_would_be_told_is_shown(cli: Cli) -> None:
    said = cli("try", "intent", "--prompt", given=CASES["intent.zh"].to_json())
    assert said.code == 0
    assert said.out.startswith("[instructions]\n你负责判断用户最新消息")
    assert "<message>登录页报错了，帮我修一下</message>" in said.out
    shown = cli("try", "react", "--prompt", "--json", given=CASES["react.en"].to_json()).json
    assert [turn["speaker"] for turn in shown["turns"]] == ["user", "assistant", "user", "assistant", "user"]


def test_the_form_of_a_request_is_shown(cli: Cli) -> None:
    schema = cli("try", "reranking", "--schema").json
    assert set(schema["required"]) == {"query", "passages"}


def test_an_unknown_role_is_told_with_the_nearest(cli: Cli) -> None:
    said = cli("try", "rerank", "--json", given="{}")
    assert said.code == Exit.BAD_INPUT
    assert "did you mean reranking?" in said.error["message"]


@pytest.mark.parametrize("given", ["", "no json", "{}", '{"query": "x", "passages": [], "other": 1}'])
def test_a_malformed_request_is_bad_input(cli: Cli, given: str) -> None:
    assert cli("try", "reranking", given=given).code == Exit.BAD_INPUT


async def test_one_role_is_run_on_a_model_by_hand(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    case, reply = GOOD["intent"]
    request = tmp_path / "request.json"
    request.write_text(CASES[case].to_json(), encoding="utf-8")
    async with ScriptedServer(gives(reply), gives(reply)) as server:
        monkeypatch.setenv("REMANENT_MODEL__BASE_URL", server.base_url)
        monkeypatch.setenv("REMANENT_MODEL__NAME", "scripted")
        told = await asyncio.to_thread(cli, "try", "intent", "--json", "--file", request)
        shown = await asyncio.to_thread(cli, "try", "intent", "--file", request)
    assert told.json["response"] == {"intent": "bug_fix", "confidence": 0.9, "target_agent": None}
    assert told.json["made_by"] == {"role": "intent", "engine": "scripted", "version": "1"}
    assert told.json["usage"]["requests"] == 1
    assert json.loads(shown.out)["intent"] == "bug_fix"
    assert shown.err == "intent by scripted: 12 tokens in, 7 out.\n"


@pytest.mark.parametrize("role", all_roles())
def test_every_role_is_run_by_hand_without_a_model(cli: Cli, role: str) -> None:
    said = cli("try", role, "--json", given=CASES[GOOD[role][0]].to_json())
    assert said.code == 0, said.err
    assert said.json["made_by"] == {"role": role, "engine": "offline", "version": "1"}
    assert said.json["usage"]["requests"] == 0


@pytest.mark.spec("USE-08")
async def test_a_model_is_examined_and_the_profile_that_follows_is_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    config = tmp_path / "remanent.yaml"
    config.write_text("language: en\nmodel:\n  roles:\n    planning: {temperature: 0.1}\n", encoding="utf-8")
    async with ScriptedServer(forever=says("It is not known.")) as server:
        monkeypatch.setenv("REMANENT_MODEL__BASE_URL", server.base_url)
        monkeypatch.setenv("REMANENT_MODEL__NAME", "scripted")
        shown = await asyncio.to_thread(cli, "roles", "check", "--dry-run")
        written = await asyncio.to_thread(cli, "roles", "check", "--json", "--file", config)
    assert shown.code == 0
    assert all(name in shown.out for name in all_roles())
    assert written.json["file"] == str(config)
    kept = yaml.safe_load(config.read_text(encoding="utf-8"))
    assert kept["language"] == "en"
    assert kept["model"]["roles"]["planning"] == {"temperature": 0.1, "engine": "offline"}
    assert {choice["engine"] for choice in kept["model"]["roles"].values()} == {"offline"}
    assert (tmp_path / "remanent.yaml.bak").read_text(encoding="utf-8").startswith("language: en")


def test_without_a_model_there_is_nothing_to_examine(cli: Cli) -> None:
    said = cli("roles", "check")
    assert said.code == Exit.CONFIGURATION
    assert "no model to examine" in said.err
