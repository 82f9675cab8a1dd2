"""`bank`: work on one long task and watch its memory grow; look at and draw a bank that was exported.

Showing an export needs neither a store nor a model: it is loaded into memory and thrown away. The drawing of its Query
Graph is one SVG, the same for the same graph every time: its layout is a force simulation from a fixed start (a
spiral), so that two exports of a bank can be compared and a test can hold the picture.
"""

import math
from cmath import rect
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self
from unicodedata import east_asian_width
from xml.sax.saxutils import escape

import typer
from rich.console import Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.text import Text
from rich.tree import Tree

from remanent.bank.bank import MemoryBank, open_bank
from remanent.bank.conflicts import WAITING, nodes_of
from remanent.bank.node import QueryNode
from remanent.bank.run import RunResult, RunStatus
from remanent.bank.runtime import BankEvent, EventKind
from remanent.bank.settings import BankSettings
from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin, local_time, visible
from remanent.language.engines import OfflineEngine
from remanent.model import ConflictState, Scope, id_source, system_clock
from remanent.text.spans import excerpt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from remanent.bank._sync import Bank as SyncBank


_MAX_LINE_LENGTH = 160
"""Characters of a line in a terminal: two of its lines. Chosen by hand."""
_MAX_DONE_LINES = 6
"""Finished steps that the picture shows, above the one at hand: with the rest it fits a terminal of 24 lines."""


def run(
    place: CommonOptions,
    *,
    task: str,
    context: Sequence[Path] | None,
    image: Sequence[Path] | None,
    export: Path | None,
    bank_id: str | None,
) -> None:
    """Work on a task; ends with `Exit.NO` when a step failed for good or the run was stopped."""
    screen, settings = begin(place)
    if not task.strip():
        raise typer.BadParameter(screen.word(words.BANK_NO_TASK), param_hint="--task")
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in context or ()]
    with place.open(settings) as memory:
        given = "\n\n".join(texts)
        bank = memory.bank(task, context=given, files=list(image or ()), bank_id=bank_id)
        with bank, _Watch(screen) as watch:
            result = bank.run(keep=True, on_event=watch.tell)
            watch.end()
            if export is not None:
                export.write_text(bank.export(), encoding="utf-8")
            _report(screen, bank, result, export=export)
            # A task that is done needs its memory no more; one that was stopped can go on.
            if bank_id is not None and result.end is RunStatus.DONE:
                bank.clear()
    if result.end is not RunStatus.DONE:
        raise typer.Exit(Exit.NO)


def show(place: CommonOptions, *, file: Path, svg: Path | None) -> None:
    """Draw the graph of an exported bank and print its trees."""
    import asyncio

    screen, _ = begin(place)
    bank = asyncio.run(_loaded(file.read_bytes()))
    target = svg or file.with_suffix(".svg")
    target.write_text(draw(bank), encoding="utf-8")
    if place.as_json:
        nodes = [
            {
                "id": node.id,
                "context": node.context,
                "keywords": node.keywords,
                "summary": node.summary,
                "neighbours": [near.id for near in bank.graph.neighbours(node.id)],
                "tree": bank.tree.of(node.id),
            }
            for node in bank.graph.nodes
        ]
        found = {"insight": bank.planner.insight, "nodes": nodes, "conflicts": bank.conflicts.all, "svg": str(target)}
        screen.give(found)
        return
    screen.show(visible(bank.planner.insight.render()))
    for node in bank.graph.nodes:
        screen.show(_tree(bank, node.id))
    if bank.conflicts.all:
        screen.show(_conflicts(screen, bank))
    screen.tell(words.BANK_DRAWN, file=target)


async def _loaded(exported: bytes) -> MemoryBank:
    """Return an exported bank, opened in memory alone and without any model: showing it must change nothing."""
    bank = open_bank(
        Scope(org="default", workspace="default", agent="bank", task="shown"),
        engine=OfflineEngine(),
        embedders=None,
        settings=BankSettings(),
        clock=system_clock,
        new_id=id_source(),
    )
    await bank.load(exported)
    return bank


