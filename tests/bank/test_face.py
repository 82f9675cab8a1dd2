"""The bank as a user of the library holds it, whole runs on the engine without a model."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import remanent
from remanent.bank.adapter.framework import Execution
from remanent.bank.run import RunStatus
from remanent.bank.runtime import BankEvent, EventKind
from remanent.errors import InvalidInput, NotFound
from remanent.model import ConflictState

MAGAZINE = "Mount Kelt is 3,412 metres high. Mount Kelt stands in the Sorran range. Anna Brandt climbed it first."
BLOG = "Mount Kelt is 3,298 metres high. Mount Kelt has snow all year."
SOURCES = {
    "survey": "A surveyor went there. Mount Kelt is 3,412 metres high.",
    "atlas": "Mount Kelt is 3,412 metres high.",
}
QUESTION = "How high is Mount Kelt?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[remanent.Memory]:
    with remanent.open(tmp_path / "home", embedder="none", bank={"temp_dir": str(tmp_path / "waiting")}) as opened:
        yield opened


@pytest.mark.spec("BANK-28", "BANK-03", "BANK-18")
def test_a_run_settles_a_contradiction_and_answers_with_the_right_fact(memory: remanent.Memory) -> None:
    events: list[BankEvent] = []
    with memory.bank(QUESTION, context=MAGAZINE, sources=SOURCES) as bank:
        bank.start()
        bank.observe(BLOG)
        assert [conflict.state for conflict in bank.conflicts] == [ConflictState.OPEN]
        result = bank.run(keep=True, on_event=events.append)
        assert result.end is RunStatus.DONE
        assert "3,412" in result.answer
        assert "3,298" not in result.answer
        (conflict,) = bank.conflicts
        assert conflict.state is ConflictState.RESOLVED
        assert set(result.node_ids) <= {node.id for node in bank.nodes}
        behind = [entry.text for node_id in result.node_ids for entry in bank.tree(node_id)]
        assert any("3,412" in text for text in behind)
        assert EventKind.VERDICT in [event.kind for event in events]
    assert bank.nodes == ()


@pytest.mark.spec("BANK-28")
def test_everything_is_cleared_after_a_run_unless_it_is_kept(memory: remanent.Memory, tmp_path: Path) -> None:
    with memory.bank(QUESTION, context=MAGAZINE) as bank:
        result = bank.run()
        assert "3,412" in result.answer
        assert bank.nodes == ()
    assert not any(b"Kelt" in path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("question", "bank_id", "said"),
    [(QUESTION, None, "bank_id="), ("山有多高？", None, "只在内存中"), (QUESTION, "kept", "")],
)
def test_an_error_that_clears_a_bank_says_how_to_keep_it(
    memory: remanent.Memory, question: str, bank_id: str | None, said: str
) -> None:
    def failing() -> None:
        with memory.bank(question, bank_id=bank_id) as bank:
            bank.start()
            raise NotFound("lost on the way")

    with pytest.raises(NotFound) as raised:
        failing()
    notes = getattr(raised.value, "__notes__", [])
    assert [said in note for note in notes] == ([True] if said else [])


def test_a_bank_that_is_printed_says_what_it_is_and_how_it_stands(memory: remanent.Memory) -> None:
    with memory.bank(QUESTION, bank_id="kelt") as bank:
        assert repr(bank) == f"<Bank kelt, {QUESTION!r}, nodes: 0, contradictions: 0>"
        bank.start()
        bank.observe(MAGAZINE)
        bank.observe(BLOG)
        assert str(bank) == f"<Bank kelt, {QUESTION!r}, nodes: 2, contradictions: 1 (1 waiting)>"
    assert repr(memory.bank) == f"<Banks {memory!r}>".replace("<Memory", "<AsyncMemory")


@pytest.mark.parametrize(
    ("question", "sources", "told"),
    [
        (
            "布洛芬能和药X一起吃吗？",
            ("说明书甲。药X可以与布洛芬同时服用。", "说明书乙。药X不可与布洛芬同时服用。"),
            "各来源说法不一",
        ),
        (
            "May one eat while on Zentral and aspirin?",
            (
                "Leaflet A. Zentral can be taken together with aspirin.",
                "Leaflet B. Zentral must not be taken together with aspirin.",
            ),
            "Sources disagree",
        ),
    ],
)
def test_where_nothing_answers_the_contradiction_about_what_is_asked_is_told(
    memory: remanent.Memory, question: str, sources: tuple[str, ...], told: str
) -> None:
    with memory.bank(question) as bank:
        bank.start()
        for text in sources:
            bank.observe(text)
        result = bank.run(keep=True)
    assert told in result.answer
    assert len(result.node_ids) == 2


def test_a_bank_with_a_name_lies_in_the_store_and_goes_on(memory: remanent.Memory) -> None:
    bank = memory.bank(QUESTION, context=MAGAZINE, bank_id="kelt")
    bank.start()
    bank.observe(BLOG)
    exported = bank.export()
    bank.close()
    again = memory.bank(bank_id="kelt", sources=SOURCES)
    assert again.is_stored()
    again.resume()
    assert again.export() == exported
    assert "3,412" in again.run(keep=True).answer
    again.clear()
    assert not memory.bank(bank_id="kelt").is_stored()


@pytest.mark.parametrize("reopened", [False, True])
def test_what_a_bank_with_a_name_was_shown_before_its_task_began_is_there_for_it(
    memory: remanent.Memory, *, reopened: bool
) -> None:
    bank = memory.bank(QUESTION, bank_id="kelt")
    bank.observe(MAGAZINE)
    if reopened:
        bank.close()
        bank = memory.bank(QUESTION, bank_id="kelt")
    assert "3,412" in bank.run(keep=True).answer
    assert [node.summary for node in bank.nodes].count(bank.nodes[0].summary) == 1
    bank.clear()


def test_what_a_bank_notes_for_itself_is_no_memory_of_its_agent(memory: remanent.Memory) -> None:
    bank = memory.bank(QUESTION, context=MAGAZINE, bank_id="kelt", agent="ada")
    bank.run(keep=True)
    bank.close()
    memory.settle()
    for found in (memory.agent("ada").recall(QUESTION), memory.agent("ada").recall(QUESTION, kinds=["turn"])):
        assert any("3,412" in item.text for item in found.items)
        assert [item.text for item in found.items if item.text.startswith("{")] == []


@pytest.mark.spec("BANK-28", "BANK-24")
def test_an_export_is_loaded_into_another_bank_and_its_raw_words_are_read(memory: remanent.Memory) -> None:
    with memory.bank(QUESTION, context=MAGAZINE) as bank, memory.bank() as other:
        bank.start()
        exported = bank.export()
        assert other.load(exported).goal == QUESTION
        (node,) = other.nodes
        deep = other.deep_retrieval(node.id)
        assert [entry.text for entry in deep.entries] == [MAGAZINE]
        with pytest.raises(NotFound):
            other.deep_retrieval("nope")
        with pytest.raises(InvalidInput):
            other.load(exported)


def test_a_user_settles_a_contradiction_and_takes_it_back(memory: remanent.Memory) -> None:
    with memory.bank(QUESTION, context=MAGAZINE) as bank:
        bank.start()
        bank.observe(BLOG)
        (conflict,) = bank.conflicts
        done = bank.resolve(conflict.id, "Mount Kelt is 3,298 metres high. The figure of 3,412 metres is wrong.")
        assert done.state is ConflictState.RESOLVED
        assert len(list(bank.nodes)) == 1
        bank.undo(conflict.id)
        assert len(list(bank.nodes)) == 2
        assert bank.conflicts[0].state is ConflictState.OPEN


def test_files_are_given_by_path_or_as_bytes_and_waiting_ones_are_removed(
    memory: remanent.Memory, tmp_path: Path
) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The ferry to Marn leaves at 9:40.", encoding="utf-8")
    with memory.bank("When does the ferry to Marn leave?", files=[note, b"The ferry is called Tern."]) as bank:
        insight = bank.start()
        assert insight.current is not None
        assert len(insight.current.upload_ids) == 2
        result = bank.run(keep=True)
        assert "9:40" in result.answer
    assert [path for path in (tmp_path / "waiting").rglob("*") if path.is_file()] == []


def test_the_search_of_a_bank_tells_candidates_from_neighbours(memory: remanent.Memory) -> None:
    with memory.bank(QUESTION, context=MAGAZINE) as bank:
        bank.start()
        found = bank.search("Who climbed Mount Kelt?", k=1, alpha=1.0)
        assert [item.is_candidate for item in found.items] == [True]
        assert bank.plan().current_task


def test_the_search_of_a_bank_answers_like_any_other_with_the_words_that_a_node_came_from(
    memory: remanent.Memory,
) -> None:
    with memory.bank(QUESTION, context=MAGAZINE) as bank:
        bank.start()
        found = bank.search("Who climbed Mount Kelt?", k=1)
        assert isinstance(found, remanent.Found)
        (item,) = found.candidates
        assert (item.record_id, item.text, item.rank) == (item.node.id, item.node.summary, 1)
        assert [source.entry_id for source in item.sources] == [entry.entry_id for entry in bank.tree(item.record_id)]
        assert all(source.text and source.text in MAGAZINE for source in item.sources)
        assert found.text.startswith("<memory>")


def test_the_adapter_of_the_blocking_face_blocks(memory: remanent.Memory) -> None:
    with memory.bank(QUESTION, context=MAGAZINE, prompt_tokens=120) as bank:
        bank.start()
        prompt = bank.adapter.enhance()
        assert "3,412 metres" in prompt.memory
        assert len(prompt.memory) <= 4 * 120
        insight = bank.adapter.intercept(Execution(answer="It is 3,412 metres high."))
        assert insight.completed[-1].description == QUESTION


def test_a_long_tree_is_read_in_pages_and_searched(memory: remanent.Memory) -> None:
    log = "Keeper's log. " + " ".join(f"On day {day} the lamp burned {day % 7 + 3} litres." for day in range(1, 200))
    log += " On day 200 a herring boat ran aground."
    with memory.bank("What ran aground?") as bank:
        bank.start()
        (node_id, *_) = bank.observe(log).node_ids
        whole = "".join(entry.text for entry in bank.deep_retrieval(node_id).entries)
        pages: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = bank.deep_retrieval(node_id, offset=offset, limit=1000)
            pages.append("".join(entry.text for entry in page.entries))
            offset = page.next_offset
        assert len(pages) > 1
        assert "".join(pages) == whole
        assert max(map(len, pages)) <= 1000
        holder = next(node.id for node in bank.nodes if "herring" in str(bank.tree(node.id)))
        (entry,) = bank.deep_retrieval(holder, query="herring").entries
        assert entry.text == "On day 200 a herring boat ran aground."
        # Words that every sentence has tell nothing.
        (entry,) = bank.deep_retrieval(holder, query="On what day was there a herring?").entries
        assert entry.text == "On day 200 a herring boat ran aground."


@pytest.mark.spec("USE-10", "BANK-19")
def test_a_statement_that_was_refuted_is_shown_nowhere_in_memory(memory: remanent.Memory) -> None:
    with memory.bank("How long is the tunnel of Brenk?") as bank:
        bank.start()
        bank.observe("The tunnel of Brenk is 640 metres long.")
        bank.observe("The tunnel of Brenk is 460 metres long.")
        (conflict,) = bank.conflicts
        bank.resolve(conflict.id, "The survey says: the tunnel of Brenk is 640 metres long. 460 is wrong.")
        assert "460" not in bank.adapter.enhance().memory
        found = bank.search("tunnel of Brenk")
        (item,) = found.items
        assert item.sources
        words = [source.text for source in item.sources]  # not str(found): an id or a time may have these digits
        assert "460" not in " ".join([found.text, item.text, item.node.context, *item.node.keywords, *words])


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    "text",
    [
        "Mount Kelt is 3,412 metres high. A blog says 3,298.",
        "环湖步道去年开放，全长4.2公里。有资料说全长4.8公里。",
    ],
)
def test_one_observation_that_holds_both_sides_raises_the_contradiction(memory: remanent.Memory, text: str) -> None:
    with memory.bank("?") as bank:
        bank.start()
        bank.observe(text)
        assert len(bank.conflicts) == 1


def test_a_budget_that_makes_no_sense_is_refused_in_plain_words(memory: remanent.Memory) -> None:
    with pytest.raises(InvalidInput, match="prompt_tokens must be a number from 50 to"):
        memory.bank("How long?", prompt_tokens=5)


@pytest.mark.spec("BANK-30")
def test_a_kept_bank_searches_its_embeddings_in_the_vector_database(tmp_path: Path) -> None:
    options = {"temp_dir": str(tmp_path / "waiting"), "embeddings": "database"}
    with (
        remanent.open(tmp_path / "home", embedder="multilingual", bank=options) as memory,
        memory.bank(QUESTION, bank_id="kelt") as bank,
    ):
        bank.start()
        bank.observe(MAGAZINE)
        found = bank.search("the altitude of the summit", alpha=0.0)
        assert [item.node.embedding for item in found.items] == [{}]
        assert found.items[0].embedding > 0


HANDBOOK = """# Depot handbook

