"""The graph as N-Triples, the subject–predicate–object form of the design's section 2.2: written, parsed, and loaded.

Loading is one unit of work: a graph comes in whole or not at all."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple

from pydantic import TypeAdapter, ValidationError

from remanent.associative.graph import Graph, GraphParts, GraphTransaction
from remanent.associative.graph_store import FocusManager, LinkStore, NodeStore
from remanent.associative.model import TRACE
from remanent.errors import InvalidInput
from remanent.model import Entry, EntryKind, Maker, Model, Origin, Scope, Source, Tombstone, from_millis, to_millis
from remanent.model.base import Count
from remanent.model.ids import Id
from remanent.text.regex import lazy_regex
from remanent.values import dataclass

if TYPE_CHECKING:
    pass

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_FOCUS_LIST = "focus:current"
_IRI = r"<([^\x00-\x20<>\"{}|^`\\]*)>"
_LITERAL = rf'"((?:[^"\\\n\r]|\\.)*)"(?:\^\^{_IRI}|@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?'
_NAME = r"([A-Za-z][\w-]*:[^\s<>\"]*[^\s<>\".])"
# N-Triples, and the design's own notation: names without brackets, and no dot at the end.
_TERM = rf"(?:{_IRI}|{_NAME})"
_LINE = lazy_regex(rf"\s*{_TERM}\s+{_TERM}\s+(?:{_TERM}|{_LITERAL})\s*\.?\s*(?:#.*)?")
_PREFIX = lazy_regex(r"\s*@?prefix\s.*", re.IGNORECASE)
_ESCAPE = lazy_regex(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_ESCAPES = {ord(char): f"\\{name}" for name, char in _ESCAPED.items() if name != "'"}
# What some readers take for the end of a line although N-Triples does not.
_ESCAPES |= {code: f"\\u{code:04X}" for code in (*range(0x20), 0x7F, 0x85, 0x2028, 0x2029) if code not in _ESCAPES}


# ── out ──────────────────────────────────────────────────────────────────────


def to_triples(graph: Graph) -> list[str]:
    """Return the lines of a graph; reading them gives the same graph."""
    return [*_node_lines(graph), *_link_lines(graph), *_focus_lines(graph), *_tombstone_lines(graph)]


# `occurredAt` and `originalLength` are ours beside the design's predicates: without them a graph that is read back
# would compress, and answer questions of time, differently from the one that was written.
def _node_lines(graph: Graph) -> Iterator[str]:
    """Yield the triples of every node: its type, then its properties by the names of the vocabulary."""
    for vertex in graph.nodes():
        node, subject = vertex.node(), f"node:{vertex.id}"
        yield _to(subject, _TYPE, "memory:Node")
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
    """Yield each link twice: as an edge between nodes, and as a thing that has a strength and a relation."""
    for vertex in graph.nodes():
        met: dict[str, int] = defaultdict(int)
        for edge in sorted(vertex.leaving, key=lambda edge: (edge.target.id, edge.relation)):
            to_id = edge.target.id
            met[to_id] += 1
            yield _to(f"node:{vertex.id}", "memory:link", f"node:{to_id}")
            subject = f"link:{vertex.id}:{to_id}" + (f":{met[to_id]}" if met[to_id] > 1 else "")
            yield _to(subject, _TYPE, "memory:Link")
            yield _says(subject, "strength", repr(edge.strength))
            if edge.relation:
                yield _says(subject, "relation", edge.relation)


def _focus_lines(graph: Graph) -> Iterator[str]:
    """Yield the focuses, oldest first, so that taking them in one after the other ends with the same list."""
    yield _to(_FOCUS_LIST, _TYPE, "memory:FocusList")
    for order, vertex in enumerate(reversed(graph.focused()), start=1):
        yield _to(_FOCUS_LIST, "memory:member", f"node:{vertex.id}")
        yield _says(f"node:{vertex.id}", "order", str(order))


def _tombstone_lines(graph: Graph) -> Iterator[str]:
    """Yield what is left of deleted nodes: whoever takes the graph in knows what was once known."""
    for node_id, memorial in graph.memorials.items():
        stone, subject = memorial.forgotten, f"forgotten:{node_id}"
        yield _to(subject, _TYPE, "memory:Forgotten")
        values = {
            "about": stone.about,
            "keywords": json.dumps(stone.keywords, ensure_ascii=False),
            "learnedAt": str(to_millis(stone.learned_at)),
            "forgottenAt": str(to_millis(stone.forgotten_at)),
            "size": str(stone.size),
            "reason": stone.reason,
        }
        for name, value in values.items():
            yield _says(subject, name, value)


def _to(subject: str, predicate: str, target: str) -> str:
    return f"<{subject}> <{predicate}> <{target}> ."


def _says(subject: str, name: str, value: str) -> str:
    return f'<{subject}> <memory:{name}> "{value.translate(_ESCAPES)}" .'


# ── in ───────────────────────────────────────────────────────────────────────

_OF_NODES = frozenset(
    {"content", "phrase", "keywords", "createdAt", "scanCount", "occurredAt", "originalLength", "order"}
)
_OF_LINKS = frozenset({"strength", "relation"})
_OF_TOMBSTONES = frozenset({"about", "keywords", "learnedAt", "forgottenAt", "size", "reason"})
_ID: TypeAdapter[str] = TypeAdapter(Id)


class ParsedValue(NamedTuple):
    """The text of a triple, and the line it stands in."""

    text: str
    line: int


class Properties(dict[str, ParsedValue]):
    """What triples say of one node or link, by the predicate's name."""

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        return self[name].text if name in self else default

    def whole(self, name: str, default: int = 0) -> int:
        """Return a count or a time."""
        if name not in self:
            return default
        text, line = self[name]
        # Not any digits that Python knows: a count has one form.
        if not re.fullmatch("[0-9]{1,16}", text) or int(text) > 2**53:
            raise _invalid_line(line, f"memory:{name} is a whole number that is not negative")
        return int(text)

    def strength(self, default: float) -> float:
        """Return the strength of a link."""
        if "strength" not in self:
            return default
        text, line = self["strength"]
        try:
            strength = float(text)
        except ValueError:
            strength = -1.0
        if not 0 <= strength <= 1:
            raise _invalid_line(line, "memory:strength is a number from 0 to 1")
        return strength

    def keywords(self) -> tuple[str, ...]:
        """Return a node's keywords."""
        if "keywords" not in self:
            return ()
        text, line = self["keywords"]
        try:
            words = json.loads(text)
        except ValueError:
            words = None
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise _invalid_line(line, 'memory:keywords is a JSON list of texts, such as "[\\"pier\\"]"')
        return tuple(words)


