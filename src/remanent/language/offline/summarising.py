"""A conversation shortened without a model: the sentences that tell most, in order, with who said them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from remanent.language.exchanges.extraction import ExtractionRequest, FactKind
from remanent.language.exchanges.shapes import Utterance
from remanent.language.exchanges.summary import Level, SummaryRequest, SummaryResponse, render, unmarked
from remanent.language.offline.extracting import AGREEMENT, extract
from remanent.language.offline.segmenting import is_small_talk
from remanent.language.offline.speakers import with_speaker
from remanent.language.offline.toolbox import Toolbox
from remanent.language.tidying import line
from remanent.language.tongue import Tongue, tongue_of
from remanent.text.sentences import sentence_texts
from remanent.text.summary import summarize
from remanent.text.tokens import ESTIMATE

_MOST_SENTENCES = 3_000
_LONGEST_SENTENCE = 300
_MOST_LISTED = 15
# The mark, names of speakers and what joins the sentences take some of the tokens.
_FOR_SENTENCES = 0.8


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence and who said it; nobody for what a summary says."""

    text: str
    speaker: str


async def summarise(request: SummaryRequest, toolbox: Toolbox) -> SummaryResponse:
    """Return a summary within its tokens, with the lists of a session where it is one."""
    sentences = list(_sentences(request))[:_MOST_SENTENCES]
    tongue = tongue_of("\n".join(said.text[:1000] for said in request.utterances), *map(unmarked, request.earlier))
    text = _told(_kept(sentences, int(_FOR_SENTENCES * request.limit)), tongue)
    lists = await _lists(request, toolbox) if request.level is Level.SESSION and request.utterances else ([], [], [])
    return render(request, text, decisions=lists[0], todos=lists[1], agreements=lists[2], tongue=tongue)


def _kept(sentences: Sequence[_Said], limit: int) -> list[_Said]:
    """Return the sentences that say most within so many tokens, or parts of them where no sentence fits."""
    joined = "\n".join(said.text for said in sentences)
    ends = list(accumulate(len(said.text) + 1 for said in sentences))
    kept: list[_Said] = []
    for span in summarize(joined, limit=limit, measure=ESTIMATE).spans:
        first, last = bisect_right(ends, span.start), bisect_right(ends, span.end - 1)
        for place in range(first, last + 1):
            start = ends[place] - len(sentences[place].text) - 1
            part = joined[max(span.start, start) : min(span.end, ends[place] - 1)].strip()
            kept += [_Said(part, sentences[place].speaker)] if part else []
    return kept


def _sentences(request: SummaryRequest) -> Iterator[_Said]:
    """Yield every sentence once, without small talk."""
    seen: set[str] = set()
    said = [(unmarked(summary), "") for summary in request.earlier]
    said += [(one.text, one.speaker) for one in request.utterances if not is_small_talk(one.text)]
    said = said or [(one.text, one.speaker) for one in request.utterances]
    for text, speaker in said:
        for sentence in sentence_texts(text):
            short = line(sentence, _LONGEST_SENTENCE)
            if short and short.casefold() not in seen:
                seen.add(short.casefold())
                yield _Said(short, speaker)


def _told(sentences: Sequence[_Said], tongue: Tongue) -> str:
    """Return the sentences in order; who speaks is said where that changes."""
    parts: list[str] = []
    speaker = ""
    for said in sentences:
        if said.speaker and said.speaker != speaker:
            parts.append(with_speaker(said.text, said.speaker))
        else:
            parts.append(said.text)
        speaker = said.speaker
    return ("" if tongue == "zh" else " ").join(parts)


async def _lists(request: SummaryRequest, toolbox: Toolbox) -> tuple[list[str], list[str], list[str]]:
    """Return the decisions, to-dos and agreements of a session."""
    found = await extract(
        ExtractionRequest(
            utterances=request.utterances[-1000:],
            kinds=(FactKind.DECISION, FactKind.FOLLOW_UP, FactKind.PREFERENCE),
            limit=3 * _MOST_LISTED,
        ),
        toolbox,
    )
    by_kind: dict[FactKind, list[str]] = {}
    for fact in found.facts:
        by_kind.setdefault(fact.kind, []).append(fact.content)
    agreements = [*_agreements(request.utterances), *by_kind.get(FactKind.PREFERENCE, [])]
    decisions = [text for text in by_kind.get(FactKind.DECISION, []) if text not in agreements]
    return decisions[:_MOST_LISTED], by_kind.get(FactKind.FOLLOW_UP, [])[:_MOST_LISTED], agreements[:_MOST_LISTED]


def _agreements(utterances: Sequence[Utterance]) -> list[str]:
    return [sentence for said in utterances for sentence in sentence_texts(said.text) if AGREEMENT.search(sentence)]
