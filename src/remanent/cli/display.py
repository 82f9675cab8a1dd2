"""How answers look: cards and tables for people at a terminal, plain lines in a pipe, JSON for programs.

An operation may bring its own way to be shown; those here are for the types that operations share. Stored text can hold
anything, so everything passes through `visible`, which leaves no control character to the terminal.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, is_dataclass
from dataclasses import fields as dataclass_fields
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.screen import (
    QUOTED,
    STANDARD,
    Terminal,
    read_text,
    show_entries,
    show_found,
    show_receipt,
    standard_output,
    target,
    tell_found,
)
from remanent.discipline.shapes import Done, ImportCounts, Page
from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import (
    ConflictState,
    Entry,
    Evaluation,
    Found,
    Model,
    Probed,
    Receipt,
    Scope,
    Tombstone,
    system_clock,
)
from remanent.operations import Body, Operation, Target
from remanent.operations.access.chain import AuditVerification
from remanent.stores import Erased, ErasureDepth, Health
from remanent.text.spans import excerpt

_MAX_COLUMNS = 8
"""Columns of a table that nobody designed: more do not fit a terminal."""
_MAX_FIELDS = 16
"""Fields that an object is shown with, empty ones too; of one with more only those that say something."""
_TOLD = frozenset({"status", "version"})
"""Fields that say something whatever they hold."""
_MAX_MISSED = 10
"""Unanswered questions that are listed; --json lists all."""


@dataclass(slots=True)
class CommandResult:
    """What was asked, what was answered, and where it is shown."""

    screen: Terminal
    operation: Operation[Any, Any]
    requests: Sequence[Any]
    several: bool
    options: Mapping[str, Any]
    place: Target
    file: Path
    home: Path
    answers: list[Any] = field(default_factory=list)
    ends_with: Exit = Exit.OK

    @property
    def answer(self) -> Any:
        """The only answer."""
        return self.answers[0]


def show(shown: CommandResult) -> None:
    """Show an answer to people, or give it to programs."""
    prepare = PREPARED.get(shown.operation.response)
    if prepare is not None:
        prepare(shown)
    command = shown.operation.command
    if command is not None and command.found is not None and not any(map(command.found, shown.answers)):
        shown.ends_with = Exit.NO
    if shown.operation.answers is not Body.JSON:
        _show_written(shown)
    elif shown.screen.as_json:
        shown.screen.give(_value_of(shown))
    elif command is not None and (told := command.show) is not None:
        for answer in shown.answers:
            told(shown.screen, answer)
    else:
        SHOWN.get(shown.operation.response, _show_plainly)(shown)


def _value_of(shown: CommandResult) -> Any:
    """Return what a program is given: what the library's own method would return."""
    if shown.operation.response is Receipt:
        return _joined(shown.answers)
    face = shown.operation.face
    given = [face.give(answer) if face is not None else _items(answer) for answer in shown.answers]
    return given if shown.several else given[0]


def _items(answer: Any) -> Any:
    return list(answer.items) if isinstance(answer, Page) else answer


def question_of(
    screen: Terminal, operation: Operation[Any, Any], request: Mapping[str, Any], *, agent: str | None
) -> str:
    """Return what people are asked before something is destroyed."""
    command = operation.command
    if command is not None and command.question is not None:
        return command.question(screen, request, agent)
    return screen.word(words.ASK_DESTROY, name=operation.name)


# ── single operations ────────────────────────────────────────────────────────


def _joined(receipts: Sequence[Receipt]) -> Receipt:
    """Return one receipt for all batches of a file, as if it had been sent at once."""
    return Receipt(
        entry_ids=tuple(entry_id for receipt in receipts for entry_id in receipt.entry_ids),
        last_seq=receipts[-1].last_seq,
        repeated=sum(receipt.repeated for receipt in receipts),
        recorded_at=receipts[-1].recorded_at,
    )


def _prepare_found(shown: CommandResult) -> None:
    """Say which paths did not answer, and end with 1 where nothing was found, as `grep` does."""
    # What conditions left out says nothing of the agent's name.
    is_narrowed = not _NARROWING.isdisjoint(shown.requests[0].model_fields_set)
    shown.ends_with = tell_found(shown.screen, shown.answer, agent=None if is_narrowed else shown.place.agent)


