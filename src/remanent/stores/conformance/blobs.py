"""What every keeper of raw files must keep."""

import asyncio
import hashlib

import pytest

from remanent.errors import InvalidInput, NotFound
from remanent.model import Scope
from remanent.stores.blobs import Blobs
from remanent.stores.conformance.base import Samples

NO_DIGESTS = [
    "", "abc", "../../../etc/passwd", "/etc/passwd", "..", "g" * 64, "A" * 64, "0" * 63, "0" * 65, "0" * 63 + "\n",
    "0" * 64 + "\n", "0" * 62 + "/x", "../" + "0" * 61, "\x00" * 64, "０" * 64, "*" * 64,
]  # fmt: skip


class BlobsConformance:
    """The promises of `Blobs`; a backend gives `blobs`."""

    @pytest.fixture
    async def blobs(self) -> Blobs:
        """Return an empty keeper of files."""
        raise NotImplementedError

    @pytest.fixture
    def scope(self) -> Scope:
        """Return whose files they are."""
        return Samples().make_scope()

    @pytest.mark.parametrize("content", [b"", b"plain", bytes(range(256)) * 5000], ids=["empty", "plain", "large"])
    async def test_what_is_read_is_what_was_put(self, blobs: Blobs, scope: Scope, content: bytes) -> None:
        """Of any size, none at all included, and with any bytes: a file is not text."""
        digest = await blobs.put(scope, content)
        assert await blobs.get(scope, digest) == content

    async def test_the_digest_is_the_sha_256_of_the_bytes(self, blobs: Blobs, scope: Scope) -> None:
        """Entries keep the digest, and an export may be read by another backend: all must name a file alike."""
        assert await blobs.put(scope, b"plain") == hashlib.sha256(b"plain").hexdigest()

    async def test_the_same_bytes_are_kept_once(self, blobs: Blobs, scope: Scope) -> None:
        """A picture that is sent with every message must not take the room of every message."""
        first = await blobs.put(scope, b"again")
        assert await blobs.put(scope, b"again") == first
        assert await blobs.digests(scope) == [first]

    async def test_the_digests_of_all_that_is_kept_are_listed_in_order(self, blobs: Blobs, scope: Scope) -> None:
        """What no entry refers to is found by comparing this list with the journal."""
        assert await blobs.digests(scope) == []
        put = [await blobs.put(scope, b"%d" % number) for number in range(20)]
        assert await blobs.digests(scope) == sorted(put)

    async def test_what_was_never_put_is_not_found(self, blobs: Blobs, scope: Scope) -> None:
        """`NotFound` tells it from damage, which a caller must treat otherwise."""
        with pytest.raises(NotFound):
            await blobs.get(scope, "0" * 64)

    async def test_what_is_deleted_is_gone_and_can_be_put_again(self, blobs: Blobs, scope: Scope) -> None:
        """An erasure deletes; the same file may be given again later by somebody who has the right to."""
        digest = await blobs.put(scope, b"for a while")
        await blobs.delete(scope, digest)
        with pytest.raises(NotFound):
            await blobs.get(scope, digest)
        assert await blobs.digests(scope) == []
        assert await blobs.put(scope, b"for a while") == digest
        assert await blobs.get(scope, digest) == b"for a while"

    async def test_deleting_what_is_not_there_is_harmless(self, blobs: Blobs, scope: Scope) -> None:
        """An erasure that was cut short is carried out again from its beginning."""
        await blobs.delete(scope, "0" * 64)

    async def test_agents_do_not_see_each_others_files(self, blobs: Blobs, scope: Scope) -> None:
        """A digest that leaks must not open another agent's file."""
        digest = await blobs.put(scope, b"mine")
        others = [
            Scope(org=scope.org, workspace=scope.workspace, agent="bob"),
            Scope(org=scope.org, workspace="elsewhere", agent=scope.agent),
            Scope(org="other", workspace=scope.workspace, agent=scope.agent),
        ]
        for other in others:
            assert await blobs.digests(other) == []
            with pytest.raises(NotFound):
                await blobs.get(other, digest)
            await blobs.delete(other, digest)
        assert await blobs.get(scope, digest) == b"mine"

    async def test_sessions_of_an_agent_share_its_files(self, blobs: Blobs, scope: Scope) -> None:
        """The agent is the border of memory; a session only narrows what is read."""
        digest = await blobs.put(scope.within(session="one"), b"shared")
        assert await blobs.get(scope.within(session="two", task="t"), digest) == b"shared"

    @pytest.mark.parametrize("digest", NO_DIGESTS, ids=ascii)
    async def test_what_is_no_digest_is_refused(self, blobs: Blobs, scope: Scope, digest: str) -> None:
        """A digest becomes part of a path or a key: nothing else may, or a caller could climb out of the folder."""
        with pytest.raises(InvalidInput):
            await blobs.get(scope, digest)
        with pytest.raises(InvalidInput):
            await blobs.delete(scope, digest)

    async def test_many_at_once_are_all_kept(self, blobs: Blobs, scope: Scope) -> None:
        """Two writers of the same bytes race for one name, and neither may leave half a file under it."""
        contents = [b"%d" % (number % 10) for number in range(60)]
        digests = await asyncio.gather(*(blobs.put(scope, content) for content in contents))
        assert [await blobs.get(scope, digest) for digest in digests] == contents
        assert await blobs.digests(scope) == sorted(set(digests))
