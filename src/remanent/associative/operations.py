"""The associative memory: linked nodes that fade, and what is left of the forgotten."""

from collections.abc import AsyncIterator
from typing import Annotated

from remanent.associative import AsyncAssociativeMemory, Forgotten, GraphState, Node, Recollection, Taken
from remanent.associative.search import SearchEngine
from remanent.associative.showing import show_forgotten, show_recollection, show_taken
from remanent.discipline.call import Call
from remanent.discipline.operation import Body, Command, operation
from remanent.discipline.permission import Permission
from remanent.discipline.shapes import MAX_ITEMS, Done, Nothing, Page, Remember, Since, Until, about
from remanent.discipline.showing import show_restored
from remanent.discipline.uploads import spooled_lines
from remanent.model import Model, Receipt
from remanent.model.ids import Id

READ, WRITE = Permission.READ, Permission.WRITE


def _of(call: Call) -> AsyncAssociativeMemory:
    return call.agent.face(AsyncAssociativeMemory)


@operation(
    "associative.remember",
    zh="写入联想记忆：返回时已持久保存，随后成为互相关联的节点。",
    permission=WRITE,
    act="create_memory",
    settles=True,
    command=Command(takes="messages"),
    examples=({"messages": ["I moved to Lisbon in May."]},),
)
async def remember(call: Call, request: Remember) -> Receipt:
    """Keep messages and link them into the associative memory; they are durable on return."""
    return await _of(call).remember(list(request.messages), session=request.session, task=request.task)


class Recall(Model):
    """What to bring to mind."""

    keywords: Annotated[
        tuple[str, ...], about("Any of these words.", "关键词，任一匹配即可。", min_length=1, max_length=100)
    ]
    relations: Annotated[
        tuple[str, ...] | None,
        about("Only along links of these relations.", "只沿这些关系的关联。", max_length=100),
    ] = None
    depth: Annotated[int | None, about("Hops from a focus.", "从关注点出发的跳数。", ge=0, le=1000)] = None
    limit: Annotated[
        int | None, about("How many at most; 0 is no limit.", "最多多少条；0 表示不限。", ge=0, le=MAX_ITEMS)
    ] = None
    since: Since = None
    until: Until = None
    by_meaning: Annotated[
        bool, about("Whether nodes that are near in meaning match, too.", "语义相近的节点是否也算匹配。")
    ] = False


class Recalled(Model):
    """What came to mind: the text for a model, and the paths that led there."""

    text: str
    found: Recollection


@operation(
    "associative.recall",
    zh="沿关联回忆：从关注点出发，最强的路径在前，并说明遗忘了什么。",
    permission=READ,
    act="search_memory",
    route="POST associative/recall",
    examples=({"keywords": ["Lisbon"]},),
    command=Command(arguments=("keywords",), show=lambda screen, answer: show_recollection(screen, answer.found)),
)
async def recall(call: Call, request: Recall) -> Recalled:
    """Follow links from what is in focus, strongest path first; says what was forgotten on the way."""
    found = await _of(call).search(
        request.keywords,
        request.relations,
        request.depth,
        limit=request.limit,
        since=request.since,
        until=request.until,
        by_meaning=request.by_meaning,
    )
    return Recalled(text=SearchEngine.format_results(found), found=found)


@operation("associative.focus", zh="显示关注点，新的在前。", permission=READ, route="GET associative/focus")
async def focus(call: Call, request: Nothing) -> Page[Node]:
    """Show the nodes in focus, newest first."""
    del request
    return Page(items=tuple(await _of(call).focus()))


@operation("associative.state", zh="显示联想记忆的规模与强度。", permission=READ, route="GET associative/state")
async def state(call: Call, request: Nothing) -> GraphState:
    """Show how many nodes and links there are and how strong they are."""
    del request
    return await _of(call).state()


@operation("associative.compress", zh="请求一次压缩。", permission=WRITE, settles=True)
async def compress(call: Call, request: Nothing) -> Done:
    """Ask for a compression, as every remembering does."""
    del request
    await _of(call).compress()
    return Done()


@operation(
    "associative.forgotten",
    zh="显示遗忘后留下的痕迹。",
    permission=READ,
    route="GET associative/forgotten",
    command=Command(show=lambda screen, page: show_forgotten(screen, page.items)),
)
async def forgotten(call: Call, request: Nothing) -> Page[Forgotten]:
    """Show what is left of deleted nodes, last forgotten first."""
    del request
    return Page(items=tuple(await _of(call).forgotten()))


class ByNode(Model):
    """Which node."""

    node_id: Annotated[Id, about("A node, as `forgotten` shows it.", "节点的 id，见 `forgotten` 的输出。")]


@operation(
    "associative.restore",
    zh="从原始记录重建被遗忘的节点。",
    permission=WRITE,
    act="update_memory",
    route="POST associative/nodes/{node_id}/restore",
    settles=True,
    command=Command(arguments=("node_id",), show=show_restored),
)
async def restore(call: Call, request: ByNode) -> Node:
    """Make a deleted node again from the journal, while that has its words."""
    return await _of(call).restore(request.node_id)


@operation("associative.triples", zh="以 N-Triples 输出联想图。", permission=READ, route="GET associative/triples")
async def triples(call: Call, request: Nothing) -> AsyncIterator[str]:
    """Write the graph as N-Triples."""
    del request
    for line in await _of(call).triples():
        yield line


@operation(
    "associative.load_triples",
    zh="读入 N-Triples 形式的联想图：要么全部，要么什么都不写入；已有的节点保持不变。",
    permission=WRITE,
    route="POST associative/triples",
    reads=Body.LINES,
    settles=True,
    command=Command(show=show_taken),
)
async def load_triples(call: Call, request: Nothing) -> Taken:
    """Take in a graph of N-Triples: all of it or nothing. Nodes that are here already stay as they are."""
    del request
    async with spooled_lines(call.sent()) as lines:
        return await _of(call).load_triples(lines)


@operation("associative.graph", zh="将联想图绘制为 SVG。", permission=READ, route="GET associative/graph", command=None)
async def graph(call: Call, request: Nothing) -> bytes:
    """Draw the graph as an SVG: focuses, strengths, and ends that dangle."""
    del request
    return (await _of(call).drawing()).encode()


OPERATIONS = (remember, recall, focus, state, compress, forgotten, restore, triples, load_triples, graph)
