import asyncio
import errno
import hashlib
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import IntegrityError, InvalidInput, NotFound, StorageError, StorageFull
from remanent.model import Scope
from remanent.stores.blobs import Blobs, FileBlobs
from remanent.stores.conformance import BlobsConformance
from tests.power import Disk as PowerCut

SCOPE = Scope(org="acme", workspace="lab", agent="ada")


def folder_of(home: Path, scope: Scope) -> Path:
    return home / scope.org / scope.workspace / scope.agent


class TestFileBlobs(BlobsConformance):
    @pytest.fixture
    async def blobs(self, tmp_path: Path) -> Blobs:
        return FileBlobs(lambda scope: folder_of(tmp_path, scope))


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobs:
    return FileBlobs(lambda scope: folder_of(tmp_path / "home", scope))


def path_of(tmp_path: Path, digest: str) -> Path:
    return folder_of(tmp_path / "home", SCOPE) / "blobs" / digest[:2] / digest


def files_under(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


async def test_a_file_lies_under_the_first_digits_of_its_digest(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = await blobs.put(SCOPE.within(session="s"), b"plain")
    assert files_under(tmp_path) == [path_of(tmp_path, digest)]
    assert path_of(tmp_path, digest).read_bytes() == b"plain"


async def test_only_the_owner_may_read_a_file(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = await blobs.put(SCOPE, b"private")
    assert path_of(tmp_path, digest).stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("damage", [b"plaim", b"plai", b"plain!", b""])
async def test_a_damaged_file_is_an_error_and_is_not_deleted(blobs: FileBlobs, tmp_path: Path, damage: bytes) -> None:
    digest = await blobs.put(SCOPE, b"plain")
    path_of(tmp_path, digest).write_bytes(damage)
    with pytest.raises(IntegrityError, match=digest):
        await blobs.get(SCOPE, digest)
    assert path_of(tmp_path, digest).read_bytes() == damage


async def test_putting_the_bytes_again_heals_a_damaged_file(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = await blobs.put(SCOPE, b"plain")
    path_of(tmp_path, digest).write_bytes(b"plaim")
    await blobs.put(SCOPE, b"plain")
    assert await blobs.get(SCOPE, digest) == b"plain"


async def test_keeping_the_same_bytes_again_writes_nothing(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = await blobs.put(SCOPE, b"plain")
    before = path_of(tmp_path, digest).stat()
    await blobs.put(SCOPE, b"plain")
    after = path_of(tmp_path, digest).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


async def test_no_digest_leads_out_of_the_folder(blobs: FileBlobs, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"not yours")
    await blobs.put(SCOPE, b"plain")
    before = files_under(tmp_path)
    for digest in (
        "../../../../../outside",
        str(outside),
        "..",
        f"../{'0' * 61}",
        "0" * 61 + "/..",
        "0" * 64 + "/../x",
    ):
        with pytest.raises(InvalidInput):
            await blobs.get(SCOPE, digest)
        with pytest.raises(InvalidInput):
            await blobs.delete(SCOPE, digest)
    odd: Any
    for odd in (None, 7, b"0" * 64, Path("x")):
        with pytest.raises(InvalidInput):
            await blobs.get(SCOPE, odd)
    assert files_under(tmp_path) == before
    assert outside.read_bytes() == b"not yours"


async def test_asking_makes_no_folder(blobs: FileBlobs, tmp_path: Path) -> None:
    assert await blobs.digests(SCOPE) == []
    await blobs.delete(SCOPE, "0" * 64)
    with pytest.raises(NotFound):
        await blobs.get(SCOPE, "0" * 64)
    assert not folder_of(tmp_path / "home", SCOPE).exists()


async def test_what_is_not_a_blob_is_not_listed(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = await blobs.put(SCOPE, b"plain")
    (path_of(tmp_path, digest).parent / "notes.txt").write_text("x")
    (path_of(tmp_path, digest).parent.parent / "stray").write_text("x")
    assert await blobs.digests(SCOPE) == [digest]


async def test_deleting_takes_along_what_an_interrupted_writing_left(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = await blobs.put(SCOPE, b"plain")
    other = await blobs.put(SCOPE, b"other")
    path = path_of(tmp_path, digest)
    path.with_name(f"{digest}.0123.part").write_bytes(b"pla")
    assert await blobs.digests(SCOPE) == sorted([digest, other])
    await blobs.delete(SCOPE, digest)
    assert files_under(tmp_path) == [path_of(tmp_path, other)]


class Disk:
    """Stands before the system calls of writing: notes their order, and fails when told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.threads: set[int] = set()
        self.fail_at, self.error = 0, errno.ENOSPC
        for name in ("open", "fsync", "replace", "mkdir"):
            monkeypatch.setattr(os, name, self._through(name, getattr(os, name)))

    def _through(self, name: str, call: Any) -> Any:
        def through(*arguments: Any, **named: Any) -> Any:
            self.threads.add(threading.get_ident())
            self.calls.append(name)
            if len(self.calls) == self.fail_at:
                raise OSError(self.error, os.strerror(self.error))
            return call(*arguments, **named)

        return through


async def test_a_file_is_durable_before_it_has_its_name_and_the_name_is_durable_after(
    blobs: FileBlobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    await blobs.put(SCOPE, b"the folders are there now")
    digest = hashlib.sha256(b"x").hexdigest()
    disk = Disk(monkeypatch)
    assert await blobs.put(SCOPE, b"x") == digest
    writing = disk.calls[disk.calls.index("mkdir") + 1 :] if "mkdir" in disk.calls else disk.calls
    assert writing[-5:] == ["open", "fsync", "replace", "open", "fsync"]


async def test_the_disk_is_waited_for_off_the_event_loop(blobs: FileBlobs, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    await blobs.put(SCOPE, b"x")
    assert disk.threads
    assert threading.get_ident() not in disk.threads


@pytest.mark.parametrize(
    ("number", "error"),
    [
        (errno.ENOSPC, StorageFull),
        (errno.EDQUOT, StorageFull),
        (errno.EFBIG, StorageFull),
        (errno.EIO, StorageError),
        (errno.EROFS, StorageError),
        (errno.EACCES, StorageError),
    ],
)
async def test_whichever_call_fails_the_error_is_ours_and_nothing_is_left(
    blobs: FileBlobs, tmp_path: Path, number: int, error: type[StorageError]
) -> None:
    await blobs.put(SCOPE, b"was there before")
    before = files_under(tmp_path)
    for nth in range(1, 30):
        with pytest.MonkeyPatch.context() as patch:
            disk = Disk(patch)
            disk.fail_at, disk.error = nth, number
            outcome = (await asyncio.gather(blobs.put(SCOPE, b"new"), return_exceptions=True))[0]
        if isinstance(outcome, str):
            assert nth > len(disk.calls)
            break
        assert type(outcome) is error
        assert isinstance(outcome.__cause__, OSError)
        left = set(files_under(tmp_path)) - set(before)
        assert all(path.read_bytes() == b"new" and ".part" not in path.name for path in left)
        await blobs.delete(SCOPE, hashlib.sha256(b"new").hexdigest())
    else:
        pytest.fail("the writing never came to its end")
    assert await blobs.get(SCOPE, outcome) == b"new"


async def test_a_folder_in_the_way_is_a_storage_error(blobs: FileBlobs, tmp_path: Path) -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    path_of(tmp_path, digest).mkdir(parents=True)
    with pytest.raises(StorageError):
        await blobs.get(SCOPE, digest)
    with pytest.raises(StorageError):
        await blobs.put(SCOPE, b"x")


async def test_a_file_in_place_of_the_agents_folder_is_a_storage_error(blobs: FileBlobs, tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "home", SCOPE)
    folder.parent.mkdir(parents=True)
    folder.write_text("in the way")
    with pytest.raises(StorageError):
        await blobs.put(SCOPE, b"x")
    assert folder.read_text() == "in the way"


@pytest.mark.spec("SAFE-06")
async def test_a_deleted_file_does_not_come_back_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An erasure that was acknowledged has taken it for good."""
    scope = Scope(org="o", workspace="w", agent="a")
    digest = await FileBlobs(lambda _: tmp_path / "home").put(scope, b"a picture")
    disk = PowerCut(tmp_path / "home", monkeypatch)
    await FileBlobs(lambda _: disk.root).delete(scope, digest)
    left = disk.image(tmp_path / "after")
    assert not [path for path in left.rglob("*") if path.name == digest]
