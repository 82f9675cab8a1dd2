"""The audit log: every change to what was written shows, and nothing that happens to it holds up a request."""

import asyncio
import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import IntegrityError, RemanentError, StorageError, StorageFull, StoreBusy
from remanent.operations.access.audit import AuditLog, AuditStatus
from remanent.operations.access.chain import (
    BEGINNING,
    BROKEN,
    Anchors,
    AuditEvent,
    AuditLine,
    Chain,
    Sealer,
    sealed,
    sealed_text,
)
from remanent.stores import shelf
from tests.power import Died, Disk, dies_at

pytestmark = pytest.mark.spec("SAFE-03")

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HANGS = 30
"""Seconds after which something that should be answered at once counts as hanging."""


def deed(what: str, *, org: str = "acme") -> AuditEvent:
    return AuditEvent(who="key:1", what=what, org=org)


def log_of(home: Path, org: str = "acme") -> Path:
    return home / ".access" / "audit" / f"{org}.jsonl"


def head_of(home: Path, org: str = "acme") -> Path:
    return home / ".secrets" / "audit" / f"{org}.head"


async def written(home: Path, count: int, *, org: str = "acme") -> Path:
    log = AuditLog(home)
    for number in range(count):
        await asyncio.wait_for(log.note(deed(f"op{number}", org=org)), HANGS)
    await log.close()
    return log_of(home, org)


def deeds(home: Path, org: str = "acme") -> list[str]:
    return [line.deed.what for line in AuditLog(home).read(org)]


def lines_of(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines(keepends=True)


# ── what is written ──────────────────────────────────────────────────────────


async def test_lines_come_back_as_they_were_noted(tmp_path: Path) -> None:
    await written(tmp_path, 3)
    lines = list(AuditLog(tmp_path).read("acme"))
    assert [line.deed.what for line in lines] == ["op0", "op1", "op2"]
    assert [line.seq for line in lines] == [1, 2, 3]
    assert lines[0].previous == BEGINNING
    found = AuditLog(tmp_path).verify("acme")
    assert (found.intact, found.lines, found.head) == (True, 3, lines[-1].seal)


async def test_many_writers_at_once_make_one_chain(tmp_path: Path) -> None:
    logs = [AuditLog(tmp_path) for _ in range(3)]
    await asyncio.gather(*(log.note(deed(f"op{number}")) for number in range(20) for log in logs))
    for log in logs:
        await log.close()
    found = AuditLog(tmp_path).verify("acme")
    assert (found.intact, found.lines) == (True, 60)


async def test_each_organisation_has_a_chain_of_its_own(tmp_path: Path) -> None:
    for _ in range(2):
        for org in ("acme", "Acme", "公司", "a:b"):
            await written(tmp_path, 1, org=org)
    log = AuditLog(tmp_path)
    assert log.orgs() == sorted(["acme", "Acme", "公司", "a:b"])
    for org in log.orgs():
        assert {line.deed.org for line in log.read(org)} == {org}
        assert (log.verify(org).intact, log.verify(org).lines) == (True, 2)
    names = [file.name.casefold() for file in log_of(tmp_path).parent.iterdir()]
    assert len(set(names)) == 4  # where case does not count they would be one


async def test_damage_to_one_log_is_nothing_that_another_organisation_hears_of(tmp_path: Path) -> None:
    await written(tmp_path, 3)
    file = await written(tmp_path, 3, org="other")
    sound = AuditLog(tmp_path).verify("acme")
    file.write_bytes(b"?\n")
    assert AuditLog(tmp_path).verify("acme") == sound
    assert not AuditLog(tmp_path).verify("other").intact


async def test_the_key_lies_apart_from_the_log_and_is_for_its_owner_only(tmp_path: Path) -> None:
    await written(tmp_path, 1)
    key = tmp_path / ".secrets" / "audit.key"
    told = key.read_bytes().strip()
    for file in (tmp_path / ".access").rglob("*"):
        assert not file.is_file() or told not in file.read_bytes()
    assert key.stat().st_mode & 0o077 == 0
    assert key.parent.stat().st_mode & 0o077 == 0


async def test_the_secrets_may_lie_elsewhere(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "home", secrets=tmp_path / "vault")
    await log.note(deed("op"))
    await log.close()
    assert (tmp_path / "vault" / "audit.key").exists()
    assert not (tmp_path / "home" / ".secrets").exists()
    assert AuditLog(tmp_path / "home", secrets=tmp_path / "vault").verify("acme").intact
    assert not AuditLog(tmp_path / "home").verify("acme").intact


def test_an_empty_log_is_intact_and_looking_at_it_makes_nothing(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "home")
    assert log.verify("acme").intact
    assert (log.orgs(), log.standing().damaged, list(log.read("acme"))) == ([], 0, [])
    assert not (tmp_path / "home").exists()


# ── tampering ────────────────────────────────────────────────────────────────


def resealed(lines: list[bytes], seal: Callable[[AuditLine], AuditLine]) -> list[bytes]:
    """Return lines that follow each other again, as somebody would write them who knows how it is done."""
    previous, result = BEGINNING, []
    for number, content in enumerate(lines, start=1):
        line = seal(AuditLine.from_json(content).replace(seq=number, previous=previous))
        previous = line.seal
        result.append(line.to_json().encode() + b"\n")
    return result


def unkeyed(line: AuditLine) -> AuditLine:
    return line.replace(seal=hashlib.sha256(sealed_text(line).encode()).hexdigest())


def other_key(line: AuditLine) -> AuditLine:
    return sealed(line, Sealer(b"x" * 32, org="acme"))


def edited(lines: list[bytes]) -> list[bytes]:
    body = json.loads(lines[1])
    body["deed"]["who"] = "key:2"
    return [lines[0], json.dumps(body, separators=(",", ":")).encode() + b"\n", *lines[2:]]


TAMPERED: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "edited": edited,
    "garbled": lambda lines: [lines[0], b"?\n", *lines[2:]],
    "swapped": lambda lines: [lines[0], lines[2], lines[1], lines[3]],
    "doubled": lambda lines: [*lines, lines[-1]],
    "first dropped": lambda lines: lines[1:],
    "second dropped": lambda lines: [lines[0], *lines[2:]],
    "last dropped": lambda lines: lines[:-1],
    "all dropped": lambda _: [],
    "sealed anew without the key": lambda lines: resealed(lines, unkeyed),
    "cut and sealed anew without the key": lambda lines: resealed(lines[2:], unkeyed),
    "sealed anew with another key": lambda lines: resealed(lines, other_key),
}


