"""The disk that forgets keeps what was synced, whatever else it does."""

import random

from hypothesis import given
from hypothesis import strategies as st

from tests.chaos.support.disk import Disk, Link, Make, Operation, Remove, Rename, Sync, SyncFolder, Truncate, Write


def _disk(*operations: Operation) -> Disk:
    disk = Disk()
    for operation in operations:
        disk.follow(operation)
    return disk


def _images(disk: Disk, count: int = 200) -> list[dict[str, bytes | None]]:
    return [disk.image(random.Random(seed)) for seed in range(count)]


def test_what_was_synced_is_in_every_image() -> None:
    disk = _disk(Make("", "a", 1), Write(1, 0, b"kept"), Sync(1), SyncFolder(""), Write(1, 4, b"maybe"))
    images = _images(disk)
    assert all((image["a"] or b"").startswith(b"kept") for image in images)
    assert {image["a"] for image in images} >= {b"kept", b"keptmaybe"}


def test_a_name_that_was_not_synced_may_be_gone_with_all_that_is_in_it() -> None:
    disk = _disk(Make("", "d", 1, is_folder=True), Make("d", "a", 2), Write(2, 0, b"x"), Sync(2), SyncFolder("d"))
    assert {tuple(sorted(image)) for image in _images(disk)} == {(), ("d", "d/a")}


def test_a_rename_happens_wholly_or_not_at_all() -> None:
    disk = _disk(
        Make("", "a", 1), Write(1, 0, b"old"), Sync(1), Make("", "b", 2), Write(2, 0, b"new"), Sync(2), SyncFolder(""),
        Rename("", "b", "a"),
    )  # fmt: skip
    assert {tuple(sorted(image.items())) for image in _images(disk)} == {
        (("a", b"old"), ("b", b"new")),
        (("a", b"new"),),
    }


def test_a_removal_or_a_cut_that_was_not_synced_may_be_undone() -> None:
    disk = _disk(Make("", "a", 1), Write(1, 0, b"text"), Sync(1), SyncFolder(""), Truncate(1, 0), Remove("", "a"))
    assert {tuple(image.items()) for image in _images(disk)} == {(), (("a", b"text"),), (("a", b""),)}


def test_a_second_name_shows_the_same_file() -> None:
    disk = _disk(Make("", "a", 1), Write(1, 0, b"x"), Sync(1), SyncFolder(""), Link("", "b", 1), Write(1, 1, b"y"))
    assert all(image.get("b", image["a"]) == image["a"] for image in _images(disk))


def test_a_write_is_torn_between_sectors_and_never_inside_one() -> None:
    disk = _disk(Make("", "a", 1), Write(1, 0, b"o" * 2048), Sync(1), SyncFolder(""), Write(1, 100, b"n" * 1900))
    torn = 0
    for image in _images(disk):
        content = image["a"] or b""
        for start, stop in ((100, 512), (512, 1024), (1024, 1536), (1536, 2000)):
            assert content[start:stop] in {b"o" * (stop - start), b"n" * (stop - start)}
        torn += len(set(content[100:2000])) > 1
    assert torn > 20


@given(
    st.lists(
        st.one_of(
            st.builds(Write, st.just(1), st.integers(0, 3000), st.binary(min_size=1, max_size=1500)),
            st.builds(Truncate, st.just(1), st.integers(0, 3000)),
        ),
        max_size=8,
    ),
    st.integers(0, 1000),
)
def test_after_a_sync_there_is_one_image_and_it_is_the_file(changes: list[Write | Truncate], seed: int) -> None:
    disk = _disk(Make("", "a", 1), SyncFolder(""), *changes, Sync(1))
    expected = bytearray()
    for change in changes:
        if isinstance(change, Truncate):
            expected = expected[: change.size].ljust(change.size, b"\0")
        else:
            expected = expected.ljust(change.offset, b"\0")
            expected[change.offset : change.offset + len(change.content)] = change.content
    assert disk.image(random.Random(seed)) == {"a": bytes(expected)}
