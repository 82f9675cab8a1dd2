"""Folders of documents at the command line."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.cli.screen import ProgressMeter
from remanent.knowledge.face import AsyncKnowledgeCollection
from remanent.knowledge.model import SyncReport
from tests.cli.conftest import Cli


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "pump.md").write_text("# Pump\n\nIt moves water.\n", encoding="utf-8")
    (folder / "deep" / "valve.md").write_text("# Valve\n\nIt holds 6 bar.\n", encoding="utf-8")
    return folder


@pytest.mark.spec("KB-01")
def test_a_folder_is_added_with_its_files_and_nothing_goes_for_it(cli: Cli, folder: Path) -> None:
    said = cli("knowledge", "add", folder)
    assert said.code == 0, said.err
    assert "2 added" in said.out
    (folder / "pump.md").unlink()
    assert "1 unchanged, 0 removed" in cli("knowledge", "add", folder).out
    refused = cli("knowledge", "add", folder, "--tag", "mine")
    assert refused.code != 0
    assert "apply to a single document" in refused.err


def test_indexing_anew_says_of_each_document_what_became_of_it(cli: Cli, folder: Path) -> None:
    cli("knowledge", "add", folder)
    said = cli("knowledge", "reindex")
    assert said.out.splitlines() == [
        f"{name}: changed, 1 chunks, 0 of them new." for name in ("deep/valve.md", "pump.md")
    ]


@pytest.mark.spec("KB-01")
def test_an_emptied_folder_removes_its_documents_only_by_force(cli: Cli, folder: Path) -> None:
    assert cli("knowledge", "sync", folder).code == 0
    for file in ("pump.md", "deep/valve.md"):
        (folder / file).unlink()
    refused = cli("knowledge", "sync", folder)
    assert refused.code != 0
    assert "--force" in refused.err
    assert "2 removed" in cli("knowledge", "sync", folder, "--force").out


@pytest.mark.spec("KB-01")
def test_adding_shows_how_far_it_is_by_file_and_by_chunk(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(ProgressMeter, "note", lambda _, text: shown.append(text))
    assert cli("knowledge", "add", folder).code == 0
    chunks = [f"1/2 {name} ({done}/1)" for name in ("deep/valve.md", "pump.md") for done in (0, 1)]
    assert sorted(shown[:6]) == sorted(["0/2 deep/valve.md", "1/2 pump.md", *chunks])  # files go beside each other
    assert shown[6] == "2/2 "
    assert shown[7:]  # what is left to do for their meaning
    shown.clear()
    assert cli("knowledge", "add", folder / "pump.md", "--name", "again.md").code == 0
    assert shown[:2] == ["again.md 0/1", "again.md 1/1"]


@pytest.mark.spec("KB-01")
def test_a_file_that_failed_is_listed_and_shown_with_its_error(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    assert cli("knowledge", "add", folder).code == 0
    assert "failed: " in cli("knowledge", "list").out
    assert cli("knowledge", "show", "broken.pdf").out.startswith("failed: ")
    with monkeypatch.context() as chinese:
        chinese.setenv("REMANENT_LANGUAGE", "zh")
        assert "失败：" in cli("knowledge", "show", "broken.pdf").out
    assert cli("knowledge", "remove", "broken.pdf", "--yes").code == 0
    assert "failed" not in cli("knowledge", "list").out


@pytest.mark.spec("KB-01")
def test_a_question_that_nothing_answers_ends_with_one(cli: Cli, folder: Path) -> None:
    assert cli("knowledge", "add", folder).code == 0
    answered = cli("knowledge", "ask", "How many bar does the valve hold?")
    assert (answered.code, "6 bar" in answered.out) == (0, True)
    silent = cli("knowledge", "ask", "Who wrote the symphony of sparrows?")
    assert (silent.code, "Nothing here answers that" in silent.out) == (1, True)
    assert cli("knowledge", "ask", "Who wrote the symphony of sparrows?", "--json").code == 1
    assert cli("knowledge", "search", "valve").code == 0
    assert cli("knowledge", "search", "symphony of sparrows").code == 1


@pytest.mark.spec("KB-04")
def test_a_chunk_is_switched_off_and_edited_and_shown_so_in_both_languages(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "code.md").write_text("# Code\n\n```\nif dry:\n    stop()\n```\n", encoding="utf-8")
    assert cli("knowledge", "add", folder).code == 0
    chunk = cli("knowledge", "show", "pump.md").out.partition("]")[0].removeprefix("[")
    off = cli("knowledge", "edit-chunk", chunk, "--no-enabled")
    assert off.out == f"[{chunk}] Pump (disabled: hidden from search)\n    # Pump\n    \n    It moves water.\n"
    assert cli("knowledge", "search", "moves water", "--no-rewrite").code == 1
    assert cli("knowledge", "edit-chunk", chunk, "--enabled", "--text", "It moves oil.").code == 0
    assert "(edited by hand)\n    It moves oil." in cli("knowledge", "show", "pump.md").out
    assert "    if dry:\n        stop()" in cli("knowledge", "search", "dry stop").out
    assert "    if dry:\n        stop()" in cli("knowledge", "preview", folder / "code.md").out
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    assert "(已手工修改)" in cli("knowledge", "show", "pump.md").out
    stats = cli("knowledge", "stats").out
    assert "3 份文档，3 个文本块" in stats
    assert "集合" in stats


@pytest.mark.spec("KB-01")
def test_what_is_done_for_a_watched_folder_is_told_as_it_is_done(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def watch(base: AsyncKnowledgeCollection, watched: Path) -> AsyncIterator[SyncReport]:
        """Look twice, with a change between."""
        yield await base.sync(watched)
        (folder / "pump.md").unlink()
        yield await base.sync(watched)

    monkeypatch.setattr(AsyncKnowledgeCollection, "watch", lambda base, watched, interval=None: watch(base, watched))
    said = cli("knowledge", "sync", folder, "--watch")
    assert said.code == 0, said.err
    assert "Ctrl+C" in said.err
    assert [line.partition(";")[0] for line in said.out.splitlines()] == [
        "2 added, 0 changed, 0 unchanged, 0 removed",
        "0 added, 0 changed, 1 unchanged, 1 removed",
    ]
