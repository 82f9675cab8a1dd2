"""Keys: made, listed, rotated, revoked; of their secrets only a hash is kept.

A home folder is open to whoever sits at the machine until its first key is made, and never again: not when the last
key expires or is revoked, nor when the file of keys is lost. A marker outside of that file, on disk before the first
key is, tells that keys were made; what cannot be read counts as closed.
"""

import hashlib
import hmac
from collections.abc import Hashable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from secrets import token_bytes
from typing import Annotated

from pydantic import AfterValidator, Field

from remanent.discipline.operation import Permission
from remanent.errors import InvalidInput, InvalidSettings, KeysDamaged, NotAuthenticated, NotFound, StorageError
from remanent.model import Clock, Model, Scope, system_clock
from remanent.model.clock import Instant
from remanent.model.scope import check_name
from remanent.settings import SECRETS_FOLDER, Settings
from remanent.stores.shelf import FolderShelf, Shelf, as_shelf

__all__ = ["LOCAL", "Name", "Permission", "Principal", "Reach", "Target"]

Name = Annotated[str, AfterValidator(lambda value: check_name(value, what="name"))]


class Target(Model):
    """Where something is done: an organisation, perhaps one of its workspaces, perhaps one agent there."""

    org: Name
    workspace: Name | None = None
    agent: Name | None = None

    @property
    def scope(self) -> Scope | None:
        """Whose memory it is; `None` where more than one agent is meant."""
        if self.workspace is None or self.agent is None:
            return None
        return Scope(org=self.org, workspace=self.workspace, agent=self.agent)


class Reach(Model):
    """How far a principal may go: everywhere, or only in one organisation, workspace or agent."""

    org: Name | None = None
    workspace: Name | None = None
    agent: Name | None = None

    def model_post_init(self, _context: object, /) -> None:
        """Refuse a reach with a hole in it."""
        if (self.workspace is not None and self.org is None) or (self.agent is not None and self.workspace is None):
            raise InvalidInput("name the organisation along with a workspace, and the workspace along with an agent")

    def covers(self, place: "Target | Reach") -> bool:
        """Return whether a place, or all that another reach covers, lies within."""
        own = (self.org, self.workspace, self.agent)
        asked = (place.org, place.workspace, place.agent)
        return all(mine is None or mine == theirs for mine, theirs in zip(own, asked, strict=True))


class Principal(Model):
    """Who asks: the holder of a key, or whoever sits at this machine."""

    name: Annotated[str, Field(min_length=1, max_length=200)]
    """What logs and the audit log say: the key's id, never its secret."""
    reach: Reach = Field(default_factory=Reach)
    permissions: frozenset[Permission] = frozenset()

    def may(self, permission: Permission) -> bool:
        """Return whether this is allowed within the reach."""
        return Permission.ADMIN in self.permissions or permission in self.permissions

    @property
    def is_keyless(self) -> bool:
        """Whether nobody said who it is: all who come without a key share one name."""
        return self.name == LOCAL.name


LOCAL = Principal(name="local", permissions=frozenset({Permission.ADMIN}))
"""Whoever can open the files themselves: the command line, and callers of a server on the same machine until
a first key is made."""


FOLDER = ".access"
"""Under the home folder; no organisation can have this name."""

MARKER = ".keys-were-made"
"""Directly under the home folder: keys were made here, and whoever comes without one is refused for ever."""

_MARKER_TEXT = """\
Keys have been created for this memory: a server on it refuses every request without a key. For a new one, run:
remanent keys create
此记忆已创建过密钥：服务器不再接受无密钥的请求。如需新密钥，请运行以上命令。
"""

FILE = "keys.json"
_KEYS = f"{FOLDER}/{FILE}"
PEPPER = "pepper"
"""By which tokens follow from what callers name their requests by; whoever reads it can make no token without that."""
_FORMER_PEPPER = f"{FOLDER}/{PEPPER}"
PREFIX = "rmn"
MAKE_ONE = "create one on the server's machine: remanent keys create NAME --permission admin"
"""What to do where no key opens; it works on the files and needs no key itself."""
_MAKE_ANOTHER = "it can no longer be used; create a new key: remanent keys create NAME"
"""What to do instead of changing a key that is over."""
_NOBODY = "0" * 64
"""Compared with where there is no such key, so that a refusal takes as long as with one."""
_MOST_SPENT = 32
"""Secrets drawn from callers' seeds that a key remembers: a request that is repeated must not rotate it once more."""


