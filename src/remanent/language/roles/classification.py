"""Classification: part a long text by topics before it is stored, each topic's passages a text of its own.

A model names the passages of each topic by number; code puts the topics' texts together.

Sentences that contradict each other are topics of their own whatever a model makes of them: only two topics can be in
conflict, and a small model put both statements into one. A topic never holds what stands under the names of two
sources.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput, Refused
from remanent.language import shapes
from remanent.language.offline.claims import is_title, read_claim
from remanent.language.offline.headings import source_sections
from remanent.language.offline.judgement import contradictions
from remanent.language.offline.questions import is_question
from remanent.language.offline.salience import key_phrases, salient_sentences, similarity_matrix, unwrapped
from remanent.language.prompt_blocks import assigned_numbers, block, group, passage_blocks, passages, stretches
from remanent.language.role import Bounds, Defaults, Role, Toolbox
from remanent.language.shapes import (
    MAX_CONTEXT,
    MAX_ITEMS,
    SHORT_TEXT,
    keywords,
    known_numbers,
    numbered,
    one_line,
    require_known,
)
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.model.base import Count, Text
from remanent.text.scripts import HAN, working_language
from remanent.text.sentences import sentence_texts, sentences
from remanent.text.spans import Span, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ClassificationRequest(Model):
    """A text to part by topics, with the task that it serves; longer than a window, it is cut by the caller before."""

    text: shapes.LongText
    task: shapes.Remark = ""
    find_question: bool = False
    """Set for a user's own input: the question in it is then extracted on its own."""


class Cluster(Model):
    """The part of a text that belongs to one topic."""

    cluster_id: Annotated[Count, Field(ge=1)]
    context: shapes.Context
    content: Text
    """The passages of the topic, word for word, in the order of the text."""
    keywords: shapes.Keywords
    stretches: tuple[shapes.TextSpan, ...]
    """Where in the text the content stands."""


class ClassificationResponse(Model):
    """The topics of a text; each character of it is in exactly one cluster or in the question."""

    should_cluster: bool
    clusters: tuple[Cluster, ...]
    """Just one when the text should not be parted; none only when all of it is the question."""
    question: Text = ""
    """The user's question, word for word; empty when none was looked for or found."""


_INSTRUCTIONS: Bilingual = Bilingual(
    """
You sort a long text by topic. The input is passages with numbers (<p n="number">), maybe with the current task \
(<task>).
Rules:
1. Passages on one topic form one cluster, even when they are apart; every passage goes into exactly one cluster.
2. Write passage numbers only; never copy the text.
3. Choose topics that help with the current task; few and complete ones rather than fragments.
4. If the whole text has one topic, should_cluster is false and clusters holds a single cluster.
Fields:
should_cluster: whether the text falls into several topics (true or false).
clusters: a list; each has passages (list of passage numbers), context (one sentence on what it is about), keywords \
(3 to 8 words).
Write context and keywords in the language of the text.
""",
    """
你负责把一段长文按主题分类。输入是依次编号的段落（<p n="编号">），可能附有当前任务（<task>）。
规则：
1. 讲同一主题的段落归为一类，即使它们不相邻；每个段落只归入一类，全部段落都要归类。
2. 只写段落编号，不抄写原文。
3. 主题划分有助于完成当前任务；宁可少而完整，不要零碎。
4. 全文只有一个主题时，should_cluster 为 false，clusters 只含一类。
字段：
should_cluster：是否需要分成多类（布尔值）。
clusters：列表，每项含 passages（段落编号列表）、context（一句话说明这一类讲什么）、keywords（3 到 8 个关键词）。
context 与 keywords 使用原文的语言。
""",
)
_QUESTION: Bilingual = Bilingual(
    """question: list of the numbers of the passages that hold the user's own question or request; these go \
into no cluster; [] if there is none.
""",
    """question：用户本人提出的问题或要求所在段落的编号列表；这些段落不再归入任何一类；没有则为 []。
""",
)
_BLANK: Bilingual = Bilingual(
    """{"should_cluster": true, "clusters": [{"passages": [1, 3], "context": "[topic in one sentence]", \
"keywords": ["[keyword]", "[keyword]"]}, {"passages": [2], "context": "[topic in one sentence]", "keywords": \
["[keyword]"]}]""",
    """{"should_cluster": true, "clusters": [{"passages": [1, 3], "context": "【一句话主题】", "keywords": \
["【关键词】", "【关键词】"]}, {"passages": [2], "context": "【一句话主题】", "keywords": ["【关键词】"]}]""",
)
_BOUNDS: Bilingual = Bilingual("The passages are numbered 1 to {n}.", "段落编号为 1 到 {n}。")


