"""Runs of a stored bank that are killed and taken up again, each in a process forked from one that has all loaded.

`python -m tests.chaos.support.banker <rounds> <seed>` prints a report as JSON.
"""

import asyncio
import json
import os
import random
import re
import signal
import sys
import threading
import time
from pathlib import Path

from remanent.bank.run import GivenFile
from remanent.bank.store import INGESTED_SOURCES, BankStore, source_of
from remanent.memory import aopen
from remanent.model import Scope
from remanent.stores import Change, Committed
from tests.chaos.support.places import fast_folder

TASK = "How high is Mount Kelt?"
FIRST = (
    "Mount Kelt is 3,412 metres high. Mount Kelt stands in the Sorran range. Mount Kelt has two huts.\n\n"
    "The railway to Vell was opened in 1931. The railway to Vell has nine stations. Trains to Vell run twice a day.\n\n"
    "The bakery of Vell sells rye bread. The bakery of Vell opens at six. The bakery of Vell is closed on Sundays."
)
SECOND = b"A newer page. Mount Kelt is 3,298 metres high. Mount Kelt has snow all year. Mount Kelt has a chapel."
_NEVER = 1_000_000
_LONGEST_RUN = 300


class _Doomed:
    """Kills its own process before or after a commit of a bank."""

    seen = 0
    """How many commits there were in this process."""

    def __init__(self, number: int, *, after: bool) -> None:
        self._left = number
        self._after = after
        self._commit = BankStore.commit

    def arm(self) -> None:
        doomed = self

        async def commit(bank_store: BankStore, scope: Scope, changes: list[Change]) -> Committed:
            doomed._left -= 1
            _Doomed.seen += 1
            if doomed._left == 0 and not doomed._after:
                os.kill(os.getpid(), signal.SIGKILL)
            committed = await doomed._commit(bank_store, scope, changes)
            if doomed._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return committed

        BankStore.commit = commit  # type: ignore[method-assign, assignment]


async def _run(home: Path) -> dict[str, object]:
    """Work on the task to its end and tell how it stands then."""
    settings = {"embedder": "none", "bank": {"temp_dir": home / "uploads"}}
    async with aopen(home / "data", **settings) as memory:  # type: ignore[arg-type]
        bank = memory.bank(TASK, context=FIRST, files=[GivenFile(SECOND, name="page.txt")], bank_id="task")
        async with bank:
            result = await bank.run(keep=True)
            sources = {source.entry_id for node in bank.nodes for source in node.sources}
            held = bank.adapter.bank
            return {
                "end": result.end.value,
                "answer": result.answer,
                "conflicts": sorted(conflict.state.value for conflict in bank.conflicts),
                # An upload has another id each time it is uploaded.
                "texts": sorted(
                    re.sub(r"\[\S+\]", "", e.text) for e in held.tree.entries if source_of(e) in INGESTED_SOURCES
                ),
                "commits": _Doomed.seen,
                "unread": [entry.id for entry in held.unread],
                "nodeless": [
                    e.id for e in held.tree.entries if source_of(e) in INGESTED_SOURCES and e.id not in sources
                ],
            }


def _child(home: Path, report: Path, *, doomed: _Doomed | None = None) -> int:
    """Fork a process that runs the bank; return its id."""
    process_id = os.fork()
    if process_id:
        return process_id
    try:
        (doomed or _Doomed(_NEVER, after=False)).arm()
        report.write_text(json.dumps(asyncio.run(_run(home))), encoding="utf-8")
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - whatever a forked child raises must not run on in the parent's code
        report.write_text(json.dumps({"error": repr(error)}), encoding="utf-8")
        os._exit(1)


def _waited(process_id: int) -> int:
    """Wait for a process; one that hangs is ended, which the report shows."""
    timer = threading.Timer(_LONGEST_RUN, os.kill, (process_id, signal.SIGKILL))
    timer.start()
    try:
        return os.waitpid(process_id, 0)[1]
    finally:
        timer.cancel()


def _whole(home: Path) -> tuple[dict[str, object], float]:
    """Run once without being killed; return what came of it and how long it took."""
    begun = time.monotonic()
    status = _waited(_child(home, home / "report.json"))
    found = json.loads((home / "report.json").read_text(encoding="utf-8"))
    assert status == 0, found
    return found, time.monotonic() - begun


def _round(home: Path, rng: random.Random, *, usual: float, commits: int) -> str:
    """Kill a run somewhere, perhaps twice."""
    for _ in range(rng.choice((1, 1, 2))):
        by_commit = rng.random() < 0.7
        doomed = _Doomed(rng.randint(1, commits), after=rng.random() < 0.5) if by_commit else None
        process_id = _child(home, home / "killed.json", doomed=doomed)
        killer = threading.Timer(rng.random() * usual, os.kill, (process_id, signal.SIGKILL))
        if not by_commit:
            killer.start()
        status = _waited(process_id)
        killer.cancel()
        if killer.is_alive():
            killer.join()
        if not os.WIFSIGNALED(status):
            return "ended before"
    return "killed"


def _faults(found: dict[str, object], expected: dict[str, object], home: Path, leftovers: list[str]) -> list[str]:
    faults = [f"error {found['error']}"] if "error" in found else []
    faults += [
        f"{name}: {found.get(name)} instead of {expected[name]}"
        for name in ("end", "conflicts", "texts", "unread", "nodeless")
        if found.get(name) != expected[name]
    ]
    faults += [f"left behind: {path}" for path in leftovers if (home / path).exists()]
    left = [path for path in home.rglob("*") if path.is_file() and (path.suffix == ".part" or "uploads" in path.parts)]
    return faults + [f"temporary: {path.relative_to(home)}" for path in left]


def _temporary(home: Path) -> list[str]:
    found = [*home.glob("uploads/**/*"), *home.glob("data/**/*.part")]
    return [str(path.relative_to(home)) for path in found]


def main(rounds: int, seed: int) -> None:
    """Kill and take up again as often as was asked for."""
    rng = random.Random(seed)
    outcomes: dict[str, int] = {}
    problems: list[str] = []
    with fast_folder() as folder:
        (folder / "whole").mkdir()
        expected, usual = _whole(folder / "whole")
        for number in range(rounds):
            home = folder / f"home{number}"
            home.mkdir()
            outcome = _round(home, rng, usual=usual, commits=int(str(expected["commits"])))
            leftovers = _temporary(home)
            shown = outcome + (", files left" if leftovers else "")
            outcomes[shown] = outcomes.get(shown, 0) + 1
            _waited(_child(home, home / "report.json"))
            found = json.loads((home / "report.json").read_text(encoding="utf-8"))
            problems += [f"round {number}, {outcome}: {fault}" for fault in _faults(found, expected, home, leftovers)]
    print(json.dumps({"outcomes": outcomes, "problems": problems, "expected": expected}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
