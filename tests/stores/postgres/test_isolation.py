"""Whose rows a statement sees, whatever it asks for."""

from collections.abc import Callable

import psycopg
import pytest

from remanent.errors import StorageError
from remanent.stores.conformance.base import Samples, append, put
from remanent.stores.postgres import PostgresStore
from remanent.stores.postgres.connection import ROLE

TABLES = """
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'remanent' AND c.relkind = 'r' AND c.relname NOT IN ('agents', 'migrations', 'vector_indexes')
"""


@pytest.fixture
async def url(database: Callable[[str], str]) -> str:
    """Return a database with something of one agent in it."""
    samples = Samples()
    store = PostgresStore(database("here"))
    scope = samples.make_scope()
    [entry] = await append(store, samples.make_entry(scope, "a secret of ada's"))
    await put(store, samples.make_record_of(entry))
    await append(store, samples.make_entry(samples.make_scope("bob"), "bob's own words"))
    await store.close()
    return database("here")


def _number(connection: "psycopg.Connection[tuple[object, ...]]", agent: str) -> int:
    row = connection.execute("SELECT id FROM remanent.agents WHERE agent = %s", (agent,)).fetchone()
    assert row is not None
    return int(str(row[0]))


@pytest.mark.spec("COG-18")
def test_a_transaction_that_names_no_agent_sees_and_changes_nothing(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        tables = [str(row[0]) for row in connection.execute(TABLES)]
        assert {"entries", "records", "jobs", "vectors"} <= set(tables)
        connection.execute(f"SET ROLE {ROLE}")
        for table in tables:
            assert connection.execute(f"SELECT count(*) FROM remanent.{table}".encode()).fetchone() == (0,), table
            assert connection.execute(f"DELETE FROM remanent.{table}".encode()).rowcount == 0, table
        # After a transaction that named one, the setting is there and empty.
        with connection.transaction():
            connection.execute("SELECT set_config('remanent.agent', %s, true)", (str(_number(connection, "ada")),))
            assert connection.execute("SELECT count(*) FROM remanent.entries").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM remanent.entries").fetchone() == (0,)


@pytest.mark.spec("COG-18")
def test_a_statement_without_a_condition_sees_its_own_agent_only_and_cannot_write_for_another(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        ada, bob = _number(connection, "ada"), _number(connection, "bob")
        connection.execute(f"SET ROLE {ROLE}")
        with connection.transaction():
            connection.execute("SELECT set_config('remanent.agent', %s, true)", (str(bob),))
            assert connection.execute("SELECT text FROM remanent.entries").fetchall() == [("bob's own words",)]
            assert connection.execute("UPDATE remanent.entries SET text = ''").rowcount == 1
        with connection.transaction(force_rollback=True):
            connection.execute("SELECT set_config('remanent.agent', %s, true)", (str(bob),))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute("INSERT INTO remanent.states VALUES (%s, 'planted', '1')", (ada,))


def test_the_application_owns_nothing_and_every_table_forces_its_policy(url: str) -> None:
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            """
            SELECT c.relname, c.relrowsecurity AND c.relforcerowsecurity, pg_get_userbyid(c.relowner) FROM pg_class c
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = 'remanent' AND c.relkind = 'r' AND c.relname NOT IN ('migrations', 'vector_indexes')
            """
        ).fetchall()
        assert rows
        assert all(forced for _, forced, _ in rows)
        assert ROLE not in {owner for _, _, owner in rows}
        role = connection.execute(
            "SELECT rolsuper, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname = %s", (ROLE,)
        )
        assert role.fetchone() == (False, False, False)


async def test_a_login_without_any_right_of_its_own_uses_the_store_by_the_role_alone(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS plain_login")
        connection.execute("CREATE ROLE plain_login LOGIN")
    samples = Samples()
    plain = url.replace("postgres@", "plain_login@")
    store = PostgresStore(plain)
    with pytest.raises(StorageError, match="GRANT remanent_app"):
        await store.scopes()
    await store.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"GRANT {ROLE} TO plain_login")
    store = PostgresStore(plain)
    assert [scope.agent for scope in await store.scopes()] == ["ada", "bob"]
    await append(store, samples.make_entry(samples.make_scope("eve"), "words of a plain login"))
    await store.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE plain_login")


def test_every_index_of_texts_has_the_order_of_bytes(url: str) -> None:
    """The order of a locale differs between machines, and an index in it breaks when a library is updated."""
    with psycopg.connect(url) as connection:
        others = connection.execute(
            """
            SELECT i.indexrelid::regclass::text, a.attname FROM pg_index i
            JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.attcollation <> 0
            WHERE n.nspname = 'remanent' AND a.attcollation <> '"C"'::regcollation AND a.attnum <= i.indnkeyatts
            """
        ).fetchall()
    assert others == []