Version 3.2, valid from 1 September 2026.

## Customers

| Product | Pallets | Rate per day | Contact |
|---|---|---|---|
| Prawns | 35 | 4.20 euros | Ida Moss |
| Cod | 60 | 3.10 euros | Lars Holm |

## Staff

The site manager is Moira Fenn.
"""
CHINESE_HANDBOOK = """# 仓库手册

## 客户

| 产品 | 托盘 | 日租金 | 联系人 |
|---|---|---|---|
| 大虾 | 35 | 4.2元 | 王芳 |
| 鳕鱼 | 60 | 3.1元 | 李明 |
"""


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            HANDBOOK,
            "Who is the contact for cod?",
            "Depot handbook: Product: Cod, Pallets: 60, Rate per day: 3.10 euros, Contact: Lars Holm.",
        ),
        (HANDBOOK, "Who is the site manager?", "Depot handbook: The site manager is Moira Fenn."),
        (CHINESE_HANDBOOK, "鳕鱼的联系人是谁？", "仓库手册：产品：鳕鱼，托盘：60，日租金：3.1元，联系人：李明。"),
    ],
)
def test_a_row_of_a_table_is_told_under_its_head_and_no_head_is_a_title(
    memory: remanent.Memory, text: str, question: str, answer: str
) -> None:
    with memory.bank(question, context=text) as bank:
        assert bank.run().marked_answer == answer
