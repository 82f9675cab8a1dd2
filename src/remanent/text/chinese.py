"""Chinese: where words begin and end, what part of speech they are, how common they are, and which are names.

People are known by surname or title, places and organisations by the dictionary and their ending. The dictionary inside
takes 0.15 s and 30 MB to load, which English alone never needs; it is loaded by the first Chinese text.
"""

import math
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from types import ModuleType
from typing import Literal

from remanent.errors import MissingDependency
from remanent.lightweight import dataclass
from remanent.text.regex import lazy_regex
from remanent.text.scripts import HAN
from remanent.text.words import word_list, word_set

_SURROGATE = lazy_regex(r"[\ud800-\udfff]")
# The number of words in the texts that the dictionary's frequencies were counted in.
_DICTIONARY_TOTAL = 60_101_967


@dataclass(frozen=True, slots=True)
class TaggedWord:
    """One word of a text, where it stands, and its part of speech as the dictionary tells it (n, v, nr, ns …)."""

    text: str
    start: int
    end: int
    tag: str


def cut(text: str) -> list[str]:
    """Cut a text into words; joined again they are the text. Lone surrogates come back as U+FFFD."""
    cutter = segmenter()
    words: list[str] = cutter.cut(_encodable(text))
    return words


def tagged(text: str) -> list[TaggedWord]:
    """Cut a text into words with their places and parts of speech; the places cover it without a gap."""
    words: list[TaggedWord] = []
    start = 0
    for word, tag in segmenter().tag(_encodable(text)):
        end = start + len(word)
        words.append(TaggedWord(text[start:end], start, end, "ns" if word in _CITIES else tag))
        start = end
    return words


@lru_cache(maxsize=50_000)
def rarity(word: str) -> float:
    """Return how seldom a word is in general Chinese: the negative natural logarithm of its share of all words."""
    return math.log(_DICTIONARY_TOTAL / max(1, segmenter().suggest_freq(_encodable(word))))


def is_known(word: str) -> bool:
    """Tell whether the dictionary has the word."""
    return bool(segmenter().has_word(_encodable(word)))


@cache
def segmenter() -> ModuleType:
    """Return the segmenter's module, loaded when it is first asked for."""
    try:
        import rjieba
    except ImportError as error:
        raise MissingDependency("Chinese text needs the package rjieba: pip install rjieba") from error
    return rjieba


def is_unknown_name(text: str) -> bool:
    """Tell whether three characters may be the name of somebody that the dictionary does not know."""
    is_usual = len(text) == _USUAL_NAME and text[0] in _SURNAMES and text[-1] not in _BEFORE_VERBS
    return is_usual and not is_known(text) and (text[0] in COMMON_SURNAMES or not is_known(text[1:]))


def glued_name(text: str) -> str:
    """Return the name at the beginning of a sentence whose last character the segmenter glues to 是; empty if none."""
    name = text[:_USUAL_NAME]
    if text[_USUAL_NAME : _USUAL_NAME + 1] != "是" or name[0] not in _SURNAMES or is_known(text[2:4]):
        return ""
    return "" if any(word.end == _USUAL_NAME for word in tagged(text[:_LONGEST_GLUED])) else name


_BEFORE_VERBS = "曾现原前已将正也都就又还不没"
"""What may stand behind a name of two characters, before a verb."""
_USUAL_NAME = 3
"""Characters of most Chinese names."""
_LONGEST_GLUED = 12
"""Characters that are cut to see where the words at the beginning end. Chosen by hand."""


def _encodable(text: str) -> str:
    """Write U+FFFD for each lone surrogate, which the segmenter cannot be handed; places in the text stay."""
    return _SURROGATE.sub("\ufffd", text)


Gender = Literal["female", "male", "unknown"]


@dataclass(frozen=True, slots=True)
class ChineseName:
    """A name, where it stands, and what it seems to name."""

    start: int
    end: int
    text: str
    kind: Literal["person", "place", "organisation"]
    gender: Gender = "unknown"


_SURNAMES = (
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方"
    "白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤温康施文牛樊葛邢安齐易乔伍庞颜倪庄聂章鲁岳翟殷詹申欧耿关兰焦俞左柳甘祝"
    "包宁尚符舒阮柯纪梅童凌毕单季裴霍涂成苗谷盛曲翁冉骆蓝路游辛靳管柴蒙鲍华喻祁蒲房滕屈饶解牟艾尤阳时穆农司卓古吉缪简车项连芦麦褚娄窦戚岑景党"
    "宫费卜冷晏席卫米柏宗瞿桂全佟应臧闵苟邬边卞姬师和仇栾隋商刁沙荣巫寇桑郎甄丛仲虞敖巩明佘池查麻苑迟邝"
)
# The most frequent ones: a word that begins with another is a name only if the dictionary does not know it.
COMMON_SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林罗高郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈"
_COMPOUND_SURNAMES = word_set("欧阳 上官 司马 诸葛 东方 皇甫 尉迟 公孙 慕容 令狐 司徒 端木 夏侯 宇文 长孙 南宫")
_CHINESE_TITLES = (
    "老师|教授|医生|大夫|护士|先生|女士|小姐|太太|阿姨|叔叔|师傅|经理|总监|主任|院长|校长|局长|处长|科长|部长|市长|省长|书记|主席|总统|总裁"
    "|董事长|博士|律师|警官|队长|教练|导演|同学|老板|总|工|哥|姐"
)
_GENDERS: dict[str, Gender] = {
    **dict.fromkeys(("女士", "小姐", "太太", "阿姨", "姐"), "female"),
    **dict.fromkeys(("先生", "叔叔", "哥"), "male"),
}
# The words before such an ending belong to the name as long as they are nouns.
_CHINESE_ORGANISATION_ENDINGS = (
    "公司", "集团", "大学", "学院", "中学", "小学", "银行", "医院", "研究所", "研究院", "协会", "委员会", "博物馆",
    "图书馆", "出版社", "俱乐部", "基金会", "事务所", "电视台", "法院", "工厂", "酒店",
)  # fmt: skip
_CHINESE_PLACE_ENDINGS = (
    "省", "市", "县", "区", "镇", "乡", "村", "路", "街", "道", "湖", "山", "河", "江", "岛", "湾", "港", "站", "公园",
    "广场", "机场", "大厦", "州", "国",
)  # fmt: skip
_NO_CHINESE_NAMES = frozenset(word_list("no_chinese_names"))
_CITIES = frozenset(word_list("chinese_cities"))

