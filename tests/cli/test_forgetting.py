from dataclasses import replace

import pytest

from remanent.model import Scope
from remanent.stores import Erased, Erasure, ErasureDepth
from remanent.stores.sqlite import SqliteStore
from tests.cli.conftest import Cli


def test_a_forgotten_record_is_not_recalled_and_comes_back_when_restored(cli: Cli) -> None:
    [record_id] = cli.told("The heron fishes at dawn.")
    forgotten = cli("forget", record_id, "--reason", "wrong bird")
    assert forgotten.code == 0
    assert f"remanent restore {record_id}" in forgotten.out
    assert cli("recall", "heron").code == 1
    restored = cli("restore", record_id)
    assert restored.code == 0
    assert "The heron fishes at dawn." in restored.out
    assert cli("recall", "heron").code == 0


def test_tombstones_and_restored_records_are_given_as_json(cli: Cli) -> None:
    ids = cli.told("one heron", "two herons")
    stones = cli("forget", *ids, "--reason", "why not", "--json").json
    assert [(stone["record_id"], stone["reason"]) for stone in stones] == [(ids[0], "why not"), (ids[1], "why not")]
    assert [record["content"] for record in cli("restore", *ids, "--json").json] == ["one heron", "two herons"]


def test_an_unknown_record_is_not_found(cli: Cli) -> None:
    cli.told("x")
    for command in ("forget", "restore"):
        said = cli(command, "nobody", "--json")
        assert said.code == 3
        assert said.error["error"] == "NotFound"


def test_forgetting_twice_is_bad_input(cli: Cli) -> None:
    [record_id] = cli.told("x y z")
    assert cli("forget", record_id).code == 0
    assert cli("forget", record_id).code == 65


def test_erasing_asks_first_and_no_means_no(cli: Cli) -> None:
    [entry_id] = cli.told("The heron fishes.")
    for answer in ("n\n", "\n", ""):
        said = cli("erase", "--entry", entry_id, given=answer)
        assert said.code == 1
        assert "cannot be undone" in said.err
        assert said.out == ""
    assert cli("recall", "heron").code == 0


def test_the_question_names_what_was_named_and_counts_no_more_than_it(cli: Cli) -> None:
    cli.told("The heron fishes.")
    assert cli("erase", "--entry", "nope", given="n\n").err.startswith("Destroy nope of ada, with everything")
    several = ["--entry", "a", "--entry", "b", "--entry", "c", "--record", "d", "--record", "e"]
    assert "Destroy a, b, c and 2 more of ada" in cli("erase", *several, given="n\n").err
    assert cli("erase", "--entry", "nope", "--yes").code == 1


def test_an_empty_question_is_refused_in_plain_words(cli: Cli) -> None:
    said = cli("recall", "")
    assert said.code == 65
    assert "query: must not be empty" in said.err


def test_an_erased_text_is_in_no_file(cli: Cli) -> None:
    [entry_id, other] = cli.told("The heron fishes.", "The train is late.")
    said = cli("erase", "--entry", entry_id, given="yes\n")
    assert said.code == 0
    assert "Erased 1 entry and 1 record from" in said.out
    assert not [file for file in cli.home.rglob("*") if file.is_file() and b"heron" in file.read_bytes()]
    shown = cli("entries").out
    assert "(erased)" in shown
    assert "The train is late." in shown
    assert [entry["id"] for entry in cli("entries", "--json").json] == [entry_id, other]


def test_an_erasure_never_claims_more_than_the_store_has_reached(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    [entry_id] = cli.told("The heron fishes.")
    erase = SqliteStore.erase

    async def less_deep(store: SqliteStore, scope: Scope, erasure: Erasure) -> Erased:
        return replace(await erase(store, scope, erasure), depth=ErasureDepth.UNREADABLE)

    monkeypatch.setattr(SqliteStore, "erase", less_deep)
    said = cli("erase", "--entry", entry_id, "--yes")
    assert said.code == 0
    assert "every file" not in said.out
    assert "may contain copies" in said.out


def test_a_session_a_record_or_everything_can_be_erased(cli: Cli) -> None:
    [first] = cli.told("first", session="a")
    cli.told("second", session="b")
    cli.told("third", session="c")
    assert cli("erase", "--record", first, "--yes", "--json").json["entry_ids"] == [first]
    assert len(cli("erase", "--session", "b", "--yes", "--json").json["entry_ids"]) == 1
    assert {entry["text"] for entry in cli("entries", "--json").json} == {"", "third"}
    assert cli("erase", "--everything", "--yes").code == 0
    assert {entry["text"] for entry in cli("entries", "--json").json} <= {""}


def test_what_to_erase_must_be_said(cli: Cli) -> None:
    said = cli("erase", "--yes")
    assert said.code == 2
    assert "--everything" in said.err


def test_erasing_from_an_agent_that_does_not_exist_makes_none(cli: Cli) -> None:
    assert cli("erase", "--everything", "--yes", "--agent", "nobody").code == 1
    assert not cli.home.exists() or not list(cli.home.rglob("*.db"))


def test_erasing_what_never_was_says_so(cli: Cli) -> None:
    cli.told("I moved to Lisbon in May.")
    said = cli("erase", "--entry", "nope", "--yes")
    assert (said.code, said.out) == (1, "")
    assert "nothing was erased" in said.err
    assert len(cli("entries", "--json").json) == 1


def test_erasing_again_says_that_nothing_was_there_any_more(cli: Cli) -> None:
    [entry_id] = cli.told("The heron fishes.")
    assert cli("erase", "--entry", entry_id, "--yes").code == 0
    again = cli("erase", "--entry", entry_id, "--yes")
    assert (again.code, again.out) == (1, "")
    assert "or it is already gone; nothing was erased" in again.err
    assert cli("erase", "--everything", "--yes").code == 1


def test_a_preview_says_what_would_be_erased_and_erases_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    [entry_id] = cli.told("The heron fishes.")
    said = cli("erase-preview", "--entry", entry_id)
    assert (said.code, said.out) == (0, "Would erase 1 entry and 1 record; nothing was erased yet.\n")
    nothing = cli("erase-preview", "--entry", "nope")
    assert nothing.code == 1
    assert "nothing would be erased" in nothing.err
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    chinese = cli("erase-preview", "--entry", entry_id).out
    assert chinese == "将会抹除 1 条原始记录、1 条记忆；目前尚未抹除任何内容。\n"
    assert cli("recall", "heron").code == 0
