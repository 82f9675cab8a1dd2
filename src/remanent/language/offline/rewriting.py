"""Other wordings of a question without a model: its keywords, what it points back to, its statement, other words."""

import re
import unicodedata
from collections.abc import Iterator

from remanent.language.exchanges.rewriting import LONGEST_QUERY, RewritingRequest, RewritingResponse
from remanent.language.offline.lexicon import other_word
from remanent.language.offline.questions import content_words, keyword_form, statement_form
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tidying import line

_POINTING = re.compile(
    r"\b(?:it|its|that|this|those|these|they|them|their|he|him|his|she|her|there|one)\b|[他她它]|这|那", re.IGNORECASE
)
_FEW_WORDS = 3
# What was said last is most likely what a question points back to.
_LOOKED_BACK = 3
_ADDED = 6


async def rewrite(request: RewritingRequest, toolbox: Toolbox) -> RewritingResponse:
    """Return up to so many other wordings; none is the question itself, and none comes twice."""
    seen = {_key(request.query)}
    queries: list[str] = []
    for wording in _wordings(request):
        query = line(wording, LONGEST_QUERY)
        if query and _key(query) not in seen:
            seen.add(_key(query))
            queries.append(query)
        if len(queries) == request.count:
            break
    return RewritingResponse(queries=tuple(queries))


def _wordings(request: RewritingRequest) -> Iterator[str]:
    words = content_words(request.query)
    before = _pointed_to(request, words)
    if before:
        yield " ".join([*before, *words])
    yield keyword_form(request.query)
    yield statement_form(request.query)
    exchanged = [other_word(word) or word for word in words]
    if exchanged != words:
        yield " ".join(exchanged)
    if len(words) > _FEW_WORDS:
        longest = sorted(words, key=len, reverse=True)[:_FEW_WORDS]
        yield " ".join(word for word in words if word in longest)


def _pointed_to(request: RewritingRequest, words: list[str]) -> list[str]:
    """Return words of what was said before when the question makes no sense without it."""
    if not request.earlier or (len(words) >= _FEW_WORDS and not _POINTING.search(request.query)):
        return []
    known = {word.casefold() for word in words}
    found: list[str] = []
    for said in reversed(request.earlier[-_LOOKED_BACK:]):
        found += [word for word in content_words(said.text[:500]) if word.casefold() not in known]
        known.update(word.casefold() for word in found)
        if len(found) >= _ADDED:
            break
    return found[:_ADDED]


def _key(text: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFKC", text).casefold() if sign.isalnum())
