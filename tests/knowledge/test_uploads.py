"""Files that come in parts: they go on where they were cut off, and are nobody else's."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from itertools import count
from pathlib import Path
from threading import Event, Lock

import pytest

from remanent.errors import InvalidInput, NotFound, QueueFull, StoreBusy, UnreadableFile, VersionConflict
from remanent.knowledge import uploads
from remanent.knowledge.uploads import FOLDER, KEPT_SECONDS, PartialUploads
from remanent.model import Scope
from remanent.operations import Service, Target
from remanent.stores.shelf import FolderShelf
from tests.knowledge.world import MANUAL, opened

SHARED = Target(org="local", workspace="lab", agent="shared")
CONTENT = MANUAL.encode()
DIGEST = hashlib.sha256(CONTENT).hexdigest()
ADA = Scope(org="local", workspace="lab", agent="ada")


async def pieces(*parts: bytes, cut: bool = False) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
    if cut:
        raise ConnectionError("the connection was lost")


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Service]:
    async with opened(tmp_path / "home", org="local") as (memory, _), Service(memory) as able:
        yield able


@pytest.mark.spec("KB-06")
async def test_a_file_that_was_cut_off_goes_on_from_there_and_becomes_a_document(service: Service) -> None:
    with pytest.raises(ConnectionError):
        await service.perform(
            "knowledge.send_part", {"digest": DIGEST}, place=SHARED, upload=pieces(CONTENT[:50], cut=True)
        )
    state = await service.perform("knowledge.upload_state", {"digest": DIGEST}, place=SHARED)
    assert state.received == 50
    # Nothing of it is a document yet, and the half of it has not the digest of the whole.
    assert (await service.perform("knowledge.list", {}, place=SHARED)).items == ()
    rest = {"digest": DIGEST, "offset": 50}
    state = await service.perform("knowledge.send_part", rest, place=SHARED, upload=pieces(CONTENT[50:]))
    assert state.received == len(CONTENT)
    added = await service.perform("knowledge.add_upload", {"digest": DIGEST, "name": "pump.md"}, place=SHARED)
    assert (added.status, added.document.digest) == ("added", DIGEST)
    assert not list((service.memory.settings.home / FOLDER).glob("*/*"))
    with pytest.raises(InvalidInput, match="nothing was sent"):
        await service.perform("knowledge.add_upload", {"digest": DIGEST, "name": "pump.md"}, place=SHARED)


class SlowShelf(FolderShelf):
    """One whose disk writes nothing before it is told to, and one thing at a time."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.begun, self.go_on, self.one = Event(), Event(), Lock()

    def write(self, name: str, content: bytes) -> None:
        with self.one:
            self.begun.set()
            assert self.go_on.wait(10)
            super().write(name, content)


async def test_a_part_that_is_being_written_when_sending_ends_is_kept_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "PART_BYTES", 4)
    shelf, seconds = SlowShelf(tmp_path), count(1_000_000)
    kept = PartialUploads(shelf, clock=lambda: next(seconds))
    sending = asyncio.create_task(kept.append(ADA, DIGEST, pieces(b"abcdef"), offset=0))
    await asyncio.to_thread(shelf.begun.wait, 10)
    sending.cancel()
    shelf.go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await sending
    assert await kept.received(ADA, DIGEST) == 6


@pytest.mark.spec("KB-06")
async def test_what_is_sent_twice_or_out_of_order_is_refused_and_told_where_to_go_on(tmp_path: Path) -> None:
    kept = PartialUploads(FolderShelf(tmp_path))
    assert await kept.append(ADA, DIGEST, pieces(b"abc"), offset=0) == 3
    for offset in (0, 2, 4):
        with pytest.raises(VersionConflict, match="3 bytes of this file have arrived"):
            await kept.append(ADA, DIGEST, pieces(b"abc"), offset=offset)
    assert await kept.received(ADA, DIGEST) == 3


async def test_only_one_sends_a_file_at_a_time(tmp_path: Path) -> None:
    kept = PartialUploads(FolderShelf(tmp_path))

    async def meanwhile() -> AsyncIterator[bytes]:
        yield b"abc"
        with pytest.raises(StoreBusy):
            await PartialUploads(FolderShelf(tmp_path)).append(ADA, DIGEST, pieces(b"xyz"), offset=3)
        yield b"def"

    assert await kept.append(ADA, DIGEST, meanwhile(), offset=0) == 6