def _tree(bank: MemoryBank, node_id: str) -> Tree:
    """Return a node with the raw entries behind it, each with its attachments."""
    node = bank.graph.get(node_id)
    tree = Tree(Text(visible(f"{node.context}  [{node.id}]"), style="bold"))
    tree.add(Text(visible(", ".join(node.keywords)), style="dim"))
    for entry in bank.tree.of(node_id):
        said = f"{local_time(entry.timestamp)} {entry.source}: {excerpt(entry.text.strip(), _MAX_LINE_LENGTH)}"
        branch = tree.add(Text(visible(said)))
        for item in entry.attachments:
            branch.add(Text(visible(f"{item.name} ({item.media_type}) {item.uri or ''}")))
    return tree


def _conflicts(screen: Terminal, bank: MemoryBank) -> Tree:
    """Return every contradiction with the verdict on it, if there is one."""
    tree = Tree(Text(screen.word(words.BANK_CONFLICTS), style="bold"))
    for conflict in bank.conflicts.all:
        branch = tree.add(Text(visible(f"{conflict.state.value}: {conflict.description}")))
        if conflict.verdict is not None:
            branch.add(Text(visible(conflict.verdict.text), style="dim"))
    return tree


# ── the report of a run ──────────────────────────────────────────────────────


def _report(screen: Terminal, bank: "SyncBank", result: RunResult, *, export: Path | None) -> None:
    """Show the answer on standard output, and what it rests on beside it."""
    rests_on = [node for node in bank.nodes if node.id in result.node_ids]
    if screen.as_json:
        screen.give(
            {
                "answer": result.answer,
                "sentences": result.sentences,
                "end": result.end,
                "rounds": result.rounds,
                "tokens": result.tokens,
                "fell_back": result.fell_back,
                "calls": bank.calls,
                "completed": result.insight.completed,
                "conflicts": bank.conflicts,
                "nodes": [
                    {"id": node.id, "context": node.context, "entries": [e.entry_id for e in bank.tree(node.id)]}
                    for node in rests_on
                ],
            }
        )
    else:
        screen.show(Text(visible(result.marked_answer)))
        for node in rests_on:
            entries = ", ".join(entry.entry_id for entry in bank.tree(node.id))
            screen.err.print(Text(visible(f"{screen.word(words.BANK_RESTS)} {node.id} {node.context}"), style="dim"))
            screen.err.print(Text(f"  {entries}", style="dim"))
    calls = sum(bank.calls.values())
    end, rounds, tokens = result.end.value, result.rounds, result.tokens
    screen.tell(words.BANK_ENDED, end=end, rounds=rounds, calls=calls, tokens=tokens, style="dim")
    if result.fell_back:
        screen.tell(words.BANK_FELL_BACK, roles=", ".join(result.fell_back), style="dim")
    if export is not None:
        screen.tell(words.BANK_EXPORTED, file=export)


