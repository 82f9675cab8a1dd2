from pathlib import Path

import pytest

from remanent.errors import InvalidInput
from remanent.settings import Settings
from remanent.stores.conformance.base import Samples, append, everything, found, put
from remanent.stores.registry import Stores, open_stores
from remanent.stores.transaction import PutVector
from remanent.stores.transfer import MovedAgent, move_agents, require_two


def at(folder: Path) -> Stores:
    return open_stores(Settings(home=folder, store=f"sqlite://{folder}"))  # type: ignore[arg-type]


async def moved(source: Stores, target: Stores) -> list[MovedAgent]:
    return [one async for one in move_agents(source, target)]


async def fill(stores: Stores) -> None:
    samples = Samples()
    for name in ("ada", "小明"):
        scope = samples.make_scope(name)
        [entry] = await append(stores.store, samples.make_entry(scope, f"Lisbon \x00 {name}", caller_id="first"))
        record = samples.make_record_of(entry)
        await put(stores.store, record)
        await stores.store.commit(scope, [PutVector(record.id, "m", b"\0\0\x80\x3f" * 4)])
    await stores.blobs.put(samples.make_scope("ada"), b"a picture")


async def close(*all_stores: Stores) -> None:
    for stores in all_stores:
        await stores.vectors.close()
        await stores.store.close()


async def check_move(source: Stores, target: Stores) -> None:
    """Move, and compare both by reading everything back."""
    copies = await moved(source, target)
    assert [one.copied for one in copies] == [True, True]
    assert [(one.counts["entry"], one.counts["vector"]) for one in copies] == [(1, 1), (1, 1)]
    assert sum(one.files for one in copies) == 1
    for one in copies:
        assert await everything(target.store, one.scope) == await everything(source.store, one.scope)
        assert len(await found(target.store, one.scope, "Lisbon")) == 1
        assert await target.blobs.digests(one.scope) == await source.blobs.digests(one.scope)
    again = await moved(source, target)
    assert [one.copied for one in again] == [False, False]
    assert [one.sha256 for one in again] == [one.sha256 for one in copies]


async def test_every_agent_is_copied_with_its_files_and_what_is_there_is_left_alone(tmp_path: Path) -> None:
    source, target = at(tmp_path / "one"), at(tmp_path / "two")
    await fill(source)
    await check_move(source, target)
    await close(source, target)


async def test_an_agent_whose_place_is_taken_by_another_is_refused_and_kept(tmp_path: Path) -> None:
    source, target = at(tmp_path / "one"), at(tmp_path / "two")
    await fill(source)
    samples = Samples(seed=8)
    other = samples.make_entry(samples.make_scope("ada"), "somebody else's words")
    await append(target.store, other)
    with pytest.raises(InvalidInput, match="already has memories"):
        await moved(source, target)
    assert [entry.text for entry in (await everything(target.store, samples.make_scope("ada"))).entries] == [other.text]
    await close(source, target)


def test_a_place_is_not_copied_to_itself() -> None:
    with pytest.raises(InvalidInput, match="the same place"):
        require_two("sqlite:///data", "sqlite:///data/")
