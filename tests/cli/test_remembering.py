import json
import re
from pathlib import Path

import pytest

from remanent.cli import execution
from tests.cli.conftest import Cli
from tests.power import fills_up


def lines(*values: object) -> str:
    return "\n".join(json.dumps(value, ensure_ascii=False) for value in values)


def test_words_are_one_message_and_the_receipt_names_its_entry(cli: Cli) -> None:
    said = cli("remember", "I", "moved to Lisbon.", "--session", "trip", "--role", "assistant", "--id", "m1")
    assert said.code == 0
    assert "Remembered 1" in said.err
    [entry] = cli("entries", "--json").json
    assert entry["id"] == said.out.strip()
    assert (entry["text"], entry["role"], entry["caller_id"]) == ("I moved to Lisbon.", "assistant", "m1")
    assert entry["scope"]["session"] == "trip"


def test_a_dash_reads_standard_input_whole(cli: Cli) -> None:
    assert cli("remember", "-", given="第一行\nsecond line\n").code == 0
    assert cli("entries", "--json").json[0]["text"] == "第一行\nsecond line"


def test_what_is_piped_in_needs_no_dash(cli: Cli) -> None:
    assert cli("remember", given="piped").code == 0
    assert cli("entries", "--json").json[0]["text"] == "piped"


def test_without_text_on_a_terminal_it_says_what_it_needs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution, "waits", lambda: False)
    said = cli("remember")
    assert said.code == 2
    assert "--file" in said.err


def test_text_and_a_file_are_not_taken_together(cli: Cli) -> None:
    assert cli("remember", "text", "--file", "-", given="{}").code == 2


def test_the_time_of_a_message_can_be_given(cli: Cli) -> None:
    assert cli("remember", "x", "--at", "2026-05-01T10:00:00+08:00").code == 0
    assert cli("entries", "--json").json[0]["occurred_at"] == "2026-05-01T02:00:00.000Z"


def test_a_file_of_messages_keeps_order_sessions_ids_and_times(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "messages.jsonl"
    told = [
        {"role": "user", "content": "你好", "id": "1", "session": "a", "occurred_at": "2026-01-01T00:00:00Z"},
        {"role": "assistant", "content": "hello", "id": "2", "session": "b", "metadata": {"k": [1, None]}},
        {"content": "again", "session": "a"},
        {"content": "no session of its own"},
    ]
    file.write_text(lines(*told) + "\n\n", encoding="utf-8")
    receipt = cli("remember", "--file", file, "--session", "rest", "--json").json
    assert len(receipt["entry_ids"]) == 4
    entries = cli("entries", "--json").json
    assert [entry["id"] for entry in entries] == receipt["entry_ids"]
    assert [entry["scope"]["session"] for entry in entries] == ["a", "b", "a", "rest"]
    assert entries[0]["occurred_at"] == "2026-01-01T00:00:00.000Z"
    assert entries[1]["metadata"] == {"k": [1, None]}


def test_the_same_file_again_stores_nothing_twice(cli: Cli) -> None:
    told = lines(*({"content": f"text {number}", "id": f"{number}", "session": "a"} for number in range(600)))
    first = cli("remember", "--file", "-", "--json", given=told).json
    second = cli("remember", "--file", "-", "--json", given=told).json
    assert (first["repeated"], second["repeated"]) == (0, 600)
    assert first["entry_ids"] == second["entry_ids"]
    assert "600 of them were already known" in cli("remember", "--file", "-", given=told).err


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "not JSON"),
        ("[1]", "JSON object"),
        ('{"role": "user"}', "content"),
        ('{"content": "x", "session": 7}', "session must be text"),
        ('{"content": "x", "colour": "red"}', "colour"),
        ('{"content": "x", "occurred_at": "yesterday"}', "occurred_at"),
    ],
)
def test_one_bad_line_keeps_the_whole_file_out_and_is_named(cli: Cli, line: str, complaint: str) -> None:
    said = cli("remember", "--file", "-", given=lines({"content": "good"}) + "\n" + line)
    assert said.code == 65
    assert "line 2" in said.err
    assert complaint in said.err
    assert not cli.home.exists()


def test_bytes_that_are_no_text_are_refused(cli: Cli) -> None:
    said = cli("remember", "-", given=b"caf\xe9")
    assert said.code == 65
    assert "UTF-8" in said.err


