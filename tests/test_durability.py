import os
from pathlib import Path

import pytest

import remanent
from remanent import durability
from remanent.durability import make_folder, write_durably


def record_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Note what is synced and renamed, in order: the name of a folder, or `file`."""
    calls: list[str] = []
    sync, rename = os.fsync, os.replace

    def fsync(handle: int) -> None:
        target = Path(os.readlink(f"/proc/self/fd/{handle}"))
        calls.append(f"sync {target.name}" if target.is_dir() else "sync file")
        sync(handle)

    def replace(source: str, target: str) -> None:
        calls.append("rename")
        rename(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    return calls


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the name behind a descriptor is read from /proc")
def test_the_content_is_on_the_disk_before_the_name_and_the_name_before_the_call_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = record_calls(monkeypatch)
    write_durably(tmp_path / "key.json", b"new")
    assert calls == ["sync file", "rename", f"sync {tmp_path.name}"]
    assert (tmp_path / "key.json").read_bytes() == b"new"


def test_a_write_that_fails_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "key.json"
    write_durably(file, b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_durably(file, b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["key.json"]
    assert file.read_bytes() == b"old"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="the name behind a descriptor is read from /proc")
def test_every_folder_on_the_way_is_durable_and_closed_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = record_calls(monkeypatch)
    make_folder(tmp_path / "a" / "b")
    assert calls == [f"sync {tmp_path.name}", "sync a"]
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700
    make_folder(tmp_path / "a" / "b")
    assert len(calls) == 2


@pytest.mark.spec("SAFE-06")
def test_every_sync_that_a_promise_rests_on_is_the_one_that_reaches_the_disk_on_every_system() -> None:
    """On macOS `os.fsync` leaves the bytes in the drive's own cache, where a power cut finds them."""
    package = Path(remanent.__file__).parent
    plain = {file.relative_to(package).as_posix() for file in package.rglob("*.py") if "os.fsync(" in file.read_text()}
    assert plain - {Path(durability.__file__).name} <= {
        "server/telemetry.py",  # a probe whose file has no name
        "cli/screen.py",  # what is written where the user says; it is theirs to keep
    }
