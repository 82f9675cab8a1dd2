"""The operations of the associative memory, and how the command line shows their answers to people."""

from collections.abc import AsyncIterator, Iterable
from functools import partial
from typing import Annotated

from pydantic import BeforeValidator

from remanent.associative.face import AsyncAssociativeMemory
from remanent.associative.model import (
    AssociativeFound,
    Forgotten,
    GraphState,
    Knowledge,
    LinkHealth,
    Node,
    RecalledNode,
)
from remanent.associative.search import SearchEngine, keywords_of
from remanent.associative.triples import LoadedTriples
from remanent.bilingual import Bilingual, bilingual_words
from remanent.discipline.operation import Body, Command, Face, Permission, Screen, operation, show_restored
from remanent.discipline.port import Call
from remanent.discipline.shapes import (
    MAX_ITEMS,
    Done,
    Nothing,
    Page,
    Remember,
    Since,
    Until,
    about,
    spooled_lines,
)
from remanent.model import Job, Model, Receipt
from remanent.model.ids import Id

NODE_HEADINGS = bilingual_words("id id, content 内容, keywords 关键词, since 时间")
LINK_HEADINGS = bilingual_words("relation 关系, strength 强度, leads to 指向, state 状态")
DANGLES = Bilingual("forgotten", "已遗忘")
IN_FOCUS = Bilingual("in focus", "关注点")
FOCUS_PATH = Bilingual("from focus “{focus}”", "自关注点“{focus}”")
OUT_OF_REACH = Bilingual("found by words or meaning, far from any focus", "由词语或语义找到，离关注点很远")
NO_ASSOCIATION = Bilingual("Nothing comes to mind.", "什么也想不起来。")
NEVER_TOLD = Bilingual("This was never mentioned.", "从未听说过这件事。")
NOT_IN_GRAPH = Bilingual(
    "{count} more messages are not in the graph yet.",
    "另有 {count} 条消息尚未进入联想图。",
)
ONCE_KNOWN = Bilingual(
    "Once known: “{about}” ({size} characters; learned {learned}, forgotten {forgotten}).",
    "曾经记得：“{about}”（{size} 字；记于 {learned}，忘于 {forgotten}）。",
)
REBUILT_FROM = Bilingual(
    "It can be rebuilt from {entries}: `remanent associative restore {node_id}`.",
    "可由 {entries} 重建：`remanent associative restore {node_id}`。",
)
TRIPLES_LOADED = Bilingual(
    "{nodes} nodes and {links} links imported; {known} nodes were already here.",
    "读入 {nodes} 个节点、{links} 条关联；{known} 个节点原已存在。",
)


def _show_found(screen: Screen, found: AssociativeFound) -> None:
    """Show what came to mind, the path to each, and what was once known with what it could be rebuilt from."""
    if not found.items and not found.once_known:
        screen.tell(NEVER_TOLD if found.knowledge is Knowledge.NEVER_TOLD else NO_ASSOCIATION)
    phrases = {item.node.id: item.node.phrase for item in found.items}
    for item in found.items:
        screen.line(item.node.content)
        screen.line(f"    {_path(screen, item, phrases)}")
    _show_forgotten(screen, found.once_known)
    if found.not_in_graph:
        screen.tell(NOT_IN_GRAPH, count=found.not_in_graph)


def _path(screen: Screen, item: RecalledNode, phrases: dict[str, str]) -> str:
    """Say from which focus, along which links and how strongly; nodes by their phrase where that was found, too."""
    if item.focus_id is None:
        return screen.word(OUT_OF_REACH)
    if not item.hops:
        return screen.word(IN_FOCUS)
    begin = screen.word(FOCUS_PATH, focus=phrases.get(item.focus_id) or item.focus_id)
    hops = "".join(
        f" →{hop.relation + ' ' if hop.relation else ''}({hop.strength:.2f})"
        + (f" {phrases.get(hop.to_id) or hop.to_id}" if hop.to_id != item.node.id else "")
        for hop in item.hops
    )
    return f"{begin}{hops} = {item.strength:.2f}"


def _show_forgotten(screen: Screen, stones: Iterable[Forgotten]) -> None:
    """Show what is left of deleted nodes, and from which entries each could be made again."""
    for stone in stones:
        times = {"learned": screen.moment(stone.learned_at), "forgotten": screen.moment(stone.forgotten_at)}
        screen.line(screen.word(ONCE_KNOWN, about=stone.about, size=stone.size, **times))
        entries = ", ".join(dict.fromkeys(source.entry_id for source in stone.sources))
        if entries:
            screen.line(f"    {screen.word(REBUILT_FROM, entries=entries, node_id=stone.node_id)}")


def _show_nodes(screen: Screen, nodes: Iterable[Node]) -> None:
    """Show nodes as a table."""
    rows = [(one.id, one.content, ", ".join(one.keywords), screen.moment(one.occurred_at)) for one in nodes]
    screen.rows(NODE_HEADINGS, rows)


