"""The description and the server agree: generated requests, right and wrong, get documented answers and no 5xx.

Requests are generated when the test of their operation runs, by what schemathesis' own plugin calls: that one makes all
of them while tests are collected, which took every process of a run 9 s of CPU for requests that most never send. It is
loaded by the process that sends them, for the same reason.
"""

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests
from hypothesis import HealthCheck, Phase, settings

from remanent.operations import Catalogue
from remanent.operations.service import CATALOGUE
from remanent.server import app
from remanent.server.documentation import openapi
from remanent.server.rest import RUNS, address_of
from tests.server.rest.conftest import Served, running

if TYPE_CHECKING:
    from schemathesis import Case

CASES = 100 if os.environ.get("REMANENT_CHAOS") == "full" else 2
ANSWER_TIMEOUT = 300.0
"""Seconds for an answer: on a busy machine a tenth of them has been too few."""

OPERATIONS = [
    *((address_of(one), one.method.lower()) for one in CATALOGUE.values()),
    *((RUNS, "get"), (f"{RUNS}/{{run_id}}", "get"), (f"{RUNS}/{{run_id}}", "delete")),
]
"""Not taken from the description, which every process of a run would have to write while tests are collected."""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The description."""
    return openapi(CATALOGUE)


@pytest.fixture(scope="module")
def schema(document: dict[str, Any]) -> Any:
    """What schemathesis makes of the description, in the process that sends requests and in no other."""
    import schemathesis
    from schemathesis.checks import load_all_checks

    @schemathesis.serializer("application/x-ndjson", "application/n-triples")
    def as_lines(_: object, value: object) -> bytes:
        """Send whatever was generated as it is."""
        return value if isinstance(value, bytes) else str(value).encode(errors="replace")

    load_all_checks()
    return schemathesis.openapi.from_dict(document)


@pytest.fixture(scope="module")
def checks() -> list[Any]:
    """What is asked of every answer."""
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        negative_data_rejection,
        response_schema_conformance,
        status_code_conformance,
        unsupported_method,
    )

    return [
        not_a_server_error,
        status_code_conformance,
        content_type_conformance,
        response_schema_conformance,
        negative_data_rejection,
        unsupported_method,
    ]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server in a thread of its own; its rate is no limit here."""
    begun, done, found = threading.Event(), threading.Event(), []

    async def run(home: Path) -> None:
        async with running(home, rate=0, max_body=2_000_000) as served:
            await fill(served)
            found.append(served.url)
            begun.set()
            await asyncio.to_thread(done.wait)

    thread = threading.Thread(target=asyncio.run, args=(run(tmp_path_factory.mktemp("served")),))
    thread.start()
    assert begun.wait(60)
    yield found[0]
    done.set()
    thread.join()


@pytest.fixture(scope="module")
def session() -> Iterator[requests.Session]:
    """One connection for some thousand requests: making one, and looking for proxies, took as long as most answers."""
    with requests.Session() as session:
        session.trust_env = False
        session.headers.clear()  # those of a case are sent, and no others
        yield session


async def fill(served: Served) -> None:
    await served.told("one", "two", at="/v1/orgs/0/workspaces/0/agents/0")


@pytest.mark.parametrize(
    ("path", "method"), [pytest.param(path, method, id=f"{method.upper()} {path}") for path, method in OPERATIONS]
)
def test_every_answer_is_documented_and_none_is_the_servers_fault(
    url: str, session: requests.Session, schema: Any, checks: list[Any], *, path: str, method: str
) -> None:
    from schemathesis.generation.feedback import FeedbackSources
    from schemathesis.pytest._test_builder import build_operation_test

    sent = []

    @settings(
        max_examples=CASES,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: "Case[Any]") -> None:
        sent.append(case.method)
        case.call_and_validate(base_url=url, session=session, checks=checks, timeout=ANSWER_TIMEOUT)
        assert not session.cookies  # so that no request knows of another

    build_operation_test(
        config=schema.config,
        operation=schema[path][method.upper()],
        test_func=check,
        given_kwargs={},
        feedback=FeedbackSources(),
    )()
    assert len(sent) > CASES  # those of every sort, besides those at random


def test_every_operation_that_is_described_is_asked(document: dict[str, Any]) -> None:
    described = [
        (path, method)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        if operation["operationId"] != "runs.follow"  # a stream of events, which ends when its run does
    ]
    assert sorted(OPERATIONS) == sorted(described)


def test_the_description_names_every_operation_once(document: dict[str, Any]) -> None:
    named = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert sorted(named) == sorted([*CATALOGUE, "runs.list", "runs.get", "runs.cancel", "runs.follow"])


async def test_a_server_describes_itself_when_first_asked_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    described = []

    def counted(catalogue: Catalogue) -> dict[str, Any]:
        described.append(catalogue)
        return openapi(catalogue)

    monkeypatch.setattr(app, "openapi", counted)
    async with running(tmp_path) as served:
        assert not described  # half a second that no start and no test need wait for
        answers = await asyncio.gather(*(served.http.get("/openapi.json") for _ in range(5)))
    assert len(described) == 1
    assert all(answer.json()["openapi"] == "3.1.0" for answer in answers)
