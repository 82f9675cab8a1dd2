"""Parting a text by its topics without a model; the user's own question is taken out first if it is looked for."""

import re
from collections.abc import Sequence

from remanent.language.exchanges.classification import ClassificationRequest, ClassificationResponse, Cluster
from remanent.language.exchanges.shapes import Stretch
from remanent.language.offline.keywording import key_phrases
from remanent.language.offline.questions import is_question
from remanent.language.offline.telling import telling
from remanent.language.offline.toolbox import Toolbox
from remanent.language.offline.topics import size, topics
from remanent.language.passages import passages, stretches
from remanent.language.tidying import line
from remanent.text.sentences import sentences
from remanent.text.spans import Span, joined

# Passages are parted finer than for a model, which can read a paragraph of two topics and we cannot.
_LONGEST_PASSAGE = 400
# Below this many characters a text is about one thing, whatever its words.
_SHORT = 160
_LONGEST_CONTEXT = 120
_MOST_KEYWORDS = 8
_READ = 20_000

_MARKED = re.compile(r"^\W*(?:question|task|query|instruction|问题|任务|提问|要求|请回答)\s*[:：]", re.IGNORECASE)
_ORDER = re.compile(
    r"^\W*(?:please|summari[sz]e|compare|analy[sz]e|explain|write|find|list|translate|describe|tell me|give me|show me|"
    r"help me|answer|identify|determine|evaluate|discuss)\b|^\W*(?:请|帮我|总结|分析|比较|翻译|写|列出|解释|说明|"
    r"找出|根据(?:上|以上|上述|下|以下))",
    re.IGNORECASE,
)


async def classify(request: ClassificationRequest, toolbox: Toolbox) -> ClassificationResponse:
    """Return the topics of a text; every character is in one cluster or in the question."""
    text = request.text
    spans = passages(text, longest=_LONGEST_PASSAGE)
    asked = _question(text, spans) if request.find_question else None
    rest = _without(spans, asked) if asked else spans
    numbers = [number for number, span in enumerate(rest, 1) if span.of(text).strip()]
    if not numbers:
        question = asked.of(text).strip() if asked else ""
        return ClassificationResponse(should_cluster=False, clusters=(), question=question)
    groups = [numbers]
    if size(joined(text, rest)) > _SHORT:
        found = await topics([rest[number - 1].of(text) for number in numbers], toolbox)
        groups = [[numbers[place] for place in group] for group in found]
    clusters = [_cluster(text, rest, group, number) for number, group in enumerate(_with_blanks(groups, rest, text), 1)]
    return ClassificationResponse(
        should_cluster=len(clusters) > 1,
        clusters=tuple(clusters),
        question=asked.of(text).strip() if asked else "",
    )


def _with_blanks(groups: list[list[int]], spans: Sequence[Span], text: str) -> list[list[int]]:
    """Give white space between passages to the group of the passage before it."""
    owner = {number: place for place, group in enumerate(groups) for number in group}
    last = 0
    for number in range(1, len(spans) + 1):
        last = owner.setdefault(number, last)
    return [[number for number in range(1, len(spans) + 1) if owner[number] == place] for place in range(len(groups))]


def _cluster(text: str, spans: Sequence[Span], numbers: Sequence[int], cluster_id: int) -> Cluster:
    parts = stretches(spans, numbers)
    content = joined(text, parts)
    words = key_phrases(content[:_READ], most=_MOST_KEYWORDS)
    about = telling(content[:_READ], about=" ".join(words), most=1)
    return Cluster(
        cluster_id=cluster_id,
        context=line(about[0] if about else content, _LONGEST_CONTEXT),
        content=content,
        keywords=words,
        stretches=tuple(Stretch(start=part.start, end=part.end) for part in parts),
    )


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
        if not span.overlaps(asked):
            rest.append(span)
            continue
        rest += [
            part
            for part in (Span(span.start, asked.start), Span(asked.end, span.end))
            if part.end > part.start and part.start >= span.start and part.end <= span.end
        ]
    return rest