_NARROWING = frozenset("session kinds where tags any_tags user since until as_of within".split())
"""What a recall may be narrowed by."""


def _show_found(shown: CommandResult) -> None:
    """Show the answers, and on demand how each came to its rank and why the gate let it pass."""
    show_found(shown.screen, shown.answer, now=system_clock(), explain=bool(shown.options.get("explain")))


def _show_scopes(shown: CommandResult) -> None:
    """Show agents; where there are none, where was looked."""
    if shown.answer.items:
        _show_rows(shown.screen, shown.answer.items)
    else:
        shown.screen.tell(words.NO_AGENTS_AT, home=shown.home)


def _show_tombstones(shown: CommandResult) -> None:
    for stone in shown.answers:
        about = excerpt(stone.about, QUOTED)
        shown.screen.show(shown.screen.word(words.FORGOTTEN, about=about, size=stone.size, record_id=stone.record_id))


def _show_erased(shown: CommandResult) -> None:
    """Show how much was erased and how deep that reached, backups included; or how much would be."""
    erased, screen = shown.answer, shown.screen
    if erased.entry_ids or erased.record_ids:
        entries, records = len(erased.entry_ids), len(erased.record_ids)
        reached = words.ERASED if erased.depth is ErasureDepth.OVERWRITTEN else words.ERASED_FROM_STORE
        said = screen.word(
            reached if shown.operation.destroys else words.WOULD_ERASE,
            entries=screen.word(words.ONE_ENTRY if entries == 1 else words.ENTRIES, count=entries),
            records=screen.word(words.ONE_RECORD if records == 1 else words.RECORDS, count=records),
        )
        screen.show(said)
    if erased.backups:
        screen.tell(words.ERASED_BACKUPS, count=erased.backups)


def _prepare_erased(shown: CommandResult) -> None:
    """Say that nothing was there, and end with 1: who erases wants to know whether it is gone or never was."""
    if not shown.answer.entry_ids and not shown.answer.record_ids:
        shown.screen.tell(words.NOTHING_ERASED if shown.operation.destroys else words.NOTHING_WOULD_BE_ERASED)
        shown.ends_with = Exit.NO


def _show_loaded(shown: CommandResult) -> None:
    counts = ((shown.screen.word(words.SORTS[sort]), count) for sort, count in shown.answer.counts.items() if count)
    named = ("、" if shown.screen.language == "zh" else ", ").join(f"{sort} {count}" for sort, count in counts)
    shown.screen.tell(words.IMPORTED, agent=shown.place.agent, counts=named or "0")


_NO_LINES = 2
"""Lines of an export that has nothing between its first and its last: a name that was mistyped would pass for saved."""


def _show_written(shown: CommandResult) -> None:
    """Say where lines went, or put the bytes of a file there."""
    if isinstance(shown.answer, bytes):
        standard_output().write(shown.answer)
    elif shown.file != STANDARD and shown.screen.as_json:
        shown.screen.give({"file": str(shown.file), "lines": shown.answer})
    elif shown.file != STANDARD:
        shown.screen.tell(words.EXPORTED, lines=shown.answer, path=shown.file)
    if shown.answer == _NO_LINES:
        shown.screen.tell(
            words.EXPORTED_NOTHING, style="yellow", agent=shown.place.agent, workspace=shown.place.workspace
        )