class LinkEnds(NamedTuple):
    """Where a link leads from and to; several between the same nodes have numbers."""

    from_id: str
    to_id: str
    number: str = ""


@dataclass(slots=True)
class ParsedGraph:
    """What lines of triples say."""

    nodes: dict[str, int] = field(default_factory=dict)
    """Each node with the line that names it."""
    links: dict[LinkEnds, int] = field(default_factory=dict)
    """Each link with the line that names it."""
    of_nodes: dict[str, Properties] = field(default_factory=lambda: defaultdict(Properties))
    of_links: dict[LinkEnds, Properties] = field(default_factory=lambda: defaultdict(Properties))
    ties: dict[LinkEnds, int] = field(default_factory=dict)
    """That one node leads to another, with the line that says so."""
    members: dict[str, int] = field(default_factory=dict)
    """The nodes in focus, with the lines."""
    forgotten: dict[str, int] = field(default_factory=dict)
    """Each deleted node with the line that names it."""
    of_forgotten: dict[str, Properties] = field(default_factory=lambda: defaultdict(Properties))

    def focuses(self) -> list[str]:
        """Return the nodes in focus, oldest first."""
        return sorted(self.members, key=lambda node_id: self.of_nodes[node_id].whole("order"))


def _invalid_line(line: int, what: str) -> InvalidInput:
    """Return the error for a line."""
    return InvalidInput(f"line {line}: {what}; nothing was taken in")


