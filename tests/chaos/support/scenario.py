"""The record of a run on a recorded disk."""

from dataclasses import dataclass, field

from tests.chaos.support.disk import Operation
from tests.chaos.support.units import Ledger


@dataclass
class Scenario:
    """What a run did, in order, and the moments of its promises."""

    operations: list[Operation] = field(default_factory=list)
    moments: list[tuple[int, str, int]] = field(default_factory=list)
    """(operations so far, what happened, unit)."""

    def ledger(self, position: int) -> tuple[Ledger, set[int]]:
        """Return what was promised up to a moment, and the units that were begun."""
        ledger, begun = Ledger(), set[int]()
        sets = {
            "begin": begun,
            "acknowledged": ledger.acknowledged,
            "erasing": ledger.erasing,
            "erased": ledger.erased,
        }
        for moment, what, number in self.moments:
            if moment <= position:
                sets[what].add(number)
        return ledger, begun
