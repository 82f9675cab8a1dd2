"""The paths over the store alone, each by itself."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from remanent.model import Scope
from remanent.recall.paths import MAX_TIMES, Candidate, TimePath
from remanent.recall.question import Question
from remanent.stores import Hit
from remanent.stores.sqlite import SqliteStore

NOW = datetime(2026, 5, 8, 12, tzinfo=UTC)


@pytest.mark.spec("SAFE-07")
@pytest.mark.parametrize("times", [3, 300])
async def test_a_pasted_calendar_is_searched_for_a_few_of_its_days(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Each is a search of its own: hundreds kept every reader busy for half a second."""
    store = SqliteStore(tmp_path)
    searches: list[Any] = []

    async def search_text(*_: Any, record_filter: Any, **__: Any) -> list[Hit]:
        searches.append(record_filter.occurred_from)
        return []

    monkeypatch.setattr(store, "search_text", search_text)
    days = ", ".join(f"{1700 + number}-03-02" for number in range(times))
    question = Question(f"what was on {days}", Scope(org="acme", workspace="lab", agent="ada"), asked_at=NOW)
    try:
        found: list[Candidate] = await TimePath(store).find(question, limit=10)
    finally:
        await store.close()
    assert found == []
    assert len(searches) == min(times, MAX_TIMES)
    assert [one.year for one in searches[:3]] == [1700, 1701, 1702]
