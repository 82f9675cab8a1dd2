import errno
import inspect

import pytest

from remanent import errors
from remanent.cli import execution
from remanent.cli.exits import EXIT_MEANINGS, Exit, exit_of, meaning_of, run_guarded
from remanent.errors import NotFound, QueueFull, RemanentError
from tests.cli.conftest import Cli

EXPECTED = {
    "RemanentError": 69,
    "ToolFailed": 69,
    "CallerError": 65,
    "InvalidInput": 65,
    "InvalidScope": 65,
    "AddressRefused": 65,
    "UnreadableFile": 65,
    "NotFound": 3,
    "VersionConflict": 4,
    "DuplicateEntry": 4,
    "NotAuthenticated": 77,
    "NotPermitted": 77,
    "OriginRefused": 65,
    "BusyError": 75,
    "QueueFull": 75,
    "StoreBusy": 75,
    "RateLimited": 75,
    "ServerUnreachable": 75,
    "LeaseLost": 75,
    "StorageError": 69,
    "StorageFull": 75,
    "AuditFailed": 69,
    "IntegrityError": 5,
    "DamagedExport": 5,
    "KeysDamaged": 5,
    "DatabaseMissing": 5,
    "SchemaTooNew": 69,
    "StoreClosed": 69,
    "SetupError": 78,
    "InvalidSettings": 78,
    "MissingDependency": 69,
    "LanguageError": 69,
    "ModelUnavailable": 75,
    "ModelRejected": 78,
    "ModelDenied": 78,
    "Refused": 69,
    "AnswerLost": 69,
    "JobFailed": 1,
}


def error_classes() -> list[type[RemanentError]]:
    return [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, RemanentError)]


def test_the_codes_are_those_that_were_promised() -> None:
    assert [int(row.code) for row in EXIT_MEANINGS] == [0, 1, 2, 3, 4, 5, 65, 69, 75, 77, 78, 130]
    assert {row.code for row in EXIT_MEANINGS} == set(Exit)


def test_every_error_has_the_code_that_was_promised() -> None:
    assert {kind.__name__: int(exit_of(kind("x"))) for kind in error_classes()} == EXPECTED


def test_no_error_of_ours_ends_like_success_or_like_a_wrong_command_line() -> None:
    assert not {exit_of(kind("x")) for kind in error_classes()} & {Exit.OK, Exit.USAGE, Exit.INTERRUPTED}


def test_a_full_disk_may_be_tried_again_and_other_trouble_of_the_system_may_not() -> None:
    assert exit_of(OSError(errno.ENOSPC, "no space")) is Exit.TRY_AGAIN
    assert exit_of(OSError(errno.EIO, "broken")) is Exit.UNAVAILABLE
    assert exit_of(ZeroDivisionError()) is Exit.UNAVAILABLE


@pytest.mark.parametrize("code", Exit)
def test_every_code_is_explained_in_both_languages(code: Exit) -> None:
    row = meaning_of(code)
    assert row.meaning.en.isascii()
    assert not row.meaning.zh.isascii()


def fails(error: BaseException) -> object:
    raise error


def test_an_error_is_one_line_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(lambda: fails(NotFound("no record x here")), []) == 3
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Error: no record x here\n")


def test_with_json_an_error_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(lambda: fails(QueueFull("太满了")), ["remember", "--json"]) == 75
    assert capsys.readouterr().err == '{"error": "QueueFull", "message": "太满了", "exit": 75}\n'


def test_debugging_shows_where_it_happened(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_DEBUG", "1")
    assert run_guarded(lambda: fails(NotFound("x")), []) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_defect_does_not_look_like_an_empty_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(lambda: fails(ZeroDivisionError("division by zero")), []) == 69
    shown = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in shown
    assert "REMANENT_DEBUG=1" in shown
    assert "Traceback" not in shown


def test_trouble_of_the_system_is_told_in_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_guarded(lambda: fails(PermissionError(13, "Permission denied", "/x")), []) == 69
    assert capsys.readouterr().err == "Error: [Errno 13] Permission denied: '/x'\n"


def test_an_interrupt_ends_with_130_and_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(execution, "perform", interrupted)
    said = cli("recall", "x")
    assert (said.code, said.out, said.err) == (130, "", "Interrupted.\n")


def test_a_wrong_command_line_is_told_in_chinese_where_the_user_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    missing = cli("recall")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err.startswith("用法：")
    assert "错误：缺少参数 'QUERY'" in missing.err
    for arguments, said in (
        (("recall", "--limt", "3", "q"), "错误：没有这个选项：--limt（可用的有：--limit）"),
        (("recall", "q", "--limit"), "错误：选项 '--limit' 需要一个值。"),
        (("recall", "q", "--json=3"), "错误：选项 '--json' 不带值。"),
        (("recall", "q", "--limit", "x"), "错误：'--limit' / '-n' 的值无效：应为整数"),
        (("recall", "q", "--limit", "-4"), "错误：'--limit' / '-n' 的值无效：应不小于 1"),
    ):
        assert cli(*arguments).err.splitlines()[-1] == said
    mistyped = cli("recal", "x")
    assert mistyped.err.splitlines() == [
        "用法：remanent [选项] 命令 [参数]...",
        "运行 “remanent --help” 查看帮助。",
        "错误：没有这个命令 'recal'。是否想输入 'recall'？",
    ]
    assert "问题为空；请输入要问的内容" in cli("recall", "").err
    assert "digest 应为 SHA-256 摘要" in cli("attachment", "nope").err


@pytest.mark.spec("USE-05")
def test_help_is_chinese_throughout_and_names_no_types_of_python(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "<list[str]>" not in cli("recall", "--help").out
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    for said in (cli("--help").out, cli("recall", "--help").out, cli("session", "--help").out):
        assert said.startswith("用法：remanent")
        assert "显示此帮助。" in said
        # What commands say themselves was read in English when this program was loaded.
        english = ("Usage", "Options", "Commands", "Arguments", "Show this", "Install comp", "default:", "env var")
        assert [word for word in english if word in said] == []


def test_a_list_without_rows_says_that_there_is_nothing(cli: Cli) -> None:
    said = cli("session", "list")
    assert (said.code, said.out, said.err) == (0, "", "Nothing here.\n")


def test_whoever_names_no_agent_means_the_default_one(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REMANENT_AGENT")
    assert cli("remember", "The flat is in Lisbon.").code == 0
    assert "Lisbon" in cli("recall", "Where is the flat?").out
    assert "Lisbon" in cli("recall", "Where is the flat?", "--agent", "default").out
    assert "Lisbon" not in cli("recall", "Where is the flat?", "--agent", "ada").out
