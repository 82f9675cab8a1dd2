"""Keys: of the secret only a hash is kept, and a change by any process counts at once."""

import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from remanent.errors import IntegrityError, InvalidInput, NotAuthenticated, NotFound
from remanent.operations.access.keys import KeyRing
from remanent.operations.access.principal import Permission, Reach

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
    assert ring.is_empty
    assert [one.revoked_at is not None for one in ring.list()] == [True]
    with pytest.raises(NotFound):
        ring.revoke(key.key_id)
    with pytest.raises(NotFound):
        ring.rotate(key.key_id)


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


def test_without_grace_the_old_token_ends_at_once(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    key, old = ring.create("agent", reach=ACME, permissions=READ)
    ring.rotate(key.key_id)
    with pytest.raises(NotAuthenticated):
        ring.principal(old)


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
    with pytest.raises(IntegrityError):
        ring.principal(token)


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
