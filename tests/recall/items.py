"""What tests of injection recall."""

from datetime import UTC, datetime, timedelta
from typing import Any

from remanent.model import FoundItem, FoundSource, Kind

MAY = datetime(2024, 5, 1, tzinfo=UTC)


def make_item(
    text: str, *, number: int = 0, kind: Kind = Kind.TURN, role: str = "user", day: int | None = None, **fields: Any
) -> FoundItem:
    """Return a found item; its number is its rank, its day, and part of its id."""
    at = MAY + timedelta(days=number if day is None else day)
    record_id = f"018f3a3e-0000-7000-8000-{number:012x}"
    source = FoundSource(entry_id=record_id, role=role, occurred_at=at, start=0, end=len(text), text=text)
    values: dict[str, Any] = {"score": 1.0, "rank": number + 1, "sources": (source,), **fields}
    return FoundItem(record_id=record_id, text=text, kind=kind, occurred_at=at, **values)
