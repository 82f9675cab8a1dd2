"""Extraction: a model finds what of a conversation is worth keeping; code keeps where it was said."""

import re
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from remanent.language.aliases import check_numbers
from remanent.language.exchanges.extraction import (
    ExtractedFact,
    ExtractionRequest,
    ExtractionResponse,
    FactKind,
)
from remanent.language.replies import MOST_ITEMS, Confidence, Numbers, Prose
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tidying import line, remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, group, prompt, utterance_blocks
from remanent.model import Model

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_FACT = 500
_LONGEST_SHOWN = 4_000
# What it takes for "said in so many words that it is to be remembered": a model's word for it is not enough.
_REMEMBER = re.compile(
    r"记住|记下|记一下|记好|牢记|别忘|不要忘|勿忘|"
    r"\b(?:remember|memori[sz]e|(?:do not|don['’]t|never) forget|keep in mind|(?:make|take) (?:a )?note|note that)\b",
    re.IGNORECASE,
)
_OPENING: Wording = {
    "zh": """
你负责从对话中提取值得记住的内容。输入是依次编号的发言（<m n="编号" by="说话人" at="时间">）。只提取以下几类：
""",
    "en": """
You extract what is worth remembering from a conversation. The input is numbered utterances (<m n="number" \
by="speaker" at="time">). Extract only these kinds:
""",
}
_KINDS: dict[FactKind, Wording] = {
    FactKind.PREFERENCE: {
        "zh": "preference：用户的偏好或偏好的变化（喜欢、不要、以后都……）。",
        "en": "preference: what the user likes or wants, or a change of it.",
    },
    FactKind.DECISION: {
        "zh": "decision：已经作出的决定，连同理由。",
        "en": "decision: a decision that was made, with its reason.",
    },
    FactKind.FOLLOW_UP: {
        "zh": "follow_up：还没做完、需要以后跟进的事，连同期限。",
        "en": "follow_up: something still to be done or looked at again, with its deadline.",
    },
    FactKind.MOOD: {
        "zh": "mood：用户的情绪或态度。",
        "en": "mood: how the user feels about something.",
    },
    FactKind.FACT: {
        "zh": "fact：关于人、项目或事物的长期有效的事实。",
        "en": "fact: something lasting about a person, a project or a thing.",
    },
    FactKind.REQUEST: {
        "zh": "request：用户提出的请求。",
        "en": "request: what the user asked for.",
    },
    FactKind.COMPLETION: {
        "zh": "completion：已经完成的事项。",
        "en": "completion: what was finished.",
    },
}
_RULES: Wording = {
    "zh": """规则：
1. 每条内容脱离对话也能看懂，写明是谁；数字、日期、否定照原文；只写对话中说过的，不推测。
2. 同一件事只写一次，后来改口的以后说的为准；假设、举例、玩笑、引用他人要求不算。
3. 没有就返回空列表，不要凑数；最多写 <limit> 条，重要的优先。使用对话的语言。
字段 facts：列表，每项含 kind（以上之一）、content（一句话）、reason（理由，没有则为 ""）、importance（0 到 1）、\
confirmed（说话人是否明确要求记住）、sources（来源发言编号列表）。
""",
    "en": """Rules:
1. Each makes sense without the conversation and says who; numbers, dates and negations as they were said; only \
what was said, no guesses.
2. One thing once; what was said last counts; suppositions, examples, jokes and quoted requests do not count.
3. If there is nothing, return an empty list; at most as many as <limit> says, the important ones first. Write in \
the language of the conversation.
Field facts: a list, each with kind (one of the above), content (one sentence), reason ("" if none), importance (0 \
to 1), confirmed (whether the speaker asked in so many words to remember it), sources (list of utterance numbers).
""",
}
_EXAMPLE: Wording = {
    "zh": """示例：{"facts": [{"kind": "preference", "content": "用户希望代码注释用中文", "reason": "", \
"importance": 0.7, "confirmed": true, "sources": [2]}]}
""",
    "en": """Example: {"facts": [{"kind": "preference", "content": "The user wants short answers", "reason": "", \
"importance": 0.7, "confirmed": true, "sources": [2]}]}
""",
}


class FactReply(Model):
    """One thing worth keeping."""

    kind: Literal["preference", "decision", "follow_up", "mood", "fact", "request", "completion"]
    content: Prose
    reason: Prose = ""
    importance: Confidence = 0.5
    confirmed: bool = False
    sources: Numbers = ()


class ExtractionReply(Model):
    """What is worth keeping."""

    facts: Annotated[tuple[FactReply, ...], Field(max_length=MOST_ITEMS)]


class Extraction(Role[ExtractionRequest, ExtractionReply, ExtractionResponse]):
    """Find what is worth keeping."""

    name = "extraction"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.1, top_p=0.9)
    request = ExtractionRequest
    reply = ExtractionReply

    def tongue(self, request: ExtractionRequest) -> Tongue:
        """Speak the language of what was said."""
        return tongue_of("\n".join(said.text[:1000] for said in request.utterances))

    def prompt(self, request: ExtractionRequest, *, tongue: Tongue) -> Prompt:
        """Show the conversation in numbered utterances."""
        kinds = [f"- {_KINDS[kind][tongue]}" for kind in FactKind if kind in request.kinds]
        told = "".join([_OPENING[tongue], "\n".join(kinds), "\n", _RULES[tongue], _EXAMPLE[tongue]])
        said = utterance_blocks(request.utterances, longest=_LONGEST_SHOWN)
        return prompt(told, [group("said", said), block("limit", str(request.limit))], tongue=tongue)

    def read(self, request: ExtractionRequest, reply: ExtractionReply) -> ExtractionResponse:
        """Keep what was asked for, each thing once, in the order of the conversation."""
        facts: dict[tuple[str, str], ExtractedFact] = {}
        for proposed in reply.facts:
            check_numbers(proposed.sources, shown=len(request.utterances), what="utterance")
            content = line(proposed.content, _LONGEST_FACT)
            if content and FactKind(proposed.kind) in request.kinds:
                facts.setdefault((proposed.kind, content.casefold()), _fact(request, proposed, content))
        kept = sorted(facts.values(), key=lambda fact: -fact.importance)[: request.limit]
        return ExtractionResponse(facts=tuple(sorted(kept, key=lambda fact: fact.sources)))

    async def offline(self, request: ExtractionRequest, toolbox: "Toolbox") -> ExtractionResponse:
        """Find the sentences whose words tell what they are."""
        from remanent.language.offline.extracting import extract

        return await extract(request, toolbox)


def _fact(request: ExtractionRequest, proposed: FactReply, content: str) -> ExtractedFact:
    # Without a source named it may come from any of what was shown, which is true if broad.
    numbers = sorted(set(proposed.sources)) or range(1, len(request.utterances) + 1)
    sources = tuple(number - 1 for number in numbers)
    confirmed = proposed.confirmed and any(_REMEMBER.search(request.utterances[place].text) for place in sources)
    return ExtractedFact(
        kind=FactKind(proposed.kind),
        content=content,
        reason=remark(proposed.reason, _LONGEST_FACT),
        importance=proposed.importance,
        confirmed=confirmed,
        sources=sources,
    )
