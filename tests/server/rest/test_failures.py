"""What the log says when a request fails."""

import json
import logging
from typing import NoReturn

import pytest

from remanent.errors import RemanentError, StorageError
from remanent.server.middleware import JsonLines
from remanent.stores.sqlite import SqliteStore
from tests.server.rest.conftest import AGENT, Served


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (StorageError("the database failed (IOError, code 10); nothing was written"), "code 10"),
        (RemanentError("something else"), "something else"),
        (ValueError("the word is swordfish"), "ValueError in "),
    ],
)
async def test_a_500_always_logs_its_reason_and_never_what_was_said(
    served: Served, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    async def fail(*_: object, **__: object) -> NoReturn:
        try:
            raise KeyError("swordfish")
        except KeyError as cause:
            raise error from cause

    monkeypatch.setattr(SqliteStore, "records", fail)
    with caplog.at_level(logging.INFO, logger="remanent"):
        answer = await served.http.get(f"{AGENT}/records")
    assert answer.status_code == 500
    failures = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(failures) == 1
    assert reason in failures[0].getMessage()
    line = json.loads(JsonLines().format(failures[0]))
    assert line["request_id"] == answer.headers["x-request-id"]
    assert line["error"] == type(error).__name__
    assert any("fail" in place for place in line["where"])
    assert any("KeyError" in one for one in line["reasons"])
    assert "swordfish" not in json.dumps([JsonLines().format(record) for record in caplog.records])
    assert "swordfish" not in caplog.text
