"""What the log says when a request fails."""

import json
import logging
from typing import NoReturn

import pytest

from remanent.errors import RemanentError, StorageError
from remanent.server.app import JsonLines
from remanent.stores.postgres import PostgresStore
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

    for store in (SqliteStore, PostgresStore):  # the second where this runs at scale
        monkeypatch.setattr(store, "records", fail)
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


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    ("path", "body", "title", "detail"),
    [
        (
            f"{AGENT}/remember",
            None,
            "没有这个地址",
            "没有这个地址：要记住内容，请用 POST …/entries；全部地址见 /docs",
        ),
        ("/v1/nowhere", None, "没有这个地址", "没有这个地址；全部地址见 /docs"),
        (f"{AGENT}/recall", {"query": "x", "limit": 0}, "值的格式有误或超出范围", "应不小于 1"),
        (f"{AGENT}/records/nope", None, "未找到", "这里没有记录 nope"),
        (f"{AGENT}/recall", [], "值的格式有误或超出范围", "请求体应为一个 JSON 对象"),
        (f"{AGENT}/recall", {"query": 5}, "值的格式有误或超出范围", "query：类型不符"),
        (f"{AGENT}/recall", {"query": "x" * 100_001}, "值的格式有误或超出范围", "query：最多 100000 个字符"),
        (f"{AGENT}/entries", {"messages": []}, "值的格式有误或超出范围", "请至少给出一条消息"),
        (f"{AGENT}/entries", {"messages": ["x"] * 10_001}, "值的格式有误或超出范围", "而不是 10001 项"),
        (f"{AGENT}/entries", {"messages": [{"content": 7}]}, "值的格式有误或超出范围", "而不是数字"),
    ],
    ids=range(10),
)
async def test_who_asks_in_chinese_is_refused_in_chinese(
    served: Served, path: str, body: dict[str, object] | list[object] | None, title: str, detail: str
) -> None:
    method = "GET" if body is None else "POST"
    for languages, is_chinese in (("zh-CN,zh;q=0.9", True), ("en-GB,zh;q=0.5", False)):
        answer = await served.http.request(method, path, json=body, headers={"Accept-Language": languages})
        told = answer.json()
        assert (told["title"] == title, detail in told["detail"]) == (is_chinese, is_chinese), told


@pytest.mark.spec("USE-05")
async def test_a_failure_of_the_server_is_told_in_chinese_too(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object, **__: object) -> NoReturn:
        raise StorageError("the disk is gone")

    for store in (SqliteStore, PostgresStore):  # the second where this runs at scale
        monkeypatch.setattr(store, "records", fail)
    answer = await served.http.get(f"{AGENT}/records", headers={"Accept-Language": "zh"})
    assert answer.json()["detail"] == "存储出错；详见服务器日志"


async def test_no_word_of_python_is_told_over_the_network(served: Served) -> None:
    empty = await served.http.post(f"{AGENT}/entries", json={"messages": []})
    assert empty.json()["detail"] == "messages: give at least one message"
    number = await served.http.post(f"{AGENT}/entries", json={"messages": [{"content": 7}]})
    assert number.json()["detail"].endswith("text or a list of parts was expected, not a number")
