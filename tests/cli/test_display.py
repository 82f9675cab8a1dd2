import re
from pathlib import Path

import pytest

from remanent.cli.display import PREPARED, SHOWN
from remanent.operations import CATALOGUE
from tests.cli.conftest import Cli


def test_an_answer_is_shown_with_text_score_kind_age_and_source(cli: Cli) -> None:
    cli("remember", "Clara brought figs.", "--session", "visit", "--id", "m7", "--at", "2020-06-12T08:00:00Z")
    said = cli("recall", "figs")
    assert said.code == 0
    assert "1. Clara brought figs." in said.out
    assert "session visit · id m7" in said.out
    assert "user · 2020-06-12" in said.out
    assert "turn · " in said.out
    assert "years ago" in said.out


def test_the_best_answer_comes_first_and_the_limit_holds(cli: Cli) -> None:
    cli.told("The heron fishes at dawn.", "Trains are late.", "A heron and another heron.")
    found = cli("recall", "heron", "--limit", "2", "--json").json
    assert [item["text"] for item in found["items"]] == ["A heron and another heron.", "The heron fishes at dawn."]
    assert found["items"][0]["sources"][0]["session"] == "s1"


def test_nothing_found_is_a_sentence_and_exit_code_1(cli: Cli) -> None:
    hint = "If agent ada should know something, check its name: `remanent agents` lists those that have a memory."
    said = cli("recall", "unicorns")
    assert (said.code, said.out, said.err) == (1, "", f"Nothing found for “unicorns”.\n{hint}\n")
    narrowed = cli("recall", "unicorns", "--where", "colour=white")
    assert (narrowed.code, narrowed.err) == (1, "Nothing found for “unicorns”.\n")


def test_nothing_found_is_an_empty_answer_in_json(cli: Cli) -> None:
    said = cli("recall", "unicorns", "--json")
    assert said.code == 1
    assert said.json["items"] == []


def test_the_words_of_the_question_need_no_quotes(cli: Cli) -> None:
    cli.told("The heron fishes at dawn.")
    assert cli("recall", "when", "does", "the", "heron", "fish", "--json").json["query"] == "when does the heron fish"


def test_explaining_shows_paths_ranks_and_scores(cli: Cli) -> None:
    cli.told("The heron fishes at dawn.")
    said = cli("recall", "heron", "--explain")
    for told in ("path, rank (score)", "keyword 1 (", "recipe default, grain item", "recency ×1.05"):
        assert told in said.out, told


