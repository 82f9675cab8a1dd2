"""How much the engine does for a search by words, counted in its own steps, and that both ways find the same."""

import random
from pathlib import Path

import pytest

from remanent.model import Kind, Scope
from remanent.stores.conformance.base import Samples, put
from remanent.stores.queries import Hit, RecordFilter, TextQuery
from remanent.stores.sqlite import SqliteStore, reads
from tests.stores.sqlite.steps import count_steps

WORDS = [f"word{number}" for number in range(12)]


async def _filled(home: Path, kinds: list[Kind]) -> Scope:
    samples, chance, store = Samples(), random.Random(4), SqliteStore(home)
    scope = samples.make_scope()
    texts = (" ".join(chance.choices(WORDS, k=6)) for _ in kinds)
    await put(store, *(samples.make_record(scope, text, kind=kind) for text, kind in zip(texts, kinds, strict=True)))
    await store.close()
    return scope


def _search(home: Path, scope: Scope, kinds: tuple[Kind, ...] | None) -> tuple[int, list[Hit]]:
    query = TextQuery(tuple(WORDS[:3]), RecordFilter(kinds=kinds), limit=10, places=True)
    return count_steps(home, lambda connection: reads.search_text(connection, scope, query))


async def test_a_filter_that_nearly_all_pass_costs_next_to_nothing(quick_folder: Path) -> None:
    scope = await _filled(quick_folder, [Kind.CHUNK] * 800)
    plain, found = _search(quick_folder, scope, None)
    filtered, same = _search(quick_folder, scope, (Kind.CHUNK,))
    assert same == found
    assert filtered <= 1.5 * plain


@pytest.mark.parametrize("share", [0.02, 0.5, 0.98])
async def test_ranking_first_finds_what_filtering_first_finds(
    quick_folder: Path, monkeypatch: pytest.MonkeyPatch, share: float
) -> None:
    chance = random.Random(9)
    scope = await _filled(quick_folder, [Kind.CHUNK if chance.random() < share else Kind.TURN for _ in range(300)])
    answers = []
    for sample in (0, 10**6):  # as if most passed, and as if hardly any did
        monkeypatch.setattr(reads, "_SAMPLE", sample)
        answers.append(_search(quick_folder, scope, (Kind.CHUNK,))[1])
    assert answers[0] == answers[1]
    assert answers[0]
