"""Keys: of the secret only a hash is kept, and a change by any process counts at once."""

import fcntl
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import InvalidInput, InvalidSettings, KeysDamaged, NotAuthenticated, NotFound
from remanent.operations.access.keys import LOCAL, MARKER, Key, KeyRing, Permission, Principal, Reach, open_keys
from remanent.settings import load_settings
from remanent.stores.shelf import FolderShelf
from tests.power import Disk as PowerCut

READ = (Permission.READ,)
ACME = Reach(org="acme")


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def test_a_token_opens_what_its_key_reaches_and_stands_in_no_file(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, token = ring.create("agent", reach=ACME, permissions=READ)
    principal = KeyRing(tmp_path).principal(token)
    assert (principal.name, principal.reach, principal.permissions) == (f"key:{key.key_id}", ACME, frozenset(READ))
    secret = token.rpartition("_")[2]
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert secret not in file.read_text(encoding="utf-8")
            assert not stat.S_IMODE(file.stat().st_mode) & 0o077 or file.name == "lock"
    assert not stat.S_IMODE((tmp_path / ".access").stat().st_mode) & 0o077


@pytest.mark.parametrize(
    "spoil", [str.upper, lambda token: token[:-1], lambda token: token + "0", lambda _: "", lambda _: "rmn__"]
)
def test_a_token_that_is_not_exactly_right_opens_nothing(tmp_path: Path, spoil: "object") -> None:
    assert callable(spoil)
    ring = KeyRing(tmp_path)
    _, token = ring.create("agent", reach=ACME, permissions=READ)
    with pytest.raises(NotAuthenticated):
        ring.principal(spoil(token))


def test_a_revoked_key_opens_nothing_not_even_with_the_hash_of_nobody(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, token = ring.create("agent", reach=ACME, permissions=READ)
    KeyRing(tmp_path).revoke(key.key_id)
    with pytest.raises(NotAuthenticated):
        ring.principal(token)
    assert not ring.opens_anything
    assert ring.was_ever_used
    assert [one.revoked_at is not None for one in ring.list()] == [True]
    with pytest.raises(NotFound):
        ring.revoke(key.key_id)
    with pytest.raises(NotFound, match=f"key {key.key_id} was revoked; .* create a new key: remanent keys create NAME"):
        ring.rotate(key.key_id)


@pytest.mark.spec("SAFE-01")
def test_a_key_that_has_expired_is_not_brought_back_by_a_rotation(tmp_path: Path) -> None:
    clock = Hands()
    ring = KeyRing(tmp_path, clock=clock)
    key, _ = ring.create("guest", reach=ACME, permissions=READ, expires_at=clock.now + timedelta(hours=1))
    rotated, token = ring.rotate(key.key_id, seed="request 7")
    clock.now += timedelta(hours=1)
    for seed in (None, "request 7"):
        with pytest.raises(InvalidInput, match=f"key {key.key_id} has expired; .* create a new key: remanent keys"):
            ring.rotate(key.key_id, grace=timedelta(days=1), seed=seed)
    assert ring.get(key.key_id) == rotated
    with pytest.raises(NotAuthenticated):
        ring.principal(token)
    assert ring.revoke(key.key_id).revoked_at == clock.now, "what has expired can still be revoked"


def test_after_a_rotation_the_old_token_opens_until_the_grace_is_over(tmp_path: Path) -> None:
    clock = Hands()
    ring = KeyRing(tmp_path, clock=clock)
    key, old = ring.create("agent", reach=ACME, permissions=READ)
    _, new = ring.rotate(key.key_id, grace=timedelta(minutes=5))
    assert ring.principal(old) == ring.principal(new)
    clock.now += timedelta(minutes=5)
    with pytest.raises(NotAuthenticated):
        ring.principal(old)
    assert ring.principal(new).name == f"key:{key.key_id}"


def test_a_rotation_that_is_asked_for_again_by_its_seed_is_done_once(tmp_path: Path) -> None:
    clock = Hands()
    ring = KeyRing(tmp_path, clock=clock)
    key, old = ring.create("agent", reach=ACME, permissions=READ)
    rotated, new = ring.rotate(key.key_id, grace=timedelta(minutes=5), seed="request 7")
    clock.now += timedelta(minutes=4)
    assert ring.rotate(key.key_id, grace=timedelta(minutes=5), seed="request 7") == (rotated, new)
    clock.now += timedelta(minutes=1)
    with pytest.raises(NotAuthenticated):
        ring.principal(old)
    assert ring.principal(new).name == f"key:{key.key_id}"
    _, newest = ring.rotate(key.key_id, seed="request 8")
    with pytest.raises(NotAuthenticated):
        ring.principal(new)
    assert ring.rotate(key.key_id, seed="request 7") == (ring.get(key.key_id), new), "late, and it rotates nothing"
    assert ring.principal(newest).name == f"key:{key.key_id}"


def test_a_key_is_got_by_its_id_and_made_once_of_a_seed(tmp_path: Path) -> None:
    clock = Hands()
    ring = KeyRing(tmp_path, clock=clock)
    opens = [ring.opens_anything]
    made = ring.create("agent", reach=ACME, permissions=READ, expires_at=clock.now + timedelta(hours=1), seed="s")
    assert ring.create("another", reach=Reach(), permissions=READ, seed="s") == made
    assert ring.list() == [made[0]]
    assert ring.get(made[0].key_id) == made[0]
    with pytest.raises(NotFound):
        ring.get("0" * 12)
    opens.append(ring.opens_anything)
    clock.now += timedelta(hours=1)
    assert [*opens, ring.opens_anything] == [False, True, False]


def test_a_principal_may_do_what_it_was_given_and_an_admin_everything() -> None:
    reader = Principal(name="key:1", permissions=frozenset(READ))
    assert [one for one in Permission if reader.may(one)] == [Permission.READ]
    assert all(LOCAL.may(one) for one in Permission)
    assert (reader.is_keyless, LOCAL.is_keyless) == (False, True)


def test_without_grace_the_old_token_ends_at_once(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, old = ring.create("agent", reach=ACME, permissions=READ)
    ring.rotate(key.key_id)
    with pytest.raises(NotAuthenticated):
        ring.principal(old)


def test_a_key_that_would_be_over_at_once_is_refused_and_closes_nothing(tmp_path: Path) -> None:
    clock = Hands()
    ring = KeyRing(tmp_path, clock=clock)
    for over in (clock.now, clock.now - timedelta(days=1)):
        with pytest.raises(InvalidInput, match="choose a later one"):
            ring.create("old", reach=ACME, permissions=READ, expires_at=over)
    assert (ring.list(), ring.was_ever_used) == ([], False)


def test_a_key_ends_by_itself_when_its_time_is_over(tmp_path: Path) -> None:
    clock = Hands()
    ring = KeyRing(tmp_path, clock=clock)
    _, token = ring.create("guest", reach=ACME, permissions=READ, expires_at=clock.now + timedelta(hours=1))
    ring.principal(token)
    clock.now += timedelta(hours=1)
    with pytest.raises(NotAuthenticated):
        ring.principal(token)


def test_a_key_that_allows_nothing_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="allow something"):
        KeyRing(tmp_path).create("idle", reach=ACME, permissions=())


def test_a_damaged_file_is_told_of_and_opens_nothing(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    _, token = ring.create("agent", reach=ACME, permissions=READ)
    (tmp_path / ".access" / "keys.json").write_text("{", encoding="utf-8")
    with pytest.raises(KeysDamaged, match="remanent keys create") as refused:
        ring.principal(token)
    assert "remove" not in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert KeyRing(tmp_path).was_ever_used


@pytest.mark.spec("SAFE-01")
def test_over_a_damaged_file_a_new_key_is_made_and_the_damaged_bytes_are_kept(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    old, _ = ring.create("agent", reach=ACME, permissions=READ)
    file = tmp_path / ".access" / "keys.json"
    file.write_bytes(file.read_bytes()[:-20])
    damaged = file.read_bytes()
    assert ring.is_damaged
    with pytest.raises(KeysDamaged):
        ring.revoke(old.key_id)
    key, token = ring.create("again", reach=ACME, permissions=READ)
    assert ring.principal(token).name == f"key:{key.key_id}"
    assert ring.list() == [key]
    assert damaged in [aside.read_bytes() for aside in (tmp_path / ".access").glob("keys.json.damaged-*")]


@pytest.mark.spec("SAFE-06")
def test_the_damaged_bytes_are_kept_through_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    KeyRing(home).create("agent", reach=ACME, permissions=READ)
    file = home / ".access" / "keys.json"
    damaged = file.read_bytes()[:-20]
    file.write_bytes(damaged)
    disk = PowerCut(home, monkeypatch)
    KeyRing(home).create("again", reach=ACME, permissions=READ)
    left = disk.image(tmp_path / "after") / ".access"
    assert [aside.read_bytes() for aside in left.glob("keys.json.damaged-*")] == [damaged]


# ── a home is open until its first key, and never again ──────────────────────


def _loses_its_file(home: Path, ring: KeyRing, key: Key) -> None:
    (home / ".access" / "keys.json").unlink()


def _loses_its_folder(home: Path, ring: KeyRing, key: Key) -> None:
    shutil.rmtree(home / ".access")


def _is_damaged(home: Path, ring: KeyRing, key: Key) -> None:
    (home / ".access" / "keys.json").write_bytes(b"")


def _is_revoked(home: Path, ring: KeyRing, key: Key) -> None:
    ring.revoke(key.key_id)


def _loses_its_marker(home: Path, ring: KeyRing, key: Key) -> None:
    (home / MARKER).unlink()


@pytest.mark.spec("SAFE-01")
@pytest.mark.parametrize("befalls", [_loses_its_file, _loses_its_folder, _is_damaged, _is_revoked, _loses_its_marker])
def test_a_home_with_a_first_key_stays_closed_whatever_befalls_the_keys(
    tmp_path: Path, befalls: Callable[[Path, KeyRing, Key], None]
) -> None:
    ring = KeyRing(tmp_path)
    assert not ring.was_ever_used
    key, _ = ring.create("first", reach=ACME, permissions=READ)
    befalls(tmp_path, ring, key)
    assert KeyRing(tmp_path).was_ever_used


@pytest.mark.spec("SAFE-01")
def test_a_home_of_before_the_marker_is_closed_and_stays_so_without_its_file(tmp_path: Path) -> None:
    KeyRing(tmp_path).create("first", reach=ACME, permissions=READ)
    (tmp_path / MARKER).unlink()
    assert KeyRing(tmp_path).was_ever_used
    shutil.rmtree(tmp_path / ".access")
    assert KeyRing(tmp_path).was_ever_used


@pytest.mark.spec("SAFE-01")
def test_a_process_that_saw_a_home_closed_does_not_find_it_open_when_the_disk_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    ring = KeyRing(home)
    was_used = [ring.was_ever_used]
    KeyRing(home).create("made elsewhere", reach=ACME, permissions=READ)
    was_used.append(ring.was_ever_used)
    assert was_used == [False, True]
    home.rename(tmp_path / "elsewhere")
    assert ring.was_ever_used


@pytest.mark.spec("SAFE-01")
def test_where_nobody_can_tell_whether_a_key_was_made_the_home_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("not a folder", encoding="utf-8")
    assert KeyRing(home).was_ever_used


# ── what is promised is on disk ──────────────────────────────────────────────


class Disk:
    """Follows every sync and rename, and tells what a crash at this moment would leave."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.synced: set[int] = set()
        """Files whose bytes are on disk."""
        self.named: list[Path] = []
        """Names that are on disk, with the bytes they stand for, in the order in which they came to be."""
        self._renamed: list[tuple[Path, int]] = []
        sync, rename = os.fsync, os.replace

        def fsync(handle: int) -> None:
            sync(handle)
            state = os.fstat(handle)
            if not stat.S_ISDIR(state.st_mode):
                self.synced.add(state.st_ino)
                return
            whole = [(path, inode) for path, inode in self._renamed if path.parent.stat().st_ino == state.st_ino]
            self.named += [path for path, inode in whole if inode in self.synced]
            self._renamed = [one for one in self._renamed if one not in whole]

        def replace(source: str | Path, target: str | Path) -> None:
            inode = Path(source).stat().st_ino
            if inode not in self.synced:
                raise AssertionError(f"{target} would be empty after a crash: its bytes were not synced before")
            rename(source, target)
            self._renamed.append((Path(target), inode))

        patch.setattr(os, "fsync", fsync)
        patch.setattr(os, "replace", replace)


@pytest.mark.spec("SAFE-06")
def test_a_key_and_its_pepper_are_on_disk_when_they_are_given_and_the_marker_before_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, access = Disk(monkeypatch), tmp_path / ".access"
    ring = KeyRing(tmp_path)
    key, _ = ring.create("first", reach=ACME, permissions=READ, seed="s")
    assert disk.named == [tmp_path / MARKER, tmp_path / ".secrets" / "pepper", access / "keys.json"]
    ring.rotate(key.key_id)
    ring.revoke(key.key_id)
    assert disk.named[3:] == [access / "keys.json"] * 2


@pytest.mark.spec("SAFE-06")
def test_the_folders_that_lead_to_a_key_are_on_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[int] = []
    sync = os.fsync

    def fsync(handle: int) -> None:
        synced.append(os.fstat(handle).st_ino)
        sync(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    home = tmp_path / "deep" / "home"
    KeyRing(home).create("first", reach=ACME, permissions=READ)
    for folder in (tmp_path, home.parent, home, home / ".access"):
        assert folder.stat().st_ino in synced


@pytest.mark.spec("SAFE-06")
def test_a_key_survives_a_power_cut_in_a_folder_that_somebody_made_in_a_hurry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    KeyRing(home).create("lost", reach=ACME, permissions=READ)
    shutil.rmtree(home / ".access")
    disk = PowerCut(home, monkeypatch)
    (home / ".access").mkdir()  # and never synced
    KeyRing(home).create("first", reach=ACME, permissions=READ)
    left = disk.image(tmp_path / "after")
    assert (left / ".access" / "keys.json").read_bytes() == (home / ".access" / "keys.json").read_bytes()


@pytest.mark.spec("SAFE-06")
def test_a_crash_before_the_key_is_written_leaves_the_home_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(fcntl, "flock", crash)
    with pytest.raises(KeyboardInterrupt):
        KeyRing(tmp_path).create("first", reach=ACME, permissions=READ)
    assert not (tmp_path / ".access" / "keys.json").exists()
    assert KeyRing(tmp_path).was_ever_used


@pytest.mark.spec("SAFE-06")
@pytest.mark.parametrize(
    "change",
    [
        lambda ring, key: ring.create("more", reach=ACME, permissions=READ),
        lambda ring, key: ring.rotate(key.key_id),
        lambda ring, key: ring.revoke(key.key_id),
    ],
    ids=["create", "rotate", "revoke"],
)
def test_from_reading_the_keys_to_writing_them_no_other_process_can_change_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[KeyRing, Key], object]
) -> None:
    ring = KeyRing(tmp_path)
    key, _ = ring.create("first", reach=ACME, permissions=READ)
    held: list[bool] = []
    read, replace = KeyRing._read, os.replace

    def look() -> None:
        with (tmp_path / ".access" / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                held.append(True)
            else:
                held.append(False)

    def watched_read(self: KeyRing) -> Any:
        look()
        return read(self)

    def watched_replace(source: Any, target: Any) -> None:
        look()
        replace(source, target)

    monkeypatch.setattr(KeyRing, "_read", watched_read)
    monkeypatch.setattr(os, "replace", watched_replace)
    change(ring, key)
    assert held == [True, True]


@pytest.mark.spec("SAFE-06")
def test_keys_that_several_processes_make_at_once_are_all_kept(tmp_path: Path) -> None:
    made = (
        "import sys; from pathlib import Path; from remanent.operations.access.keys import KeyRing\n"
        "from remanent.operations.access.keys import Permission, Reach\n"
        "ring = KeyRing(Path(sys.argv[1]))\n"
        "sys.stdin.readline()\n"
        "for n in range(10):\n"
        "    ring.create(str(n), reach=Reach(), permissions=(Permission.READ,), seed=sys.argv[2] + str(n))"
    )
    several = [
        subprocess.Popen([sys.executable, "-c", made, str(tmp_path), name], stdin=subprocess.PIPE, text=True)
        for name in "ab"
    ]
    for one in several:
        assert one.stdin is not None
        one.stdin.write("go\n")
        one.stdin.flush()
    for one in several:
        one.communicate(timeout=120)
        assert one.returncode == 0
    assert len(KeyRing(tmp_path).list()) == 20


@pytest.mark.parametrize(
    ("own", "asked", "covered"),
    [
        (Reach(), Reach(), True),
        (Reach(), Reach(org="a"), True),
        (Reach(org="a"), Reach(), False),
        (Reach(org="a"), Reach(org="a", workspace="w", agent="x"), True),
        (Reach(org="a", workspace="w"), Reach(org="a"), False),
        (Reach(org="a", workspace="w"), Reach(org="a", workspace="v"), False),
        (Reach(org="a", workspace="w", agent="x"), Reach(org="a", workspace="w", agent="y"), False),
    ],
)
def test_a_reach_covers_what_lies_within(own: Reach, asked: Reach, covered: bool) -> None:
    assert own.covers(asked) is covered


def test_a_reach_has_no_hole() -> None:
    with pytest.raises(InvalidInput):
        Reach(workspace="w")
    with pytest.raises(InvalidInput):
        Reach(org="a", agent="x")


class SharedShelf(FolderShelf):
    """Stands for a database that several servers share."""

    is_shared = True


@pytest.mark.spec("SAFE-01")
def test_whoever_empties_a_shared_place_opens_nothing_on_a_server_that_saw_keys(tmp_path: Path) -> None:
    home, shared = tmp_path / "home", tmp_path / "shared"
    KeyRing(SharedShelf(shared), home=home).create("first", reach=ACME, permissions=READ)
    shutil.rmtree(shared)
    assert KeyRing(SharedShelf(shared), home=home).was_ever_used
    # One that has no folder of its own can only go by what is shared, and one that shares nothing has none besides.
    assert not KeyRing(SharedShelf(shared)).was_ever_used
    KeyRing(FolderShelf(shared), home=tmp_path / "other").create("first", reach=ACME, permissions=READ)
    assert not (tmp_path / "other").exists()


@pytest.mark.spec("SAFE-01")
def test_a_server_remembers_in_its_own_home_that_it_saw_the_keys_of_another(tmp_path: Path) -> None:
    home, shared = tmp_path / "home", tmp_path / "shared"
    KeyRing(SharedShelf(shared)).create("made elsewhere", reach=ACME, permissions=READ)
    assert KeyRing(SharedShelf(shared), home=home).was_ever_used
    shutil.rmtree(shared)
    assert KeyRing(SharedShelf(shared), home=home).was_ever_used


def test_servers_that_are_given_the_same_pepper_answer_a_repeated_request_with_the_same_token(tmp_path: Path) -> None:
    def token(server: str, pepper: str) -> str:
        settings = load_settings(home=tmp_path / server, pepper=pepper)
        ring = open_keys(SharedShelf(tmp_path / "db" / server), settings)
        return ring.create("a", reach=ACME, permissions=READ, seed="request 7")[1]

    assert token("one", "salt of the sea") == token("two", "salt of the sea")
    assert token("three", "salt of the earth") != token("one", "salt of the sea")


@pytest.mark.spec("SAFE-06")
def test_a_pepper_of_before_that_lay_beside_the_keys_is_taken_to_the_other_secrets(tmp_path: Path) -> None:
    home, former = tmp_path / "home", tmp_path / "home" / ".access" / "pepper"
    _, token = KeyRing(home).create("a", reach=ACME, permissions=READ, seed="request 7")
    former.write_bytes((home / ".secrets" / "pepper").read_bytes())
    shutil.rmtree(home / ".secrets")
    assert KeyRing(home).create("a", reach=ACME, permissions=READ, seed="request 7")[1] == token
    assert (home / ".secrets" / "pepper").is_file()
    assert not former.exists()


def test_keys_of_a_database_do_not_leave_their_secret_beside_them(tmp_path: Path) -> None:
    ring = KeyRing(SharedShelf(tmp_path))
    with pytest.raises(InvalidSettings, match="secrets"):
        ring.create("a", reach=ACME, permissions=READ, seed="request 7")
