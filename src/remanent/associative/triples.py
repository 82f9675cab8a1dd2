"""The graph as triples, out and in: N-Triples with one vocabulary for nodes, links and focuses."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from remanent.associative.focus import FocusManager
from remanent.associative.graph import Graph
from remanent.associative.graphs import Graphs, Work
from remanent.associative.links import LinkStore
from remanent.associative.nodes import NodeStore
from remanent.errors import InvalidInput
from remanent.model import Clock, Entry, EntryKind, Maker, NewId, Origin, Scope, Source, Word, from_millis, to_millis
from remanent.model.word import Count
from remanent.stores import Store, Transaction

if TYPE_CHECKING:
    from remanent.settings import AssociativeSettings

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
FOCUS = "focus:current"
_IRI = r"<([^\x00-\x20<>\"{}|^`\\]*)>"
_LITERAL = rf'"((?:[^"\\\n\r]|\\.)*)"(?:\^\^{_IRI}|@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?'
_LINE = re.compile(rf"\s*{_IRI}\s+{_IRI}\s+(?:{_IRI}|{_LITERAL})\s*\.\s*(?:#.*)?")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPES = {ord(char): f"\\{name}" for name, char in _ESCAPED.items() if name != "'"}
# What some readers take for the end of a line although N-Triples does not.
_ESCAPES |= {code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F, 0x85, 0x2028, 0x2029) if code not in _ESCAPES}


class Taken(Word):
    """What was taken in."""

    nodes: Count = 0
    links: Count = 0
    known: Count = 0
    """Nodes that were here already and stayed as they were."""


# ── out ──────────────────────────────────────────────────────────────────────


def to_triples(graph: Graph) -> list[str]:
    """Return the lines of a graph; reading them gives the same graph."""
    return [*_node_lines(graph), *_link_lines(graph), *_focus_lines(graph)]


def _node_lines(graph: Graph) -> Iterator[str]:
    for vertex in graph.nodes():
        node, subject = vertex.node(), f"node:{vertex.id}"
        yield _to(subject, TYPE, "memory:Node")
        values = {
            "content": node.content,
            "phrase": node.phrase,
            "keywords": json.dumps(node.keywords, ensure_ascii=False),
            "createdAt": str(to_millis(node.created_at)),
            "scanCount": str(node.scan_count),
            "occurredAt": str(to_millis(node.occurred_at)),
            "originalLength": str(node.original_length),
        }
        for name, value in values.items():
            yield _says(subject, name, value)


def _link_lines(graph: Graph) -> Iterator[str]:
    for vertex in graph.nodes():
        met: dict[str, int] = defaultdict(int)
        for edge in sorted(vertex.leaving, key=lambda edge: (edge.target.id, edge.relation)):
            to_id = edge.target.id
            met[to_id] += 1
            yield _to(f"node:{vertex.id}", "memory:link", f"node:{to_id}")
            subject = f"link:{vertex.id}:{to_id}" + (f":{met[to_id]}" if met[to_id] > 1 else "")
            yield _to(subject, TYPE, "memory:Link")
            yield _says(subject, "strength", repr(edge.strength))
            if edge.relation:
                yield _says(subject, "relation", edge.relation)


def _focus_lines(graph: Graph) -> Iterator[str]:
    yield _to(FOCUS, TYPE, "memory:FocusList")
    for order, vertex in enumerate(reversed(graph.focused()), start=1):
        yield _to(FOCUS, "memory:member", f"node:{vertex.id}")
        yield _says(f"node:{vertex.id}", "order", str(order))


def _to(subject: str, predicate: str, target: str) -> str:
    return f"<{subject}> <{predicate}> <{target}> ."


def _says(subject: str, name: str, value: str) -> str:
    return f'<{subject}> <memory:{name}> "{value.translate(_ESCAPES)}" .'


# ── in ───────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Reading:
    """What lines of triples say."""

    nodes: dict[str, dict[str, str]] = field(default_factory=dict)
    links: dict[str, dict[str, str]] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    members: list[str] = field(default_factory=list)

    def focuses(self) -> list[str]:
        """Return the nodes in focus, oldest first."""
        return sorted(self.members, key=lambda node_id: _whole(self.values[f"node:{node_id}"].get("order", "0")))


def read_triples(lines: Iterable[str]) -> Reading:
    """Return what the lines say; refuse the first that is not well formed, by its number."""
    reading = Reading()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = _LINE.fullmatch(line.rstrip("\r\n"))
        if found is None:
            raise InvalidInput(f'line {number} is no triple: <subject> <predicate> <object> or "text", then a dot')
        subject, predicate, target, text, _ = found.groups()
        _take(reading, subject, predicate, target, None if text is None else _unescaped(text))
    return reading


def _take(reading: Reading, subject: str, predicate: str, target: str | None, text: str | None) -> None:
    sort, _, name = subject.partition(":")
    if text is not None and predicate.startswith("memory:"):
        reading.values[subject][predicate.removeprefix("memory:")] = text
    elif predicate == TYPE and target == "memory:Node" and sort == "node":
        reading.nodes[name] = reading.values[subject]
    elif predicate == TYPE and target == "memory:Link" and sort == "link":
        reading.links[name] = reading.values[subject]
    elif subject == FOCUS and predicate == "memory:member" and target is not None:
        reading.members.append(target.removeprefix("node:"))


def _unescaped(text: str) -> str:
    def one(found: re.Match[str]) -> str:
        name = found[1]
        if name[0] in "uU" and len(name) > 1:
            code = int(name[1:], 16)
            if code > 0x10FFFF:
                raise InvalidInput(f"\\{name} is no character")
            return chr(code)
        if name not in _ESCAPED:
            raise InvalidInput(f"\\{name} is no escape of N-Triples")
        return _ESCAPED[name]

    return _ESCAPE.sub(one, text) if "\\" in text else text


def _whole(text: str) -> int:
    try:
        number = int(text)
    except ValueError as error:
        raise InvalidInput("a count or a time must be a whole number") from error
    if not 0 <= number <= 2**53:
        raise InvalidInput("a count or a time is out of range")
    return number


def _strength(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInput("a strength must be a number from 0 to 1") from error


def _keywords(text: str) -> tuple[str, ...]:
    try:
        words = json.loads(text)
    except ValueError as error:
        raise InvalidInput("keywords must be a JSON list of texts") from error
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise InvalidInput("keywords must be a JSON list of texts")
    return tuple(words)


class TripleTaker:
    """Takes graphs in. What comes so was not said here: each text goes into the journal first, marked as imported."""

    def __init__(
        self,
        store: Store,
        graphs: Graphs,
        *,
        settings: "AssociativeSettings",
        clock: Clock,
        new_id: NewId,
        index: Callable[[Transaction], None],
    ) -> None:
        self._store = store
        self._graphs = graphs
        self._settings = settings
        self._clock = clock
        self._new_id = new_id
        self._index = index

    async def take(self, scope: Scope, lines: Iterable[str]) -> Taken:
        """Take in all that the lines say, or nothing."""
        reading = read_triples(lines)
        async with self._store.transaction(scope.owner) as tx:
            work = await self._graphs.work(tx, at=self._clock())
            new = {node_id: values for node_id, values in reading.nodes.items() if node_id not in work.graph}
            self._check_room(work.graph, len(new))
            nodes = NodeStore(work, self._store)
            for node_id, values in new.items():
                self._take_node(work, nodes, node_id, values)
            links = self._take_links(work, reading, new.keys())
            self._take_focuses(work, reading, new.keys())
            if new:
                self._index(tx)
        return Taken(nodes=len(new), links=links, known=len(reading.nodes) - len(new))

    def _check_room(self, graph: Graph, count: int) -> None:
        most = self._settings.max_nodes
        if self._settings.schedule == "fixed" and len(graph) + count > most:
            raise InvalidInput(f"{count} nodes do not fit into the {most} slots of associative.max_nodes")

    def _take_node(self, work: Work, nodes: NodeStore, node_id: str, values: dict[str, str]) -> None:
        content = values.get("content", "")
        if not content.strip():
            raise InvalidInput(f"node {node_id} has no memory:content")
        created = from_millis(_whole(values["createdAt"])) if "createdAt" in values else work.at
        occurred = from_millis(_whole(values["occurredAt"])) if "occurredAt" in values else created
        entry = Entry(
            id=self._new_id(),
            scope=work.scope,
            kind=EntryKind.DOCUMENT,
            role="memory",
            text=content,
            occurred_at=occurred,
            recorded_at=work.at,
            origin=Origin.IMPORT,
        )
        work.tx.append(entry)
        nodes.create_node(
            content,
            values.get("phrase", ""),
            _keywords(values.get("keywords", "[]")),
            node_id=node_id,
            sources=[Source(entry_id=entry.id, end=len(content))],
            occurred_at=occurred,
            created_at=created,
            trust=Origin.IMPORT,
            made_by=Maker(role="import"),
            scan_count=_whole(values.get("scanCount", "0")),
            original_length=max(len(content), _whole(values.get("originalLength", "0"))),
        )

    def _take_links(self, work: Work, reading: Reading, new: Iterable[str]) -> int:
        there = {*new, *(vertex.id for vertex in work.graph.nodes())}
        links = LinkStore(work)
        for name, values in reading.links.items():
            ends = name.split(":")
            if len(ends) not in {2, 3} or ends[0] not in there:
                raise InvalidInput(f"link {name} leaves no node that is here or in these triples")
            strength = _strength(values.get("strength", str(self._settings.link_initial_strength)))
            links.create_link(ends[0], ends[1], strength, values.get("relation", ""))
        return len(reading.links)

    def _take_focuses(self, work: Work, reading: Reading, new: Iterable[str]) -> None:
        """Attend to what the triples attend to, unless the agent attends to something already."""
        focus = FocusManager(work.graph, most=self._settings.max_focus_count)
        known = set(new)
        members = [node_id for node_id in reading.focuses() if node_id in known]
        if members and not focus.get_focus_list():
            focus.update_focus(work, members)