def _show_links(screen: Screen, links: LinkHealth) -> None:
    """Show links as a table, those to what was forgotten at the end."""
    rows = [(one.relation, f"{one.strength:.2f}", one.to_id, "") for one in links.valid]
    rows += [(one.relation, f"{one.strength:.2f}", one.to_id, screen.word(DANGLES)) for one in links.dangling]
    screen.rows(LINK_HEADINGS, rows)


def _show_loaded(screen: Screen, loaded: LoadedTriples) -> None:
    """Say how much of a graph was taken in."""
    screen.line(screen.word(TRIPLES_LOADED, nodes=loaded.nodes, links=loaded.links, known=loaded.known))


NAME = "associative"
_reads = partial(operation, permission=Permission.READ, part=NAME)
_writes = partial(operation, permission=Permission.WRITE, part=NAME)


def _of(call: Call) -> AsyncAssociativeMemory:
    return call.agent.face(AsyncAssociativeMemory)


@_writes(
    "associative.remember",
    zh="写入联想记忆：返回时已持久保存，随后成为互相关联的节点。",
    act="create_memory",
    settles=True,
    command=Command(takes="messages"),
    examples=({"messages": ["I moved to Lisbon in May."]},),
)
async def remember(call: Call, request: Remember) -> Receipt:
    """Store messages and link them into the associative memory; they are durable on return."""
    return await _of(call).remember(list(request.messages), **request.labels)


class AssociativeQuery(Model):
    """What to bring to mind."""

    keywords: Annotated[
        tuple[str, ...],
        BeforeValidator(keywords_of),
        about(
            "Words, any of which may match; or a question, whose content words are used.",
            "关键词，任一匹配即可；也可以是一个问题，取其中的实词。",
            min_length=1,
            max_length=100,
        ),
    ]
    relations: Annotated[
        tuple[str, ...] | None,
        about("Only follow links with these relations.", "只沿这些关系的关联。", max_length=100),
    ] = None
    depth: Annotated[
        int | None,
        about(
            "Exactly this many hops from a focus; if left out, the whole graph is searched by words and meaning.",
            "只从关注点出发走这么多跳；不填则在图中任何地方按词语与语义查找。",
            ge=0,
            le=1000,
        ),
    ] = None
    limit: Annotated[
        int | None,
        about("The most results to return; 0 means no limit.", "最多多少条；0 表示不限。", ge=0, le=MAX_ITEMS),
    ] = None
    since: Since = None
    until: Until = None
    by_meaning: Annotated[
        bool,
        about(
            "With a depth: whether nodes close in meaning also match.",
            "指定深度时，语义相近的节点是否也算匹配。",
        ),
    ] = False


class Recalled(Model):
    """What came to mind: the text for a model, and the items with their sources and paths."""

    text: str
    found: AssociativeFound


# Two operations, one search: `recall` gives the text for a model, as the design has it, `search` the data behind it.
async def _search(call: Call, request: AssociativeQuery) -> AssociativeFound:
    return await _of(call).search(**dict(request))


@_reads(
    "associative.recall",
    zh="联想回忆：按词语、语义与关联查找，最相关的在前，并说明远近、已遗忘或从未听说。",
    act="search_memory",
    route="POST associative/recall",
    examples=({"keywords": ["Lisbon"]},),
    give=lambda answer: answer.text,
    command=Command(arguments=("keywords",), show=lambda screen, answer: _show_found(screen, answer.found)),
)
async def recall(call: Call, request: AssociativeQuery) -> Recalled:
    """Recall by words, meaning and links, best first; says what is far away, forgotten or was never mentioned."""
    found = await _search(call, request)
    return Recalled(text=SearchEngine.format_results(found), found=found)


@_reads(
    "associative.search",
    zh="沿关联检索：与 recall 相同，但返回带来源与路径的结果。",
    act="search_memory",
    route="POST associative/search",
    command=Command(arguments=("keywords",), show=_show_found),
)
async def search(call: Call, request: AssociativeQuery) -> AssociativeFound:
    """Search like recall, and return every node with its sources and the path that leads to it."""
    return await _search(call, request)


@_reads("associative.focus", zh="显示关注点，新的在前。", route="GET associative/focus")
async def focus(call: Call, _: Nothing) -> Page[Node]:
    """Show the nodes in focus, newest first."""
    return Page(items=tuple(await _of(call).focus()))


@_reads("associative.state", zh="显示联想记忆的规模与强度。", route="GET associative/state")
async def state(call: Call, _: Nothing) -> GraphState:
    """Show how many nodes and links there are and how strong they are."""
    return await _of(call).state()