@pytest.mark.parametrize("change", TAMPERED)
async def test_any_tampering_is_found_before_and_after_the_next_line(tmp_path: Path, change: str) -> None:
    file = await written(tmp_path, 4)
    file.write_bytes(b"".join(TAMPERED[change](lines_of(file))))
    found = AuditLog(tmp_path).verify("acme")
    assert not found.intact, found
    assert found.lines < 4 or change == "doubled"
    await written(tmp_path, 2)
    assert not AuditLog(tmp_path).verify("acme").intact
    assert deeds(tmp_path)[-2:] == ["op0", "op1"]


async def test_a_log_that_is_gone_altogether_is_missed(tmp_path: Path) -> None:
    file = await written(tmp_path, 4)
    shutil.rmtree(file.parent)
    log = AuditLog(tmp_path)
    assert log.orgs() == ["acme"]
    assert "lines 1 to 4" in log.verify("acme").problem
    assert log.standing().damaged == 1


async def test_lines_of_another_organisation_do_not_fit(tmp_path: Path) -> None:
    file = await written(tmp_path, 4)
    other = await written(tmp_path, 4, org="other")
    shutil.copy(other, file)
    assert not AuditLog(tmp_path).verify("acme").intact


@pytest.mark.parametrize("more", [1, 3])
async def test_a_log_of_a_copy_of_the_home_does_not_pass_for_this_one(tmp_path: Path, more: int) -> None:
    """Its lines are sealed with the right key and follow each other: only the anchor tells that they are others."""
    home, copy = tmp_path / "home", tmp_path / "copy"
    await written(home, 2)
    shutil.copytree(home, copy)
    await written(home, 1)
    other = AuditLog(copy)
    for number in range(more):
        await other.note(deed(f"harmless{number}"))
    await other.close()
    shutil.copyfile(log_of(copy), log_of(home))
    found = AuditLog(home).verify("acme")
    assert not found.intact
    assert "not the one that was noted last" in found.problem


