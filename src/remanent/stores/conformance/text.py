"""Full text: found by any of the words, the telling ones first, in Chinese and English."""

from typing import Any

import pytest

from remanent.model import Kind, Origin, Scope, Status
from remanent.stores.conformance.base import StoreSuite, found, found_by, put, update
from remanent.stores.conformance.samples import Samples
from remanent.stores.queries import RecordFilter, SessionTerms
from remanent.stores.store import Store
from remanent.text.terms import query_terms

SYNTAX = [
    "AND",
    "OR",
    "NOT",
    "NEAR",
    "NEAR(lisbon tea, 5)",
    "lisbon AND tea",
    '"',
    '""',
    '"lisbon',
    "*",
    "lis*",
    "^",
    "^lisbon",
    ":",
    "terms:lisbon",
    "terms : lisbon",
    "-terms:lisbon",
    "(",
    ")",
    "{",
    "+",
    "-",
    "'",
    ";",
    "--",
    "%",
    "_",
    "\\",
    "\x00",
    "\n",
    " ",
    "",
    "& | ! <->",
]


class TextConformance(StoreSuite):
    """What was said can always be found."""

    async def test_a_record_is_found_by_any_of_its_words(self, store: Store, samples: Samples, scope: Scope) -> None:
        record = samples.make_record(
            scope, "She moved to Lisbon.", summary="relocation", keywords=("Portugal",), tags=("travel",)
        )
        await put(store, record, samples.make_record(scope, "Unrelated words."))
        for question in ("lisbon", "LISBON", "moving", "relocation", "portugal", "travel", "Lisbon zebra"):
            assert await found(store, scope, question) == [record.id], question
        assert await found(store, scope, "zebra") == []

    async def test_chinese_is_found_by_its_words(self, store: Store, samples: Samples, scope: Scope) -> None:
        tea = samples.make_record(scope, "她搬到里斯本以后，每天早上喝绿茶。")
        coffee = samples.make_record(scope, "他在北京工作，喜欢喝咖啡。")
        await put(store, tea, coffee)
        assert await found(store, scope, "绿茶") == [tea.id]
        assert await found(store, scope, "她在里斯本吗？") == [tea.id]
        assert await found(store, scope, "谁喜欢咖啡") == [coffee.id]
        assert await found(store, scope, "足球") == []

    async def test_mixed_writing_is_found_by_either(self, store: Store, samples: Samples, scope: Scope) -> None:
        record = samples.make_record(scope, "她用Python写了一个爬虫，部署在AWS上。")
        await put(store, record, samples.make_record(scope, "他写Java代码。"))
        for question in ("python", "爬虫", "aws 部署", "Python爬虫"):
            assert (await found(store, scope, question))[:1] == [record.id], question

    async def test_a_rarer_word_counts_more(self, store: Store, samples: Samples, scope: Scope) -> None:
        common = [samples.make_record(scope, f"coffee number {number}") for number in range(20)]
        rare = samples.make_record(scope, "zebra number 20")
        await put(store, *common, rare)
        assert (await found(store, scope, "coffee zebra"))[0] == rare.id

    async def test_more_of_the_words_and_a_shorter_text_count_more(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        both = samples.make_record(scope, "green tea")
        long = samples.make_record(scope, "green " + "and then a great many other things were told " * 5)
        short = samples.make_record(scope, "green door")
        others = [samples.make_record(scope, f"filler {number}") for number in range(10)]
        await put(store, long, short, both, *others)
        assert await found(store, scope, "green tea") == [both.id, short.id, long.id]

    async def test_scores_fall_from_hit_to_hit(self, store: Store, samples: Samples, scope: Scope) -> None:
        await put(store, *(samples.make_record(scope, "tea " + "leaf " * number) for number in range(8)))
        hits = await store.search_text(scope, query_terms("tea"), record_filter=RecordFilter(), limit=5)
        assert len(hits) == 5
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)

    async def test_records_of_sessions_that_are_left_out_are_not_found(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        records = [samples.make_record(scope.within(session=name), content="heron") for name in ("a", "b", None)]
        await put(store, *records)
        without = RecordFilter(not_sessions=("a", "c"))
        hits = await store.search_text(scope, ["heron"], record_filter=without, limit=10)
        assert {hit.record_id for hit in hits} == {record.id for record in records[1:]}
        passing = await store.match(scope, [record.id for record in records], without)
        assert passing == [record.id for record in records[1:]]

    async def test_no_more_than_the_limit_is_found(self, store: Store, samples: Samples, scope: Scope) -> None:
        await put(store, *(samples.make_record(scope, "tea") for _ in range(30)))
        for limit in (0, 1, 7, 30, 100):
            hits = await found(store, scope, "tea", limit=limit)
            assert len(hits) == len(set(hits)) == min(limit, 30)

    async def test_an_updated_record_is_found_by_its_new_words_only(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        record = samples.make_record(scope, "She lives in Lisbon.", keywords=("sea",))
        await put(store, record)
        await update(store, samples.next_version(record, content="She lives in Porto.", keywords=("river",)))
        assert await found(store, scope, "porto") == await found(store, scope, "river") == [record.id]
        assert await found(store, scope, "lisbon") == await found(store, scope, "sea") == []

    async def test_a_forgotten_record_is_not_found_even_when_asked_for(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        record = samples.make_record(scope)
        await put(store, record)
        async with store.transaction(scope) as tx:
            tx.forget(record, at=samples.clock())
        assert await found(store, scope, "lisbon") == []
        assert await found(store, scope, "lisbon", statuses=None) == []

    async def test_a_dropped_record_is_not_found(self, store: Store, samples: Samples, scope: Scope) -> None:
        record = samples.make_record(scope)
        await put(store, record)
        async with store.transaction(scope) as tx:
            tx.drop(record.id)
        assert await found(store, scope, "lisbon", statuses=None) == []

    async def test_filters_apply_to_what_is_found(self, store: Store, samples: Samples, scope: Scope) -> None:
        now = samples.clock()
        fields: dict[str, dict[str, Any]] = {
            "plain": {},
            "note": {"kind": Kind.NOTE},
            "tagged": {"tags": ("red",)},
            "pending": {"status": Status.PENDING},
            "late": {"occurred_at": now.replace(year=2030)},
            "outdated": {"valid_to": now.replace(year=2020)},
            "expired": {"expires_at": now.replace(year=2020)},
        }
        records = {name: samples.make_record(scope, "tea", **given) for name, given in fields.items()}
        await put(store, *records.values())

        async def names(**wanted: Any) -> set[str]:
            ids = await found(store, scope, "tea", **wanted)
            return {name for name, record in records.items() if record.id in ids}

        assert await names() == set(fields) - {"pending"}
        assert await names(kinds=(Kind.NOTE,)) == {"note"}
        assert await names(tags=("red",)) == {"tagged"}
        assert await names(statuses=(Status.PENDING,)) == {"pending"}
        assert await names(occurred_from=now.replace(year=2029)) == {"late"}
        assert await names(occurred_before=now.replace(year=2029)) == set(fields) - {"pending", "late"}
        assert await names(valid_at=now) == set(fields) - {"pending", "outdated"}
        assert await names(alive_at=now) == set(fields) - {"pending", "expired"}

    async def test_a_filter_that_leaves_out_the_best_still_finds_the_rest(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        hidden = [samples.make_record(scope, "tea", status=Status.QUARANTINED) for _ in range(60)]
        wanted = [samples.make_record(scope, "tea among a number of other words") for _ in range(3)]
        await put(store, *hidden, *wanted)
        assert sorted(await found(store, scope, "tea", limit=3)) == [record.id for record in wanted]

    async def test_a_scope_narrows_what_is_found(self, store: Store, samples: Samples, scope: Scope) -> None:
        mine, other = scope.within(session="s1", task="t1"), scope.within(session="s2")
        here, there = samples.make_record(mine, "tea"), samples.make_record(other, "tea")
        await put(store, here, there)
        assert set(await found(store, scope, "tea")) == {here.id, there.id}
        assert await found(store, scope.within(session="s1"), "tea") == [here.id]
        assert await found(store, scope.within(task="t1"), "tea") == [here.id]
        assert await found(store, scope.within(session="s2", task="t1"), "tea") == []

    @pytest.mark.parametrize("term", SYNTAX, ids=ascii)
    async def test_signs_of_a_query_language_are_harmless(
        self, store: Store, samples: Samples, scope: Scope, term: str
    ) -> None:
        record, other = samples.make_record(scope, "lisbon"), samples.make_record(scope, "porto")
        await put(store, record, other)
        assert other.id not in await found_by(store, scope, [term])
        assert await found_by(store, scope, [term, "lisbon"]) == [record.id]
        assert await found_by(store, scope, ["lisbon", term, term]) == [record.id]

    async def test_terms_are_counted_by_the_records_that_hold_them(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        texts = ("green tea", "black tea", "tea tea tea", "里斯本的茶")
        await put(store, *(samples.make_record(scope, text) for text in texts))
        counts = await store.term_counts(scope, ["tea", "green", "茶", "zebra", '"', ""], most=100)
        assert counts.records == 4
        assert dict(counts.holding) == {"tea": 3, "green": 1, "茶": 1, "zebra": 0, '"': 0, "": 0}

    async def test_terms_are_counted_no_further_than_asked_and_without_the_forgotten(
        self, store: Store, samples: Samples, scope: Scope
    ) -> None:
        records = [samples.make_record(scope, "tea") for _ in range(6)]
        await put(store, *records)
        async with store.transaction(scope) as tx:
            tx.forget(records[0], at=samples.clock())
        assert (await store.term_counts(scope, ["tea"], most=3)).holding == {"tea": 3}
        assert (await store.term_counts(scope, ["tea"], most=100)).holding == {"tea": 5}

    async def test_terms_are_counted_by_session(self, store: Store, samples: Samples, scope: Scope) -> None:
        inner = {name: scope.within(session=name) for name in ("a", "b")}
        told = [samples.make_record(inner["a"], text) for text in ("green tea tea", "black tea", "milk")]
        other = samples.make_record(inner["b"], "tea")
        machine = samples.make_record(inner["b"], "tea tea", trust=Origin.AGENT)
        await put(store, *told, other, machine)

        async def held(most: int = 100, origins: list[Origin] | None = None) -> dict[str, SessionTerms]:
            return await store.session_terms(
                scope,
                ["a", "b", "none"],
                ["tea", "milk", '"'],
                record_filter=RecordFilter(),
                origins=origins,
                most=most,
            )

        assert await held() == {"a": SessionTerms(6, {"tea": 3, "milk": 1}), "b": SessionTerms(3, {"tea": 3})}
        assert (await held(origins=[Origin.USER]))["b"] == SessionTerms(1, {"tea": 1})
        assert (await held(most=2)).keys() == {"b"}
        async with store.transaction(scope) as tx:
            tx.forget(told[0], at=samples.clock())
        assert (await held())["a"] == SessionTerms(3, {"tea": 1, "milk": 1})

    async def test_no_terms_find_nothing(self, store: Store, samples: Samples, scope: Scope) -> None:
        await put(store, samples.make_record(scope))
        assert await found_by(store, scope, []) == []

    async def test_a_great_many_terms_are_no_trouble(self, store: Store, samples: Samples, scope: Scope) -> None:
        record = samples.make_record(scope, "lisbon")
        await put(store, record)
        assert await found_by(store, scope, ["lisbon", *(f"term{number}" for number in range(5000))]) == [record.id]
