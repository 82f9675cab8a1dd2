"""Integration: a model writes one node out of several, or says that the validation settles nothing.

What a merged summary leaves out is put back, and the sources' own statements are compared before anything is merged: a
small model lost the figures in its summary. A validation that answers nothing settles nothing; one that says which side
is wrong is read by the rules where the model calls it unresolved.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from itertools import chain, islice
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from remanent.bilingual import Bilingual, Language, in_language
from remanent.errors import InvalidInput, Refused
from remanent.language import shapes
from remanent.language.offline.claims import ParsedClaim, Token, read_claim
from remanent.language.offline.comparison import compare
from remanent.language.offline.evidence import UNDECIDED
from remanent.language.offline.judgement import CONFLICT, Judgement, judge
from remanent.language.offline.salience import similarity_matrix, summary_statements
from remanent.language.prompt_blocks import abridged, block, group, node_block
from remanent.language.role import Bounds, Defaults, Role, Toolbox
from remanent.language.roles.summary import render_topic
from remanent.language.shapes import (
    MAX_CONTEXT,
    MAX_ITEMS,
    MAX_REMARK,
    MAX_SUMMARY,
    MAX_TEXT,
    keywords,
    multi_line,
    one_line,
)
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.model.base import Text
from remanent.model.ids import Id
from remanent.text.keywords import WordIndex
from remanent.text.scripts import working_language


class Trigger(StrEnum):
    """Why nodes are integrated."""

    MERGE = "merge"
    CONFLICT = "conflict"


class IntegrationOutcome(StrEnum):
    """Whether one node came of it."""

    INTEGRATED = "integrated"
    UNRESOLVED = "unresolved"
    """The validation settled nothing, or refuted every side: all nodes stay."""


class IntegrationRequest(Model):
    """Nodes to make one of, those around them, and what a validation of their conflict found."""

    nodes: Annotated[tuple[shapes.GraphNode, ...], Field(min_length=2, max_length=20)]
    neighbours: Annotated[tuple[shapes.Neighbour, ...], Field(max_length=100)] = ()
    """Every neighbour of any of the nodes, once."""
    trigger: Trigger = Trigger.MERGE
    description: shapes.Remark = ""
    """What they disagree on, or the strategy that the analysis proposed for the merge."""
    validation: Annotated[Text, Field(max_length=MAX_TEXT)] = ""
    """What the validation of a conflict found: the authority."""

    @model_validator(mode="after")
    def _check_the_parts(self) -> "IntegrationRequest":
        ids = [*(node.node_id for node in self.nodes), *(neighbour.node_id for neighbour in self.neighbours)]
        if len(set(ids)) < len(ids):
            raise InvalidInput("a node is given twice; nodes and neighbours need ids of their own")
        if self.trigger is Trigger.CONFLICT and not self.validation.strip():
            raise InvalidInput("a conflict is integrated by its validation; with none, record it as unresolved")
        return self


class NeighbourUpdate(Model):
    """What a neighbour is about, now that it stands beside the integrated node."""

    node_id: Id
    context: shapes.Context
    keywords: shapes.Keywords


class IntegrationResponse(Model):
    """The content of the integrated node, or why there is none."""

    outcome: IntegrationOutcome
    summary: shapes.Summary = ""
    context: shapes.Context = ""
    keywords: shapes.Keywords = ()
    neighbour_updates: tuple[NeighbourUpdate, ...] = ()
    interaction_tree_description: shapes.Remark
    """What was done and why, for the history; for `unresolved`, what stands against what."""
    upheld: tuple[Id, ...] = ()
    """Nodes that the validation found right; empty when it says of none."""

    @model_validator(mode="after")
    def _check_the_outcome(self) -> "IntegrationResponse":
        if self.outcome is IntegrationOutcome.INTEGRATED and not self.summary.strip():
            raise InvalidInput("an integrated node needs a summary")
        if self.outcome is IntegrationOutcome.UNRESOLVED and (self.summary or self.neighbour_updates or self.upheld):
            raise InvalidInput("an unresolved conflict has no summary, no updates and nothing upheld")
        return self


_LONGEST_TOPIC, _LONGEST_ACCOUNT = 100, 200
"""Characters of a summary that stand for its topic, or for the account of what was done, where a model gave neither: a
sentence of each. Chosen by hand."""
_LONGEST_VALIDATION = 20_000
"""Characters of a validation that a model is shown; of a longer one, beginning and end."""
_MERGE: Bilingual = Bilingual(
    """
