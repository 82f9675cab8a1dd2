"""The passages that go into a prompt: sentences behind the nodes, chosen for the question and packed under a budget.

A summary drops words, and nobody knows which ones the next question needs; a paragraph spends most of its room on other
things. So the unit is the sentence: of a node's trees, and of its summary where that says it in words of its own. A
question about several things is answered along a chain: passages that share words with the question come first, then
those that share the names in them which the question does not hold.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from remanent.bank.conflicts import refuted_statements
from remanent.bank.graph import QueryGraph, RetrievedNode, newest_first
from remanent.bank.node import summary_lines
from remanent.bilingual import Bilingual, Language
from remanent.language.offline.claims import is_title, read_claim
from remanent.language.offline.headings import heading_name, is_source_heading, source_sections
from remanent.language.prompt_blocks import block, group
from remanent.lightweight import dataclass
from remanent.model import Record, Source
from remanent.recall import RowTable
from remanent.text.scripts import HAN, working_language
from remanent.text.sentences import sentences
from remanent.text.terms import KeywordIndex, as_shares, index_terms, query_terms
from remanent.text.tokens import token_counter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The weights below were found by a search over some 500 settings on half of 100 real multi-document tasks (HotpotQA,
# MuSiQue), alone and five joined; the last choices among them were made with both halves in view. Most matter little:
# without hops, MuSiQue falls from .64 to .44, without the link by titles by .08, and every other one moves it by less.
_NODE_SHARE = 1.0
"""How much the score of its node counts beside a passage's own words."""
_OPENING = 0.2
"""What the first sentence of a text is ahead: it says what the rest is about."""
_BEAM = 8
"""Passages that each hop starts from."""
_HOPS = 2
"""How often a passage leads on to another."""
_DECAY = 0.9
"""What each further hop costs."""
_COVERED = 0.3
"""How much words of the question still count that the passage before has already."""
_ORDINARY = 0.3
"""How much ordinary words of a passage count for the next hop, beside its names and numbers."""
_OWN_TITLE = 0.5
"""How much the title of a passage's text counts for the next hop."""
_TITLE_LINK = 0.8
"""How far a passage is lifted whose title the passage before names: by this share of what it lacks to the best."""
_BEYOND_OPENING = 0.3
"""The same for those after the first sentence."""
_TWIN = 0.6
"""Share of a sentence's terms that a line of the summary must have to say the same (chosen by hand)."""

_MAX_TITLE_CHARS = 80
"""A longer first sentence is no title (chosen by hand: the longest titles of encyclopedias are near it)."""
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_NAME = re.compile(rf"[A-Z0-9][\w'’.,-]*|[{HAN}]+")
"""What may be a name: capitalised words and numbers; in Chinese, which has no capitals, everything."""

_PASSES = 2
"""Times that passages are packed: pieces take fewer tokens together than one by one, and the second time fills that."""
_SHORTEST = 8
"""Tokens of room below which no further sentence is looked for (chosen by hand)."""

_NOTHING: Bilingual = Bilingual("(nothing is known yet)", "（没有相关记忆）")
_UNRESOLVED: Bilingual = Bilingual("contradicted, not settled", "存在未解决的矛盾")
_PROVISIONAL: Bilingual = Bilingual("awaiting validation", "待验证")
_STOP: Bilingual = Bilingual(".", "。")


@dataclass(frozen=True, slots=True)
class NodePassage:
    """One sentence behind a node."""

    node_id: str
    place: int
    """Its place among the passages of its node."""
    text: str
    title: str
    """The title of the text that it is from, if that has one."""
    is_opening: bool
    terms: frozenset[str]
    twin: frozenset[str] | None = None
    """The terms of the summary's line that says the same; where they hold all that is asked for, the line is enough."""


