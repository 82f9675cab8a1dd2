"""Segmentation: a model words short pieces that make sense alone; code keeps where each came from and loses nothing.

A small model cited sources whose words its piece did not have, and skipped short messages that said something: four to
five of thirty messages were lost. A piece covers a source only if it holds most of its own words and all of its
numbers; only greetings and thanks are skipped, and whatever is not covered is kept as said. Of 28 messages none is lost
so.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.errors import Refused
from remanent.language import shapes
from remanent.language.offline.claims import named_speaker
from remanent.language.offline.salience import with_speaker
from remanent.language.prompt_blocks import (
    group,
    piece_spans,
    pieces,
    place_blocks,
    spoken_language,
    utterance_blocks,
    utterance_spans,
)
from remanent.language.role import Bounds, Defaults, Role, Tier, Toolbox
from remanent.language.shapes import MAX_ITEMS, MAX_SEGMENT, known_numbers, multi_line, numbered
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.model.base import Text
from remanent.text.dates import with_certain_days
from remanent.text.keywords import WordIndex
from remanent.text.mentions import SPEAKER_OR_HEARER, resolve
from remanent.text.talk import says_nothing_alone


class SegmentationRequest(Model):
    """What was said, and what was said before it, for telling who and what is meant."""

    utterances: Annotated[tuple[shapes.Utterance, ...], Field(min_length=1, max_length=1000)]
    earlier: Annotated[tuple[shapes.Utterance, ...], Field(max_length=20)] = ()


class Segment(Model):
    """One piece with its pronouns resolved, and where it came from."""

    text: Annotated[Text, Field(min_length=1, max_length=MAX_SEGMENT)]
    places: Annotated[tuple[shapes.UtteranceSpan, ...], Field(min_length=1)]


class SegmentationResponse(Model):
    """The pieces in the order of what was said; empty when nothing in it is worth a memory."""

    segments: tuple[Segment, ...]


_LONGEST_EARLIER = 500
"""Characters of an earlier message that a model is shown. Chosen by hand."""
# A piece is close to the words that it came from; below this share of them it was made up, or translated. Chosen by
# hand.
_LEAST_SUPPORT = 0.5


_BOUNDS: Bilingual = Bilingual("The utterances are numbered 1 to {n}.", "发言编号为 1 到 {n}。")
_PER_PLACE = 4
"""Pieces that one utterance may become; a sentence of 200 characters tells hardly more."""


class SegmentReply(Model):
    """One piece."""

    text: shapes.Prose
    sources: shapes.Numbers = ()


class SegmentationReply(Model):
    """The pieces of a conversation."""

    segments: Annotated[tuple[SegmentReply, ...], Field(max_length=MAX_ITEMS)]
    skipped: shapes.Numbers = ()


class Segmentation(Role[SegmentationRequest, SegmentationReply, SegmentationResponse]):
    """Cut a conversation into pieces."""

    name = "segmentation"
    defaults = Defaults(tier=Tier.EXTRACTION, temperature=0.1, top_p=0.9)
    instructions = Bilingual(
        """
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
""",
        """
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
""",
    )
    form_shown = Bilingual(
        """{"segments": [{"text": "[piece]", "sources": [1]}, {"text": "[piece]", "sources": [2]}], \
"skipped": []}""",
        """{"segments": [{"text": "【片段】", "sources": [1]}, {"text": "【片段】", "sources": [2]}], \
"skipped": []}""",
    )

    def language(self, request: SegmentationRequest) -> Language:
        """Speak the language of what was said."""
        return spoken_language(request.utterances)

    def material(self, request: SegmentationRequest, *, language: Language) -> list[str]:
        """Show what was said in numbered parts."""
        earlier = utterance_blocks(request.earlier, longest=_LONGEST_EARLIER, are_numbered=False)
        said = place_blocks(request.utterances, utterance_spans(request.utterances))
        return [group("earlier", earlier), group("said", said), _BOUNDS[language].format(n=len(said))]

    def bounds(self, request: SegmentationRequest) -> Bounds:
        """Hold the numbers to those of the utterances."""
        count = len(utterance_spans(request.utterances))
        numbers = numbered(count)
        return {"segments": {"maxItems": _PER_PLACE * count}, "segments.sources": numbers, "skipped": numbers}

    def read(self, request: SegmentationRequest, reply: SegmentationReply) -> SegmentationResponse:
        """Check each piece against its sources; what no piece covers becomes a piece as it is without a model."""
        places = utterance_spans(request.utterances)
        said = {n: _text_at(request, place) for n, place in enumerate(places, 1)}
        skipped = {n for n in known_numbers(reply.skipped, shown=len(places)) if says_nothing_alone(said[n])}
        skipped |= {n for n in said if says_nothing_alone(request.utterances[places[n - 1].utterance].text)}
        if not reply.segments and len(skipped) < len(places):
            raise Refused("there are no segments; cover every utterance that says something")
        proposed = _supported(request, reply, shown=len(places))
        written = {n: "\n".join(piece.text for piece in proposed if n in piece.sources) for n in said}
        covered = {n for n, text in written.items() if text and WordIndex(text).holds(said[n])} - skipped
        segments: list[Segment] = []
        for piece in proposed:
            # Of a piece that names no place, those that it says something of.
            held = [n for n in piece.sources if n in covered and (n in piece.named or piece.words.share(said[n]) > 0)]
            parts = pieces(piece.text) if held else []
            segments += [Segment(text=part, places=tuple(places[n - 1] for n in held)) for part in parts]
        left = [n for n in said if n not in covered and n not in skipped]
        segments += _unworded(request, [places[n - 1] for n in left])
        segments.sort(key=lambda segment: (segment.places[0].utterance, segment.places[0].start))
        return SegmentationResponse(segments=tuple(segments))

    async def offline(self, request: SegmentationRequest, toolbox: Toolbox) -> SegmentationResponse:
        """Cut at the ends of sentences and resolve the pronouns that are certain; only small talk is left out."""
        segments: list[Segment] = []
        before = "\n".join(said.text for said in request.earlier)[-_LOOKED_BACK:]
        for number, said in enumerate(request.utterances):
            if not says_nothing_alone(said.text):
                whole = shapes.UtteranceSpan(utterance=number, start=0, end=len(said.text))
                segments += _segments(said, whole, before)
            before = f"{before}\n{said.text}"[-_LOOKED_BACK:]
        return SegmentationResponse(segments=tuple(segments))


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece that a model worded, and the places that it may stand for."""

    text: str
    words: WordIndex
    sources: tuple[int, ...]
    named: frozenset[int]
    """The sources that the model named; where it named none that was shown, every place may be meant."""


