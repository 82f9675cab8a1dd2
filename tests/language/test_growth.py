"""Every function of offline language work, and those around it, does work that grows with what it is given."""

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pytest

from remanent.language import prompt_blocks, role, shapes, tagged_turns
from remanent.language.offline import (
    accounts,
    answer_finding,
    changes,
    claims,
    commitments,
    comparison,
    doubts,
    evidence,
    judgement,
    office_holders,
    questions,
    salience,
    statement_rules,
    statements,
    statements_chinese,
    statements_english,
    values,
)
from remanent.language.role import Toolbox
from remanent.language.roles import (
    all_roles,
    analysis,
    annotation,
    answering,
    classification,
    extraction,
    integration,
    next_step,
    queries,
    react,
    segmentation,
    summary,
)
from remanent.language.roles.analysis import AnalysisRequest
from remanent.language.roles.annotation import AnnotationRequest, RelationNamingRequest
from remanent.language.roles.answering import AnsweringRequest, PassageToRank, RerankingRequest, SourcePassage
from remanent.language.roles.classification import ClassificationRequest
from remanent.language.roles.extraction import ExtractionRequest, FactKind
from remanent.language.roles.integration import IntegrationRequest, Trigger
from remanent.language.roles.next_step import FinishedTask, PlanningRequest
from remanent.language.roles.queries import HydeRequest, IntentRequest, RewritingRequest
from remanent.language.roles.react import ReactRequest, ToolDefinition, ToolResult, Turn
from remanent.language.roles.segmentation import SegmentationRequest
from remanent.language.roles.summary import StructureRequest, SummaryLevel, SummaryRequest, unmarked
from remanent.language.shapes import MAX_REMARK, MAX_SUMMARY, GraphNode, Utterance
from remanent.text import summary as text_summary
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
    return [_clean(text[start : start + size][:MAX_SUMMARY]) for start in range(0, len(text), size)]


def _said(text: str, most: int = 500) -> tuple[Utterance, ...]:
    return tuple(Utterance(text=part, occurred_at=_NOW) for part in _parts(text, most))


def _passages(text: str) -> tuple[SourcePassage, ...]:
    return tuple(SourcePassage(title="A title", text=part) for part in _parts(text, 100))


def _nodes(text: str, most: int) -> tuple[GraphNode, ...]:
    """Return as many nodes, with summaries as long, as the text has room for and a request allows."""
    return tuple(
        GraphNode(node_id=f"n{number}", summary=part, timestamp=_NOW.replace(day=number % 28 + 1))
        for number, part in enumerate(_parts(text, most))
    )


def _spans(text: str) -> list[Span]:
    return [Span(start, start + 5) for start in range(0, len(text), 5)]


