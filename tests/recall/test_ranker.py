"""Ranking what lies in memory: rows, paths over arrays, and how their scores are joined."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from remanent.agents.search import SearchableText, TextSearch
from remanent.memory import aopen
from remanent.model import Scope, system_clock
from remanent.recall import (
    AnswerOptions,
    Candidate,
    InMemoryPath,
    PathUse,
    Question,
    Ranker,
    RecallPath,
    Recipe,
    RowTable,
    scoring,
)
from remanent.recall.paths import best_rows
from remanent.settings import RecallSettings

SCOPE = Scope(org="o", workspace="w", agent="a")
SUM = Recipe(
    name="sum",
    paths={"keyword": PathUse(weight=0.5, limit=2), "vector": PathUse(weight=0.5, limit=2)},
    strict=True,
    other=None,
    fusion="sum",
    flood_share=1.0,
)


class Fixed(InMemoryPath):
    """Scores each row as it is told."""

    def __init__(self, name: str, rows: RowTable, scores: Mapping[str, float]) -> None:
        super().__init__(rows)
        self.name = name
        self._told = scores

    async def scores(self, question: Question) -> NDArray[np.float32]:
        return np.array([self._told.get(one or "", 0.0) for one in self._rows.ids], np.float32)


def table(ids: str) -> RowTable:
    rows = RowTable()
    for one in ids:
        rows.add(one)
    return rows


def test_a_free_row_is_used_again() -> None:
    rows = table("abc")
    assert rows.remove("b") == 1
    assert rows.remove("b") is None
    assert rows.ids == ["a", None, "c"]
    assert rows.add("d") == 1
    assert rows.add("e") == 3
    assert rows.add("a") == 0
    assert dict(rows) == {"a": 0, "c": 2, "d": 1, "e": 3}


def test_the_best_rows_come_in_their_order_and_none_that_scores_nothing() -> None:
    scores = np.array([0.0, 0.5, 0.9, 0.5, -1.0, 0.5], np.float32)
    assert best_rows(scores, 3) == [2, 1, 3]
    assert best_rows(scores, 9) == [2, 1, 3, 5]
    assert best_rows(np.zeros(3, np.float32), 2) == []


async def ranked(
    words: Mapping[str, float], near: Mapping[str, float], recipe: Recipe = SUM
) -> list[tuple[str, float, tuple[str, ...]]]:
    rows = table("abcdefgh")
    ranker = Ranker([Fixed("keyword", rows, words), Fixed("vector", rows, near)], RecallSettings(), clock=system_clock)
    best = await ranker.rank(Question("?", SCOPE), AnswerOptions(recipe, limit=3, depth=3))
    assert best.left_out == ()
    return [(one.record_id, round(one.score, 4), tuple(path for path, *_ in one.found)) for one in best.candidates]


async def test_what_one_path_found_counts_by_the_scores_of_the_others_too() -> None:
    """Of 100 near ones, the best by words may stand at place 50: it is no less near for that."""
    words = {"a": 1.0, "b": 0.2}
    near = {"c": 0.9, "d": 0.8, "a": 0.7, "e": 0.6}
    both = ("keyword", "vector")
    assert await ranked(words, near) == [
        ("a", 0.85, both),
        ("c", 0.45, ("vector",)),
        ("d", 0.4, ("vector",)),
        ("b", 0.1, ("keyword",)),
    ]


async def test_scores_are_added_up_on_the_scale_that_the_recipe_gives_their_path() -> None:
    words, near = {"a": 8.0, "b": 4.0}, {"a": 0.5, "c": 0.9, "b": 0.4}
    scaled = SUM.replace(
        paths={
            "keyword": PathUse(weight=1.0, limit=2, scale="best"),
            "vector": PathUse(weight=1.0, limit=3, scale="rise"),
        }
    )
    found = {one: score for one, score, _ in await ranked(words, near, scaled)}
    assert found == pytest.approx({"a": 1.1, "b": 0.5, "c": 0.5})
    # A list that is not full has no last one: what is beyond it is unknown.
    roomy = scaled.replace(paths={**scaled.paths, "vector": PathUse(weight=1.0, limit=9, scale="rise")})
    found = {one: score for one, score, _ in await ranked(words, near, roomy)}
    assert found == pytest.approx({"a": 1.5, "b": 0.9, "c": 0.9})


async def test_a_path_that_fails_is_left_out_and_that_is_told() -> None:
    class Broken(RecallPath):
        name = "vector"

        async def find(self, question: Question, *, limit: int) -> list[Candidate]:
            raise OSError("gone")

    ranker = Ranker([Fixed("keyword", table("ab"), {"a": 1.0}), Broken()], RecallSettings(), clock=system_clock)
    best = await ranker.rank(Question("?", SCOPE), AnswerOptions(SUM, limit=3, depth=3))
    assert [one.record_id for one in best.candidates] == ["a"]
    assert [one.path for one in best.left_out] == ["vector"]


# ── one read path ────────────────────────────────────────────────────────────


@pytest.fixture
def recipes_joined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The recipes by which candidates were joined, in order; all joining is done by one function."""
    joined: list[str] = []
    fuse: Callable[..., Any] = scoring.fuse

    def spy(gathered: Any, recipe: Recipe) -> Any:
        joined.append(recipe.name)
        return fuse(gathered, recipe)

    monkeypatch.setattr(scoring, "fuse", spy)
    return joined


async def test_texts_at_hand_are_ranked_by_the_one_read_path(recipes_joined: list[str]) -> None:
    texts = [SearchableText("e1", "The heron fishes at dawn."), SearchableText("e2", "Tea is ready.")]
    output = await TextSearch(lambda: texts).call({"query": "heron"})
    assert output.metadata["found"] == ["e1"]
    assert recipes_joined == ["texts"]


async def test_a_bank_is_searched_by_the_one_read_path(recipes_joined: list[str]) -> None:
    from tests.bank.world import ScriptedEngine, a_bank, add

    graph = a_bank(ScriptedEngine()).graph
    await add(graph, "a", "quantum chips of IBM")
    await add(graph, "b", "chips of Lisbon")
    assert [item.record_id for item in (await graph.search("quantum", k=1)).items] == ["a"]
    assert [node.id for node in await graph.similar("a", k=1)] == ["b"]
    assert (await graph.scores("quantum chips"))["a"] > 0
    assert recipes_joined == ["bank"] * 3


async def test_the_associative_memory_is_searched_by_the_one_read_path(
    tmp_path: Path, recipes_joined: list[str]
) -> None:
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada").associative
        await ada.remember(["The harbour crane was painted red.", "Lunch was late."])
        await memory.settle()
        assert [item.text for item in (await ada.search(["crane"])).items][:1] == ["The harbour crane was painted red."]
    assert recipes_joined == ["associative"]