async def test_every_cut_is_found_wherever_it_is_made(tmp_path: Path) -> None:
    file = await written(tmp_path, 4)
    content = file.read_bytes()
    log = AuditLog(tmp_path)
    unnoticed = []
    for size in range(len(content)):
        file.write_bytes(content[:size])
        if log.verify("acme").intact or log.standing().damaged != 1:
            unnoticed.append(size)
    assert unnoticed == []
    file.write_bytes(content)
    assert log.verify("acme").intact


async def test_every_cut_is_still_found_when_lines_came_after_it(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    content = (await written(whole, 3)).read_bytes()
    borders = [0, *(place + 1 for place, byte in enumerate(content[:-1]) if byte == ord("\n"))]
    for size in sorted(
        {*borders, *(one + 1 for one in borders), *(one - 1 for one in borders if one), len(content) - 1}
    ):
        home = tmp_path / str(size)
        shutil.copytree(whole, home)
        log_of(home).write_bytes(content[:size])
        await written(home, 1)
        found = AuditLog(home).verify("acme")
        kept = content[:size].count(b"\n")
        assert not found.intact
        assert f"lines {kept + 1} to 3 are missing" in found.problem
        assert deeds(home)[kept:] == [BROKEN, "op0"]


@given(place=st.integers(min_value=0), mask=st.integers(min_value=1, max_value=255))
def test_no_bit_can_be_turned_unnoticed(tmp_path_factory: pytest.TempPathFactory, place: int, mask: int) -> None:
    folder = tmp_path_factory.mktemp("audit")
    file = asyncio.run(written(folder, 2))
    content = bytearray(file.read_bytes())
    content[place % len(content)] ^= mask
    file.write_bytes(content)
    assert not AuditLog(folder).verify("acme").intact


def test_other_letters_for_the_same_values_are_noticed(tmp_path: Path) -> None:
    file = asyncio.run(written(tmp_path, 2))
    line = file.read_text(encoding="utf-8")
    place = line.index("T", line.index('"at":"'))
    file.write_text(line[:place] + "t" + line[place + 1 :], encoding="utf-8")
    assert not AuditLog(tmp_path).verify("acme").intact


async def test_what_the_log_is_held_against_can_be_neither_forged_nor_taken_away(tmp_path: Path) -> None:
    file = await written(tmp_path, 4)
    first = file.read_bytes()
    head = head_of(tmp_path)
    kept = head.read_bytes()
    cut = lines_of(file)[1]
    file.write_bytes(b"".join(lines_of(file)[:2]))
    line = AuditLine.from_json(cut)
    head.write_bytes(f"{line.seq} {line.seal} {'0' * 64}".ljust(511).encode() + b"\n" + b" " * 512)
    assert not AuditLog(tmp_path).verify("acme").intact
    head.unlink()
    assert not AuditLog(tmp_path).verify("acme").intact
    head.write_bytes(kept)
    file.write_bytes(first)
    assert AuditLog(tmp_path).verify("acme").intact
    (tmp_path / ".secrets" / "audit.key").write_bytes(b"f" * 64)
    assert not AuditLog(tmp_path).verify("acme").intact


# ── crashes ──────────────────────────────────────────────────────────────────


async def test_a_crash_between_the_line_and_what_it_is_held_against_is_no_alarm(tmp_path: Path) -> None:
    await written(tmp_path, 2)
    behind = head_of(tmp_path).read_bytes()
    file = await written(tmp_path, 1)
    head_of(tmp_path).write_bytes(behind)
    assert AuditLog(tmp_path).verify("acme").lines == 3
    assert (AuditLog(tmp_path).verify("acme").intact, AuditLog(tmp_path).standing().damaged) == (True, 0)
    with file.open("ab") as stream:
        stream.write(b'{"seq":4,"at"')  # and another that was not finished
    assert AuditLog(tmp_path).verify("acme").intact
    await written(tmp_path, 1)
    found = AuditLog(tmp_path).verify("acme")
    assert (found.intact, found.lines) == (True, 4)
    # It is held against the new line from now on.
    file.write_bytes(b"".join(lines_of(file)[:3]))
    assert not AuditLog(tmp_path).verify("acme").intact


async def test_half_a_write_to_what_the_log_is_held_against_is_no_alarm(tmp_path: Path) -> None:
    await written(tmp_path, 3)
    content = head_of(tmp_path).read_bytes()
    for torn in (content[:512] + b"\0" * 512, b"\0" * 512 + content[512:]):
        head_of(tmp_path).write_bytes(torn)
        assert AuditLog(tmp_path).verify("acme").intact
    head_of(tmp_path).write_bytes(b"\0" * 1024)
    assert not AuditLog(tmp_path).verify("acme").intact


def test_dying_at_any_step_of_a_write_is_no_alarm_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin(home: Path) -> Chain:
        return Chain(shelf.FileLog(log_of(home)), org="acme", anchors=Anchors(home / ".secrets"), clock=lambda: NOW)

    for known in (0, 2):
        step, died = 0, True
        while died:
            home, died = tmp_path / f"{known}-{step}", False
            for number in range(known):
                begin(home).append([deed(f"op{number}")])
            try:
                with dies_at(step, monkeypatch):
                    begin(home).append([deed("fatal")])
            except Died:
                died = True
            found = begin(home).verify()
            assert (found.intact, begin(home).is_sound()) == (True, True), (known, step, found)
            begin(home).append([deed("after")])
            found = begin(home).verify()
            told = [line.deed.what for line in begin(home).read()]
            assert found.intact, (known, step, found)
            assert told in ([f"op{n}" for n in range(known)] + end for end in (["after"], ["fatal", "after"]))
            assert died or told[-2] == "fatal"
            step += 1
        assert step > 4


async def test_a_line_is_on_disk_before_it_is_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    for count in range(1, 4):
        await written(disk.root, 1)
        left = disk.image(tmp_path / f"after-{count}")
        found = AuditLog(left).verify("acme")
        assert (found.intact, found.lines) == (True, count), found
        # How far it has come is there too: else a power cut would be the time to cut lines.
        file = log_of(left)
        file.write_bytes(b"".join(lines_of(file)[:-1]))
        assert not AuditLog(left).verify("acme").intact


async def test_what_is_set_aside_is_on_disk_before_it_goes_from_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    file = await written(home, 2)
    file.write_bytes(lines_of(file)[0] + b"damaged\n")
    disk = Disk(home, monkeypatch)
    await written(home, 1)
    left = disk.image(tmp_path / "after")
    (aside,) = log_of(left).parent.glob("*.damaged")
    assert aside.read_bytes() == b"damaged\n"
    assert disk.syncs.index(log_of(home).parent) < disk.syncs.index(file)


# ── damage ───────────────────────────────────────────────────────────────────


async def test_one_damaged_line_hangs_no_write(tmp_path: Path) -> None:
    file = await written(tmp_path, 3)
    good, rest = lines_of(file)[:2], b'{"seq": 3, "torn\n\xff\xfe\n'
    file.write_bytes(b"".join(good) + rest)
    assert AuditLog(tmp_path).standing().damaged == 1
    await written(tmp_path, 2)
    assert deeds(tmp_path) == ["op0", "op1", BROKEN, "op0", "op1"]
    (aside,) = file.parent.glob("*.damaged")
    assert aside.read_bytes() == rest
    told = list(AuditLog(tmp_path).read("acme"))[2]
    assert (told.seq, told.deed.who) == (4, "remanent")
    assert f"sha256:{hashlib.sha256(rest).hexdigest()}" in told.deed.subjects
    found = AuditLog(tmp_path).verify("acme")
    assert (found.intact, found.lines) == (False, 2)
    assert "lines 3 to 3" in found.problem
    assert aside.name in found.problem
    assert AuditLog(tmp_path).standing().damaged == 1
    # Later damage is told of too.
    aside.write_bytes(b"nothing of note")
    file.write_bytes(b"".join(lines_of(file)[:-1]))
    found = AuditLog(tmp_path).verify("acme")
    assert "changed since" in found.problem
    assert "lines 6 to 6" in found.problem


async def test_damage_that_was_looked_into_and_moved_away_no_longer_degrades_and_is_still_told(tmp_path: Path) -> None:
    file = await written(tmp_path, 3)
    file.write_bytes(b"".join(lines_of(file)[:1]))
    await written(tmp_path, 1)
    (aside,) = file.parent.glob("*.damaged")
    aside.unlink()
    assert AuditLog(tmp_path).standing().damaged == 0
    assert "has been removed" in AuditLog(tmp_path).verify("acme").problem


async def test_a_lost_key_stops_nobody_and_is_told(tmp_path: Path) -> None:
    await written(tmp_path, 3)
    (tmp_path / ".secrets" / "audit.key").unlink()
    assert "missing" in AuditLog(tmp_path).verify("acme").problem
    await written(tmp_path, 1)
    assert deeds(tmp_path) == [BROKEN, "op0"]
    assert not AuditLog(tmp_path).verify("acme").intact


@pytest.mark.parametrize("place", [log_of, head_of, lambda home: home / ".secrets" / "audit.key"])
async def test_a_log_that_cannot_be_read_is_not_called_damaged(tmp_path: Path, place: Callable[[Path], Path]) -> None:
    await written(tmp_path, 3)
    away = tmp_path / "away"
    place(tmp_path).rename(away)
    place(tmp_path).mkdir()
    log = AuditLog(tmp_path)
    assert (log.standing().damaged, log.standing().failing) == (0, 1)
    with pytest.raises(StorageError, match=r"the audit log cannot be read: .*; it may be intact") as caught:
        log.verify("acme")
    assert not isinstance(caught.value, IntegrityError)
    place(tmp_path).rmdir()
    away.rename(place(tmp_path))
    assert (log.standing(), log.verify("acme").lines) == (AuditStatus(), 3)


async def test_a_folder_of_logs_that_cannot_be_looked_into_is_not_called_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await written(tmp_path, 3)
    monkeypatch.setattr(os, "scandir", forbidden)
    log = AuditLog(tmp_path)
    with pytest.raises(StorageError, match="the audit log cannot be read: Permission denied"):
        log.orgs()
    assert (log.standing().damaged, log.standing().failing) == (0, 1)


def forbidden(*_: object) -> None:
    raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("error", [RuntimeError("?"), ValueError("?"), OSError(errno.EIO, "I/O error"), StoreBusy("x")])
async def test_whatever_goes_wrong_whoever_waits_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any) -> None:
        raise error

    log = AuditLog(tmp_path)
    monkeypatch.setattr(Chain, "append", fail)
    answers = await asyncio.wait_for(
        asyncio.gather(*(log.note(deed(f"op{number}")) for number in range(40)), return_exceptions=True), HANGS
    )
    assert all(isinstance(answer, RemanentError) for answer in answers)
    assert log.standing().failing == 1
    with pytest.raises(RemanentError):
        await asyncio.wait_for(log.require("acme"), HANGS)
    await log.close()