You merge memory nodes (<nodes>) that tell the same thing into one new node.
Rules:
1. Keep what each node adds; write what they share once; keep numbers, dates, names and negations as they are.
2. Where a later node updates an earlier one, the later counts; mention the earlier.
3. Add nothing that is not in the nodes.
4. If they contradict each other after all, outcome is "unresolved".
""",
    """
你负责把几个讲同一件事的记忆节点（<nodes>）合并成一个新节点。
规则：
1. 各节点独有的内容都要保留，重复的只写一次；数字、日期、名称、否定照原文。
2. 说法有先后时，以时间较新的为准，并注明旧的说法。
3. 不添加节点里没有的内容。
4. 如果它们其实互相矛盾、无法合并，outcome 写 "unresolved"。
""",
)
_CONFLICT: Bilingual = Bilingual(
    """
You resolve a conflict (<description>) between memory nodes (<nodes>) by the result of its cross-validation \
(<validation>).
Rules:
1. The validation is the only authority: what it confirms goes into the new node; what it refutes is no fact any \
more, though you may note that it was once believed.
2. Beyond the conflict, keep what each node adds; where there is older and newer, the newer counts.
3. If the validation reaches no clear conclusion, or refutes every side without giving the right answer, outcome is \
"unresolved"; do not decide in its place.
4. Add nothing that is in neither the nodes nor the validation.
""",
    """
你负责解决记忆节点（<nodes>）之间的冲突（<description>），依据是交叉验证的结果（<validation>）。
规则：
1. 验证结果是唯一权威：它肯定的写入新节点，它否定的不再作为事实，可注明“曾被认为……，经验证有误”。
2. 冲突以外的内容，各节点独有的都要保留；有新旧之分时以时间较新的为准。
3. 验证没有明确结论，或者把各方都否定而没有给出正确答案时，outcome 写 "unresolved"，不要替它下结论。
4. 不添加节点和验证结果里没有的内容。
""",
)
_FIELDS: Bilingual = Bilingual(
    """Fields:
outcome: "integrated" or "unresolved".
summary: the new node's structured, detailed summary with key facts and evidence. context: its topic in one \
sentence. keywords: 3 to 8 words.
upheld: list of the nodes that the validation confirms, as ["n1"]; [] if none.
neighbor_updates: a list of only those neighbours (<neighbours>) whose topic must now be worded differently; each \
has node (its id, as "b1"), context, keywords (the full list); [] if none.
interaction_tree_description: one or two sentences: what was integrated and on what grounds; for unresolved, why \
there is no conclusion.
With "unresolved", write only outcome and interaction_tree_description. Write in the language of the nodes.
""",
    """字段：
outcome："integrated" 或 "unresolved"。
summary：新节点的结构化详细摘要，含要点和证据。context：一句话主题。keywords：3 到 8 个关键词。
upheld：被验证肯定的节点编号列表，如 ["n1"]；没有则为 []。
neighbor_updates：列表，只列主题表述需要随之改变的邻居（<neighbours>），每项含 node（编号，如 "b1"）、context、\
keywords（完整列表）；没有则为 []。
interaction_tree_description：一到两句话，说明合并了什么、依据是什么；unresolved 时说明为何没有结论。
outcome 为 "unresolved" 时，只写 outcome 和 interaction_tree_description。使用节点内容的语言。
""",
)


class NeighbourReply(Model):
    """A neighbour's topic as it is to be worded now."""

    node: shapes.Prose
    context: shapes.Prose = ""
    keywords: shapes.Words = ()


class IntegrationReply(Model):
    """The new node, or that there is none."""

    outcome: Literal["integrated", "unresolved"]
    summary: shapes.Prose = ""
    context: shapes.Prose = ""
    keywords: shapes.Words = ()
    upheld: shapes.Words = ()
    neighbor_updates: Annotated[tuple[NeighbourReply, ...], Field(max_length=MAX_ITEMS)] = ()
    interaction_tree_description: shapes.Prose = ""