class ClusterReply(Model):
    """One topic."""

    passages: shapes.Numbers
    context: shapes.Prose = ""
    keywords: shapes.Words = ()


class ClassificationReply(Model):
    """The topics of the passages."""

    should_cluster: bool = True
    clusters: Annotated[tuple[ClusterReply, ...], Field(max_length=MAX_ITEMS)]
    question: shapes.Numbers = ()


class Classification(Role[ClassificationRequest, ClassificationReply, ClassificationResponse]):
    """Part a text by topics."""

    name = "classification"
    defaults = Defaults(temperature=0.4, top_p=0.9)

    def language(self, request: ClassificationRequest) -> Language:
        """Speak the language of the text."""
        return working_language(request.text, request.task)

    def told(self, request: ClassificationRequest, *, language: Language) -> str:
        """Ask for the question where it is looked for."""
        return _INSTRUCTIONS[language] + (_QUESTION[language] if request.find_question else "")

    def material(self, request: ClassificationRequest, *, language: Language) -> list[str]:
        """Show the passages with their numbers."""
        shown = [span.of(request.text) for span in passages(request.text)]
        bounds = _BOUNDS[language].format(n=len(shown))
        return [block("task", request.task), group("text", passage_blocks(shown)), bounds]

    def blank(self, request: ClassificationRequest, *, language: Language) -> str:
        """Show two topics of numbers, and where a question is looked for, its numbers."""
        return _BLANK[language] + (', "question": []}' if request.find_question else "}")

    def bounds(self, request: ClassificationRequest) -> Bounds:
        """Hold the numbers to those of the passages."""
        count = len(passages(request.text))
        numbers = numbered(count)
        return {"clusters": {"minItems": 1, "maxItems": count}, "clusters.passages": numbers, "question": numbers}

    def needs_model(self, request: ClassificationRequest) -> bool:
        """Sort the passages of a text that may have several topics; a single one cannot be parted by number."""
        return len(request.text) > SHORT_TEXT and len(passages(request.text)) > 1

    def read(self, request: ClassificationRequest, reply: ClassificationReply) -> ClassificationResponse:
        """Put the clusters together from the passages; those that none claims go to the nearest one."""
        spans = passages(request.text)
        named = [number for cluster in reply.clusters for number in cluster.passages]
        require_known(named, shown=len(spans))
        asked = set(known_numbers(reply.question, shown=len(spans))) if request.find_question else set()
        rest = [number for number in range(1, len(spans) + 1) if number not in asked]
        if not reply.clusters and rest:
            raise Refused("there must be at least one cluster; one with all passages if the text has one topic")
        clusters = _apart(request.text, _clusters(request.text, spans, rest, reply.clusters))
        return _response(clusters, joined(request.text, stretches(spans, sorted(asked))))

    async def offline(self, request: ClassificationRequest, toolbox: Toolbox) -> ClassificationResponse:
        """Cluster passages by their words and vectors; every character is in one cluster or in the question."""
        text = request.text
        spans = _parted(text, passages(text, longest=_LONGEST_PASSAGE))
        asked = _question(text, spans) if request.find_question else None
        rest = _without(spans, asked) if asked else spans
        contested = _contested(text, rest)
        for span, _ in contested:
            rest = _without(rest, span)
        numbers = [number for number, span in enumerate(rest, 1) if span.of(text).strip()]
        question = asked.of(text) if asked else ""
        if not numbers:
            return _response([], question)
        groups = [numbers]
        if text_size(joined(text, rest)) > _SHORT:
            found = await topics([rest[number - 1].of(text) for number in numbers], toolbox)
            groups = [[numbers[place] for place in group] for group in found]
        groups = assigned_numbers(len(rest), _of_one_source(text, rest, groups))
        clusters = [_cluster(text, stretches(rest, group)) for group in groups]
        title = next(iter(sentence_texts(text[:_LONGEST_PASSAGE])), "")
        if title and len(title) < len(text.strip()) and is_title(read_claim(title)):
            # What "it" and "the town" are, only the title says.
            clusters[1:] = [
                one.replace(context=one_line(f"{title} {one.context}", _LONGEST_CONTEXT)) for one in clusters[1:]
            ]
        return _response([*clusters, *_contested_clusters(text, contested)], question)


