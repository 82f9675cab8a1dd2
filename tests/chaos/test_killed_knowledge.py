"""kill -9 in the middle of adding a folder: taken up again, nothing is there twice and nothing half."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import remanent
from tests.chaos.support.counts import SEED, times

pytestmark = pytest.mark.chaos

ROUNDS = times(2, full=100)
FILES = 12
PROGRAM = """
import sys
import remanent

with remanent.open(sys.argv[1], embedder="none") as memory:
    def tell(done, total, name):
        print(done, flush=True)

    memory.knowledge(workspace="lab").sync(sys.argv[2], on_progress=tell)
"""


def _text(number: int) -> str:
    return "\n\n".join(f"## Part {part}\n\nBook {number} tells of part {part}, and of it alone." for part in range(20))


@pytest.mark.spec("KB-01")
def test_adding_a_folder_that_was_killed_is_taken_up_again(tmp_path: Path) -> None:
    rng = random.Random(SEED)
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(FILES):
        (folder / f"{number:02}.md").write_text(_text(number), encoding="utf-8")
    for round_number in range(ROUNDS):
        home = tmp_path / f"home{round_number}"
        # After this many documents were begun: a count, because a slow machine makes any time a different moment.
        _kill_after(rng.randrange(1, FILES), home, folder)
        with remanent.open(home, embedder="none") as memory:
            base = memory.knowledge(workspace="lab")
            there = base.list()
            assert all(len(base.show(one.name).chunks) == one.chunks == 20 for one in there), "half a document"
            report = base.sync(folder)
            assert len(report.added) + report.unchanged == FILES
            assert report.unchanged == len(there)
            assert [one.name for one in base.list()] == [f"{number:02}.md" for number in range(FILES)]
            assert len(base.search("Book 7 part 3", limit=1).items) == 1
            assert base.stats().chunks == 20 * FILES


def _kill_after(documents: int, home: Path, folder: Path) -> None:
    command = [sys.executable, "-c", PROGRAM, str(home), str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= documents:
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
