"""kill -9 of a server under load: what a client was told is durable is there when the server comes back."""

import http.client
import json
import os
import random
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

import remanent
from tests.chaos.support.counts import SEED, times
from tests.chaos.support.places import fast_folder

pytestmark = pytest.mark.chaos

ROUNDS = times(2, full=100)
CLIENTS = 4
MOST_ACKNOWLEDGED = 40
PLACE = "/v1/orgs/default/workspaces/default/agents/ada/entries"


def start(home: Path) -> "tuple[subprocess.Popen[str], str]":
    environment = {**os.environ, "REMANENT_EMBEDDER": "none", "REMANENT_SERVER__RATE": "0"}
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


def remanent_audit_is_intact(home: Path) -> bool:
    from remanent.operations.access.audit import AuditLog

    return AuditLog(home).verify().intact
