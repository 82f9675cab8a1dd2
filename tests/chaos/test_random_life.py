"""The random life of tests/stores/sqlite/test_machine.py at full length, another one each time."""

import pytest

from tests.chaos.support.counts import FULL
from tests.stores.sqlite.test_machine import SqliteMachine, life


class LongLivedMachine(SqliteMachine):
    """A machine of its own, so that its settings are not those of the short one."""


TestLongLifeOfASqliteStore = pytest.mark.chaos(
    pytest.mark.skipif(not FULL, reason="a short life is lived in tests/stores/sqlite")(LongLivedMachine.TestCase)
)
TestLongLifeOfASqliteStore.settings = life(lives=1000, steps=80)
