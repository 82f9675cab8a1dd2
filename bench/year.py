"""A year of one agent's life: generated messages in Chinese and English, some things said often, some only once."""

import random
from collections.abc import Iterator
from dataclasses import dataclass

OFTEN = 8
"""Matters that are spoken of again and again."""

_SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u")]
_HAN = "安柏川达恩方国海江凯兰明宁鹏青荣山涛文雪洋云泽"
_PLACES = ["Lisbon", "Leeds", "Oslo", "Turin", "Ghent", "Bergen", "Porto", "Graz"]
_PLACES_ZH = ["杭州", "成都", "青岛", "厦门", "西安", "昆明", "苏州", "长沙"]
_THINGS = ["The harbour plan", "The audit log", "The spring budget", "The crane contract", "The login module"]
_THINGS_ZH = ["港口方案", "审计日志", "春季预算", "吊车合同", "登录模块"]
_DOINGS = ["was discussed with", "was handed over to", "was postponed because of", "was agreed on with"]
_DOINGS_ZH = ["请教了", "转交给了", "暂缓，等待", "委托给了"]


@dataclass(frozen=True, slots=True)
class Said:
    """One message, and the word by which what it tells can be asked for."""

    text: str
    keyword: str
    often: bool


class Year:
    """Makes messages; the same seed makes the same ones."""

    def __init__(self, *, seed: int = 11, share_often: float = 0.6) -> None:
        self._chance = random.Random(seed)
        self._share = share_often
        self.often = [self._word(number % 2 == 1) for number in range(OFTEN)]

    def messages(self, count: int) -> Iterator[Said]:
        """Yield messages, every other one in Chinese; a matter that is told once has a word of its own."""
        for number in range(count):
            chinese = number % 2 == 1
            often = self._chance.random() < self._share
            if often:
                matters = self.often[1::2] if chinese else self.often[::2]
                keyword = self._chance.choice(matters)
            else:
                keyword = self._word(chinese)
            yield Said(self._sentence(keyword, chinese), keyword, often)

    def _word(self, chinese: bool) -> str:  # noqa: FBT001 - one of two languages
        if chinese:
            return "".join(self._chance.choices(_HAN, k=4))
        return "".join(self._chance.choices(_SYLLABLES, k=4)).capitalize()

    def _sentence(self, keyword: str, chinese: bool) -> str:  # noqa: FBT001 - one of two languages
        chance = self._chance
        if chinese:
            return f"{chance.choice(_THINGS_ZH)}{chance.choice(_DOINGS_ZH)}{keyword}，在{chance.choice(_PLACES_ZH)}。"
        return f"{chance.choice(_THINGS)} {chance.choice(_DOINGS)} {keyword} in {chance.choice(_PLACES)}."
