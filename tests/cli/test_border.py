import pytest

from remanent.cli import perform
from remanent.cli.border import guarded
from remanent.errors import NotFound, QueueFull
from tests.cli.conftest import Cli


def fails(error: BaseException) -> object:
    raise error


def test_an_error_is_one_line_without_a_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: fails(NotFound("no record x here")), []) == 3
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "Error: no record x here\n")


def test_with_json_an_error_is_one_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: fails(QueueFull("太满了")), ["remember", "--json"]) == 75
    assert capsys.readouterr().err == '{"error": "QueueFull", "message": "太满了", "exit": 75}\n'


def test_debugging_shows_where_it_happened(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_DEBUG", "1")
    assert guarded(lambda: fails(NotFound("x")), []) == 3
    assert "Traceback" in capsys.readouterr().err


def test_a_defect_does_not_look_like_an_empty_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: fails(ZeroDivisionError("division by zero")), []) == 69
    shown = capsys.readouterr().err
    assert "ZeroDivisionError: division by zero" in shown
    assert "REMANENT_DEBUG=1" in shown
    assert "Traceback" not in shown


def test_trouble_of_the_system_is_told_in_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(lambda: fails(PermissionError(13, "Permission denied", "/x")), []) == 69
    assert capsys.readouterr().err == "Error: [Errno 13] Permission denied: '/x'\n"


def test_an_interrupt_ends_with_130_and_no_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(perform, "perform", interrupted)
    said = cli("recall", "x")
    assert (said.code, said.out, said.err) == (130, "", "Interrupted.\n")
