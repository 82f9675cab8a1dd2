"""Damages files one by one and asks them everything: `python -m tests.chaos.support.damaged <cases> <seed>`.

Every case runs in a child of its own, so that a crash is noticed. Prints outcomes and problems as JSON.
"""

import asyncio
import json
import os
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from remanent.errors import RemanentError
from remanent.stores import ConflictQuery, EntryQuery, JobQuery, LinkQuery, RecordQuery
from remanent.stores.sqlite import SqliteStore
from tests.chaos.support.damage import PAGE, SCOPE, Case, ask_everything, cases, make_samples
from tests.chaos.support.places import fast_folder
from tests.chaos.support.units import ANY, EVERYTHING

AGENT = Path("org/lab/ada")
MOST_ENTRIES_ON_A_PAGE = 30
LOCAL = {"bit", "header bit", "scribble", "zeroed page", "zeroed sector"}
"""Ways that touch at most two neighbouring pages."""


def _files(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (home / AGENT).iterdir()}


async def _rows(home: Path) -> tuple[dict[str, set[str]], list[str]]:
    """Return every row of every kind, and what a thorough check has to say."""
    store = SqliteStore(home)
    try:
        found: dict[str, list[Any]] = {
            "entries": list(await store.entries(SCOPE, EntryQuery(limit=EVERYTHING))),
            "records": list(await store.records(SCOPE, RecordQuery(filter=ANY, limit=EVERYTHING))),
            "versions": list(await store.past_versions(SCOPE, after=None, limit=EVERYTHING)),
            "links": list(await store.links(SCOPE, LinkQuery())),
            "conflicts": list(await store.conflicts(SCOPE, ConflictQuery(limit=EVERYTHING))),
            "tombstones": list(await store.tombstones(SCOPE)),
            "jobs": list(await store.jobs(SCOPE, JobQuery(limit=EVERYTHING))),
            "states": list((await store.states(SCOPE)).items()),
        }
        health = await store.check(SCOPE)
    finally:
        await store.close()
    return {name: {repr(row) for row in rows} for name, rows in found.items()}, list(health.problems)


class Trial:
    """One damaged file, and all that it must not do."""

    def __init__(self, folder: Path, case: Case, right: dict[str, str], rows: dict[str, set[str]]) -> None:
        self._folder = folder
        self._home = folder / "trial"
        self._case = case
        self._right = right
        self._rows = rows
        self.problems: list[str] = []

    async def run(self) -> str:
        """Return how it went: same, partly or wholly refused, or wrong."""
        shutil.copytree(self._folder / self._case.sample, self._home)
        self._case.inflict(self._home)
        damaged = _files(self._home)
        answers = await ask_everything(self._home)
        refused = sum(answer == "refused" for answer in answers.values())
        wrong = [name for name, answer in answers.items() if answer not in {"refused", self._right[name]}]
        if wrong:
            self.problems.append(f"answered wrongly: {wrong[:5]} {[answers[name][:80] for name in wrong[:2]]}")
        if refused:
            await self._must_be_noticed()
        self._must_be_preserved(damaged, refused=bool(refused))
        if refused:
            await self._must_be_repairable()
        if wrong:
            return "wrong"
        return "same" if not refused else "partly refused" if refused < len(answers) else "refused"

    async def _must_be_noticed(self) -> None:
        store = SqliteStore(self._home)
        try:
            if not (await store.check(SCOPE)).problems:
                self.problems.append("the check finds nothing")
        except RemanentError as error:
            self.problems.append(f"the check failed with {error!r}")
        finally:
            await store.close()

    def _must_be_preserved(self, damaged: dict[str, bytes], *, refused: bool) -> None:
        """Opening, asking and checking changed no byte, except that a sound log may have been moved into the file."""
        after = _files(self._home)
        if refused and self._case.file != "memory.db" and after.get(self._case.file) != damaged[self._case.file]:
            self.problems.append("the damaged log was changed")
        healthy = (self._folder / "healthy" / AGENT / "memory.db").read_bytes()
        now, before = after.get("memory.db", b""), damaged["memory.db"]
        pages = range(0, max(len(before), len(now)), PAGE)
        changed = [
            at // PAGE + 1
            for at in pages
            if now[at : at + PAGE] not in {before[at : at + PAGE], healthy[at : at + PAGE]}
        ]
        if changed:
            self.problems.append(f"pages {changed[:5]} of the damaged file were changed")

    async def _must_be_repairable(self) -> None:
        before = _files(self._home)
        store = SqliteStore(self._home)
        try:
            copy = await store.repair(SCOPE)
        finally:
            await store.close()
        after = _files(self._home)
        if any(after.get(name) != content for name, content in before.items()):
            self.problems.append("the repair changed the damaged files")
        if after.keys() - before.keys() != {copy.name, f"{copy.stem}.txt"}:
            self.problems.append(f"the repair left {sorted(after.keys() - before.keys())}")
        repaired = self._folder / "repaired"
        (repaired / AGENT).mkdir(parents=True)
        shutil.copyfile(copy, repaired / AGENT / "memory.db")
        rows, complaints = await _rows(repaired)
        self.problems += [f"the repaired copy: {complaint}" for complaint in complaints]
        for name, found in rows.items():
            if found - self._rows[name]:
                self.problems.append(f"the repair invented {name}: {min(found - self._rows[name])[:200]}")
        lost = len(self._rows["entries"] - rows["entries"])
        if self._case.way in LOCAL and lost > MOST_ENTRIES_ON_A_PAGE:
            self.problems.append(f"the repair lost {lost} entries to a small damage")


def _in_a_child(folder: Path, case: Case, right: dict[str, str], rows: dict[str, set[str]]) -> tuple[str, list[str]]:
    ours, theirs = os.pipe()
    process_id = os.fork()
    if process_id == 0:
        status = 70
        try:
            trial = Trial(folder, case, right, rows)
            outcome = asyncio.run(trial.run())
            with os.fdopen(theirs, "w") as output:
                json.dump([outcome, trial.problems], output)
            status = 0
        finally:
            os._exit(status)
    os.close(theirs)
    with os.fdopen(ours) as said:
        text = said.read()
    _, status = os.waitpid(process_id, 0)
    for leftover in ("trial", "repaired"):
        shutil.rmtree(folder / leftover, ignore_errors=True)
    if status:
        return "crashed", [f"the process ended with status {status}"]
    outcome, problems = json.loads(text)
    return outcome, problems


def main(count: int, seed: int) -> None:
    """Try so many cases and report."""
    outcomes: Counter[str] = Counter()
    problems: list[str] = []
    with fast_folder() as folder:
        asyncio.run(make_samples(folder))
        shutil.copytree(folder / "killed", folder / "healthy")
        right = asyncio.run(ask_everything(folder / "healthy"))
        rows, complaints = asyncio.run(_rows(folder / "healthy"))
        assert not complaints, complaints
        assert not any(answer == "refused" or answer.startswith("wrong") for answer in right.values())
        for case in cases(count, seed):
            outcome, found = _in_a_child(folder, case, right, rows)
            outcomes[f"{case.sample} {case.file}, {case.way}: {outcome}"] += 1
            problems += [f"{case}: {problem}" for problem in found]
    print(json.dumps({"outcomes": outcomes, "problems": problems}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
