"""Errors are told to people in their own language, and the table of them does not drift from where they are raised."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent import errors
from remanent.bilingual import Bilingual, known_errors, translated
from remanent.cli.screen import Terminal, tell_found
from remanent.cli.words import FIELDS, SORTS
from remanent.model import Found, GateReason, GateVerdict, LeftOut
from remanent.operations.access.keys import Key
from remanent.stores.transfer import IMPORTED_KINDS
from tests.cli.conftest import Cli
from tests.recall.items import make_item

PLACE = re.compile(r"\{[^{}]*\}")
OF_PYDANTIC = re.compile(r"Input should be|Field required|Extra inputs")
OF_THE_SYSTEM = re.compile(
    r"No such file|Permission denied|Is a directory|column \{column\} \(char"  # the last is Python's, of JSON
)


@cache
def _nodes() -> dict[str, list[ast.AST]]:
    """Return what is said or raised in the sources, by the names of their files: to read them takes 2 s of CPU."""
    said = (ast.Constant, ast.JoinedStr, ast.Raise)
    return {
        str(file): [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, said)]
        for file in Path(remanent.__file__).parent.rglob("*.py")
    }


def _raised() -> set[str]:
    """Return the texts in the sources, with a mark where something is filled in."""
    found = set()
    for file, nodes in _nodes().items():
        if file.endswith("bilingual.py"):
            continue  # the table itself
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
                found.add("".join(map(str, parts)))
    return found


@pytest.mark.spec("USE-05")
def test_every_error_of_the_table_is_raised_somewhere_in_these_words() -> None:
    texts = {text for text in _raised() if " " in text}
    filled = [re.compile(re.escape(text).replace(r"\{\}", ".+"), re.DOTALL) for text in texts if "{}" in text]
    for error in known_errors():
        if OF_PYDANTIC.search(error.en) or OF_THE_SYSTEM.search(error.en):
            continue
        sample = PLACE.sub("x", error.en).replace("content: ", "")
        assert sample in texts or any(text.fullmatch(sample) for text in filled), error.en


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize("reason", ["no answer within 2 s", "no cross-encoder is configured; set recall.reranker"])
def test_why_a_path_did_not_answer_is_told_in_the_users_language(
    reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = Found(query="x", items=(), left_out=(LeftOut(path="keyword", reason=reason),))
    tell_found(Terminal(as_json=False, language="zh"), found)
    said = capsys.readouterr().err
    assert "检索路径 keyword 未能作答" in said
    assert reason not in said
    assert translated(reason, "zh") in said


def test_a_command_says_where_perhaps_none_of_what_was_found_is_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    found = Found(query="Who is Ada?", items=(make_item("Ada walked to town."),))
    for reason, says_so in ((GateReason.UNSURE, True), (GateReason.NEAR, False)):
        tell_found(Terminal(as_json=False, language="en"), found.replace(gate=GateVerdict(passed=True, reason=reason)))
        assert ("Perhaps none of these is an answer." in capsys.readouterr().err) is says_so


UNTRANSLATED = 269
"""Texts of errors that are raised and told in English only. They are told to programmers and operators; whoever adds
one for the users of commands and pages puts it into errors_zh.txt, and whoever translates one lowers the number."""


def test_errors_without_chinese_do_not_grow_in_number() -> None:
    missing = sorted(text for text in _texts_of_errors() if translated(text, "zh") == text)
    assert len(missing) <= UNTRANSLATED, "put the new ones into errors_zh.txt: " + "\n".join(missing)


def _texts_of_errors() -> set[str]:
    """Return what typed errors say where they are raised, with a mark where something is filled in."""
    found = set()
    for nodes in _nodes().values():
        for node in nodes:
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                name, said = node.exc.func, node.exc.args[0]
                if not isinstance(name, ast.Name) or not hasattr(errors, name.id):
                    continue
                parts = said.values if isinstance(said, ast.JoinedStr) else [said]
                told = [part.value if isinstance(part, ast.Constant) else "…" for part in parts]
                if any(part != "…" for part in told):
                    found.add("".join(map(str, told)))
    return found


@pytest.mark.parametrize("error", known_errors(), ids=lambda error: error.en[:40])
def test_every_error_has_the_same_places_in_both_languages(error: Bilingual) -> None:
    assert set(PLACE.findall(error.zh)) <= set(PLACE.findall(error.en))
    values = {place.strip("{}"): f"v{number}" for number, place in enumerate(PLACE.findall(error.en))}
    said = translated(error.en.format(**values), "zh")
    assert said == error.zh.format(**values)
    assert translated(error.en.format(**values), "en") == error.en.format(**values)


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    "command",
    [
        ("remember", ""),
        ("recall", " "),
        ("recall", "x", "--limit", "0"),
        ("recall", "x", "--limit", "abc"),
        ("migrate",),
        ("remember", "hello", "--agent", "../x"),
        ("remember", "--file", "absent.jsonl"),
        ("get", "01a1e3f9-d4d4-7503-9523-00482defe45f"),
        ("import", "absent.jsonl"),
        ("export", "absent/folder.jsonl"),
        ("keys", "create", "a", "--permission", "fly"),
        ("recall", "x", "--kind", "galaxy"),
    ],
)
def test_what_went_wrong_is_told_in_chinese_to_the_end(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    monkeypatch.chdir(Path(__file__).parent)
    said = cli(*command)
    assert said.code != 0
    told = said.err.strip().splitlines()[-1]
    assert told.startswith("错误")
    assert not re.search(r"[a-z]+ [a-z]+ [a-z]+", told), told


@pytest.mark.spec("USE-05")
def test_refusals_are_chinese_down_to_their_signs(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert "应为 'item'、'turns' 或 'session'" in cli("recall", "x", "--grain", "galaxy").err
    assert "名称含有 '/'" in cli("recall", "x", "--agent", "a/b").err
    assert "值无效：请指明" in cli("erase", "--yes").err


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("keys", "revoke", "abc"), "12 个 0-9 或 a-f 的字符"),
        pytest.param(("bank", "show", "nope.json"), "文件 'nope.json' 不存在", marks=pytest.mark.needs("bank")),
        (("remember", "--file", "bad.json"), "第 1 行第 10 列应有一个值"),
        (("evaluate", "bad.json"), "第 1 行：这不是 JSON（第 1 行第 9 列）"),
    ],
)
def test_what_the_checker_and_python_say_is_in_chinese_too(
    cli: Cli, words: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    (tmp_path / "bad.json").write_text('{"role": ', encoding="utf-8")
    said = cli(*words)
    assert said.code != 0
    assert told in said.err
    assert not re.search("String should|does not exist|Expecting|Invalid JSON|probe", said.err)


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    ("message", "told"),
    [
        ({"content": "hi", "occurred_at": "昨天"}, "第 1 条消息：occurred_at：这不是日期或时间；请写成 2026-05-31 或 "),
        ({"content": "hi", "metadata": [1]}, "第 1 条消息：metadata：应为对象"),
    ],
)
def test_a_refused_message_is_told_in_chinese(message: dict[str, object], told: str, tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory, pytest.raises(errors.InvalidInput) as refused:
        memory.agent("ada").remember([message])
    assert translated(str(refused.value), "zh").startswith(told)


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    ("wanted", "told"),
    [({"options": {"gate": "maybe"}}, "gate：应为 true 或 false"), ({"budget": -1}, "budget 不应小于 0")],
)
def test_a_refused_question_is_told_in_chinese(wanted: dict[str, Any], told: str, tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory, pytest.raises(errors.InvalidInput) as refused:
        memory.agent("ada").recall("tea", **wanted)
    assert translated(str(refused.value), "zh").startswith(told)
    unknown = "there is no argument text; use one of messages, session"
    assert translated(unknown, "zh") == "没有参数 text；可用：messages, session"


@pytest.mark.spec("USE-05")
def test_what_keys_and_imports_tell_is_all_chinese(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {name for name in Key.model_fields if name not in FIELDS} == {"reach"}  # shown by its own fields
    assert set(SORTS) == set(IMPORTED_KINDS)
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    cli("remember", "我住在深圳。", "--agent", "ada")
    cli("export", str(tmp_path / "out.jsonl"), "--agent", "ada")
    assert "已导入 neu：原始记录 1、" in cli("import", str(tmp_path / "out.jsonl"), "--agent", "neu").err


@pytest.mark.spec("USE-05")
def test_a_recall_of_an_agent_that_was_never_told_anything_says_where_to_look(cli: Cli) -> None:
    cli("remember", "The spare key hangs behind the clock.", "--agent", "ada")
    said = cli("recall", "Where is the spare key?", "--agent", "adda")
    assert (said.code, "If agent adda should know something" in said.err) == (1, True)
    assert "If agent" not in cli("recall", "Where is the spare key?", "--agent", "ada").err


@pytest.mark.spec("USE-05")
def test_each_field_is_told_in_chinese_and_what_is_wrong_inside_it_once(cli: Cli) -> None:
    said = translated("limit: Input should be 'a' or 'b'; kinds.0: give at least one", "zh")
    assert said == "limit：应为 'a' 或 'b'；kinds.0：请至少给出一项"
    assert "at least one" not in cli("keys", "create", "a", "--permission", "fly").err


def test_a_group_without_a_command_shows_its_help_once(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    said = cli("context").out + cli("context").err
    assert said.count("用法") == 1
    assert "错误" not in said


def test_a_narrow_terminal_cuts_no_command_s_help(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    told = cli("--help").out.partition("Commands:")[2]
    assert "attach" in told
    assert "..." not in told
