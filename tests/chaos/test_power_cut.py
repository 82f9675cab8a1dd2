"""After a power cut at any moment: nothing acknowledged is lost, nothing is half there, nothing erased comes back."""

import pickle
import random
import shutil
import tempfile
from pathlib import Path

import pytest

from remanent.errors import RemanentError
from remanent.stores.sqlite import SqliteStore
from remanent.stores.sqlite.connection import MIGRATIONS
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.disk import Disk, Sync, put_image
from tests.chaos.support.places import fast_folder, run
from tests.chaos.support.power import AGENT, NEXT_STEP
from tests.chaos.support.scenario import Scenario
from tests.chaos.support.units import faults_of, scope_of, token

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.skipif(
        not Path("/proc/self/fd").exists(), reason="the recorder asks /proc for the names of open files"
    ),
]

SCENARIOS = times(1, full=10)
CUTS = times(60, full=500)


@pytest.mark.parametrize("number", range(SCENARIOS))
async def test_a_power_cut_loses_nothing_that_was_acknowledged(number: int) -> None:
    seed = SEED + number
    with fast_folder() as folder:
        run("power", folder, seed)
        scenario: Scenario = pickle.loads((folder / "record").read_bytes())
        rng = random.Random(seed)
        disk, done = Disk(), 0
        for position in _moments(scenario, rng):
            for operation in scenario.operations[done:position]:
                disk.follow(operation)
            done = position
            image = disk.image(rng)
            faults = await _faults(image, scenario, position, folder / "after")
            if faults:
                # Which writes share a commit depends on the moment: the record is what can be looked at again.
                kept = shutil.copy(folder / "record", Path(tempfile.gettempdir()) / f"power-cut-{seed}.record")
                pytest.fail(f"seed {seed}, cut at {position} of {len(scenario.operations)}, {kept}: {faults}")


def _moments(scenario: Scenario, rng: random.Random) -> list[int]:
    """Choose half of the cuts anywhere, half where it hurts: around a promise or a sync."""
    end = len(scenario.operations)
    promises = [moment for moment, what, _ in scenario.moments if what in {"acknowledged", "erased"}]
    syncs = [place for place, operation in enumerate(scenario.operations) if isinstance(operation, Sync)]
    anywhere = [rng.randint(0, end) for _ in range(CUTS // 2)]
    near = [rng.choice(promises + syncs) + rng.randint(-1, 2) for _ in range(CUTS - len(anywhere))]
    return sorted(min(max(moment, 0), end) for moment in anywhere + near)


async def _faults(image: dict[str, bytes | None], scenario: Scenario, position: int, home: Path) -> list[str]:
    ledger, begun = scenario.ledger(position)
    found = [
        f"{path} still holds erased unit {number}"
        for number in ledger.erased
        for path, content in image.items()
        if content is not None and token(number).encode() in content
    ]
    put_image(image, home)
    store = SqliteStore(home, migrations=(*MIGRATIONS, NEXT_STEP))
    try:
        found += await faults_of(store, scope_of(AGENT), ledger, attempted=begun)
    except RemanentError as error:
        found.append(f"refused with {error!r}")
    finally:
        await store.close()
        shutil.rmtree(home)
    return found
