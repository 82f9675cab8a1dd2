"""`associative show`: the memory that forgets, as figures or as a drawing.

A module of its own, as `bank` is, because a discipline may be missing and the others must still work.
"""

from pathlib import Path

from rich.table import Table

from remanent.associative.model import GraphState, Node
from remanent.cli import words
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin, local_time, standard_output, visible


def show(place: CommonOptions, *, svg: bool, html: bool, file: Path | None) -> None:
    """Show an agent's graph: as figures and what is in focus, or as a drawing."""
    screen, settings = begin(place)
    with place.open(settings) as memory:
        associative = memory.agent(place.agent or "").associative
        if svg or html:
            _give(associative.drawing(html=html), file)
            return
        state, focuses = associative.state(), associative.focus()
    if place.as_json:
        screen.give({"state": state, "focus": focuses})
    else:
        _tell(screen, state, focuses)


def _give(drawing: str, file: Path | None) -> None:
    """Write the drawing to a file or to standard output, in UTF-8 whatever the locale says."""
    if file is None or str(file) == "-":
        standard_output().write(drawing.encode())
    else:
        file.write_text(drawing, encoding="utf-8")


def _tell(screen: Terminal, state: GraphState, focuses: list[Node]) -> None:
    """Show the figures, and what is in focus as a table."""
    screen.show(
        screen.word(
            words.GRAPH,
            nodes=state.nodes,
            links=state.links,
            dangling=state.dangling,
            strength=state.mean_strength,
            forgotten=state.forgotten,
        )
    )
    table = Table(screen.word(words.FOCUS), screen.word(words.KEYWORDS), screen.word(words.SINCE))
    for node in focuses:
        table.add_row(visible(node.content), visible(", ".join(node.keywords)), local_time(node.occurred_at))
    if focuses:
        screen.show(table)
