"""Everything that a provider can do wrong, with what must come of it."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from remanent.errors import ModelDenied, ModelRejected, ModelUnavailable, Refused
from tests.language.scripted.places import crowded, nobody
from tests.language.scripted.steps import (
    Step,
    answers_with,
    calls,
    completion,
    drips,
    fails,
    floods,
    hangs_up,
    says,
    sends,
    stalls,
)

MEGABYTE = 1024 * 1024


@dataclass(frozen=True)
class Hostility:
    """One behaviour: what the server does for ever, and the outcome with a role that replies in JSON."""

    name: str
    step: Callable[[str], Step] | None
    """Made from a good reply; none where no server answers at all."""
    outcome: type[Exception] | None
    """`None` when the answer is good after all."""
    is_about_json: bool = False
    """Whether a role that replies in plain text is not concerned: it just gets another text."""
    settings: dict[str, Any] = field(default_factory=dict)
    place: Callable[[], AbstractContextManager[str | None]] = lambda: nullcontext(None)


def _members(good: str) -> str:
    """The inside of the object that the reply is, or would be."""
    value = json.loads(good) if good.startswith("{") else {"text": good}
    return json.dumps(value, ensure_ascii=False)[1:-1]


def _about_json(
    name: str, text: Callable[[str], str], outcome: type[Exception] | None, *, finish: str = "stop"
) -> Hostility:
    return Hostility(name, lambda good: says(text(good), finish=finish), outcome, is_about_json=True)


def _body(name: str, body: bytes, *, status: int = 200, kind: str = "application/json") -> Hostility:
    return Hostility(name, lambda _: sends(body, status=status, headers={"Content-Type": kind}), ModelUnavailable)


def _json(name: str, value: Any, outcome: type[Exception] = ModelUnavailable) -> Hostility:
    return Hostility(name, lambda _: answers_with(value), outcome)


QUICK = {"request_timeout": 0.2, "connect_timeout": 0.2, "attempts": 1}
IMPATIENT = {"read_timeout": 0.15, "attempts": 1}
HUNDRED = 100 * MEGABYTE

HOSTILITIES = [
    Hostility("429", lambda _: fails(429), ModelUnavailable),
    Hostility("429 with Retry-After", lambda _: fails(429, headers={"Retry-After": "3"}), ModelUnavailable),
    Hostility("500", lambda _: fails(500), ModelUnavailable),
    _body("502 with HTML", b"<html><body>Bad gateway</body></html>", status=502, kind="text/html"),
    Hostility("401", lambda _: fails(401), ModelDenied),
    Hostility("refused", None, ModelUnavailable, place=nobody),
    Hostility("connect time-out", None, ModelUnavailable, settings=QUICK, place=crowded),
    Hostility("read time-out at the start", lambda good: stalls("start", good), ModelUnavailable, settings=IMPATIENT),
    Hostility("read time-out in the middle", lambda good: stalls("middle", good), ModelUnavailable, settings=IMPATIENT),
    Hostility("read time-out at the end", lambda good: stalls("end", good), ModelUnavailable, settings=IMPATIENT),
    Hostility("hangs up", lambda _: hangs_up(), ModelUnavailable),
    _about_json("truncated JSON", lambda good: good[: len(good) // 2] + '"x', Refused),
    _about_json("cut at the limit", lambda good: good[:3], Refused, finish="length"),
    _about_json("JSON in prose", lambda good: f"Here you are: {good}\nAnything else?", None),
    _about_json("JSON in a fence", lambda good: f"Sure!\n```json\n{good}\n```\n", None),
    _about_json("bad escapes", lambda good: "{" + _members(good) + ', "unknown": "\\d \\u12 \\("}', None),
    _about_json("trailing commas", lambda good: "{" + _members(good) + ",}", None),
    _about_json("duplicate keys", lambda good: "{" + _members(good) + ", " + _members(good) + "}", None),
    _about_json("NaN", lambda good: "{" + _members(good) + ', "unknown": NaN}', None),
    _about_json("wrong schema", lambda _: '{"type": "object", "answer": [1, 2]}', Refused),
    _json("empty choices", {**completion({"content": ""}), "choices": []}),
    _json("no choices", {"id": "x"}),
    _json("a choice without a message", {**completion({}), "choices": [{}]}),
    _json("no content", completion({"content": None}), Refused),
    _json("200 with an error", {"error": {"message": "no", "code": 500}}),
    _body("200 with null", b"null"),
    _body("200 with nothing", b""),
    _body("200 with no JSON", b"\xff\xfe{"),
    _body("200 with HTML", b"<html>hello</html>", kind="text/html"),
    _body("204", b"", status=204),
    Hostility("compressed unasked", lambda _: sends(b"\x1f\x8b", headers={"Content-Encoding": "gzip"}), Refused),
    Hostility("a byte a second", drips, ModelUnavailable, settings=QUICK),
    Hostility("100 MB", lambda _: floods(HUNDRED), Refused, settings={"max_answer": MEGABYTE}),
    Hostility("100 MB, as announced", lambda _: floods(HUNDRED, says_so=True), Refused),
    Hostility("an endless tool loop", lambda _: calls("search", {"query": "x"}), Refused),
    _json("a refusal", completion({"content": None, "refusal": "I cannot"}), ModelRejected),
]
