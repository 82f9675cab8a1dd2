"""What was said in short pieces: whole sentences, each with its speaker where it needs one and names for pronouns."""

import re

from remanent.language.exchanges.segmentation import (
    LONGEST_SEGMENT,
    Segment,
    SegmentationRequest,
    SegmentationResponse,
)
from remanent.language.exchanges.shapes import Place, Utterance
from remanent.language.offline.speakers import with_speaker
from remanent.language.offline.toolbox import Toolbox
from remanent.language.pieces import piece_spans
from remanent.language.tongue import tongue_of
from remanent.text.dates import find_dates
from remanent.text.pronouns import resolve

# Sentences share a piece while it is as short as this: one thing per memory.
_JOINED = 80
_LOOKED_BACK = 600

_ENGLISH_SMALL_TALK = frozenset(
    "hi|hello|hey|ok|okay|yes|yeah|yep|no|nope|sure|thank|thanks|thank you|great|cool|nice|good|fine|got it|i see|"
    "noted|understood|bye|goodbye|good morning|good evening|good night|good afternoon|youre welcome|you're welcome|"
    "no problem|alright|right|please|wow|lol|haha|hm|there|very much|so much|again|everyone|all".split("|")
)
_CHINESE_SMALL_TALK = frozenset(
    "你好 您好 嗨 哈喽 好 好的 行 可以 没问题 嗯 哦 噢 谢谢 多谢 感谢 不客气 再见 拜拜 是 是的 对 不是 收到 明白 "
    "明白了 知道了 哈 早上好 晚上好 晚安 辛苦了 了解 啊 呀 吧 啦 了 你 您".split()
)
_HUMMING = re.compile(r"hm+")
_SIGNS = re.compile(r"\W*")
_OWN = re.compile(r"\b(?:i|i['’](?:m|d|ve|ll)|me|my|mine|we|us|our|you|your)\b|我|咱|你|您", re.IGNORECASE)


async def segment(request: SegmentationRequest, toolbox: Toolbox) -> SegmentationResponse:
    """Return the pieces in order; together their places cover everything but small talk."""
    segments: list[Segment] = []
    before = "\n".join(said.text for said in request.earlier)[-_LOOKED_BACK:]
    for number, said in enumerate(request.utterances):
        if not is_small_talk(said.text):
            segments += _segments(said, number, before)
        before = f"{before}\n{said.text}"[-_LOOKED_BACK:]
    return SegmentationResponse(segments=tuple(segments))


def is_small_talk(text: str) -> bool:
    """Tell whether something says nothing: a greeting, thanks, "ok"."""
    said = _HUMMING.sub("hm", text.lower().replace("’", "'"))
    return _is_made_of(said, _ENGLISH_SMALL_TALK) or _is_made_of(said, _CHINESE_SMALL_TALK)


def _is_made_of(text: str, words: frozenset[str]) -> bool:
    """Tell whether a text is nothing but these words, one at least, and signs; each place is looked at once."""
    longest = max(map(len, words))
    first = _SIGNS.match(text)
    ends = {first.end() if first else 0}
    while ends:
        place = min(ends)
        ends.remove(place)
        for end in range(place + 1, min(place + longest, len(text)) + 1):
            if text[place:end] in words:
                after = _SIGNS.match(text, end)
                last = after.end() if after else end
                ends.add(last)
                if last == len(text):
                    return True
    return False


def _segments(said: Utterance, number: int, before: str) -> list[Segment]:
    made: list[Segment] = []
    for span in piece_spans(said.text, joined=_JOINED):
        piece = span.of(said.text)
        if not any(sign.isalnum() for sign in piece):
            continue
        context = f"{before}\n{said.text[max(0, span.start - _LOOKED_BACK) : span.start]}"[-_LOOKED_BACK:]
        place = Place(utterance=number, start=span.start, end=span.end)
        made.append(Segment(text=_standing_alone(piece, said, context), places=(place,)))
    return made


def _standing_alone(piece: str, said: Utterance, before: str) -> str:
    """Return the piece in words that need no context, as far as they are certain and there is room for them."""
    text = _if_it_fits(resolve(piece, before=before), piece)
    text = _if_it_fits(_with_dates(text, said), text)
    return _if_it_fits(with_speaker(text, said.speaker), text) if _OWN.search(text) else text


def _if_it_fits(text: str, otherwise: str) -> str:
    return text if len(text) <= LONGEST_SEGMENT else otherwise


def _with_dates(text: str, said: Utterance) -> str:
    """Write the date after a day that only the moment of saying tells: yesterday (2024-05-11)."""
    if said.occurred_at is None:
        return text
    parts: list[str] = []
    position = 0
    chinese = tongue_of(text) == "zh"
    for found in find_dates(text, reference=said.occurred_at):
        if found.relative and found.granularity == "day":
            day = found.begin.date().isoformat()
            parts.append(text[position : found.end] + (f"（{day}）" if chinese else f" ({day})"))
            position = found.end
    return "".join([*parts, text[position:]])
