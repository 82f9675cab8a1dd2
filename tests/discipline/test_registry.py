"""Finding disciplines: what does not fit is refused by name, and what is given takes the place of what is installed."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent import plugins
from remanent.discipline import (
    AnyAgent,
    Bilingual,
    Call,
    Discipline,
    OpenDiscipline,
    Operation,
    Parts,
    Permission,
    operation,
    registered,
    registry,
)
from remanent.discipline.shapes import Done, Nothing
from remanent.errors import InvalidInput, InvalidSettings


class Face:
    """What nobody gives."""


@operation("elsewhere.do", zh="做。", permission=Permission.READ)
async def do(call: Call, request: Nothing) -> Done:
    """Do it."""
    del call, request
    return Done()


class Other(Discipline):
    """A discipline of another distribution."""

    name = "other"
    purpose = Bilingual("Another.", "另一个。")

    def terms(self) -> Mapping[str, str]:
        return {"tide": "潮汐", "high": "高"}

    def open(self, parts: Parts) -> OpenDiscipline:
        del parts
        return OpenDiscipline()


class Stray(Other):
    """One whose operation is called like another's."""

    def operations(self) -> Sequence[Operation[Any, Any]]:
        return (do,)


@pytest.fixture
def forgetful() -> Iterator[None]:
    """What was found is looked for again."""
    yield
    plugins.found.cache_clear()


def entry_point(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint(name="other", value=value, group=plugins.GROUP)
    monkeypatch.setattr(plugins, "others_declared", lambda: (point,))
    plugins.found.cache_clear()


def is_there(name: str) -> bool:
    try:
        import_module(f"remanent.{name}.discipline")
    except ModuleNotFoundError:
        return False
    return True


OURS = [name for name in ("associative", "bank", "cognition", "knowledge", "workspace") if is_there(name)]


def test_ours_are_found_by_name() -> None:
    assert [one.name for one in registered()][: len(OURS)] == OURS
    assert list(plugins.ours_available()) == OURS


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("no.such.module:Thing", "'other' of an unknown distribution cannot be loaded .*fix or uninstall"),
        ("remanent.discipline:NoSuchThing", "cannot be loaded"),
        ("remanent.model:Scope", "cannot be loaded|no valid name"),
        ("pathlib:PurePath", "no valid name|not provide a Discipline"),
        ("remanent.bank.discipline:TaskBank", "two disciplines are called bank, of remanent.bank.discipline and"),
    ],
)
def test_what_an_entry_point_names_wrongly_is_refused(value: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    entry_point(value, monkeypatch)
    with pytest.raises(InvalidSettings, match=said):
        registered()


@pytest.mark.usefixtures("forgetful")
def test_a_discipline_of_another_distribution_is_registered_behind_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_point(f"{__name__}:Other", monkeypatch)
    assert [one.name for one in registered()] == [*OURS, "other"]


@pytest.mark.usefixtures("forgetful")
def test_operations_carry_the_name_of_their_discipline(monkeypatch: pytest.MonkeyPatch) -> None:
    entry_point(f"{__name__}:Stray", monkeypatch)
    with pytest.raises(InvalidSettings, match=r"elsewhere.do is an operation of other"):
        registry.operations()


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize(
    ("written", "english", "chinese"),
    [
        ("tide: high", "tide: high", "潮汐：高"),
        ("潮汐：高", "tide: high", "潮汐：高"),
        ("tide: 4 m: measured", "tide: 4 m: measured", "潮汐：4 m: measured"),
        ("Vell: high", "Vell: high", "Vell: high"),
        ("tide", "tide", "tide"),
    ],
)
def test_data_that_begins_with_a_term_is_told_in_the_language_of_the_reader(
    written: str, english: str, chinese: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry_point(f"{__name__}:Other", monkeypatch)
    assert registry.in_language(written, "en") == english
    assert registry.in_language(written, "zh") == chinese


def test_what_an_operation_does_is_told_by_its_help_up_to_the_first_pause() -> None:
    assert do.title == Bilingual("Do it", "做")
    assert not any(
        mark in title
        for one in registry.operations()
        for title in (one.title.en, one.title.zh)
        for mark in ("。", "；", "：", ", ", "; ", ": ")
    )


def test_a_face_that_nobody_gives_is_refused_with_those_that_are(tmp_path: Path) -> None:
    of_agents = ", ".join(one.agent_face.__name__ for one in registered() if one.agent_face)
    of_memories = ", ".join(one.memory_face.__name__ for one in registered() if one.memory_face)
    with remanent.open(tmp_path, embedder="none", disciplines=[Other()]) as memory:
        with pytest.raises(InvalidInput, match=f"gives the agent a Face; these do: {of_agents}"):
            memory.agent("ada").face(Face)
        with pytest.raises(InvalidInput, match=f"gives the memory a Face; these do: {of_memories}"):
            memory.face(Face)


def test_the_port_asks_for_no_more_than_is_needed(tmp_path: Path) -> None:
    """A discipline that overrides nothing changes nothing."""
    with remanent.open(tmp_path, embedder="none", disciplines=[Other()]) as memory:
        ada = memory.agent("ada")
        ada.remember("I moved to Lisbon.")
        memory.settle()
        assert [item.text for item in ada.recall("Lisbon").items] == ["I moved to Lisbon."]
        assert ada.erase(everything=True).entry_ids


def test_an_agent_and_a_memory_are_what_disciplines_are_promised(tmp_path: Path) -> None:
    seen: list[AnyAgent] = []

    class OpenCurious(OpenDiscipline):
        def agent_face(self, agent: AnyAgent) -> Face:
            seen.append(agent)
            return Face()

    class Curious(Other):
        agent_face = Face

        def open(self, parts: Parts) -> OpenDiscipline:
            return OpenCurious()

    with remanent.open(tmp_path, embedder="none", disciplines=[Curious()]) as memory:
        memory.agent("ada").face(Face)
    assert [agent.scope.agent for agent in seen] == ["ada"]