def read_triples(lines: Iterable[str]) -> ParsedGraph:
    """Return what the lines say; refuse the first that is not well formed or not of the vocabulary, by its number."""
    reading = ParsedGraph()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#") or _PREFIX.fullmatch(line.rstrip()):
            continue
        found = _LINE.fullmatch(line.rstrip("\r\n"))
        if found is None:
            raise _invalid_line(number, 'this is no triple: <subject> <predicate> <object> or "text", then a dot')
        subject, predicate, target = (found[one] or found[one + 1] for one in (1, 3, 5))
        predicate, text = _TYPE if predicate == "rdf:type" else predicate, found[7]
        if text is not None:
            _add_value(reading, subject, predicate, ParsedValue(_unescaped(text, number), number))
        else:
            _add_reference(reading, subject, predicate, target, number)
    _check_whole(reading)
    return reading


def _add_value(reading: ParsedGraph, subject: str, predicate: str, said: ParsedValue) -> None:
    """Note a property that a line tells; what tells two values of one is refused."""
    sort, _, name = subject.partition(":")
    namespace, _, what = predicate.partition(":")
    if namespace == "memory" and sort == "node" and what in _OF_NODES:
        told = reading.of_nodes[_id(name, said.line)]
    elif namespace == "memory" and sort == "link" and what in _OF_LINKS:
        told = reading.of_links[_ends(name, said.line)]
    elif namespace == "memory" and sort == "forgotten" and what in _OF_TOMBSTONES:
        told = reading.of_forgotten[_id(name, said.line)]
    elif subject == _FOCUS_LIST and predicate == "memory:order":
        return  # of whom, it does not say; the members come in the order of their lines then
    else:
        raise _invalid_line(said.line, f"<{predicate}> says nothing of <{subject}> in this vocabulary")
    if told.setdefault(what, said).text != said.text:
        raise _invalid_line(said.line, f"line {told[what].line} says another <{predicate}> of <{subject}>")


def _add_reference(reading: ParsedGraph, subject: str, predicate: str, target: str, line: int) -> None:
    """Note what a line names by its address: a type, an end of a link or a focus."""
    sort, _, name = subject.partition(":")
    far_sort, _, far = target.partition(":")
    if predicate == _TYPE and sort == "node" and target == "memory:Node":
        reading.nodes.setdefault(_id(name, line), line)
    elif predicate == _TYPE and sort == "forgotten" and target == "memory:Forgotten":
        reading.forgotten.setdefault(_id(name, line), line)
    elif predicate == _TYPE and sort == "link" and target == "memory:Link":
        reading.links.setdefault(_ends(name, line), line)
    elif predicate == "memory:link" and sort == far_sort == "node":
        reading.ties.setdefault(LinkEnds(_id(name, line), _id(far, line)), line)
    elif subject == _FOCUS_LIST and predicate == "memory:member" and far_sort == "node":
        reading.members.setdefault(_id(far, line), line)
    elif not (subject == _FOCUS_LIST and predicate == _TYPE and target == "memory:FocusList"):
        raise _invalid_line(line, f"<{subject}> <{predicate}> <{target}> is not of this vocabulary")


