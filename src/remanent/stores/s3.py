"""Files by their content hash in a bucket, under `<prefix>/<org>/<workspace>/<agent>/ab/abcdef…`.

An object is made once (`mode="create"`) and never changed, so that two writers of the same bytes cannot spoil each
other's; what is read is compared with its name, as with files.
"""

import asyncio
import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import parse_qs, quote, urlsplit

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from remanent.errors import IntegrityError, InvalidSettings, NotFound, StorageError
from remanent.model import Scope
from remanent.stores.blobs import DIGEST, Blobs, place_of, verified

if TYPE_CHECKING:
    from obstore.store import S3Config

_TIMEOUT: Final = timedelta(seconds=20)
"""For all attempts at one request together; chosen by hand."""


class S3Blobs(Blobs):
    """Keeps files in the bucket of a URL: `s3://bucket/prefix?endpoint=https://…&region=…`.

    The key and its secret are taken from where every tool of object storage takes them (`AWS_ACCESS_KEY_ID` and
    `AWS_SECRET_ACCESS_KEY`, or the machine's own role), never from the URL, which is shown and logged.
    """

    def __init__(self, url: str, *, timeout: timedelta = _TIMEOUT) -> None:
        parts = urlsplit(url)
        if parts.scheme != "s3" or not parts.hostname or "@" in parts.netloc:
            raise InvalidSettings("write the URL like s3://bucket/prefix, without a key in it")
        options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        config = cast("S3Config", {name: options[name] for name in ("endpoint", "region") if name in options})
        self._store = S3Store(
            parts.netloc,
            prefix=parts.path.strip("/") or None,
            config=config,
            client_options={"allow_http": config.get("endpoint", "").startswith("http://"), "timeout": timeout},
            retry_config={"max_retries": 3, "retry_timeout": timeout},
        )

    async def put(self, scope: Scope, content: bytes) -> str:
        """Keep the bytes durably and return their digest; keeping the same bytes again is free."""
        digest = (await asyncio.to_thread(hashlib.sha256, content)).hexdigest()
        key = _key(scope, digest)
        with _translated("keeping a file"):
            try:
                await obstore.put_async(self._store, key, content, mode="create")
            except AlreadyExistsError:
                if not await self._is_whole(scope, digest):
                    await obstore.put_async(self._store, key, content, mode="overwrite")
        return digest

    async def get(self, scope: Scope, digest: str) -> bytes:
        """Return the bytes; `NotFound` when there are none, `IntegrityError` when they are damaged."""
        with _translated("reading a file"):
            try:
                content = await self._read(_key(scope, digest))
            except FileNotFoundError as error:
                raise NotFound(f"no file with the digest {digest} is stored here") from error
        return await asyncio.to_thread(verified, content, digest)

    async def delete(self, scope: Scope, digest: str) -> None:
        """Remove the bytes if they are there; a bucket that keeps versions keeps them (see docs/scale.md)."""
        key = _key(scope, digest)
        with _translated("removing a file"):
            try:
                await obstore.delete_async(self._store, key)
            except FileNotFoundError:
                return

    async def digests(self, scope: Scope) -> list[str]:
        """Return the digests of all that is kept, sorted."""
        found: list[str] = []
        with _translated("listing files"):
            async for page in obstore.list(self._store, prefix=_folder(scope)):
                found += [name for item in page if DIGEST.fullmatch(name := item["path"].rpartition("/")[2])]
        return sorted(found)

    async def _read(self, key: str) -> bytes:
        answer = await obstore.get_async(self._store, key)
        return bytes(await answer.bytes_async())

    async def _is_whole(self, scope: Scope, digest: str) -> bool:
        """Tell whether an object has the bytes that its name promises."""
        try:
            await self.get(scope, digest)
        except (NotFound, IntegrityError):  # removed meanwhile, or damaged
            return False
        return True


def _folder(scope: Scope) -> str:
    return "/".join(quote(name, safe="") for name in (scope.org, scope.workspace, scope.agent))


def _key(scope: Scope, digest: object) -> str:
    return f"{_folder(scope)}/{place_of(digest)}"


@contextmanager
def _translated(doing: str) -> Iterator[None]:
    """Raise our own error for whatever the client raises, the cause kept; addresses and keys are not repeated."""
    try:
        yield
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise StorageError(f"{doing} was not permitted; check the key and the permissions of the bucket") from error
    except (BaseError, OSError) as error:
        raise StorageError(f"{doing} failed: object storage does not answer as it should; try again") from error