def _response(clusters: Sequence[Cluster], question: str) -> ClassificationResponse:
    return ClassificationResponse(
        should_cluster=len(clusters) > 1,
        clusters=tuple(cluster.replace(cluster_id=number) for number, cluster in enumerate(clusters, 1)),
        question=question.strip(),
    )


def _clusters(text: str, spans: list[Span], numbers: list[int], proposed: tuple[ClusterReply, ...]) -> list[Cluster]:
    """Return the clusters of the passages with these numbers, in the order of the text."""
    rest = [spans[number - 1] for number in numbers]
    place = {number: index for index, number in enumerate(numbers, 1)}
    groups = [[place[number] for number in cluster.passages if number in place] for cluster in proposed]
    owned = zip(assigned_numbers(len(numbers), groups), proposed, strict=True)
    made = [(stretches(rest, members), cluster) for members, cluster in owned if members]
    return [
        _cluster_of(text, parts, one_line(cluster.context, MAX_CONTEXT), keywords(cluster.keywords))
        for parts, cluster in sorted(made, key=lambda pair: pair[0][0])
    ]


def _cluster_of(text: str, parts: Sequence[Span], context: str, words: tuple[str, ...]) -> Cluster:
    """Return a topic; its number is that of its place among all, in the end."""
    content = joined(text, parts)
    return Cluster(
        cluster_id=1,
        context=context or one_line(content, 100),
        content=content,
        keywords=words or key_phrases(content[:_READ], most=_MOST_KEYWORDS),
        stretches=tuple(shapes.TextSpan(start=part.start, end=part.end) for part in parts),
    )


def _apart(text: str, clusters: list[Cluster]) -> list[Cluster]:
    """Give each source, and a sentence that contradicts one before it, a topic of its own, whatever a model made of it.

    A bank compares topics with each other: what a model put into one of them would never be found to disagree.
    """
    by_source: list[Cluster] = []
    for cluster in clusters:  # a summary of words of several sources would mix up who said what
        spans = _parted(text, [Span(one.start, one.end) for one in cluster.stretches])
        groups = _of_one_source(text, spans, [list(range(1, len(spans) + 1))])
        by_source += [cluster] if len(groups) == 1 else [_cluster(text, stretches(spans, one)) for one in groups]
    clusters = by_source
    parts = [[Span(one.start, one.end) for one in cluster.stretches] for cluster in clusters]
    contested = _contested(text, [span for spans in parts for span in spans])
    if not contested:
        return clusters
    kept: list[Cluster] = []
    for cluster, spans in zip(clusters, parts, strict=True):
        left = spans
        for span, _ in contested:
            left = _without(left, span)
        content = joined(text, left)
        if content.strip():
            where = tuple(shapes.TextSpan(start=span.start, end=span.end) for span in left)
            kept.append(cluster.replace(content=content, stretches=where))
    return kept + _contested_clusters(text, contested)


def _parted(text: str, spans: Sequence[Span]) -> list[Span]:
    """Cut passages where another source begins."""
    starts = [start for start, _, _ in source_sections(text)]
    return [
        Span(start, end)
        for span in spans
        for start, end in pairwise([span.start, *(at for at in starts if span.start < at < span.end), span.end])
    ]


