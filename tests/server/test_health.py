"""Loading beforehand, and what `/readyz` says meanwhile."""

import asyncio
from pathlib import Path

import pytest

from remanent.errors import StorageError
from remanent.memory import aopen
from remanent.server.telemetry import Warmup, readiness


async def test_the_server_is_ready_when_its_models_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with aopen(tmp_path / "home", embedder="none") as memory:
        loading, asked = asyncio.Event(), list[int]()

        async def warm(*, agents: int = 64) -> int:
            asked.append(agents)
            await loading.wait()
            return agents

        monkeypatch.setattr(memory, "warm", warm)
        warming = Warmup(memory, agents=7)
        async with warming.running():
            found = await readiness(memory, oldest=300, warming=warming)
            assert not found.ready
            assert {check.check: check.ok for check in found.checks}["models"] is False
            loading.set()
            await warming.done.wait()
            assert (await readiness(memory, oldest=300, warming=warming)).ready
        assert asked == [0, 7]


async def test_what_cannot_be_loaded_does_not_keep_the_server_from_its_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*, agents: int = 64) -> int:
        raise StorageError("unreadable")

    async with aopen(tmp_path / "home", embedder="none") as memory:
        monkeypatch.setattr(memory, "warm", fail)
        warming = Warmup(memory, agents=7)
        async with warming.running():
            await warming.models.wait()
        assert not warming.done.is_set()
        assert (await readiness(memory, oldest=300, warming=warming)).ready


async def test_a_provider_that_is_out_of_order_is_told_and_the_server_serves_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with aopen(tmp_path / "home", embedder="none") as memory:
        healthy = await readiness(memory, oldest=300)
        assert (healthy.degraded, "provider" in {check.check for check in healthy.checks}) == (False, False)
        monkeypatch.setattr(memory, "outages", lambda: ["segmentation waits for its model: ModelUnavailable: down"])
        found = await readiness(memory, oldest=300)
        assert (found.ready, found.degraded) == (True, True)
        assert "waits for its model" in {check.check: check.detail for check in found.checks}["provider"]


async def test_stopping_does_not_wait_for_what_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(*, agents: int = 64) -> int:
        await asyncio.Event().wait()
        return agents

    async with aopen(tmp_path / "home", embedder="none") as memory:
        monkeypatch.setattr(memory, "warm", never)
        warming = Warmup(memory, agents=7)
        async with warming.running():
            await asyncio.sleep(0)
        assert not warming.done.is_set()
