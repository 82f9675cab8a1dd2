"""Measuring a store for its gate, in the background: its own questions against those of strangers.

A store's own questions are made of what it holds: a sentence with half of its words dropped, as a paraphrase would drop
them. Strangers' questions are of three sorts: sense from elsewhere, words without sense, and letters without words.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from functools import cache, partial

from pydantic import JsonValue

from remanent.bilingual import Language
from remanent.model import Job, Kind, Record, Scope
from remanent.recall.gate import (
    BOUNDS,
    FOREIGN,
    GATE,
    MAX_READ,
    VERSION,
    WORDS_ALONE,
    Gate,
    KnownTerms,
    Measures,
    Nearness,
    TermMatch,
    ThresholdBounds,
    best_of,
    informative_terms,
    strength,
)
from remanent.recall.indexing import TURNS, indexed_through
from remanent.recall.path import RecallPath
from remanent.recall.question import Question
from remanent.recall.windows import PARTS
from remanent.stores import Order, RecordQuery, Store, Transaction
from remanent.text.chinese import cut
from remanent.text.scripts import working_language
from remanent.text.sentences import sentence_texts
from remanent.text.terms import query_terms
from remanent.values import dataclass

MIN_RECORDS = 24
"""A smaller store is not measured: what is usual says more of it than it says itself. Chosen by hand."""

_GROWTH = 1.5
"""A store is measured again when it has grown by this factor: nearness rises with the logarithm of its size.
Chosen by hand."""

_SAMPLE = 40
"""How many questions of its own a store is asked at the most; the 5th percentile of 40 is the second lowest score."""

_MIN_OWN = 8
"""With fewer in a language, a store is not at home in it. Chosen by hand."""

_EDGE = 200
"""Records at either end of the store from which its own questions are made: what was told first and last, read
without going through all of it."""

_MIN_TERMS = 4
"""A sentence with fewer search terms makes no question."""

SALADS, GIBBERISH = 12, 12
"""Strangers' questions without sense, by language: of words, and of letters."""

_TOGETHER = 44
"""Questions that are asked at a time: each step of them is one call of the store, and some tenths of a second of its
time where an agent has 100,000 records. Chosen by hand: strangers of a language are asked in two goes."""

_MIN_SPREAD = 0.03
"""The least spread of nearness that is believed: about half of what is typical of the bundled models, so that a store
of look-alikes does not turn every hit into a near one."""

_LETTERS = "aeioubcdfghklmnprstvwyz"
_HAN = range(0x4E00, 0x9FA0)
# Of a long record its first sentences make the question, and of a long sentence its first words: people ask briefly.
_LONGEST = 2000
_MAX_WORDS = 24


@dataclass(frozen=True, slots=True)
class _ProbeOutcome:
    """What came of one question."""

    language: Language
    words: TermMatch
    best: dict[str, float]
    """The score of the best hit by vector path."""


