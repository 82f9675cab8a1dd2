"""A short examination of a model: what it makes of each role in Chinese and in English, beside doing it without one.

Every exercise has an answer that code can tell from a wrong one. From the marks follows which roles a model should do:
those in which it got everything right and did no worse than the offline engine. What could not be looked at in the time
that there was is done without a model, since nobody knows that it would be better.
"""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Literal

from remanent.bilingual import Bilingual, Language
from remanent.errors import LanguageError
from remanent.language.role import Engine
from remanent.language.roles import all_roles
from remanent.language.roles.analysis import AnalysisRequest, AnalysisResponse
from remanent.language.roles.annotation import AnnotationRequest, RelationNamingRequest
from remanent.language.roles.answering import AnsweringRequest, PassageToRank, RerankingRequest, SourcePassage
from remanent.language.roles.classification import ClassificationRequest, ClassificationResponse
from remanent.language.roles.extraction import ExtractionRequest, ExtractionResponse, FactKind
from remanent.language.roles.integration import IntegrationRequest, Trigger
from remanent.language.roles.next_step import FinishedTask, PlanningRequest, PlanningResponse
from remanent.language.roles.queries import HydeRequest, IntentRequest, RewritingRequest
from remanent.language.roles.react import ReactRequest
from remanent.language.roles.segmentation import SegmentationRequest, SegmentationResponse
from remanent.language.roles.summary import StructureRequest, SummaryRequest
from remanent.language.shapes import GraphNode, Utterance
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.text.keywords import WordIndex

Check = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Exercise:
    """One thing that a role is asked, and how its answer is marked."""

    role: str
    language: str
    request: Model
    is_right: Check


class RoleMarks(Model):
    """How a model did in one role."""

    role: str
    exercises: int
    right: int
    """Answered, and rightly."""
    refused: int = 0
    """No usable answer, or none in time."""
    looked_at: int
    """Exercises that there was time for."""
    offline: int
    """Exercises that the offline engine got right."""
    seconds: float = 0.0
    engine: Literal["model", "offline"]
    """What is proposed for the role."""


_NOT_KNOWN = re.compile(
    r"(?:not|n['’]t|never|no) (?:\w+ ){0,3}(?:know|known|remember|recall|mention|say|state|enough|information|record|"
    r"told|find|found)|unknown|不知道|不记得|"
    r"没有(?:提|说|记|告诉|相关|足够|找到|信息)|未(?:提|说|记|知|找)|无法|信息不足|不清楚",
    re.IGNORECASE,
)


def says_unknown(text: str) -> bool:
    """Tell whether an answer admits that something is not known."""
    return _NOT_KNOWN.search(text) is not None


async def examine(
    model: Engine,
    offline: Engine,
    *,
    seconds: float,
    exercises: Sequence[Exercise] | None = None,
    report: Callable[[Exercise], Awaitable[None]] | None = None,
    now: Callable[[], float] = time.monotonic,
) -> list[RoleMarks]:
    """Return the marks of a model in every role; no exercise is begun after so many seconds."""
    given = list(EXERCISES if exercises is None else exercises)
    end = now() + seconds
    marks: dict[str, dict[str, float]] = {name: dict.fromkeys(_COUNTED, 0.0) for name in all_roles()}
    for exercise in given:
        role, mark = all_roles()[exercise.role], marks[exercise.role]
        mark["exercises"] += 1
        mark["offline"] += exercise.is_right((await offline.run(role, exercise.request)).value)
        begun = now()
        if begun >= end:
            continue
        answer = None
        with suppress(LanguageError, TimeoutError):
            async with asyncio.timeout(end - begun):
                answer = (await model.run(role, exercise.request)).value
        mark["looked_at"] += 1
        mark["refused"] += answer is None
        mark["right"] += answer is not None and exercise.is_right(answer)
        mark["seconds"] += now() - begun
        if report is not None:
            await report(exercise)
    return [_marks(name, mark) for name, mark in marks.items() if mark["exercises"]]


_COUNTED = ("exercises", "right", "refused", "looked_at", "offline", "seconds")


def _marks(name: str, mark: dict[str, float]) -> RoleMarks:
    counts = {key: int(mark[key]) for key in _COUNTED if key != "seconds"}
    is_good = counts["right"] == counts["exercises"] and counts["right"] >= counts["offline"]
    return RoleMarks(role=name, **counts, seconds=round(mark["seconds"], 1), engine="model" if is_good else "offline")


# ── the exercises ────────────────────────────────────────────────────────────


def _holds(*words: str) -> Check:
    """Return a check for the text of an answer that all of these words stand in."""
    return lambda answer: all(word.casefold() in answer.model_dump_json().casefold() for word in words)