class PassageIndex:
    """The passages of all nodes of a bank, ready to be ranked; what changed since the last question is read again."""

    def __init__(self, graph: QueryGraph) -> None:
        self._graph = graph
        self._index = KeywordIndex()
        self._rows = RowTable()
        self._passages: dict[int, NodePassage] = {}
        """By row, which goes by the node and the number of the passage there."""
        self._read_as: dict[str, tuple[str, tuple[Source, ...], int]] = {}
        """By node: the state that was read, and how many passages it has."""

    async def rank(self, question: str, *, alpha: float) -> list[tuple[NodePassage, float]]:
        """Return every passage that has to do with a question, best first."""
        import numpy as np

        self._read()
        if not self._passages:
            return []
        asked = query_terms(question)
        nodes = await self._graph.scores(question, alpha=alpha)
        scores = as_shares(self._index.weighted(dict.fromkeys(asked, 1.0), size=len(self._rows.ids)))
        refuted = refuted_statements(self._graph.bank_store.conflicts.values())
        silent: list[int] = []
        for row, passage in self._passages.items():
            scores[row] += _NODE_SHARE * nodes.get(passage.node_id, 0.0) + _OPENING * passage.is_opening
            said_shorter = passage.twin is not None and not (passage.terms - passage.twin).intersection(asked)
            if said_shorter or any(statement in passage.text for statement in refuted):
                silent.append(row)
        scores[silent] = 0
        reached = _Hops(self._index, self._passages, frozenset(asked), len(self._rows.ids)).run(as_shares(scores))
        reached[silent] = 0
        order = np.argsort(-reached, kind="stable").tolist()
        return [(self._passages[row], float(reached[row])) for row in order if reached[row] > 0]

    def _read(self) -> None:
        """Bring the index up to date with the graph."""
        for node_id in [known for known in self._read_as if known not in self._graph]:
            self._forget(node_id)
        for node_id in self._graph.ids:
            record = self._graph.record(node_id)
            if self._read_as.get(node_id, ())[:2] != (record.content, record.sources):
                self._forget(node_id)
                count = 0
                for count, passage in enumerate(self._passages_of(record), start=1):
                    row = self._rows.add(f"{node_id} {count}")
                    self._passages[row] = passage
                    self._index.put(row, [*index_terms(passage.title), *index_terms(passage.text)])
                self._read_as[node_id] = (record.content, record.sources, count)

    def _forget(self, node_id: str) -> None:
        """Let go of the passages of a node; their rows are used again, so that a long run does not grow without end."""
        *_, count = self._read_as.pop(node_id, (0,))
        for number in range(1, count + 1):
            if (row := self._rows.remove(f"{node_id} {number}")) is not None:
                del self._passages[row]
                self._index.drop(row)

    def _passages_of(self, node: Record) -> Iterable[NodePassage]:
        """Yield the passages of a node: the lines of its summary that are words of its own, then its sentences."""
        raw = self._sentences(node)
        said = without_spaces(" ".join(text for _, text in raw))
        lines = [line for line in summary_lines(node.content) if without_spaces(line.rstrip(".…")) not in said]
        written = [frozenset(index_terms(line)) for line in lines]
        for place, (line, terms) in enumerate(zip(lines, written, strict=True)):
            yield NodePassage(node.id, place, line, "", place == 0, terms)
        opened: set[str] = set()
        for place, (title, text) in enumerate(raw, len(lines)):
            if heading_name(text) != title:
                terms = frozenset(index_terms(text))
                twin = next((line for line in written if len(terms & line) >= _TWIN * len(terms)), None)
                yield NodePassage(node.id, place, text, title, title not in opened, terms, twin)
                opened.add(title)

    def _sentences(self, node: Record) -> list[tuple[str, str]]:
        """Return the sentences of a node's trees that may be shown, each with the title of its text."""
        found = []
        for source, entry in self._graph.bank_store.told(node):
            for start, end, title in titled_parts(entry.text):
                text = entry.text[max(start, source.start or 0) : min(end, source.end or end)]
                found += [(title, said) for span in sentences(text) if (said := span.of(text).strip())]
        return found