def _of_one_source(text: str, spans: Sequence[Span], groups: Sequence[Sequence[int]]) -> list[list[int]]:
    """Return groups of passages such that each has passages of one source only."""
    starts = [start for start, _, _ in source_sections(text)]
    found: dict[tuple[int, int], list[int]] = {}
    for place, members in enumerate(groups):
        for number in members:
            found.setdefault((bisect_right(starts, spans[number - 1].start), place), []).append(number)
    return sorted(found.values())


def _contested_clusters(text: str, contested: Sequence[tuple[Span, str]]) -> list[Cluster]:
    return [_cluster(text, [span]).replace(context=one_line(beside, _LONGEST_CONTEXT)) for span, beside in contested]


# Passages are parted finer than for a model, which can read a paragraph of two topics and we cannot. Chosen by hand.
_LONGEST_PASSAGE = 400
# Below this many characters a text is about one thing, whatever its words. Chosen by hand.
_SHORT = 160
_LONGEST_CONTEXT = 120
"""Characters of the sentence that says what a topic is about, with the title before it; a model's may be longer. Chosen
by hand."""
_MOST_KEYWORDS = 8
"""Keywords of a topic: as many as a model is asked for."""
_MOST_CONTESTED = 5
"""Sentences of one text that become topics because they contradict it: a text where more of them seem to is a series
of like things at different times, and taken as it is."""
_READ = 20_000
"""Characters from the beginning of a text, or of a topic, that its sentence, keywords and contradictions are from.
Chosen by hand."""

_MARKED = re.compile(r"^\W*(?:question|task|query|instruction|问题|任务|提问|要求|请回答)\s*[:：]", re.IGNORECASE)
_ORDER = re.compile(
    r"^\W*(?:please|summari[sz]e|compare|analy[sz]e|explain|write|find|list|translate|describe|tell me|give me|show me|"
    r"help me|answer|identify|determine|evaluate|discuss)\b|^\W*(?:请|帮我|总结|分析|比较|翻译|写|列出|解释|说明|"
    r"找出|根据(?:上|以上|上述|下|以下))",
    re.IGNORECASE,
)


def _contested(text: str, rest: Sequence[Span]) -> list[tuple[Span, str]]:
    """Return the sentences that contradict one before them, and that one: only two topics can be in conflict."""
    parts = [part for part in sentences(unwrapped(text[:_READ])) if part.of(text).strip()]
    said = [part.of(text).strip() for part in parts]
    starts = [start for start, _, _ in source_sections(text)]
    found = [
        (parts[later], said[earlier])
        for later, earlier in contradictions(said)
        # What two sources say are two topics as it is.
        if bisect_right(starts, parts[later].start) == bisect_right(starts, parts[earlier].start)
    ]
    inside = [
        (part, beside) for part, beside in found if any(o.start <= part.start and part.end <= o.end for o in rest)
    ]
    return inside if len(inside) <= _MOST_CONTESTED else []


def _cluster(text: str, parts: Sequence[Span]) -> Cluster:
    content = joined(text, parts)
    words = key_phrases(content[:_READ], most=_MOST_KEYWORDS)
    about = salient_sentences(content[:_READ], about=" ".join(words), most=1)
    return _cluster_of(text, parts, one_line(about[0] if about else content, _LONGEST_CONTEXT), words)


# ── the question ─────────────────────────────────────────────────────────────


def _question(text: str, spans: Sequence[Span]) -> Span | None:
    """Return where the user asks something: after a mark, else at the end, else at the beginning."""
    for span in (*spans[-1:], *spans[:1], *spans):
        if _MARKED.match(span.of(text)):
            return span
    for span in (*spans[-1:], *spans[:1]):
        parts = [Span(span.start + part.start, span.start + part.end) for part in sentences(span.of(text))]
        asking = [part for part in parts if is_question(part.of(text))]
        asking = asking or [part for part in (*parts[-1:], *parts[:1]) if _ORDER.match(part.of(text))]
        if asking:
            # Questions that follow each other belong together.
            chosen = asking[-1]
            for part in reversed(asking[:-1]):
                chosen = Span(part.start, chosen.end) if part.end == chosen.start else chosen
            return chosen
    return None