def test_explaining_in_chinese_names_what_moved_an_answer(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("The heron fishes at dawn.")
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    said = cli("recall", "heron", "--explain")
    for told in ("检索方案 default", "路径、排名（得分）", "新近 ×1.05"):
        assert told in said.out, told


def test_explaining_tells_how_the_gate_judged(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.told("The heron fishes at dawn.", "The otter sleeps at noon.", "My sister Ann lives in Porto.")
    said = cli("recall", "heron", "--explain")
    assert "gate: " in said.out
    assert "enough evidence for an answer" in said.out
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    assert "门控：得分" in cli("recall", "heron", "--explain").out


def test_a_whole_session_is_shown_as_one_answer(cli: Cli) -> None:
    cli.told("The heron fishes at dawn.", "It stands on one leg.", session="marsh")
    (item,) = cli("recall", "heron", "--grain", "session", "--json").json["items"]
    assert item["text"] == "user: The heron fishes at dawn.\nuser: It stands on one leg."
    assert cli("recall", "heron", "--grain", "week").code != 0
    assert cli("recall", "heron", "--recipe", "soup").code != 0


@pytest.mark.parametrize(
    ("narrowed", "count"),
    [
        (("--session", "s1"), 1),
        (("--session", "elsewhere"), 0),
        (("--since", "2026-01-01"), 1),
        (("--until", "2026-01-01"), 0),
        (("--since", "2999-01-01"), 0),
        (("--kind", "turn"), 1),
        (("--kind", "note"), 0),
        (("--tag", "birds"), 0),
        (("--as-of", "2020-01-01"), 0),
    ],
)
def test_an_answer_can_be_narrowed(cli: Cli, narrowed: tuple[str, ...], count: int) -> None:
    cli("remember", "The heron fishes.", "--session", "s1", "--at", "2026-03-03T00:00:00Z")
    said = cli("recall", "heron", "--json", *narrowed)
    assert len(said.json["items"]) == count
    assert said.code == (0 if count else 1)


def test_an_unknown_kind_is_bad_input_and_a_wrong_date_is_wrong_usage(cli: Cli) -> None:
    assert cli("recall", "x", "--kind", "dream").code == 65
    said = cli("recall", "x", "--since", "soon")
    assert said.code == 2
    assert "2026-05-31" in said.err


def test_an_empty_question_is_bad_input(cli: Cli) -> None:
    assert cli("recall", " ").code == 65


def test_a_remembered_text_moves_no_cursor(cli: Cli) -> None:
    cli.told("heron \x1b[2J\x07 bell")
    for command in (("recall", "heron"), ("entries",)):
        shown = cli(*command).out
        assert "\x1b" not in shown
        assert "heron ␛[2J␇ bell" in shown


def test_markup_in_a_text_is_shown_as_it_is(cli: Cli) -> None:
    cli.told("[bold]heron[/bold] :smile:")
    assert "[bold]heron[/bold] :smile:" in cli("recall", "heron").out


def test_a_long_line_is_not_broken_for_a_program(cli: Cli) -> None:
    text = "heron " * 100
    cli.told(text)
    assert text.strip() in cli("recall", "heron").out
    assert text.strip() in cli("entries").out


def test_entries_come_in_order_with_their_place_and_id(cli: Cli) -> None:
    ids = cli.told("first", "second")
    said = cli("entries")
    assert said.code == 0
    assert said.out.index("first") < said.out.index("second")
    for entry_id in ids:
        assert entry_id in said.out


def test_entries_can_be_paged_and_turned_round(cli: Cli) -> None:
    cli.told("one", "two", "three")
    first = cli("entries", "--limit", "2", "--json").json
    rest = cli("entries", "--after", str(first[-1]["seq"]), "--json").json
    assert [entry["text"] for entry in first + rest] == ["one", "two", "three"]
    newest = cli("entries", "--newest-first", "--limit", "1", "--json").json
    assert [entry["text"] for entry in newest] == ["three"]


def test_an_agent_that_said_nothing_has_no_entries(cli: Cli) -> None:
    said = cli("entries")
    assert (said.code, said.out) == (0, "")
    assert "Nothing has been said" in said.err
    assert cli("entries", "--json").json == []


def test_one_agent_never_sees_what_another_remembers(cli: Cli) -> None:
    cli.told("The heron fishes.")
    assert cli("recall", "heron", "--agent", "bob").code == 1
    assert cli("entries", "--agent", "bob", "--json").json == []


COMMANDS = (
    ["entries"], ["records"], ["agents"], ["queue"], ["check"], ["audit", "list"], ["keys", "list"], ["roles"],
    ["recall", "Lisbon", "--explain"],
)  # fmt: skip


@pytest.mark.spec("USE-07")
@pytest.mark.parametrize("width", [50, 100])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_terminal_of_any_width_shows_whole_words_and_no_json(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: list[str], width: int
) -> None:
    (entry_id,) = cli.told("I moved to Lisbon in May.")
    cli("keys", "create", "my agent", "--permission", "read")
    monkeypatch.setattr("remanent.cli.screen.PLAIN_WIDTH", width)
    shown = cli(*command).out
    assert shown.strip()
    assert not re.search(r'[{}]|\["|…', shown), shown
    if command[0] in {"entries", "records"}:
        assert entry_id in shown


def test_fields_are_named_in_chinese_where_the_user_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    cli.told("我对花生过敏。")
    assert "等待中: 0" in cli("queue").out
    assert "内容: 我对花生过敏。" in cli("records").out
    assert "此处尚无智能体" in cli("agents", "--workspace", "empty").err


def test_a_home_without_memories_is_named(cli: Cli, tmp_path: Path) -> None:
    assert str(tmp_path / "nothing") in cli("agents", "--home", tmp_path / "nothing").err
    assert not (tmp_path / "nothing").exists()


def test_an_attached_file_keeps_its_name_and_type(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "plan.pdf").write_bytes(b"%PDF-")
    kept = cli("attach", tmp_path / "plan.pdf", "--json").json
    assert (kept["name"], kept["media_type"]) == ("plan.pdf", "application/pdf")
    named = cli("attach", tmp_path / "plan.pdf", "--name", "b.txt", "--media-type", "text/x-own", "--json").json
    assert (named["name"], named["media_type"]) == ("b.txt", "text/x-own")


@pytest.mark.spec("USE-05")
def test_cards_name_kinds_and_roles_in_the_users_language(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    cli("remember", "My cat likes tuna")
    assert "— user · " in cli("recall", "What does my cat like?").out
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    shown = cli("recall", "What does my cat like?").out
    assert "— 用户 · " in shown
    assert " · 对话 · " in shown
    assert "turn" not in shown


@pytest.mark.needs("cognition")
@pytest.mark.spec("USE-05")
def test_a_memory_is_shown_by_what_there_is_to_say_of_it_in_the_users_language(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("remember", "我叫林晓雨。")
    cli("settle")
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    (memory,) = cli("memories", "list", "--json").json
    assert "[事实, 90%]" in cli("memories", "list").out
    for command in (("memories", "show"), ("memories", "why"), ("get",)):
        shown = cli(*command, memory["id"]).out
        assert "内容: 用户叫林晓雨\n" in shown
        assert "状态: 有效\n版本: 1\n" in shown
        assert "–" not in shown  # a field that holds nothing is left out
        labels = [line.partition(":")[0].strip() for line in shown.splitlines()]
        assert not [label for label in labels if label.isascii() and label != "id"]
    assert "类型" in cli("memories", "audit").out


def test_every_form_is_for_an_answer_that_there_is() -> None:
    answers = [operation.response for operation in CATALOGUE.values()]
    assert all(kind in answers for kind in (*SHOWN, *PREPARED))
