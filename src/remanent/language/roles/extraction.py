"""Extraction: a model finds what of a conversation is worth keeping; code keeps where it was said.

A fact that was not said is dropped, and one without sources gets the utterance that says it, or none: it had all of
them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.language import shapes
from remanent.language.offline.commitments import Commitments, find_commitments
from remanent.language.offline.questions import is_question
from remanent.language.offline.salience import with_speaker
from remanent.language.offline.statement_rules import StatementKind
from remanent.language.offline.statements import only_confirms, statements
from remanent.language.prompt_blocks import block, group, spoken_language, utterance_blocks
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import MAX_ITEMS, MAX_REMARK, known_numbers, multi_line, numbered, one_line
from remanent.lightweight import dataclass
from remanent.model import Model, Origin
from remanent.model.base import Count, Share
from remanent.model.entry import chat_role
from remanent.text.keywords import WordIndex
from remanent.text.mentions import SPEAKER_OR_HEARER
from remanent.text.regex import lazy_regex, word_regex
from remanent.text.scripts import alphanumeric
from remanent.text.sentences import sentence_texts
from remanent.text.summary import without_code


class FactKind(StrEnum):
    """What sort of thing was said."""

    PREFERENCE = "preference"
    """How somebody wants things, or that this changed."""
    DECISION = "decision"
    FOLLOW_UP = "follow_up"
    """Something that is still to be done or looked at again."""
    MOOD = "mood"
    """How somebody feels about it."""
    FACT = "fact"
    """Something lasting about a person, a project or the world."""
    REQUEST = "request"
    """What the user asked for."""
    COMPLETION = "completion"
    """What was finished."""


SHORT_TERM = (FactKind.PREFERENCE, FactKind.DECISION, FactKind.FOLLOW_UP, FactKind.MOOD)
"""What short-term memory keeps."""


class ExtractionRequest(Model):
    """A conversation and the sorts of things to look for."""

    utterances: Annotated[tuple[shapes.Utterance, ...], Field(min_length=1, max_length=1000)]
    kinds: Annotated[tuple[FactKind, ...], Field(min_length=1, max_length=len(FactKind))] = SHORT_TERM
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class ExtractedFact(Model):
    """One thing worth keeping, worded so that it makes sense alone."""

    kind: FactKind
    content: Annotated[shapes.Remark, Field(min_length=1)]
    reason: shapes.Remark = ""
    """Why, if that was said."""
    importance: Share = 0.5
    confirmed: bool = False
    """Set when it was said in so many words that it is to be remembered."""
    sources: tuple[Count, ...]
    """The numbers, from 0, of the utterances that it came from; none where none says it."""


class ExtractionResponse(Model):
    """What was found, in the order of the conversation; only of the kinds that were asked for."""

    facts: tuple[ExtractedFact, ...]


_LONGEST_FACT = 500
"""Characters of a fact, and of its reason: a sentence or two, however much a model writes. Chosen by hand."""
_LONGEST_SHOWN = 4_000
"""Characters of an utterance that a model is shown; of a longer one, beginning and end. Chosen by hand."""
_LEAST_SUPPORT = 0.5
"""The share of a fact's terms that must have been said, as for a piece of segmentation; below, it was made up. Chosen
by hand."""
# What it takes for "said in so many words that it is to be remembered": a model's word for it is not enough.
_REMEMBER = lazy_regex(
    r"记住|记下|记一下|记好|牢记|别忘|不要忘|勿忘|"
    r"\b(?:remember|memori[sz]e|(?:do not|don['’]t|never) forget|keep in mind|(?:make|take) (?:a )?note|note that)\b",
    re.IGNORECASE,
)
_OPENING: Bilingual = Bilingual(
    """
You extract what is worth remembering from a conversation. The input is numbered utterances (<m n="number" \
by="speaker" at="time">). Extract only these kinds:
""",
    """