def _without(spans: Sequence[Span], asked: Span) -> list[Span]:
    """Return the passages without the question."""
    rest: list[Span] = []
    for span in spans:
        left = [Span(span.start, asked.start), Span(asked.end, span.end)] if span.overlaps(asked) else [span]
        rest += [part for part in left if span.start <= part.start < part.end <= span.end]
    return rest


_HAN = re.compile(rf"[{HAN}]")


# A long passage says more about its topic than a short one, up to this many characters. Chosen by hand.
_FULL_WEIGHT = 300
# A group with fewer characters than this is a remark on its neighbour's topic, not a topic. Chosen by hand.
_SMALLEST = 60
MAX_TEXTS = 1_000
"""Joining groups takes the cube of their number; a text has at most 200 passages."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """How alike groups must be to be one topic, and what being neighbours adds."""

    least: float
    neighbours: float


# Chosen on paragraphs of encyclopedia articles and long chat answers, put together one to four at a time.
BY_MEANING = Closeness(least=0.17, neighbours=0.1)
BY_WORDS = Closeness(least=0.016, neighbours=0.02)


async def topics(texts: Sequence[str], toolbox: Toolbox) -> list[list[int]]:
    """Return the places of at most `MAX_TEXTS` texts in groups of one topic each, in the order of their first text."""
    if len(texts) > MAX_TEXTS:
        raise InvalidInput(
            f"at most {MAX_TEXTS} passages can be sorted into topics, not {len(texts)}; join some of them"
        )
    if len(texts) < 2:
        return [[place] for place in range(len(texts))]
    closeness = BY_WORDS if toolbox.embedder is None else BY_MEANING
    return grouped(await similarity_matrix(texts, toolbox), [text_size(text) for text in texts], closeness)


def text_size(text: str) -> int:
    """Return how much a text says, in letters; a Chinese character says about as much as two."""
    return len(text) + len(_HAN.findall(text))


def grouped(alike: "NDArray[np.float32]", lengths: Sequence[int], closeness: Closeness) -> list[list[int]]:
    """Join groups from single places upwards, the most alike first, by the average over their members."""
    import numpy as np

    count = len(lengths)
    table = alike.astype(np.float64) + closeness.neighbours * (np.eye(count, k=1) + np.eye(count, k=-1))
    np.fill_diagonal(table, -1)
    groups: list[list[int]] = [[place] for place in range(count)]
    weights = [min(max(length, 1), _FULL_WEIGHT) ** 0.5 for length in lengths]
    while len(groups) > 1:
        one, other = divmod(int(np.argmax(table)), len(groups))
        if table[one, other] < closeness.least:
            break
        table, groups, weights = _joined(table, groups, weights, min(one, other), max(one, other))
    groups = _without_small(groups, table, weights, lengths)
    return sorted(sorted(group) for group in groups)


def _joined(
    table: "NDArray[np.float64]", groups: list[list[int]], weights: list[float], keep: int, drop: int
) -> "tuple[NDArray[np.float64], list[list[int]], list[float]]":
    import numpy as np

    total = weights[keep] + weights[drop]
    row = (weights[keep] * table[keep] + weights[drop] * table[drop]) / total
    table[keep], table[:, keep] = row, row
    table[keep, keep] = -1
    groups[keep] += groups.pop(drop)
    weights[keep] = total
    weights.pop(drop)
    return np.delete(np.delete(table, drop, 0), drop, 1), groups, weights


def _without_small(
    groups: list[list[int]], table: "NDArray[np.float64]", weights: list[float], lengths: Sequence[int]
) -> list[list[int]]:
    """Give each group that is too small to be a topic to the one it is most alike to."""
    import numpy as np

    while len(groups) > 1:
        sizes = [sum(lengths[place] for place in group) for group in groups]
        smallest = sizes.index(min(sizes))
        if sizes[smallest] >= _SMALLEST:
            break
        nearest = int(np.argmax(table[smallest]))
        table, groups, weights = _joined(table, groups, weights, min(smallest, nearest), max(smallest, nearest))
    return groups


CLASSIFICATION = Classification()
