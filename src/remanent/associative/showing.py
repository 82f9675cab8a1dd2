"""What the associative memory answers, shown to people."""

from collections.abc import Iterable

from remanent.associative.taking import Taken
from remanent.associative.words import Forgotten, Recollected, Recollection
from remanent.bilingual import Bilingual
from remanent.discipline.operation import Screen

IN_FOCUS = Bilingual("in focus", "关注点")
FOCUS_PATH = Bilingual("from focus “{focus}”", "自关注点“{focus}”")
NO_ASSOCIATION = Bilingual("Nothing comes to mind.", "什么也想不起来。")
ONCE_KNOWN = Bilingual(
    "Once known: “{about}” ({size} characters; learned {learned}, forgotten {forgotten}).",
    "曾经记得：“{about}”（{size} 字；记于 {learned}，忘于 {forgotten}）。",
)
REBUILT_FROM = Bilingual(
    "It can be rebuilt from {entries}: `remanent associative restore {node_id}`.",
    "可由 {entries} 重建：`remanent associative restore {node_id}`。",
)
TRIPLES_TAKEN = Bilingual(
    "{nodes} nodes and {links} links taken in; {known} nodes were here already.",
    "读入 {nodes} 个节点、{links} 条关联；{known} 个节点原已存在。",
)


def show_recollection(screen: Screen, found: Recollection) -> None:
    """Show what came to mind, the path to each, and what was once known with what it could be rebuilt from."""
    if not found.items and not found.once_known:
        screen.tell(NO_ASSOCIATION)
    phrases = {item.node.id: item.node.phrase for item in found.items}
    for item in found.items:
        screen.line(item.node.content)
        screen.line(f"    {_path(screen, item, phrases)}")
    show_forgotten(screen, found.once_known)


def _path(screen: Screen, item: Recollected, phrases: dict[str, str]) -> str:
    """Say from which focus, along which links and how strongly; nodes by their phrase where that was found, too."""
    if not item.hops:
        return screen.word(IN_FOCUS)
    begin = screen.word(FOCUS_PATH, focus=phrases.get(item.focus_id) or item.focus_id)
    hops = "".join(
        f" →{hop.relation + ' ' if hop.relation else ''}({hop.strength:.2f})"
        + (f" {phrases.get(hop.to_id) or hop.to_id}" if hop.to_id != item.node.id else "")
        for hop in item.hops
    )
    return f"{begin}{hops} = {item.strength:.2f}"


def show_forgotten(screen: Screen, stones: Iterable[Forgotten]) -> None:
    """Show what is left of deleted nodes, and from which entries each could be made again."""
    for stone in stones:
        times = {"learned": screen.moment(stone.learned_at), "forgotten": screen.moment(stone.forgotten_at)}
        screen.line(screen.word(ONCE_KNOWN, about=stone.about, size=stone.size, **times))
        entries = ", ".join(dict.fromkeys(source.entry_id for source in stone.sources))
        if entries:
            screen.line(f"    {screen.word(REBUILT_FROM, entries=entries, node_id=stone.node_id)}")


def show_taken(screen: Screen, taken: Taken) -> None:
    """Say how much of a graph was taken in."""
    screen.line(screen.word(TRIPLES_TAKEN, nodes=taken.nodes, links=taken.links, known=taken.known))
