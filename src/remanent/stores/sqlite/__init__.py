"""The embedded store on SQLite, through apsw's own library.

From the outside in: `store.py` is the port; `pool.py` decides which agents' files are open; `database.py` runs work on
one file; `reads.py`, `writes.py` with `bulk.py`, and `erasure.py` are that work, over `rows.py`;
`connection.py` opens files and has the steps of their schema, and `folders.py` says where they lie. `fileformat.py` and
`repair.py` are for the day on which the engine cannot help.
"""

from remanent.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
