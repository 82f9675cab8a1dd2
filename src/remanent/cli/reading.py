"""How what is remembered and what was said looks on a screen."""

from collections.abc import Sequence
from datetime import datetime

from rich.console import Group
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from remanent.cli import words
from remanent.cli.screen import Screen, local_time, visible
from remanent.model import Boost, Entry, Found, FoundItem, FoundSource, GateVerdict, PathRank
from remanent.text.boundaries import excerpt

QUOTED = 60
"""Characters of a text that is quoted in a table or beside another."""
REASON = 24


def show_found(screen: Screen, found: Found, *, now: datetime) -> None:
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


def _source(screen: Screen, item: FoundItem, source: FoundSource) -> str:
    parts = [source.role, local_time(source.occurred_at)]
    if source.session is not None:
        parts.append(screen.word(words.SESSION, name=source.session))
    if source.caller_id is not None:
        parts.append(screen.word(words.CALLER_ID, name=source.caller_id))
    line = "— " + " · ".join(visible(part) for part in parts if part)
    return line if source.text == item.text else f"{line}: “{visible(excerpt(source.text, QUOTED))}”"


def explanation(screen: Screen, found: Found) -> Table:
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


def gate_told(screen: Screen, verdict: GateVerdict) -> str:
    """Return in a line why a question was answered or not."""
    reason = screen.word(words.GATE_REASONS[verdict.reason])
    return screen.word(words.GATE, score=f"{verdict.score:.2f}", threshold=f"{verdict.threshold:.2f}", reason=reason)


def _rank(rank: PathRank) -> str:
    told = f"{rank.path} {rank.rank} ({rank.score:.3f})"
    return f"{told} {visible(excerpt(rank.reason, REASON))}" if rank.reason else told


def _boost(screen: Screen, boost: Boost) -> str:
    return screen.word(words.BOOSTS[boost.name]) if boost.name in words.BOOSTS else visible(boost.name)


def show_entries(screen: Screen, found: Sequence[Entry]) -> None:
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