def _show_evaluation(shown: CommandResult) -> None:
    """Show the figures, then the questions whose answer was not found: those are what to look into."""
    from rich.table import Table

    screen, found = shown.screen, shown.answer
    table = Table(screen.word(words.FIGURE))
    table.add_column(screen.word(words.MEASURED), justify="right")
    low, high = found.any_at_5_between
    rows = {
        words.EVALUATED: f"{found.answerable} + {found.unanswerable}",
        words.ANY_AT: f"{found.any_at_1:.3f} / {found.any_at_5:.3f} / {found.any_at_10:.3f}",
        words.ANY_AT_5: f"{low:.3f} – {high:.3f}",
        words.ALL_AT_5: f"{found.all_at_5:.3f}",
        words.MRR: f"{found.mrr:.3f}",
        words.NDCG: f"{found.ndcg_at_10:.3f}",
        words.ANSWERED: f"{found.answered:.3f}",
        words.REFUSED: f"{found.refused:.3f}" if found.unanswerable else "–",
        words.AUROC: "–" if found.auroc is None else f"{found.auroc:.3f}",
        words.LATENCY: f"{found.ms_p50:g} / {found.ms_p95:g} ms",
        words.LACKING: str(found.lacking),
    }
    for phrase, value in rows.items():
        table.add_row(screen.word(phrase), value)
    screen.show(table)
    missed = [one for one in found.results if one.wanted and one.rank is None]
    for one in missed[:_MAX_MISSED]:
        screen.tell(words.MISSED, question=excerpt(one.question, QUOTED))
    if len(missed) > _MAX_MISSED:
        screen.tell(words.MISSED_MORE, count=len(missed) - _MAX_MISSED)


def read_evaluation(file: Path) -> Evaluation:
    """Return what `evaluate --save` kept."""
    try:
        return Evaluation.from_json(read_text(file))
    except InvalidInput as error:
        raise InvalidInput(f"{file} was not written by `evaluate --save`: {error}") from error


def _prepare_evaluation(shown: CommandResult) -> None:
    """End with 1 where answers are missing or have changed, so that a build can rest on it; name what changed."""
    screen, found, checks = shown.screen, shown.answer, shown.options
    if (against := checks.get("against")) is not None:
        for old, new in found.changed_since(read_evaluation(against)):
            told = {"before": _answer_of(screen, old), "now": _answer_of(screen, new)}
            screen.tell(words.CHANGED, question=excerpt(new.question, QUOTED), **told)
            shown.ends_with = Exit.NO
    if (minimum := checks.get("minimum")) is not None and found.any_at_5 < minimum:
        screen.tell(words.TOO_FEW, share=f"{found.any_at_5:.3f}", minimum=f"{minimum:g}")
        shown.ends_with = Exit.NO
    if (save := checks.get("save")) is not None:
        with target(save) as stream:
            stream.write(found.to_json().encode() + b"\n")


def _answer_of(screen: Terminal, one: Probed) -> str:
    """Return what is answered to a question: its first answer, and how much of what is wanted was found."""
    said = excerpt(one.first_text, QUOTED) if one.answered else screen.word(words.NO_ANSWER)
    return f"{said} ({one.found}/{one.wanted})" if one.wanted else said


def _prepare_verified(shown: CommandResult) -> None:
    if not shown.answer.intact:
        shown.ends_with = Exit.DAMAGED


def _prepare_health(shown: CommandResult) -> None:
    if shown.answer.problems or shown.answer.indexes or shown.answer.attachments:
        shown.ends_with = Exit.DAMAGED


# ── all others ───────────────────────────────────────────────────────────────


def _show_plainly(shown: CommandResult) -> None:
    """Show an answer that nobody wrote a form for: pages as tables, all else as fields."""
    screen = shown.screen
    for answer in shown.answers:
        if isinstance(answer, Page):
            if answer.items:
                _show_rows(screen, answer.items)
            else:
                screen.tell(words.NOTHING_HERE)
        elif isinstance(answer, Done):
            screen.tell(words.DONE)
        else:
            _show_object(screen, answer)


def _show_object(screen: Terminal, value: Any, *, indent: str = "") -> None:
    """Show the fields of a value, then the objects that it lists, each with all of its own."""
    lists = {
        name: one
        for name, one in (_fields(value) or {}).items()
        if isinstance(one, tuple | list) and any(_fields(inner) is not None for inner in one)
    }
    cells = _cells(screen, value)
    if len(cells) > _MAX_FIELDS:
        cells = {
            name: cell for name, cell in _cells(screen, value, without=_quiet(type(value)), deep=True).items() if cell
        }
    screen.fields((indent + screen.label(name), cell or "–") for name, cell in cells.items() if name not in lists)
    for name, objects in lists.items():
        for number, one in enumerate(objects, start=1):
            from rich.text import Text

            screen.show(Text(f"{indent}{screen.label(name)} {number}", style="bold"))
            _show_object(screen, one, indent=indent + "  ")


