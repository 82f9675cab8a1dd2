"""Slack: what moved rows leave behind is found, and is gone after rewriting."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from remanent.stores.sqlite.connection import connect, create
from remanent.stores.sqlite.erasure import Traces, rewrite, tables_of

STEPS = (
    "CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER);",
    "CREATE TABLE t (k INTEGER, v TEXT, PRIMARY KEY (k)) WITHOUT ROWID;",
)


@pytest.fixture
def moved(tmp_path: Path) -> tuple[Path, list[str]]:
    """Return a file whose rows were moved about before many were deleted, and the texts of those."""
    path = tmp_path / "memory.db"
    create(path, migrations=STEPS)
    rng = random.Random(9)
    texts = {}
    with closing(connect(path, busy_timeout=1)) as connection:
        with connection:
            # Every second one first, then those between: full pages are split, and rows move to their neighbours.
            for key in (*range(1, 600, 2), *range(0, 600, 2)):
                texts[key] = "".join(rng.choices("bcdfghjklm", k=rng.randint(30, 1500)))
                connection.execute("INSERT INTO t VALUES (?, ?)", (key, texts[key]))
        gone = [key for key in texts if rng.random() < 0.3]
        connection.executemany("DELETE FROM t WHERE k = ?", [(key,) for key in gone])
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return path, [texts[key] for key in gone]


def _left(path: Path, secrets: list[str]) -> list[str]:
    content = path.read_bytes()
    return [secret for secret in secrets if secret[2:18].encode() in content]


def test_what_moved_rows_left_behind_is_found_and_cleared(moved: tuple[Path, list[str]]) -> None:
    path, secrets = moved
    assert secrets
    assert _left(path, secrets), "the engine left nothing behind: this test has lost its reason"
    traces = Traces()
    for secret in secrets:
        traces.add_text(secret)
    with closing(connect(path, busy_timeout=1)) as connection:
        before = set(connection.execute("SELECT * FROM t"))
        pages = traces.pages(connection)
        assert pages
        assert tables_of(connection, pages) == ["t"]
        rewrite(connection, ["t"])
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        assert traces.pages(connection) == []
        assert set(connection.execute("SELECT * FROM t")) == before
        assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert _left(path, secrets) == []


def test_nothing_is_found_of_what_was_never_there(moved: tuple[Path, list[str]]) -> None:
    path, _ = moved
    traces = Traces()
    traces.add_text("something that nobody ever wrote into this file")
    traces.add_json(
        '{"text": "灯塔在港口的尽头，没有人说过这句话", "id": "0195-abc", "at": "2026-01-01T00:00:00.000Z"}'
    )
    traces.add_bytes(random.Random(1).randbytes(400))
    traces.add_terms(["quokka", "灯塔", "a", "of"])
    with closing(connect(path, busy_timeout=1)) as connection:
        assert traces.pages(connection) == []
        assert Traces().pages(connection) == []
