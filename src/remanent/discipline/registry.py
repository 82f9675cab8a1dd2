"""The disciplines that are installed, and those that are at work in one open memory."""

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from remanent import plugins
from remanent.bilingual import Bilingual, Language
from remanent.context import SessionEnd
from remanent.discipline.operation import Operation
from remanent.discipline.port import Along, AnyAgent, AnyMemory, Discipline, OpenDiscipline, Parts
from remanent.errors import InvalidInput, InvalidSettings, RemanentError
from remanent.jobs import Handler
from remanent.model import Entry, Found, Record, Scope
from remanent.recall import Question, RecallPath, Recipe
from remanent.stores import Erased, Erasure, Transaction

F = TypeVar("F")


def registered() -> tuple[Discipline, ...]:
    """Return every discipline that is installed, ours first."""
    known: dict[str, Discipline] = {}
    for declared in plugins.found():
        if not isinstance(declared, Discipline):
            raise InvalidSettings(
                f"the entry point {declared.name!r} does not provide a Discipline; "
                "fix or uninstall the package that declares it"
            )
        if declared.name in known:
            both = " and ".join(type(one).__module__ for one in (known[declared.name], declared))
            raise InvalidSettings(f"two disciplines are called {declared.name}, of {both}; uninstall one of them")
        known[declared.name] = declared
    return tuple(known.values())


def chosen(given: Sequence[Discipline]) -> tuple[Discipline, ...]:
    """Return the installed disciplines, those that are given in the place of the ones of their names."""
    every = {discipline.name: discipline for discipline in registered()}
    return tuple((every | {discipline.name: discipline for discipline in given}).values())


def operations() -> tuple[Operation[Any, Any], ...]:
    """Return the operations of every discipline that is installed."""
    found: list[Operation[Any, Any]] = []
    for discipline in registered():
        for operation in discipline.operations():
            if operation.name.partition(".")[0] != discipline.name:
                raise InvalidSettings(
                    f"{operation.name} is an operation of {discipline.name}, so its name must begin with "
                    f"{discipline.name}.; fix or uninstall the package that declares it"
                )
            found.append(operation)
    return tuple(found)


def terms() -> dict[str, str]:
    """Return the Chinese for the English words that the data of every installed discipline holds."""
    return {english: chinese for discipline in registered() for english, chinese in discipline.terms().items()}


_LABELLED = re.compile(r"(?P<label>[^:：]+)(?:: |：)(?P<value>.*)", re.DOTALL)


def in_language(text: str, language: Language) -> str:
    """Return `label: value` in a language where the label is a term, and so the value; other texts as they are."""
    found = _LABELLED.fullmatch(text)
    known = terms() if found is not None else {}
    if language == "en":
        known = {chinese: english for english, chinese in known.items()}
    known |= {other: other for other in known.values()}
    if found is None or found["label"] not in known:
        return text
    value = known.get(found["value"], found["value"])
    return Bilingual("{}: {}", "{}：{}")[language].format(known[found["label"]], value)


def _opened(discipline: Discipline, parts: Parts) -> OpenDiscipline:
    """Return a discipline at work; one of another distribution may fail at that in any way."""
    try:
        one: object = discipline.open(parts)
        if isinstance(one, OpenDiscipline):
            return one
        raise TypeError(f"open returned {one!r}")
    except RemanentError:
        raise
    except Exception as error:
        raise InvalidSettings(
            f"the discipline {discipline.name} cannot be put to work ({error!r}); fix or uninstall it"
        ) from error


