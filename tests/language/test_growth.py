"""Every function of offline language work, and those around it, does work that grows with what it is given."""

from datetime import UTC, datetime

import numpy as np
import pytest

from remanent.language import aliases, passages, pieces, tags, tidying, wording
from remanent.language.exchanges.analysis import AnalysisRequest
from remanent.language.exchanges.annotation import AnnotationRequest
from remanent.language.exchanges.classification import ClassificationRequest
from remanent.language.exchanges.extraction import ExtractionRequest
from remanent.language.exchanges.hyde import HydeRequest
from remanent.language.exchanges.integration import IntegrationRequest, Trigger
from remanent.language.exchanges.intent import IntentRequest
from remanent.language.exchanges.planning import FinishedTask, PlanningRequest
from remanent.language.exchanges.react import ReactRequest, ToolResult, Turn
from remanent.language.exchanges.relation_naming import RelationNamingRequest
from remanent.language.exchanges.reranking import Passage, RerankingRequest
from remanent.language.exchanges.rewriting import RewritingRequest
from remanent.language.exchanges.segmentation import SegmentationRequest
from remanent.language.exchanges.shapes import LONGEST_REMARK, LONGEST_SUMMARY, Node, Utterance
from remanent.language.exchanges.structure import StructureRequest
from remanent.language.exchanges.summary import Level, SummaryRequest
from remanent.language.offline import (
    annotating,
    answering,
    claims,
    clustering,
    comparing,
    extracting,
    hypotheses,
    integrating,
    intents,
    judging,
    keywording,
    likeness,
    naming,
    planning,
    reacting,
    relations,
    reranking,
    rewriting,
    segmenting,
    speakers,
    statements,
    structuring,
    summarising,
    telling,
    topics,
    validating,
    values,
    verdicts,
)
from remanent.language.offline.toolbox import Toolbox
from remanent.text.spans import Span
from tests.growth import FULL, HUGE, Work, public_functions, takes_just_a_text, too_fast
from tests.hostile import CORE, HOSTILE

_NOW = datetime(2024, 5, 8, 12, tzinfo=UTC)
_TOOLS = Toolbox()


def _clean(text: str) -> str:
    """Return the text as requests allow it: not blank, without lone surrogates and the like."""
    told = text.encode("utf-8", "replace").decode().replace("\0", " ")
    return told if told.strip() else told[:-1] + "x"