def test_an_empty_file_and_a_missing_one_are_bad_input(cli: Cli, tmp_path: Path) -> None:
    assert cli("remember", "--file", "-", given="").code == 65
    missing = cli("remember", "--file", tmp_path / "none.jsonl")
    assert missing.code == 65
    assert "none.jsonl" in missing.err


def test_an_id_that_is_taken_by_another_text_is_a_conflict(cli: Cli) -> None:
    assert cli("remember", "one", "--id", "m", "--session", "s").code == 0
    said = cli("remember", "two", "--id", "m", "--session", "s", "--json")
    assert said.code == 4
    assert said.error["error"] == "DuplicateEntry"


def test_it_waits_for_the_index_of_a_file_or_when_told_to(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    waited: list[bool] = []

    async def settle(*_: object) -> None:
        waited.append(True)

    monkeypatch.setattr(execution, "settle", settle)
    (tmp_path / "talk.jsonl").write_text(lines({"content": "three"}))
    cli("remember", "one", "--no-wait")
    cli("remember", "two")
    cli("remember", "--file", str(tmp_path / "talk.jsonl"), "--no-wait")
    assert waited == []
    cli("remember", "--file", str(tmp_path / "talk.jsonl"))
    cli("remember", "four", "--wait")
    assert waited == [True, True]


@pytest.mark.spec("USE-07")
def test_to_remember_a_sentence_needs_no_model_and_no_tokenizer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("loaded although nobody needs it")

    monkeypatch.setattr("remanent.jobs.worker.Worker.start", refuse)
    monkeypatch.setattr("remanent.text.tokens._tokenizer", refuse)
    assert cli("remember", "the heron on the weir").code == 0


def test_what_was_not_waited_for_is_found_all_the_same(cli: Cli) -> None:
    assert cli("remember", "the heron on the weir", "--no-wait").code == 0
    assert "heron" in cli("recall", "heron").out


@pytest.mark.spec("USE-07")
def test_what_was_not_waited_for_is_listed_and_exported(cli: Cli) -> None:
    assert cli("remember", "the heron on the weir").code == 0
    exported = cli("export")
    assert exported.code == 0
    assert "heron" in exported.out
    assert "heron" in cli("records").out


def test_work_that_an_interrupted_process_left_is_waited_for_although_nothing_is_new(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = lines(*({"content": f"heron {number}", "id": f"{number}", "session": "a"} for number in range(600)))
    settle = execution.settle

    async def leave(*_: object) -> None:
        pass

    monkeypatch.setattr(execution, "settle", leave)
    monkeypatch.setenv("REMANENT_JOBS__DRAIN_TIMEOUT", "0.001")
    cli("remember", "--file", "-", given=told)
    monkeypatch.setattr(execution, "settle", settle)
    assert cli("remember", "--file", "-", "--json", given=told).json["repeated"] == 600
    assert "600 entries, 600 records" in cli("doctor").out


@pytest.mark.spec("COG-01")
def test_each_user_of_an_agent_is_answered_from_their_own_and_can_be_erased(cli: Cli) -> None:
    assert cli("remember", "I keep a heron", "--user", "ann", "--session", "s").code == 0
    assert cli("remember", "I keep a goat", "--user", "bob", "--session", "s").code == 0
    assert "heron" in cli("recall", "What do I keep?", "--user", "ann").out
    assert "heron" not in cli("recall", "What do I keep?", "--user", "bob").out
    assert cli("recall", "heron", "--user", "ann\u200b").code == 65
    assert cli("session", "end", "s", "--user", "eve").code == 3
    assert cli("session", "end", "s", "--user", "ann").code == 0
    assert cli("erase", "--user", "ann", "--yes").code == 0
    assert cli("recall", "heron").code == 1
    assert "goat" in cli("recall", "goat", "--user", "bob").out


@pytest.mark.spec("SAFE-03")
@pytest.mark.parametrize(
    ("language", "said"), [("en", "was done, but could not be recorded"), ("zh", "已完成，但未能记入")]
)
def test_what_is_stored_and_could_not_be_noted_is_said_to_be_stored(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, language: str, said: str
) -> None:
    cli.told("before")
    monkeypatch.setenv("REMANENT_LANGUAGE", language)
    with monkeypatch.context() as patch:
        fills_up(patch)
        answer = cli("remember", "during")
    assert (answer.code, said in answer.err) == (69, True), answer.err
    assert not re.search("nothing was|未作任何|未写入", answer.err)
    assert [entry["text"] for entry in cli("entries", "--json").json] == ["before", "during"]
