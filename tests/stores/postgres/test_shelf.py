"""What belongs to no agent, as rows."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import psycopg
import pytest

from remanent.stores.conformance import ShelfConformance
from remanent.stores.conformance.small_ports import OpenShelf
from remanent.stores.postgres import PostgresShelf
from remanent.stores.postgres.connection import ROLE


@pytest.fixture
def open_shelf(database: Callable[[str], str]) -> Iterator[Callable[[], PostgresShelf]]:
    """Return what opens the shelf of one database again and again."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(closing(PostgresShelf(database("here"))))


class TestPostgresShelf(ShelfConformance):
    @pytest.fixture(name="open_shelf")
    def given(self, open_shelf: OpenShelf) -> OpenShelf:
        return open_shelf


def test_what_is_done_under_a_lock_is_done_together_or_not_at_all(open_shelf: Callable[[], PostgresShelf]) -> None:
    shelf, other = open_shelf(), open_shelf()

    def change() -> None:
        with shelf.locked(".a/lock"):
            shelf.write(".a/x.json", b"half")
            assert other.read(".a/x.json") is None
            raise KeyError

    with pytest.raises(KeyError):
        change()
    assert other.read(".a/x.json") is None


def test_a_lost_connection_is_replaced(database: Callable[[str], str], open_shelf: Callable[[], PostgresShelf]) -> None:
    shelf = open_shelf()
    shelf.write(".a/x.json", b"kept")
    hold = shelf.hold(".a/me.lock")
    with psycopg.connect(database("here"), autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'remanent shelf'"
        )
    assert shelf.read(".a/x.json") == b"kept"
    assert hold.is_lost
    hold.release()


@pytest.mark.spec("COG-18")
def test_a_session_that_does_not_ask_for_the_shelf_sees_no_key_and_no_line(
    database: Callable[[str], str], open_shelf: Callable[[], PostgresShelf]
) -> None:
    shelf = open_shelf()
    shelf.write(".access/keys.json", b"{}")
    with shelf.log(".access/audit/acme.jsonl").held() as log:
        log.put([b"a line\n"], place=0)
    with psycopg.connect(database("here"), autocommit=True) as connection:
        connection.execute(f"SET ROLE {ROLE}")
        for table in ("shelf", "log_lines"):
            assert connection.execute(f"SELECT count(*) FROM remanent.{table}".encode()).fetchone() == (0,)
            assert connection.execute(f"DELETE FROM remanent.{table}".encode()).rowcount == 0
        connection.execute("SELECT set_config('remanent.agent', '1', false)")
        assert connection.execute("SELECT count(*) FROM remanent.shelf").fetchone() == (0,)
    assert shelf.read(".access/keys.json") == b"{}"
