"""Messages for which there is no room: their beginning, what the question needs, and their end stay, and it is told.

Only the longest texts are cut, all to one length, so that what is short stays as it is. Calls of tools keep their form:
texts inside their arguments are cut, never the arguments themselves.

It is the last means, where the newest message alone is too long.
"""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from remanent.bilingual import Bilingual, Language
from remanent.context.messages import ReadMessage, tokens_of, with_texts
from remanent.context.trimming import without_pictures
from remanent.text.budget import fit
from remanent.text.sentences import sentences
from remanent.text.terms import index_terms
from remanent.text.tokens import TokenCounter
from remanent.text.wordlists import CHINESE_STOP_WORDS, ENGLISH_STOP_WORDS
from remanent.values import dataclass

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
"""Attempts at a length: texts together may take a few tokens more than apart."""
_GAP = "…"


@dataclass(frozen=True, slots=True)
class Cutting:
    """Cuts messages for one question."""

    count: TokenCounter
    language: Language
    question: str

    def to_fit(self, messages: Sequence[ReadMessage], room: int) -> list[ReadMessage]:
        """Return the messages in no more than so many tokens, as far as that can be done by cutting texts."""
        now = list(messages)
        if (
            sum(one.pictures for one in now)
            and self._tokens([with_texts(one, lambda _: "") for one in now]) > room // 2
        ):
            now = [without_pictures(one, is_chinese=self.language == "zh") for one in now]
        limit, cut = room, now
        for _ in range(_TRIES):
            sizes = [self.count(text) for one in now for text in _texts_of(one)]
            level = _level(sizes, limit - self._tokens(now) + sum(sizes))
            cut = [self._cut(one, level) for one in now]
            over = self._tokens(cut) - room
            if over <= 0 or level <= 1:
                break
            limit -= over
        return cut

    def _tokens(self, messages: Sequence[ReadMessage]) -> int:
        return sum(tokens_of(one, self.count) for one in messages)

    def _cut(self, message: ReadMessage, level: int) -> ReadMessage:
        def change(text: str) -> str:
            return text if self.count(text) <= level else self.text(text, level, number=message.number + 1)

        return with_texts(message, change)

    def text(self, text: str, limit: int, *, number: int) -> str:
        """Return a text in so many tokens, with a note of what is missing and where it is."""
        note = _LEFT_OUT[self.language].format(count=len(text), number=number)
        room = limit - self.count(note) - 4
        if room < limit // 3:
            return fit(text[: limit * _CHARACTERS], max(0, limit - 1), counter=self.count) + _GAP
        beginning = fit(text[: room * _CHARACTERS], int(_BEGINNING * room), counter=self.count)
        end = self._end(text[len(beginning) :], room - int((_BEGINNING + _NEEDED) * room))
        middle = text[len(beginning) : len(text) - len(end)]
        needed = self._needed(middle[:_READ], int(_NEEDED * room))
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
            size = self.count(said[place]) + 2
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