@dataclass(frozen=True, slots=True)
class _Hops:
    """Follows names from passage to passage."""

    index: KeywordIndex
    passages: Mapping[int, NodePassage]
    asked: frozenset[str]
    size: int

    def run(self, scores: "NDArray[np.float32]") -> "NDArray[np.float32]":
        """Return the scores with those of passages that are reached from the best ones."""
        import numpy as np

        owners = np.full(self.size, -1, np.int64)
        numbers: dict[str, int] = {}
        openings = np.zeros(self.size, bool)
        for row, passage in self.passages.items():
            owners[row] = numbers.setdefault(passage.node_id, len(numbers))
            openings[row] = passage.is_opening
        titles = self._titles()
        best, seen = scores.copy(), set[int]()
        front = np.argsort(-scores, kind="stable")[:_BEAM].tolist()
        for _ in range(_HOPS):
            before = best.copy()
            for row in front:
                if row in seen or row not in self.passages or best[row] <= 0:
                    continue
                seen.add(row)
                step = self._step(self.passages[row])
                step[owners == owners[row]] = 0
                step = as_shares(step) * _DECAY
                linked = self._linked(self.passages[row], titles)
                lift = np.where(openings[linked], _TITLE_LINK, _TITLE_LINK * _BEYOND_OPENING)
                step[linked] += np.where(step[linked] > 0, (1 - step[linked]) * lift, 0)
                best = np.maximum(best, before[row] * step)
            gained = np.where(best > before, best, 0)
            front = [row for row in np.argsort(-gained, kind="stable")[:_BEAM].tolist() if gained[row] > 0]
        return best

    def _step(self, passage: NodePassage) -> "NDArray[np.float32]":
        """Score what may follow a passage: by its names that the question lacks, and by what is asked besides."""
        names = frozenset(term for name in _NAME.findall(passage.text) for term in index_terms(name))
        bridge = {term: 1.0 if term in names else _ORDINARY for term in passage.terms - self.asked}
        for term in index_terms(passage.title):
            if term not in self.asked:
                bridge[term] = max(bridge.get(term, 0.0), _OWN_TITLE)
        followed = self.index.weighted(bridge, size=self.size)
        held = passage.terms.union(index_terms(passage.title))
        besides = self.index.weighted({term: _COVERED if term in held else 1.0 for term in self.asked}, size=self.size)
        besides[followed <= 0] = 0
        return followed + besides

    def _titles(self) -> dict[frozenset[str], list[int]]:
        """Return the rows of each title that has a word which the question lacks."""
        rows: dict[str, list[int]] = {}
        for row, passage in self.passages.items():
            if passage.title:
                rows.setdefault(passage.title, []).append(row)
        found: dict[frozenset[str], list[int]] = {}
        for title, held in rows.items():
            terms = frozenset(index_terms(title))
            if terms - self.asked:
                found.setdefault(terms, []).extend(held)
        return found

    def _linked(self, passage: NodePassage, titles: Mapping[frozenset[str], list[int]]) -> list[int]:
        """Return the rows whose title a passage of another text names."""
        return [
            row
            for terms, rows in titles.items()
            if terms <= passage.terms
            for row in rows
            if self.passages[row].title != passage.title
        ]


def title_of(text: str) -> str:
    """Return the title that a text begins with: a short first sentence; empty where there is none."""
    head = text[: 4 * _MAX_TITLE_CHARS]
    first = next((span.of(head).strip() for span in sentences(head)), "")
    if first.startswith("|"):
        return ""  # the head of a table
    is_short = len(first) <= _MAX_TITLE_CHARS and len(first) < len(text.strip())
    # Who says so within a sentence says it of that sentence alone: 据《年鉴》记载，….
    return heading_name(first) if is_short and (is_source_heading(first) or not read_claim(first).is_reported) else ""


