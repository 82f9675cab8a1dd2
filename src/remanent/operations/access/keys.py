"""Keys: made, listed, rotated, revoked; of their secrets only a hash is kept."""

import fcntl
import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from remanent.errors import IntegrityError, InvalidInput, NotAuthenticated, NotFound, StorageError
from remanent.model import Clock, Word, system_clock
from remanent.model.clock import Instant
from remanent.operations.access.principal import Permission, Principal, Reach

FOLDER = ".access"
"""Under the home folder; no organisation can have this name."""

FILE = "keys.json"
PEPPER = "pepper"
"""By which tokens follow from what callers name their requests by; whoever reads it can make no token without that."""
PREFIX = "rmn"
_NOBODY = "0" * 64
_MOST_SPENT = 32


class Key(Word):
    """A key as it is kept: everything but its secret."""

    key_id: Annotated[str, Field(pattern=r"^[0-9a-f]{12}$")]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    reach: Reach = Field(default_factory=Reach)
    permissions: tuple[Permission, ...]
    created_at: Instant
    expires_at: Instant | None = None
    rotated_at: Instant | None = None
    revoked_at: Instant | None = None

    def holds_at(self, moment: datetime) -> bool:
        """Return whether the key opens anything at that moment."""
        return self.revoked_at is None and (self.expires_at is None or moment < self.expires_at)


class _Kept(Word):
    """A key with the hash of its secret, and for a while with that of the secret before."""

    key: Key
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    spent: Annotated[tuple[str, ...], Field(max_length=_MOST_SPENT)] = ()
    """The hashes of secrets that followed from a seed: a rotation that is asked for again is known by them."""
    former: str | None = None
    former_until: Instant | None = None


class _File(Word):
    """What the file holds."""

    format: int = 1
    keys: tuple[_Kept, ...] = ()


def _digest(secret: str) -> str:
    # A secret has 256 random bits: nothing is gained by a slow hash, and every request pays for one.
    return hashlib.sha256(secret.encode()).hexdigest()


