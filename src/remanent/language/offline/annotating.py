"""A phrase and keywords for a memory, taken from its own words, and its compression to a length."""

import re

from remanent.language.exchanges.annotation import (
    LONGEST_PHRASE,
    MOST_ANNOTATED_KEYWORDS,
    AnnotationRequest,
    AnnotationResponse,
)
from remanent.language.offline.keywording import key_phrases
from remanent.language.offline.questions import content_words
from remanent.language.offline.telling import telling
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tidying import keywords, line
from remanent.text.boundaries import grapheme_boundaries
from remanent.text.summary import compress

_SHORTEST_PHRASE = 10
_FEWEST_KEYWORDS = 3
_READ = 20_000
_CLAUSE = re.compile(r"[，。；、！？：,.;!?:—–\n]+\s*")
_SPEAKER = re.compile(r"\A[\w ]{1,20}[:：]\s*")
_MARKS = " \t\n。.,，;；:：\"'“”‘’「」《》()（）[]-•*#"


async def annotate(request: AnnotationRequest, toolbox: Toolbox) -> AnnotationResponse:
    """Annotate a memory; its content changes only when it must become shorter."""
    text = request.text
    target = request.target_length
    words = keywords(
        [*key_phrases(text[:_READ], most=MOST_ANNOTATED_KEYWORDS), *_more_words(text)], most=MOST_ANNOTATED_KEYWORDS
    )
    return AnnotationResponse(
        content=compressed(text, target) if target is not None else text,
        phrase=_phrase(text[:_READ], words),
        keywords=words,
    )


def compressed(text: str, target: int) -> str:
    """Return at most so many characters that say the most of a text; the text itself when it is short enough."""
    if len(text) <= target:
        return text
    short = compress(text, target)
    if len(short) <= target:
        return short
    # Not even one word is short enough: then it is cut, between signs.
    return short[: max((border for border in grapheme_boundaries(short) if border <= target), default=target)]


def _more_words(text: str) -> list[str]:
    """Return words of the text for where it has too few key phrases."""
    found = key_phrases(text[:_READ], most=_FEWEST_KEYWORDS)
    known = " ".join(found).casefold()
    rest = [word for word in content_words(text[:_READ]) if word.casefold() not in known]
    return rest[: max(0, _FEWEST_KEYWORDS - len(found))]


def _phrase(text: str, words: tuple[str, ...]) -> str:
    """Return 10 to 20 characters that say what the text is about; fewer only when it says no more."""
    for phrases in (_clauses(text), _joined(words)):
        fitting = [phrase for phrase in phrases if _SHORTEST_PHRASE <= len(phrase) <= LONGEST_PHRASE]
        if fitting:
            return max(fitting, key=lambda phrase: sum(word.casefold() in phrase.casefold() for word in words))
    return compressed(text.strip(), LONGEST_PHRASE).strip(_MARKS) or line(text, LONGEST_PHRASE)


def _clauses(text: str) -> list[str]:
    """Return the clauses of the most telling sentences, then as much of each sentence as fits."""
    best = [_SPEAKER.sub("", sentence) for sentence in telling(text, most=3)]
    clauses = [clause.strip(_MARKS) for sentence in best for clause in _CLAUSE.split(sentence)]
    return clauses + [compressed(sentence, LONGEST_PHRASE).strip(_MARKS) for sentence in best if sentence]


def _joined(words: tuple[str, ...]) -> list[str]:
    return [" ".join(words[:count]) for count in range(len(words), 0, -1)]
