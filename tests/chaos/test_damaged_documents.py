"""Documents of every type that were cut, changed and doubled: each is added whole or refused, and so is the next."""

import random
from functools import partial
from pathlib import Path

import pytest

from remanent.errors import UnreadableFile
from remanent.knowledge import library
from remanent.loaders import load
from remanent.loaders.document import LoadLimits
from tests.chaos.support.counts import FULL, SEED
from tests.knowledge.world import left_behind, opened
from tests.loaders.made import SAMPLES

PER_TYPE = 24 if FULL else 3
assert 24 * len(SAMPLES) >= 300


def damaged(content: bytes, seed: int) -> bytes:
    """The file with bytes changed, cut out, doubled or exchanged."""
    chance = random.Random(seed)
    out = bytearray(content)
    for _ in range(chance.choice((1, 3, 10, 50))):
        at = chance.randrange(len(out))
        match chance.randrange(4):
            case 0:
                out[at] = chance.randrange(256)
            case 1:
                del out[at : at + chance.randrange(1, 40)]
            case 2:
                out[at:at] = out[at : at + chance.randrange(1, 200)]
            case _:
                out[at : at + 4] = chance.choice((b"\xff\xff\xff\xff", b"\0\0\0\0", b"\x7f\xff\xff\xff"))
        if not out:
            return b"x"
    return bytes(out)


@pytest.mark.chaos
@pytest.mark.spec("KB-01")
@pytest.mark.parametrize("name", sorted(SAMPLES))
async def test_damaged_files_are_kept_whole_or_refused_and_never_half(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(library, "load", partial(load, limits=LoadLimits(seconds=60)))
    async with opened(tmp_path / "home") as (memory, base):
        for seed in range(SEED, SEED + PER_TYPE):
            content = damaged(SAMPLES[name], seed)
            refused, added = "", None
            try:
                added = await base.add(data=content, name=name)
            except UnreadableFile as error:
                refused = str(error)
            (listed,) = await base.list()
            if added is None:
                assert (listed.status, listed.error) == ("failed", refused), seed
                assert await left_behind(base) == ([], [], [], []), seed
            else:
                assert (listed.status, len((await base.show(name)).chunks)) == ("ready", added.document.chunks), seed
                assert await base.original(name) == content, seed
            await base.remove(name)
            await memory.settle()
            assert (await base.list(), await left_behind(base)) == ([], ([], [], [], [])), seed
