"""`associative`: the memory that forgets, shown."""

from collections.abc import Iterable
from pathlib import Path

from rich.table import Table

from remanent.associative import Forgotten, GraphState, Node, Recollected, Recollection
from remanent.cli import words
from remanent.cli.place import Place
from remanent.cli.screen import Screen, begin, local_time, standard_output, visible


def show(place: Place, *, svg: bool, file: Path | None) -> None:
    """Show an agent's graph: as figures and what is in focus, or as a drawing."""
    screen, settings = begin(place)
    with place.open(settings) as memory:
        associative = memory.agent(place.agent or "").associative
        if svg:
            _give(associative.drawing(), file)
            return
        state, focuses = associative.state(), associative.focus()
    if place.as_json:
        screen.give({"state": state, "focus": focuses})
    else:
        _tell(screen, state, focuses)


def _give(drawing: str, file: Path | None) -> None:
    if file is None or str(file) == "-":
        standard_output().write(drawing.encode())
    else:
        file.write_text(drawing, encoding="utf-8")


def _tell(screen: Screen, state: GraphState, focuses: list[Node]) -> None:
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


def show_recollection(screen: Screen, found: Recollection) -> None:
    """Show what came to mind, the path to each, and what was once known with what it could be rebuilt from."""
    if not found.items and not found.once_known:
        screen.tell(words.NO_ASSOCIATION)
    phrases = {item.node.id: item.node.phrase for item in found.items}
    for item in found.items:
        screen.show(visible(item.node.content))
        screen.show(f"    {_path(screen, item, phrases)}")
    show_forgotten(screen, found.once_known)


def _path(screen: Screen, item: Recollected, phrases: dict[str, str]) -> str:
    """Say from which focus, along which links and how strongly; nodes by their phrase where that was found, too."""
    if not item.hops:
        return screen.word(words.IN_FOCUS)
    begin = screen.word(words.FOCUS_PATH, focus=phrases.get(item.focus_id) or item.focus_id)
    hops = "".join(
        f" →{visible(hop.relation) + ' ' if hop.relation else ''}({hop.strength:.2f})"
        + (f" {visible(phrases.get(hop.to_id) or hop.to_id)}" if hop.to_id != item.node.id else "")
        for hop in item.hops
    )
    return f"{begin}{hops} = {item.strength:.2f}"


def show_forgotten(screen: Screen, stones: Iterable[Forgotten]) -> None:
    """Show what is left of deleted nodes, and from which entries each could be made again."""
    for stone in stones:
        times = {"learned": local_time(stone.learned_at), "forgotten": local_time(stone.forgotten_at)}
        screen.show(screen.word(words.ONCE_KNOWN, about=stone.about, size=stone.size, **times))
        entries = ", ".join(dict.fromkeys(source.entry_id for source in stone.sources))
        if entries:
            screen.show(f"    {screen.word(words.REBUILT_FROM, entries=entries, node_id=stone.node_id)}")
