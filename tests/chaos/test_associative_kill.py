"""kill -9 while it remembers and compresses: no word is lost, nothing is made twice or by half, every link is exact."""

import os
import random
import shutil
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from remanent.associative.graph import Graph, Graphs
from remanent.associative.model import REMEMBER
from remanent.model import Entry, JobState, Scope
from remanent.stores import EntryQuery, JobQuery, LinkQuery, Store
from remanent.stores.sqlite import SqliteStore
from tests.associative.world import records_of
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder
from tests.chaos.support.rememberers import FLOOR, FOCUSES, RATE, Order, rememberers, texts_of
from tests.chaos.support.units import scope_of

pytestmark = [pytest.mark.chaos, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

KILLS = times(5, full=200)
KILLS_PER_AGENT = 20
EVERYTHING = 1_000_000


@dataclass
class Heard:
    """What the processes of one agent have said."""

    begun: set[int] = field(default_factory=set)
    acknowledged: set[int] = field(default_factory=set)


@pytest.mark.spec("ASSOC-02", "ASSOC-05", "ASSOC-11")
async def test_killed_anywhere_it_goes_on_without_losing_or_doubling_anything() -> None:
    rng = random.Random(SEED)
    heard, remembered, forgotten = Heard(), 0, 0
    with fast_folder() as folder, rememberers() as server:
        home = folder / "home"
        home.mkdir()
        for number in range(KILLS):
            agent = f"agent{number // KILLS_PER_AGENT}"
            if number % KILLS_PER_AGENT == 0:
                heard = Heard()
            # Now and then a life too short to end anything, but never two: a job that is cut off each time is given up.
            calls = rng.randint(1, 12) if number % 5 == 3 else rng.randint(60, 160)
            first = max(heard.begun, default=-1) + 1
            order = Order(str(home), agent, number, first=first, seed=rng.randrange(1 << 30), calls=calls)
            status = server.live(order, begun=heard.begun, acknowledged=heard.acknowledged)
            assert os.WIFSIGNALED(status), f"seed {SEED}, kill {number}: it ended by itself with status {status}"
            faults = await _faults_of_a_copy(home, folder / "copy", scope_of(agent), heard)
            assert not faults, f"seed {SEED}, kill {number}: {faults}"
            if number % KILLS_PER_AGENT == KILLS_PER_AGENT - 1 or number == KILLS - 1:
                end = Order(str(home), agent, number + 1, first=max(heard.begun, default=-1) + 1, seed=0)
                assert server.live(end, begun=heard.begun, acknowledged=heard.acknowledged) == 0
                faults = await _faults_of_a_copy(home, folder / "copy", scope_of(agent), heard, ended=True)
                assert not faults, f"seed {SEED}, after kill {number} and an end: {faults}"
                made, gone = await _counts(home, scope_of(agent))
                remembered, forgotten = remembered + made, forgotten + gone
    assert remembered, "no process lived long enough to remember anything"
    assert forgotten, "no process lived long enough to forget anything"
    print(f"{KILLS} kills, {remembered} nodes made, {forgotten} of them deleted since; none lost, none made twice")


async def _faults_of_a_copy(home: Path, copy: Path, scope: Scope, heard: Heard, *, ended: bool = False) -> list[str]:
    """Look at a copy, so that the next process finds the files as the kill left them."""
    shutil.copytree(home, copy)
    store = SqliteStore(copy)
    try:
        if not heard.acknowledged and not (copy / "org/lab" / scope.agent / "memory.db").exists():
            return []
        return await _Look(store, scope).faults(heard, ended=ended)
    finally:
        await store.close()
        shutil.rmtree(copy)


async def _counts(home: Path, scope: Scope) -> tuple[int, int]:
    store = SqliteStore(home)
    try:
        graph = await Graphs(store, floor=FLOOR).at(scope)
        return len(graph) + len(graph.memorials), len(graph.memorials)
    finally:
        await store.close()


class _Look:
    """One look at an agent's memory: what the journal, the queue and the graph say must fit together."""

    def __init__(self, store: Store, scope: Scope) -> None:
        self._store = store
        self._scope = scope
        self._faults: list[str] = []

    async def faults(self, heard: Heard, *, ended: bool) -> list[str]:
        """Return everything that is wrong."""
        entries = await self._store.entries(self._scope, EntryQuery(limit=EVERYTHING))
        calls = self._calls(entries, heard)
        waiting = await self._waiting(ended=ended)
        graph = await Graphs(self._store, floor=FLOOR).at(self._scope)
        made = await self._made(graph)
        for number, ids in calls.items():
            states = {(entry_id in waiting, len(made[entry_id])) for entry_id in ids}
            self._check(states in ({(True, 0)}, {(False, 1)}), f"call {number} waits or is made in part: {states}")
        order = [entry.id in waiting for entry in entries]
        self._check(order == sorted(order), "something was remembered before what was said earlier")
        nodes = [[made[entry_id][0] for entry_id in ids] for ids in calls.values() if not set(ids) & waiting]
        if not self._faults:
            self._check_focus(graph, nodes)
            await self._check_links(graph, nodes)
            self._check_texts(graph)
        return self._faults

    def _check(self, fine: bool, what: str) -> None:
        if not fine:
            self._faults.append(what)

    def _calls(self, entries: list[Entry], heard: Heard) -> dict[int, list[str]]:
        """Return the entries of every call that is in the journal, in order; each call is there whole."""
        texts = {text: number for number in heard.begun for text in texts_of(number)}
        calls: dict[int, list[str]] = defaultdict(list)
        for entry in entries:
            calls[texts[entry.text]].append(entry.id)
        for number, ids in calls.items():
            self._check(len(ids) == len(texts_of(number)), f"call {number} has {len(ids)} entries")
        lost = heard.acknowledged - set(calls)
        self._check(not lost, f"acknowledged and lost: {sorted(lost)}")
        return calls

    async def _waiting(self, *, ended: bool) -> set[str]:
        jobs = await self._store.jobs(self._scope, JobQuery(limit=EVERYTHING))
        self._check(not [job for job in jobs if job.state is JobState.DEAD], "a job was given up")
        self._check(not (ended and jobs), f"{len(jobs)} jobs are left at the end")
        named = [job.payload["entries"] for job in jobs if job.kind == REMEMBER]
        return {str(entry_id) for ids in named if isinstance(ids, list) for entry_id in ids}

    async def _made(self, graph: Graph) -> dict[str, list[str]]:
        """Return the nodes that were made of each entry, those that are forgotten included."""
        made: dict[str, list[str]] = defaultdict(list)
        for record in await records_of(self._store, self._scope):
            made[record.sources[0].entry_id].append(record.id)
        for memorial in graph.memorials.values():
            self._check(memorial.forgotten.node_id not in graph, "something is remembered and forgotten at once")
            made[memorial.forgotten.sources[0].entry_id].append(memorial.forgotten.node_id)
        return made

    def _check_focus(self, graph: Graph, nodes: list[list[str]]) -> None:
        newest = [node_id for batch in nodes for node_id in batch][-FOCUSES:]
        self._check(list(graph.focuses) == newest[::-1], "the focuses are not the newest nodes")
        self._check(len(graph.focused()) == len(newest), "a focus was deleted")

    async def _check_links(self, graph: Graph, nodes: list[list[str]]) -> None:
        """Every link that was ever made is there with the strength that its node's scans have left, and no other."""
        expected: dict[tuple[str, str], float] = {}
        earlier: list[str] = []
        for batch in nodes:
            pairs = [(one, other, 0.5) for one in batch for other in batch if one != other]
            pairs += [ends for one in batch for focus in earlier[-FOCUSES:] for ends in _both(one, focus)]
            for one, other, strength in pairs:
                if (vertex := graph.find(one)) is not None:
                    expected[one, other] = strength * RATE**vertex.scan_count
            earlier += batch
        found: dict[tuple[str, str], float] = {}
        for link in await self._store.links(self._scope, LinkQuery()):
            ends = (link.from_id, link.to_id)
            self._check(ends not in found, f"two links lead from {ends[0]} to {ends[1]}")
            self._check(ends in expected, f"a link leads from {ends[0]} to {ends[1]}")
            found[ends] = link.strength
        # What was too weak is removed when its node is looked at again.
        strong = {ends: strength for ends, strength in expected.items() if strength >= FLOOR}
        kept = {ends: found[ends] for ends in strong if ends in found}
        self._check(strong == kept, "links are missing, or weakened more or less often than their node was scanned")

    def _check_texts(self, graph: Graph) -> None:
        for vertex in graph.nodes():
            fits = 0 < len(vertex.content) <= vertex.original_length
            self._check(fits and bool(vertex.phrase), f"node {vertex.id} has a text that does not fit it")


def _both(one: str, other: str) -> tuple[tuple[str, str, float], tuple[str, str, float]]:
    return (one, other, 1.0), (other, one, 1.0)
