from pathlib import Path
from typing import Any

import pytest

from remanent.bank.bank import MemoryBank
from remanent.bank.runtime import EventKind
from remanent.errors import InvalidInput, NotFound, StorageError
from remanent.language.roles.analysis import AnalysisRequest, Relationship
from remanent.language.roles.next_step import (
    CompletedTask,
    FinishedTask,
    PendingUpload,
    PlannedTask,
    PlanningRequest,
    TaskStatus,
    TaskType,
    plan_within_rules,
)
from remanent.model import Attachment, ConflictState
from remanent.stores import EntryQuery, RecordFilter, RecordQuery
from remanent.stores.sqlite import SqliteStore
from tests.bank.world import SCOPE, ScriptedEngine, a_bank, failing, relations


def clashing(request: AnalysisRequest) -> Any:
    def judged(new: Any, old: Any) -> Relationship:
        both = "1904" in old.summary and "1911" in new.summary
        return Relationship.CONFLICT if both else Relationship.RELATED

    return relations(request, judged)


async def lived_in(**place: Any) -> MemoryBank:
    """Return a bank in which much has happened."""
    bank = a_bank(ScriptedEngine(analysis=clashing), **place)
    await bank.start("When was the station opened?", context="The station of Vell was opened in 1904.")
    await bank.observe("Vell lies at the foot of Mount Kelt.", metadata={"page": 3})
    await bank.observe("The station of Vell was opened in 1911.", source="execution")
    await bank.planner.plan()
    await bank.validate(bank.conflicts.waiting[0].id, "The archive says 1904.")
    await bank.planner.plan(FinishedTask(type=TaskType.CROSS_VALIDATE, description="validate", result="1904"))
    return bank


@pytest.mark.spec("BANK-28")
async def test_an_export_gives_back_an_equal_bank() -> None:
    bank = await lived_in()
    text = bank.export()
    other = a_bank(ScriptedEngine())
    await other.load(text)
    assert other.export() == text
    assert other.planner.insight == bank.planner.insight
    assert other.graph.nodes == bank.graph.nodes
    assert other.graph.edges == bank.graph.edges
    assert other.conflicts.all == bank.conflicts.all
    for node in bank.graph.nodes:
        assert other.tree.of(node.id) == bank.tree.of(node.id)
    question = "station"
    assert await other.search(question) == await bank.search(question)
    with pytest.raises(InvalidInput, match="empty"):
        await other.load(text)
    # What was done before the export can be taken back after it.
    await other.undo(other.conflicts.all[0].id)
    assert len(other.graph.nodes) == 3


@pytest.mark.spec("BANK-28")
@pytest.mark.parametrize("text", ["", "{}", '{"format": "something else"}', "[1, 2"])
async def test_what_is_no_export_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        await a_bank(ScriptedEngine()).load(text)


@pytest.mark.spec("BANK-28")
async def test_everything_is_gone_when_the_task_ends() -> None:
    bank = await lived_in()
    told: list[EventKind] = []
    bank.runtime.listeners.append(lambda event: told.append(event.kind))
    await bank.clear()
    assert len(bank.graph) == 0
    assert bank.tree.entries == ()
    assert bank.conflicts.all == ()
    assert (await bank.search("station")).items == ()
    assert told == [EventKind.CLEARED]
    with pytest.raises(InvalidInput, match="no task yet"):
        _ = bank.planner.insight
    await bank.start("another task", context="Another text.")
    assert len(bank.graph) == 1


