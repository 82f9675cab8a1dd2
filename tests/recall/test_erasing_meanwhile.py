"""Erasing what is just being indexed: the index that was under way must not bring it back."""

import threading
from pathlib import Path
from typing import Any

import pytest

from remanent.memory import aopen
from remanent.model import RecallOptions
from remanent.recall import indexing

SECRET = "canary 81c7d2"


@pytest.mark.parametrize("by", ["entry", "session", "everything"])
async def test_a_turn_under_way_does_not_outlive_its_entry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    original = indexing._prepare

    def slowly(*given: Any) -> Any:
        prepared = original(*given)
        begun.set()
        assert go_on.wait(60)
        return prepared

    monkeypatch.setattr(indexing, "_prepare", slowly)
    async with aopen(tmp_path, embedder="none") as memory:
        ada = memory.agent("ada")
        receipt = await ada.remember([SECRET, "something else"], session="s")
        while not begun.is_set():
            await ada.admin.queue()  # lets the worker come to its turn
        if by == "entry":
            await ada.erase(entry_ids=[receipt.entry_ids[0]])
        else:
            await (ada.erase(session="s") if by == "session" else ada.erase(everything=True))
        go_on.set()
        await memory.settle()
        assert (await ada.recall(SECRET, options=RecallOptions(gate=False))).items == () or by == "entry"
        left = {record.content for record in await ada.records(statuses=None)}
        assert left == ({"something else"} if by == "entry" else set())
        files = [file for file in tmp_path.rglob("*") if file.is_file()]
        assert [file.name for file in files if SECRET.encode() in file.read_bytes()] == []
