from pathlib import Path

import pytest

from remanent.cli import demo
from tests.cli.conftest import Cli


def test_the_sample_is_bilingual_dated_and_unambiguous() -> None:
    told = demo.sessions()
    messages = [message for session in told.values() for message in session]
    ids = [message["id"] for message in messages]
    assert len(told) == 2
    assert 20 <= len(messages) <= 30
    assert len(set(ids)) == len(ids)
    assert all(message["occurred_at"].tzinfo is not None for message in messages)
    assert any(message["content"].isascii() for message in messages)
    assert any(not message["content"].isascii() for message in messages)
    assert {demo.OUTDATED, demo.SECRET, *(asked.answered_by for asked in demo.questions())} <= set(ids)


def test_every_question_is_answered_first_by_the_right_message_and_the_secret_is_gone(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMANENT_EMBEDDER", "multilingual")
    said = cli("demo", "--json")
    assert said.code == 0, said.err
    answers = {one["question"]: one["answers"][0]["sources"][0]["caller_id"] for one in said.json["recalled"]}
    assert answers == {asked.question: asked.answered_by for asked in demo.questions()}
    assert said.json["remembered"] == 25
    assert (said.json["bytes_left"], said.json["still_recalled"]) == (0, False)
    assert said.json["forgotten"]["about"]
    assert said.json["exported"]["lines"] > 50


@pytest.mark.parametrize(("locale", "word"), [("C", "Tombstone"), ("zh_CN.UTF-8", "墓碑")])
def test_it_explains_every_step_in_the_language_of_the_locale(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, locale: str, word: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    said = cli("demo")
    assert said.code == 0, said.err
    assert word in said.out
    for step in range(1, 6):
        assert f"\n {step}  " in said.out
    for asked in demo.questions():
        assert asked.question in said.out


def test_without_a_home_it_leaves_nothing_behind(cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    assert cli("demo").code == 0
    assert list(scratch.iterdir()) == []
    assert not cli.home.exists()


def test_in_a_given_home_its_memory_stays_and_a_second_run_takes_an_agent_of_its_own(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "stays"
    assert "agent demo-1" in cli("demo", "--home", home).err
    assert "agent demo-2" in cli("demo", "--home", home).err
    assert len(cli("entries", "--home", home, "--agent", "demo-1", "--json").json) == 25