@lru_cache(maxsize=512)
def titled_parts(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return where the parts of a text stand, each with its title: several documents may have been given as one.

    A paragraph that begins with no title of its own goes on under the one before it.
    """
    sources = {start: name for start, _, name in source_sections(text) if name}
    starts = sorted({0, *(found.end() for found in _BLANK_LINE.finditer(text.rstrip())), *sources})
    title = title_of(text)
    parts = []
    for start, end in pairwise([*starts, len(text)]):
        own = title_of(text[start:end]) if len(starts) > 1 else title
        if start in sources or (own and is_title(read_claim(f"{own}."))):
            title = sources.get(start, own)
        parts.append((start, end, title))
    return tuple(parts)


def without_spaces(text: str) -> str:
    """Return a text in one case and without spaces: so a model quotes it."""
    return "".join(text.casefold().split())


# ── packing ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class PackedMemory:
    """The `<memory>` of a prompt, and the nodes that it shows."""

    text: str
    nodes: tuple[RetrievedNode, ...] = ()


def pack(
    ranked: Sequence[tuple[NodePassage, float]], graph: QueryGraph, *, budget: int, language: Language
) -> PackedMemory:
    """Fill a budget of tokens with the best passages, each under its node, newest node first, no fact twice.

    What room is left after the passages goes to the context and the keywords of the nodes, which seldom say more.
    """
    packing = _Packing(graph, language, room=budget - prompt_size(group("memory", ["."])))
    for _ in range(_PASSES):
        for passage, score in ranked:
            if packing.room < _SHORTEST:
                break
            packing.add(passage, score)
        # Pieces take fewer tokens together than one by one; what that leaves is filled as well.
        packing.room = budget - prompt_size(packing.render())
    packing.add_labels()
    while packing.chosen and prompt_size(packing.render()) > budget:
        packing.drop_last()
    return PackedMemory(packing.render() or block("memory", _NOTHING[language]), packing.nodes())


class _Packing:
    def __init__(self, graph: QueryGraph, language: Language, *, room: int) -> None:
        self._graph = graph
        self._language = language
        self.room = room
        self.chosen: list[tuple[NodePassage, float]] = []
        self._by_node: dict[str, list[NodePassage]] = {}
        self._labels: dict[str, list[str]] = {}

    def add(self, passage: NodePassage, score: float) -> None:
        """Take a passage if there is room for it and no other one says the same."""
        if any(passage.terms <= other.terms for other, _ in self.chosen):
            return
        cost = prompt_size(passage.text) + 1
        beside = self._by_node.get(passage.node_id, [])
        if not beside:
            cost += prompt_size(group("node", ["."], **self._attributes(passage.node_id)))
        if passage.title and all(other.title != passage.title for other in beside):
            cost += prompt_size(passage.title) + 1
        if cost <= self.room:
            self.room -= cost
            self.chosen.append((passage, score))
            self._by_node.setdefault(passage.node_id, []).append(passage)

    def add_labels(self) -> None:
        """Add the context and the keywords of the nodes shown, as far as they say more and there is room."""
        for node_id, passages in self._by_node.items():
            node = self._graph.get(node_id)
            shown = without_spaces(" ".join(f"{passage.title} {passage.text}" for passage in passages))
            words = [word for word in node.keywords if without_spaces(word) not in shown]
            context = "" if without_spaces(node.context.rstrip("…")) in shown else node.context
            for tag, text in (("context", context), ("keywords", ", ".join(words))):
                if (label := block(tag, text)) and (cost := prompt_size(label) + 1) <= self.room:
                    self.room -= cost
                    self._labels.setdefault(node_id, []).append(label)

    def drop_last(self) -> None:
        """Give up the passage that matters least."""
        passage, _ = self.chosen.pop()
        self._by_node[passage.node_id].remove(passage)
        if not self._by_node[passage.node_id]:
            del self._by_node[passage.node_id]
            self._labels.pop(passage.node_id, None)

    def nodes(self) -> tuple[RetrievedNode, ...]:
        """Return the nodes shown, newest first, each with the score of its best passage."""
        best: dict[str, float] = {}
        for passage, score in self.chosen:
            best[passage.node_id] = max(score, best.get(passage.node_id, 0.0))
        ranked = enumerate(sorted(best.items(), key=lambda one: -one[1]), start=1)
        return newest_first(
            self._graph.found(node_id, rank=rank, is_candidate=True, score=min(1.0, score))
            for rank, (node_id, score) in ranked
        )

    def render(self) -> str:
        """Return the text, the newest node first."""
        nodes = sorted(map(self._graph.get, self._by_node), key=lambda node: (node.timestamp, node.id), reverse=True)
        return group("memory", [self._node_block(node.id) for node in nodes])

    def _node_block(self, node_id: str) -> str:
        """Return a node with its passages in their order, each title before the first that is from its text."""
        lines: list[str] = []
        titles: set[str] = {""}
        for passage in sorted(self._by_node[node_id], key=lambda passage: passage.place):
            if passage.title not in titles:
                titles.add(passage.title)
                lines.append(f"{passage.title}{_STOP[working_language(passage.title)]}")
            lines.append(passage.text)
        text, labels = "\n".join(lines), self._labels.get(node_id)
        if labels is None:
            return block("node", text, **self._attributes(node_id))
        return group("node", [*labels, block("summary", text)], **self._attributes(node_id))

    def _attributes(self, node_id: str) -> dict[str, str]:
        """Return what a prompt says of a node beside its words: its id, and whether it is disputed or unchecked."""
        node = self._graph.get(node_id)
        status = {"status": _UNRESOLVED[self._language]} if node.unresolved else {}
        if node.provisional and not status:
            status = {"status": _PROVISIONAL[self._language]}
        return {"id": node_id, **status}


def prompt_size(text: str) -> int:
    """Return the tokens of a text by the larger of the two common measures: a tokenizer's, and characters / 4."""
    return max(token_counter()(text), -(-len(text) // 4))
