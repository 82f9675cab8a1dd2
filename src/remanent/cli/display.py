"""How answers look: cards and tables for people at a terminal, plain lines in a pipe, JSON for programs.

An operation may bring its own way to be shown; those here are for the types that operations share. Stored text can hold
anything, so everything passes through `visible`, which leaves no control character to the terminal.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python
from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.files import STANDARD
from remanent.cli.screen import Terminal, local_time, standard_output, visible
from remanent.discipline.shapes import Page
from remanent.language.engines import RoleSetup
from remanent.model import (
    Boost,
    Entry,
    Evaluation,
    Found,
    FoundItem,
    FoundSource,
    GateVerdict,
    PathRank,
    Receipt,
    Tombstone,
    system_clock,
)
from remanent.operations import Body, Operation, Target
from remanent.operations.access.chain import AuditVerification
from remanent.operations.care import ImportCounts
from remanent.operations.keys import NewKey
from remanent.operations.language import Tried
from remanent.stores import Erased, ErasureDepth, Health
from remanent.text.boundaries import excerpt

QUOTED = 60
"""Characters of a text that is quoted in a table or beside another."""
REASON = 24
"""Characters of a path's reason, which stands in one cell of a table."""


def show_found(screen: Terminal, found: Found, *, now: datetime) -> None:
    """Show every answer as a card: the words, then where they come from."""
    for place, item in enumerate(found.items, start=1):
        text = Text(visible(item.text))
        sources = [_source(screen, item, source) for source in item.sources]
        about = f"{item.score:.4f} · {item.kind} · {screen.age(item.occurred_at, now=now)} · {item.record_id}"
        if screen.out.is_terminal:
            body = Group(text, *(Text(line, style="dim") for line in sources))
            screen.show(Panel(body, title=f"{place}", subtitle=Text(about, style="dim"), title_align="left"))
        else:
            lines = [f"{place}. {text.plain}", *(f"   {line}" for line in sources), f"   {about}"]
            screen.show("\n".join(lines))


def _source(screen: Terminal, item: FoundItem, source: FoundSource) -> str:
    """Return where an answer comes from: who said it, when, in which session, and the words if they differ."""
    parts = [source.role, local_time(source.occurred_at)]
    if source.session is not None:
        parts.append(screen.word(words.SESSION, name=source.session))
    if source.caller_id is not None:
        parts.append(screen.word(words.CALLER_ID, name=source.caller_id))
    line = "— " + " · ".join(visible(part) for part in parts if part)
    return line if source.text == item.text else f"{line}: “{visible(excerpt(source.text, QUOTED))}”"


def explanation(screen: Terminal, found: Found) -> Table:
    """Return the table of every answer's places on every path, and of all that moved it."""
    title = screen.word(words.EXPLAINED, recipe=found.recipe, grain=found.grain)
    table = Table(title=title, title_justify="left")
    for phrase in (words.PLACE, words.TEXT, words.RANKS_AND_SCORES, words.FUSED, words.CONTEXT, words.BOOSTED):
        table.add_column(screen.word(phrase))
    table.add_column(screen.word(words.SCORE), justify="right")
    for item, explained in zip(found.items, found.explain(), strict=True):
        moved = [f"{_boost(screen, boost)} ×{boost.factor:.3f}" for boost in explained.boosts]
        if explained.reranked is not None:
            moved.append(f"{screen.word(words.RERANKED)} {explained.reranked:.3f}")
        table.add_row(
            str(explained.place),
            visible(excerpt(item.text.replace("\n", " "), QUOTED)),
            "\n".join(_rank(rank) for rank in explained.ranks) or "–",
            f"{explained.fused:.4f}",
            f"{explained.context:.4f}",
            "\n".join(moved) or "–",
            f"{explained.score:.4f}",
        )
    return table


def gate_line(screen: Terminal, verdict: GateVerdict) -> str:
    """Return in a line why a question was answered or not."""
    reason = screen.word(words.GATE_REASONS[verdict.reason])
    return screen.word(words.GATE, score=f"{verdict.score:.2f}", threshold=f"{verdict.threshold:.2f}", reason=reason)


def _rank(rank: PathRank) -> str:
    told = f"{rank.path} {rank.rank} ({rank.score:.3f})"
    return f"{told} {visible(excerpt(rank.reason, REASON))}" if rank.reason else told


def _boost(screen: Terminal, boost: Boost) -> str:
    return screen.word(words.BOOSTS[boost.name]) if boost.name in words.BOOSTS else visible(boost.name)


