"""Nothing of the machine's own configuration reaches these tests, and loading is no part of what they time."""

import asyncio

import pytest

from tests.language.models.samples import PICK, QUESTION, engine_at
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import gives


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="session")
def loaded() -> None:
    """The clients of providers, which take seconds to import, are imported."""

    async def ask() -> None:
        good = {"option": "blood", "confidence": 1}
        async with ScriptedServer(gives(good)) as server, engine_at(server) as engine:
            await engine.run(PICK, QUESTION)

    asyncio.run(ask())
