"""Rewriting: a model words a question in several ways that find more."""

import re
from collections.abc import Iterator
from typing import Annotated, ClassVar

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language.offline.lexicon import other_word
from remanent.language.offline.questions import keyword_form, statement_form
from remanent.language.reply_fields import Lines
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import Remark, Utterance
from remanent.language.tidying import lines, one_line
from remanent.language.wording import block, group, utterance_blocks
from remanent.model import Model
from remanent.text.keywords import content_words
from remanent.text.scripts import alphanumeric, working_language

_LONGEST_QUERY = 300
"""Characters of a query: a long question; more words would search for everything. Chosen by hand."""


class RewritingRequest(Model):
    """A question, and what was said right before it, for telling what it is about."""

    query: Annotated[Remark, Field(min_length=1)]
    earlier: Annotated[tuple[Utterance, ...], Field(max_length=20)] = ()
    count: Annotated[int, Field(ge=1, le=10)] = 3


class RewritingResponse(Model):
    """Other wordings of the question, best first; the question itself is not among them."""

    queries: tuple[Annotated[Remark, Field(min_length=1, max_length=_LONGEST_QUERY)], ...]


_LONGEST_EARLIER = 500
"""Characters of an earlier message that a model is shown. Chosen by hand."""
_INSTRUCTIONS: Bilingual = Bilingual(
    """
You rewrite the user's question (<query>) into queries that search well; <earlier> is what was said before: use it \
to tell what "that" and "it" mean.
Rules:
1. Each query makes sense alone: fill in what is meant or left out, drop small talk; keep names, numbers and dates.
2. Each takes another angle: synonyms or technical terms, the cause, the method or the symptom.
3. Do not answer the question and do not guess details. At most as many queries as <limit> says, the best first.
Field queries: a list of strings.
""",
    """
你负责把用户的问题（<query>）改写成便于检索的查询；<earlier> 是之前的对话，用来弄清“那个”“它”指什么。
规则：
1. 每条查询独立可懂：补全指代和省略，去掉口语；名称、数字、日期照写。
2. 各条角度不同：换用同义词或术语，问原因、做法或现象；其中一条用英文。
3. 不回答问题，不猜测对话里没有的细节。最多写 <limit> 条，最好的在前。
字段 queries：字符串列表。
""",
)


class RewritingReply(Model):
    """Queries that search well."""

    queries: Lines


class Rewriting(Role[RewritingRequest, RewritingReply, RewritingResponse]):
    """Model a question in several ways."""

    name = "rewriting"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.4, top_p=0.9, max_tokens=512, window=8_000)
    instructions = _INSTRUCTIONS
    form_shown: ClassVar[Bilingual | None] = Bilingual(
        '{"queries": ["[query]", "[query]"]}', '{"queries": ["【查询】", "【查询】"]}'
    )

    def language(self, request: RewritingRequest) -> Language:
        """Speak the language of the question."""
        return working_language(request.query)

    def material(self, request: RewritingRequest, *, language: Language) -> list[str]:
        """Show the question after what was said before it."""
        earlier = utterance_blocks(request.earlier, longest=_LONGEST_EARLIER, are_numbered=False)
        return [group("earlier", earlier), block("query", request.query), block("limit", str(request.count))]

    def bounds(self, request: RewritingRequest) -> Bounds:
        """Hold the list to as many as are asked for."""
        return {"queries": {"minItems": 1, "maxItems": request.count}}

    def read(self, request: RewritingRequest, reply: RewritingReply) -> RewritingResponse:
        """Keep other wordings, each once."""
        asked = one_line(request.query, _LONGEST_QUERY)
        queries = lines((asked, *reply.queries), most=request.count + 1, limit=_LONGEST_QUERY)
        if not any(query.strip() for query in reply.queries):
            raise Refused("queries must hold at least one query")
        return RewritingResponse(queries=queries[1 if asked else 0 :][: request.count])

    async def offline(self, request: RewritingRequest, toolbox: Toolbox) -> RewritingResponse:
        """Leave only the telling words, and what the words before tell that they mean."""
        return await rewrite(request, toolbox)


_POINTING = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|their|he|him|his|she|her|there|one)\b|[他她它]|这|那", re.IGNORECASE
)
_FEW_WORDS = 3
"""Words below which a question leans on what was said before, and the longest so many that make its shortest wording.
Chosen by hand."""
# What was said last is most likely what a question points back to. Chosen by hand.
_LOOKED_BACK = 3
_ADDED = 6
"""Words of earlier messages that are put before a question: more would outweigh its own. Chosen by hand."""


async def rewrite(request: RewritingRequest, toolbox: Toolbox) -> RewritingResponse:
    """Return up to so many other wordings; none is the question itself, and none comes twice."""
    seen = {alphanumeric(request.query)}
    queries: list[str] = []
    for wording in _wordings(request):
        query = one_line(wording, _LONGEST_QUERY)
        if query and alphanumeric(query) not in seen:
            seen.add(alphanumeric(query))
            queries.append(query)
        if len(queries) == request.count:
            break
    return RewritingResponse(queries=tuple(queries))


def _wordings(request: RewritingRequest) -> Iterator[str]:
    words = content_words(request.query)
    before = _pointed_to(request, words)
    if before:
        yield " ".join([*before, *words])
    yield keyword_form(request.query)
    yield statement_form(request.query)
    exchanged = [other_word(word) or word for word in words]
    if exchanged != words:
        yield " ".join(exchanged)
    if len(words) > _FEW_WORDS:
        longest = sorted(words, key=len, reverse=True)[:_FEW_WORDS]
        yield " ".join(word for word in words if word in longest)


def _pointed_to(request: RewritingRequest, words: list[str]) -> list[str]:
    """Return words of what was said before when the question makes no sense without it."""
    if not request.earlier or (len(words) >= _FEW_WORDS and not _POINTING.search(request.query)):
        return []
    known = {word.casefold() for word in words}
    found: list[str] = []
    for said in reversed(request.earlier[-_LOOKED_BACK:]):
        found += [word for word in content_words(said.text[:500]) if word.casefold() not in known]
        known.update(word.casefold() for word in found)
        if len(found) >= _ADDED:
            break
    return found[:_ADDED]


REWRITING = Rewriting()