def _node(node_id: str, summary: str) -> GraphNode:
    return GraphNode(node_id=node_id, summary=summary, context=summary[:60])


def _said(*texts: str) -> tuple[Utterance, ...]:
    return tuple(Utterance(text=text) for text in texts)


def _task(memory: str, question: str) -> ReactRequest:
    return ReactRequest(task=f"<memory>\n{memory}\n</memory>\n<task>\n{question}\n</task>")


def _answering() -> Iterator[Exercise]:
    english = "Ada's train to Oslo leaves at 09:40 from platform 7. She keeps her passport in the blue drawer."
    chinese = "小林的航班九点四十分从七号登机口起飞。他把护照放在蓝色抽屉里。"
    yield Exercise("react", "en", _task(english, "Where does Ada keep her passport?"), _answers("drawer"))
    yield Exercise("react", "zh", _task(chinese, "小林把护照放在哪里？"), _answers("抽屉"))
    yield Exercise("react", "en", _task(english, "What is the name of Ada's dentist?"), _admits)
    yield Exercise("react", "zh", _task(chinese, "小林的牙医叫什么名字？"), _admits)


def _answers(word: str) -> Check:
    return lambda turn: turn.answer is not None and word in turn.answer


def _admits(turn: Any) -> bool:
    return turn.answer is not None and says_unknown(turn.answer)


def _quoting() -> Iterator[Exercise]:
    for language, question, text, word in (
        ("en", "When is the hall closed?", "The hall opens at nine. It is closed on Mondays.", "Monday"),
        ("zh", "展厅哪天闭馆？", "展厅九点开门，每周一闭馆。", "周一"),
    ):
        request = AnsweringRequest(question=question, passages=(SourcePassage(text=text),))
        yield Exercise("answering", language, request, _holds(word))


def _searching() -> Iterator[Exercise]:
    earlier = _said("The payment page shows error 502 after login.")
    yield Exercise("rewriting", "en", RewritingRequest(query="how do I fix it?", earlier=earlier), _holds("payment"))
    earlier = _said("付款页面登录后显示 502 错误。")
    yield Exercise("rewriting", "zh", RewritingRequest(query="怎么修它？", earlier=earlier), _holds("付款"))
    yield Exercise("hyde", "en", HydeRequest(question="How are database queries made faster?"), _holds("quer"))
    yield Exercise("hyde", "zh", HydeRequest(question="怎样让数据库查询更快？"), _holds("查询"))
    for language, query, texts in (
        ("en", "When does the lease end?", ("The lease began in May.", "The lease ends on 3 April.", "It rained.")),
        ("zh", "租约什么时候到期？", ("租约五月开始。", "租约四月三日到期。", "昨天下雨。")),
    ):
        passages = tuple(PassageToRank(passage_id=f"p{n}", text=text) for n, text in enumerate(texts))
        request = RerankingRequest(query=query, passages=passages)
        yield Exercise("reranking", language, request, lambda answer: answer.ranked[0].passage_id == "p1")


def _judging() -> Iterator[Exercise]:
    for language, message, intent in (
        ("en", "The export crashes with a traceback, please fix it.", "bug_fix"),
        ("en", "From now on please answer in short sentences.", "preference"),
        ("zh", "导出时程序崩溃了，帮我修一下。", "bug_fix"),
        ("zh", "以后请用简短的句子回答。", "preference"),
    ):
        yield Exercise("intent", language, IntentRequest(message=message), _is_intent(intent))
    nodes_en = ("Mount Kelt is 3,298 metres high.", "Mount Kelt is 3,412 metres high.", "The bakery opens at six.")
    nodes_zh = ("凯尔特山高3298米。", "凯尔特山高3412米。", "面包店六点开门。")
    told: dict[Language, tuple[str, str, str]] = {"en": nodes_en, "zh": nodes_zh}
    for speech, (new, other, else_) in told.items():
        request = AnalysisRequest(new_node=_node("new", new), candidates=(_node("a", other), _node("b", else_)))
        yield Exercise("analysis", speech, request, _sees_the_conflict)
        validation = Bilingual("The survey office says: 3,412 metres.", "测绘局公布的高度是3412米。")[speech]
        conflict = IntegrationRequest(
            nodes=(_node("a", other), _node("b", new)), trigger=Trigger.CONFLICT, validation=validation
        )
        yield Exercise("integration", speech, conflict, lambda it: it.upheld == ("a",) and "412" in it.summary)
    for language, node, focus in (
        ("en", "The trip was cancelled because of the storm.", "The trip to Bergen"),
        ("zh", "因为台风，去大阪的旅行取消了。", "去大阪的旅行"),
    ):
        named = RelationNamingRequest(node=node, focuses=(focus,))
        yield Exercise("relation_naming", language, named, lambda answer: bool(answer.relations[0]))