class KeyRing:
    """The keys of one home folder; other processes may change them at any time, and that is seen at once."""

    def __init__(
        self, home: Path, *, clock: Clock = system_clock, random: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        self._folder = home / FOLDER
        self._file = self._folder / FILE
        self._clock = clock
        self._random = random
        self._seen: tuple[int, ...] = ()
        self._kept: dict[str, _Kept] = {}

    def list(self) -> list[Key]:
        """Return every key, the revoked ones too, oldest first."""
        return [kept.key for kept in self._current().values()]

    @property
    def is_empty(self) -> bool:
        """Whether there is no key that could open anything."""
        return not any(key.holds_at(self._clock()) for key in self.list())

    def get(self, key_id: str) -> Key:
        """Return a key."""
        kept = self._current().get(key_id)
        if kept is None:
            raise NotFound(f"there is no key {key_id}")
        return kept.key

    def create(
        self,
        name: str,
        *,
        reach: Reach,
        permissions: tuple[Permission, ...],
        expires_at: datetime | None = None,
        seed: str | None = None,
    ) -> tuple[Key, str]:
        """Make a key and return it with its token, which nobody can read again.

        With a seed, key and token follow from it and from a secret of this home: asked again, they are the same.
        """
        if not permissions:
            raise InvalidInput("a key must allow something: read, write, approve or admin")
        key_id, secret = self._drawn("key", seed)[:12], self._drawn("token", seed)
        key = Key(
            key_id=key_id,
            name=name,
            reach=reach,
            permissions=tuple(sorted(set(permissions))),
            created_at=self._clock(),
            expires_at=expires_at,
        )
        with self._changing() as kept:
            if seed is not None and key_id in kept:
                key = kept[key_id].key
            else:
                kept[key_id] = _Kept(key=key, digest=_digest(secret))
        return key, _token(key_id, secret)

    def rotate(self, key_id: str, *, grace: timedelta = timedelta(), seed: str | None = None) -> tuple[Key, str]:
        """Give a key another secret; the one before opens until the grace is over. The same seed does it once."""
        secret, now = self._drawn("token", seed), self._clock()
        digest = _digest(secret)
        with self._changing() as kept:
            old = _living(kept, key_id)
            if digest in old.spent:
                return old.key, _token(key_id, secret)
            key = old.key.replace(rotated_at=now)
            spent = old.spent if seed is None else (*old.spent, digest)[-_MOST_SPENT:]
            kept[key_id] = _Kept(key=key, digest=digest, spent=spent, former=old.digest, former_until=now + grace)
        return key, _token(key_id, secret)

    def _drawn(self, what: str, seed: str | None) -> str:
        """Return 256 bits: by chance, or as they follow from a seed and a secret that only this home has."""
        if seed is None:
            return self._random(32).hex()
        return hmac.new(self._pepper(), f"{what}\n{seed}".encode(), hashlib.sha256).hexdigest()

    def _pepper(self) -> bytes:
        file = self._folder / PEPPER
        try:
            return file.read_bytes()
        except FileNotFoundError:
            with self._changing():  # one process at a time
                if not file.exists():
                    self._put(file, self._random(32))
            return file.read_bytes()
        except OSError as error:
            raise StorageError(f"{file} cannot be read: {error.strerror}") from error

    def revoke(self, key_id: str) -> Key:
        """Let a key open nothing from now on."""
        with self._changing() as kept:
            key = _living(kept, key_id).key.replace(revoked_at=self._clock())
            kept[key_id] = _Kept(key=key, digest=_NOBODY)
        return key

    def principal(self, token: str) -> Principal:
        """Return who holds a token, or refuse it; every refusal takes the same way and says the same."""
        prefix, _, rest = token.partition("_")
        key_id, _, secret = rest.partition("_")
        kept = self._current().get(key_id)
        now = self._clock()
        given = _digest(secret)
        fits = hmac.compare_digest(given, _NOBODY if kept is None else kept.digest)
        is_former = kept is not None and kept.former_until is not None and now < kept.former_until
        fits |= hmac.compare_digest(given, kept.former or _NOBODY if kept is not None and is_former else _NOBODY)
        if kept is None or not fits or prefix != PREFIX or not kept.key.holds_at(now):
            raise NotAuthenticated("this key is unknown, expired or revoked")
        return Principal(name=f"key:{key_id}", reach=kept.key.reach, permissions=frozenset(kept.key.permissions))

    # ── the file ─────────────────────────────────────────────────────────────

    def _current(self) -> dict[str, _Kept]:
        """Return the keys as they stand, read again only when the file is another one."""
        try:
            state = self._file.stat()
        except FileNotFoundError:
            self._seen, self._kept = (), {}
            return self._kept
        seen = (state.st_ino, state.st_mtime_ns, state.st_size)
        if seen != self._seen:
            self._kept = self._read()
            self._seen = seen
        return self._kept

    def _read(self) -> dict[str, _Kept]:
        try:
            kept = _File.from_json(self._file.read_bytes()).keys
        except InvalidInput as error:
            raise IntegrityError(
                f"{self._file} is damaged; restore it from a backup, or remove it and make new keys"
            ) from error
        except FileNotFoundError:
            return {}
        return {one.key.key_id: one for one in kept}

    @contextmanager
    def _changing(self) -> Iterator[dict[str, _Kept]]:
        """Give the keys to change, and put them back whole, one process at a time."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._folder / "lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                kept = self._read()
                yield kept
                self._put(self._file, _File(keys=tuple(kept.values())).to_json().encode())
        except OSError as error:
            raise StorageError(f"the keys in {self._folder} cannot be changed: {error.strerror}") from error
        self._seen = ()

    def _put(self, target: Path, content: bytes) -> None:
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=f".{target.stem}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(target)


def _token(key_id: str, secret: str) -> str:
    return f"{PREFIX}_{key_id}_{secret}"


def _living(kept: dict[str, _Kept], key_id: str) -> _Kept:
    found = kept.get(key_id)
    if found is None or found.key.revoked_at is not None:
        raise NotFound(f"there is no key {key_id}")
    return found
