"""Shortening single messages: when their full length no longer helps, or when there is no room for it.

Of a long result the failures come first: the first line and the last took the room, and the one line that tells of a
failure was left out. A long one is counted twice and not for every cut: 100,000 characters took 4.2 s and take 0.55.
"""

import json
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from remanent.bilingual import Bilingual, Language
from remanent.context.messages import ReadMessage, tokens_of, with_texts
from remanent.lightweight import dataclass
from remanent.model.chat import CALLS, THOUGHTS, is_result
from remanent.text.sentences import sentences
from remanent.text.summary import statements, telling
from remanent.text.terms import index_terms
from remanent.text.tokens import TokenCounter, fit
from remanent.text.words import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS

RESULT_TOKENS = 60
"""What a tool's result is shortened to: what failed in it, its first line and its last, and what tells most between.

By the design's example the first level takes 50K tokens to 35K; with 40 % of them in results of 250 tokens each this
leaves a margin of some 3K."""
_LONGEST_VALUE = 80
"""Characters of a text inside JSON that an outline keeps."""
_MAX_MEMBERS = 4
"""Items of a list that an outline keeps; of an object, three times as many keys."""
_OUTLINE_DEPTH = 3
"""Levels of JSON that an outline goes into: a list of objects with one more inside. This and the two above by hand."""
_MIN_ROOM = 8
"""Tokens that a result keeps beside the note, however long that is: a word or two of each end. Chosen by hand."""
_LONGEST_LINE = 2 / 3
"""Of the room, what one line may take, so that a second one has a place. Chosen by hand."""
_MAX_DESCRIPTION = 200
"""Characters of what is said of a picture or file: two lines. Chosen by hand."""
_FAILURE = re.compile(
    r"error|fail|exception|denied|refused|fatal|timed? ?out|not found|错误|失败|异常|拒绝|超时|未找到", re.IGNORECASE
)
_TELLING_LINE = re.compile(
    r"warning|result|total|passed|success|done|created|saved|exit code"
    r"|警告|结果|总计|合计|通过|成功|完成|已创建|已保存",
    re.IGNORECASE,
)
_MOST_TRIED = 20
"""Lines of one sort that are tried for the room there is: of a log of failures alone, not every line is counted."""

SHORTENED = re.compile(r"…?\s*(?:\(shortened from \d+ tokens\)|（已缩短，原 \d+ 个 token）)")
"""The note that a result was shortened."""
Count = Callable[[str], int]


