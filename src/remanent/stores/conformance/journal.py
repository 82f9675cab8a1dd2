"""The journal: appended in order, read by any question, each thing once."""

from typing import Any

import pytest

from remanent.errors import DuplicateEntry
from remanent.model import Attachment, Entry, EntryKind, Origin, Scope
from remanent.stores.conformance.base import StoreSuite, append
from remanent.stores.conformance.samples import Samples
from remanent.stores.queries import EntryQuery
from remanent.stores.store import Store


async def texts(store: Store, scope: Scope, **query: Any) -> list[str]:
    """Return the texts of the entries that a query finds."""
    return [entry.text for entry in await store.entries(scope, EntryQuery(**query))]


class JournalConformance(StoreSuite):
    """What happened, as it was said."""

    async def test_an_entry_comes_back_as_it_was_appended(self, store: Store, samples: Samples, scope: Scope) -> None:
        entry = samples.make_entry(
            scope.within(session="s1", task="t1"),
            "她说：“搬到里斯本了”\n\t🎉 \x00 '; DROP TABLE entries; --",
            kind=EntryKind.TOOL_RESULT,
            role="tool",
            caller_id="call-1",
            metadata={"深": {"list": [1, 2.5, None, True, "x"]}, "big": 2**53},
            attachments=(Attachment(attachment_id="a", name="图.png", digest="0" * 64, uri="file:x", size=7),),
            origin=Origin.WEB,
            occurred_at=samples.clock.now.replace(year=1969, microsecond=1000),
        )
        [stored] = await append(store, entry)
        assert stored == entry.replace(seq=stored.seq)
        assert stored.seq > 0

    async def test_places_rise_strictly_whatever_the_clock_and_the_session(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        places = []
        for number in range(6):
            samples.clock.advance(seconds=-60)
            [stored] = await append(store, samples.make_entry(scope.within(session=f"s{number % 2}"), f"{number}"))
            places.append(stored.seq)
        assert places == sorted(set(places))
        assert await texts(store, scope) == ["0", "1", "2", "3", "4", "5"]

    async def test_a_commit_tells_the_ids_and_the_last_place(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        entries = [samples.make_entry(scope, text) for text in ("a", "b", "c")]
        async with store.transaction(scope) as tx:
            for entry in entries:
                tx.append(entry)
        assert tx.committed.entry_ids == tuple(entry.id for entry in entries)
        assert tx.committed.last_seq == (await store.entries(scope, EntryQuery()))[-1].seq
        assert tx.committed.repeated == 0

    async def test_a_repeated_entry_is_stored_once_and_its_first_id_returned(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        [first] = await append(store, samples.make_entry(scope, "hello", caller_id="m1"))
        async with store.transaction(scope) as tx:
            tx.append(samples.make_entry(scope, "hello", caller_id="m1"))
            tx.append(samples.make_entry(scope, "hello", caller_id="m1"))
        assert tx.committed.entry_ids == (first.id, first.id)
        assert tx.committed.repeated == 2
        assert tx.committed.last_seq == first.seq
        assert await texts(store, scope) == ["hello"]

    async def test_a_repetition_inside_one_commit_is_stored_once(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        first, second = (samples.make_entry(scope, "hello", caller_id="m1") for _ in range(2))
        async with store.transaction(scope) as tx:
            tx.append(first)
            tx.append(second)
        assert tx.committed.entry_ids == (first.id, first.id)
        assert tx.committed.repeated == 1
        assert await texts(store, scope) == ["hello"]

    async def test_a_callers_id_with_another_text_is_refused_and_nothing_is_written(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        await append(store, samples.make_entry(scope, "hello", caller_id="m1"))
        with pytest.raises(DuplicateEntry):
            await append(
                store,
                samples.make_entry(scope, "before"),
                samples.make_entry(scope, "goodbye", caller_id="m1"),
            )
        assert await texts(store, scope) == ["hello"]

    async def test_a_callers_id_in_another_session_is_another_entry(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        places = [scope, scope.within(session="s1"), scope.within(session="s2")]
        for number, place in enumerate(places):
            await append(store, samples.make_entry(place, f"text {number}", caller_id="m1"))
        assert await texts(store, scope) == ["text 0", "text 1", "text 2"]

    async def test_entries_without_a_callers_id_are_never_repetitions(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        await append(store, samples.make_entry(scope, "hello"), samples.make_entry(scope, "hello"))
        assert await texts(store, scope) == ["hello", "hello"]

    @pytest.fixture
    async def journal(self, store: Store, samples: Samples, scope: Scope) -> list[Entry]:
        """Return ten stored entries, one a minute, of two sessions and two kinds."""
        entries = []
        for number in range(10):
            place = scope.within(session=f"s{number % 2}", task="t" if number < 4 else None)
            kind = EntryKind.EVENT if number % 5 == 0 else EntryKind.MESSAGE
            entries.append(samples.make_entry(place, str(number), kind=kind, caller_id=f"m{number}"))
            samples.clock.advance(seconds=60)
        return await append(store, *entries)

    async def test_entries_are_read_in_order_from_either_end(
        self, store: Store, scope: Scope, journal: list[Entry]
    ) -> None:
        assert await store.entries(scope, EntryQuery()) == journal
        assert await store.entries(scope, EntryQuery(newest_first=True)) == journal[::-1]
        assert await texts(store, scope, limit=3) == ["0", "1", "2"]
        assert await texts(store, scope, limit=3, newest_first=True) == ["9", "8", "7"]
        assert await texts(store, scope, limit=0) == []

    async def test_entries_are_read_by_place(self, store: Store, scope: Scope, journal: list[Entry]) -> None:
        assert await texts(store, scope, after_seq=journal[6].seq) == ["7", "8", "9"]
        assert await texts(store, scope, before_seq=journal[2].seq) == ["0", "1"]
        assert await texts(store, scope, after_seq=journal[2].seq, before_seq=journal[5].seq) == ["3", "4"]
        assert await texts(store, scope, before_seq=journal[5].seq, newest_first=True, limit=2) == ["4", "3"]

    async def test_paging_through_the_journal_meets_every_entry_once(
        self, store: Store, scope: Scope, journal: list[Entry]
    ) -> None:
        met: list[Entry] = []
        while page := await store.entries(scope, EntryQuery(after_seq=met[-1].seq if met else 0, limit=3)):
            met += page
        assert met == journal

    async def test_entries_are_read_by_their_ids(self, store: Store, scope: Scope, journal: list[Entry]) -> None:
        assert await texts(store, scope, entry_ids=(journal[7].id, "nobody", journal[2].id)) == ["2", "7"]
        assert await texts(store, scope, entry_ids=(journal[7].id,)) == ["7"]
        assert await texts(store, scope, entry_ids=()) == []

    async def test_entries_are_read_by_the_callers_ids(self, store: Store, scope: Scope, journal: list[Entry]) -> None:
        assert await texts(store, scope, caller_ids=("m7", "nobody", "m2")) == ["2", "7"]
        assert await texts(store, scope, caller_ids=()) == []

    async def test_entries_are_read_by_kind(self, store: Store, scope: Scope, journal: list[Entry]) -> None:
        assert await texts(store, scope, kinds=(EntryKind.EVENT,)) == ["0", "5"]
        assert len(await texts(store, scope, kinds=(EntryKind.EVENT, EntryKind.MESSAGE))) == 10
        assert await texts(store, scope, kinds=(EntryKind.DOCUMENT,)) == []

    async def test_entries_are_read_by_time_with_the_end_left_out(
        self, store: Store, scope: Scope, journal: list[Entry]
    ) -> None:
        start, end = journal[3].occurred_at, journal[6].occurred_at
        assert await texts(store, scope, occurred_from=start, occurred_before=end) == ["3", "4", "5"]
        assert await texts(store, scope, occurred_from=end) == ["6", "7", "8", "9"]
        assert await texts(store, scope, occurred_before=start) == ["0", "1", "2"]

    async def test_a_scope_narrows_the_journal_to_its_session_and_task(
        self, store: Store, scope: Scope, journal: list[Entry]
    ) -> None:
        assert await texts(store, scope.within(session="s1")) == ["1", "3", "5", "7", "9"]
        assert await texts(store, scope.within(task="t")) == ["0", "1", "2", "3"]
        assert await texts(store, scope.within(session="s1", task="t")) == ["1", "3"]
        assert await texts(store, scope.within(session="nobody")) == []
        assert await texts(store, scope.within(session="s1"), entry_ids=(journal[0].id,)) == []

    async def test_every_condition_of_a_query_must_hold(self, store: Store, scope: Scope, journal: list[Entry]) -> None:
        conditions: dict[str, Any] = {"kinds": (EntryKind.MESSAGE,), "after_seq": journal[1].seq, "limit": 2}
        conditions["occurred_before"] = journal[8].occurred_at
        assert await texts(store, scope.within(session="s0"), **conditions) == ["2", "4"]

    async def test_words_of_the_query_language_in_a_session_are_just_words(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        label = "a(b) OR 1=1 #,-- _"
        await append(store, samples.make_entry(scope.within(session=label), "odd"))
        await append(store, samples.make_entry(scope, "plain"))
        assert await texts(store, scope.within(session=label)) == ["odd"]
        assert await texts(store, scope.within(session="a(b) OR 1=1 #,-- x")) == []
