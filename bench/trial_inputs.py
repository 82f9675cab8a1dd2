"""What a model is tried on: things said, texts that contradict each other, questions, and inputs of roles."""

import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from remanent.language.examination import Exercise
from remanent.language.roles.analysis import AnalysisRequest
from remanent.language.roles.annotation import AnnotationRequest, RelationNamingRequest
from remanent.language.roles.answering import AnsweringRequest, PassageToRank, RerankingRequest, SourcePassage
from remanent.language.roles.classification import ClassificationRequest
from remanent.language.roles.extraction import ExtractionRequest
from remanent.language.roles.integration import IntegrationRequest
from remanent.language.roles.next_step import FinishedTask, PlanningRequest
from remanent.language.roles.queries import HydeRequest, IntentRequest, RewritingRequest
from remanent.language.roles.react import ReactRequest
from remanent.language.roles.segmentation import SegmentationRequest
from remanent.language.roles.summary import StructureRequest, SummaryRequest
from remanent.language.shapes import GraphNode, Utterance
from remanent.model import Model
from remanent.text.scripts import working_language

Item = TypeVar("Item")

LANGUAGES = ("en", "zh")

SAID = (
    "My sister Lily moved to Leeds in May.", "She pays 850 pounds for a flat near the station.", "Thanks!",
    "Our release is planned for 14 June, not for 7 June.", "Tom keeps the keys of the depot in the red box.",
    "I never drink coffee after noon.", "The dentist is Dr Brown in Park Row.", "Remind me to call the bank on Friday.",
    "He said that the boiler was mended twice last winter.", "We paid 240 euros for the second repair.",
    "My passport runs out in March 2027.", "The garden gate sticks when it rains.", "Nora teaches physics in Bergen.",
    "It took her four hours to get there by train.", "Please write reports in British English.",
    "我妹妹小丽五月搬到了杭州。", "她在车站附近租了房，每月3200元。", "谢谢！", "发布定在6月14日，不是6月7日。",
    "仓库的钥匙由老王放在红色箱子里。", "我中午以后从不喝咖啡。", "牙医是公园路的张医生。", "周五提醒我给银行打电话。",
    "他说锅炉去年冬天修了两次。", "第二次修理花了1800元。", "我的护照2027年3月到期。", "下雨时院子的门就卡住。",
    "诺拉在卑尔根教物理。", "她坐火车去那里用了四个小时。", "报告请用简体中文写。",
)  # fmt: skip
"""Messages of which nothing may be lost; two of them say nothing."""
SILENT = frozenset({"Thanks!", "谢谢！"})

Task = tuple[str, str, dict[str, str], tuple[str, ...]]

TASKS: tuple[Task, ...] = (
    (
        "How high is Mount Kelt?", "3,412",
        {"survey": "The survey of 2019: Mount Kelt is 3,412 metres high."},
        ("From a magazine. Mount Kelt is 3,412 metres high. Mount Kelt has two huts.",
         "From a blog. Mount Kelt is 3,298 metres high. Mount Kelt has snow all year."),
    ),
    (
        "凯尔特山有多高？", "3412",
        {"测绘": "2019年测绘：凯尔特山高3412米。"},
        ("摘自杂志。凯尔特山高3412米。凯尔特山上有两座小屋。", "摘自博客。凯尔特山高3298米。凯尔特山终年积雪。"),
    ),
    (
        "Who founded Pollux Ltd?", "Quill",
        {"register": "Register of companies: Pollux Ltd was founded by Mary Quill on 3 May 1987."},
        ("From an interview. Pollux Ltd was founded by Mary Quill. Pollux Ltd makes lenses.",
         "From a forum. Pollux Ltd was founded by Peter Storm. Pollux Ltd has a shop in Leeds."),
    ),
    (
        "In which country was the architect of the Aldern bridge born?", "Estonia",
        {"lexicon": "Jonas Rehn, architect, was born in Estonia in 1902 and died in Oslo in 1971."},
        ("From a guide. The Aldern bridge was designed by Jonas Rehn. The Aldern bridge is 412 metres long.",
         "From a leaflet. The Aldern bridge was opened in 1938. The Aldern bridge is closed in winter."),
    ),
    (
        "远山公司是谁创办的？", "陈敏",
        {"登记": "工商登记：远山公司由陈敏于1987年5月3日创办。"},
        ("摘自访谈。远山公司由陈敏创办。远山公司生产镜片。",
         "摘自论坛。远山公司由赵磊创办。远山公司在杭州有一家门店。"),
    ),
    (
        "云溪大桥的设计师出生在哪个省？", "云南",
        {"人物志": "周远，建筑师，1932年生于云南省，2001年在上海去世。"},
        ("摘自导游手册。云溪大桥由周远设计。云溪大桥全长4.2公里。",
         "摘自宣传册。云溪大桥于1978年通车。云溪大桥冬季封闭。"),
    ),
)  # fmt: skip
"""What is right, what can be searched, what is read: first the readme's task and its Chinese twin, then others."""

