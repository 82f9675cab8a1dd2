"""Relation naming: a model names what a new node has to do with each node in focus, in a word or two.

Claims are compared only of texts that have something in common: it was half of a message's processor time.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, ClassVar

from pydantic import Field, JsonValue

from remanent.bilingual import Bilingual, Language
from remanent.language.offline.claims import ParsedClaim, TokenKind
from remanent.language.offline.comparison import compare
from remanent.language.offline.judgement import CONFLICT, DatedStatement, judge
from remanent.language.offline.salience import summary_statements
from remanent.language.offline.similarity import similarities
from remanent.language.reply_fields import MAX_ITEMS, IdAliases, Prose
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import LongText
from remanent.language.wording import abridged, block
from remanent.model import Model
from remanent.model.base import Text
from remanent.text.regex import lazy_regex, word_regex
from remanent.text.scripts import HAN, working_language
from remanent.text.terms import query_terms
from remanent.values import dataclass

_LONGEST_RELATION = 20
"""Characters of a relation: two to four in Chinese, by the design; two English words need as many as this."""


class RelationNamingRequest(Model):
    """A node's content and the contents of the nodes in focus; all are named in one call."""

    node: LongText
    focuses: Annotated[tuple[LongText, ...], Field(min_length=1, max_length=50)]


class RelationNamingResponse(Model):
    """A name for each focus, in their order: 2 to 4 characters in Chinese, a word or two in English, empty if none."""

    relations: tuple[Annotated[Text, Field(max_length=_LONGEST_RELATION)], ...]


_LONGEST_SHOWN = 1_000
"""Characters of a node that a model is shown: five times a piece of memory (`MAX_SEGMENT`); of a longer one, beginning
and end. Chosen by hand."""
_CHINESE = lazy_regex(rf"[{HAN}]{{2,4}}")
_ENGLISH = lazy_regex(r"[A-Za-z]{2,}(?:[ '-][A-Za-z]+){0,2}")
_AROUND = " \t\n\"'“”‘’「」《》[](){}.,，。:：;；"
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You name the relations between memories: what the new memory (<node>) has to do with each one in focus (<focus \
id="...">).
Rules:
1. A relation is one to three words, from the new memory to the focus, such as: about, part of, mentions, causes, \
adds to, contradicts.
2. Leave out those without a relation.
Field relations: a list, each with focus (its id, as "f1") and relation (the name).
""",
    """
