"""Two processes and a person write the same file of a day, and the processes are killed at random."""

import os
import random
import re
import select
import signal
from pathlib import Path

import pytest

from remanent.workspace.files import WorkspaceFiles
from remanent.workspace.hooks import with_facts
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder
from tests.workspace.world import DAY, NOON

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

FACTS_EACH = times(30, full=500)
WHOLE = re.compile(
    r"# \d{4}-\d\d-\d\d|## \d{4}-\d\d-\d\d \d\d:\d\d · [ab]|<!-- remanent:facts [0-9a-f]{8} -->|"
    r"- Completed: [ab] \d+ x{50}|by hand \d+ y{50}|"
)


def fact(writer: str, number: int) -> str:
    return f"- Completed: {writer} {number} {'x' * 50}"


class Writer:
    """A process that writes one fact after the other and says so of each."""

    def __init__(self, root: Path, name: str, first: int, last: int = FACTS_EACH) -> None:
        self.name = name
        self.reading, writing = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            files = WorkspaceFiles(root, clock=lambda: NOON, max_size=10**7)
            for number in range(first, last):
                bullets = [fact(name, number)]
                files.edit(DAY, lambda text: with_facts(text, bullets, at=NOON, session=name), why="test")  # noqa: B023
                os.write(writing, b".")
            os._exit(0)
        os.close(writing)

    def kill(self) -> int:
        """Kill it wherever it is, and return how many facts it said were written."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        said = 0
        while more := os.read(self.reading, 1000):
            said += len(more)
        os.close(self.reading)
        return said


@pytest.mark.spec("WORK-01", "WORK-03")
def test_every_acknowledged_fact_is_there_no_line_is_torn_and_a_persons_lines_are_kept() -> None:
    rng = random.Random(SEED)
    with fast_folder() as folder:
        day = folder / DAY
        written = {"a": 0, "b": 0}
        by_hand = 0
        kills = 0
        running = {name: Writer(folder, name, 0) for name in written}
        while running:
            ready, _, _ = select.select([one.reading for one in running.values()], [], [])
            for writer in [one for one in running.values() if one.reading in ready]:
                said = len(os.read(writer.reading, rng.randint(1, 4)))
                written[writer.name] += said
                if day.exists() and rng.random() < 0.3:
                    with day.open("a", encoding="utf-8") as file:
                        file.write(f"by hand {by_hand} {'y' * 50}\n")
                    by_hand += 1
                if not said or rng.random() < 0.2:
                    written[writer.name] += writer.kill()
                    kills += 1
                    del running[writer.name]
                    # On a busy machine a writer is far ahead when it is killed: they write on until enough were.
                    first = written[writer.name]
                    if first < FACTS_EACH or min(kills, by_hand) <= 4:
                        running[writer.name] = Writer(folder, writer.name, first, max(FACTS_EACH, first + 10))
        # Whoever looks next brings over what came into a file that had just been replaced.
        WorkspaceFiles(folder, clock=lambda: NOON).bring_over([DAY])
        lines = day.read_text(encoding="utf-8").splitlines()
        assert kills > 4
        assert by_hand > 4
        assert [line for line in lines if not WHOLE.fullmatch(line)] == []
        missing = {fact(name, number) for name, count in written.items() for number in range(count)} - set(lines)
        assert min(written.values()) >= FACTS_EACH
        assert not missing, f"seed {SEED}: lost {sorted(missing)[:3]}"
        kept = [line for line in lines if line.startswith("by hand")]
        assert len(kept) == len(set(kept)) == by_hand, f"seed {SEED}: {by_hand - len(set(kept))} lost"