class Integration(Role[IntegrationRequest, IntegrationReply, IntegrationResponse]):
    """Make one node of several."""

    name = "integration"
    defaults = Defaults(temperature=0.2, top_p=0.85)
    form_shown = Bilingual(
        """{"outcome": "integrated", "summary": "[summary]", "context": "[topic in one sentence]", "keywords": \
["[keyword]"], "upheld": ["[node id]"], "neighbor_updates": [], "interaction_tree_description": "[what and why]"}""",
        """{"outcome": "integrated", "summary": "【摘要】", "context": "【一句话主题】", "keywords": \
["【关键词】"], "upheld": ["【节点编号】"], "neighbor_updates": [], \
"interaction_tree_description": "【做了什么、依据是什么】"}""",
    )

    def language(self, request: IntegrationRequest) -> Language:
        """Speak the language of the nodes."""
        return working_language(*(node.summary for node in request.nodes))

    def told(self, request: IntegrationRequest, *, language: Language) -> str:
        """Tell the rules of a merge, or of a conflict."""
        return (_CONFLICT if request.trigger is Trigger.CONFLICT else _MERGE)[language] + _FIELDS[language]

    def material(self, request: IntegrationRequest, *, language: Language) -> list[str]:
        """Show the nodes, those around them, and the validation."""
        nodes, neighbours = _aliases(request)
        around = [
            group("node", [block("context", near.context), block("keywords", ", ".join(near.keywords))], id=name)
            for name, near in zip(neighbours.names, request.neighbours, strict=True)
        ]
        return [
            group("neighbours", around),
            group("nodes", [node_block(node, name=n) for n, node in zip(nodes.names, request.nodes, strict=True)]),
            block("description", request.description),
            block("validation", abridged(request.validation, _LONGEST_VALIDATION)),
        ]

    def bounds(self, request: IntegrationRequest) -> Bounds:
        """Hold names to those that were shown."""
        nodes, neighbours = _aliases(request)
        near: list[JsonValue] = list(neighbours.names)
        return {
            "upheld": {"maxItems": len(request.nodes), "items": {"type": "string", "enum": list(nodes.names)}},
            "neighbor_updates": {"maxItems": len(near)},
            **({"neighbor_updates.node": {"enum": near}} if near else {}),
        }

    def read(self, request: IntegrationRequest, reply: IntegrationReply) -> IntegrationResponse:
        """Check that only what was shown is touched, and that an integrated node says something."""
        nodes, _ = _aliases(request)
        found = dict.fromkeys(one for name in reply.upheld if (one := nodes.find(name)) is not None)
        upheld = tuple(found) if request.trigger is Trigger.CONFLICT else ()
        description = multi_line(reply.interaction_tree_description)
        # Code has the last word on the outcome: a validation that answers nothing settles nothing, whatever a model
        # makes of it, and one by which it upholds a node has settled the matter.
        is_settled = reply.outcome == "integrated" or bool(upheld)
        if not is_settled or _answers_nothing(request):
            return _unresolved(description or multi_line(request.validation) or request.description)
        summary = multi_line(reply.summary, MAX_SUMMARY)
        if not summary and reply.outcome == "unresolved":
            told = "\n".join(node.summary for node in request.nodes if node.node_id in upheld)
            summary = multi_line(told, MAX_SUMMARY)
        if not summary:
            raise Refused('an integrated node needs a summary; if nothing can be concluded, outcome is "unresolved"')
        if request.trigger is Trigger.MERGE:
            # The statements of the nodes that a merged summary left out are put back, as they were.
            words = WordIndex(summary)
            nodes_say = (summary_statements(node.summary, most=_MAX_STATEMENTS) for node in request.nodes)
            missing = [text for text in dict.fromkeys(chain.from_iterable(nodes_say)) if not words.holds(text)]
            summary = multi_line("\n".join([summary, *(f"- {text}" for text in missing)]), MAX_SUMMARY)
        topic = one_line(reply.context, MAX_CONTEXT)
        return IntegrationResponse(
            outcome=IntegrationOutcome.INTEGRATED,
            summary=summary,
            context=topic or one_line(summary, _LONGEST_TOPIC),
            keywords=keywords(reply.keywords) or keywords(word for node in request.nodes for word in node.keywords),
            neighbour_updates=_updates(request, reply),
            interaction_tree_description=description or topic or one_line(summary, _LONGEST_ACCOUNT),
            upheld=upheld,
        )

    async def offline(self, request: IntegrationRequest, toolbox: Toolbox) -> IntegrationResponse:
        """Join the facts of the nodes, newest first; the validation decides between those that contradict others."""
        nodes = sorted(request.nodes, key=lambda node: node.timestamp or _LONG_AGO, reverse=True)
        facts = [
            _Fact(text, read_claim(text, said_at=node.timestamp), number)
            for number, node in enumerate(nodes)
            for text in summary_statements(node.summary, most=_MAX_STATEMENTS)
        ]
        # Statements of different nodes that contradict each other.
        judged = (
            _Clash(one, other, judge(compare(facts[one].claim, facts[other].claim))) for one, other in _near(facts)
        )
        clashes = [clash for clash in islice(judged, _MAX_PAIRS) if clash.judgement.conflict >= CONFLICT]
        matter = _NodeSet(nodes, facts, working_language(*(node.summary for node in nodes)))
        if request.trigger is Trigger.CONFLICT:
            return await _by_validation(request.validation, matter, clashes, toolbox)
        return await _merged(matter, clashes, toolbox)