_SURNAME = f"[{_SURNAMES}]"
_CALLED = lazy_regex(
    rf"[小老阿]{_SURNAME}(?![{HAN}]?的?[心时人家师板公婆虎鼠])|{_SURNAME}(?P<title>{_CHINESE_TITLES})(?![{HAN}]?[程作])"
)
_DOT = "·•・"
_TRANSLITERATED = lazy_regex(rf"[{HAN}]{{1,8}}(?:[{_DOT}][{HAN}]{{1,8}})+")
_HAN_ONLY = lazy_regex(rf"[{HAN}]+")
# What ends so is a place or a people, however foreign it sounds: 欧洲人, 泽西岛.
_NO_TRANSLITERATION = ("人", "州", "岛", "路", "帝", "族", "语")
_NOUN_TAGS = frozenset({"n", "ns", "nr", "nz", "nt", "nrt", "vn", "j", "b"})
# In characters; chosen by hand. 中华人民共和国外交部 has ten.
_LONGEST_ORGANISATION = 14
# A word of the dictionary that is more common than this is no name of a person, whatever its first character.
_COMMON = 11.5


def chinese_names(text: str) -> Iterator[ChineseName]:
    """Yield the names of a text; those of different kinds may overlap."""
    yield from _transliterated(text)
    yield from _called(text)
    words = tagged(text)
    for number, word in enumerate(words):
        if not _HAN_ONLY.fullmatch(word.text) or word.text in _NO_CHINESE_NAMES or len(word.text) < 2:
            continue
        if _is_person(word):
            yield ChineseName(word.start, word.end, word.text, "person")
        elif word.tag == "ns" and (is_known(word.text) or word.text.endswith(_CHINESE_PLACE_ENDINGS)):
            yield ChineseName(word.start, word.end, word.text, "place")
        if word.text.endswith(_CHINESE_ORGANISATION_ENDINGS):
            start = _organisation_start(words, number)
            if word.end - start > len(word.text) or len(word.text) > 3 or word.tag == "nt":
                yield ChineseName(start, word.end, text[start : word.end], "organisation")


def _called(text: str) -> Iterator[ChineseName]:
    """小李, 老王; 王老师, 李总."""
    for found in _CALLED.finditer(text):
        if found[0] not in _NO_CHINESE_NAMES:
            yield ChineseName(*found.span(), found[0], "person", _GENDERS.get(found["title"], "unknown"))


def _transliterated(text: str) -> Iterator[ChineseName]:
    """列夫·托尔斯泰: the segmenter knows where the first part begins and the last one ends."""
    for found in _TRANSLITERATED.finditer(text):
        parts = re.split(f"[{_DOT}]", found[0])
        first, last = tagged(parts[0])[-1], tagged(parts[-1])[0]
        if all(word.tag.startswith("nr") or not is_known(word.text) for word in (first, last)):
            start = found.start() + len(parts[0]) - len(first.text)
            end = found.end() - len(parts[-1]) + len(last.text)
            yield ChineseName(start, end, text[start:end], "person")


def _is_person(word: TaggedWord) -> bool:
    """Tell whether the tagger's word for a person is one: surnames are also common characters, so that a word of two
    characters must be rare or unknown, and one of three have a surname in front.
    """
    name = word.text
    if word.tag == "nrt":
        return len(name) > 2 and not name.endswith(_NO_TRANSLITERATION) and rarity(name) > _COMMON
    if word.tag not in {"nr", "nrfg"}:
        return False
    if name[:2] in _COMPOUND_SURNAMES:
        return 3 <= len(name) <= 4
    if name[0] not in _SURNAMES or len(name) > 3:
        return False
    if len(name) == 3 or not is_known(name):
        return True
    return name[0] in COMMON_SURNAMES and rarity(name) > _COMMON


def _organisation_start(words: Sequence[TaggedWord], number: int) -> int:
    """Go back over the words that the name of an organisation is made of.

    The segmenter cuts long names into words, and the last one alone (大学, 公司) names nobody.
    """
    start = words[number].start
    for place in range(number - 1, -1, -1):
        word = words[place]
        linking = word.tag == "v" and len(word.text) > 1
        if not (linking or word.tag in _NOUN_TAGS) or words[number].end - word.start > _LONGEST_ORGANISATION:
            break
        start = start if linking else word.start
    return start