def _check_whole(reading: ParsedGraph) -> None:
    """Refuse what is told of nodes and links that no line names as such."""
    for node_id, told in reading.of_nodes.items():
        # The order of a focus may be told of a node that the reader has already.
        if node_id not in reading.nodes and not (node_id in reading.members and told.keys() == {"order"}):
            raise _unnamed(told, f"<node:{node_id}> is a memory:Node")
    for ends, told in reading.of_links.items():
        if ends not in reading.links:
            name = ":".join(part for part in ends if part)
            raise _unnamed(told, f"<link:{name}> is a memory:Link")
    for node_id, told in reading.of_forgotten.items():
        if node_id not in reading.forgotten:
            raise _unnamed(told, f"<forgotten:{node_id}> is memory:Forgotten")
    described = {(ends.from_id, ends.to_id) for ends in reading.links}
    for ends, line in reading.ties.items():
        if (ends.from_id, ends.to_id) not in described:
            reading.links[ends] = line


def _unnamed(told: Properties, what: str) -> InvalidInput:
    """Return the error for something that is described and never named as what it is."""
    return _invalid_line(min(said.line for said in told.values()), f"no line says that {what}")


def _id(text: str, line: int) -> str:
    """Return an id that a line names; one that no store would take is refused with the number of its line."""
    try:
        return _ID.validate_python(text)
    except ValidationError as error:
        raise _invalid_line(line, "an id is 1 to 64 letters, digits, - and _") from error


def _ends(name: str, line: int) -> LinkEnds:
    """Return the two ends of a link, and its relation where it has one, from the name by which triples speak of it."""
    parts = name.split(":")
    if len(parts) not in {2, 3}:
        raise _invalid_line(line, "a link is called <link:FROM:TO>")
    return LinkEnds(*(_id(part, line) for part in parts))