def shortened_result(text: str, *, count: Count, limit: int = RESULT_TOKENS, is_chinese: bool = False) -> str:
    """Return what a tool's output comes to, and that it was shortened; short ones stay as they are."""
    size = count(text)
    if size <= limit:
        return text
    note = f"…（已缩短，原 {size} 个 token）" if is_chinese else f"… (shortened from {size} tokens)"
    room = max(_MIN_ROOM, limit - count(note))
    outline = _json_outline(text)
    if outline is not None and count(outline) <= room:
        return f"{outline} {note}"
    lines = [line for given in (outline or text).splitlines() if (line := " ".join(given.split()))]
    if len(lines) <= 1:
        said = telling(statements(text), limit=room, measure=count)
        whole = " ".join(one.text for one in said)
        # What the text takes is known: counting a long one is most of the work.
        beginning = text[: len(text) * limit // size]
        return f"{whole or _cut(' '.join(beginning.split()), room, count)} {note}"
    return "\n".join([*_chosen([_cut(line, int(_LONGEST_LINE * room), count) for line in lines], room, count), note])


def _chosen(lines: Sequence[str], room: int, count: Count) -> list[str]:
    """Return the failures, the latest first, then the first line and the last, what else tells most, and the rest."""
    last = len(lines) - 1
    backwards = range(last, -1, -1)
    failures = [number for number in backwards if _FAILURE.search(lines[number])]
    telling_ones = [number for number in backwards if _TELLING_LINE.search(lines[number])]
    kept: list[int] = []
    tried = [*failures[:_MOST_TRIED], 0, last, *telling_ones[:_MOST_TRIED], *range(1, min(last, _MOST_TRIED))]
    for number in dict.fromkeys(tried):
        size = count(lines[number]) + 1
        if size <= room:
            kept.append(number)
            room -= size
    return [lines[number] for number in sorted(kept)]


def _cut(line: str, room: int, count: Count) -> str:
    """Return as much of a line's beginning as fits."""
    while line and (size := count(line)) > room:
        line = line[: max(0, min(len(line) - 1, len(line) * room // max(1, size)))]
    return line


def _json_outline(text: str) -> str | None:
    """Return a JSON value with long texts cut and long lists counted; nothing where the text is no JSON."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return json.dumps(_outline(value, depth=_OUTLINE_DEPTH), ensure_ascii=False)


def _outline(value: object, *, depth: int) -> object:
    """Return the shape of a value: its names and first members, and how many more there were."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_VALUE else value[:_LONGEST_VALUE] + "…"
    if isinstance(value, Mapping):
        if depth == 0:
            return f"… {len(value)}"
        return {key: _outline(inner, depth=depth - 1) for key, inner in list(value.items())[: 3 * _MAX_MEMBERS]}
    if isinstance(value, list):
        shown = [] if depth == 0 else [_outline(inner, depth=depth - 1) for inner in value[:_MAX_MEMBERS]]
        return shown if len(shown) == len(value) else [*shown, f"… {len(value)}"]
    return value


def without_pictures(message: ReadMessage, *, is_chinese: bool) -> ReadMessage:
    """Return a message in which a line of text stands for each picture or file."""
    if not message.pictures:
        return message
    blocks = [_described(block, is_chinese=is_chinese) for block in message.raw["content"]]
    return replace(message.with_content(blocks), pictures=0)


def _described(block: Mapping[str, Any], *, is_chinese: bool) -> Mapping[str, Any]:
    """Return a picture or file as a line of text that says what it was."""
    inner = block.get("content")
    if isinstance(inner, list):
        return {**block, "content": [_described(part, is_chinese=is_chinese) for part in inner]}
    kind = str(block.get("type", ""))
    if "text" in block or kind == "text" or kind in CALLS | THOUGHTS or is_result(kind):
        return block
    what = ("图片" if "image" in kind else "附件") if is_chinese else ("picture" if "image" in kind else "file")
    said = _description(block)
    return {"type": "text", "text": f"[{what}{'：' if is_chinese else ': '}{said}]" if said else f"[{what}]"}


def _description(block: Mapping[str, Any]) -> str:
    """Return what is told about a picture or file: its description, its name, its address, or its type."""
    places = [block, *(inner for inner in block.values() if isinstance(inner, Mapping))]
    for key in ("description", "alt", "title", "filename", "name", "url", "media_type", "format"):
        for place in places:
            said = place.get(key)
            if isinstance(said, str) and said and not said.startswith("data:"):
                return said[:_MAX_DESCRIPTION]
    return ""


# ── messages for which there is no room ──────────────────────────────────────
# Their beginning, what the question needs, and their end stay, and it is told. Only the longest texts are cut, all to
# one length, so that what is short stays as it is. Calls of tools keep their form: texts inside their arguments are
# cut, never the arguments themselves. It is the last means, where the newest message alone is too long.

_LEFT_OUT = Bilingual(
    "[… {count:,} characters left out; the whole is message {number} of the conversation]",
    "[……此处省略 {count:,} 个字符，全文见对话的第 {number} 条消息]",
)
_BEGINNING, _NEEDED = 0.35, 0.35
"""The shares of the room for a text's beginning and for what the question needs; its end gets the rest. By hand."""
_READ = 400_000
"""Characters of a text that are looked through for what the question needs: about a second."""
_CHARACTERS = 12
"""Characters that a token has at most, but for long runs of one sign."""
_ASKED = 500
"""Characters of each end of a long message that say what is asked for; chosen by hand."""
_TRIES = 5
"""Attempts at a length: texts together may take a few tokens more than apart, and what stands around them less."""
_WELL_FILLED = 0.85
"""The share of the room with which an attempt is good enough. Chosen by hand."""
_GAP = "…"
_SEAMS = 4
"""Tokens of the line ends and the gap between the parts of a text; a piece in between has half of them."""
_LEAST_SHARE = 3
"""Where less than one part in so many is left beside the note, a text keeps its beginning alone. Chosen by hand."""
_PICTURES_SHARE = 2
"""Where the messages without their texts take more than one part in so many of the room, pictures give way first."""


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cuts messages for one question."""

    count: TokenCounter
    language: Language
    question: str

    def to_fit(self, messages: Sequence[ReadMessage], room: int) -> list[ReadMessage]:
        """Return the messages in no more than so many tokens, as far as that can be done by cutting texts."""
        now = list(messages)
        is_shown = any(one.pictures for one in now)
        if is_shown and self._tokens([with_texts(one, lambda _: "") for one in now]) > room // _PICTURES_SHARE:
            now = [without_pictures(one, is_chinese=self.language == "zh") for one in now]
        sizes = [self.count(text) for one in now for text in _texts_of(one)]
        around = self._tokens(now) - sum(sizes)
        limit, best, taken = room, now, 0
        for _ in range(_TRIES):
            level = _level(sizes, limit - around)
            cut = [self._cut(one, level) for one in now]
            size = self._tokens(cut)
            if not taken or taken < size <= room or size < taken > room:
                best, taken = cut, size
            if level <= 1 or _WELL_FILLED * room <= size <= room:
                break
            limit += room - size
        return best

    def _tokens(self, messages: Sequence[ReadMessage]) -> int:
        return sum(tokens_of(one, self.count) for one in messages)

    def _cut(self, message: ReadMessage, level: int) -> ReadMessage:
        def change(text: str) -> str:
            return text if self.count(text) <= level else self.text(text, level, number=message.number + 1)

        return with_texts(message, change)

    def text(self, text: str, limit: int, *, number: int) -> str:
        """Return a text in so many tokens, with a note of what is missing and where it is."""
        note = _LEFT_OUT[self.language].format(count=len(text), number=number)
        room = limit - self.count(note) - _SEAMS
        if room < limit // _LEAST_SHARE:
            return fit(text[: limit * _CHARACTERS], max(0, limit - 1), counter=self.count) + _GAP
        beginning = fit(text[: room * _CHARACTERS], int(_BEGINNING * room), counter=self.count)
        end = self._end(text[len(beginning) :], room - int((_BEGINNING + _NEEDED) * room))
        middle = text[len(beginning) : len(text) - len(end)]
        needed = self._needed(middle[:_READ], int(_NEEDED * room))
        spare = int(_NEEDED * room) - sum(self.count(one) + 2 for one in needed)
        if spare > room // 10:  # what the question leaves of its share is the end's
            end = self._end(text[len(beginning) :], self.count(end) + spare)
            middle = text[len(beginning) : len(text) - len(end)]
            needed = [one for one in needed if one.removeprefix(f"{_GAP}\n") in middle]
        left = len(middle) - sum(map(len, needed))
        note = _LEFT_OUT[self.language].format(count=left, number=number)
        return "\n".join(filter(None, [beginning, note, *needed, _GAP if needed else "", end.strip()]))

    def _end(self, text: str, room: int) -> str:
        """Return the longest ending of a text that fits, from a sentence on, else from anywhere."""
        text = text[-max(1, room) * _CHARACTERS :]
        starts = [span.start for span in sentences(text)]
        first = bisect_left(starts, True, key=lambda start: self.count(text[start:]) <= room)
        if first < len(starts):
            return text[starts[first] :]
        while text and (size := self.count(text)) > room:
            text = text[len(text) - min(len(text) - 1, len(text) * room // size) :]
        return text

    def _needed(self, text: str, room: int) -> list[str]:
        """Return the sentences that hold most of the question's rare words, in their order."""
        # A long message of the user says at its beginning or at its end what is to be done with the rest.
        asked = self.question if len(self.question) <= 2 * _ASKED else self.question[:_ASKED] + self.question[-_ASKED:]
        wanted = set(index_terms(asked)) - ENGLISH_STOP_WORDS - CHINESE_STOP_WORDS
        said = [one for span in sentences(text) if (one := span.of(text).strip())]
        folded = [one.casefold() for one in said]
        held = {term: sum(term in one for one in folded) for term in wanted}
        weights = {term: math.log(1 + len(said) / count) for term, count in held.items() if count}
        worth = [
            math.fsum(weight for term, weight in weights.items() if term in one) / max(1, len(one)) ** 0.5
            for one in folded
        ]
        chosen: list[int] = []
        for place in sorted(range(len(said)), key=lambda place: (-worth[place], place)):
            if worth[place] <= 0 or room <= 1:
                break
            size = self.count(said[place]) + _SEAMS // 2
            if size <= room:
                chosen.append(place)
                room -= size
        chosen.sort()
        apart = [later - earlier > 1 for earlier, later in pairwise(chosen)]
        return [
            f"{_GAP}\n{said[place]}" if gap else said[place]
            for place, gap in zip(chosen, [False, *apart], strict=False)
        ]


def _texts_of(message: ReadMessage) -> list[str]:
    """Return the texts that may be cut: what is said, results of tools, texts in the arguments of calls."""
    found: list[str] = []

    def note(text: str) -> str:
        found.append(text)
        return text

    with_texts(message, note)
    return found


def _level(sizes: Sequence[int], room: int) -> int:
    """Return the length to which the longest texts are cut so that all together fit."""
    left = len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return max(1, room // left)
        room, left = room - size, left - 1
    return max(sizes, default=1)