def _aliases(request: IntegrationRequest) -> tuple[shapes.IdAliases, shapes.IdAliases]:
    """Return the names of the nodes and of their neighbours."""
    nodes = shapes.IdAliases([node.node_id for node in request.nodes])
    return nodes, shapes.IdAliases([near.node_id for near in request.neighbours], prefix="b")


def _answers_nothing(request: IntegrationRequest) -> bool:
    """Tell whether a validation says nothing about any node except that it was inconclusive."""
    if request.trigger is not Trigger.CONFLICT:
        return False
    nodes = WordIndex("\n".join(node.summary for node in request.nodes))
    told = [text for text in summary_statements(request.validation) if not UNDECIDED.search(text)]
    return not any(nodes.share(text) > 0 for text in told)


def _updates(request: IntegrationRequest, reply: IntegrationReply) -> tuple[NeighbourUpdate, ...]:
    """Return the updates of the neighbours that were shown; what an update leaves blank stays as it is."""
    _, aliases = _aliases(request)
    known = {near.node_id: near for near in request.neighbours}
    updates: dict[str, NeighbourUpdate] = {}
    for proposed in reply.neighbor_updates:
        near = known.get(aliases.find(proposed.node) or "")
        if near is None:
            continue
        context = one_line(proposed.context, MAX_CONTEXT) or near.context
        words = keywords(proposed.keywords) or near.keywords
        if (context, words) != (near.context, near.keywords):
            updates.setdefault(near.node_id, NeighbourUpdate(node_id=near.node_id, context=context, keywords=words))
    return tuple(updates.values())


_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
_SAME = 0.85
"""Likeness from which a statement counts as a repeat; chosen by hand, high, because what repeats is dropped."""
_MAX_QUOTES = 3
"""Findings that a verdict quotes, so that it can be read at a glance. Chosen by hand."""
_MAX_STATEMENTS = 200
"""Statements of a node that are read; `_MAX_PAIRS` bounds what is made of them."""
_LONGEST_QUOTE = 300
"""Characters of a quote: a long sentence. Chosen by hand."""
_MAX_PAIRS = 20_000
"""Pairs of statements that are laid side by side: all of two nodes of a hundred statements each. Beyond, only those
that say nearly the same words are looked at for repetition."""

_WRONG = re.compile(
    r"\b(?:wrong|incorrect|false|inaccurate|mistaken|outdated|not (?:true|correct|right|accurate)|refuted|an error)\b|"
    r"错误|有误|不正确|不准确|不实|不对|已过时|不成立|是错的|被否定",
    re.IGNORECASE,
)
_SAID_OF_QUOTE = re.compile(r"""[”"’'』」》][^.。!！?？\n]{0,60}""")
_CLOSING = ("”", "’", '"', "」", "』", "》")
_QUOTE_END = 4
"""How far behind a quote the judgement on it begins at most, in characters. Chosen by hand."""
_PART = re.compile(r"\s*[;；]\s*")
_REMARKS = {
    "merged": Bilingual(
        "Combined the statements of {count} nodes, keeping one of each that repeat.",
        "合并了 {count} 个节点的陈述，重复的只保留一条。",
    ),
    "newer": Bilingual("Newer statements replaced older ones: {old}", "较新的说法取代了较早的说法：{old}"),
    "earlier": Bilingual("{new} (earlier: {old})", "{new}（此前的说法：{old}）"),
    "validated": Bilingual("Integrated according to the cross-validation: {quote}", "依据交叉验证的结果整合：{quote}"),
    "dropped": Bilingual("No longer a fact, since the validation refuted it: {old}", "经验证有误，不再作为事实：{old}"),
    "undecided": Bilingual(
        "The validation reached no conclusion, so all nodes stay: {quote}", "验证没有得出结论，各方都保留：{quote}"
    ),
    "refuted": Bilingual(
        "The validation upheld none of the nodes, so all of them stay: {quote}",
        "验证没有支持任何一方，各方都保留：{quote}",
    ),
    "clash": Bilingual(
        "The nodes contradict each other and neither is newer; validate first: {one} / {other}",
        "两个节点互相矛盾，又分不出先后，需要先做交叉验证：{one} / {other}",
    ),
}