def _unescaped(text: str, line: int) -> str:
    """Return a text with the escapes of N-Triples resolved."""

    def one(found: re.Match[str]) -> str:
        name = found[1]
        if name[0] in "uU" and len(name) > 1:
            code = int(name[1:], 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                raise _invalid_line(line, f"\\{name} is no character")
            return chr(code)
        if name not in _ESCAPED:
            raise _invalid_line(line, f"\\{name} is no escape of N-Triples")
        return _ESCAPED[name]

    return _ESCAPE.sub(one, text) if "\\" in text else text


class LoadedTriples(Model):
    """What was taken in."""

    nodes: Count = 0
    links: Count = 0
    known: Count = 0
    """Nodes that were here already and stayed as they were."""


class TripleLoader:
    """Takes graphs in. What comes so was not said here: each text goes into the journal first, marked as imported."""

    def __init__(self, parts: GraphParts) -> None:
        self._parts = parts

    async def load(self, scope: Scope, lines: Iterable[str]) -> LoadedTriples:
        """Take in all that the lines say, or nothing."""
        # A large graph takes seconds to read; others go on meanwhile.
        reading = await asyncio.to_thread(read_triples, lines)
        async with self._parts.store.transaction(scope.owner) as tx:
            work = await self._parts.graphs.work(tx, at=self._parts.clock())
            new = {node_id: line for node_id, line in reading.nodes.items() if node_id not in work.graph}
            self._check_room(work.graph, len(new))
            await self._check_free(work, new)
            nodes = NodeStore(work, self._parts.store)
            entries = {
                node_id: self._entry(work, node_id, reading.of_nodes[node_id], line) for node_id, line in new.items()
            }
            await self._parts.append(tx, list(entries.values()))
            for node_id, entry in entries.items():
                _load_node(work, nodes, node_id, reading.of_nodes[node_id], entry)
            self._load_links(work, reading, new)
            self._load_focuses(work, reading, new)
            self._load_tombstones(work, nodes, reading)
            if new:
                self._parts.index(tx)
        return LoadedTriples(nodes=len(new), links=len(reading.links), known=len(reading.nodes) - len(new))

    def _load_tombstones(self, work: GraphTransaction, nodes: NodeStore, reading: ParsedGraph) -> None:
        """Note what was forgotten elsewhere; it came from another journal, so that it cannot be made again here."""
        for node_id in reading.forgotten:
            if node_id in work.graph or node_id in work.graph.memorials or node_id in reading.nodes:
                continue
            told, now = reading.of_forgotten[node_id], to_millis(work.at)
            nodes.bury(
                Tombstone(
                    record_id=node_id,
                    scope=work.scope,
                    kind=TRACE,
                    about=told.text("about"),
                    keywords=told.keywords(),
                    learned_at=from_millis(told.whole("learnedAt", now)),
                    forgotten_at=from_millis(told.whole("forgottenAt", now)),
                    size=told.whole("size"),
                    reason=told.text("reason"),
                )
            )

    def _check_room(self, graph: Graph, count: int) -> None:
        most = self._parts.settings.max_nodes
        if self._parts.settings.schedule == "fixed" and len(graph) + count > most:
            raise InvalidInput(f"{count} nodes do not fit into the {most} slots of associative.max_nodes")

    async def _check_free(self, work: GraphTransaction, new: dict[str, int]) -> None:
        """Refuse the id of something else that the agent remembers."""
        for record in (await self._parts.store.records_by_id(work.scope, new)).values():
            raise _invalid_line(
                new[record.id], f"the id {record.id} belongs to something else here ({record.kind.value})"
            )

    def _entry(self, work: GraphTransaction, node_id: str, told: Properties, line: int) -> Entry:
        """Return the words of a node as they go into the journal."""
        content = told.text("content")
        if not content.strip():
            raise _invalid_line(line, f"<node:{node_id}> has no memory:content")
        created = from_millis(told.whole("createdAt")) if "createdAt" in told else work.at
        return Entry(
            id=self._parts.new_id(),
            scope=work.scope,
            kind=EntryKind.DOCUMENT,
            role="memory",
            text=content,
            occurred_at=from_millis(told.whole("occurredAt")) if "occurredAt" in told else created,
            recorded_at=work.at,
            origin=Origin.IMPORT,
        )

    def _load_links(self, work: GraphTransaction, reading: ParsedGraph, new: Collection[str]) -> None:
        """Make the links that lines tell of; each must begin at a node, while its end may be gone."""
        links = LinkStore(work)
        met: set[tuple[str, str, str]] = set()
        for ends, line in reading.links.items():
            if ends.from_id not in new and ends.from_id not in work.graph:
                raise _invalid_line(
                    line, f"<node:{ends.from_id}>, where this link begins, is neither here nor in these triples"
                )
            told = reading.of_links.get(ends, Properties())
            strength = told.strength(self._parts.settings.link_initial_strength)
            link = (ends.from_id, ends.to_id, told.text("relation"))
            if link in met:
                raise _invalid_line(line, "a line before tells of a link with the same ends and the same relation")
            met.add(link)
            links.create_link(ends.from_id, ends.to_id, strength, link[2])

    def _load_focuses(self, work: GraphTransaction, reading: ParsedGraph, new: Collection[str]) -> None:
        """Attend to what the triples attend to, unless the agent attends to something already."""
        focus = FocusManager(work.graph, most=self._parts.settings.max_focus_count)
        members = [node_id for node_id in reading.focuses() if node_id in new]
        if members and not focus.get_focus_list():
            focus.update_focus(work, members)


def _load_node(work: GraphTransaction, nodes: NodeStore, node_id: str, told: Properties, entry: Entry) -> None:
    """Make a node whose words are in the journal."""
    if node_id in work.graph.memorials:
        nodes.unbury(node_id)
    nodes.create_node(
        entry.text,
        told.text("phrase"),
        told.keywords(),
        node_id=node_id,
        sources=[Source(entry_id=entry.id, end=len(entry.text))],
        occurred_at=entry.occurred_at,
        created_at=from_millis(told.whole("createdAt")) if "createdAt" in told else work.at,
        trust=Origin.IMPORT,
        made_by=Maker(role="import"),
        scan_count=told.whole("scanCount"),
        original_length=max(len(entry.text), told.whole("originalLength")),
    )