def _show_rows(screen: Terminal, items: Sequence[Any]) -> None:
    """Show rows, without the columns in which every row has what it has unless somebody says otherwise."""
    usual = _usual(type(items[0]))
    rows = [_cells(screen, item, without=usual) for item in items]
    columns = list(dict.fromkeys(name for row in rows for name, cell in row.items() if cell))[:_MAX_COLUMNS]
    cells = [[excerpt(row.get(name, ""), QUOTED) for name in columns] for row in rows]
    screen.rows([screen.label(name) for name in columns], cells)


def _fields(value: Any) -> dict[str, Any] | None:
    """Return the fields of a value that has any."""
    if isinstance(value, Model):
        return {name: getattr(value, name) for name in type(value).model_fields}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclass_fields(value)}
    return dict(value) if isinstance(value, Mapping) else None


def _usual(kind: type[Any]) -> dict[str, Any]:
    """Return the values that fields have by default."""
    declared = kind.model_fields if issubclass(kind, Model) else {}
    return {name: field.get_default(call_default_factory=True, validated_data={}) for name, field in declared.items()}


def _quiet(kind: type[Any]) -> dict[str, Any]:
    """Return the values that say nothing where one object is shown with all that there is to say of it."""
    return {name: one for name, one in _usual(kind).items() if name not in _TOLD}


def _cells(
    screen: Terminal, value: Any, *, without: Mapping[str, Any] | None = None, deep: bool = False
) -> dict[str, str]:
    """Return the fields of a value as cells, those of values inside of it beside its own.

    What is as in `without` is left out, with `deep` also what says nothing in the values inside.
    """
    cells: dict[str, str] = {}
    own = _fields(value) or {}
    for name, one in own.items():
        if without is not None and name in without and one == without[name]:
            continue
        if name == "scope":  # whose it is, the command was told
            cells |= {part: label for part in ("session", "task") if (label := getattr(one, part, None))}
        elif _fields(one) is not None:
            usual = _quiet(type(one)) if deep else None
            cells |= {
                f"{name}_{inner}" if inner in own or inner in cells else inner: cell
                for inner, cell in _cells(screen, one, without=usual, deep=deep).items()
            }
        else:
            is_named = name in _NAMED or isinstance(one, ConflictState)
            cells[name] = screen.name(cell) if is_named and (cell := _cell(screen, one)) else _cell(screen, one)
    return cells


_NAMED = frozenset({"kind", "status", "trust", "role", "description"})
"""Fields that hold words of ours, or a discipline's terms: they are told in the user's language."""


def _cell(screen: Terminal, value: Any) -> str:
    """Return a value as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return screen.word(words.YES if value else words.NO)
    if isinstance(value, datetime):
        return screen.moment(value)
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Sequence | frozenset | set) and not isinstance(value, str | bytes):
        return ", ".join(cell for one in value if (cell := _cell(screen, one)))
    if (inside := _fields(value)) is not None:  # one of many: its text, or what comes first, tells it from the others
        return next((cell for one in (inside.get("text"), *inside.values()) if (cell := _cell(screen, one))), "")
    return str(value)


Show = Callable[[CommandResult], None]
SHOWN: Mapping[Any, Show] = {
    Receipt: lambda shown: show_receipt(shown.screen, _joined(shown.answers)),
    Found: _show_found,
    Page[Scope]: _show_scopes,
    Page[Entry]: lambda shown: show_entries(shown.screen, shown.answer.items),
    Tombstone: _show_tombstones,
    Erased: _show_erased,
    ImportCounts: _show_loaded,
    Evaluation: _show_evaluation,
}
"""How answers of the types that operations share are shown; an operation may say how its own are."""

PREPARED: Mapping[Any, Show] = {
    AuditVerification: _prepare_verified,
    Erased: _prepare_erased,
    Evaluation: _prepare_evaluation,
    Found: _prepare_found,
    Health: _prepare_health,
}
"""What answers of a type say before they are shown or given, and how the command ends."""