@dataclass(frozen=True, slots=True)
class _Fact:
    """A statement of a node, read."""

    text: str
    claim: ParsedClaim
    node: int


@dataclass(frozen=True, slots=True)
class _NodeSet:
    """Nodes, newest first, and all that they state."""

    nodes: Sequence[shapes.GraphNode]
    facts: Sequence[_Fact]
    language: Language


@dataclass(frozen=True, slots=True)
class _Clash:
    """Two statements that contradict each other, by their numbers."""

    one: int
    other: int
    judgement: Judgement


def _near(facts: Sequence[_Fact]) -> Iterator[tuple[int, int]]:
    """Yield the statements of different nodes that have a word in common, in their order."""
    having: dict[str, list[int]] = {}
    keys = [_keys(fact.claim) for fact in facts]
    for number, words in enumerate(keys):
        for word in words:
            having.setdefault(word, []).append(number)
    for one, words in enumerate(keys):
        others = {other for word in words for other in having[word] if other > one}
        yield from ((one, other) for other in sorted(others) if facts[one].node != facts[other].node)


def _keys(claim: ParsedClaim) -> set[str]:
    return {token.key for token in claim.tokens}


# ── merging ──────────────────────────────────────────────────────────────────


async def _merged(matter: _NodeSet, clashes: Sequence[_Clash], toolbox: Toolbox) -> IntegrationResponse:
    nodes, facts, said = matter.nodes, matter.facts, in_language(_REMARKS, matter.language)
    earlier: dict[int, str] = {}
    gone: set[int] = set()
    for clash in clashes:
        newer, older = facts[clash.one], facts[clash.other]
        if (nodes[newer.node].timestamp or _LONG_AGO) == (nodes[older.node].timestamp or _LONG_AGO):
            return _unresolved(said["clash"].format(one=newer.text, other=older.text))
        earlier[clash.one] = older.text
        gone.add(clash.other)
    gone |= await _repeated(facts, gone, toolbox)
    kept = [
        said["earlier"].format(new=fact.text, old=earlier[number]) if number in earlier else fact.text
        for number, fact in enumerate(facts)
        if number not in gone
    ]
    notes = [said["merged"].format(count=len(nodes))]
    notes += [said["newer"].format(old="; ".join(earlier.values()))] if earlier else []
    return _node(matter, kept, " ".join(notes))


async def _repeated(facts: Sequence[_Fact], gone: set[int], toolbox: Toolbox) -> set[int]:
    """Return the statements that say what one before them says, and nothing beyond it."""
    table = await similarity_matrix([fact.text for fact in facts], toolbox)
    repeated: set[int] = set()
    left = _MAX_PAIRS
    for number, fact in enumerate(facts):
        for before in range(number):
            if before in gone or before in repeated or number in gone:
                continue
            if left == 0 and table[before, number] < _SAME:
                continue
            left = max(0, left - 1)
            comparison = compare(facts[before].claim, fact.claim)
            nothing_new = bool(comparison.shared) and not comparison.left_other and not comparison.left_one
            if not comparison.differences and (nothing_new or table[before, number] >= _SAME):
                repeated.add(number)
                break
    return repeated


def _node(
    matter: _NodeSet,
    kept: Sequence[str],
    description: str,
    *,
    evidence: Sequence[str] = (),
    upheld: tuple[str, ...] = (),
) -> IntegrationResponse:
    # The sentence on what it is about may be the very statement that is gone.
    said = set(kept)
    gone = [fact.text for fact in matter.facts if fact.text not in said]
    contexts = (node.context for node in matter.nodes if node.context.strip())
    standing = (context for context in contexts if not any(text.rstrip(".。") in context for text in gone))
    return IntegrationResponse(
        outcome=IntegrationOutcome.INTEGRATED,
        summary=render_topic(facts=kept, evidence=evidence, reasoning="", language=matter.language),
        context=next(standing, "") or one_line(kept[0], MAX_CONTEXT),
        keywords=keywords(word for node in matter.nodes for word in node.keywords),
        interaction_tree_description=multi_line(description, MAX_REMARK),
        upheld=upheld,
    )


