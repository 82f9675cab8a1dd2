"""Classification: a model names the passages of each topic by number; code puts the topics' texts together."""

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from remanent.errors import Refused
from remanent.language.aliases import check_numbers
from remanent.language.exchanges.classification import ClassificationRequest, ClassificationResponse, Cluster
from remanent.language.exchanges.shapes import LONGEST_CONTEXT, Stretch
from remanent.language.passages import assembled, passages, stretches
from remanent.language.replies import MOST_ITEMS, Numbers, Prose, Words
from remanent.language.role import Defaults, Prompt, Role
from remanent.language.tidying import keywords, line
from remanent.language.tongue import Tongue, tongue_of
from remanent.language.wording import Wording, block, group, passage_blocks, prompt
from remanent.model import Model
from remanent.text.spans import Span, joined

if TYPE_CHECKING:
    from remanent.language.offline.toolbox import Toolbox

_INSTRUCTIONS: Wording = {
    "zh": """
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
    "en": """
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
}
_QUESTION: Wording = {
    "zh": """question：用户本人提出的问题或要求所在段落的编号列表；这些段落不再归入任何一类；没有则为 []。
""",
    "en": """question: list of the numbers of the passages that hold the user's own question or request; these go \
into no cluster; [] if there is none.
""",
}
_EXAMPLE: Wording = {
    "zh": """示例：{"should_cluster": true, "clusters": [{"passages": [1, 3], "context": "量子计算的硬件突破", \
"keywords": ["量子比特", "超导芯片", "量子纠错"]}, {"passages": [2], "context": "量子算法的进展", "keywords": \
["量子算法"]}]}
""",
    "en": """Example: {"should_cluster": true, "clusters": [{"passages": [1, 3], "context": "Breakthroughs in \
quantum hardware", "keywords": ["qubit", "superconducting chip"]}, {"passages": [2], "context": "New quantum \
algorithms", "keywords": ["algorithm"]}]}
""",
}


class ClusterReply(Model):
    """One topic."""

    passages: Numbers
    context: Prose = ""
    keywords: Words = ()


class ClassificationReply(Model):
    """The topics of the passages."""

    should_cluster: bool = True
    clusters: Annotated[tuple[ClusterReply, ...], Field(max_length=MOST_ITEMS)]
    question: Numbers = ()


class Classification(Role[ClassificationRequest, ClassificationReply, ClassificationResponse]):
    """Part a text by topics."""

    name = "classification"
    defaults = Defaults(temperature=0.4, top_p=0.9)
    request = ClassificationRequest
    reply = ClassificationReply

    def tongue(self, request: ClassificationRequest) -> Tongue:
        """Speak the language of the text."""
        return tongue_of(request.text, request.task)

    def prompt(self, request: ClassificationRequest, *, tongue: Tongue) -> Prompt:
        """Show the passages with their numbers."""
        question = _QUESTION[tongue] if request.find_question else ""
        shown = [span.of(request.text) for span in passages(request.text)]
        parts = [block("task", request.task), group("text", passage_blocks(shown))]
        return prompt(_INSTRUCTIONS[tongue] + question + _EXAMPLE[tongue], parts, tongue=tongue)

    def read(self, request: ClassificationRequest, reply: ClassificationReply) -> ClassificationResponse:
        """Put the clusters together from the passages; those that none claims go to the nearest one."""
        spans = passages(request.text)
        for numbers in (reply.question, *(cluster.passages for cluster in reply.clusters)):
            check_numbers(numbers, shown=len(spans))
        asked = set(reply.question) if request.find_question else set()
        rest = [number for number in range(1, len(spans) + 1) if number not in asked]
        if not reply.clusters and rest:
            raise Refused("there must be at least one cluster; one with all passages if the text has one topic")
        clusters = _clusters(request.text, spans, rest, reply.clusters)
        return ClassificationResponse(
            should_cluster=len(clusters) > 1,
            clusters=tuple(clusters),
            question=joined(request.text, stretches(spans, sorted(asked))).strip(),
        )

    async def offline(self, request: ClassificationRequest, toolbox: "Toolbox") -> ClassificationResponse:
        """Cluster passages by their words and vectors."""
        from remanent.language.offline.clustering import classify

        return await classify(request, toolbox)


def _clusters(text: str, spans: list[Span], numbers: list[int], proposed: tuple[ClusterReply, ...]) -> list[Cluster]:
    """Return the clusters of the passages with these numbers, in the order of the text."""
    place = {number: index for index, number in enumerate(numbers, 1)}
    groups = [[place[number] for number in cluster.passages if number in place] for cluster in proposed]
    made: list[tuple[list[Span], ClusterReply]] = []
    for members, cluster in zip(assembled(len(numbers), groups), proposed, strict=True):
        if members:
            made.append((stretches(spans, [numbers[member - 1] for member in members]), cluster))
    made.sort(key=lambda pair: pair[0][0])
    return [
        Cluster(
            cluster_id=number,
            context=line(cluster.context, LONGEST_CONTEXT) or line(joined(text, parts), 100),
            content=joined(text, parts),
            keywords=keywords(cluster.keywords),
            stretches=tuple(Stretch(start=part.start, end=part.end) for part in parts),
        )
        for number, (parts, cluster) in enumerate(made, 1)
    ]
