"""The graph as N-Triples, the subject–predicate–object form of the design's section 2.2: written, parsed, and loaded.

Loading is one unit of work: a graph comes in whole or not at all."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field
from typing import NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from remanent.associative.graph import Graph, GraphParts, GraphTransaction
from remanent.associative.model import TRACE
from remanent.errors import InvalidInput
from remanent.lightweight import dataclass
from remanent.model import Entry, EntryKind, Maker, Model, Origin, Scope, Source, Tombstone, from_millis, to_millis
from remanent.model.base import Count
from remanent.model.ids import Id
from remanent.text.regex import lazy_regex

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
    """Yield the triples of every node."""
    for vertex in graph.nodes():
        node = vertex.node()
        yield from _described(
            "node",
            vertex.id,
            content=node.content,
            phrase=node.phrase,
            keywords=json.dumps(node.keywords, ensure_ascii=False),
            createdAt=str(to_millis(node.created_at)),
            scanCount=str(node.scan_count),
            occurredAt=str(to_millis(node.occurred_at)),
            originalLength=str(node.original_length),
        )


def _link_lines(graph: Graph) -> Iterator[str]:
    """Yield each link twice: as an edge between nodes, and as a thing that has a strength and a relation."""
    for vertex in graph.nodes():
        met: dict[str, int] = defaultdict(int)
        for edge in sorted(vertex.leaving, key=lambda edge: (edge.target.id, edge.relation)):
            to_id = edge.target.id
            met[to_id] += 1
            yield _to(f"node:{vertex.id}", "memory:link", f"node:{to_id}")
            name = f"{vertex.id}:{to_id}" + (f":{met[to_id]}" if met[to_id] > 1 else "")
            relation = {"relation": edge.relation} if edge.relation else {}
            yield from _described("link", name, strength=repr(edge.strength), **relation)


def _focus_lines(graph: Graph) -> Iterator[str]:
    """Yield the focuses, oldest first, so that taking them in one after the other ends with the same list."""
    yield _to(_FOCUS_LIST, _TYPE, "memory:FocusList")
    for order, vertex in enumerate(reversed(graph.focused()), start=1):
        yield _to(_FOCUS_LIST, "memory:member", f"node:{vertex.id}")
        yield _says(f"node:{vertex.id}", "order", str(order))


def _tombstone_lines(graph: Graph) -> Iterator[str]:
    """Yield what is left of deleted nodes: whoever takes the graph in knows what was once known."""
    for node_id, memorial in graph.memorials.items():
        stone = memorial.forgotten
        yield from _described(
            "forgotten",
            node_id,
            about=stone.about,
            keywords=json.dumps(stone.keywords, ensure_ascii=False),
            learnedAt=str(to_millis(stone.learned_at)),
            forgottenAt=str(to_millis(stone.forgotten_at)),
            size=str(stone.size),
            reason=stone.reason,
        )


def _described(sort: str, name: str, **values: str) -> Iterator[str]:
    """Yield what a thing is, then its properties by the names of the vocabulary."""
    yield _to(f"{sort}:{name}", _TYPE, f"memory:{sort.capitalize()}")
    for what, value in values.items():
        yield _says(f"{sort}:{name}", what, value)


def _to(subject: str, predicate: str, target: str) -> str:
    return f"<{subject}> <{predicate}> <{target}> ."


def _says(subject: str, name: str, value: str) -> str:
    return f'<{subject}> <memory:{name}> "{value.translate(_ESCAPES)}" .'


# ── in ───────────────────────────────────────────────────────────────────────

_VOCABULARY = {
    "node": {"content", "phrase", "keywords", "createdAt", "scanCount", "occurredAt", "originalLength", "order"},
    "link": {"strength", "relation"},
    "forgotten": {"about", "keywords", "learnedAt", "forgottenAt", "size", "reason"},
}
"""What can be said of each sort of thing."""
_ID: TypeAdapter[str] = TypeAdapter(Id)
_V = TypeVar("_V")


class ParsedValue(NamedTuple):
    """The text of a triple, and the line it stands in."""

    text: str
    line: int


class Properties(dict[str, ParsedValue]):
    """What triples say of one node, link or tombstone, by the predicate's name."""

    line: int = 0
    """The line that names it as what it is, if one does."""

    def text(self, name: str, default: str = "") -> str:
        """Return a text."""
        return self[name].text if name in self else default

    def whole(self, name: str, default: int = 0) -> int:
        """Return a count or a time."""
        return self._read(name, default, _whole, "must be a whole number, 0 or more")

    def strength(self, default: float) -> float:
        """Return the strength of a link."""
        return self._read("strength", default, _share, "must be a number from 0 to 1")

    def keywords(self) -> tuple[str, ...]:
        """Return a node's keywords."""
        return self._read("keywords", (), _words, 'must be a JSON list of strings, such as "[\\"pier\\"]"')

    def _read(self, name: str, default: _V, read: Callable[[str], _V], what: str) -> _V:
        """Return a value; one that cannot be read is refused with the number of its line."""
        if name not in self:
            return default
        try:
            return read(self[name].text)
        except ValueError as error:
            raise _invalid_line(self[name].line, f"memory:{name} {what}") from error