def show_entries(screen: Terminal, found: Sequence[Entry]) -> None:
    """Show journal entries, one after the other."""
    if not found:
        screen.tell(words.NO_ENTRIES)
    for entry in found:
        line = Text(f"{entry.seq:>5}  {local_time(entry.occurred_at)}  ", style="dim", end="")
        line.append(visible(entry.role), style="bold")
        if entry.scope.session is not None:
            line.append(f" [{visible(entry.scope.session)}]")
        line.append(f"  {entry.id}\n")
        text = screen.word(words.ERASED_STUB) if entry.erased else visible(entry.text)
        line.append(text, style="not dim")
        screen.show(line)


MAX_COLUMNS = 8
"""Columns of a table that nobody designed: more do not fit a terminal."""
MAX_MISSED = 10
"""Unanswered questions that are listed; --json lists all."""


@dataclass(slots=True)
class CommandResult:
    """What was asked, what was answered, and where it is shown."""

    screen: Terminal
    operation: Operation[Any, Any]
    requests: Sequence[Any]
    answers: Sequence[Any]
    several: bool
    options: Mapping[str, Any]
    place: Target
    file: Path
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
    if shown.operation.answers is not Body.JSON:
        _show_written(shown)
    elif shown.screen.as_json:
        shown.screen.give(value_of(shown))
    elif shown.operation.command is not None and (told := shown.operation.command.show) is not None:
        for answer in shown.answers:
            told(shown.screen, answer)
    else:
        SHOWN.get(shown.operation.response, _show_plainly)(shown)


def value_of(shown: CommandResult) -> Any:
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


def _show_receipt(shown: CommandResult) -> None:
    """Show the ids as data, for a script to keep, and the rest as prose."""
    receipt = _joined(shown.answers)
    shown.screen.show("\n".join(receipt.entry_ids))
    shown.screen.tell(words.REMEMBERED, count=len(receipt.entry_ids), at=local_time(receipt.recorded_at))
    if receipt.repeated:
        shown.screen.tell(words.REPEATED, count=receipt.repeated)


def _prepare_found(shown: CommandResult) -> None:
    """Say which paths did not answer, and end with 1 where nothing was found, as `grep` does."""
    for path in shown.answer.left_out:
        shown.screen.tell(words.LEFT_OUT, style="yellow", path=path.path, reason=path.reason)
    if not shown.answer.items:
        shown.screen.tell(words.NOTHING_FOUND, query=shown.answer.query)
        shown.ends_with = Exit.NO


def _show_found(shown: CommandResult) -> None:
    """Show the answers, and on demand how each came to its rank and why the gate let it pass."""
    if shown.answer.items:
        show_found(shown.screen, shown.answer, now=system_clock())
        if shown.options.get("explain"):
            shown.screen.show(explanation(shown.screen, shown.answer))
    if shown.options.get("explain") and shown.answer.gate is not None:
        shown.screen.show(gate_line(shown.screen, shown.answer.gate))


def _show_tombstones(shown: CommandResult) -> None:
    for stone in shown.answers:
        about = excerpt(stone.about, QUOTED)
        shown.screen.show(shown.screen.word(words.FORGOTTEN, about=about, size=stone.size, record_id=stone.record_id))


def _show_erased(shown: CommandResult) -> None:
    """Show how much was erased and how deep that reached, backups included."""
    erased = shown.answer
    counts = {"entries": len(erased.entry_ids), "records": len(erased.record_ids)}
    reached = words.ERASED if erased.depth is ErasureDepth.OVERWRITTEN else words.ERASED_FROM_STORE
    shown.screen.show(shown.screen.word(reached, **counts))
    if erased.backups:
        shown.screen.tell(words.ERASED_BACKUPS, count=erased.backups)


def _show_loaded(shown: CommandResult) -> None:
    named = ", ".join(f"{sort} {count}" for sort, count in shown.answer.counts.items() if count)
    shown.screen.tell(words.IMPORTED, agent=shown.place.agent, counts=named or "0")


def _show_written(shown: CommandResult) -> None:
    """Say where lines went, or put the bytes of a file there."""
    if isinstance(shown.answer, bytes):
        standard_output().write(shown.answer)
    elif shown.file != STANDARD and shown.screen.as_json:
        shown.screen.give({"file": str(shown.file), "lines": shown.answer})
    elif shown.file != STANDARD:
        shown.screen.tell(words.EXPORTED, lines=shown.answer, path=shown.file)