你负责从对话中提取值得记住的内容。输入是依次编号的发言（<m n="编号" by="说话人" at="时间">）。只提取以下几类：
""",
)
_KINDS: dict[FactKind, Bilingual] = {
    FactKind.PREFERENCE: Bilingual(
        "preference: what the user likes or wants, or a change of it.",
        "preference：用户的偏好或偏好的变化（喜欢、不要、以后都……）。",
    ),
    FactKind.DECISION: Bilingual(
        "decision: a decision that was made, with its reason.", "decision：已经作出的决定，连同理由。"
    ),
    FactKind.FOLLOW_UP: Bilingual(
        "follow_up: something still to be done or looked at again, with its deadline.",
        "follow_up：还没做完、需要以后跟进的事，连同期限。",
    ),
    FactKind.MOOD: Bilingual("mood: how the user feels about something.", "mood：用户的情绪或态度。"),
    FactKind.FACT: Bilingual(
        "fact: something lasting about a person, a project or a thing.", "fact：关于人、项目或事物的长期有效的事实。"
    ),
    FactKind.REQUEST: Bilingual("request: what the user asked for.", "request：用户提出的请求。"),
    FactKind.COMPLETION: Bilingual("completion: what was finished.", "completion：已经完成的事项。"),
}
_RULES: Bilingual = Bilingual(
    """Rules:
1. Each makes sense without the conversation and says who; numbers, dates and negations as they were said; only \
what was said, no guesses.
2. One thing once; what was said last counts; suppositions, examples, jokes and quoted requests do not count.
3. If there is nothing, return an empty list; at most as many as <limit> says, the important ones first. Write in \
the language of the conversation.
Field facts: a list, each with kind (one of the above), content (one sentence), reason ("" if none), importance (0 \
to 1), confirmed (whether the speaker asked in so many words to remember it), sources (list of utterance numbers).
""",
    """规则：
