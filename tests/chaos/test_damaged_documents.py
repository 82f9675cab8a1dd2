"""Documents of every type that were cut, changed and doubled: each is read or refused, and the next one is read."""

import random

import pytest

from remanent.errors import UnreadableFile
from remanent.loaders import LoadedDocument, LoadLimits, load
from tests.chaos.support.counts import FULL, SEED
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
async def test_damaged_files_are_read_or_refused_and_never_end_otherwise(name: str) -> None:
    for seed in range(SEED, SEED + PER_TYPE):
        try:
            found = await load(damaged(SAMPLES[name], seed), name=name, limits=LoadLimits(seconds=60))
        except UnreadableFile:
            continue
        assert isinstance(found, LoadedDocument), seed