def _show_roles(shown: CommandResult) -> None:
    """Show every role with what does its work."""
    screen = shown.screen
    headings = (words.ROLE, words.ENGINE, words.MODEL, words.TIER, words.TEMPERATURE, words.TOP_P)
    table = Table(*(screen.word(heading) for heading in headings))
    for heading in (words.MAX_TOKENS, words.WINDOW):
        table.add_column(screen.word(heading), justify="right")
    for setup in shown.answer.items:
        model = "–" if setup.model is None else f"{setup.model} ({setup.provider})"
        numbers = (f"{setup.temperature:g}", f"{setup.top_p:g}", str(setup.max_tokens), str(setup.window))
        table.add_row(setup.role, setup.engine, model, setup.tier, *numbers)
    screen.show(table)
    if all(setup.engine == "offline" for setup in shown.answer.items):
        screen.tell(words.NO_MODEL)


def _show_tried(shown: CommandResult) -> None:
    """Show the response as data, and beside it what made it and what that cost."""
    tried = shown.answer
    shown.screen.show(json.dumps(tried.response, ensure_ascii=False, indent=2))
    tokens = {"input": tried.usage.input_tokens, "output": tried.usage.output_tokens}
    shown.screen.tell(words.ROLE_DONE, style="dim", role=tried.made_by.role, engine=tried.made_by.engine, **tokens)


def _show_evaluation(shown: CommandResult) -> None:
    """Show the figures, then the questions whose answer was not found: those are what to look into."""
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
    for one in missed[:MAX_MISSED]:
        screen.tell(words.MISSED, question=excerpt(one.question, QUOTED))
    if len(missed) > MAX_MISSED:
        screen.tell(words.MISSED_MORE, count=len(missed) - MAX_MISSED)


def _show_key(shown: CommandResult) -> None:
    """Show the token as data, so that it can be piped, and everything to know about it beside."""
    shown.screen.show(shown.answer.token)
    shown.screen.tell(words.KEY_MADE, key_id=shown.answer.key.key_id)
    if shown.answer.replaces_damaged:
        shown.screen.tell(words.KEYS_SET_ASIDE, style="yellow")
    if shown.answer.is_first:
        shown.screen.tell(words.FIRST_KEY, style="yellow")


def _prepare_verified(shown: CommandResult) -> None:
    if not shown.answer.intact:
        shown.ends_with = Exit.DAMAGED


def _prepare_health(shown: CommandResult) -> None:
    if shown.answer.problems or shown.answer.indexes or shown.answer.attachments:
        shown.ends_with = Exit.DAMAGED


# ── all others ───────────────────────────────────────────────────────────────


def _show_plainly(shown: CommandResult) -> None:
    """Show an answer that nobody wrote a form for: pages as tables, all else as fields."""
    for answer in shown.answers:
        if isinstance(answer, Page):
            _show_rows(shown.screen, answer.items)
        else:
            for name, value in to_jsonable_python(answer).items():
                shown.screen.show(f"{name}: {_plain(value)}")


def _show_rows(screen: Terminal, items: Sequence[Any]) -> None:
    """Show rows as a table of the columns that hold anything."""
    rows = [to_jsonable_python(item) for item in items]
    if not rows:
        screen.tell(words.NOTHING_HERE)
        return
    columns = [name for name in rows[0] if any(row[name] not in (None, "", [], {}) for row in rows)][:MAX_COLUMNS]
    table = Table(*columns)
    for row in rows:
        table.add_row(*(Text(visible(excerpt(_plain(row[name]), QUOTED)), overflow="fold") for name in columns))
    screen.show(table)


def _plain(value: Any) -> str:
    """Return a value as one cell of a table."""
    if value is None:
        return "–"
    if isinstance(value, str | Enum):
        return str(value)
    return json.dumps(value, ensure_ascii=False)


Show = Callable[[CommandResult], None]
SHOWN: Mapping[Any, Show] = {
    Receipt: _show_receipt,
    Found: _show_found,
    Page[Entry]: lambda shown: show_entries(shown.screen, shown.answer.items),
    Tombstone: _show_tombstones,
    Erased: _show_erased,
    ImportCounts: _show_loaded,
    Evaluation: _show_evaluation,
    Page[RoleSetup]: _show_roles,
    Tried: _show_tried,
    NewKey: _show_key,
}
"""How answers are shown, by their type; an operation may say how its own are."""

PREPARED: Mapping[Any, Show] = {Found: _prepare_found, AuditVerification: _prepare_verified, Health: _prepare_health}
"""What answers of a type say before they are shown or given, and how the command ends."""
