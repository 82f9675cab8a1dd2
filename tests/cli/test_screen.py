import io
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from remanent.cli.screen import ProgressMeter, Terminal, human_size, local_time, show_found, visible
from remanent.model import Found, FoundItem, FoundSource, Kind

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=80)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@given(st.text())
def test_no_control_character_reaches_the_terminal(text: str) -> None:
    shown = visible(text)
    assert len(shown) == len(text)
    assert all(char in "\t\n" or not (ord(char) < 32 or 127 <= ord(char) < 160) for char in shown)


TURNING = "".join(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))


def test_signs_that_turn_the_direction_of_writing_are_marked() -> None:
    assert visible(f"pay {TURNING}4321") == f"pay {'�' * 9}4321"


@given(st.text(st.characters(exclude_categories=["Cc"], exclude_characters=TURNING)))
def test_a_text_without_control_characters_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("past", "english", "chinese"),
    [
        (timedelta(seconds=20), "just now", "刚刚"),
        (timedelta(minutes=59), "59 min ago", "59 分钟前"),
        (timedelta(hours=30), "30 h ago", "30 小时前"),
        (timedelta(days=20), "20 d ago", "20 天前"),
        (timedelta(days=100), "3 months ago", "3 个月前"),
        (timedelta(days=3000), "8 years ago", "8 年前"),
        (timedelta(days=-3), "in the future", "未来"),
    ],
)
def test_an_age_is_told_in_one_unit(past: timedelta, english: str, chinese: str) -> None:
    assert Terminal(as_json=False, language="en").age(NOW - past, now=NOW) == english
    assert Terminal(as_json=False, language="zh").age(NOW - past, now=NOW) == chinese


@given(st.datetimes(timezones=st.just(UTC)))
def test_every_moment_of_the_calendar_can_be_shown(moment: datetime) -> None:
    assert len(local_time(moment)) == len("2026-06-01 00:00")


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1000, "1 kB"), (95_600, "95.6 kB"), (3 * 10**12, "3 TB")]
)
def test_a_size_is_told_as_people_say_it(size: int, text: str) -> None:
    assert human_size(size) == text


def test_quick_work_shows_no_progress() -> None:
    console = terminal()
    with ProgressMeter(console, "Working", total=10, timer=lambda: 0.0) as meter:
        meter.advance(10)
    assert written(console) == ""


def test_long_work_shows_how_far_it_is() -> None:
    console = terminal()
    ticks = count()
    with ProgressMeter(console, "Working", total=10, timer=lambda: float(next(ticks))) as meter:
        meter.advance(5)
        meter.note("half")
    assert "Working" in written(console)
    assert "50 %" in written(console)
    assert "half" in written(console)


def test_work_without_a_known_end_shows_that_it_goes_on() -> None:
    console = terminal()
    ticks = count()
    with ProgressMeter(console, "Indexing", timer=lambda: float(next(ticks))) as meter:
        meter.note("3 + 1")
    assert "3 + 1" in written(console)


def test_without_a_terminal_there_is_no_progress_at_all() -> None:
    console = Console(file=io.StringIO())
    ticks = count()
    with ProgressMeter(console, "Working", timer=lambda: float(next(ticks))) as meter:
        meter.advance()
    assert written(console) == ""


def test_json_is_one_line_for_programs_and_indented_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Terminal(as_json=True, language="en")
    screen.give({"a": ["苍鹭"]})
    screen.out = terminal()
    screen.give({"a": ["苍鹭"]})
    assert capsys.readouterr().out == '{"a":["苍鹭"]}\n{\n  "a": [\n    "苍鹭"\n  ]\n}\n'


def test_on_a_terminal_an_answer_is_a_card() -> None:
    screen = Terminal(as_json=False, language="en")
    screen.out = terminal()
    source = FoundSource(entry_id="e", session="visit", role="user", occurred_at=NOW, start=0, end=4, text="figs")
    item = FoundItem(
        record_id="r", text="Clara brings fruit.", score=0.5, kind=Kind.SEMANTIC, occurred_at=NOW, sources=(source,)
    )
    show_found(screen, Found(query="figs", items=(item,)), now=NOW)
    shown = written(screen.out)
    assert "╭" in shown
    assert "Clara brings fruit." in shown
    assert "session visit: “figs”" in shown
    assert "semantic · just now" in shown


def test_only_a_clear_yes_is_a_yes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    screen = Terminal(as_json=False, language="en")
    for answer, meant in {"y": True, "Yes\n": True, "是\n": True, "": False, "\n": False, "yep\n": False}.items():
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        assert screen.ask("Really?") is meant
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Really? [y/N] ")