def _is_intent(intent: str) -> Check:
    return lambda answer: answer.intent == intent


def _sees_the_conflict(answer: AnalysisResponse) -> bool:
    return [relation.relationship.value for relation in answer.relations] == ["conflict", "unrelated"]


def _reading() -> Iterator[Exercise]:
    chat_en = ("My sister Lily moved to Leeds in May.", "She pays 850 pounds for a flat near the station.", "Thanks!")
    chat_zh = ("我妹妹小丽五月搬到了杭州。", "她在车站附近租了房，每月3200元。", "谢谢！")
    for language, chat in (("en", chat_en), ("zh", chat_zh)):
        said = _said(*chat)
        yield Exercise("segmentation", language, SegmentationRequest(utterances=said), _rewords(chat[:2]))
    wish_en = ("Please keep your answers short from now on, remember that.", "What is the capital of Norway?")
    wish_zh = ("请记住，以后回答要简短。", "挪威的首都是哪里？")
    yield Exercise("extraction", "en", _wish(wish_en), _finds_the_wish("short"))
    yield Exercise("extraction", "zh", _wish(wish_zh), _finds_the_wish("短"))
    text_en = "The bridge of Arlo opened in 1931. It is 412 metres long and carries two railway tracks."
    text_zh = "阿洛大桥于1931年通车，全长412米，铺有两条铁轨。"
    for language, text in (("en", text_en), ("zh", text_zh)):
        yield Exercise("structure", language, StructureRequest(content=text), _holds("1931", "412"))
        words = AnnotationRequest(text=text)
        yield Exercise("annotation", language, words, _takes_keywords_from(text))
        yield Exercise("summary", language, SummaryRequest(utterances=_said(text)), _holds("1931"))
    topics_en = (
        "Tomatoes need six hours of sun.\n\nThe museum is closed on Mondays.\n\nWater tomatoes in the morning.\n\n"
        "Tickets for the museum cost nine euros."
    )
    topics_zh = "番茄每天需要六小时日照。\n\n博物馆星期一闭馆。\n\n番茄要在早上浇水。\n\n博物馆门票九欧元。"
    for language, text in (("en", topics_en), ("zh", topics_zh)):
        yield Exercise("classification", language, ClassificationRequest(text=text), _parts_two_topics)
    done_en = FinishedTask(description="Search for the length of the bridge", result="It is 412 metres long.")
    done_zh = FinishedTask(description="搜索大桥的长度", result="全长412米。")
    for language, goal, done in (
        ("en", "How long is the bridge of Arlo, and when did it open?", done_en),
        ("zh", "阿洛大桥有多长？哪一年通车？", done_zh),
    ):
        yield Exercise("planning", language, PlanningRequest(goal=goal, finished=done), _goes_on(goal, done))


def _wish(chat: tuple[str, ...]) -> ExtractionRequest:
    return ExtractionRequest(utterances=_said(*chat), kinds=(FactKind.PREFERENCE, FactKind.DECISION))


def _rewords(sources: Sequence[str]) -> Check:
    """Return a check that pieces hold all that was said, and say who is meant: none is only kept as said."""

    def is_right(answer: SegmentationResponse) -> bool:
        written = WordIndex("\n".join(segment.text for segment in answer.segments))
        kept = {segment.text for segment in answer.segments} & set(sources)
        return all(map(written.holds, sources)) and sources[1] not in kept

    return is_right


def _finds_the_wish(word: str) -> Check:
    def is_right(answer: ExtractionResponse) -> bool:
        return len(answer.facts) == 1 and word in answer.facts[0].content

    return is_right


def _takes_keywords_from(text: str) -> Check:
    words = WordIndex(text)
    return lambda answer: all(words.share(keyword) > 0 for keyword in answer.keywords)


def _parts_two_topics(answer: ClassificationResponse) -> bool:
    parted = [cluster.content for cluster in answer.clusters]
    return len(parted) == 2 and len({text.count("omato") + text.count("番茄") for text in parted} & {0, 2}) == 2


def _goes_on(goal: str, done: FinishedTask) -> Check:
    """Return a check that a step is of the goal, and not the one that was taken already: small models plan it again."""
    words = WordIndex(goal)

    def is_right(answer: PlanningResponse) -> bool:
        planned = answer.current_task.description if answer.current_task is not None else ""
        return words.share(planned) > 0 and not WordIndex(planned).holds(done.description)

    return is_right


EXERCISES: tuple[Exercise, ...] = (*_answering(), *_quoting(), *_searching(), *_judging(), *_reading())
"""The exercises, what models are best at first: a slow one gets no further in the time that there is."""
