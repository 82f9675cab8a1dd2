"""The audit log: every change to what was written shows."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.operations.access.audit import BEGINNING, AuditLog, Deed


def deed(what: str) -> Deed:
    return Deed(who="key:1", what=what, org="acme")


async def written(folder: Path, count: int) -> Path:
    log = AuditLog(folder)
    for number in range(count):
        await log.note(deed(f"op{number}"))
    await log.close()
    return folder / ".access" / "audit.jsonl"


async def test_lines_come_back_as_they_were_noted(tmp_path: Path) -> None:
    await written(tmp_path, 3)
    lines = list(AuditLog(tmp_path).read())
    assert [line.deed.what for line in lines] == ["op0", "op1", "op2"]
    assert [line.seq for line in lines] == [1, 2, 3]
    assert lines[0].previous == BEGINNING
    found = AuditLog(tmp_path).verify()
    assert (found.intact, found.lines, found.head) == (True, 3, lines[-1].seal)


async def test_many_writers_at_once_make_one_chain(tmp_path: Path) -> None:
    logs = [AuditLog(tmp_path) for _ in range(3)]
    await asyncio.gather(*(log.note(deed(f"op{number}")) for number in range(20) for log in logs))
    for log in logs:
        await log.close()
    found = AuditLog(tmp_path).verify()
    assert (found.intact, found.lines) == (True, 60)


async def test_a_line_that_a_crash_left_unfinished_is_taken_away(tmp_path: Path) -> None:
    file = await written(tmp_path, 2)
    with file.open("ab") as stream:
        stream.write(b'{"seq":3,"at"')
    assert AuditLog(tmp_path).verify().lines == 2
    await written(tmp_path, 1)
    found = AuditLog(tmp_path).verify()
    assert (found.intact, found.lines) == (True, 3)


def test_an_empty_log_is_intact(tmp_path: Path) -> None:
    assert AuditLog(tmp_path).verify().intact


@pytest.mark.parametrize("change", ["edit", "drop", "swap", "garble"])
async def test_any_tampering_is_found(tmp_path: Path, change: str) -> None:
    file = await written(tmp_path, 4)
    lines = file.read_text(encoding="utf-8").splitlines()
    if change == "edit":
        body = json.loads(lines[1])
        body["deed"]["who"] = "key:2"
        lines[1] = json.dumps(body)
    elif change == "drop":
        del lines[1]
    elif change == "swap":
        lines[1], lines[2] = lines[2], lines[1]
    else:
        lines[1] = "?"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = AuditLog(tmp_path).verify()
    assert not found.intact
    assert found.lines == 1
    assert found.problem.startswith("line 2")


def test_other_letters_for_the_same_values_are_noticed(tmp_path: Path) -> None:
    file = asyncio.run(written(tmp_path, 2))
    line = file.read_text(encoding="utf-8")
    place = line.index("T", line.index('"at":"'))
    file.write_text(line[:place] + "t" + line[place + 1 :], encoding="utf-8")
    assert not AuditLog(tmp_path).verify().intact


@given(place=st.integers(min_value=0), mask=st.integers(min_value=1, max_value=255))
def test_no_bit_can_be_turned_unnoticed(tmp_path_factory: pytest.TempPathFactory, place: int, mask: int) -> None:
    folder = tmp_path_factory.mktemp("audit")
    file = asyncio.run(written(folder, 2))
    content = bytearray(file.read_bytes())
    content[place % len(content)] ^= mask
    file.write_bytes(content)
    found = AuditLog(folder).verify()
    assert not found.intact or found.lines < 2
