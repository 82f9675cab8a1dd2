"""Makes pairs of memories from material: the same seed gives the same pairs."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import Literal

from bench.pairs.chinese import CHINESE
from bench.pairs.english import ENGLISH
from bench.pairs.material import Amount, Material, Topic


class PairKind(StrEnum):
    """What the two memories of a pair have to do with each other."""

    ATTRIBUTE = "changed attribute"
    NUMBER = "changed number"
    DATE = "changed date"
    NEGATION = "negation"
    UPDATE = "update over time"
    SCOPE = "other scope"
    PARAPHRASE = "paraphrase"
    UNRELATED = "unrelated"

    @property
    def is_conflict(self) -> bool:
        """Whether the two cannot both hold."""
        return self not in {PairKind.SCOPE, PairKind.PARAPHRASE, PairKind.UNRELATED}


COUNTS = {
    PairKind.ATTRIBUTE: 46, PairKind.NUMBER: 46, PairKind.DATE: 42, PairKind.NEGATION: 46, PairKind.UPDATE: 40,
    PairKind.SCOPE: 46, PairKind.PARAPHRASE: 100, PairKind.UNRELATED: 34,
}  # fmt: skip
"""How many pairs there are of each kind; half of them are Chinese."""

_FIRST_DAY = date(2025, 2, 1)
_SAID_AT = datetime(2025, 1, 6, 9, tzinfo=UTC)
_MONTHS = "January February March April May June July August September October November December".split()
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
_HAN = "零一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class MemoryPair:
    """Two memories, the second said later, and what they have to do with each other."""

    language: Literal["en", "zh"]
    kind: PairKind
    older: str
    newer: str
    older_at: datetime
    newer_at: datetime

    @property
    def is_conflict(self) -> bool:
        """Whether the two cannot both hold."""
        return self.kind.is_conflict


def memory_pairs(*, seed: int = 11) -> list[MemoryPair]:
    """Return 400 pairs, half Chinese, no two of them the same."""
    pairs: list[MemoryPair] = []
    for language, material in (("en", ENGLISH), ("zh", CHINESE)):
        maker = _Maker(material, random.Random(f"{seed} {language}"), chinese=language == "zh")
        for kind, count in COUNTS.items():
            pairs += _distinct(kind, count // 2, maker, language="zh" if language == "zh" else "en")
    return pairs


def _distinct(kind: PairKind, count: int, maker: "_Maker", *, language: Literal["en", "zh"]) -> Iterator[MemoryPair]:
    seen: set[tuple[str, str]] = set()
    while len(seen) < count:
        older, newer = (maker.finished(text) for text in maker.make(kind, len(seen)))
        if older == newer or (older, newer) in seen or (newer, older) in seen:
            continue
        seen.add((older, newer))
        said_at = _SAID_AT + timedelta(days=len(seen))
        yield MemoryPair(language, kind, older, newer, said_at, said_at + timedelta(days=14))


class _Maker:
    """Makes the two texts of a pair out of one language's material."""

    def __init__(self, material: Material, source: random.Random, *, chinese: bool) -> None:
        self._material = material
        self._source = source
        self._chinese = chinese
        self._makers: dict[PairKind, Callable[[int], tuple[str, str]]] = {
            PairKind.ATTRIBUTE: lambda _: self._changed(self._source.choice(material.attributes)),
            PairKind.NUMBER: lambda _: self._changed_number(self._source.choice(material.amounts)),
            PairKind.DATE: lambda _: self._changed(self._dated(self._source.choice(material.dates))),
            PairKind.NEGATION: lambda _: self._negation(),
            PairKind.UPDATE: self._update,
            PairKind.SCOPE: self._other_scope,
            PairKind.PARAPHRASE: self._paraphrase,
            PairKind.UNRELATED: self._unrelated,
        }

    def make(self, kind: PairKind, number: int) -> tuple[str, str]:
        """Return the two texts of the so-manieth pair of a kind."""
        return self._makers[kind](number)

    def finished(self, text: str) -> str:
        """Return a sentence with its capital letter; names in the middle keep theirs."""
        return text if self._chinese else text[0].upper() + text[1:]

    def _changed(self, topic: Topic) -> tuple[str, str]:
        who = self._source.choice(topic.who)
        one, other = self._source.sample(topic.values, 2)
        first, second = self._source.choices(topic.wordings, k=2)
        return first.format(who=who, value=one), second.format(who=who, value=other)

    def _changed_number(self, amount: Amount) -> tuple[str, str]:
        who = self._source.choice(amount.who)
        one, other = self._source.sample(amount.numbers, 2)
        first, second = self._source.choices(amount.wordings, k=2)
        return self._amount(amount, first, who, one), self._amount(amount, second, who, other)

    def _negation(self) -> tuple[str, str]:
        opposition = self._source.choice(self._material.oppositions)
        who = self._source.choice(opposition.who)
        texts = [self._source.choice(opposition.said).format(who=who)]
        texts.append(self._source.choice(opposition.denied).format(who=who))
        self._source.shuffle(texts)
        return texts[0], texts[1]

    def _update(self, number: int) -> tuple[str, str]:
        if number < len(self._material.changes):
            return self._material.changes[number]
        if number % 3 == 0:
            amount = self._source.choice([amount for amount in self._material.amounts if amount.updates])
            who = self._source.choice(amount.who)
            old, new = sorted(self._source.sample(amount.numbers, 2))
            older = self._amount(amount, self._source.choice(amount.wordings), who, old)
            return older, self._amount(amount, self._source.choice(amount.updates), who, new)
        topics = [topic for topic in self._material.attributes if topic.updates]
        if number % 3 == 1:
            topics = [self._dated(topic) for topic in self._material.dates if topic.updates]
        topic = self._source.choice(topics)
        who = self._source.choice(topic.who)
        # Nothing is put off to an earlier day.
        old_value, value = sorted(self._source.sample(range(len(topic.values)), 2))
        values = {"old": topic.values[old_value], "value": topic.values[value]}
        older = self._source.choice(topic.wordings).format(who=who, value=values["old"])
        return older, self._source.choice(topic.updates).format(who=who, **values)

    def _other_scope(self, number: int) -> tuple[str, str]:
        if number < len(self._material.other_scopes):
            return self._material.other_scopes[number]
        # What never changes is no matter of circumstances.
        topic = self._source.choice([topic for topic in self._material.attributes if topic.updates])
        one, other = self._changed(topic)
        if number % 2:
            frame = self._source.choice(self._material.frames)
            return frame.one.format(said=one), frame.other.format(said=other)
        who = next((who for who in topic.who if who in one and who in other), "")
        if not who or topic.who[0] not in self._people:
            return self._other_scope(number)
        relative = self._source.choice(self._material.relatives).format(who=who)
        return one, other.replace(who, relative, 1)

    @property
    def _people(self) -> tuple[str, ...]:
        return self._material.attributes[0].who

    def _paraphrase(self, number: int) -> tuple[str, str]:
        material = self._material
        if number < len(material.paraphrases):
            return material.paraphrases[number]
        if number % 3 == 0:
            amount = self._source.choice(material.amounts)
            who, value = self._source.choice(amount.who), self._source.choice(amount.numbers)
            first, second = self._source.sample(amount.wordings, 2)
            return self._amount(amount, first, who, value), self._amount(amount, second, who, value)
        if number % 3 == 1:
            topic = self._source.choice(material.dates)
            who, day = self._source.choice(topic.who), self._day()
            first, second = self._source.sample(topic.wordings, 2)
            return (
                first.format(who=who, value=self._written(day)),
                second.format(who=who, value=self._written(day)),
            )
        if number % 2:
            opposition = self._source.choice(material.oppositions)
            who = self._source.choice(opposition.who)
            first, second = self._source.sample(self._source.choice([opposition.said, opposition.denied]), 2)
            return first.format(who=who), second.format(who=who)
        topic = self._source.choice(material.attributes)
        who, worth = self._source.choice(topic.who), self._source.choice(topic.values)
        first, second = self._source.sample(topic.wordings, 2)
        return first.format(who=who, value=worth), second.format(who=who, value=worth)

    def _unrelated(self, number: int) -> tuple[str, str]:
        """Return two things of one subject or of two, or two values that can hold side by side."""
        if number % 3 == 0:
            return self._changed(self._source.choice([t for t in self._material.independent if len(t.values) > 1]))
        topics = self._source.sample([*self._material.attributes, *self._material.independent], 2)
        who = self._source.choice(topics[0].who)
        other = who if number % 3 == 1 and who in topics[1].who else self._source.choice(topics[1].who)
        first, second = (
            self._source.choice(topic.wordings).format(who=name, value=self._source.choice(topic.values))
            for topic, name in zip(topics, (who, other), strict=True)
        )
        return first, second

    def _dated(self, topic: Topic) -> Topic:
        """Return the topic with some days, the earliest first, as its values."""
        days = sorted({self._day() for _ in range(4)})
        return Topic(topic.who, topic.wordings, tuple(self._written(day) for day in days), topic.updates)

    def _day(self) -> date:
        return _FIRST_DAY + timedelta(days=self._source.randrange(300))

    def _written(self, day: date) -> str:
        if self._chinese:
            forms = (f"{day.month}月{day.day}日", f"{day.month}月{day.day}号", f"{_han(day.month)}月{_han(day.day)}日")
            return self._source.choice(forms)
        month = _MONTHS[day.month - 1]
        return self._source.choice((f"{month} {day.day}", f"{day.day} {month}", f"{month[:3]} {_ordinal(day.day)}"))

    def _amount(self, amount: Amount, wording: str, who: str, number: int) -> str:
        forms = [str(number)]
        if amount.spelled:
            forms.append(_han(number) if self._chinese else _spelled(number))
            if number >= 1000 and not self._chinese:
                forms.append(f"{number:,}")
        if "${n}" in wording or "{n} mg" in wording or "{n} kg" in wording:
            forms = forms[:1]
        return wording.format(who=who, n=self._source.choice(forms))


def _ordinal(number: int) -> str:
    ending = "th" if 10 < number % 100 < 14 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _spelled(number: int) -> str:
    if number < 20:
        return _ONES[number]
    if number < 100:
        return _TENS[number // 10] + (f"-{_ONES[number % 10]}" if number % 10 else "")
    size, name = (1000, "thousand") if number >= 1000 else (100, "hundred")
    rest = f" {'and ' if number % size < 100 else ''}{_spelled(number % size)}" if number % size else ""
    return f"{_spelled(number // size)} {name}{rest}"


def _han(number: int) -> str:
    if number >= 10_000:
        return _han(number // 10_000) + "万" + (_han(number % 10_000) if number % 10_000 else "")
    text, zero = "", False
    for size, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // size % 10
        if digit:
            text += ("零" if zero and text else "") + _HAN[digit] + sign
        zero = not digit
    text = text.replace("一十", "十", 1) if text.startswith("一十") else text
    return text or _HAN[0]