class Calibration:
    """The job that measures a store, and when it is due."""

    def __init__(self, store: Store, gate: Gate, paths: Sequence[RecallPath]) -> None:
        """Take the paths that the gate goes by: words and vectors."""
        self._store = store
        self._gate = gate
        self._paths = [path for path in paths if path.name == "keyword" or path.name in gate.models]

    async def is_due(self, scope: Scope, *, seq: int) -> bool:
        """Tell whether a journal that has come to this place should be measured.

        A look at one state, since every indexing job asks: measuring itself takes two hundred questions.
        """
        if seq < MIN_RECORDS:
            return False
        kept = await self._store.state(scope, GATE)
        if (
            not isinstance(kept, dict)
            or kept.get("version") != VERSION
            or kept.get("models") != dict(self._gate.models)
        ):
            return True
        measured = kept.get("seq")
        if not isinstance(measured, int) or seq >= measured * _GROWTH:
            return True
        return kept.get("asked") != await self._asked(scope)

    async def _asked(self, scope: Scope) -> JsonValue:
        """Return the paths that are asked in each language: with others, what was measured says nothing."""
        asked: dict[str, JsonValue] = {}
        for language, questions in _STRANGERS.items():
            question = Question(questions[0], scope)
            asked[language] = [path.name for path in await self._asked_for(question)]
        return asked

    async def _asked_for(self, question: Question) -> list[RecallPath]:
        return [path for path in self._paths if path.share(question) > 0 and await path.needed(question)]

    async def measure(self, job: Job, tx: Transaction) -> None:
        """Ask the store strangers' questions and its own, and keep what comes of it."""
        scope = job.scope.owner
        seq = await indexed_through(self._store, scope)
        if not await self.is_due(scope, seq=seq):
            return  # asked for again while it was being measured
        chance = random.Random(seq)
        # The same records answer many of the questions: taking each apart once saves most of the time.
        known: KnownTerms = {}
        own = await self._hear(scope, list(own_questions(await self._sample(scope), chance)), known)
        languages: dict[str, JsonValue] = {}
        for language in _STRANGERS:
            strange = await self._hear(scope, strangers(language), known)
            in_language = [heard for heard in own if heard.language == language]
            languages[language] = self._measures(strange, in_language, language=language).as_json()
        models: dict[str, JsonValue] = dict(self._gate.models)
        asked = await self._asked(scope)
        tx.state(GATE, {"version": VERSION, "seq": seq, "models": models, "asked": asked, "tongues": languages})

    async def _sample(self, scope: Scope) -> list[Record]:
        edges = await asyncio.gather(
            *(
                self._store.records(scope, RecordQuery(order=order, limit=_EDGE))
                for order in (Order.FIRST_CREATED, Order.LAST_CREATED)
            )
        )
        known = list({record.id: record for records in edges for record in records}.values())
        # A fact that was learned of a turn says less in other words: a question made of it would open the gate wide.
        said = [record for record in known if record.kind is Kind.TURN]
        return said if len(said) >= _MIN_OWN else known

    async def _hear(self, scope: Scope, texts: Sequence[str], known: KnownTerms) -> list[_ProbeOutcome]:
        """Ask questions, as many at a time as `_TOGETHER` says, and return what came of each."""
        standing = await self._store.standing(scope, states=(TURNS, PARTS))
        heard: list[_ProbeOutcome] = []
        for start in range(0, len(texts), _TOGETHER):
            questions = [Question(text, scope, standing=standing) for text in texts[start : start + _TOGETHER]]
            paths = [await self._asked_for(question) for question in questions]
            for path in self._paths:
                # In one go, so that they are searched in one go as well.
                await path.expect([one for one, asked in zip(questions, paths, strict=True) if path in asked])
            heard += await asyncio.gather(*map(partial(self._probe, known=known), questions, paths))
        return heard

    async def _probe(self, question: Question, paths: Sequence[RecallPath], *, known: KnownTerms) -> _ProbeOutcome:
        wanted = informative_terms(question.text)
        counts, answers = await asyncio.gather(
            self._gate.counts(question.scope, wanted),
            asyncio.gather(*(path.find(question, limit=MAX_READ) for path in paths)),
        )
        found = {path.name: hits for path, hits in zip(paths, answers, strict=True)}
        ids = [hit.record_id for hits in found.values() for hit in hits]
        records = await self._store.records_by_id(question.scope, ids)
        words = self._gate.words(wanted, best_of(found, records)[:MAX_READ], counts, known)
        best = {path: hits[0].score for path, hits in found.items() if hits and path in self._gate.models}
        return _ProbeOutcome(working_language(question.text), words, best)

    def _measures(
        self, strange: Sequence[_ProbeOutcome], own: Sequence[_ProbeOutcome], *, language: Language
    ) -> Measures:
        near = {path: _near([heard.best[path] for heard in strange if path in heard.best]) for path in _paths(strange)}
        threshold = threshold_of(
            [self._score(heard, near) for heard in strange],
            [self._score(heard, near) for heard in own],
            bounds=BOUNDS[language] if len(own) >= _MIN_OWN else FOREIGN,
            lower=0.0 if near else WORDS_ALONE,
        )
        return Measures(near, threshold)

    def _score(self, heard: _ProbeOutcome, near: dict[str, Nearness]) -> float:
        deviations = {path: near[path].deviations(cosine) for path, cosine in heard.best.items() if path in near}
        return strength(heard.words, self._gate.telling(heard.words, deviations))


def threshold_of(
    strange: Sequence[float], own: Sequence[float], *, bounds: ThresholdBounds, lower: float = 0.0
) -> float:
    """Return the score from which on a question is thought to be answered.

    It stands above what strangers come to, and not above what most of the store's own questions come to: a store at
    home in a stranger's subject, or a model that tells nothing apart, must not shut itself off.
    """
    ordered = sorted(strange)
    middle, high = _quantile(ordered, 0.5), _quantile(ordered, 0.95)
    threshold = min(max(high + (high - middle) / 2, bounds.lowest - lower), bounds.highest - lower)
    return min(threshold, _quantile(sorted(own), 0.05)) if len(own) >= _MIN_OWN else threshold