async def test_a_bank_on_a_store_goes_on_where_it_was(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    bank = await lived_in(store=store)
    text = bank.export()
    await store.close()
    store = SqliteStore(tmp_path)
    again = a_bank(ScriptedEngine(), store=store, first_id=1000)
    await again.resume()
    assert again.export() == text
    assert again.planner.insight == bank.planner.insight
    await again.undo(again.conflicts.all[0].id)
    assert again.conflicts.all[0].state is ConflictState.OPEN
    await again.observe("Something new after the pause.")
    await again.clear()
    assert [entry.text for entry in await store.entries(SCOPE, EntryQuery()) if not entry.erased] == []
    everything = RecordQuery(filter=RecordFilter(statuses=None))
    assert await store.records(SCOPE, everything) == []
    await store.close()


async def test_what_was_cut_off_between_journal_and_graph_is_read_on_return(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    bank = a_bank(ScriptedEngine(structure=failing), store=store)
    await bank.start("goal")
    with pytest.raises(Exception, match="the model is out"):
        await bank.observe("Words that were kept and not read.")
    again = a_bank(ScriptedEngine(), store=store, first_id=1000)
    await again.resume()
    (observed,) = await again.catch_up()
    assert [entry.text for entry in again.tree.of(observed.node_ids[0])] == ["Words that were kept and not read."]
    await store.close()


async def test_a_store_that_fails_leaves_memory_as_it_was(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    bank = await lived_in(store=store)
    before = bank.export()
    await store.close()
    with pytest.raises(StorageError):
        await bank.observe("This cannot be kept.")
    assert bank.export() == before


@pytest.mark.spec("BANK-12", "BANK-10")
async def test_only_attachments_that_the_text_refers_to_are_kept() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    files = [
        Attachment(attachment_id="pic-1", media_type="image/png", name="chart.png", uri="file:///chart.png"),
        Attachment(attachment_id="pic-2", media_type="image/png", name="banner.png", uri="file:///banner.png"),
        Attachment(attachment_id="doc-3", media_type="application/pdf", name="report.pdf", uri="file:///report.pdf"),
    ]
    observed = await bank.observe("The chart pic-1 shows the rise that report.pdf explains.", attachments=files)
    (entry,) = bank.tree.of(observed.node_ids[0])
    assert [item.attachment_id for item in entry.attachments] == ["pic-1", "doc-3"]
    assert all(item.attachment_id in entry.text for item in entry.attachments)
    assert "banner" not in bank.export()


async def test_blank_texts_and_unknown_sources_are_refused() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("goal")
    with pytest.raises(InvalidInput, match="the text is empty"):
        await bank.observe(" \n")
    with pytest.raises(InvalidInput, match="source must be one of"):
        await bank.observe("x", source="dream")
    with pytest.raises(InvalidInput, match="already"):
        await bank.start("another goal")
    with pytest.raises(NotFound):
        bank.tree.of("nope")


# ── planning ─────────────────────────────────────────────────────────────────


@pytest.mark.spec("BANK-20", "BANK-01")
async def test_the_planner_sees_what_is_new_once_and_the_whole_history() -> None:
    def step(request: PlanningRequest) -> Any:
        number = len(request.completed) + (request.finished is not None) + 1
        proposed = PlannedTask(type=TaskType.NORMAL, description=f"step {number}")
        return plan_within_rules(
            request, status=TaskStatus.SUCCESS, context="learned", proposed=proposed, language="en"
        )

    engine = ScriptedEngine(planning=step)
    bank = a_bank(engine)
    await bank.start("goal", context="Harbour cranes lift crates.")
    await bank.planner.plan()
    await bank.planner.plan(FinishedTask(description="step 1", result="it worked"))
    first, second = engine.asked(PlanningRequest)
    assert [node.summary for node in first.new_nodes] == ["Harbour cranes lift crates."]
    assert second.new_nodes == ()
    assert bank.planner.insight.completed == (
        CompletedTask(type=TaskType.NORMAL, description="step 1", status=TaskStatus.SUCCESS, context="learned"),
    )
    assert bank.planner.insight.current_task == "step 2"


async def test_uploads_that_wait_are_recognised_next() -> None:
    bank = a_bank(ScriptedEngine())
    await bank.start("What does the picture show?")
    insight = await bank.planner.plan(
        uploads=[PendingUpload(upload_id="u-1", name="chart.png", media_type="image/png")]
    )
    assert insight.current is not None
    assert insight.current.upload_ids == ("u-1",)


@pytest.mark.spec("BANK-03")
async def test_an_end_with_failed_steps_is_asked_for_twice() -> None:
    engine = ScriptedEngine()
    bank = a_bank(engine)
    await bank.start("goal")
    insight = await bank.planner.plan(FinishedTask(description="step 1", failed=True))
    assert len(engine.asked(PlanningRequest)) == 2
    assert any("failed" in notice for notice in engine.asked(PlanningRequest)[1].notices)
    assert insight.current is None
    assert not insight.is_complete
    assert len(insight.completed) == 1


@pytest.mark.spec("BANK-26")
async def test_a_planner_that_fails_marks_the_step_failed_and_the_run_goes_on() -> None:
    engine = ScriptedEngine(planning=failing)
    bank = a_bank(engine)
    await bank.start("goal")
    insight = await bank.planner.plan(FinishedTask(description="step 1", result="fine"))
    assert [task.status for task in insight.completed] == [TaskStatus.FAILED]
    assert insight.current_task == "goal"
    assert len(engine.asked(PlanningRequest)) == 2
    insight = await bank.planner.plan(FinishedTask(description="goal", result="fine"))
    assert insight.current_task == ""