async def test_what_was_done_while_the_disk_failed_is_noted_before_anything_else_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog(tmp_path)
    await log.note(deed("before"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StorageFull):
            await log.note(deed("during"))
        with pytest.raises(StorageFull):
            await log.require("acme")
    assert deeds(tmp_path) == ["before"]
    await log.require("acme")
    assert deeds(tmp_path) == ["before", "during"]
    await log.note(deed("after"))
    await log.close()
    assert deeds(tmp_path) == ["before", "during", "after"]
    assert AuditLog(tmp_path).verify("acme").intact


async def test_what_could_not_be_noted_is_refused_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditLog(tmp_path)
    await log.note(deed("before"))
    await log.require("acme")
    monkeypatch.setattr(shelf, "ROOM", 1 << 62)
    with pytest.raises(StorageFull, match="nothing was changed"):
        await log.require("acme")
    monkeypatch.undo()
    shutil.rmtree(tmp_path / ".access")
    (tmp_path / ".access").write_text("in the way")
    with pytest.raises(StorageError):
        await asyncio.wait_for(log.require("acme"), HANGS)
    await log.close()


async def test_who_holds_the_log_for_ever_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = await written(tmp_path, 1)
    monkeypatch.setattr(shelf, "LOCK_TIMEOUT", 0)
    with file.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(StoreBusy):
            await written(tmp_path, 1)
    await written(tmp_path, 1)


def full(_: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")