class Key(Model):
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


class _StoredKey(Model):
    """A key with the hash of its secret, and for a while with that of the secret before."""

    key: Key
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    spent: Annotated[tuple[str, ...], Field(max_length=_MOST_SPENT)] = ()
    """The hashes of secrets that followed from a seed: a rotation that is asked for again is known by them."""
    former: str | None = None
    former_until: Instant | None = None


class _KeyFile(Model):
    """What the file holds."""

    format: int = 1
    keys: tuple[_StoredKey, ...] = ()


def _digest(secret: str) -> str:
    # A secret has 256 random bits: nothing is gained by a slow hash, and every request pays for one.
    return hashlib.sha256(secret.encode()).hexdigest()


class KeyRing:
    """The keys of one home folder, or of one database; others may change them at any time, and that is seen at once.

    `secrets` is the folder of the pepper, `.secrets` of a home folder unless given; `pepper` is for one that is in no
    file. Where servers share keys, `home` is a folder that remembers, too, that keys were made: whoever empties the
    database opens nothing.
    """

    def __init__(
        self,
        place: Path | Shelf,
        *,
        home: Path | None = None,
        secrets: Path | None = None,
        pepper: str | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self._shelf = as_shelf(place)
        self._clock = clock
        self._cached: tuple[Hashable | None, dict[str, _StoredKey]] = (None, {})
        """The keys that were read last, and by what it is known whether they are others by now."""
        own = [] if home is None or not self._shelf.is_shared else [FolderShelf(home)]
        self._marked: tuple[Shelf, ...] = (self._shelf, *own)
        """Where it is remembered that keys were made."""
        folder = place / SECRETS_FOLDER if secrets is None and isinstance(place, Path) else secrets
        self._secrets = None if folder is None else FolderShelf(folder)
        self._given_pepper = pepper
        self._is_closed = False

    def list(self) -> list[Key]:
        """Return every key, the revoked ones too, oldest first."""
        return [kept.key for kept in self._current().values()]

    @property
    def was_ever_used(self) -> bool:
        """Whether a key was ever made on this home; once seen, it stays so whatever happens to the files."""
        if self._is_closed:
            return True
        if any(_may_exist(shelf, MARKER) for shelf in self._marked):
            self._is_closed = True
            for own in self._marked[1:]:  # a server remembers what it has seen of others' keys
                with suppress(OSError):
                    if not own.exists(MARKER):
                        own.write(MARKER, _MARKER_TEXT.encode())
        elif any(_may_exist(self._shelf, f"{FOLDER}/{name}") for name in (FILE, PEPPER)):
            # Made before there was a marker: from now on the file of keys can be lost without opening the home.
            self._is_closed = True
            with suppress(OSError):
                self._mark()
        return self._is_closed

    @property
    def opens_anything(self) -> bool:
        """Whether there is a key that holds now."""
        return any(key.holds_at(self._clock()) for key in self.list())

    @property
    def is_damaged(self) -> bool:
        """Whether the file of keys is there and cannot be read; making a key sets it aside."""
        try:
            self._current()
        except KeysDamaged:
            return True
        return False

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

        With a seed, key and token follow from it and from a secret of this home: asked again, they are the same. A file
        of keys that cannot be read is set aside: this is how the owner of the files gets in again.
        """
        if not permissions:
            raise InvalidInput("a key must allow something: read, write, approve or admin")
        if expires_at is not None and expires_at <= self._clock():
            raise InvalidInput(
                "expires_at: this time has already passed, so the key would never work; choose a later one"
            )
        self._close()
        key_id, secret = self._drawn("key", seed)[:12], self._drawn("token", seed)
        key = Key(
            key_id=key_id,
            name=name,
            reach=reach,
            permissions=tuple(sorted(set(permissions))),
            created_at=self._clock(),
            expires_at=expires_at,
        )
        with self._changing(anew=True) as kept:
            if seed is not None and key_id in kept:
                key = kept[key_id].key
            else:
                kept[key_id] = _StoredKey(key=key, digest=_digest(secret))
        return key, _token(key_id, secret)

    def rotate(self, key_id: str, *, grace: timedelta = timedelta(), seed: str | None = None) -> tuple[Key, str]:
        """Give a key another secret; the one before opens until the grace is over. The same seed does it once.

        A key that has expired is not brought back so: whoever let it end meant that its holder is let in no more.
        """
        secret, now = self._drawn("token", seed), self._clock()
        digest = _digest(secret)
        with self._changing() as kept:
            old = _living(kept, key_id)
            if not old.key.holds_at(now):
                raise InvalidInput(f"key {key_id} has expired; {_MAKE_ANOTHER}")
            if digest in old.spent:
                return old.key, _token(key_id, secret)
            key = old.key.replace(rotated_at=now)
            spent = old.spent if seed is None else (*old.spent, digest)[-_MOST_SPENT:]
            kept[key_id] = _StoredKey(key=key, digest=digest, spent=spent, former=old.digest, former_until=now + grace)
        return key, _token(key_id, secret)

    def _drawn(self, what: str, seed: str | None) -> str:
        """Return 256 bits: by chance, or as they follow from a seed and a secret that only this home has."""
        if seed is None:
            return token_bytes(32).hex()
        return hmac.new(self._pepper(), f"{what}\n{seed}".encode(), hashlib.sha256).hexdigest()

    def _pepper(self) -> bytes:
        """Return the secret that tokens are hashed with, made when first needed; without it, hashes tell nothing."""
        if self._given_pepper is not None:
            return self._given_pepper.encode()
        if self._secrets is None:
            raise InvalidSettings("the keys of a database need a secrets folder on this machine")
        try:
            found = self._secrets.read(PEPPER) or self._new_pepper(self._secrets)
        except OSError as error:
            raise StorageError(f"{self._secrets.path(PEPPER)} cannot be read: {error.strerror}") from error
        return found

    def _new_pepper(self, secrets: FolderShelf) -> bytes:
        """Make the pepper, of the one that lay beside the keys before there was one folder for secrets, if it did."""
        with self._locked(secrets, "lock"):
            found = secrets.read(PEPPER)
            if not found:
                found = self._shelf.read(_FORMER_PEPPER) or token_bytes(32)
                secrets.write(PEPPER, found)
            self._shelf.remove(_FORMER_PEPPER)
        return found

    def revoke(self, key_id: str) -> Key:
        """Let a key open nothing from now on."""
        with self._changing() as kept:
            key = _living(kept, key_id).key.replace(revoked_at=self._clock())
            kept[key_id] = _StoredKey(key=key, digest=_NOBODY)
        return key

    def principal(self, token: str) -> Principal:
        """Return who holds a token, or refuse it; every refusal takes the same way and says the same."""
        return self.recognise(self.proof(token))

    @staticmethod
    def proof(token: str) -> str:
        """Return by what a token is known: it is no token, and whoever reads it cannot make one."""
        prefix, _, rest = token.partition("_")
        key_id, _, secret = rest.partition("_")
        return f"{prefix}_{key_id}_{_digest(secret)}"

    def recognise(self, proof: str) -> Principal:
        """Return who holds the token of a proof."""
        prefix, key_id, given = proof.rsplit("_", 2)
        kept = self._current().get(key_id)
        now = self._clock()
        fits = hmac.compare_digest(given, _NOBODY if kept is None else kept.digest)
        is_former = kept is not None and kept.former_until is not None and now < kept.former_until
        fits |= hmac.compare_digest(given, kept.former or _NOBODY if kept is not None and is_former else _NOBODY)
        if kept is None or not fits or prefix != PREFIX or not kept.key.holds_at(now):
            raise NotAuthenticated(f"this key is unknown, expired or revoked; {MAKE_ONE}")
        return Principal(name=f"key:{key_id}", reach=kept.key.reach, permissions=frozenset(kept.key.permissions))

    # ── the files ────────────────────────────────────────────────────────────

    def _current(self) -> dict[str, _StoredKey]:
        """Return the keys as they stand, read again only when the file is another one."""
        try:
            seen = self._shelf.state(_KEYS)
        except OSError as error:
            raise StorageError(f"{_KEYS} cannot be read: {error.strerror}") from error
        # Kept and given as a pair: another thread may read an earlier state meanwhile.
        known, kept = self._cached
        if seen is None or seen != known:
            kept = {} if seen is None else self._read()
            self._cached = (seen, kept)
        return kept

    def _read(self) -> dict[str, _StoredKey]:
        """Return the keys as they are now; other processes may have changed them."""
        try:
            content = self._shelf.read(_KEYS)
            kept = () if content is None else _KeyFile.from_json(content).keys
        except InvalidInput as error:
            # Network callers read this too: it names no folder.
            raise KeysDamaged(
                f"{_KEYS} in the home folder is damaged, so no key works; restore it from a backup, or {MAKE_ONE}"
            ) from error
        except OSError as error:
            raise StorageError(f"{_KEYS} cannot be read: {error.strerror}") from error
        return {one.key.key_id: one for one in kept}

    @contextmanager
    def _changing(self, *, anew: bool = False) -> Iterator[dict[str, _StoredKey]]:
        """Give the keys to change, and put them back whole; `anew` begins without those that cannot be read."""
        with self._locked(self._shelf, f"{FOLDER}/lock"):
            try:
                kept = self._read()
            except KeysDamaged:
                if not anew:
                    raise
                self._set_aside()
                kept = {}
            yield kept
            self._shelf.write(_KEYS, _KeyFile(keys=tuple(kept.values())).to_json().encode())
        self._cached = (None, {})

    @contextmanager
    def _locked(self, shelf: Shelf, name: str) -> Iterator[None]:
        """Let one process or thread at a time change what a lock stands for."""
        try:
            with shelf.locked(name):
                yield
        except OSError as error:
            raise StorageError(f"the keys in {FOLDER} cannot be changed: {error.strerror}") from error

    def _close(self) -> None:
        """Have the marker on disk before the first key is: no crash and no loss of the keys opens the home again."""
        try:
            if not all(shelf.exists(MARKER) for shelf in self._marked):
                self._mark()
        except OSError as error:
            raise StorageError(f"no key can be created in the home folder: {error.strerror}") from error
        self._is_closed = True

    def _mark(self) -> None:
        for shelf in self._marked:
            shelf.write(MARKER, _MARKER_TEXT.encode())

    def _set_aside(self) -> None:
        """Keep what cannot be read for whoever can repair it, under a name that no earlier one has."""
        content = self._shelf.read(_KEYS) or b""
        name = f"{_KEYS}.damaged-{hashlib.sha256(content).hexdigest()[:12]}"
        self._shelf.write(name, content)


def _may_exist(shelf: Shelf, name: str) -> bool:
    """Return whether a document is there, or nobody can tell."""
    try:
        return shelf.exists(name)
    except OSError:
        return True


def _token(key_id: str, secret: str) -> str:
    return f"{PREFIX}_{key_id}_{secret}"


def _living(kept: dict[str, _StoredKey], key_id: str) -> _StoredKey:
    """Return a key that was not revoked: only such a one can be rotated or revoked."""
    found = kept.get(key_id)
    if found is None:
        raise NotFound(f"there is no key {key_id}")
    if found.key.revoked_at is not None:
        raise NotFound(f"key {key_id} was revoked; {_MAKE_ANOTHER}")
    return found


def open_keys(shelf: Shelf, settings: Settings, *, clock: Clock = system_clock) -> KeyRing:
    """Return the keys of a memory, with the secrets of this machine."""
    pepper = None if settings.pepper is None else settings.pepper.get_secret_value()
    return KeyRing(shelf, home=settings.home, secrets=settings.secrets_folder, pepper=pepper, clock=clock)
