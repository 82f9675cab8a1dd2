"""The secrets of an audit log: on the disk before anything is sealed by them, and the same for all who come at once."""

import fcntl
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from remanent.operations.access.chain import KEY, Anchors, Head
from tests.power import Disk


def head(seq: int) -> Head:
    return Head(seq=seq, seal="a" * 64)


@pytest.mark.spec("SAFE-06")
def test_the_key_of_seals_survives_a_power_cut_with_the_folders_that_lead_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    Anchors(disk.root / "deep" / "secrets").make_sealer("acme")
    left = disk.image(tmp_path / "after") / "deep" / "secrets" / KEY
    assert left.read_bytes() == (disk.root / "deep" / "secrets" / KEY).read_bytes()
    assert len(left.read_bytes()) > 64


@pytest.mark.spec("SAFE-06")
def test_how_far_a_chain_has_come_survives_a_power_cut_at_every_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = Disk(tmp_path / "home", monkeypatch)
    anchors = Anchors(disk.root / "secrets")
    sealer = anchors.make_sealer("acme")
    anchors.begin("acme", head(0), sealer=sealer)
    for seq in range(4):
        if seq:
            anchors.move("acme", head(seq), sealer=sealer)
        left = Anchors(disk.image(tmp_path / f"after-{seq}") / "secrets")
        assert left.find("acme", sealer=sealer) == head(seq)


@pytest.mark.spec("SAFE-06")
def test_those_who_come_first_at_once_make_one_key(tmp_path: Path) -> None:
    """Else lines that one of them sealed could never be verified by the key that stayed."""
    at_once = Barrier(2)

    def random(size: int) -> bytes:
        # Whoever is about to write a key holds the lock: no other may be here as well.
        with (tmp_path / "lock").open("a") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        made.append(size)
        return bytes([len(made)]) * size

    def make(_: int) -> str:
        at_once.wait(10)
        return Anchors(tmp_path, random=random).make_sealer("acme").seal("line")

    made: list[int] = []
    with ThreadPoolExecutor(2) as pool:
        seals = list(pool.map(make, range(2)))
    assert seals[0] == seals[1]
    assert len(made) == 1