async def test_what_one_agent_sends_no_other_sees_or_takes(tmp_path: Path) -> None:
    kept = PartialUploads(FolderShelf(tmp_path))
    await kept.append(ADA, DIGEST, pieces(CONTENT), offset=0)
    for other in (
        Scope(org="local", workspace="lab", agent="bob"),
        Scope(org="local", workspace="den", agent="ada"),
        Scope(org="evil", workspace="lab", agent="ada"),
    ):
        assert await kept.received(other, DIGEST) == 0
        with pytest.raises(InvalidInput, match="nothing was sent"):
            await kept.take(other, DIGEST)
    assert await kept.take(ADA, DIGEST) == CONTENT
    assert {oct(path.stat().st_mode & 0o077) for path in tmp_path.rglob("*")} == {"0o0"}


async def test_bytes_that_do_not_have_their_digest_are_thrown_away(tmp_path: Path) -> None:
    kept = PartialUploads(FolderShelf(tmp_path))
    await kept.append(ADA, DIGEST, pieces(b"something else"), offset=0)
    with pytest.raises(InvalidInput, match="does not match this digest"):
        await kept.take(ADA, DIGEST)
    assert await kept.received(ADA, DIGEST) == 0


@pytest.mark.spec("SAFE-02")
async def test_a_file_is_refused_as_soon_as_it_is_too_large_and_an_organisation_leaves_only_so_much_unfinished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 10)
    monkeypatch.setattr(uploads, "MAX_UNFINISHED_BYTES", 20)
    kept = PartialUploads(FolderShelf(tmp_path))
    asked = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal asked
        while True:
            asked += 1
            yield b"1234"

    with pytest.raises(UnreadableFile, match="split it"):
        await kept.append(ADA, DIGEST, endless(), offset=0)
    assert asked == 3
    for name in "abc":
        await kept.append(ADA, name * 64, pieces(b"12345"), offset=0)
    with pytest.raises(QueueFull):
        await kept.append(ADA, "d" * 64, pieces(b"12345"), offset=0)
    await kept.append(ADA.model_copy(update={"org": "other"}), "d" * 64, pieces(b"12345"), offset=0)


@pytest.mark.spec("SAFE-02")
async def test_a_document_that_is_too_large_is_not_read_to_its_end(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "MAX_FILE_BYTES", 10)
    asked = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal asked
        while asked < 100:
            asked += 1
            yield b"1234"

    with pytest.raises(UnreadableFile):
        await service.perform("knowledge.add", {"name": "big.txt"}, place=SHARED, upload=endless())
    assert asked == 3


async def test_what_nobody_goes_on_with_is_thrown_away_after_a_day(tmp_path: Path) -> None:
    now = 1_000_000.0
    kept = PartialUploads(FolderShelf(tmp_path), clock=lambda: now)
    await kept.append(ADA, "a" * 64, pieces(b"12345"), offset=0)
    now += 2
    await kept.append(ADA, "b" * 64, pieces(b"12345"), offset=0)
    now += KEPT_SECONDS - 1
    await kept.append(ADA, "c" * 64, pieces(b"1"), offset=0)
    assert await kept.received(ADA, "a" * 64) == 0
    assert await kept.received(ADA, "b" * 64) == 5


async def test_erasing_everything_of_an_agent_reaches_what_it_has_not_finished_sending(service: Service) -> None:
    ada, bob = (SHARED.replace(agent=name) for name in ("ada", "bob"))
    for place in (ada, bob):
        await service.perform("remember", {"messages": ["Hello."]}, place=place)
        await service.perform("knowledge.send_part", {"digest": DIGEST}, place=place, upload=pieces(b"a secret half"))
    await service.perform("erase", {"everything": True}, place=ada)
    left = [
        path
        for path in service.memory.settings.home.rglob("*")
        if path.is_file() and b"secret half" in path.read_bytes()
    ]
    assert len(left) == 1
    state = await service.perform("knowledge.upload_state", {"digest": DIGEST}, place=bob)
    assert state.received == len(b"a secret half")


async def test_a_digest_is_a_digest_and_no_path(service: Service) -> None:
    for digest in ("../../x", "A" * 64, "", "a" * 63):
        with pytest.raises((InvalidInput, NotFound)):
            await service.perform("knowledge.send_part", {"digest": digest}, place=SHARED, upload=pieces(b"x"))
