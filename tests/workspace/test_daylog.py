"""Blocks of facts: which lines are ours, and that nothing else is ever touched."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.workspace.hooks import compacted, known_keys, own_bullets, with_extracted, with_facts

AT = datetime(2026, 5, 31, 18, 30)  # noqa: DTZ001 - a day's file is in local time
LATER = datetime(2026, 5, 31, 19, 5)  # noqa: DTZ001


@pytest.mark.spec("WORK-03")
def test_facts_stand_in_a_dated_block_with_the_session() -> None:
    text = with_facts(None, ["- 用户请求: 买牛奶"], at=AT, session="s1")
    assert text.splitlines()[0] == "# 2026-05-31"
    assert "## 2026-05-31 18:30 · s1" in text.splitlines()
    assert text.splitlines()[-1] == "- 用户请求: 买牛奶"


@pytest.mark.spec("WORK-03")
def test_facts_for_long_are_added_under_one_heading_and_a_persons_lines_stay() -> None:
    text = with_extracted("# Memory\r\n\r\nmine\r\n", ["- a"])
    text += "\r\n## Plans\r\nby hand"
    text = with_extracted(text, ["- b"])
    assert text.count("## Auto-extracted") == 1
    assert "- a\r\n- b\r\n" in text
    assert text.startswith("# Memory\r\n\r\nmine\r\n")
    assert text.endswith("\r\n## Plans\r\nby hand")


@pytest.mark.spec("WORK-04")
def test_bullets_are_told_apart_by_80_characters_whatever_their_case_and_the_first_is_kept() -> None:
    long = "- Completed: " + "x" * 67
    text = with_facts(None, [f"{long} first", "- Completed: b"], at=AT, session=None)
    text = with_facts(text, [f"{long.upper()} second", "- Completed: c"], at=LATER, session=None)
    short = compacted(text)
    assert short.startswith("# 2026-05-31\n")
    assert "first" in short
    assert "second" not in short
    assert "- Completed: b" in short
    assert "- Completed: c" in short
    assert compacted(short) == short


@pytest.mark.spec("WORK-04")
def test_a_block_without_bullets_goes_with_its_heading_unless_a_person_wrote_there() -> None:
    text = with_facts(None, ["- a"], at=AT, session=None)
    again = with_facts(text, ["- A"], at=LATER, session=None)
    assert compacted(again).rstrip() == text.rstrip()
    noted = again + "by hand\n"
    assert "19:05" in compacted(noted)
    assert "by hand" in compacted(noted)


@pytest.mark.spec("WORK-04")
def test_a_persons_line_counts_as_first_and_an_edited_bullet_is_the_persons() -> None:
    text = with_facts(None, ["- Completed: the report", "- Completed: the plan"], at=AT, session=None)
    text += "\n- completed: the report\n"
    short = compacted(text)
    assert "- Completed: the report" not in short
    assert "- completed: the report" in short
    edited = short.replace("- Completed: the plan", "- Completed: the plan!") + "- Completed: the plan!\n"
    assert compacted(edited) == edited


lines = st.lists(st.sampled_from(["- a", "- A", "- b", "* a", "text", "", "# t", "## x", "<!-- remanent:facts -->"]))


@given(before=lines, between=lines, facts=st.lists(st.sampled_from(["- a", "- b", "- c"]), unique=True, min_size=1))
def test_whatever_a_person_writes_is_kept_line_by_line_in_order(
    before: list[str], between: list[str], facts: list[str]
) -> None:
    hand = [f"{line} by hand {place}" if line else "" for place, line in enumerate([*before, *between])]
    first, second = hand[: len(before)], hand[len(before) :]
    text = with_facts("\n".join(first), facts, at=AT, session=None) + "\n".join(second) + "\n"
    text = with_facts(text, facts, at=LATER, session=None)
    left = [line for line in compacted(text).splitlines() if "by hand" in line]
    assert left == [line for line in hand if line]
    assert known_keys(compacted(text)) == known_keys(text)
    own = own_bullets(compacted(text).splitlines())
    assert len(own) == len(facts)
