"""Contradictions planted into real texts: a sentence with its value, name, date or polarity changed, and reworded.

Nothing here knows what is judged: the changes and rewordings are the plain ones that a second source would have. Texts
are halved by their number, so that one half can be looked at while the other measures.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from remanent.text.chinese import tagged
from remanent.text.sentences import sentence_texts


class PlantKind(StrEnum):
    """What was changed in the sentence."""

    VALUE = "value"
    DATE = "date"
    NAME = "name"
    POLARITY = "polarity"


@dataclass(frozen=True, slots=True)
class Plant:
    """A contradiction: the sentence of the text, and what a second source says instead."""

    kind: PlantKind
    original: str
    planted: str


_YEAR = re.compile(r"(?<![\d,.–-])(?P<year>1[5-9]\d\d|20[0-2]\d)(?![\d,.–-]\d|s\b|%)")
_NUMBER = re.compile(r"(?<![\w.,–$-])(?P<number>\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)(?=\s(?:[a-z]+|°)|%)")
_NAME = re.compile(r"(?<![A-Za-z])[a-z]+,? (?P<name>[A-Z][a-z]{2,}(?: (?:of |the |de |von )?[A-Z][a-z]+)*)\b(?!')")
_VERB = re.compile(r"\b(?P<verb>is|was|are|were|can|could|will|has been|had been|have been)\b(?! not\b)")
_DENIED = re.compile(r"\b(?P<verb>is|was|are|were|can|could|will|did|does|do) not ")
_OPENING_PRONOUN = re.compile(r"^(?:He|She|It|They)\b")
_PARENTHESIS = re.compile(r"\s*[(（][^()（）]*[)）]")
_TAIL = re.compile(r",\s(?:which|who|where|and|with|including|while|making|such as)\b.*(?=\.$)")
_MONTHS = "January February March April May June July August September October November December".split()
_SAME = {
    "film": "movie", "located": "situated", "founded": "established", "began": "started", "released": "put out",
    "large": "big", "company": "firm", "approximately": "about", "received": "got", "written": "authored",
    "town": "small town", "known as": "called", "published": "issued", "directed": "helmed", "appeared": "showed up",
    "people": "inhabitants", "won": "took", "near": "close to", "became": "turned into", "died": "passed away",
    "built": "constructed", "players": "athletes", "died in": "passed away in", "part of": "a portion of",
}  # fmt: skip
_LEADS = (
    "According to another source, {}", "A newer report says that {}", "Records show that {}", "{}",
    "In fact, {}", "One website claims {}", "{}",
)  # fmt: skip
_CHINESE_SAME = {
    "位于": "坐落于", "成立": "创立", "出生": "诞生", "获得": "取得", "开始": "起", "共有": "总共有", "由于": "因为",
    "发行": "推出", "担任": "出任", "毕业": "结业", "建成": "落成", "超过": "多于", "现在": "如今", "属于": "隶属于",
    "称为": "叫做", "举行": "举办", "包括": "包含", "制作": "打造",
}  # fmt: skip
_CHINESE_LEADS = ("据另一份资料，{}", "有报道称，{}", "{}", "实际上，{}", "记录显示，{}", "{}")
_CHINESE_YEAR = re.compile(r"(?<!\d)(?P<year>1[0-9]\d\d|20[0-2]\d)年")
_CHINESE_NUMBER = re.compile(r"(?<![\d.A-Za-z])(?P<number>\d+(?:\.\d+)?)(?![\d年月日.:-])(?=[\u4e00-\u9fff])")
_CHINESE_VERB = re.compile(r"(?P<verb>(?<![不但还只就都也可于])是(?!否)|位于|属于|曾经?|能够|可以|拥有)")
_CHINESE_DENIALS = {"是": "不是", "位于": "并不位于", "属于": "并不属于", "曾": "从未", "曾经": "从未",
                    "能够": "不能够", "可以": "不可以", "拥有": "并不拥有"}  # fmt: skip


def plants(title: str, text: str, *, names: Sequence[str], source: random.Random) -> Iterator[Plant]:
    """Yield at most one contradiction of each kind that a text can have one of; English."""
    sentences = [one for one in sentence_texts(text) if 40 <= len(one) <= 260 and one.endswith(".")]
    source.shuffle(sentences)
    for kind in PlantKind:
        for sentence in sentences:
            changed = _changed(kind, sentence, names, source)
            if changed and (planted := _reworded(*changed, title, source)):
                yield Plant(kind, sentence, planted)
                break


def _changed(kind: PlantKind, sentence: str, names: Sequence[str], source: random.Random) -> tuple[str, str] | None:
    """Return the sentence with its change, and the words that are new in it."""
    if kind is PlantKind.POLARITY:
        if denied := _DENIED.search(sentence):
            return sentence[: denied.start()] + f"{denied['verb']} " + sentence[denied.end() :], denied["verb"]
        verb = _VERB.search(sentence)
        if verb is None or re.search(r"\b(?:not|never|no)\b", sentence):
            return None
        first, _, rest = verb["verb"].partition(" ")
        new = f"{first} not {rest}".strip()
        return sentence[: verb.start()] + new + sentence[verb.end() :], new
    found = {PlantKind.VALUE: _NUMBER, PlantKind.DATE: _YEAR, PlantKind.NAME: _NAME}[kind].search(sentence)
    if found is None:
        return None
    old = found[1]
    if kind is PlantKind.VALUE:
        if _YEAR.fullmatch(old) or sentence[: found.start()].endswith(tuple(f"{month} " for month in _MONTHS)):
            return None
        if sentence[found.end() :].lstrip().startswith(tuple(_MONTHS)):
            return None
        new = _other_number(old, source)
    elif kind is PlantKind.DATE:
        new = str(int(old) + source.choice((-23, -11, -6, -4, 3, 5, 9, 17)))
    else:
        like = [name for name in names if name not in sentence and len(name.split()) == len(old.split())]
        verb = _VERB.search(sentence)
        if not like or old in _MONTHS or verb is None or verb.start() > found.start():  # another subject says nothing
            return None
        new = source.choice(like)
    return sentence[: found.start(1)] + new + sentence[found.end(1) :], new


def _other_number(old: str, source: random.Random) -> str:
    value = float(old.replace(",", ""))
    changed = value * source.choice((0.6, 0.75, 1.4, 2.0)) + 1
    if "." in old:
        return f"{changed:.{len(old.partition('.')[2])}f}"
    return f"{int(changed):,}" if "," in old else str(int(changed))


def _reworded(sentence: str, new: str, title: str, source: random.Random) -> str:
    """Return the sentence in other words, with its subject named; nothing where that cannot be done."""
    bare = _PARENTHESIS.sub("", sentence)
    bare = bare if new in bare else sentence
    shorter = _TAIL.sub("", bare)
    bare = shorter if new in shorter and source.random() < 0.7 else bare
    name = _PARENTHESIS.sub("", title)
    if re.match(r"^(?:His|Her|Its|Their|This|These|There|But|Also|However|The (?:film|song|album|town|book)\b)", bare):
        return ""  # what it speaks of cannot be named by putting the title there
    bare = _OPENING_PRONOUN.sub(name, bare)
    for old, other in _SAME.items():
        if source.random() < 0.6 and old not in new:
            bare = re.sub(rf"\b{old}\b", other, bare, count=1)
    front = re.search(r" (?P<phrase>in (?:\w+ )?(?:1\d|20)\d\d)\.$", bare)
    if front and source.random() < 0.5:
        return f"In{front['phrase'][2:]}, {bare[: front.start()]}."
    lead = source.choice(_LEADS)
    if lead != "{}" and bare.startswith(("The ", "In ", "A ", "An ", "On ", "At ", "It ")):
        bare = bare[0].lower() + bare[1:]
    return lead.format(bare)


def chinese_plants(text: str, *, source: random.Random) -> Iterator[Plant]:
    """Yield at most one contradiction of each kind that a Chinese text can have one of."""
    sentences = [one for one in sentence_texts(text) if 12 <= len(one) <= 120 and one.endswith("。")]
    source.shuffle(sentences)
    opening = re.match(r"[^（(，,。是]{2,12}", text)
    topic = opening[0].strip('《》“”" ') if opening else ""
    names = _chinese_names(text)
    for kind in PlantKind:
        for sentence in sentences:
            changed = _chinese_change(kind, sentence, names, source)
            planted = _chinese_rewording(*changed, topic, source) if changed else ""
            if changed and changed[1] in planted and changed[0] != sentence:
                yield Plant(kind, sentence, planted)
                break


def _chinese_names(text: str) -> list[tuple[str, str]]:
    return [(word.text, word.tag) for word in tagged(text) if word.tag in {"ns", "nr", "nrt"} and len(word.text) > 1]


def _chinese_change(
    kind: PlantKind, sentence: str, names: Sequence[tuple[str, str]], source: random.Random
) -> tuple[str, str] | None:
    if kind is PlantKind.NAME:
        inside = [
            word for word in tagged(sentence) if word.tag in {"ns", "nr"} and len(word.text) > 1 and word.start > 3
        ]
        like = [(word, name) for word in inside for name, tag in names if tag == word.tag and name not in sentence]
        if not like:
            return None
        word, new = source.choice(like)
        return sentence[: word.start] + new + sentence[word.end :], new
    patterns = {PlantKind.VALUE: _CHINESE_NUMBER, PlantKind.DATE: _CHINESE_YEAR, PlantKind.POLARITY: _CHINESE_VERB}
    found = patterns[kind].search(sentence)
    if found is None or (kind is PlantKind.POLARITY and re.search("[不没未无]", sentence)):
        return None
    old = found[1]
    if kind is PlantKind.POLARITY:
        new = _CHINESE_DENIALS[old]
    elif kind is PlantKind.DATE:
        new = str(int(old) + source.choice((-23, -11, -6, -4, 3, 5, 9, 17)))
    else:
        new = _other_number(old, source)
    return sentence[: found.start(1)] + new + sentence[found.end(1) :], new


def _chinese_rewording(sentence: str, new: str, topic: str, source: random.Random) -> str:
    bare = _PARENTHESIS.sub("", sentence)
    bare = bare if new in bare else sentence
    clauses = re.split(r"(?<=[，；])", bare)
    place = next((number for number, clause in enumerate(clauses) if new in clause), 0)
    if len(clauses) > 2 and source.random() < 0.6:  # the clause that was changed, after what the sentence is about
        kept = clauses[:1] + clauses[place : place + 1] if place else clauses[:2]
        bare = "".join(kept).rstrip("，；。") + "。"
    bare = re.sub(r"^[他她它牠其]们?", topic, bare) if topic else bare
    if topic and topic not in bare and re.match(r"^(?:是|位于|在|于|由|曾|共|为|\d)", bare):
        bare = topic + bare
    if re.match(r"^(?:此|该|这|那|但|并|而|另|同|之|第|其中)", bare):
        return ""
    for old, other in _CHINESE_SAME.items():
        if source.random() < 0.6 and old not in new:
            bare = bare.replace(old, other, 1)
    return source.choice(_CHINESE_LEADS).format(bare)