def _whole(text: str) -> int:
    # Not any digits that Python knows: a count has one form.
    if not re.fullmatch("[0-9]{1,16}", text) or int(text) > 2**53:
        raise ValueError
    return int(text)


def _share(text: str) -> float:
    if not 0 <= float(text) <= 1:
        raise ValueError
    return float(text)


def _words(text: str) -> tuple[str, ...]:
    words = json.loads(text)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError
    return tuple(words)


@dataclass(slots=True)
class ParsedGraph:
    """What lines of triples say: of each sort of thing by name, a link's being its ends and perhaps a number."""

    nodes: dict[str, Properties] = field(default_factory=lambda: defaultdict(Properties))
    links: dict[str, Properties] = field(default_factory=lambda: defaultdict(Properties))
    forgotten: dict[str, Properties] = field(default_factory=lambda: defaultdict(Properties))
    ties: dict[str, int] = field(default_factory=dict)
    """That one node leads to another, with the line that says so."""
    members: dict[str, int] = field(default_factory=dict)
    """The nodes in focus, with the lines."""

    def thing(self, sort: str, name: str, line: int) -> Properties:
        """Return what is said of a thing, once its name is one that it can have."""
        if sort == "link":
            _ends(name, line)
            return self.links[name]
        return (self.nodes if sort == "node" else self.forgotten)[_id(name, line)]

    def focuses(self) -> list[str]:
        """Return the nodes in focus, oldest first."""
        return sorted(self.members, key=lambda node_id: self.nodes[node_id].whole("order"))


def _invalid_line(line: int, what: str) -> InvalidInput:
    """Return the error for a line."""
    return InvalidInput(f"line {line}: {what}; nothing was imported")


def read_triples(lines: Iterable[str]) -> ParsedGraph:
    """Return what the lines say; refuse the first that is not well formed or not of the vocabulary, by its number."""
    reading = ParsedGraph()
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#") or _PREFIX.fullmatch(line.rstrip()):
            continue
        found = _LINE.fullmatch(line.rstrip("\r\n"))
        if found is None:
            raise _invalid_line(number, 'this is not a triple: <subject> <predicate> <object> or "text", then a dot')
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
    if subject == _FOCUS_LIST and predicate == "memory:order":
        return  # of whom, it does not say; the members come in the order of their lines then
    if namespace != "memory" or what not in _VOCABULARY.get(sort, ()):
        raise _invalid_line(said.line, f"<{predicate}> cannot describe <{subject}> in this vocabulary")
    told = reading.thing(sort, name, said.line)
    if told.setdefault(what, said).text != said.text:
        raise _invalid_line(said.line, f"line {told[what].line} gives <{predicate}> of <{subject}> another value")


def _add_reference(reading: ParsedGraph, subject: str, predicate: str, target: str, line: int) -> None:
    """Note what a line names by its address: a type, an end of a link or a focus."""
    sort, _, name = subject.partition(":")
    far_sort, _, far = target.partition(":")
    if predicate == _TYPE and sort in _VOCABULARY and target == f"memory:{sort.capitalize()}":
        thing = reading.thing(sort, name, line)
        thing.line = thing.line or line
    elif predicate == "memory:link" and sort == far_sort == "node":
        reading.ties.setdefault(f"{_id(name, line)}:{_id(far, line)}", line)
    elif subject == _FOCUS_LIST and predicate == "memory:member" and far_sort == "node":
        reading.members.setdefault(_id(far, line), line)
    elif not (subject == _FOCUS_LIST and predicate == _TYPE and target == "memory:FocusList"):
        raise _invalid_line(line, f"<{subject}> <{predicate}> <{target}> is not in this vocabulary")