# ── resolving ────────────────────────────────────────────────────────────────


async def _by_validation(
    validation: str, matter: _NodeSet, clashes: Sequence[_Clash], toolbox: Toolbox
) -> IntegrationResponse:
    nodes, facts, said = matter.nodes, matter.facts, in_language(_REMARKS, matter.language)
    quote = one_line(validation, _LONGEST_QUOTE)
    if UNDECIDED.search(validation):
        return _unresolved(said["undecided"].format(quote=quote))
    findings = [
        read_claim(part) for text in _whole(summary_statements(validation)) for part in _PART.split(text) if part
    ]
    refuted: set[int] = set()
    upheld: set[int] = set()
    for clash in clashes:
        difference = clash.judgement.difference
        assert difference is not None, "a conflict has a difference"
        for number, values in ((clash.one, difference.one), (clash.other, difference.other)):
            verdict = _verbatim(facts[number].text, validation)
            verdict = verdict or _verdict(facts[number].claim, values, findings)
            if verdict > 0:
                upheld.add(number)
            elif verdict < 0:
                refuted.add(number)
    right = {facts[number].node for number in upheld} - {facts[number].node for number in refuted}
    wrong = {facts[number].node for number in refuted}
    if not (right or wrong) or len(nodes) in {len(right), len(wrong)}:
        return _unresolved(said["refuted"].format(quote=quote))
    # What contradicts a statement that was upheld is refuted with it.
    refuted |= {clash.other for clash in clashes if clash.one in upheld}
    refuted |= {clash.one for clash in clashes if clash.other in upheld}
    refuted -= {number for number in upheld if facts[number].node not in wrong}
    gone = refuted | await _repeated(facts, refuted, toolbox)
    kept = [fact.text for number, fact in enumerate(facts) if number not in gone]
    notes = [said["validated"].format(quote=quote)]
    if refuted:
        notes.append(said["dropped"].format(old="; ".join(facts[number].text for number in sorted(refuted))))
    # What was refuted stands in the history; here it would be taken for a fact again.
    about = {key for fact in facts for key in _keys(fact.claim)}
    telling = [found for found in findings if not _WRONG.search(found.text) and len(_keys(found) & about) > 1]
    evidence = [one_line(finding.text, _LONGEST_QUOTE) for finding in telling[:_MAX_QUOTES]]
    ids = tuple(nodes[number].node_id for number in sorted(right))
    return _node(matter, kept or evidence or [quote], " ".join(notes), evidence=evidence, upheld=ids)


def _whole(texts: Sequence[str]) -> list[str]:
    """Return statements with the judgement on a quote joined to it: the quote's own end mark parts them."""
    joined: list[str] = []
    for text in texts:
        wrong = _WRONG.search(text)
        if joined and wrong is not None and wrong.start() <= _QUOTE_END and joined[-1].endswith(_CLOSING):
            joined[-1] += text
        else:
            joined.append(text)
    return joined


def _unresolved(description: str) -> IntegrationResponse:
    return IntegrationResponse(
        outcome=IntegrationOutcome.UNRESOLVED, interaction_tree_description=multi_line(description, MAX_REMARK)
    )


def _verbatim(statement: str, validation: str) -> int:
    """Return 1 when a validation says a statement word for word, -1 when it quotes it as wrong, 0 when it does not."""
    place = validation.find(statement)
    if place < 0:
        return 0
    # A model's facts often have no full stop, where the quote has one.
    end = place + len(statement) + (validation[place + len(statement) :][:1] in {".", "。"})
    said_of_it = _SAID_OF_QUOTE.match(validation, end)
    return -1 if said_of_it is not None and _WRONG.search(said_of_it[0]) else 1


def _verdict(claim: ParsedClaim, values: Sequence[Token], findings: Sequence[ParsedClaim]) -> int:
    """Return 1 when the findings uphold a claim, -1 when they refute it, 0 when they say nothing of it."""
    upheld = False
    for finding in findings:
        comparison = compare(finding, claim)
        if judge(comparison).conflict >= CONFLICT:
            return -1
        pairs = [(one, other) for one, other in comparison.shared if any(other is value for value in values)]
        if not pairs or len(comparison.shared) < 2:
            continue
        if _WRONG.search(finding.text) or any(one.denied != other.denied for one, other in pairs):
            return -1
        upheld = upheld or not comparison.differences
    return 1 if upheld else 0


INTEGRATION = Integration()