@_writes("associative.compress", zh="请求一次压缩。", settles=True)
async def compress(call: Call, _: Nothing) -> Done:
    """Request a compression, as every call of remember does."""
    await _of(call).compress()
    return Done()


@_reads(
    "associative.forgotten",
    zh="显示遗忘后留下的痕迹。",
    route="GET associative/forgotten",
    command=Command(show=lambda screen, page: _show_forgotten(screen, page.items)),
)
async def forgotten(call: Call, _: Nothing) -> Page[Forgotten]:
    """Show what is left of deleted nodes, most recently forgotten first."""
    return Page(items=tuple(await _of(call).forgotten()))


class ByNode(Model):
    """Which node."""

    node_id: Annotated[
        Id,
        about("The id of a node, as shown by `nodes` or `forgotten`.", "节点的 id，见 `nodes` 或 `forgotten` 的输出。"),
    ]


@_reads(
    "associative.nodes",
    zh="列出联想图的全部节点，旧的在前。",
    route="GET associative/nodes",
    command=Command(show=lambda screen, page: _show_nodes(screen, page.items)),
)
async def nodes(call: Call, _: Nothing) -> Page[Node]:
    """List every node of the graph, oldest first."""
    return Page(items=tuple(await _of(call).nodes()))


@_reads(
    "associative.node",
    zh="显示联想图的一个节点。",
    route="GET associative/nodes/{node_id}",
    command=Command(show=lambda screen, node: _show_nodes(screen, [node])),
)
async def node(call: Call, request: ByNode) -> Node:
    """Show a node of the graph."""
    return await _of(call).node(request.node_id)


@_reads(
    "associative.links",
    zh="显示从一个节点出发的关联：哪些另一端还在，哪些已悬空。",
    route="GET associative/nodes/{node_id}/links",
    command=Command(show=_show_links),
)
async def links(call: Call, request: ByNode) -> LinkHealth:
    """Show the links that leave a node, including dangling ones."""
    return await _of(call).links(request.node_id)


class Importance(Model):
    """How important a node is."""

    importance: float
    """The sum of the strengths of its live links."""


@_reads(
    "associative.importance",
    zh="显示一个节点有多重要：其有效关联的强度之和。",
    route="GET associative/nodes/{node_id}/importance",
    give=lambda answer: answer.importance,
)
async def importance(call: Call, request: ByNode) -> Importance:
    """Show how important a node is: the sum of the strengths of its live links."""
    return Importance(importance=await _of(call).importance(request.node_id))


@_reads("associative.jobs", zh="显示联想记忆正在等待或进行的工作，按其顺序。", route="GET associative/jobs")
async def jobs(call: Call, _: Nothing) -> Page[Job]:
    """Show the associative memory's waiting and running work, in order."""
    return Page(items=tuple(await _of(call).jobs()))


@_writes(
    "associative.restore",
    zh="从原始记录重建被遗忘的节点。",
    act="update_memory",
    route="POST associative/nodes/{node_id}/restore",
    settles=True,
    command=Command(show=show_restored),
)
async def restore(call: Call, request: ByNode) -> Node:
    """Rebuild a deleted node from the journal, as long as its words are still there."""
    return await _of(call).restore(request.node_id)


@_reads("associative.triples", zh="以 N-Triples 输出联想图。", route="GET associative/triples")
async def triples(call: Call, _: Nothing) -> AsyncIterator[str]:
    """Write the graph as N-Triples."""
    for line in await _of(call).triples():
        yield line


@_writes(
    "associative.load_triples",
    zh="读入 N-Triples 形式的联想图：要么全部，要么什么都不写入；已有的节点保持不变。",
    route="POST associative/triples",
    face=Face("load_triples", part=NAME, upload="lines"),
    reads=Body.LINES,
    settles=True,
    command=Command(show=_show_loaded),
)
async def load_triples(call: Call, _: Nothing) -> LoadedTriples:
    """Import a graph from N-Triples: all of it or nothing. Nodes that are already here stay as they are."""
    async with spooled_lines(call.sent()) as lines:
        return await _of(call).load_triples(lines)


class Drawing(Model):
    """How to draw it."""

    html: Annotated[
        bool, about("Draw it as a page that can be searched and zoomed.", "是否绘制成可查找、可缩放的网页。")
    ] = False


@_reads(
    "associative.graph",
    zh="将联想图绘制为 SVG 或网页。",
    route="GET associative/graph",
    command=None,
    face=Face("drawing", part=NAME, give=bytes.decode),
)
async def graph(call: Call, request: Drawing) -> bytes:
    """Draw the graph as an SVG or a page: what belongs together, focuses, link strengths and dangling links."""
    return (await _of(call).drawing(html=request.html)).encode()


OPERATIONS = (
    remember, recall, search, focus, state, nodes, node, links, importance, compress, jobs, forgotten, restore, triples,
    load_triples, graph,
)  # fmt: skip
