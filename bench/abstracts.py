"""Generated abstracts with planted key phrases, in English and Chinese: the same seed gives the same texts."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class KeyedText:
    """A text and the key phrases that a reader would give it."""

    text: str
    keys: tuple[str, ...]


_ENGLISH_TOPICS = """
soil moisture | drip irrigation | precision farming | crop rotation | yield forecast | satellite imagery | nitrogen
fertilizer | weather station | plant disease | seed variety | pest control | greenhouse climate

speech recognition | acoustic model | hidden Markov model | noise reduction | speaker identification | phoneme
lexicon | microphone array | language identification | dialogue system | emotion detection | voice assistant | beam
search

heart failure | blood pressure | randomized trial | beta blocker | cardiac output | kidney function | patient
adherence | mortality rate | hospital readmission | exercise therapy | sodium intake | atrial fibrillation

solar panel | battery storage | power grid | wind turbine | load forecasting | smart meter | heat pump | carbon
emission | demand response | voltage control | hydrogen production | district heating

graph database | query optimizer | transaction log | column store | index compression | write amplification | lock
manager | snapshot isolation | cache eviction | replica placement | schema migration | consensus protocol

urban planning | public transport | bicycle lane | housing policy | traffic congestion | noise pollution | green
roof | parking fee | ride sharing | pedestrian zone | land value | flood protection
"""
_ENGLISH_TITLES = (
    "{0} and {1} in practice",
    "A study of {0} with {1}",
    "Towards better {0}: the role of {1}",
    "{0} under {1}",
)
_ENGLISH_SENTENCES = (
    "We present a new approach to {0} that takes {1} into account.",
    "Although {0} has been studied for many years, its relation to {1} is still not well understood.",
    "Our experiments with {0} show significant improvements over previous work.",
    "The results indicate that {0} depends strongly on {1}.",
    "In contrast to earlier methods, {0} does not require large amounts of data.",
    "A number of users reported that {0} was easier to handle after the first week.",
    "We discuss the cost of {0} and give recommendations for future research.",
    "This paper describes how {0} can be combined with {1} in a simple way.",
    "Finally, we compare {0} with several alternatives and explain the differences.",
    "The main contribution is a detailed analysis of {0} over a period of three years.",
    "Many authors believe that {0} is only useful when the conditions are good.",
    "Two case studies illustrate the benefits and the limits of {0}.",
)
_ENGLISH_FILLER = (
    "The remainder of the article is organized as follows.",
    "Further details are given in the following section.",
    "It is often argued that more attention should be paid to this question.",
    "These findings have important implications for practice.",
)

_CHINESE_TOPICS = (
    "土壤水分|滴灌技术|精准农业|作物轮作|产量预测|卫星遥感|氮肥施用|气象站|植物病害|温室气候|病虫害防治|种子发芽率",
    "语音识别|声学模型|隐马尔可夫模型|噪声抑制|说话人识别|音素词典|麦克风阵列|语种识别|对话系统|情感检测|语音助手|束搜索",
    "心力衰竭|血压控制|随机对照试验|心输出量|肾功能|患者依从性|死亡率|再入院率|运动疗法|钠摄入量|心房颤动|降压药物",
    "太阳能电池板|储能电池|电力网络|风力发电机|负荷预测|智能电表|空气源热泵|碳排放量|需求响应|电压控制|制氢工艺|集中供热",
    "图数据库|查询优化器|事务日志|列式存储|索引压缩|写放大|锁管理器|快照隔离|缓存淘汰|副本放置|模式迁移|共识协议",
    "城市规划|公共交通|自行车道|住房政策|交通拥堵|噪声污染|屋顶绿化|停车收费|共享出行|步行街区|土地价值|防洪工程",
)
_CHINESE_TITLES = ("{0}与{1}的研究", "基于{1}的{0}方法", "{0}在{1}中的应用", "面向{1}的{0}分析")
_CHINESE_SENTENCES = (
    "本文提出了一种考虑{1}的{0}新方法。",
    "虽然{0}已经研究多年，但它与{1}的关系仍然不够清楚。",
    "实验结果表明，{0}比以往的方法有明显的提高。",
    "结果显示，{0}在很大程度上取决于{1}。",
    "与早期的做法不同，{0}不需要大量的数据。",
    "不少用户反映，使用一周以后，{0}变得更加容易。",
    "文章讨论了{0}的成本，并对今后的工作提出了建议。",
    "本文说明了如何以简单的方式把{0}和{1}结合起来。",
    "最后，将{0}与几种方案进行比较，并解释了差异。",
    "主要贡献是对{0}进行了为期三年的详细分析。",
    "许多学者认为，只有在条件良好的情况下{0}才有用。",
    "两个案例说明了{0}的优点和不足。",
)
_CHINESE_FILLER = (
    "全文安排如下。",
    "更多细节见下一节。",
    "这个问题应当引起更多的重视。",
    "这些发现具有重要的现实意义。",
)


def generated_abstracts(language: Literal["en", "zh"], count: int, *, seed: int = 5) -> list[KeyedText]:
    """Return abstracts on mixed topics, each with five planted key phrases, some of them mentioned only once."""
    source = random.Random(f"{seed} {language}")
    return [_abstract(language, source) for _ in range(count)]


def _abstract(language: Literal["en", "zh"], source: random.Random) -> KeyedText:
    english = language == "en"
    topics = _ENGLISH_TOPICS.strip().split("\n\n") if english else _CHINESE_TOPICS
    keys = source.sample([" ".join(key.split()) for key in source.choice(topics).split("|")], 5)
    title = source.choice(_ENGLISH_TITLES if english else _CHINESE_TITLES).format(keys[0], keys[1])
    sentences = source.sample(_ENGLISH_SENTENCES if english else _CHINESE_SENTENCES, source.randint(5, 8))
    slots = _slots(keys, source)
    body = [sentence.format(next(slots), next(slots)) for sentence in sentences]
    body.insert(source.randint(0, len(body)), source.choice(_ENGLISH_FILLER if english else _CHINESE_FILLER))
    written = " ".join(body) if english else "".join(body)
    missing = [key for key in keys if key not in title and key not in written]
    close = "Keywords that matter here are also {}." if english else "文中还涉及{}。"
    if missing:
        written += (" " if english else "") + close.format((" and " if english else "、").join(missing))
    return KeyedText(f"{title[0].upper()}{title[1:]}\n{written}", tuple(keys))


def _slots(keys: Sequence[str], source: random.Random) -> Iterator[str]:
    """Yield key phrases without end, the first ones more often than the last, never one twice in a row."""
    last = ""
    while True:
        (key,) = source.choices(keys, weights=[5, 4, 3, 2, 1])
        if key != last:
            last = key
            yield key