1. 每条内容脱离对话也能看懂，写明是谁；数字、日期、否定照原文；只写对话中说过的，不推测。
2. 同一件事只写一次，后来改口的以后说的为准；假设、举例、玩笑、引用他人要求不算。
3. 没有就返回空列表，不要凑数；最多写 <limit> 条，重要的优先。使用对话的语言。
字段 facts：列表，每项含 kind（以上之一）、content（一句话）、reason（理由，没有则为 ""）、importance（0 到 1）、\
confirmed（说话人是否明确要求记住）、sources（来源发言编号列表）。
""",
)
_BOUNDS: Bilingual = Bilingual("The utterances are numbered 1 to {n}.", "发言编号为 1 到 {n}。")


class FactReply(Model):
    """One thing worth keeping."""

    kind: Literal["preference", "decision", "follow_up", "mood", "fact", "request", "completion"]
    content: shapes.Prose
    reason: shapes.Prose = ""
    importance: shapes.Confidence = 0.5
    confirmed: bool = False
    sources: shapes.Numbers = ()


class ExtractionReply(Model):
    """What is worth keeping."""

    facts: Annotated[tuple[FactReply, ...], Field(max_length=MAX_ITEMS)]


class Extraction(Role[ExtractionRequest, ExtractionReply, ExtractionResponse]):
    """Find what is worth keeping."""

    name = "extraction"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.1, top_p=0.9)
    form_shown = Bilingual(
        """{"facts": [{"kind": "[one of the above]", "content": "[one sentence]", "reason": "[reason]", \
"importance": 0.5, "confirmed": false, "sources": [1]}]}""",
        """{"facts": [{"kind": "【类别】", "content": "【一句话】", "reason": "【理由】", "importance": 0.5, \
"confirmed": false, "sources": [1]}]}""",
    )

    def language(self, request: ExtractionRequest) -> Language:
        """Speak the language of what was said."""
        return spoken_language(request.utterances)

    def told(self, request: ExtractionRequest, *, language: Language) -> str:
        """Describe the kinds that are asked for."""
        kinds = [f"- {_KINDS[kind][language]}" for kind in FactKind if kind in request.kinds]
        return "".join([_OPENING[language], "\n".join(kinds), "\n", _RULES[language]])

    def material(self, request: ExtractionRequest, *, language: Language) -> list[str]:
        """Show the conversation in numbered utterances."""
        said = utterance_blocks(request.utterances, longest=_LONGEST_SHOWN)
        return [group("said", said), block("limit", str(request.limit)), _BOUNDS[language].format(n=len(said))]

    def bounds(self, request: ExtractionRequest) -> Bounds:
        """Hold the facts to those that are asked for, and their sources to what was said."""
        return {
            "facts": {"maxItems": request.limit},
            "facts.kind": {"enum": [kind.value for kind in request.kinds]},
            "facts.sources": numbered(len(request.utterances)),
        }

    def read(self, request: ExtractionRequest, reply: ExtractionReply) -> ExtractionResponse:
        """Keep what was asked for, each thing once, in the order of the conversation."""
        facts: dict[tuple[str, str], ExtractedFact] = {}
        said = WordIndex("\n".join(f"{one.speaker}\n{one.text}" for one in request.utterances))
        for proposed in reply.facts:
            content = one_line(proposed.content, _LONGEST_FACT)
            # It is made of what was said; a feeling is named in words of its own.
            is_said = proposed.kind == "mood" or (
                said.share(content) >= _LEAST_SUPPORT and not said.invents_numbers(content)
            )
            if content and proposed.kind in request.kinds and is_said:
                facts.setdefault((proposed.kind, content.casefold()), _fact(request, proposed, content))
        kept = sorted(facts.values(), key=lambda fact: -fact.importance)[: request.limit]
        return ExtractionResponse(facts=tuple(sorted(kept, key=lambda fact: fact.sources)))

    async def offline(self, request: ExtractionRequest, toolbox: Toolbox) -> ExtractionResponse:
        """Find the sentences whose words tell what they are; the most important if there are too many."""
        facts: dict[str, ExtractedFact] = {}
        settled = find_commitments(request.utterances, sentences=_outside_code)
        for sentence in _sentences(request.utterances):
            fact = _fact_of(sentence, request.kinds, settled)
            if fact is not None:
                key = alphanumeric(fact.content)
                known = facts.setdefault(key, fact)
                if known is not fact:  # said twice: from both places, confirmed if it ever was
                    facts[key] = known.replace(
                        sources=tuple(dict.fromkeys((*known.sources, *fact.sources))),
                        confirmed=known.confirmed or fact.confirmed,
                        importance=max(known.importance, fact.importance),
                    )
        kept = sorted(facts.values(), key=lambda fact: -fact.importance)[: request.limit]
        return ExtractionResponse(facts=tuple(fact for fact in facts.values() if fact in kept))


def _fact(request: ExtractionRequest, proposed: FactReply, content: str) -> ExtractedFact:
    named = known_numbers(proposed.sources, shown=len(request.utterances))
    sources = tuple(number - 1 for number in sorted(named))
    if not sources:  # the utterance that says it, if one does
        shares = [WordIndex(f"{said.speaker}\n{said.text}").share(content) for said in request.utterances]
        sources = (shares.index(max(shares)),) if max(shares) >= _LEAST_SUPPORT else ()
    # What a tool or a page says is to be remembered, nobody asked for.
    asked = [said for place in sources if (said := request.utterances[place]).origin in {None, Origin.USER}]
    confirmed = proposed.confirmed and any(_REMEMBER.search(said.text) for said in asked)
    return ExtractedFact(
        kind=FactKind(proposed.kind),
        content=content,
        reason=multi_line(proposed.reason, _LONGEST_FACT),
        importance=proposed.importance,
        confirmed=confirmed,
        sources=sources,
    )


_COMPLETION = word_regex(
    r"(?:i|we|it|that)(?:['’](?:ve|s)| have| has| is)?(?: now| just| already| finally)? (?:done|finished|completed|"
    r"fixed|implemented|wrote|written|saved|renamed|removed|"
    r"deployed|merged|resolved|solved|shipped|released|submitted|booked|sent|updated|created|added)|all done|"
    # A report leaves out who: "Fixed the flaky test."
    r"^(?:done|finished|completed|fixed|implemented|wrote|saved|renamed|removed|deployed|merged|resolved|solved|"
    r"shipped|released|submitted|booked|sent|updated|created|added|installed|refactored)|is (?:now )?(?:complete|live)|"
    r"(?:has|have) been (?:done|finished|completed|fixed|deployed|merged|resolved|sent|updated|created)",
    r"(?:已经|已|刚|终于|都)[^，。]{0,12}(?:完成|做完|搞定|修好|修复|部署|上线|提交|发送|发布|解决|更新|创建|添加|"
    r"合并)|(?:完成|做完|搞定|修好|解决|写完|部署好|上线)了|^(?:好的?，)?已经?(?:[为帮替给][你您]|"
    r"把[^，。]{1,12})?(?:查[到好明]|找到|译[好为]|翻译|写[好入]|改[好为]|发[出给]|寄出|订好|预[订约定]|删除|保存|安装|"
    r"整理|上传|下单|付款|办[好妥]|安排|通知|记[下录])",
)
_ADVISES = word_regex(
    r"you (?:can|could|should|may|might|need|want)|^\W*(?:to|if|once|when|make sure|here(?:['’]s| is| are))",
    r"[你您](?:可以|可|应该?|需要)|^(?:如果|当|一旦|为了)",
)
"""Who advises has completed nothing: "you can use the timing code we added earlier:"."""
_REQUEST = word_regex(
    r"(?:can|could|would|will) (?:you|someone|anyone)|please|help me|i(?:['’]d like| want| need) (?:you to|to know|"
    r"help)|^\W*(?:(?:and|so|now|ok|okay|then)\W+)*(?:(?:show|tell|give) me|explain|write (?:me|a|an))|how (?:do|can|"
    r"should) (?:i|we)",
    # Where a clause begins: 他请客 and 我妈给我打电话 ask for nothing.
    r"(?:^|[，,。；;：:！!\s])(?:[那你您也再先就还能]|可以|现在|麻烦[你您]?)*(?:请(?![客假教示]|了)|帮我|帮忙|替我|给我|告诉我|麻烦[你您])|"
    r"能不能|可以.{0,12}吗|能否|我想知道|怎么(?:做|办|弄|写)|(?<!无论)如何",
)
_REASON = lazy_regex(
    r"\b(?:because|since|as|due to)\s+(?P<en>.{4,600}?(?=[.!?]|$)|.{600})"
    r"|(?:因为|由于)(?P<zh>.{2,600}?(?=[，。！？]|$)|.{600})",
    re.IGNORECASE,
)
_PRESSING = word_regex(r"always|never|must|important|urgent|critical|asap", r"一定|务必|必须|重要|紧急|千万|尽快|绝不")

_STATED: dict[StatementKind, FactKind] = {
    "decision": FactKind.DECISION,
    "instruction": FactKind.PREFERENCE,
    "procedure": FactKind.PREFERENCE,
    "preference": FactKind.PREFERENCE,
    "mood": FactKind.MOOD,
    "follow_up": FactKind.FOLLOW_UP,
    "fact": FactKind.FACT,
}
"""What is stated, as far as it lasts; the first counts where a sentence states several things."""
_WEIGHTS = {
    FactKind.DECISION: 0.7,
    FactKind.PREFERENCE: 0.6,
    FactKind.FOLLOW_UP: 0.6,
    FactKind.FACT: 0.5,
    FactKind.COMPLETION: 0.5,
    FactKind.REQUEST: 0.4,
    FactKind.MOOD: 0.35,
}
"""How important a sentence of each kind is by itself, chosen by hand: what binds others before what only describes."""
_BINDING = (FactKind.DECISION, FactKind.FOLLOW_UP, FactKind.PREFERENCE)
"""What decisions, what is to be done and agreements are."""
# What only a person says of himself.
_OWN = frozenset({FactKind.PREFERENCE, FactKind.MOOD, FactKind.REQUEST, FactKind.FACT})
_SHORTEST = 4
"""Characters below which a sentence says nothing: "Ok.", 「好的」. Chosen by hand."""


@dataclass(frozen=True, slots=True)
class _SpokenSentence:
    """A sentence, who said it, and whether it is to be remembered."""

    text: str
    utterance: int
    said: shapes.Utterance
    confirmed: bool = False
    """Whether what was said next asks to remember it."""


def _outside_code(text: str) -> list[str]:
    return sentence_texts(without_code(text))


def _sentences(utterances: Sequence[shapes.Utterance]) -> Iterator[_SpokenSentence]:
    """Yield sentences in order; "remember this" by itself confirms the one before it."""
    waiting: _SpokenSentence | None = None
    for number, said in enumerate(utterances):
        for text in _outside_code(said.text):
            if only_confirms(text):
                waiting = waiting and replace(waiting, confirmed=True)
                continue
            if waiting is not None:
                yield waiting
            waiting = _SpokenSentence(text, number, said)
    if waiting is not None:
        yield waiting


def _fact_of(sentence: _SpokenSentence, kinds: Sequence[FactKind], settled: Commitments) -> ExtractedFact | None:
    text = sentence.text
    if len(text) < _SHORTEST:
        return None
    by_assistant = chat_role(sentence.said.speaker) in {"assistant", "system", "tool"}
    found = statements(text, speaker=sentence.said.speaker, is_user=not by_assistant)
    confirmed = sentence.confirmed or any(one.confirmed for one in found)
    said = with_speaker(one_line(text, MAX_REMARK), sentence.said.speaker)  # as commitments tell it
    binding = (settled.decisions, settled.todos, settled.agreements)
    # What a sentence binds people to, as far as the talk does not take it back, then what it states.
    told = [bond for bonds, bond in zip(binding, _BINDING, strict=True) if said in bonds]
    told += [_STATED[one.kind] for one in found if one.kind in _STATED]
    stated = told[0] if told else None
    kind, importance = _kind(text, kinds, stated, by_assistant=by_assistant)
    if kind is None and confirmed and not by_assistant:
        # Nothing tells what sort of thing it is, but it must not be lost.
        kept = (FactKind.FACT, FactKind.PREFERENCE, FactKind.DECISION)
        kind, importance = next((one for one in kept if one in kinds), kinds[0]), 0.6
    if kind is None or said in settled.gone:
        return None
    reason = _REASON.search(text)
    importance += 0.1 if _PRESSING.search(text) else 0.0
    importance += 0.2 if confirmed else 0.0
    if SPEAKER_OR_HEARER.search(text):  # it would not tell whose words they are
        text = with_speaker(text, sentence.said.speaker)
    return ExtractedFact(
        kind=kind,
        content=one_line(text, MAX_REMARK),
        reason=one_line((reason["en"] or reason["zh"]).strip(), 500) if reason else "",
        importance=round(min(1.0, importance), 2),
        confirmed=confirmed,
        sources=(sentence.utterance,),
    )


def _kind(
    text: str, kinds: Sequence[FactKind], stated: FactKind | None, *, by_assistant: bool
) -> tuple[FactKind | None, float]:
    """Return what a sentence is and how important that is by itself: what it states, else by its words."""
    asked = is_question(text)
    # 帮我把截止日期改到10月12日 names a day, and is to be done before it is so.
    to_do = stated is FactKind.FACT and FactKind.REQUEST in kinds and not by_assistant and _REQUEST.search(text)
    if stated is not None and stated in kinds and not to_do and not (by_assistant and stated in _OWN):
        return stated, _WEIGHTS[stated]
    is_report = FactKind.COMPLETION in kinds and not asked and _COMPLETION.search(text)
    if is_report and not (_ADVISES.search(text) or text.endswith((":", "："))):
        return FactKind.COMPLETION, _WEIGHTS[FactKind.COMPLETION]
    if FactKind.REQUEST in kinds and not by_assistant and (asked or _REQUEST.search(text)):
        return FactKind.REQUEST, _WEIGHTS[FactKind.REQUEST]
    return None, 0.0


EXTRACTION = Extraction()
