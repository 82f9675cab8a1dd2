"""Answers as cards and lines: what was remembered, recalled and said.

Nothing of the library is imported to show them: a server's answers are shown by the same functions, as plain objects.
"""

from datetime import datetime
from typing import TYPE_CHECKING

from remanent.bilingual import translated
from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.screen import Terminal, local_time, visible
from remanent.text.boundaries import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from remanent.model import Boost, Entry, Found, FoundItem, FoundSource, GateVerdict, PathRank, Receipt

QUOTED = 60
"""Characters of a text that is quoted in a table or beside another."""
_REASON = 24
"""Characters of a path's reason, which stands beside others."""


def show_receipt(screen: Terminal, receipt: "Receipt") -> None:
    """Show the ids as data, for a script to keep, and the rest as prose."""
    screen.show("\n".join(receipt.entry_ids))
    screen.tell(words.REMEMBERED, count=len(receipt.entry_ids), at=local_time(receipt.recorded_at))
    if receipt.repeated:
        screen.tell(words.REPEATED, count=receipt.repeated)


def tell_found(screen: Terminal, found: "Found") -> Exit:
    """Say which paths did not answer, and end with 1 where nothing was found, as `grep` does."""
    for path in found.left_out:
        screen.tell(words.LEFT_OUT, style="yellow", path=path.path, reason=translated(path.reason, screen.language))
    if found.items:
        return Exit.OK
    screen.tell(words.NOTHING_FOUND, query=found.query)
    return Exit.NO


def show_found(screen: Terminal, found: "Found", *, now: datetime, explain: bool = False) -> None:
    """Show every answer as a card: the words, then where they come from; on demand how each came to its rank."""
    _show_cards(screen, found, now=now)
    if explain and found.items:
        _show_explanation(screen, found)
    if explain and found.gate is not None:
        screen.show(_gate_line(screen, found.gate))


def _show_cards(screen: Terminal, found: "Found", *, now: datetime) -> None:
    """Show each answer with its sources: framed at a terminal, as plain lines in a pipe."""
    for place, item in enumerate(found.items, start=1):
        text = visible(item.text)
        sources = [_source(screen, item, source) for source in item.sources]
        kind, age = screen.name(item.kind), screen.age(item.occurred_at, now=now)
        about = f"{item.score:.4f} · {kind} · {age} · {item.record_id}"
        if screen.out.is_terminal:
            from rich.console import Group
            from rich.panel import Panel
            from rich.text import Text

            body = Group(Text(text), *(Text(line, style="dim") for line in (*sources, about)))
            screen.show(Panel(body, title=f"{place}", title_align="left"))
        else:
            lines = [f"{place}. {text}", *(f"   {line}" for line in sources), f"   {about}"]
            screen.show("\n".join(lines))


def _source(screen: Terminal, item: "FoundItem", source: "FoundSource") -> str:
    """Return where an answer comes from: who said it, when, in which session, and the words if they differ."""
    parts = [screen.name(source.role), local_time(source.occurred_at)]
    if source.session is not None:
        parts.append(screen.word(words.SESSION, name=source.session))
    if source.caller_id is not None:
        parts.append(screen.word(words.CALLER_ID, name=source.caller_id))
    line = "— " + " · ".join(visible(part) for part in parts if part)
    return line if source.text == item.text else f"{line}: “{visible(excerpt(source.text, QUOTED))}”"


def _show_explanation(screen: Terminal, found: "Found") -> None:
    """Show every answer's places on every path, and all that moved it."""
    from rich.text import Text

    screen.show(Text(screen.word(words.EXPLAINED, recipe=found.recipe, grain=found.grain), style="bold"))
    for item, explained in zip(found.items, found.explain(), strict=True):
        moved = [f"{_boost(screen, boost)} ×{boost.factor:.3f}" for boost in explained.boosts]
        if explained.reranked is not None:
            moved.append(f"{screen.word(words.RERANKED)} {explained.reranked:.3f}")
        fields = {
            words.RANKS_AND_SCORES: ", ".join(_rank(rank) for rank in explained.ranks),
            words.FUSED: f"{explained.fused:.4f}",
            words.CONTEXT: f"{explained.context:.4f}",
            words.BOOSTED: ", ".join(moved),
            words.SCORE: f"{explained.score:.4f}",
        }
        screen.show(f"{explained.place}. {visible(excerpt(item.text.replace(chr(10), ' '), QUOTED))}")
        screen.fields((f"   {screen.word(phrase)}", value or "–") for phrase, value in fields.items())


def _gate_line(screen: Terminal, verdict: "GateVerdict") -> str:
    """Return in a line why a question was answered or not."""
    reason = screen.word(words.GATE_REASONS[verdict.reason])
    if verdict.score == verdict.threshold == 0:  # it passed or not for another reason than how much speaks for it
        return screen.word(words.GATE_WITHOUT_SCORE, reason=reason)
    return screen.word(words.GATE, score=f"{verdict.score:.2f}", threshold=f"{verdict.threshold:.2f}", reason=reason)


def _rank(rank: "PathRank") -> str:
    told = f"{rank.path} {rank.rank} ({rank.score:.3f})"
    return f"{told} {visible(excerpt(rank.reason, _REASON))}" if rank.reason else told


def _boost(screen: Terminal, boost: "Boost") -> str:
    return screen.word(words.BOOSTS[boost.name]) if boost.name in words.BOOSTS else visible(boost.name)


def show_entries(screen: Terminal, found: "Sequence[Entry]") -> None:
    """Show journal entries, one after the other."""
    from rich.text import Text

    if not found:
        screen.tell(words.NO_ENTRIES)
    for entry in found:
        line = Text(f"{entry.seq:>5}  {local_time(entry.occurred_at)}  ", style="dim", end="")
        line.append(screen.name(entry.role), style="bold")
        if entry.scope.session is not None:
            line.append(f" [{visible(entry.scope.session)}]")
        line.append(f"  {entry.id}\n")
        text = screen.word(words.ERASED_STUB) if entry.erased else visible(entry.text)
        line.append(text, style="not dim")
        screen.show(line)