def _parts(text: str, most: int) -> list[str]:
    """Return the text in at most so many parts, none of them blank, and none longer than a summary."""
    size = max(40, -(-len(text) // most))
    return [_clean(text[start : start + size])[:LONGEST_SUMMARY] for start in range(0, len(text), size)]


def _said(text: str, most: int = 500) -> tuple[Utterance, ...]:
    return tuple(Utterance(text=part, occurred_at=_NOW) for part in _parts(text, most))


def _nodes(text: str, most: int) -> tuple[Node, ...]:
    """Return as many nodes, with summaries as long, as the text has room for and a request allows."""
    return tuple(
        Node(node_id=f"n{number}", summary=part, timestamp=_NOW.replace(day=number % 28 + 1))
        for number, part in enumerate(_parts(text, most))
    )


def _spans(text: str) -> list[Span]:
    return [Span(start, start + 5) for start in range(0, len(text), 5)]


def _two_halves(text: str) -> tuple[claims.Claim, claims.Claim]:
    return claims.read_claim(text[: len(text) // 2]), claims.read_claim(text[len(text) // 2 :])


def _compared(text: str) -> comparing.Comparison:
    return comparing.compare(*_two_halves(text))


def _matter(text: str) -> validating.Matter:
    return validating.Matter(f"Anna lives in Rome. {text[:300]}", "Anna lives in Oslo.")


def _alike(text: str) -> "tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], list[int]]":
    count = min(len(text) // 20, passages.MOST_PASSAGES)
    return np.full((count, count), 0.5, np.float32), [20] * count


ADAPTERS: dict[str, Work] = {
    "language.aliases.check_numbers": lambda text: aliases.check_numbers(range(1, len(text)), shown=len(text)),
    "language.passages.assembled": lambda text: passages.assembled(len(text), [[1], range(5, len(text), 9)]),
    "language.passages.filled": lambda text: passages.filled(_spans(text), at_most=20),
    "language.passages.packed": lambda text: passages.packed(_spans(text), at_least=20),
    "language.passages.stretches": lambda text: passages.stretches(
        _spans(text), [number for number in range(1, len(text) // 5) if number % 3]
    ),
    "language.pieces.places_of": lambda text: pieces.places_of(_said(text)),
    "language.tags.parse": lambda text: tags.parse(_clean(text), tools=("search",)),
    "language.tidying.line": lambda text: tidying.line(text, 300),
    "language.tidying.lines": lambda text: tidying.lines(_parts(text, len(text)), most=20),
    "language.tidying.keywords": lambda text: tidying.keywords(_parts(text, len(text))),
    "language.tidying.shortened": lambda text: tidying.shortened(text, max(1, len(text) - 1)),
    "language.tidying.within_tokens": lambda text: tidying.within_tokens(text, len(text) // 8),
    "language.wording.abridged": lambda text: wording.abridged(text, max(100, len(text) - 10)),
    "language.wording.block": lambda text: wording.block("p", text),
    "language.wording.group": lambda text: wording.group("nodes", _parts(text, len(text))),
    "language.wording.node_block": lambda text: wording.node_block(_nodes(text, 1)[0]),
    "language.wording.passage_blocks": lambda text: wording.passage_blocks(_parts(text, len(text))),
    "language.wording.place_blocks": lambda text: wording.place_blocks(_said(text), pieces.places_of(_said(text))),
    "language.wording.prompt": lambda text: wording.prompt(text, _parts(text, len(text)), tongue="en"),
    "language.wording.utterance_block": lambda text: wording.utterance_block(_said(text)[0], text),
    "language.wording.utterance_blocks": lambda text: wording.utterance_blocks(_said(text)),
    "language.offline.annotating.annotate": lambda text: annotating.annotate(
        AnnotationRequest(text=_clean(text), target_length=200), _TOOLS
    ),
    "language.offline.annotating.compressed": lambda text: annotating.compressed(text, 20),
    "language.offline.answering.find_answer": lambda text: answering.find_answer(text[:600], [text], _TOOLS),
    "language.offline.answering.agreeing": lambda text: answering.agreeing(
        answering.Found((text, text[1:], text[2:]), 1.0), [text[3:]], _TOOLS
    ),
    "language.offline.claims.reread": lambda text: claims.reread(*_two_halves(text)),
    "language.offline.clustering.classify": lambda text: clustering.classify(
        ClassificationRequest(text=_clean(text), find_question=True), _TOOLS
    ),
    "language.offline.comparing.compare": _compared,
    "language.offline.extracting.extract": lambda text: extracting.extract(
        ExtractionRequest(utterances=(*_said(text), Utterance(text=_clean(text)))), _TOOLS
    ),
    "language.offline.hypotheses.imagine": lambda text: hypotheses.imagine(
        HydeRequest(question=_clean(text[:LONGEST_REMARK])), _TOOLS
    ),
    "language.offline.integrating.integrate": lambda text: integrating.integrate(
        IntegrationRequest(nodes=(_nodes(text, 19) * 2)[:2], trigger=Trigger.CONFLICT, validation=_clean(text)), _TOOLS
    ),
    "language.offline.intents.recognise": lambda text: intents.recognise(
        IntentRequest(message=_clean(text), earlier=_said(text, 20)[:20], agents=("Ada", "Bob")), _TOOLS
    ),
    "language.offline.judging.judge": lambda text: judging.judge(_compared(text)),
    "language.offline.judging.beside": lambda text: [
        judging.beside(compared, difference) for compared in [_compared(text)] for difference in compared.differences
    ],
    "language.offline.keywording.key_phrases": lambda text: keywording.key_phrases(text, most=8),
    "language.offline.likeness.likeness": lambda text: likeness.likeness(_parts(text, 200), _TOOLS),
    "language.offline.likeness.likeness_to": lambda text: likeness.likeness_to(text, _parts(text, 200), _TOOLS),
    "language.offline.likeness.overlap": lambda text: likeness.overlap(text, text[1:]),
    "language.offline.naming.name_relations": lambda text: naming.name_relations(
        RelationNamingRequest(node=_clean(text), focuses=tuple(_parts(text, 4))), _TOOLS
    ),
    "language.offline.planning.plan": lambda text: planning.plan(
        PlanningRequest(
            goal=_clean(text[:LONGEST_REMARK]), finished=FinishedTask(description="go", result=_clean(text))
        ),
        _TOOLS,
    ),
    "language.offline.reacting.react": lambda text: reacting.react(
        ReactRequest(task=_clean(text), turns=(Turn(said="x", results=(ToolResult(name="a", content=_clean(text)),)),)),
        _TOOLS,
    ),
    "language.offline.relations.analyse": lambda text: relations.analyse(
        AnalysisRequest(new_node=Node(node_id="new", summary=_parts(text, 5)[0]), candidates=_nodes(text, 5)), _TOOLS
    ),
    "language.offline.reranking.rerank": lambda text: reranking.rerank(
        RerankingRequest(
            query=_clean(text[:LONGEST_REMARK]),
            passages=tuple(
                Passage(passage_id=f"p{number}", text=part) for number, part in enumerate(_parts(text, 100))
            ),
        ),
        _TOOLS,
    ),
    "language.offline.reranking.word_scores": lambda text: reranking.word_scores(text, _parts(text, len(text))),
    "language.offline.rewriting.rewrite": lambda text: rewriting.rewrite(
        RewritingRequest(query=_clean(text[:LONGEST_REMARK]), earlier=_said(text, 20)[:20]), _TOOLS
    ),
    "language.offline.segmenting.segment": lambda text: segmenting.segment(
        SegmentationRequest(utterances=(Utterance(text=_clean(text), occurred_at=_NOW),), earlier=_said(text, 20)[:20]),
        _TOOLS,
    ),
    "language.offline.speakers.speaker_name": lambda text: speakers.speaker_name(text, "en"),
    "language.offline.speakers.with_speaker": lambda text: speakers.with_speaker(text, text),
    "language.offline.statements.statements": lambda text: statements.statements(text, most=len(text)),
    "language.offline.structuring.structure": lambda text: structuring.structure(
        StructureRequest(content=_clean(text)), _TOOLS
    ),
    "language.offline.summarising.summarise": lambda text: summarising.summarise(
        SummaryRequest(level=Level.SESSION, utterances=_said(text)), _TOOLS
    ),
    "language.offline.telling.telling": lambda text: telling.telling(text, about=text[:600], most=3),
    "language.offline.telling.sentence_weights": lambda text: telling.sentence_weights(_parts(text, len(text))),
    "language.offline.topics.topics": lambda text: topics.topics(_parts(text, passages.MOST_PASSAGES), _TOOLS),
    "language.offline.topics.grouped": lambda text: topics.grouped(*_alike(text), topics.BY_WORDS),
    "language.offline.validating.settle_matter": lambda text: validating.settle_matter(_matter(text), [text], _TOOLS),
    "language.offline.values.whens": lambda text: values.whens(text, _NOW, apart=True),
    "language.offline.verdicts.judge_comparisons": lambda text: verdicts.judge_comparisons([_compared(text)], _TOOLS),
    "language.offline.verdicts.judge_statements": lambda text: verdicts.judge_statements(
        [(verdicts.Statement(text), verdicts.Statement(text[1:]))], _TOOLS
    ),
    "language.offline.verdicts.value_of": lambda text: [
        verdicts.value_of(difference, side=0) for difference in _compared(text).differences
    ],
}
"""How functions are called that need more than a text."""

EXEMPT: dict[str, str] = {
    "language.offline.lexicon.lexicon": "takes the name of a language",
    "language.offline.comparing.named": "takes names of attributes out of the word lists",
}
"""Functions that no long text is given to, and why."""

HURT: dict[str, tuple[str, ...]] = {
    "language.passages.passages": ("blank lines", "headings"),
    "language.pieces.pieces": ("flags", "short sentences"),
    "language.tags.parse": ("a sign, spaces, a word", "thoughts", "tool calls"),
    "language.offline.claims.read_claim": ("a sentence without an end", "negations", "Chinese clauses"),
    "language.offline.extracting.extract": ("reasons", "short sentences"),
    "language.offline.questions.is_question": ("a question with a gap", "questions and exclamations"),
    "language.offline.questions.statement_form": ("one question", "questions"),
    "language.offline.reacting.question_of": ("tasks", "marked lines"),
    "language.offline.reacting.react": ("tasks",),
    "language.offline.segmenting.is_small_talk": ("Chinese small talk that is none", "small talk that is none"),
    "language.offline.segmenting.segment": ("short sentences", "pronouns"),
    "language.offline.validating.matter_of": ("conflicts",),
    "language.offline.values.amounts": ("numbers of things", "one hour and a half"),
    "language.offline.values.whens": ("years", "times of day"),
}
"""Texts beside the core that once made a function take the square of their length, or worse."""

DEAR = {
    f"language.offline.{name}"
    for name in (
        "answering.agreeing answering.find_answer claims.reread comparing.compare integrating.integrate judging.beside "
        "judging.judge naming.name_relations reacting.react relations.analyse structuring.structure "
        "validating.settle_matter verdicts.judge_comparisons verdicts.judge_statements verdicts.value_of"
    ).split()
}
"""They lay claims of bounded length side by side, which costs a second for any text: two texts do below full counts."""

FUNCTIONS = public_functions("remanent.language.offline") | public_functions(
    "remanent.language", "aliases", "passages", "pieces", "replies", "tags", "tidying", "tongue", "wording"
)
WORKS: dict[str, Work] = {
    name: function for name, function in FUNCTIONS.items() if takes_just_a_text(function) and name not in EXEMPT
} | ADAPTERS


def test_no_function_is_forgotten() -> None:
    assert set(WORKS).isdisjoint(EXEMPT)
    assert set(WORKS) | set(EXEMPT) == set(FUNCTIONS)


@pytest.mark.spec("SAFE-07")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_what_is_given(name: str) -> None:
    core = {kind: CORE[kind] for kind in ("different names", "all of them")} if name in DEAR and not FULL else CORE
    makers = {kind: HOSTILE[kind] for kind in HURT.get(name, ())} | core
    assert not too_fast(WORKS[name], makers)


@pytest.mark.spec("SAFE-07")
@pytest.mark.skipif(not FULL, reason="takes hours of work: at full counts only")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_every_hostile_text_and_with_a_million_characters(name: str) -> None:
    assert not too_fast(WORKS[name], HOSTILE)
    assert not too_fast(WORKS[name], CORE, large=HUGE)
