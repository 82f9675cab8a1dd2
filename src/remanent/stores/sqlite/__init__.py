"""The embedded store on SQLite, through apsw's own library."""

from remanent.stores.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