class Disciplines:
    """The disciplines that are at work in one open memory."""

    def __init__(self, declared: Sequence[Discipline], parts: Parts) -> None:
        self._open = {discipline: _opened(discipline, parts) for discipline in declared}
        follow = self._with("on_append")
        self._appending = [(discipline.name, one) for discipline, one in self._open.items() if one in follow]
        """Whom every write stops at, by name."""

    def __iter__(self) -> Iterator[OpenDiscipline]:
        return iter(self._open.values())

    @property
    def handlers(self) -> Mapping[str, Handler]:
        """The jobs that they do, by kind."""
        found: dict[str, Handler] = {}
        for one in self:
            if taken := found.keys() & one.handlers.keys():
                raise InvalidSettings(
                    f"two disciplines handle the job {', '.join(sorted(taken))}; uninstall one of them"
                )
            found |= one.handlers
        return found

    @property
    def paths(self) -> list[RecallPath]:
        """Their recall paths."""
        return [path for one in self for path in one.paths]

    @property
    def recipes(self) -> list[Recipe]:
        """Their recipes."""
        return [recipe for one in self for recipe in one.recipes]

    async def on_append(self, tx: Transaction, entries: Sequence[Entry], *, by: str) -> None:
        """Tell all but the one that the entries are of; a discipline that fails would miss them, so none is kept."""
        for name, one in self._appending:
            try:
                if name != by:
                    await one.on_append(tx, entries)
            except RemanentError:
                raise
            except Exception as error:
                raise InvalidSettings(
                    f"nothing was kept: the discipline {name} failed on it ({error!r}); fix or uninstall it"
                ) from error

    async def on_turns(self, tx: Transaction, entries: Sequence[Entry]) -> None:
        """Tell all of entries that recall finds from now on."""
        for one in self._with("on_turns"):
            await one.on_turns(tx, entries)

    async def on_candidates(self, question: Question, record_ids: Sequence[str]) -> None:
        """Have all read along."""
        await asyncio.gather(*(one.on_candidates(question, record_ids) for one in self._with("on_candidates")))

    async def elsewhere(self, question: Question) -> list[Question]:
        """Return the question as it is asked of what is shared with the agent."""
        return [other for one in self._with("elsewhere") for other in await one.elsewhere(question)]

    async def on_found(self, question: Question, found: Found, *, without: Sequence[str] = ()) -> Found:
        """Have all look through an answer."""
        for one in self._with("on_found"):
            found = await one.on_found(question, found, without=without)
        return found

    def _with(self, method: str) -> list[OpenDiscipline]:
        """Return those that do something of their own there: each that does not would be a stop of every recall."""
        return [one for one in self if getattr(type(one), method) is not getattr(OpenDiscipline, method)]

    def on_given(self, scope: Scope, found: Found) -> None:
        """Tell all what a caller is given."""
        for one in self:
            one.on_given(scope, found)

    async def on_session_end(self, tx: Transaction, ended: SessionEnd) -> None:
        """Tell all that a session is over."""
        for one in self:
            await one.on_session_end(tx, ended)

    async def goes_along(self, scope: Scope, record: Record) -> Along:
        """Return what else goes out of mind with a record, or comes back with it."""
        found = Along()
        for one in self._with("goes_along"):
            found += await one.goes_along(scope, record)
        return found

    async def before_erase(self, scope: Scope, erasure: Erasure) -> Erasure:
        """Have all destroy what they made outside of the store."""
        for one in self:
            erasure = await one.before_erase(scope, erasure)
        return erasure

    async def on_erase(self, scope: Scope, erased: Erased) -> None:
        """Have all let go of what was erased; one that fails is named in the end, and keeps no other from it."""
        failed: InvalidSettings | None = None
        for discipline, one in self._open.items():
            try:
                await one.on_erase(scope, erased)
            except RemanentError:
                raise
            except Exception as error:  # noqa: BLE001 - a stranger may raise anything, and the others are told
                failed = InvalidSettings(
                    f"the words are erased, but the discipline {discipline.name} failed to let go of them ({error!r}); "
                    "fix or uninstall it"
                )
                failed.__cause__ = error
        if failed is not None:
            raise failed

    def source_of(self, entry: Entry) -> str:
        """Return where an entry came from that one of them wrote."""
        return next((source for one in self if (source := one.source_of(entry))), "")

    def agent_face(self, kind: type[F], agent: AnyAgent) -> F:
        """Return what a discipline gives an agent."""
        return self._face(kind, "agent", agent)

    def memory_face(self, kind: type[F], memory: AnyMemory) -> F:
        """Return what a discipline gives a memory."""
        return self._face(kind, "memory", memory)

    def _face(self, kind: type[F], owner: str, whose: AnyAgent | AnyMemory) -> F:
        given = {getattr(declared, f"{owner}_face"): one for declared, one in self._open.items()}
        if kind not in given:
            names = ", ".join(face.__name__ for face in given if face is not None) or "none"
            raise InvalidInput(f"no discipline here gives the {owner} a {kind.__name__}; these do: {names}")
        face: F = getattr(given[kind], f"{owner}_face")(whose)
        return face

    async def close(self) -> None:
        """Let go of what they hold open."""
        for one in self:
            await one.close()