你负责给记忆之间的关系命名：新记忆（<node>）与每个关注点（<focus id="编号">）是什么关系。
规则：
1. 关系名是 2 到 4 个汉字，从新记忆指向关注点，如：属于、关于、涉及、讨论、提到、导致、补充、反驳。
2. 看不出关系的不要列出。
字段 relations：列表，每项含 focus（编号，如 "f1"）和 relation（关系名）。
""",
)


class NamedReply(Model):
    """The relation to one memory in focus."""

    focus: Prose
    relation: Prose = ""


class RelationNamingReply(Model):
    """The relations to the memories in focus."""

    relations: Annotated[tuple[NamedReply, ...], Field(max_length=MAX_ITEMS)]


class RelationNaming(Role[RelationNamingRequest, RelationNamingReply, RelationNamingResponse]):
    """Name relations."""

    name = "relation_naming"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.0, top_p=0.9, max_tokens=1024)
    instructions = _INSTRUCTIONS
    form_shown: ClassVar[Bilingual | None] = Bilingual(
        '{"relations": [{"focus": "f1", "relation": "[name of the relation]"}]}',
        '{"relations": [{"focus": "f1", "relation": "【关系名】"}]}',
    )

    def language(self, request: RelationNamingRequest) -> Language:
        """Speak the language of the new memory."""
        return working_language(request.node, *request.focuses)

    def material(self, request: RelationNamingRequest, *, language: Language) -> list[str]:
        """Show the new memory and those in focus."""
        focuses = [
            block("focus", abridged(text, _LONGEST_SHOWN), id=name)
            for name, text in zip(_aliases(request).names, request.focuses, strict=True)
        ]
        return [*focuses, block("node", abridged(request.node, _LONGEST_SHOWN))]

    def bounds(self, request: RelationNamingRequest) -> Bounds:
        """Hold the list to one relation for each focus, by its name."""
        names: list[JsonValue] = list(_aliases(request).names)
        return {"relations": {"maxItems": len(names)}, "relations.focus": {"enum": names}}

    def read(self, request: RelationNamingRequest, reply: RelationNamingReply) -> RelationNamingResponse:
        """Keep the names that are names; a focus without one stays unnamed."""
        aliases = _aliases(request)
        named = [""] * len(request.focuses)
        meant: list[int] = []
        for proposed in reply.relations:
            if (found := aliases.find(proposed.focus)) is not None:
                meant.append(int(found))
                named[meant[-1]] = named[meant[-1]] or _name(proposed.relation)
        aliases.require(meant, named=[proposed.focus for proposed in reply.relations])
        return RelationNamingResponse(relations=tuple(_telling(request, named)))

    async def offline(self, request: RelationNamingRequest, toolbox: Toolbox) -> RelationNamingResponse:
        """Name relations by the signs of them in the words."""
        return await name_relations(request, toolbox)


def _aliases(request: RelationNamingRequest) -> IdAliases:
    """Return the names of the focuses, which stand for their places."""
    return IdAliases([str(place) for place in range(len(request.focuses))], prefix="f")


_DENIALS = frozenset({"contradicts", "refutes", "denies", "反驳", "矛盾", "否认"})
_FEW = 3
"""Memories of which all may well have one relation to another (chosen by hand)."""


def _telling(request: RelationNamingRequest, named: Sequence[str]) -> list[str]:
    """Return the names without those that tell nothing: one for all, or a denial, of what has no word in common.

    A small model gives every memory the first name of the rules, and has thanks contradict a date.
    """
    is_one_for_all = len(named) >= _FEW and len(set(named)) == 1
    words = frozenset(query_terms(request.node))
    return [
        name if not words.isdisjoint(query_terms(focus)) or not (is_one_for_all or name in _DENIALS) else ""
        for name, focus in zip(named, request.focuses, strict=True)
    ]


def _name(text: str) -> str:
    bare = text.strip(_AROUND)
    if _CHINESE.fullmatch(bare):
        return bare
    return bare.lower() if _ENGLISH.fullmatch(bare) and len(bare) <= _LONGEST_RELATION else ""


_READ = 12
"""Statements of a memory that are read: each is compared with each of every focus. Chosen by hand."""
# Chosen by hand: below the first, two texts have nothing to do with each other; from the second on, one repeats the
# other.
_NEAR = 0.3
_SAME = 0.75


_CAUSE = word_regex(r"because|since|due to|as a result of|caused by|owing to", r"因为|由于|起因")
_RESULT = word_regex(r"therefore|so that|thus|as a result|consequently|led to|that is why", r"因此|所以|于是|导致|结果")
_CONTRAST = word_regex(r"but|however|although|though|instead|on the other hand|yet", r"但是|但|不过|然而|却|可是|反而")
_EXAMPLE = word_regex(r"for example|for instance|e\.g\.|such as", r"例如|比如|譬如|举例")
_ASKED = lazy_regex(r"[?？]\s*\Z")

_NAMES: dict[str, Bilingual] = {
    "updates": Bilingual("updates", "更新"),
    "contradicts": Bilingual("contradicts", "反驳"),
    "repeats": Bilingual("repeats", "重复"),
    "answers": Bilingual("answers", "回答"),
    "explains": Bilingual("explains", "解释"),
    "follows from": Bilingual("follows from", "源于"),
    "contrasts with": Bilingual("contrasts with", "对比"),
    "example of": Bilingual("example of", "举例"),
    "adds to": Bilingual("adds to", "补充"),
    "same subject": Bilingual("same subject", "同一对象"),
    "about": Bilingual("same topic", "同题"),
}


@dataclass(frozen=True, slots=True)
class _Tie:
    """What was found out about two memories."""

    is_conflict: bool
    is_update: bool
    shares_name: bool
    alike: float


async def name_relations(request: RelationNamingRequest, toolbox: Toolbox) -> RelationNamingResponse:
    """Name the relation to each focus; where the words give nothing away it stays unnamed."""
    language = working_language(request.node, *request.focuses)
    alike = await similarities(request.node, request.focuses, toolbox)
    new = _claims(request.node)
    names = []
    for focus, near in zip(request.focuses, alike, strict=True):
        old = _claims(focus)
        # What has little in common does not contradict, and comparing claims is what the time of a memory goes to.
        judged = [judge(compare(one, other)) for one in new for other in old] if near >= _NEAR else []
        worst = max(judged, key=lambda judgement: judgement.conflict, default=None)
        conflict = worst is not None and worst.conflict >= CONFLICT
        update = worst is not None and worst.is_update
        tie = _Tie(conflict, update, bool(_names(new) & _names(old)), near)
        name = _relation(request.node, focus, tie)
        names.append(_NAMES[name][language] if name else "")
    return RelationNamingResponse(relations=tuple(names))


def _relation(node: str, focus: str, tie: _Tie) -> str:
    """Return the name of a relation by what was found out, the strongest first: what contradicts or repeats a memory is
    never only "about" it.
    """
    if tie.is_conflict:
        return "updates" if tie.is_update else "contradicts"
    asked = _ASKED.search(focus.strip()) is not None and _ASKED.search(node.strip()) is None
    if tie.alike >= _SAME and not asked:
        return "repeats"
    if tie.alike < _NEAR and not tie.shares_name:
        return ""
    for name, holds in (
        ("answers", asked),
        ("example of", _EXAMPLE.search(node)),
        ("explains", _CAUSE.search(node)),
        ("follows from", _RESULT.search(node)),
        ("contrasts with", _CONTRAST.match(node.strip())),
        ("adds to", tie.alike >= _NEAR and tie.shares_name),
        ("same subject", tie.shares_name),
    ):
        if holds:
            return name
    return "about" if tie.alike >= _NEAR else ""


@lru_cache(maxsize=32)
def _claims(text: str) -> tuple[ParsedClaim, ...]:
    """Return the claims of a memory; the same few focuses come again with every new one."""
    return tuple(DatedStatement(statement).read() for statement in summary_statements(text, most=_READ))


def _names(claims: Sequence[ParsedClaim]) -> set[str]:
    return {token.key for claim in claims for token in claim.tokens if token.part is TokenKind.NAME}


RELATION_NAMING = RelationNaming()
