"""Segmentation: a model words short pieces that make sense alone; code keeps where each came from and loses nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from remanent.errors import Refused
from remanent.language.aliases import check_numbers
from remanent.language.exchanges.segmentation import (
    LONGEST_SEGMENT,
    Segment,
    SegmentationRequest,
    SegmentationResponse,
)
from remanent.language.exchanges.shapes import Place
from remanent.language.pieces import piece_spans, pieces, places_of
from remanent.language.replies import MOST_ITEMS, Numbers, Prose
from remanent.language.role import Defaults, Prompt, Role, Tier
from remanent.language.tidying import remark
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, group, place_blocks, prompt, utterance_block
from remanent.model import Model
from remanent.text.terms import query_terms

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_LONGEST_EARLIER = 500
# What may be passed over as saying nothing: a greeting, thanks, "ok".
_LONGEST_SKIPPED = 40
# A piece is close to the words that it came from; below this share of them it was made up, or translated.
_LEAST_SUPPORT = 0.5

_INSTRUCTIONS: Wording = {
    "zh": """
你负责把聊天记录切成语义完整的记忆片段。输入是依次编号的发言（<m n="编号" by="说话人" at="时间">）；<earlier> \
是更早的发言，只用来弄清指代，不切分。
规则：
1. 每个片段脱离上下文也能看懂：把“他/她/它/这个/那里/我/你”等换成明确的人或物（“我”换成说话人），\
确定不了的保留原样，不要猜。
2. “昨天”“下周”等相对时间，能由发言时间推出日期时，在其后用括号注明日期。
3. 用词尽量照原文；数字、名称、否定照写；不评论，不添加内容；使用原文的语言。
4. 每个片段不超过 200 个字符，只讲一件事；太长就分成几个。
5. 每条发言都要归入片段；只有没有信息的寒暄、应答可以放进 skipped。
字段：segments：列表，每项含 text（片段）和 sources（来源编号列表）。skipped：没有信息的发言编号列表，没有则为 []。
示例：{"segments": [{"text": "小王的妹妹小丽上周六（2024-05-11）搬到了杭州", "sources": [2, 3]}], "skipped": [1]}
""",
    "en": """
You cut a conversation into pieces of memory. The input is numbered utterances (<m n="number" by="speaker" \
at="time">); <earlier> is what was said before: use it to tell who is meant, do not cut it.
Rules:
1. Each piece makes sense alone: put the person or thing in the place of "he", "she", "it", "this", "there", "I", \
"you" ("I" becomes the speaker); where it is not certain leave the word as it is; never guess.
2. For "yesterday", "next week" and the like, add the date in brackets when the time of the utterance tells it.
3. Keep the words of the text as far as you can, and all numbers, names and negations; no comments, nothing added; \
write in the language of the text.
4. A piece has at most 200 characters and tells one thing; make several of what is longer.
5. Every utterance goes into a piece; only greetings and replies that say nothing go into skipped.
Fields: segments: a list, each with text (the piece) and sources (list of the numbers it came from). skipped: list \
of the numbers that say nothing, [] if none.
Example: {"segments": [{"text": "Tom's sister Lily moved to Leeds last Saturday (2024-05-11)", "sources": [2, 3]}], \
"skipped": [1]}
""",
}


class SegmentReply(Model):
    """One piece."""

    text: Prose
    sources: Numbers = ()


class SegmentationReply(Model):
    """The pieces of a conversation."""

    segments: Annotated[tuple[SegmentReply, ...], Field(max_length=MOST_ITEMS)]
    skipped: Numbers = ()


class Segmentation(Role[SegmentationRequest, SegmentationReply, SegmentationResponse]):
    """Cut a conversation into pieces."""

    name = "segmentation"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.1, top_p=0.9)
    request = SegmentationRequest
    reply = SegmentationReply

    def tongue(self, request: SegmentationRequest) -> Tongue:
        """Speak the language of what was said."""
        return tongue_of("\n".join(said.text[:1000] for said in request.utterances))

    def prompt(self, request: SegmentationRequest, *, tongue: Tongue) -> Prompt:
        """Show what was said in numbered parts."""
        earlier = [utterance_block(said, said.text[-_LONGEST_EARLIER:]) for said in request.earlier]
        said = place_blocks(request.utterances, places_of(request.utterances))
        return prompt(_INSTRUCTIONS[tongue], [group("earlier", earlier), group("said", said)], tongue=tongue)

    def read(self, request: SegmentationRequest, reply: SegmentationReply) -> SegmentationResponse:
        """Check each piece against its sources; what no piece covers becomes a piece as it was said."""
        places = places_of(request.utterances)
        for numbers in (reply.skipped, *(piece.sources for piece in reply.segments)):
            check_numbers(numbers, shown=len(places))
        skipped = {number for number in reply.skipped if _says_little(places[number - 1])}
        if not reply.segments and len(skipped) < len(places):
            raise Refused("there are no segments; cover every utterance that says something")
        segments: list[Segment] = []
        covered: set[int] = set()
        vocabulary = _vocabulary(request)
        for piece in reply.segments:
            sources = sorted(set(piece.sources)) or list(range(1, len(places) + 1))
            text = remark(piece.text, 10 * LONGEST_SEGMENT)
            if _support(text, vocabulary) >= _LEAST_SUPPORT:
                made = [Segment(text=part, places=tuple(places[n - 1] for n in sources)) for part in pieces(text)]
                segments += made
                covered.update(sources if made else ())
        left = [n for n in range(1, len(places) + 1) if n not in covered and n not in skipped]
        segments += _as_said(request, [places[n - 1] for n in left])
        segments.sort(key=lambda segment: (segment.places[0].utterance, segment.places[0].start))
        return SegmentationResponse(segments=tuple(segments))

    async def offline(self, request: SegmentationRequest, toolbox: "Toolbox") -> SegmentationResponse:
        """Cut at the ends of sentences and resolve the pronouns that are certain."""
        from remanent.language.offline.segmenting import segment

        return await segment(request, toolbox)


def _says_little(place: Place) -> bool:
    return place.end - place.start <= _LONGEST_SKIPPED


def _as_said(request: SegmentationRequest, places: Sequence[Place]) -> list[Segment]:
    """Return pieces in the words of the speaker; what follows each other is cut anew, so that little is torn apart."""
    stretches: list[Place] = []
    for place in places:
        text = request.utterances[place.utterance].text
        last = stretches[-1] if stretches else None
        if last is not None and last.utterance == place.utterance and not text[last.end : place.start].strip():
            stretches[-1] = last.replace(end=place.end)
        else:
            stretches.append(place)
    segments: list[Segment] = []
    for stretch in stretches:
        text = request.utterances[stretch.utterance].text[stretch.start : stretch.end]
        for span in piece_spans(text):
            place = stretch.replace(start=stretch.start + span.start, end=stretch.start + span.end)
            segments.append(Segment(text=span.of(text), places=(place,)))
    return segments


def _vocabulary(request: SegmentationRequest) -> frozenset[str]:
    said = (*request.earlier, *request.utterances)
    return frozenset(term for one in said for term in query_terms(f"{one.speaker}\n{one.text}"))


def _support(text: str, vocabulary: frozenset[str]) -> float:
    """Return the share of a text's terms that were among what was said."""
    terms: Sequence[str] = query_terms(text)
    return sum(term in vocabulary for term in terms) / len(terms) if terms else 1.0