def _two_halves(text: str) -> tuple[claims.ParsedClaim, claims.ParsedClaim]:
    return claims.read_claim(text[: len(text) // 2]), claims.read_claim(text[len(text) // 2 :])


def _compared(text: str) -> comparison.Comparison:
    return comparison.compare(*_two_halves(text))


def _matter(text: str) -> evidence.Contradiction:
    return evidence.Contradiction(f"Anna lives in Rome. {text[:300]}", "Anna lives in Oslo.")


def _alike(text: str) -> "tuple[np.ndarray[tuple[int, int], np.dtype[np.float32]], list[int]]":
    count = min(len(text) // 20, prompt_blocks.MAX_PASSAGES)
    return np.full((count, count), 0.5, np.float32), [20] * count


ADAPTERS: dict[str, Work] = {
    "language.shapes.known_numbers": lambda text: shapes.known_numbers(range(1, len(text)), shown=len(text)),
    "language.prompt_blocks.assigned_numbers": lambda text: prompt_blocks.assigned_numbers(
        len(text), [[1], range(5, len(text), 9)]
    ),
    "language.prompt_blocks.joined_within": lambda text: prompt_blocks.joined_within(_spans(text), at_most=20),
    "language.prompt_blocks.joined_until": lambda text: prompt_blocks.joined_until(_spans(text), at_least=20),
    "language.prompt_blocks.stretches": lambda text: prompt_blocks.stretches(
        _spans(text), [number for number in range(1, len(text) // 5) if number % 3]
    ),
    "language.offline.questions.is_of_another": lambda text: questions.is_of_another("Who is the 2.1 director?", text),
    "language.offline.questions.is_of_another_letter": lambda text: questions.is_of_another_letter("Line E?", text),
    "language.offline.questions.may_answer": lambda text: questions.may_answer("When was it built?", text),
    "language.prompt_blocks.utterance_spans": lambda text: prompt_blocks.utterance_spans(_said(text)),
    "language.shapes.numbered": lambda text: shapes.numbered(len(text)),
    "language.shapes.require_known": lambda text: shapes.require_known(range(1, len(text)), shown=len(text)),
    "language.roles.react.search_of_claims": lambda text: react.search_of_claims(
        ReactRequest(task=_clean(text) or "x", tools=(ToolDefinition(name="search", description="Search."),))
    ),
    "language.roles.react.first_search": lambda text: react.first_search(
        ReactRequest(task=_clean(text) or "x", tools=(ToolDefinition(name="search", description="Search."),)),
        react.ReactResponse(said="x", answer=_clean(text)),
    ),
    "language.roles.react.parse_turn": lambda text: react.parse_turn(_clean(text), tools=("search",)),
    # Longer than a summary at every size: the step where cutting begins is no growth.
    "language.roles.summary.unmarked": lambda text: unmarked("One sentence. " * 2000 + text),
    "language.shapes.one_line": lambda text: shapes.one_line(text, 300),
    "language.shapes.lines": lambda text: shapes.lines(_parts(text, len(text)), most=20),
    "language.shapes.keywords": lambda text: shapes.keywords(_parts(text, len(text))),
    "language.role.with_reminder": lambda text: role.with_reminder(text, _parts(text, len(text)), language="en"),
    "language.shapes.shortened": lambda text: shapes.shortened(text, max(1, len(text) - 1)),
    "language.shapes.within_tokens": lambda text: shapes.within_tokens(text, len(text) // 8),
    "language.tagged_turns.read_calls": lambda text: tagged_turns.read_calls([text], ("search",)),
    "language.prompt_blocks.abridged": lambda text: prompt_blocks.abridged(text, max(100, len(text) - 10)),
    "language.prompt_blocks.block": lambda text: prompt_blocks.block("p", text),
    "language.prompt_blocks.group": lambda text: prompt_blocks.group("nodes", _parts(text, len(text))),
    "language.prompt_blocks.node_block": lambda text: prompt_blocks.node_block(_nodes(text, 1)[0]),
    "language.prompt_blocks.passage_blocks": lambda text: prompt_blocks.passage_blocks(_parts(text, len(text))),
    "language.prompt_blocks.place_blocks": lambda text: prompt_blocks.place_blocks(
        _said(text), prompt_blocks.utterance_spans(_said(text))
    ),
    "language.prompt_blocks.spoken_language": lambda text: prompt_blocks.spoken_language(_said(text)),
    # Of one length: short parts mostly hold nothing that could open a tag and are passed over, long ones are not.
    "language.prompt_blocks.utterance_blocks": lambda text: prompt_blocks.utterance_blocks(
        _said(text, max(1, len(text) // 2_000))
    ),
    "role annotation": lambda text: annotation.ANNOTATION.offline(
        AnnotationRequest(text=_clean(text), target_length=200), _TOOLS
    ),
    "language.offline.accounts.account_of": lambda text: accounts.account_of(claims.read_claims(_parts(text, 40))),
    "language.offline.accounts.disputed": lambda text: [
        accounts.disputed(claim, account)
        for read in [claims.read_claims(_parts(text, 40))]
        for account in [accounts.account_of(read)]
        for claim in read
        if account is not None
    ],
    "language.offline.values.case_told": lambda text: values.case_told("After 12 years? 工作八年呢？", text),
    "language.offline.values.cases_of": lambda text: values.cases_of(values.amounts_of("After 12 years?")[0], text),
    "language.offline.answer_finding.find_answer": lambda text: answer_finding.find_answer(text[:600], [text]),
    "language.offline.answer_finding.speak_of_names": lambda text: answer_finding.speak_of_names(text[:600], [text]),
    "language.offline.answer_finding.agreeing": lambda text: answer_finding.agreeing(
        answer_finding.AnswerCandidates((text, text[1:], text[2:]), 1.0), [text[3:]]
    ),
    "language.offline.claims.read_claims": lambda text: claims.read_claims(_parts(text, 40)),
    "role answering": lambda text: answering.ANSWERING.offline(
        AnsweringRequest(question=_clean(text[:600]), passages=_passages(text)), _TOOLS
    ),
    "language.roles.answering.titled": lambda text: answering.titled(_passages(text)),
    "role classification": lambda text: classification.CLASSIFICATION.offline(
        ClassificationRequest(text=_clean(text), find_question=True), _TOOLS
    ),
    "language.offline.comparison.compare": _compared,
    "language.offline.judgement.contradictions": lambda text: judgement.contradictions(_parts(text, 40)),
    "role extraction": lambda text: extraction.EXTRACTION.offline(
        ExtractionRequest(utterances=(*_said(text), Utterance(text=_clean(text))), kinds=tuple(FactKind)), _TOOLS
    ),
    "role hyde": lambda text: queries.HYDE.offline(HydeRequest(question=_clean(text[:MAX_REMARK])), _TOOLS),
    "role integration": lambda text: integration.INTEGRATION.offline(
        IntegrationRequest(nodes=(_nodes(text, 19) * 2)[:2], trigger=Trigger.CONFLICT, validation=_clean(text)), _TOOLS
    ),
    "role intent": lambda text: queries.INTENT.offline(
        IntentRequest(message=_clean(text), earlier=_said(text, 20)[:20], agents=("Ada", "Bob")), _TOOLS
    ),
    "language.offline.comparison.name_runs": lambda text: comparison.name_runs(claims.read_claim(text).tokens),
    "language.offline.judgement.excluded": lambda text: judgement.excluded(*_two_halves(text)),
    "language.offline.office_holders.rivals": lambda text: office_holders.rivals(text, text[1:]),
    "language.offline.office_holders.holds_another": lambda text: office_holders.holds_another(text, text[1:]),
    "language.offline.comparison.claim_attributes": lambda text: comparison.claim_attributes(claims.read_claim(text)),
    "language.offline.office_holders.are_two_deeds": lambda text: office_holders.are_two_deeds(text, text[1:]),
    "language.offline.judgement.restated_value": lambda text: judgement.restated_value(_compared(text)),
    "language.offline.judgement.judge": lambda text: judgement.judge(_compared(text)),
    "language.offline.judgement.are_of_two_periods": lambda text: [
        judgement.are_of_two_periods(compared.one, compared.other, found)
        for compared in [_compared(text)]
        for found in compared.differences
    ],
    "language.offline.comparison.are_of_two_rates": lambda text: [
        comparison.are_of_two_rates(found.one[0], found.other[0], compared.one, compared.other)
        for compared in [_compared(text)]
        for found in compared.differences
    ],
    "language.offline.judgement.same_subject": lambda text: [
        judgement.same_subject(compared, found) for compared in [_compared(text)] for found in compared.differences
    ],
    "language.offline.statement_rules.person": statement_rules.person,
    "language.offline.statements.said_by_oneself": statements.said_by_oneself,
    "language.offline.statements_chinese.with_company": lambda text: statements_chinese.with_company(
        f"小林等人{text}", "小林", before=text[:300], said=text
    ),
    "language.offline.statements_english.with_company": lambda text: statements_english.with_company(
        f"Ada and others {text}", "Ada", before=text[:300], said=text
    ),
    "language.offline.office_holders.tells_former_only": lambda text: office_holders.tells_former_only(
        f"Who is the mayor? {text[:300]}", text + " the former mayor" * 3
    ),
    "language.offline.evidence.bearing": lambda text: evidence.bearing(text[:500], text),
    "language.offline.evidence.bears_out": lambda text: evidence.bears_out(text[:500], text),
    "language.offline.evidence.values_in": evidence.values_in,
    "language.offline.changes.changes": lambda text: list(changes.changes(text)),
    "language.offline.doubts.is_doubted": lambda text: doubts.is_doubted(
        text, subject="The user", attribute="residence", value="Siena"
    ),
    "language.offline.changes.life_changes": lambda text: list(changes.life_changes(text)),
    "language.offline.changes.bears_on": lambda text: changes.bears_on(
        "drink", text, text, of="The user", attribute="habit", content=text
    ),
    "language.offline.changes.takes_the_place": lambda text: [
        changes.takes_the_place(name, text, text, of=text) for name in ("drink", "given up", "way")
    ],
    "language.offline.statements_chinese.is_done": statements_chinese.is_done,
    "language.offline.statements_english.is_done": statements_english.is_done,
    "language.offline.statements_chinese.may_be_called": statements_chinese.may_be_called,
    "language.offline.statements_english.may_be_called": statements_english.may_be_called,
    "language.offline.statements.own_words": statements.own_words,
    "language.offline.statements.is_played": lambda text: statements.is_played(_parts(text, 8)),
    "language.offline.statements.corrected": lambda text: statements.corrected(
        statement_rules.Statement("fact", "Ada", "time", text, f"Ada {text}", 0, 1), f"Sorry, I meant {text}"
    ),
    "language.offline.statement_rules.beside": lambda text: statement_rules.beside(
        statement_rules.Statement("fact", "Ada", "job", "baker", "Ada is a baker", 0, 1), text
    ),
    "language.offline.statements.without_orders": lambda text: statements.without_orders(
        text, [statements.ForgetOrder("", span.start, span.end, "") for span in _spans(text)[::2]]
    ),
    "language.offline.statements.third_person": lambda text: statements.third_person(text, "Ada"),
    "language.offline.statements_chinese.third_person": lambda text: statements_chinese.third_person(text, "小林"),
    "language.offline.statements_english.third_person": lambda text: statements_english.third_person(text, "Ada"),
    "language.offline.salience.key_phrases": lambda text: salience.key_phrases(text, most=8),
    "language.offline.salience.similarity_matrix": lambda text: salience.similarity_matrix(_parts(text, 200), _TOOLS),
    "language.offline.salience.similarities": lambda text: salience.similarities(text, _parts(text, 200), _TOOLS),
    "language.offline.salience.term_overlap": lambda text: salience.term_overlap(text, text[1:]),
    "role relation_naming": lambda text: annotation.RELATION_NAMING.offline(
        RelationNamingRequest(node=_clean(text), focuses=tuple(_parts(text, 4))), _TOOLS
    ),
    "role planning": lambda text: next_step.PLANNING.offline(
        PlanningRequest(goal=_clean(text[:MAX_REMARK]), finished=FinishedTask(description="go", result=_clean(text))),
        _TOOLS,
    ),
    "language.roles.react.direct_answer": lambda text: react.direct_answer(
        ReactRequest(task=_clean(text), turns=(Turn(said="x", results=(ToolResult(name="a", content=_clean(text)),)),)),
        react.ReactResponse(said=_clean(text), answer=_clean(text)),
        _TOOLS,
    ),
    "role react": lambda text: react.REACT.offline(
        ReactRequest(task=_clean(text), turns=(Turn(said="x", results=(ToolResult(name="a", content=_clean(text)),)),)),
        _TOOLS,
    ),
    "role analysis": lambda text: analysis.ANALYSIS.offline(
        AnalysisRequest(new_node=GraphNode(node_id="new", summary=_parts(text, 5)[0]), candidates=_nodes(text, 5)),
        _TOOLS,
    ),
    "role reranking": lambda text: answering.RERANKING.offline(
        RerankingRequest(
            query=_clean(text[:MAX_REMARK]),
            passages=tuple(
                PassageToRank(passage_id=f"p{number}", text=part) for number, part in enumerate(_parts(text, 100))
            ),
        ),
        _TOOLS,
    ),
    "language.offline.salience.word_scores": lambda text: salience.word_scores(text, _parts(text, len(text))),
    "role rewriting": lambda text: queries.REWRITING.offline(
        RewritingRequest(query=_clean(text[:MAX_REMARK]), earlier=_said(text, 20)[:20]), _TOOLS
    ),
    "role segmentation": lambda text: segmentation.SEGMENTATION.offline(
        SegmentationRequest(utterances=(Utterance(text=_clean(text), occurred_at=_NOW),), earlier=_said(text, 20)[:20]),
        _TOOLS,
    ),
    "language.offline.salience.speaker_name": lambda text: salience.speaker_name(text, "en"),
    "language.offline.salience.with_speaker": lambda text: salience.with_speaker(text, text),
    "language.offline.salience.summary_statements": lambda text: salience.summary_statements(text, most=len(text)),
    "language.roles.analysis.second_phase": lambda text: analysis.second_phase(
        AnalysisRequest(
            new_node=GraphNode(node_id="new", summary=_parts(text, 5)[0]),
            candidates=_nodes(text, 5),
            phase=analysis.AnalysisPhase.CONFLICT_OR_MERGE,
        ),
        analysis.AnalysisResponse(relations=()),
    ),
    "language.roles.next_step.plan_within_rules": lambda text: next_step.plan_within_rules(
        PlanningRequest(goal=_clean(text[:MAX_REMARK]), finished=FinishedTask(description="go")),
        status=next_step.TaskStatus.SUCCESS,
        context=_clean(text[:MAX_REMARK]),
        proposed=None,
        language="en",
    ),
    "language.roles.react.tool_responses": lambda text: react.tool_responses(
        [ToolResult(name="a", content=part) for part in _parts(text, len(text))]
    ),
    "language.roles.summary.render_topic": lambda text: summary.render_topic(
        facts=_parts(text, 80), evidence=_parts(text, 20), reasoning=text, language="en"
    ),
    "language.roles.summary.render": lambda text: summary.render(
        SummaryRequest(level=SummaryLevel.SESSION, utterances=_said(text)),
        text,
        commitments.Commitments(decisions=tuple(_parts(text, 100))),
        language="en",
    ),
    "role structure": lambda text: summary.STRUCTURE.offline(StructureRequest(content=_clean(text)), _TOOLS),
    "role summary": lambda text: summary.SUMMARY.offline(
        SummaryRequest(level=SummaryLevel.SESSION, utterances=_said(text)), _TOOLS
    ),
    "language.offline.commitments.find_commitments": lambda text: commitments.find_commitments(_said(text)),
    "language.offline.commitments.standing": lambda text: commitments.standing(
        [commitments.find_commitments([one]) for one in _said(text, 100)]
    ),
    "language.offline.salience.relabelled": lambda text: salience.relabelled(f"User: {text}", "zh"),
    "language.roles.summary.segment_text": lambda text: summary.segment_text(
        text_summary.statements(text), ["user"], _parts(text, 3), "en"
    ),
    "language.offline.salience.salient_sentences": lambda text: salience.salient_sentences(
        text, about=text[:600], most=3
    ),
    "language.offline.salience.sentence_weights": lambda text: salience.sentence_weights(_parts(text, len(text))),
    "language.roles.classification.topics": lambda text: classification.topics(
        _parts(text, prompt_blocks.MAX_PASSAGES), _TOOLS
    ),
    "language.roles.classification.grouped": lambda text: classification.grouped(
        *_alike(text), classification.BY_WORDS
    ),
    "language.offline.evidence.leaves_open": lambda text: evidence.leaves_open(
        evidence.Contradiction("It is 3 metres high.", "It is 4 metres high."), text
    ),
    "language.offline.evidence.settle_contradiction": lambda text: evidence.settle_contradiction(_matter(text), [text]),
    "language.offline.values.tells_value": lambda text: values.tells_value(text, "08:10"),
    "language.offline.values.whens": lambda text: values.whens(text[: claims.LONGEST_SENTENCE], _NOW, changed=True),
    "language.offline.judgement.judge_statements": lambda text: judgement.judge_statements(
        judgement.DatedStatement(text), judgement.DatedStatement(text[1:])
    ),
}
"""How functions are called that need more than a text."""

EXEMPT: dict[str, str] = {
    "language.offline.lexicon.lexicon": "takes the name of a language",
    "language.offline.lexicon.verbs": "takes nothing",
    "language.role.total_cost": "takes numbers, not a text",
    "language.offline.claims.is_title": "takes one claim, already read",
    "language.offline.comparison.are_alike": "takes two words, already read",
    "language.offline.comparison.are_opposites": "takes two words",
    "language.offline.comparison.differ_in_time": "takes two words, already read",
    "language.offline.comparison.is_counted": "looks at the token before a word",
    "language.offline.comparison.is_defined": "looks at a few characters before a word",
    "language.offline.values.holding": "takes the cases of one sentence",
    "language.offline.comparison.attributes_of": "takes words, already read",
    "language.offline.comparison.is_equal": "takes two words, already read",
    "language.offline.comparison.is_land": "takes the words of one name",
    "language.offline.comparison.differ_in_amount": "looks at two numbers and the word behind each",
    "language.offline.statement_rules.is_no_value": "takes a value of a statement, of bounded length",
    "language.offline.statement_rules.expanded_form": "takes a form of the tables",
    "language.offline.statement_rules.pairs_of": "takes a table of words",
    "language.offline.statement_rules.people": "takes no text",
    "language.offline.statement_rules.rules_of": "takes a table of forms",
    "language.offline.statement_rules.apply": "takes one plain sentence, of bounded length",
    "language.offline.statement_rules.carried_on": "takes one plain sentence, of bounded length",
    "language.offline.statement_rules.group": "takes a match of such a sentence",
    "language.offline.statement_rules.subject_name": "takes a name",
    "language.offline.statements_chinese.clauses": "takes one plain sentence, of bounded length",
    "language.offline.statements_english.clauses": "takes one plain sentence, of bounded length",
}
"""Functions that no long text is given to, and why."""

HURT: dict[str, tuple[str, ...]] = {
    "language.prompt_blocks.passages": ("blank lines", "headings"),
    "language.prompt_blocks.pieces": ("flags", "short sentences"),
    "language.roles.react.parse_turn": ("a sign, spaces, a word", "thoughts", "tool calls"),
    "language.offline.claims.read_claim": ("a sentence without an end", "negations", "Chinese clauses"),
    "role extraction": ("reasons", "short sentences"),
    "language.offline.questions.is_question": ("a question with a gap", "questions and exclamations"),
    "language.offline.questions.statement_form": ("one question", "questions"),
    "language.roles.react.question_of": ("tasks", "marked lines"),
    "role react": ("tasks",),
    "language.roles.segmentation.is_small_talk": ("Chinese small talk that is none", "small talk that is none"),
    "role segmentation": ("short sentences", "pronouns"),
    "language.offline.evidence.contradiction_in": ("conflicts",),
    "language.offline.values.amounts": ("numbers of things", "one hour and a half"),
    "language.offline.values.whens": ("years", "times of day"),
}
"""Texts beside the core that once made a function take the square of their length, or worse."""

FUNCTIONS: dict[str, Callable[..., object]] = (
    {f"role {role.name}": role.offline for role in all_roles().values()}
    | public_functions("remanent.language.offline")
    | public_functions("remanent.language.roles")
    | public_functions("remanent.language", "role", "shapes", "tagged_turns", "prompt_blocks")
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
    makers = {kind: HOSTILE[kind] for kind in HURT.get(name, ())} | CORE
    assert not too_fast(WORKS[name], makers)


@pytest.mark.spec("SAFE-07")
@pytest.mark.skipif(not FULL, reason="takes hours of work: at full counts only")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_every_hostile_text_and_with_a_million_characters(name: str) -> None:
    assert not too_fast(WORKS[name], HOSTILE)
    assert not too_fast(WORKS[name], CORE, large=HUGE)
