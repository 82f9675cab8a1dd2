"""Errors as HTTP answers: one table of statuses, one form (RFC 9457, problem details).

What concerns the caller is told; what went wrong inside is logged, and only its title is told. Messages of other
libraries are kept out of both, because they may repeat what somebody said.
"""

import json
import logging
import math
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from starlette.responses import Response

from remanent import errors
from remanent.bilingual import Bilingual, Language, prefers_chinese, translated
from remanent.jobs.runner import describe_failure
from remanent.lightweight import dataclass

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 1.0
"""When a busy server is worth another try, unless it is known better."""

_logger = logging.getLogger("remanent.server")


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One kind of error: its status, what it is called, and whether what it says is for the caller."""

    status: int
    title: Bilingual
    tells: bool = True


PROBLEM_TYPES: Mapping[type[BaseException], ProblemType] = {
    errors.CallerError: ProblemType(400, Bilingual("The request is wrong", "请求有误")),
    errors.NotAuthenticated: ProblemType(401, Bilingual("A key is required", "需要密钥")),
    errors.NotPermitted: ProblemType(403, Bilingual("The key does not allow this", "密钥不允许此操作")),
    errors.OriginRefused: ProblemType(
        403, Bilingual("Requests from pages of other sites are refused", "拒绝来自其他网站页面的请求")
    ),
    errors.NotFound: ProblemType(404, Bilingual("Not found", "未找到")),
    errors.VersionConflict: ProblemType(409, Bilingual("Someone else changed it first", "已被他人修改")),
    errors.DuplicateEntry: ProblemType(
        409, Bilingual("The id belongs to another text already", "该 id 已属于另一段文字")
    ),
    errors.InvalidInput: ProblemType(422, Bilingual("A value is malformed or out of range", "值的格式有误或超出范围")),
    errors.DamagedExport: ProblemType(422, Bilingual("The export is damaged", "导出文件已损坏")),
    errors.DatabaseMissing: ProblemType(
        500, Bilingual("The database of this agent is missing", "该智能体的数据库不存在"), tells=False
    ),
    errors.JobFailed: ProblemType(424, Bilingual("Background work gave up", "后台任务已放弃")),
    errors.RateLimited: ProblemType(429, Bilingual("Too many requests", "请求过多")),
    errors.QueueFull: ProblemType(429, Bilingual("Too much work is waiting", "等待的任务过多")),
    errors.RemanentError: ProblemType(500, Bilingual("Something went wrong", "发生错误"), tells=False),
    errors.SetupError: ProblemType(500, Bilingual("The server is not set up for this", "服务器未为此配置")),
    errors.MissingDependency: ProblemType(
        501, Bilingual("The server lacks a component that this needs", "服务器缺少所需组件")
    ),
    errors.StorageError: ProblemType(500, Bilingual("The storage failed", "存储出错"), tells=False),
    errors.AuditFailed: ProblemType(500, Bilingual("Done, but not recorded", "已完成，但未能记录")),
    errors.KeysDamaged: ProblemType(500, Bilingual("The keys are damaged", "密钥文件已损坏")),
    errors.LanguageError: ProblemType(502, Bilingual("The model gave no usable answer", "模型未能给出可用的回答")),
    errors.BusyError: ProblemType(503, Bilingual("Busy", "繁忙")),
    errors.ModelUnavailable: ProblemType(503, Bilingual("The model cannot be reached", "无法连接模型")),
    errors.StoreClosed: ProblemType(503, Bilingual("The server is stopping", "服务器正在停止")),
    errors.StorageFull: ProblemType(507, Bilingual("No space left", "空间不足")),
}

# What the protocol itself can refuse, beside the errors above.
PROTOCOL_TITLES: Mapping[int, Bilingual] = {
    400: Bilingual("The request cannot be read", "无法读取请求"),
    404: Bilingual("There is no such address", "没有这个地址"),
    405: Bilingual("This address does not accept this method", "该地址不接受此方法"),
    412: Bilingual("Someone else changed it first", "已被他人修改"),
    413: Bilingual("The request is too large", "请求过大"),
    415: Bilingual("Unsupported request format", "请求格式不符"),
    421: Bilingual("This server does not answer to that name", "服务器不以该名称应答"),
    431: Bilingual("The headers are too large", "请求头过大"),
    503: Bilingual("Busy", "繁忙"),
}


@dataclass(slots=True)
class Refusal(Exception):
    """A refusal by the protocol and not by the library."""

    status: int
    detail: str
    headers: dict[str, str] = field(default_factory=dict)


def problem_type_of(error: BaseException) -> ProblemType:
    """Return the row of an error: that of its nearest class in the table."""
    return next(
        (PROBLEM_TYPES[kind] for kind in type(error).__mro__ if kind in PROBLEM_TYPES),
        PROBLEM_TYPES[errors.RemanentError],
    )


_REFUSED = Bilingual("Refused", "已拒绝")


def problem(error: BaseException, *, request_id: str = "", languages: str = "") -> Response:
    """Return an error as an answer in the caller's language, by its header `Accept-Language`.

    What went wrong inside of the server stays inside.
    """
    language: Language = "zh" if prefers_chinese(languages) else "en"
    if isinstance(error, Refusal):
        title = PROTOCOL_TITLES.get(error.status, _REFUSED)
        status, urn, detail, headers = error.status, "about:blank", error.detail, error.headers
    else:
        row = problem_type_of(error)
        log_failure(error, status=row.status, request_id=request_id)
        title, status, headers = row.title, row.status, {}
        if status == 401:
            headers["WWW-Authenticate"] = 'Bearer realm="remanent"'
        if status in {429, 503}:
            seconds = getattr(error, "retry_after", None) or RETRY_SECONDS
            headers["Retry-After"] = str(math.ceil(seconds))
        name = type(error).__name__ if isinstance(error, errors.RemanentError) else "InternalError"
        urn = f"urn:remanent:error:{name}"
        told = row.tells and isinstance(error, errors.RemanentError)
        detail = str(error) if told else f"{title.say(language)}; see the server's log for details"
    body = {"type": urn, "title": title.say(language), "status": status, "detail": translated(detail, language)}
    return _answer(body, request_id=request_id, headers=headers)


def log_failure(error: BaseException, *, status: int = 500, request_id: str = "") -> None:
    """Log why a request failed, when that is the server's affair; a busy server and a wrong request are not.

    Messages of other packages are left out, because they may hold what somebody said; the places tell enough.
    """
    if status < 500 or status == 503:
        return
    reasons = [describe_failure(one) for one in _chain(error)]
    told = {
        "request_id": request_id,
        "error": type(error).__name__,
        "reasons": reasons,
        "where": traceback_lines(error),
    }
    if isinstance(error, errors.RemanentError):
        _logger.error("a request failed: %s", "; from ".join(reasons), extra={"fields": told})
    else:
        said = "a request failed for a reason nobody foresaw: %s"
        _logger.critical(said, "; from ".join(reasons), extra={"fields": told})


def traceback_lines(error: BaseException) -> list[str]:
    """Return where an error happened and what it came from; messages are left out, see `log_failure`."""
    return [
        f"{frame.filename}:{frame.lineno} {frame.name}"
        for one in _chain(error)
        for frame in traceback.extract_tb(one.__traceback__)
    ]


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it came from."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _answer(body: dict[str, Any], *, request_id: str, headers: Mapping[str, str]) -> Response:
    """Return the problem as RFC 9457 writes it, with the id by which its request is found in the log."""
    if request_id:
        body["instance"] = f"urn:remanent:request:{request_id}"
    content = json.dumps(body, ensure_ascii=False).encode(errors="replace")
    return Response(content, status_code=body["status"], media_type=MEDIA_TYPE, headers=dict(headers))