def _paths(heard: Sequence[_ProbeOutcome]) -> list[str]:
    return sorted({path for one in heard for path in one.best})


def _near(cosines: Sequence[float]) -> Nearness:
    ordered = sorted(cosines)
    middle = _quantile(ordered, 0.5)
    # The upper side alone: what strangers share with the store lies above, and nine tenths of a bell within 1.28.
    return Nearness(middle, max(_MIN_SPREAD, (_quantile(ordered, 0.9) - middle) / 1.28))


def _quantile(ordered: Sequence[float], share: float) -> float:
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


# ── questions ────────────────────────────────────────────────────────────────


@cache
def strangers(language: Language) -> tuple[str, ...]:
    """Return the questions of strangers in a language: the same each time, so that their vectors are kept."""
    chance = random.Random(f"strangers {language}")
    sense = _STRANGERS[language]
    words = [word for question in sense for word in _words(question, language)]
    salads = [_join(chance.sample(words, chance.randint(3, 7)), language) for _ in range(SALADS)]
    return (*sense, *salads, *(_gibberish(chance, language) for _ in range(GIBBERISH)))


def own_questions(records: Sequence[Record], chance: random.Random) -> Iterator[str]:
    """Yield questions that records answer: the most telling sentence of each with half of its words dropped."""
    for record in chance.sample(records, min(_SAMPLE, len(records))):
        telling = max(sentence_texts(record.content[:_LONGEST]), key=lambda text: len(query_terms(text)), default="")
        language = working_language(telling)
        words = _words(telling, language)[:_MAX_WORDS]
        if len(query_terms(telling)) >= _MIN_TERMS:
            kept = sorted(chance.sample(range(len(words)), (len(words) + 1) // 2))
            yield _join([words[place] for place in kept], language)


def _words(text: str, language: Language) -> list[str]:
    words = cut(text) if language == "zh" else text.split()
    return [word for word in words if any(sign.isalnum() for sign in word)]


def _join(words: Sequence[str], language: Language) -> str:
    return ("" if language == "zh" else " ").join(words)


def _gibberish(chance: random.Random, language: Language) -> str:
    if language == "zh":
        return "".join(chr(chance.choice(_HAN)) for _ in range(chance.randint(4, 12)))
    return " ".join(
        "".join(chance.choice(_LETTERS) for _ in range(chance.randint(3, 9))) for _ in range(chance.randint(2, 6))
    )


_ENGLISH = """
At what temperature does tungsten melt under normal pressure?
How many moons of Neptune move against its rotation?
Which enzyme unwinds the two strands of a double helix?
Who signed the treaty that ended the war of the Spanish succession?
What is the tensile strength of a carbon fibre rod?
How deep is the trench east of the Mariana islands?
Which chess opening begins with the pawn in front of the king's bishop?
What does the third movement of the sonata sound like on a harpsichord?
How is pig iron turned into steel in a converter?
In which dynasty was the compass first used by sailors?
How long does a queen termite live inside its mound?
What share of the jury must agree to convict in Scotland?
Which volcano buried two towns under ash in a single day?
How do you sharpen a chisel on a water stone?
What is the exchange rate between the krona and the zloty?
Why does a helicopter need a rotor at its tail?
Which cathedral has the tallest spire north of the Alps?
How many vertebrae are there in the neck of a giraffe?
What makes the northern lights green rather than red?
When should vines be pruned on a slope that faces south?
Which knot holds a climbing rope to the harness?
What is the statute of limitations for forgery in Ontario?
How does a diesel locomotive move its wheels by electric motors?
Which glaze turns copper red in a reducing kiln?
How thick must the ice be for a truck to cross the river?
What is the half-life of caesium in a nuclear reactor's waste?
Which sails are reefed first when the wind rises to a gale?
How is parchment made from the skin of a calf?
What did the emperor trade for the porcelain of the southern kilns?
How many players stand behind the scrum in rugby?
Which mushroom turns blue where its stem is cut?
What is the orbital period of a satellite that stands still above the equator?
How do bats find moths in complete darkness?
Which bacteria cause the plague to spread from rats to people?
How is the curvature of a lens ground to a tenth of a micron?
What tax did the parliament put on windows?
Which desert receives less rain than any other?
How much ballast does a submarine pump out to surface?
What are the rules for offside in ice hockey?
How do bricklayers turn a corner in Flemish bond?
Which acid is used to etch copper plates for printing?
What is the population of lynx in the Carpathian mountains?
How is the pitch of a kettledrum raised?
Why did the railway choose a narrow gauge through the gorge?
What dose of insulin raises the risk of shock in sheep?
Which clause of the charter limits the power of the bishop?
How do you graft a pear onto a quince rootstock?
What pressure do divers feel at sixty metres?
Which theorem bounds the number of primes below a limit?
How is saffron dried after the crocus harvest?
What is the breeding season of the emperor penguin?
Which alloy was used for the bells of the monastery?
How does yeast turn barley malt into alcohol?
What is the recoil of a howitzer mounted on rails?
Which court hears appeals against patents in the Netherlands?
How do lighthouses differ in the rhythm of their lamps?
What insects pollinate vanilla outside of Mexico?
Who composed the hymn sung at the coronation of the tsar?
How many stitches per inch does a saddler sew?
What is the albedo of fresh snow compared with wet asphalt?
Which earthquake moved the axis of the planet?
How is quicklime slaked before it becomes mortar?
What distance does a marathon horse race cover in Mongolia?
Which dialect of Breton keeps the old dual number?
"""

_CHINESE = """
钨在常压下多少度熔化？
海王星有几颗逆行的卫星？
解开双螺旋两条链的酶叫什么？
西班牙王位继承战争以哪个条约结束？
碳纤维杆的抗拉强度是多少？
马里亚纳群岛以东的海沟有多深？
哪种国际象棋开局先动王翼象前的兵？
奏鸣曲第三乐章用大键琴演奏听起来如何？
转炉怎样把生铁炼成钢？
航海者最早在哪个朝代使用指南针？
白蚁蚁后在蚁丘里能活多久？
苏格兰的陪审团要多少人同意才能定罪？
哪座火山一天之内用火山灰掩埋了两座城？
怎样在水磨石上磨凿子？
克朗兑兹罗提的汇率是多少？
直升机为什么需要尾桨？
阿尔卑斯山以北尖塔最高的大教堂是哪座？
长颈鹿的颈椎有几节？
极光为什么是绿色而不是红色？
朝南坡地上的葡萄藤应当何时修剪？
登山绳用哪种绳结系在安全带上？
安大略省伪造罪的追诉时效是多少年？
内燃机车怎样用电动机驱动车轮？
哪种釉料在还原焰里烧成铜红？
冰层要多厚卡车才能过河？
核废料里铯的半衰期有多长？
风力增至烈风时应先收哪面帆？
小牛皮怎样制成羊皮纸？
皇帝用什么换取南方窑口的瓷器？
橄榄球并列争球时后面站几名球员？
哪种蘑菇切开菌柄会变蓝？
地球静止轨道卫星的周期是多少？
蝙蝠在漆黑中怎样找到飞蛾？
鼠疫由哪种细菌从老鼠传给人？
透镜的曲率怎样研磨到十分之一微米？
议会曾对窗户征收什么税？
哪片沙漠的降雨最少？
潜艇上浮要排出多少压舱水？
冰球的越位规则是什么？
砌砖工怎样用梅花丁砌法转角？
铜版画用哪种酸腐蚀？
喀尔巴阡山的猞猁有多少只？
定音鼓怎样升高音调？
峡谷里的铁路为什么选用窄轨？
多大剂量的胰岛素会使绵羊休克？
宪章的哪一条限制了主教的权力？
怎样把梨树嫁接到榅桲砧木上？
潜水员在六十米深处承受多大压强？
哪条定理给出素数个数的上界？
藏红花采收以后怎样干燥？
帝企鹅的繁殖季节在几月？
修道院的钟用哪种合金铸成？
酵母怎样把麦芽变成酒精？
列车炮的后坐力有多大？
荷兰的专利上诉由哪个法院审理？
灯塔的闪光节奏各有什么不同？
墨西哥以外由哪种昆虫给香草授粉？
沙皇加冕时唱的赞美诗是谁作的？
马鞍匠一英寸缝多少针？
新雪与湿沥青的反照率相差多少？
哪次地震移动了地轴？
生石灰怎样消解才能调成砂浆？
蒙古的长途赛马要跑多少公里？
布列塔尼语的哪种方言保留了双数？
"""

_STRANGERS: dict[Language, tuple[str, ...]] = {
    "en": tuple(_ENGLISH.split("\n")[1:-1]),
    "zh": tuple(_CHINESE.split("\n")[1:-1]),
}
