"""The store for several processes and machines: PostgreSQL with pgvector.

- `sql/` holds the schema as numbered steps, and the functions by which a group of units of work is one call.
- `connection.py` opens connections, carries text that PostgreSQL would refuse, translates its errors, and tells others
  that there is work.
- `writes.py` turns changes into what those functions take, and commits many units together.
- `reads.py` is its dialect of the statements that both stores share, and what is asked of it in its own way.
- `shelf.py` keeps what belongs to no agent.
- `store.py` is the port, with nearest neighbours among its rows; at its end it brings a database up to date.
"""

from remanent.stores.postgres.shelf import PostgresShelf
from remanent.stores.postgres.store import PostgresStore, PostgresVectors

__all__ = ["PostgresShelf", "PostgresStore", "PostgresVectors"]