CONTRADICTIONS = (
    ("The Aldern bridge is 412 metres long.", "A guide says the Aldern bridge is 389 metres long."),
    ("Kessel Lake was dammed in 1931.", "Kessel Lake was dammed in 1947."),
    ("The mayor of Torvik is Inga Solberg.", "The mayor of Torvik is Lars Dahl."),
    ("The Harrow line has nine stations.", "The Harrow line has eleven stations."),
    ("Dr Amin found the comet in May 2004.", "Dr Amin found the comet in August 2004."),
    ("The museum opens on Mondays.", "The museum does not open on Mondays."),
    ("Pollux Ltd was founded by Mary Quill.", "Pollux Ltd was founded by Peter Storm."),
    ("The tunnel cost 18 million euros.", "The tunnel cost 26 million euros."),
    ("The Brenn river flows into the Oder.", "The Brenn river flows into the Elbe."),
    ("The tower was finished in 1889.", "The tower was never finished."),
    ("The ferry takes 40 minutes.", "The ferry takes 75 minutes."),
    ("云溪大桥全长4.2公里。", "一篇博客说云溪大桥全长4.8公里。"),
    ("青石水库建于1958年。", "青石水库建于1964年。"),
    ("松原市的市长是李卫东。", "松原市的市长是王建国。"),
    ("三号线有二十一个车站。", "三号线有二十五个车站。"),
    ("周博士于2004年5月发现了这颗彗星。", "周博士于2004年8月发现了这颗彗星。"),
    ("博物馆周一开放。", "博物馆周一不开放。"),
    ("远山公司由陈敏创办。", "远山公司由赵磊创办。"),
    ("隧道造价1800万元。", "隧道造价2600万元。"),
    ("清水河注入长江。", "清水河注入黄河。"),
    ("钟楼高63米。", "钟楼高71米。"),
)
"""Pairs of texts of which a bank that reads both should tell that they do not agree."""

KNOWN = (
    ("Where did my sister move?", "Leeds"), ("When does my passport run out?", "2027"),
    ("Where are the keys of the depot?", "red"), ("Who is my dentist?", "Brown"),
    ("How much rent does my sister pay?", "850"), ("What does Nora teach?", "hysics"),
    ("For which day is our release planned?", "14"), ("After what time do I not drink coffee?", "noon"),
    ("When does the garden gate stick?", "rain"), ("How much did we pay for the second repair?", "240"),
    ("我的牙医是谁？", "张"), ("我妹妹每月付多少房租？", "3200"), ("诺拉在哪里教书？", "卑尔根"),
)  # fmt: skip
"""Questions on what was said in an earlier session, with a word of the answer."""
UNKNOWN = (
    "What is my blood type?", "Which school did my brother attend?", "What is the name of my dog?",
    "What is my licence plate?", "When is my mother's birthday?", "What is the name of Lily's husband?",
    "When was my last check-up?", "Who is my favourite singer?", "What is my shoe size?",
    "Where did I go to school?",
    "我的血型是什么？", "我哥哥在哪里上大学？", "我家的狗叫什么名字？", "我的车牌号是多少？", "我母亲的生日是哪天？",
    "我的工号是多少？", "小丽的丈夫叫什么？", "我上次体检是什么时候？", "我最喜欢的歌手是谁？", "我的电话号码是多少？",
)  # fmt: skip
"""Questions on what nobody said."""


def by_language(items: Sequence[Item], text_of: Callable[[Item], str] = str) -> dict[str, list[Item]]:
    """Return things by the language of their text."""
    return {one: [item for item in items if working_language(text_of(item)) == one] for one in LANGUAGES}


def inputs(each: int, seed: int) -> list[list[Exercise]]:
    """Return so many inputs of every role in each language by lot, role by role: a server then keeps the instructions.

    Of an answer to them only that it can be used is asked.
    """
    lot = random.Random(seed)
    drawn = [(language, dict(_requests(language, lot))) for language in LANGUAGES for _ in range(each)]
    return [
        [Exercise(role, language, made[role], lambda _: True) for language, made in drawn if language == spoken]
        for role in drawn[0][1]
        for spoken in LANGUAGES
    ]


def _requests(language: str, lot: random.Random) -> Iterator[tuple[str, Model]]:
    """Yield a request of every role, all on a few things drawn by lot."""
    said = lot.sample([text for text in by_language(SAID)[language] if text not in SILENT], 4)
    pairs = lot.sample(by_language(CONTRADICTIONS, lambda pair: pair[0])[language], 2)
    question, _ = lot.choice(by_language(KNOWN, lambda pair: pair[0])[language])
    asked = lot.choice(by_language(UNKNOWN)[language])
    spoken = tuple(Utterance(text=text) for text in said)
    nodes = [GraphNode(node_id=f"n{n}", summary=text, context=text[:20]) for n, text in enumerate(sum(pairs, ()))]
    facts = "\n".join(first for first, _ in pairs)
    yield "react", ReactRequest(task=f"<memory>\n{facts}\n</memory>\n<task>\n{asked}\n</task>")
    yield "answering", AnsweringRequest(question=question, passages=tuple(SourcePassage(text=text) for text in said))
    yield "rewriting", RewritingRequest(query=question, earlier=spoken[:2])
    yield "hyde", HydeRequest(question=asked)
    yield (
        "reranking",
        RerankingRequest(
            query=question, passages=tuple(PassageToRank(passage_id=f"p{n}", text=text) for n, text in enumerate(said))
        ),
    )
    yield "intent", IntentRequest(message=said[0], earlier=spoken[1:2])
    yield "analysis", AnalysisRequest(new_node=nodes[0], candidates=tuple(nodes[1:3]))
    yield "integration", IntegrationRequest(nodes=tuple(nodes[:2]))
    yield "relation_naming", RelationNamingRequest(node=said[0], focuses=tuple(said[1:3]))
    yield "segmentation", SegmentationRequest(utterances=spoken[:2], earlier=spoken[2:])
    yield "extraction", ExtractionRequest(utterances=spoken)
    yield "structure", StructureRequest(content=facts)
    yield "annotation", AnnotationRequest(text=pairs[0][0])
    yield "summary", SummaryRequest(utterances=spoken)
    yield "classification", ClassificationRequest(text="\n\n".join([facts, *said[:1]]))
    yield "planning", PlanningRequest(goal=question, finished=FinishedTask(description=asked, result=facts))