def _check_whole(reading: ParsedGraph) -> None:
    """Refuse what is told of nodes and links that no line names as such; a link may be named by its ends alone."""
    for sort, things in (("node", reading.nodes), ("link", reading.links), ("forgotten", reading.forgotten)):
        for name, told in things.items():
            # The order of a focus may be told of a node that the reader has already.
            is_focus = sort == "node" and name in reading.members and told.keys() == {"order"}
            if not told.line and not is_focus:
                line = min(said.line for said in told.values())
                raise _invalid_line(line, f"no line says that <{sort}:{name}> is a memory:{sort.capitalize()}")
    described = {_ends(name, told.line) for name, told in reading.links.items()}
    for name, line in reading.ties.items():
        if _ends(name, line) not in described:
            reading.links[name].line = line


def _id(text: str, line: int) -> str:
    """Return an id that a line names; one that no store would take is refused with the number of its line."""
    try:
        return _ID.validate_python(text)
    except ValidationError as error:
        raise _invalid_line(line, "an id is 1 to 64 letters, digits, - and _") from error


def _ends(name: str, line: int) -> tuple[str, str]:
    """Return the two ends of a link, from the name by which triples speak of it; several have numbers behind them."""
    parts = name.split(":")
    if len(parts) not in {2, 3}:
        raise _invalid_line(line, "a link is called <link:FROM:TO>")
    from_id, to_id, *_ = [_id(part, line) for part in parts]
    return from_id, to_id


def _unescaped(text: str, line: int) -> str:
    """Return a text with the escapes of N-Triples resolved."""

    def one(found: re.Match[str]) -> str:
        name = found[1]
        if name[0] in "uU" and len(name) > 1:
            code = int(name[1:], 16)
            if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
                raise _invalid_line(line, f"\\{name} is not a character")
            return chr(code)
        if name not in _ESCAPED:
            raise _invalid_line(line, f"\\{name} is not an escape of N-Triples")
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
            named = {node_id: told for node_id, told in reading.nodes.items() if told.line}
            new = {node_id: told for node_id, told in named.items() if node_id not in work.graph}
            self._check_room(work.graph, len(new))
            await self._check_free(work, new)
            entries = {node_id: self._entry(work, node_id, told) for node_id, told in new.items()}
            await self._parts.append(tx, list(entries.values()))
            for node_id, entry in entries.items():
                _load_node(work, node_id, new[node_id], entry)
            self._load_links(work, reading, new)
            self._load_focuses(work, reading, new)
            self._load_tombstones(work, reading)
            if new:
                self._parts.index(tx)
        return LoadedTriples(nodes=len(new), links=len(reading.links), known=len(named) - len(new))

    def _load_tombstones(self, work: GraphTransaction, reading: ParsedGraph) -> None:
        """Note what was forgotten elsewhere; it came from another journal, so that it cannot be made again here."""
        for node_id, told in reading.forgotten.items():
            if node_id in work.graph or node_id in work.graph.memorials or reading.nodes[node_id].line:
                continue
            now = to_millis(work.at)
            work.bury(
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

    async def _check_free(self, work: GraphTransaction, new: Mapping[str, Properties]) -> None:
        """Refuse the id of something else that the agent remembers."""
        for record in (await self._parts.store.records_by_id(work.scope, new)).values():
            raise _invalid_line(
                new[record.id].line, f"the id {record.id} belongs to something else here ({record.kind.value})"
            )

    def _entry(self, work: GraphTransaction, node_id: str, told: Properties) -> Entry:
        """Return the words of a node as they go into the journal."""
        content = told.text("content")
        if not content.strip():
            raise _invalid_line(told.line, f"<node:{node_id}> has no memory:content")
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
        met: set[tuple[str, str, str]] = set()
        for name, told in reading.links.items():
            from_id, to_id = _ends(name, told.line)
            if from_id not in new and from_id not in work.graph:
                raise _invalid_line(
                    told.line, f"<node:{from_id}>, where this link begins, is neither here nor in these triples"
                )
            strength = told.strength(self._parts.settings.link_initial_strength)
            link = (from_id, to_id, told.text("relation"))
            if link in met:
                raise _invalid_line(told.line, "an earlier line has a link with the same ends and the same relation")
            met.add(link)
            work.create_link(from_id, to_id, strength, link[2])

    def _load_focuses(self, work: GraphTransaction, reading: ParsedGraph, new: Collection[str]) -> None:
        """Attend to what the triples attend to, unless the agent attends to something already."""
        members = [node_id for node_id in reading.focuses() if node_id in new]
        if members and not work.graph.focused():
            work.update_focus(members, most=self._parts.settings.max_focus_count)


def _load_node(work: GraphTransaction, node_id: str, told: Properties, entry: Entry) -> None:
    """Make a node whose words are in the journal."""
    if node_id in work.graph.memorials:
        work.unbury(node_id)
    work.create_node(
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
