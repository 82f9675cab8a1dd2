"""Finding passages: the techniques, each by itself, and what an answer says of them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from remanent.errors import InvalidInput
from remanent.knowledge.face import AsyncKnowledgeBases, AsyncKnowledgeCollection
from tests.knowledge.world import MANUAL, base_of, opened


@pytest.fixture
async def base(tmp_path: Path) -> AsyncIterator[AsyncKnowledgeCollection]:
    async with opened(tmp_path / "home") as (_, base):
        await base.add(text=MANUAL, name="garden/pump.md", metadata={"year": 2020})
        await base.add(text="# Car\n\nThe car has a filter for air.\n", name="street/car.md", metadata={"year": 2024})
        yield base


async def test_a_passage_tells_its_document_its_place_and_its_words(base: AsyncKnowledgeCollection) -> None:
    found = await base.search("When is the gasket replaced?")
    best = found.items[0]
    assert (best.document, best.place.line, best.path) == ("garden/pump.md", 5, ("Pump manual", "Maintenance"))
    assert best.passage == MANUAL[best.start : best.end]
    assert best.sources[0].text == best.passage
    assert best.citation == "garden/pump.md, line 5, Pump manual › Maintenance"
    assert "gasket" in found.text
    assert [rank.path for rank in best.ranks] == ["keyword"]


@pytest.mark.spec("KB-02")
async def test_other_wordings_find_what_the_question_does_not_name(base: AsyncKnowledgeCollection) -> None:
    await base.add(text="Gasket seals joints. Gasket rings of rubber.", name="a.txt")
    await base.add(text="Gasket seals are of rubber, too.", name="b.txt")
    await base.add(text="Rubber seals age in the sun.", name="c.txt")
    plain = await base.search("gasket", limit=10)
    assert "c.txt" not in [item.document for item in plain.items]
    assert plain.queries == ("gasket",)
    wide = await base.search("gasket", limit=10, rewrite=True)
    assert "c.txt" in [item.document for item in wide.items]
    assert [one.name for one in wide.techniques if one.name == "rewrite"] == ["rewrite"]
    found = next(item for item in wide.items if item.document == "c.txt")
    assert any(rank.path.startswith("query:") for rank in found.ranks)


async def test_other_wordings_are_the_same_in_every_process(base: AsyncKnowledgeCollection) -> None:
    words = "quartz marble basalt granite"
    for name in ("a.txt", "b.txt"):
        await base.add(text=f"Gravel {words}, {name}.", name=name)
    wide = await base.search("gravel", rewrite=True)
    assert wide.queries[1] == f"gravel {words}"  # of words that are as frequent, in the order of the text


@pytest.mark.spec("KB-03")
async def test_hyde_searches_with_an_imagined_answer_and_says_which(base: AsyncKnowledgeCollection) -> None:
    found = await base.search("When is the gasket replaced?", hyde=True)
    (technique,) = [one for one in found.techniques if one.name == "hyde"]
    assert "gasket" in technique.detail
    assert technique.detail in found.queries
    assert not [one for one in (await base.search("gasket?", hyde=False)).techniques if one.name == "hyde"]


@pytest.mark.spec("KB-04")
async def test_parents_give_what_stands_around_a_passage_and_the_heading_above_it(
    base: AsyncKnowledgeCollection,
) -> None:
    best = (await base.search("gasket", parents=True)).items[0]
    assert "moves water" in best.before
    assert "Never run the pump dry" in best.after
    assert best.path[-1] == "Maintenance"
    assert (await base.search("gasket", parents=False)).items[0].before == ""


@pytest.mark.spec("KB-05")
async def test_summaries_are_matched_first_and_then_the_chunks_of_the_best(base: AsyncKnowledgeCollection) -> None:
    for number in range(12):
        await base.add(
            text=f"Boats {number}.\n\nBoats float on lake {number}. A filter is not needed.", name=f"{number}"
        )
    found = await base.search("pump manual filter", limit=3, summaries=True)
    assert found.items[0].document == "garden/pump.md"
    assert [one.name for one in found.techniques if one.name == "summaries"]


@pytest.mark.spec("KB-05")
async def test_a_summary_brings_in_a_chunk_that_its_own_words_leave_far_behind(base: AsyncKnowledgeCollection) -> None:
    lead = "The Wasserfall drives the mill of Vell. " + "It stands by the river and is loud. " * 15
    await base.add(text=f"# Engine\n\n{lead}\n\n## Care\n\nThe oil is changed after 777 hours.\n", name="engine.md")
    for number in range(30):
        text = (
            f"# Machine\n\nIt is {number} years old.\n\n## Care\n\nThe oil is changed, the oil, after {number} hours.\n"
        )
        await base.add(text=text, name=f"machine{number}.md")

    async def right(**how: Any) -> bool:
        found = await base.search("After how many hours is the oil of the Wasserfall changed?", **how)
        return any("777" in item.text for item in found.items)

    assert not await right()
    assert await right(summaries=True)


async def test_filters_go_by_metadata_path_type_and_time(base: AsyncKnowledgeCollection) -> None:
    async def documents(**how: object) -> list[str]:
        return [item.document for item in (await base.search("filter", **how)).items]  # type: ignore[arg-type]

    assert await documents(where={"year": {"gte": 2022}}) == ["street/car.md"]
    assert await documents(prefix="garden/") == ["garden/pump.md"]
    assert await documents(where={"type": "text/markdown", "name": "street/car.md"}) == ["street/car.md"]
    assert await documents(since="2030-01-01") == []
    assert await documents(collections=["nothing"]) == []
    assert sorted(await documents(where={"source": ""})) == ["garden/pump.md", "street/car.md"]
    assert await documents(where={"source": "https://pumps.example"}) == []


async def test_filters_go_by_tags_and_several_collections_are_searched_as_one(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as (memory, first):
        second, third = base_of(memory, "second"), base_of(memory, "third")
        await first.add(text="The pump has a filter of sand.", name="a.txt", tags=["water", "old"])
        await second.add(text="The stove has a filter of wool.", name="b.txt", tags=["fire", "old"])
        await third.add(text="The mask has a filter of paper.", name="c.txt", tags=["air"])

        async def documents(**how: Any) -> list[str]:
            return sorted(item.document for item in (await first.search("filter", **how)).items)

        every = ["default", "second", "third"]
        assert await documents() == ["a.txt"]
        assert await documents(collections=["default", "third"]) == ["a.txt", "c.txt"]
        assert await documents(collections=every, tags=["old"]) == ["a.txt", "b.txt"]
        assert await documents(collections=every, tags=["old", "fire"]) == ["b.txt"]
        assert await documents(collections=every, any_tags=["air", "fire"]) == ["b.txt", "c.txt"]


async def test_passages_that_say_the_same_come_once(base: AsyncKnowledgeCollection) -> None:
    await base.add(text="The tower in the harbour was built in 1733 by the sailors.", name="one.txt")
    await base.add(text="The tower in the harbour was built in 1733, by the sailors!", name="two.txt")
    found = await base.search("tower in the harbour")
    assert len([item for item in found.items if "1733" in item.text]) == 1
    assert [one.name for one in found.techniques] == ["twins"]


async def test_one_document_does_not_fill_the_answer_while_others_have_something_to_say(
    base: AsyncKnowledgeCollection,
) -> None:
    parts = [f"## Valve {number}\n\nThe valve number {number} opens the lock of basin {number}." for number in range(9)]
    await base.add(text="# Lock\n\n" + "\n\n".join(parts), name="lock.md")
    for number in range(3):
        await base.add(text=f"Town {number} has a valve at its lock, too.", name=f"town{number}.txt")
    found = await base.search("valve of the lock", limit=5)
    assert len({item.document for item in found.items}) == 4


async def test_full_width_and_ligatures_are_found_and_spans_lead_into_the_text_as_it_was(
    base: AsyncKnowledgeCollection,
) -> None:
    text = "Ｔｈｅ ｏﬃｃｅ ｉｓ ｉｎ Ｌｉｓｂｏｎ． " + "More words about other things. " * 3
    await base.add(text=text, name="wide.txt")
    best = (await base.search("office in Lisbon")).items[0]
    assert best.document == "wide.txt"
    assert text[best.start : best.end] == best.passage
    assert "Ｌｉｓｂｏｎ" in best.passage


async def test_bad_questions_are_refused(base: AsyncKnowledgeCollection) -> None:
    with pytest.raises(InvalidInput):
        await base.search(" ")
    with pytest.raises(InvalidInput):
        await base.search("pump", limit=0)
    with pytest.raises(InvalidInput):
        await base.search("pump", collections="default")


async def test_the_chapters_of_a_long_document_are_heard_like_documents(base: AsyncKnowledgeCollection) -> None:
    filler = "Nothing of note stands on this page, and the reader may go on to the next. " * 100
    told = ("Ada oils it in spring", "Bob does that each May", "it needs no oil at all", "that is the town's work")
    chapters = [
        f"# Boiler {n}\n\nThe valve of boiler {n}: {what}.\n\n## Page {n}\n\n{filler}" for n, what in enumerate(told)
    ]
    await base.add(text="\n\n".join(chapters), name="book.md")
    for number, what in enumerate(("rain", "two visitors", "a quiet week", "snow until noon")):
        await base.add(text=f"Notes of day {number}: {what}. A valve was mentioned, and then other matters.", name=what)
    found = await base.search("the valve of a boiler", limit=5)
    assert [item.document for item in found.items].count("book.md") == 4


@pytest.mark.spec("KB-01")
async def test_words_beside_meaning_are_switched_off_for_one_question(tmp_path: Path) -> None:
    async with opened(tmp_path / "home", embedder="multilingual") as (memory, base):
        await base.add(text=MANUAL, name="pump.md")
        await memory.settle()
        both, meaning = [await base.search("When is the gasket replaced?", hybrid=on) for on in (None, False)]
    assert {rank.path for item in both.items for rank in item.ranks} >= {"keyword", "vector"}
    assert {rank.path.partition(":")[0] for item in meaning.items for rank in item.ranks} == {"vector"}
    assert (both.recipe, meaning.recipe) == ("knowledge", "knowledge_meaning")


async def test_without_an_embedder_words_cannot_be_switched_off(base: AsyncKnowledgeCollection) -> None:
    found = await base.search("When is the gasket replaced?", hybrid=False)
    assert "gasket" in found.items[0].text


async def test_documents_of_one_name_are_told_apart_by_whose_they_are(tmp_path: Path) -> None:
    rows = "".join(f"Valve V{n} of brass with a double seal,{3 * n},{5 * n + 1}\n" for n in range(60))
    async with opened(tmp_path / "home") as (memory, shared):
        own = memory.face(AsyncKnowledgeBases)(workspace="lab", agent="ann")
        await shared.add(text="Part,Price,Stock\n" + rows, name="parts.csv")
        await own.add(text="Part,Price,Stock\n" + rows.replace("Valve V", "Pump P"), name="parts.csv")
        await own.of("drafts").add(text="The pump P9 is a draft.", name="parts.csv")
        found = await own.search("Pump P58 or Valve V58", collections=["*"], limit=20, parents=True)
        assert {(one.text[:4], one.agent) for one in found.items} >= {("Pump", "ann"), ("Valv", None)}
        assert {one.citation.split(",")[0] for one in found.items} >= {
            "parts.csv (ann", "parts.csv (shared"
        }  # fmt: skip
        assert {one.citation.split(")")[0] for one in found.items if one.collection == "drafts"} == {
            "parts.csv (ann, drafts"
        }
        # What stands around a passage, a table's head among it, is of its own document.
        assert all(one.before.count("Valve") == 0 for one in found.items if one.agent == "ann")
        for asked, told in (("pump P58", "Part: Pump P58"), ("valve V58", "Part: Valve V58")):
            answer = await own.ask(f"What is the price of {asked}?")
            assert answer.text.startswith(told), answer.text
            assert answer.answered
        alone = await own.search("draft", collections=["drafts"])
        assert alone.items[0].citation == "parts.csv, line 1", "nothing to tell it from"


async def test_a_passage_that_an_agent_and_its_workspace_have_counts_once(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as (memory, shared):
        own = memory.face(AsyncKnowledgeBases)(workspace="lab", agent="ann")
        for base in (shared, own):
            await base.add(text="Filters are cleaned monthly.", name="rules.txt")
        await own.add(text="Clean filters.", name="note.txt")
        both = await own.search("filters cleaned")
        assert [one.document for one in both.items].count("rules.txt") == 1
        alone = await shared.search("filters cleaned")
        assert both.items[0].score <= 1.05 * alone.items[0].score


async def test_what_the_first_passage_names_comes_before_what_only_shares_words_with_the_question(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path / "home") as (_, base):
        await base.add(text="The film Northern Harbour has Ilse Brandvold for a director.", name="film")
        await base.add(text="Ilse Brandvold was born in Skagen, as were her parents.", name="person")
        for number in range(8):
            await base.add(text=f"A director of many films is in town {number}.", name=f"town {number}")
        for number in range(16):
            await base.add(text=f"Boats, nets and ropes of harbour {number}, which are old.", name=f"harbour {number}")
        found = await base.search("In which town was the director of the film Northern Harbour born?")
    assert [item.document for item in found.items][:2] == ["film", "person"]
    assert [item.score for item in found.items] == sorted((item.score for item in found.items), reverse=True)
