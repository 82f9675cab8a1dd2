"""Real talk through the associative memory at its defaults: what a question brings back, and what it says of the rest.

Public sets that nobody here wrote, through the plain public call, beside BM25 over the same messages at the same number
of characters. Three answers must be told apart: known (however far away), once known and forgotten, never told.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import remanent
from bench.figures import Figure, Report, at_least
from bench.retrieval.baselines import Bm25
from bench.retrieval.sets import Conversation, Question, Turn, load_set
from remanent.associative._sync import AssociativeMemory
from remanent.associative.model import Knowledge

MESSAGES = 200
CHARACTERS = 2_000
"""Of the answer that count: what a model is given beside the rest of its context."""
SHARE = 0.6
"""Of an evidence turn's words that must be among them: a memory may say it in fewer."""
CASES = 60
"""Questions of each of the three sorts and each language."""
FADING = {"decay_rate": 0.05, "batch_reach": 5}
"""Under these two scans break a link, so that a few compressions forget what is not in focus."""
COMPRESSIONS = 6
SETS = {"en": ("locomo", "locomo"), "zh": ("memdaily", "cmrc")}
"""By language: whose talk is remembered, and whose questions are strangers'. Persons of other chats in English; in
Chinese another set, since every one of MemDaily's stores asks after the same relatives."""

_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]")
_EMPTY = frozenset(
    "a an and are as at be been but by did do does for from had has have he her his how i in is it its of on or she "
    "that the their they this to was were what when where which who whom why will with would you your s t".split()
)


CHATS = {"en": 4, "zh": 7}
"""By language: of how many chats. All that the folder has in English, and in Chinese as many as give 60 questions whose
evidence was forgotten."""


def run_talk_bench(data: Path, report: Report, *, cases: int = CASES) -> list[Figure]:
    """Measure with the sets in a folder."""
    figures = []
    for language, (name, strangers) in SETS.items():
        told = load_set(data, name)[: CHATS[language]]
        report(f"{name}: {len(told)} chats of {MESSAGES} messages")
        ours, theirs, asked = evidence(told)
        title = f"{name}, all evidence in {CHARACTERS:,} characters (n={asked})"
        figures.append(at_least(title, ours, "", max(theirs, 0.62) if language == "en" else theirs))
        figures.append(Figure(f"{name}, BM25 over the same messages", round(theirs, 2), ""))
        report(f"{language}: known, forgotten, never told")
        shares = three_answers(told, load_set(data, strangers), cases=cases)
        figures += [at_least(f"{language}, {kind}, told apart (n={n})", share, "%", 90) for kind, share, n in shares]
    return figures


def evidence(chats: Sequence[Conversation]) -> tuple[float, float, int]:
    """Return the share of the questions whose evidence the answer holds, the same of BM25, and how many were asked."""
    ours = theirs = asked = 0
    for chat in chats:
        turns = _first(chat)
        lines = [f"{turn.role}: {turn.text}" for turn in turns]
        texts = {turn.turn_id: turn.text for turn in turns}
        ranking = Bm25(lines)
        with tempfile.TemporaryDirectory() as home, remanent.open(home) as memory:
            talk = memory.agent("bench").associative
            _remember(talk, chat)
            memory.settle()
            for question in _answerable(chat):
                wanted = [_words(texts[turn_id]) for turn_id in question.turns]
                best = "\n".join(lines[place] for place, _ in ranking.ranking(question.text))
                ours += _holds(talk.recall(keywords_of(question.text)), wanted)
                theirs += _holds(best, wanted)
                asked += 1
    return ours / max(1, asked), theirs / max(1, asked), asked


def three_answers(
    chats: Sequence[Conversation], strangers: Sequence[Conversation], *, cases: int
) -> list[tuple[str, float, int]]:
    """Return, for each of the three sorts, the share in percent that is answered as what it is, and how many cases.

    Each chat gives its share of the cases, and what one before it had too few for; no chat is its own stranger.
    """
    known: list[bool] = []
    lost: list[bool] = []
    never: list[bool] = []
    share = -(-cases // len(chats))
    for number, chat in enumerate(chats):
        due = share * (number + 1)
        own = [question.text for question in _answerable(chat)]
        others = (other for other in strangers if other.store_id != chat.store_id)
        strange = [question.text for other in others for question in other.questions if question.answerable]
        foreign = strange[number :: max(1, len(strange) // share)][: due - len(never)]
        asked = own[: due - len(known)]
        answers = _answers(chat, asked + foreign, associative={})
        known += [answer in {Knowledge.KNOWN, Knowledge.FURTHER_AWAY} for answer in answers[: len(asked)]]
        never += [answer is Knowledge.NEVER_TOLD for answer in answers[len(asked) :]]
        faded = _answers(chat, own, associative=FADING, compressions=COMPRESSIONS, enough=due - len(lost))
        lost += [answer is Knowledge.FORGOTTEN for answer in faded]
    outcomes = {"known": known, "forgotten": lost, "never told": never}
    return [(kind, 100 * sum(right) / max(1, len(right)), len(right)) for kind, right in outcomes.items()]


def _answers(
    chat: Conversation,
    questions: Sequence[str],
    *,
    associative: Mapping[str, object],
    compressions: int = 0,
    enough: int | None = None,
) -> list[Knowledge | None]:
    """Return what a memory of a chat says it knows of each question; after compressions, of so many forgotten ones."""
    evidence_of = {question.text: question.turns for question in chat.questions}
    texts = {turn.turn_id: turn.text for turn in _first(chat)}
    with tempfile.TemporaryDirectory() as home, remanent.open(home, associative=dict(associative)) as memory:
        talk = memory.agent("bench").associative
        _remember(talk, chat)
        memory.settle()
        for _ in range(compressions):
            talk.compress()
            memory.settle()
        alive = [_words(node.content) for node in talk.nodes()] if compressions else []

        def stays(question: str) -> bool:
            said = [_words(texts[turn_id]) for turn_id in evidence_of.get(question, ()) if turn_id in texts]
            return any(len(words & left) >= SHARE * len(words) for words in said for left in alive)

        gone = (question for question in questions if not stays(question))
        return [talk.search(keywords_of(question)).knowledge for question in islice(gone, enough)]


def keywords_of(question: str) -> list[str]:
    """Return the content words of a question; where words have no spaces, the question as it is."""
    words = [word for word in re.findall(r"[a-z0-9]+", question.lower()) if word not in _EMPTY]
    return words if question.isascii() and words else [question]


def _remember(talk: AssociativeMemory, chat: Conversation) -> None:
    """Remember the first messages, session by session, as a full context hands them over."""
    left = MESSAGES
    for session in chat.sessions:
        batch = [f"{turn.role}: {turn.text}" for turn in session.turns[:left]]
        left -= len(batch)
        if batch:
            talk.remember(batch)


def _first(chat: Conversation) -> list[Turn]:
    return [turn for _, turn in chat.turns()][:MESSAGES]


def _answerable(chat: Conversation) -> Iterator[Question]:
    seen = {turn.turn_id for turn in _first(chat)}
    return (
        question for question in chat.questions if question.answerable and question.turns and question.turns <= seen
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _EMPTY)


def _holds(answer: str, wanted: Sequence[frozenset[str]]) -> bool:
    held = _words(answer[:CHARACTERS])
    return all(len(words & held) >= SHARE * len(words) for words in wanted)