class _Watch:
    """Shows what happens while it happens: on a terminal as one living picture, elsewhere line by line."""

    def __init__(self, screen: Terminal) -> None:
        self._screen = screen
        self._shown: Live | None = None
        self._task = ""
        self._failed = False
        self._reading = ""
        self._done: list[str] = []
        self._nodes: list[str] = []
        self._disputes: list[str] = []
        self._count = dict.fromkeys(EventKind, 0)

    def __enter__(self) -> Self:
        """Begin to draw, at a terminal only: in a pipe a picture that is drawn over itself would be noise."""
        if self._screen.err.is_terminal:
            self._shown = Live(console=self._screen.err, auto_refresh=False)
            self._shown.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Let the picture stand as it is: what follows is written below it."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None

    def tell(self, event: BankEvent) -> None:
        """Take in an event."""
        self._count[event.kind] += 1
        line = self._line(event)
        self._take(event, line)
        if self._shown is not None:
            # Events are few, and a picture at each of them shows every state, however short it was.
            self._shown.update(self._picture(), refresh=True)
        elif line and not self._screen.as_json:
            self._screen.note(line)

    def _take(self, event: BankEvent, line: str) -> None:
        """Note what an event changes in the picture."""
        if event.kind in {EventKind.ROUND, EventKind.ANSWER}:
            if self._task:
                self._done.append(f"{'✗' if self._failed else '✓'} {self._task}")
            self._task = event.text if event.kind is EventKind.ROUND else ""
            self._failed = False
        elif event.kind is EventKind.FAILED:
            self._failed = True
        elif event.kind is EventKind.CHUNK:
            self._reading = line
        elif event.kind is EventKind.NODE:
            self._nodes.append(event.text)
        elif event.kind in _SIGNS:
            self._disputes.append(f"{_SIGNS[event.kind]} {event.text}")

    def _line(self, event: BankEvent) -> str:
        """Return what an event looks like as a line; nothing for those that only a picture can show well."""
        if event.kind is EventKind.ROUND:
            return self._screen.word(words.BANK_ROUND, number=event.data["number"], task=excerpt(event.text, 200))
        if event.kind is EventKind.CHUNK:
            return self._screen.word(words.BANK_READING, done=event.data["done"], of=event.data["of"])
        if event.kind in {EventKind.PLAN, EventKind.ANSWER, EventKind.CLEARED, EventKind.NODE, EventKind.EDGE}:
            return ""
        return f"{event.kind.value}: {excerpt(event.text, _MAX_LINE_LENGTH)}"

    def _picture(self) -> RenderableType:
        """Return the whole picture: what is done, what is at hand, and how the graph stands."""
        count = self._count
        settled = count[EventKind.VERDICT] + count[EventKind.UNRESOLVED]
        graph = self._screen.word(
            words.BANK_GRAPH,
            nodes=count[EventKind.NODE],
            edges=count[EventKind.EDGE],
            conflicts=count[EventKind.CONFLICT],
            open=count[EventKind.CONFLICT] - settled,
            merges=count[EventKind.MERGE],
        )
        lines = [_shown(task, "dim") for task in self._done[-_MAX_DONE_LINES:]]
        now = f"▶ {self._task}" if self._task else "" if self._done else self._reading
        lines += [_shown(now, "bold")] if now else []
        lines.append(_shown(graph, ""))
        lines += [_shown(f"● {node}", "cyan") for node in self._nodes[-_MOST_NODES:]]
        lines += [_shown(dispute, "yellow") for dispute in self._disputes[-_MOST_DISPUTES:]]
        return Panel(Group(*lines))


_SIGNS = {EventKind.CONFLICT: "⚡", EventKind.VERDICT: "⚖", EventKind.UNRESOLVED: "?"}
_MOST_NODES, _MOST_DISPUTES = 3, 3
"""The newest nodes and disputes in the picture, which is to fit a terminal of 24 lines. Chosen by hand."""


def _shown(line: str, style: str) -> Text:
    """Return one line of the picture: what is too long is cut, so that the picture keeps its height."""
    return Text(visible(excerpt(line, _MAX_LINE_LENGTH)), style=style, no_wrap=True, overflow="ellipsis")


_WIDTH, _HEIGHT, _MARGIN = 960, 640, 90
_FONT = 'font-family="sans-serif" font-size="12"'
_TURNS = 200
"""Rounds of the simulation, by which the graphs that are drawn have settled (found by eye)."""
_LABEL = 28
"""Columns of a label; a Chinese character takes two."""
_ROOMY = 20
"""Nodes that fit on the sheet without their labels overlapping; for more of them it grows (found by eye)."""
_PLAIN, _WAITS, _OPEN = "#1b6ca8", "#b3541e", "#8a8a8a"
_GOLDEN = math.pi * (3 - math.sqrt(5))
"""The golden angle: points of a spiral at this angle never line up."""


def draw(bank: MemoryBank) -> str:
    """Return the graph: nodes, edges, and conflicts that wait (dashed) or could not be settled (dotted)."""
    nodes = bank.graph.nodes
    edges = bank.graph.edges
    clashes = [
        (conflict.state, nodes_of(conflict))
        for conflict in bank.conflicts.all
        if conflict.state is not ConflictState.RESOLVED
    ]
    places = _placed([node.id for node in nodes], [*edges, *((ids[0], ids[1]) for _, ids in clashes if len(ids) > 1)])
    width, height = _sheet(len(nodes))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {_FONT}>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="16" y="24" font-size="15">{escape(_cut(bank.planner.insight.goal, 110))}</text>',
    ]
    parts += [_line(places[one], places[other], "#b8c4cf", "") for one, other in edges]
    for state, ids in clashes:
        dash = "6 4" if state in WAITING else "2 4"
        parts += [_line(places[one], places[ids[0]], _WAITS, dash) for one in ids[1:] if one in places]
    parts += [_node(node, places[node.id]) for node in nodes]
    return "\n".join([*parts, "</svg>\n"])


