"""What a model proposes to remember. Code disposes: a memory quotes words that were said, or it is none."""

import logging
import re
from collections.abc import Sequence
from functools import cache

from remanent.cognition.drafts import Draft
from remanent.discipline import Parts
from remanent.errors import LanguageError
from remanent.language.engines import is_offline
from remanent.language.offline.questions import is_question
from remanent.language.offline.statement_rules import Statement, StatementKind, subject_name
from remanent.language.offline.statements import is_secret, plain_sentences
from remanent.language.roles.extraction import EXTRACTION, ExtractedFact, ExtractionRequest, FactKind
from remanent.language.shapes import Utterance
from remanent.model import Entry, Maker, Origin, TurnData
from remanent.model.filters import user_in
from remanent.text.scripts import working_language
from remanent.text.spans import Span
from remanent.text.terms import index_terms

_logger = logging.getLogger(__name__)
_KINDS: dict[FactKind, StatementKind] = {
    FactKind.FACT: "fact",
    FactKind.PREFERENCE: "preference",
    FactKind.DECISION: "decision",
    FactKind.FOLLOW_UP: "follow_up",
    FactKind.MOOD: "mood",
}
_AT_ONCE = 40
"""Utterances that a model is shown together; chosen by hand: a session's worth, far below any window."""
_SUPPORT = 0.6
"""The share of a proposal's terms that its quote must hold; chosen by hand, above the role's own half: what is kept is
told as the user's word."""
_NAMED = re.compile(r"\d+|(?<=\s)[A-Z][\w'’-]+")
"""What no wording may add: figures, and names in the middle of a sentence."""


@cache
def _of_speaker() -> frozenset[str]:
    """The terms that name whoever speaks; read when first asked for, because Chinese words need their dictionary."""
    return frozenset(index_terms("the user users user's 用户"))


async def proposed(parts: Parts, entries: Sequence[Entry]) -> list[Draft]:
    """Return what a model finds worth keeping in what users said, each with the sentence that says so.

    Without a model, or with one that refuses, fails or answers nonsense, there is nothing: patterns have read the same
    words already.
    """
    if not parts.settings.uses_model or is_offline(parts.settings.model, EXTRACTION):
        return []
    found: list[Draft] = []
    for start in range(0, len(entries), _AT_ONCE):
        shown = entries[start : start + _AT_ONCE]
        request = ExtractionRequest(
            utterances=tuple(
                Utterance(speaker=entry.role, text=entry.text, occurred_at=entry.occurred_at, origin=entry.origin)
                for entry in shown
            ),
            kinds=tuple(_KINDS),
        )
        try:
            answer = await parts.engine.run(EXTRACTION, request)
        except LanguageError as error:
            _logger.warning("the model extracts nothing, patterns do: %s", type(error).__name__)
            return found
        if answer.made_by.engine != "offline":
            made = (_draft(fact, shown, answer.made_by) for fact in answer.value.facts)
            found += [draft for draft in made if draft is not None]
    return found


def _draft(fact: ExtractedFact, shown: Sequence[Entry], made_by: Maker) -> Draft | None:
    """Return a proposal with its quote; `None` for one that nobody said in one sentence, and for secrets."""
    for place in fact.sources:
        entry = shown[place]
        quote = _quote(fact.content, entry.text)
        if quote is None or is_secret(f"{quote.of(entry.text)} {fact.content}"):
            continue
        speaker = TurnData(role=entry.role).speaker or "user"
        subject = subject_name(speaker, zh=working_language(fact.content) == "zh")
        confirmed = fact.confirmed and entry.origin is Origin.USER
        statement = Statement(
            _KINDS[fact.kind],
            subject,
            attribute="",
            value="",
            content=fact.content,
            start=quote.start,
            end=quote.end,
            confirmed=confirmed,
            because=fact.reason,
        )
        return Draft(statement, entry, user_in(entry.metadata), made_by=made_by)
    return None


def _quote(content: str, text: str) -> Span | None:
    """Return the sentence that says what a proposal says: it holds most of its terms, all figures and all names."""
    terms = set(index_terms(content)) - _of_speaker()
    named = {one.casefold() for one in _NAMED.findall(content)} - _of_speaker()
    best, share = None, _SUPPORT
    for span in plain_sentences(text):
        said = span.of(text)
        held = len(terms & set(index_terms(said))) / len(terms) if terms else 0.0
        if held >= share and all(one in said.casefold() for one in named) and not is_question(said):
            best, share = span, held
    return best
