"""One door to the journal: whatever appends asks for its index and tells the disciplines, in one unit of work."""

import ast
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.discipline import AnyAgent, Bilingual, Discipline, OpenDiscipline, Parts
from remanent.errors import InvalidSettings
from remanent.model import Entry, Message, RecallOptions, Scope
from remanent.plugins import ours_available
from remanent.stores import Erased, Transaction

MORE = 250
"""As much as a recall looks at of what is not indexed yet."""
SOURCE = Path(remanent.__file__).parent
RDF = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


class Heard:
    """What an agent's listener heard."""

    def __init__(self, told: list[tuple[str, str]]) -> None:
        self.told = told


class OpenListener(OpenDiscipline):
    def __init__(self, told: list[tuple[str, str]]) -> None:
        self._told = told

    async def on_append(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        assert [change for change in tx.changes if getattr(change, "entry", None) in entries]
        self._told += [("append", entry.text) for entry in entries if entry.text and not entry.text.startswith("{")]

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        self._told.append(("erase", scope.agent))

    def agent_face(self, agent: AnyAgent) -> Any:
        return Heard(self._told)


class Listener(Discipline):
    """Hears all that is appended and erased."""

    name = "listener"
    purpose = Bilingual("Listens.", "倾听。")
    agent_face = Heard

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def open(self, parts: Parts) -> OpenDiscipline:
        return OpenListener(self.told)


class Failing(Listener):
    """Fails at all that it is told, by a mistake of its own."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    def open(self, parts: Parts) -> OpenDiscipline:
        if self.at == "open":
            raise KeyError("promise")

        class OpenFailing(OpenListener):
            pass

        async def fail(*_: object, **__: object) -> None:
            raise KeyError("promise")

        setattr(OpenFailing, self.at, fail)
        return OpenFailing(self.told) if self.at != "nothing" else None  # type: ignore[return-value]


@pytest.mark.parametrize("at", ["open", "nothing"])
async def test_a_discipline_that_cannot_be_put_to_work_is_named(tmp_path: Path, at: str) -> None:
    with pytest.raises(InvalidSettings, match="the discipline listener cannot be put to work"):
        async with remanent.aopen(tmp_path, disciplines=[Failing(at)]):
            pass


async def test_a_discipline_that_cannot_let_go_is_named_and_keeps_no_other_from_it(tmp_path: Path) -> None:
    async with remanent.aopen(tmp_path, disciplines=[Failing("on_erase")]) as memory:
        ada = memory.agent("ada")
        receipt = await ada.remember("I live in Oslo.")
        assert "Oslo" in (await ada.recall("Where do I live?")).text
        with pytest.raises(InvalidSettings, match=r"are erased, but the discipline listener failed .*KeyError"):
            await ada.erase(entry_ids=receipt.entry_ids)
        assert "Oslo" not in (await ada.recall("Where do I live?")).text
        assert [entry.text for entry in await ada.entries()] == [""]


async def test_a_discipline_that_fails_on_what_is_said_is_named_and_nothing_is_kept_by_halves(tmp_path: Path) -> None:
    async with remanent.aopen(tmp_path, disciplines=[Failing("on_append")]) as memory:
        ada = memory.agent("ada")
        with pytest.raises(InvalidSettings, match=r"nothing was kept: the discipline listener failed .*KeyError"):
            await ada.remember("I live in Oslo.")
        assert await ada.entries() == []
    async with remanent.aopen(tmp_path) as memory:
        await memory.agent("ada").remember("I live in Oslo.")
        assert [entry.text for entry in await memory.agent("ada").entries()] == ["I live in Oslo."]


@pytest.mark.spec("USE-09")
async def test_what_a_stored_bank_writes_is_recalled_as_anything_that_was_said(tmp_path: Path) -> None:
    async with remanent.aopen(tmp_path, embedder="none") as memory:
        async with memory.bank("Keep the minutes.", bank_id="minutes", agent="clerk") as bank:
            await bank.adapter.bank.note("The zebrawood cabinet stands in Lisbon.", source="note")
            for number in range(MORE):
                await bank.adapter.bank.note(f"Item {number} of the agenda was adjourned.", source="note")
        await memory.settle()
        clerk = memory.agent("clerk")
        found = await clerk.recall("Where does the zebrawood cabinet stand?", options=RecallOptions(gate=False))
        assert found.left_out == ()
        assert [item.text for item in found.items[:1]] == ["The zebrawood cabinet stands in Lisbon."]


@pytest.mark.spec("USE-09")
def test_disciplines_are_told_of_everything_that_is_appended_and_erased(tmp_path: Path) -> None:
    listener, said = Listener(), ["said"]
    with remanent.open(tmp_path, embedder="none", disciplines=[listener]) as memory:
        ada = memory.agent("ada")
        ada.remember("said")
        if "associative" in ours_available():
            said += ["associated", "taken in"]
            ada.associative.remember("associated")
            node = [f"<node:n1> {RDF} <memory:Node> .", '<node:n1> <memory:content> "taken in" .']
            ada.associative.load_triples(node)
        if "bank" in ours_available():
            said.append("The bridge is long.")
            with memory.bank("Read.", bank_id="b1", agent="ada") as bank:
                bank.observe("The bridge is long.")
                bank.clear()
        ada.erase(everything=True)
    assert [text for what, text in listener.told if what == "append" and text in said] == said
    assert [what for what, _ in listener.told].count("erase") == (2 if "bank" in ours_available() else 1)


@pytest.mark.needs("associative")
def test_following_everything_makes_nodes_once_whoever_wrote_it(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none", associative={"follow": True}) as memory:
        ada = memory.agent("ada")
        ada.remember("Ada moved to Lisbon in May.")
        ada.associative.remember("Bob sails on Sundays.")
        memory.settle()
        contents = [node.content for node in ada.associative.nodes()]
        assert sorted(contents) == ["Ada moved to Lisbon in May.", "Bob sails on Sundays."]


def test_nobody_appends_past_the_door() -> None:
    """A unit of work is appended to by the door alone; a bank gathers what it hands to the door."""
    allowed = {"discipline/journal.py", "associative/graph.py"}
    found = set()
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(("stores/", "bank/", "evaluation/")):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            if (
                isinstance(called, ast.Attribute)
                and called.attr == "append"
                and ast.unparse(called.value).endswith("tx")
            ):
                found.add(name)
    assert found <= allowed


@pytest.mark.spec("SAFE-02")
async def test_others_get_a_turn_while_many_messages_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with remanent.aopen(tmp_path, embedder="none") as memory:
        made, seen = 0, set[int]()
        make = Message.entry

        def counted(self: Message, *args: Any, **more: Any) -> Entry:
            nonlocal made
            made += 1
            return make(self, *args, **more)

        async def look() -> None:
            while made < MORE:
                seen.add(made)
                await asyncio.sleep(0)

        monkeypatch.setattr(Message, "entry", counted)
        looking = asyncio.create_task(look())
        await memory.agent("ada").remember([f"message {number}" for number in range(MORE)])
        await looking
        assert len(seen) > 3
