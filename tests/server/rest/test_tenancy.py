"""Tenants do not see each other: every route, every id that exists, every foreign principal, generated."""

import json
import random
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from remanent.operations import Level, Operation
from remanent.operations.service import CATALOGUE
from remanent.plugins import ours_available
from remanent.server.rest import RUNS, address_of
from tests.chaos.support.counts import SEED, times
from tests.server.rest.conftest import FILE, Served, Start

CANARY = "swordfish"
ANY_ID = "0198c0de-0000-7000-8000-00000000000f"
MORE_PLACES = times(0, full=24)
RANDOM = {"record_id": "0198c0de-0000-7000-8000-000000000000", "job_id": "0198c0de-0000-7000-8000-000000000001"}
RANDOM |= {"digest": "0" * 64, "key_id": "0" * 12, "role": "planning", "run_id": "0" * 32}
RANDOM |= {"bank_id": "absent", "node_id": RANDOM["record_id"], "conflict_id": RANDOM["record_id"]}
NAMES = {"org": "acme", "workspace": "lab", "agent": "ada"}
# Everything that is required beside ids, so that a request is refused for nothing but its place.
BODIES: dict[str, dict[str, Any]] = {
    "remember": {"messages": ["x"]},
    "recall": {"query": CANARY},
    "link": {"from_id": RANDOM["record_id"], "to_id": RANDOM["record_id"]},
    "erase": {"everything": True},
    "try": {"request": {}},
    "keys.create": {"name": "x", "permissions": ["read"]},
}


@dataclass(frozen=True, slots=True)
class World:
    """A server with one tenant's memory in it, the ids of that, and keys of strangers."""

    served: Served
    ids: dict[str, list[str]]
    strangers: list[dict[str, str]]


@pytest.fixture
async def world(start: Start) -> World:
    served = await start(rate=0)
    agent = "/v1/orgs/acme/workspaces/lab/agents/ada"
    records = await served.told(f"the word is {CANARY}", f"{CANARY} again")
    kept = await served.http.post(f"{agent}/attachments", content=CANARY.encode(), headers=FILE)
    run = await served.http.post(f"{agent}/settle", json={})
    made = await served.http.post("/v1/orgs/acme/keys", json={"name": CANARY, "permissions": ["admin"]})
    ids = {
        "record_id": records,
        "digest": [kept.json()["digest"]],
        "key_id": [made.json()["key"]["key_id"]],
        "run_id": [run.json()["run_id"]],
    }
    if "bank" in ours_available():
        async with served.service.memory.bank(
            "What is the word?", bank_id=CANARY, agent="ada", workspace="lab", org="acme"
        ) as bank:
            await bank.start()
            await bank.observe(f"The word is {CANARY}. The ship sails at noon.")
            ids |= {"bank_id": [CANARY], "node_id": [node.id for node in bank.nodes][:2]}
        assert ids["node_id"]
    strangers = [
        await served.key("admin", org="rival"),
        await served.key("read", "write", "approve", org="rival"),
        await served.key("admin", org="rival", within_workspace="lab"),
        await served.key("admin", org="rival", within_workspace="lab", within_agent="ada"),
        await served.key("admin", org="acme", within_workspace="office"),
        await served.key("admin", org="acme", within_workspace="lab", within_agent="bob"),
    ]
    return World(served, ids, strangers)


async def answer(world: World, one: Operation[Any, Any], names: dict[str, str], ids: dict[str, str], key: Any) -> Any:
    path = address_of(one).format_map({**names, **ids})
    body = BODIES.get(one.name, {})
    sent: dict[str, Any] = {"json": body} if one.method == "POST" and one.reads == "json" else {}
    return await world.served.http.request(one.method, path, headers=key, **sent)


def told(response: Any) -> tuple[int, Any]:
    body = json.loads(response.content)
    # What differs from request to request: its own number, and that of the work it began.
    for own in ("instance", "run_id", "started_at"):
        body.pop(own, None)
    return response.status_code, body


async def test_a_foreign_id_is_answered_exactly_like_a_random_one_on_every_route(world: World) -> None:
    elsewhere = [NAMES, {**NAMES, "agent": "nobody"}, {**NAMES, "org": "nowhere"}, {**NAMES, "workspace": "none"}]
    elsewhere = elsewhere[: times(2, full=4)]
    elsewhere += [{"org": f"org{one}", "workspace": "lab", "agent": "ada"} for one in range(MORE_PLACES)]
    cases = 0
    seen: set[str] = set()
    placed = [one for one in CATALOGUE.values() if one.level is not Level.SERVER]
    for one, key in product(placed, world.strangers):
        known = [[*world.ids.get(name, []), RANDOM.get(name, ANY_ID)] for name in one.path_fields]
        for names, values in product(elsewhere, product(*known)):
            response = await answer(world, one, names, dict(zip(one.path_fields, values, strict=True)), key)
            assert CANARY not in response.text
            assert response.status_code == 404, (one.name, names, response.text)
            seen.add(json.dumps(told(response)))
            cases += 1
    assert len(seen) == 1
    assert cases >= times(700, full=5000)
    print(f"{cases} cases of foreign places and ids, all answered like a random one")


