"""kill -9 of a server under load: what a client was told is durable is there when the server comes back."""

import http.client
import json
import os
import random
import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from typing import Any

import pytest

import remanent
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder

pytestmark = pytest.mark.chaos

ROUNDS = times(2, full=100)
CLIENTS = 4
MOST_ACKNOWLEDGED = 40
PLACE = "/v1/orgs/default/workspaces/default/agents/ada/entries"


def start(home: Path, **more: str) -> "tuple[subprocess.Popen[str], str]":
    environment = {**os.environ, "REMANENT_EMBEDDER": "none", "REMANENT_SERVER__RATE": "0", **more}
    command = [sys.executable, "-m", "remanent", "serve", "--port", "0", "--json", "--home", str(home)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)
    assert server.stdout is not None
    return server, json.loads(server.stdout.readline())["url"]


def write(url: str, client: int, ledger: dict[str, str], enough: threading.Semaphore) -> None:
    """Write until the server is gone, and note what it acknowledged."""
    for number in range(100_000):
        text = f"round {url} client {client} number {number}"
        body = json.dumps({"messages": [text]}).encode()
        request = urllib.request.Request(url + PLACE, body, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                ledger[json.load(answer)["entry_ids"][0]] = text
        except (OSError, ValueError, http.client.HTTPException):  # refused, cut off, or cut in the middle of its answer
            return
        enough.release()


def test_a_killed_server_loses_nothing_that_it_acknowledged() -> None:
    rng = random.Random(SEED)
    ledger: dict[str, str] = {}
    with fast_folder() as folder:
        home = folder / "home"
        for number in range(ROUNDS):
            server, url = start(home)
            enough = threading.Semaphore(0)
            clients = [threading.Thread(target=write, args=(url, client, ledger, enough)) for client in range(CLIENTS)]
            for client in clients:
                client.start()
            for _ in range(rng.randrange(1, MOST_ACKNOWLEDGED)):
                assert enough.acquire(timeout=60)
            server.kill()
            server.wait()
            assert server.stdout is not None
            server.stdout.close()
            for client in clients:
                client.join()
            with remanent.open(home, embedder="none") as memory:
                kept = {entry.id: entry.text for entry in memory.agent("ada").entries(limit=1_000_000)}
            lost = {entry_id for entry_id, text in ledger.items() if kept.get(entry_id) != text}
            assert not lost, f"seed {SEED}, round {number}: {len(lost)} of {len(ledger)} lost"
            assert remanent_audit_is_intact(home)
    print(f"{ROUNDS} kills, {len(ledger)} writes acknowledged, none lost")


def test_long_work_of_a_killed_server_is_told_as_interrupted_and_not_begun_again() -> None:
    body = {"task": "How high is Mount Kelt?", "context": "Mount Kelt is 3,412 metres high.", "bank_id": "kelt"}
    # A model that takes the question and never answers: the work goes on until the server is killed.
    with fast_folder() as folder, socket.create_server(("127.0.0.1", 0)) as silent:
        model = {
            "REMANENT_MODEL__PROVIDER": "openai",
            "REMANENT_MODEL__NAME": "silent",
            "REMANENT_MODEL__API_KEY": "none",
            "NO_PROXY": "127.0.0.1",
            "no_proxy": "127.0.0.1",
            "REMANENT_MODEL__BASE_URL": f"http://127.0.0.1:{silent.getsockname()[1]}/v1",
        }
        runs, told = [], []
        for _ in range(2):
            server, url = start(folder / "home", **model)
            try:
                runs.append(_asked(url + PLACE.replace("entries", "banks"), body, key="once"))
                told.append(_asked(url + "/v1/orgs/default/runs/" + runs[0]["run_id"]))
            finally:
                server.kill()
                server.wait()
                assert server.stdout is not None
                server.stdout.close()
    assert [one["state"] for one in told] == ["running", "interrupted"]
    assert runs[1] == runs[0]
    assert told[1]["response"] is None
    assert "start it again" in told[1]["message"]


def _asked(address: str, body: object = None, *, key: str = "") -> Any:
    headers = {"content-type": "application/json", **({"idempotency-key": key} if key else {})}
    request = urllib.request.Request(address, None if body is None else json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def remanent_audit_is_intact(home: Path) -> bool:
    from remanent.operations.access.audit import AuditLog

    return AuditLog(home).verify("default").intact
