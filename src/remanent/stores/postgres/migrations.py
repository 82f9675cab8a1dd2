"""Bringing a database up to date: numbered steps, each once, under a lock; a newer schema is refused.

Whoever migrates makes the tables and owns them. Whoever uses them acts as the role `remanent_app`, which owns nothing.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Final

import psycopg

from remanent.errors import SchemaTooNew, StorageError
from remanent.stores.postgres.connection import ROLE, SCHEMA, sql_file, translated

_OLDEST: Final = 160000
"""PostgreSQL 16; older ones are not tested."""
_OLDEST_VECTOR: Final = (0, 8)
"""Of pgvector, likewise."""
_LOCK: Final = 0x52454D41
"""The advisory lock of whoever migrates: "REMA"."""


def steps() -> list[str]:
    """Return the steps from nothing to this version, in order."""
    folder = resources.files(__package__) / "sql"
    return [sql_file(name) for name in sorted(file.name for file in folder.iterdir()) if name[:4].isdigit()]


def _version_of(connection: "psycopg.Connection[tuple[object, ...]]") -> int:
    """Return the number of the last step that was taken here; 0 when there is nothing."""
    found = connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.migrations",)).fetchone()
    if (found or (None,))[0] is None:
        return 0
    row = connection.execute(f"SELECT coalesce(max(step), 0) FROM {SCHEMA}.migrations".encode()).fetchone()
    return int(str(row[0])) if row else 0


async def migrate(url: str, *, dry_run: bool = False, only_from_nothing: bool = False) -> tuple[int, int]:
    """Take the steps that are missing, and return the number before and after; a dry run only says which."""
    return await asyncio.to_thread(migrate_now, url, dry_run=dry_run, only_from_nothing=only_from_nothing)


def migrate_now(url: str, *, dry_run: bool = False, only_from_nothing: bool = False) -> tuple[int, int]:
    """Do the same on this thread."""
    connection: psycopg.Connection[tuple[object, ...]]
    with translated(), psycopg.connect(url, autocommit=True) as connection:
        _check_versions(connection)
        wanted = steps()
        before = _version_of(connection)
        if before > len(wanted):
            raise SchemaTooNew(f"the database is at step {before}; this version knows {len(wanted)}: upgrade it")
        if dry_run or (only_from_nothing and before > 0):
            return before, len(wanted)
        # Before the transaction: one that began earlier would not see what it has waited for. It ends with the
        # connection.
        connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
        with _owning(), connection.transaction():
            before = _version_of(connection)
            connection.execute(_PREPARE.encode())
            connection.execute(f"SET LOCAL search_path = {SCHEMA}, public".encode())
            for number, step in enumerate(wanted[before:], before + 1):
                connection.execute(step.encode())
                connection.execute("INSERT INTO migrations (step) VALUES (%s)", (number,))
            connection.execute(sql_file("functions.sql").encode())  # made anew by every migration
        return before, len(wanted)


@contextmanager
def _owning() -> Iterator[None]:
    """Say who must migrate, where whoever does may not: a server's own login may use the tables and not change them."""
    try:
        yield
    except psycopg.errors.InsufficientPrivilege as error:
        raise StorageError(
            "the login may not make or change the tables; run `remanent migrate` as the user who owns them, "
            "or as one who may create in an empty database"
        ) from error


def _check_versions(connection: "psycopg.Connection[tuple[object, ...]]") -> None:
    """Refuse a server, or a pgvector, that lacks what the statements count on."""
    if connection.info.server_version < _OLDEST:
        raise StorageError(f"PostgreSQL {connection.info.server_version // 10000} is too old; take 16 or newer")
    found = connection.execute(
        "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if found is None:
        raise StorageError("the database's machine has no pgvector; install 0.8 or newer there")
    version = str(found[0])
    if tuple(map(int, version.split(".")[:2])) < _OLDEST_VECTOR:
        raise StorageError(
            f"pgvector {version} is too old; install 0.8 or newer and run: ALTER EXTENSION vector UPDATE"
        )


_LARGE: Final = 50_000
"""Vectors of an agent from which an index is worth its cost: below it an exact search takes some tens of milliseconds,
and an index over few vectors of many agents finds a tenth of what is near."""


async def index_large_agents(url: str, *, at_least: int = _LARGE) -> int:
    """Give the vectors of each large agent an index of their own, beside writers; return how many were made."""
    made = 0
    with translated():
        connection: psycopg.AsyncConnection[tuple[object, ...]]
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(f"SET search_path = {SCHEMA}, public".encode())
            await connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
            agents = await (await connection.execute("SELECT id FROM agents ORDER BY id")).fetchall()
            for (agent,) in agents:
                await connection.execute("SELECT set_config('remanent.agent', %s, false)", (str(agent),))
                found = await connection.execute(_LARGE_MODELS, (agent, at_least))
                for model, name, dimension in await found.fetchall():
                    # Numbers of our own, which no placeholder can carry here.
                    await connection.execute(
                        f"""
                        CREATE INDEX CONCURRENTLY IF NOT EXISTS vectors_of_{agent}_{model} ON vectors
                        USING hnsw ((data::vector({dimension})) vector_cosine_ops)
                        WHERE agent = {agent} AND model = {model}
                        """.encode()
                    )
                    await connection.execute(
                        "INSERT INTO vector_indexes VALUES (%s, %s, %s, %s)", (agent, model, name, dimension)
                    )
                    made += 1
    return made


# pgvector indexes up to 2,000 dimensions.
_LARGE_MODELS = """
SELECT m.id, m.name, m.dimension FROM models m JOIN vectors v ON v.agent = m.agent AND v.model = m.id
WHERE m.agent = %s AND m.dimension <= 2000
    AND NOT EXISTS (SELECT 1 FROM vector_indexes i WHERE i.agent = m.agent AND i.model = m.id)
GROUP BY m.id, m.name, m.dimension HAVING count(*) >= %s
"""


# The role has no password and nobody logs in as it; whoever migrates may become it, and lets others with a GRANT.
_PREPARE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '{ROLE}') THEN
        CREATE ROLE {ROLE} NOLOGIN;
    END IF;
    IF NOT pg_has_role(current_user, '{ROLE}', 'SET') THEN
        EXECUTE format('GRANT {ROLE} TO %I', current_user);
    END IF;
END $$;
CREATE EXTENSION IF NOT EXISTS vector;
CREATE SCHEMA IF NOT EXISTS {SCHEMA};
GRANT USAGE ON SCHEMA {SCHEMA} TO {ROLE};
CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations (step integer PRIMARY KEY, at timestamptz NOT NULL DEFAULT now());
GRANT SELECT ON {SCHEMA}.migrations TO {ROLE};
"""