async def test_in_its_own_place_a_stranger_finds_nothing_under_foreign_ids(world: World) -> None:
    key, names = world.strangers[0], {**NAMES, "org": "rival"}
    for one in CATALOGUE.values():
        for name in set(one.path_fields) & set(world.ids):
            answers = []
            for value in (*world.ids[name], RANDOM[name]):
                ids = {**RANDOM, name: value}
                response = await answer(world, one, names, ids, key)
                status, body = told(response)
                answers.append((status, json.dumps(body).replace(value, "…")))
            assert len(set(answers)) == 1, one.name
            assert CANARY not in answers[0][1]


async def test_what_names_no_place_tells_a_stranger_of_no_other_tenant(world: World) -> None:
    own = "/v1/orgs/rival/workspaces/lab/agents/ada"
    await world.served.http.post(f"{own}/entries", json={"messages": ["hello"]}, headers=world.strangers[0])
    whole = [one for one in CATALOGUE.values() if one.level is Level.SERVER]
    assert whole
    for one, key in product(whole, world.strangers):
        response = await answer(world, one, {}, {}, key)
        assert response.status_code in {200, 403}, one.name
        assert "acme" not in response.text
    listed = [await answer(world, CATALOGUE["places"], {}, {}, key) for key in world.strangers]
    assert [[item["org"] for item in one.json()["items"]] for one in listed] == [["rival"]] * 4 + [[]] * 2


async def test_a_run_of_another_tenant_is_as_if_it_did_not_exist(world: World) -> None:
    (run_id,) = world.ids["run_id"]
    for key, org, method, tail in product(
        world.strangers, ("acme", "rival", "nowhere"), ("GET", "DELETE"), ("", "/events")
    ):
        if method == "DELETE" and tail:
            continue
        answers = []
        for value in (run_id, RANDOM["run_id"]):
            path = RUNS.replace("{org}", org) + f"/{value}{tail}"
            response = await world.served.http.request(method, path, headers=key)
            status, body = told(response)
            answers.append((status, json.dumps(body).replace(value, "…")))
        assert answers[0] == answers[1]
        assert answers[0][0] == 404


async def test_the_lists_of_one_tenant_hold_nothing_of_another(world: World) -> None:
    rival = world.strangers[0]
    for path in ("/v1/orgs/rival/keys", "/v1/orgs/rival/audit", "/v1/orgs/rival/runs"):
        response = await world.served.http.get(path, headers=rival)
        assert response.status_code == 200
        assert CANARY not in response.text
        assert "acme" not in response.text
    agents = await world.served.http.get("/v1/orgs/rival/workspaces/lab/agents", headers=rival)
    assert agents.json()["items"] == []


async def test_no_recall_ever_brings_up_anothers_canary(start: Start) -> None:
    served = await start(rate=0)
    tenants = [f"tenant-{number}" for number in range(times(6, full=50))]
    canaries, asked = times(8, full=200), times(12, full=200)
    keys = {}
    for tenant in tenants:
        place = f"/v1/orgs/{tenant}/workspaces/lab/agents/ada"
        await served.told(*(f"canary {tenant} number {number}" for number in range(canaries)), at=place)
    for tenant in tenants:
        keys[tenant] = await served.key("read", org=tenant)
    rng, count = random.Random(SEED), 0
    for tenant in tenants:
        others = [f"canary {other} number {rng.randrange(canaries)}" for other in tenants if other != tenant]
        further = (f"number {rng.randrange(canaries)}" for _ in range(asked))
        for question in (*("canary", *others), *further)[:asked]:
            place = f"/v1/orgs/{tenant}/workspaces/lab/agents/ada"
            # Fifty near-duplicates cost more than twice what ten do: every tenth question asks for so many.
            body = {"query": question, "limit": 50 if count % 10 == 0 else 10}
            found = await served.http.post(f"{place}/recall", json=body, headers=keys[tenant])
            assert found.status_code == 200
            assert {item["text"].split()[1] for item in found.json()["items"]} == {tenant}
            count += 1
    assert count == len(tenants) * asked
    print(f"{len(tenants)} tenants, {canaries} canaries each, {count} recalls, no foreign canary")