def _supported(request: SegmentationRequest, reply: SegmentationReply, *, shown: int) -> list[_Piece]:
    """Return the pieces that are made of what was said; an invention, or a translation, is none.

    Nor is a piece that only copies: without a model more is done for those words, such as putting names for pronouns.
    """
    said = WordIndex("\n".join(f"{one.speaker}\n{one.text}" for one in (*request.earlier, *request.utterances)))
    places = utterance_spans(request.utterances)
    texts = [one.text for one in request.utterances] + [_text_at(request, place) for place in places]
    copied = {text.strip() for text in texts}
    found: list[_Piece] = []
    for piece in reply.segments:
        text = multi_line(piece.text, 10 * MAX_SEGMENT)
        named = frozenset(known_numbers(piece.sources, shown=shown))
        if text and text not in copied and said.share(text) >= _LEAST_SUPPORT:
            found.append(_Piece(text, WordIndex(text), tuple(sorted(named)) or tuple(range(1, shown + 1)), named))
    return found


def _text_at(request: SegmentationRequest, place: shapes.UtteranceSpan) -> str:
    return request.utterances[place.utterance].text[place.start : place.end]


def _unworded(request: SegmentationRequest, places: Sequence[shapes.UtteranceSpan]) -> list[Segment]:
    """Return the pieces that are made of places without a model; what follows each other is cut anew."""
    stretches: list[shapes.UtteranceSpan] = []
    for place in places:
        text = request.utterances[place.utterance].text
        last = stretches[-1] if stretches else None
        if last is not None and last.utterance == place.utterance and not text[last.end : place.start].strip():
            stretches[-1] = last.replace(end=place.end)
        else:
            stretches.append(place)
    heard = [one.text for one in (*request.earlier, *request.utterances)]
    segments: list[Segment] = []
    for stretch in stretches:
        before = "\n".join(heard[: len(request.earlier) + stretch.utterance])[-_LOOKED_BACK:]
        segments += _segments(request.utterances[stretch.utterance], stretch, before)
    return segments


_JOINED = 180
"""Characters up to which sentences share a piece: most messages stay whole, since a sentence torn from those around it
is found by fewer questions (on LoCoMo 80 lose a third of the answers), and there is room for a name or a date."""
_LOOKED_BACK = 600
"""Characters before a piece in which the name behind a pronoun is looked for. Chosen by hand."""


def _segments(said: shapes.Utterance, stretch: shapes.UtteranceSpan, before: str) -> list[Segment]:
    made: list[Segment] = []
    # Who is named before the words spoke them, whoever handed them in; that name stands before every piece of them.
    if name := named_speaker(said.text):
        said = said.replace(speaker=name)
    for span in piece_spans(said.text[stretch.start : stretch.end], joined=_JOINED):
        place = stretch.replace(start=stretch.start + span.start, end=stretch.start + span.end)
        piece = said.text[place.start : place.end]
        if not any(char.isalnum() for char in piece):
            continue
        context = f"{before}\n{said.text[max(0, place.start - _LOOKED_BACK) : place.start]}"[-_LOOKED_BACK:]
        made.append(Segment(text=_standing_alone(piece, said, context), places=(place,)))
    return made


def _standing_alone(piece: str, said: shapes.Utterance, before: str) -> str:
    """Return the piece in words that need no context, as far as they are certain and there is room for them."""
    text = _if_it_fits(resolve(piece, before=before), piece)
    if said.occurred_at is not None:
        text = _if_it_fits(with_certain_days(text, said.occurred_at), text)
    # Without a word of the first or second person it does not matter who spoke, unless it is the rest of a longer text.
    if named_speaker(piece) or not (SPEAKER_OR_HEARER.search(text) or named_speaker(said.text)):
        return text
    return _if_it_fits(with_speaker(text, said.speaker), text)


def _if_it_fits(text: str, otherwise: str) -> str:
    return text if len(text) <= MAX_SEGMENT else otherwise


SEGMENTATION = Segmentation()
