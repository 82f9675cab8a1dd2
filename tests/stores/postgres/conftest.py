"""One PostgreSQL for all tests of a worker; each test gets empty databases."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.servers import PostgresServer, has_postgres, postgres

if TYPE_CHECKING:
    from psycopg import Connection

collect_ignore_glob = [] if has_postgres() else ["test_*.py"]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Run the server."""
    with postgres() as server:
        yield server


class Databases:
    """Databases that are used again: emptying one takes a fraction of the time of making one.

    Each has a connection of its own that empties it: a new one would plan all that anew, eight times the work.
    """

    def __init__(self, server: PostgresServer, stack: ExitStack) -> None:
        self._server = server
        self._stack = stack
        self._free: list[str] = []
        self._used: dict[str, str] = {}
        self._emptying: dict[str, Connection] = {}

    def named(self, place: str) -> str:
        """Return the address of the database of a name, which is empty at first."""
        if place not in self._used:
            self._used[place] = self._free.pop() if self._free else self._server.make_database()
        return self._used[place]

    def give_back(self) -> None:
        """Empty what was used."""
        import psycopg

        for url in self._used.values():
            if url not in self._emptying:
                self._emptying[url] = self._stack.enter_context(psycopg.connect(url, autocommit=True))
            self._emptying[url].execute(_EMPTY)
            self._free.append(url)
        self._used.clear()


# Rows one by one: a TRUNCATE of so many tables takes longer than deleting what a test leaves.
_EMPTY = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'remanent' AND tablename <> 'migrations' LOOP
        EXECUTE format('DELETE FROM remanent.%I', name);
    END LOOP;
END $$
"""


@pytest.fixture(scope="session")
def all_databases(postgres_server: PostgresServer) -> Iterator[Databases]:
    """Return the databases of this worker."""
    with ExitStack() as stack:
        yield Databases(postgres_server, stack)


@pytest.fixture
def database(all_databases: Databases) -> Iterator[Callable[[str], str]]:
    """Return what gives the address of an empty database by a name."""
    yield all_databases.named
    all_databases.give_back()