def _sheet(count: int) -> tuple[int, int]:
    """Return the width and height of the sheet, large enough for the labels."""
    times = max(1.0, math.sqrt(count / _ROOMY))
    return round(_WIDTH * times), round(_HEIGHT * times)


def _cut(text: str, columns: int) -> str:
    """Return as much of a text as fits into so many columns."""
    text = " ".join(text.split())
    room = columns
    for place, sign in enumerate(text):
        room -= 2 if east_asian_width(sign) in "WF" else 1
        if room < 0:
            return f"{text[: place - 1].rstrip()}…"
    return text


def _line(one: complex, other: complex, colour: str, dash: str) -> str:
    """Return an edge as SVG."""
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{one.real:.1f}" y1="{one.imag:.1f}" x2="{other.real:.1f}" y2="{other.imag:.1f}" '
        f'stroke="{colour}" stroke-width="1.5"{dashed}/>'
    )


def _node(node: QueryNode, place: complex) -> str:
    """Return a node as SVG, coloured by whether it stands, waits or is disputed; the rest shows when pointed at."""
    colour = _WAITS if node.provisional else _OPEN if node.unresolved else _PLAIN
    label = escape(_cut((node.context or node.summary).lstrip("# "), _LABEL))
    title = escape(f"{node.id}\n{node.context}\n{', '.join(node.keywords)}\n{excerpt(node.summary, 600)}")
    x, y = place.real, place.imag
    return (
        f'<g><title>{title}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{colour}"/>'
        f'<text x="{x:.1f}" y="{y + 24:.1f}" text-anchor="middle">{label}</text></g>'
    )


def _placed(ids: Sequence[str], ties: Sequence[tuple[str, str]]) -> dict[str, complex]:
    """Return a position for each node: edges pull, all other pairs push, starting from a spiral."""
    import numpy as np

    count, row = max(1, len(ids)), {node_id: number for number, node_id in enumerate(ids)}
    places = np.array(
        [rect(math.sqrt((number + 0.5) / count), number * _GOLDEN) for number in range(len(ids))], complex
    )
    known = np.array([(row[one], row[other]) for one, other in ties if one in row and other in row], int).reshape(-1, 2)
    # Every pair pushes, which is quadratic: for larger graphs the spiral alone must do.
    turns = _TURNS if count <= 150 else 0
    for turn in range(turns):
        places = _moved(places, known, step=0.05 * (1 - turn / turns), rest=1 / math.sqrt(count))
    return _fitted(dict(zip(ids, places.tolist(), strict=True)))


def _moved(
    places: "NDArray[np.complex128]", ties: "NDArray[np.int_]", *, step: float, rest: float
) -> "NDArray[np.complex128]":
    """Return places after one round of forces: all nodes push each other off, edges pull their ends together.

    It is Fruchterman and Reingold's layout: `rest` is the length at which push and pull are even, `step` bounds a move.
    """
    import numpy as np

    apart = places[:, None] - places
    # Two nodes in one place would push each other infinitely far.
    forces = (rest * rest * apart / np.maximum(np.abs(apart) ** 2, 1e-4)).sum(axis=1)
    pull = apart[ties[:, 0], ties[:, 1]]
    pull *= np.abs(pull) / rest
    np.subtract.at(forces, ties[:, 0], pull)
    np.add.at(forces, ties[:, 1], pull)
    strength = np.abs(forces)
    moved: NDArray[np.complex128] = places + forces / np.where(strength, strength, 1) * np.minimum(strength, step)
    return moved


def _fitted(places: dict[str, complex]) -> dict[str, complex]:
    """Return the positions scaled to the sheet; one alone stands in its middle."""
    width, height = _sheet(len(places))
    if len(places) < 2:
        return dict.fromkeys(places, complex(width / 2, height / 2))
    across, down = [place.real for place in places.values()], [place.imag for place in places.values()]
    left, top = min(across), min(down)
    wide, high = max(across) - left or 1.0, max(down) - top or 1.0
    return {
        node_id: complex(
            _MARGIN + (place.real - left) / wide * (width - 2 * _MARGIN),
            _MARGIN + (place.imag - top) / high * (height - 2 * _MARGIN),
        )
        for node_id, place in places.items()
    }
