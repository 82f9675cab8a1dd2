"""Graphs in memory, for tests that need no store."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from remanent.associative.graph import Graph
from remanent.associative.model import TRACE, TraceData
from remanent.model import Record, Scope

START = datetime(2025, 1, 1, tzinfo=UTC)
SCOPE = Scope(org="lab", workspace="home", agent="ada")

Link = tuple[str, str, float] | tuple[str, str, float, str]


def graph_of(
    nodes: Mapping[str, str] | Sequence[str],
    links: Iterable[Link] = (),
    *,
    focuses: Sequence[str] = (),
    keywords: Mapping[str, tuple[str, ...]] | None = None,
) -> Graph:
    """Return a graph; the n-th node happened on the n-th day. Links may lead to nodes that are not there."""
    graph = Graph()
    texts = nodes if isinstance(nodes, Mapping) else {name: f"text of {name}" for name in nodes}
    for number, (node_id, text) in enumerate(texts.items()):
        day = START + timedelta(days=number)
        graph.add(
            Record(
                id=node_id,
                scope=SCOPE,
                kind=TRACE,
                content=text,
                summary=text[:20],
                keywords=(keywords or {}).get(node_id, ()),
                created_at=day,
                updated_at=day,
                occurred_at=day,
                data=TraceData(original_length=len(text)),
            )
        )
    for link in links:
        graph.link(link[0], link[1], strength=link[2], relation=link[3] if len(link) > 3 else "")
    graph.focuses = tuple(focuses)
    return graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any small graph: cycles, loops to oneself, several links between two, broken and dangling ones."""
    names = [f"n{number}" for number in range(draw(st.integers(1, 8)))]
    strength = st.sampled_from([0.0, 0.005, 0.01, 0.02, 0.3, 0.5, 0.97, 1.0]) | st.floats(0, 1)
    link = st.tuples(
        st.sampled_from(names), st.sampled_from([*names, "gone", "lost"]), strength, st.sampled_from(["", "上文", "re"])
    )
    links = draw(st.lists(link, max_size=24))
    focuses = draw(st.lists(st.sampled_from(names), unique=True, max_size=5))
    texts = {name: draw(st.sampled_from(["apple", "pear", "apple pear", "苹果"])) + f" {name}" for name in names}
    return graph_of(texts, links, focuses=focuses)
