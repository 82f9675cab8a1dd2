"""What changed since: of public questions whose answer was said twice, whether the newest word stands before the older.

LongMemEval's knowledge updates, BEAM's updates and contradictions and RealMem's updates, through the plain calls at
their defaults. Beside them the same calls with nothing learned, and BM25 over the same turns. Where turns are labelled,
a turn is what is found; of RealMem, any turn of a session.
"""

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import Figure, Report, at_least
from bench.retrieval.baselines import Bm25
from bench.retrieval.product import ask_remanent
from bench.retrieval.sets import Conversation, Question, load_set

SETS = (
    ("longmemeval-pool", "knowledge-update"),
    ("beam", "knowledge_update"),
    ("beam", "contradiction_resolution"),
    ("realmem", "Dynamic Updating"),
)
FIRST = 5
"""Places that count as found: what most callers ask for."""


@dataclass(slots=True)
class Tally:
    """How often the newest word stood before the older ones, and among the first."""

    asked: int = 0
    before: int = 0
    found: int = 0

    def count(self, ranking: Sequence[str], words: Sequence[frozenset[str]]) -> None:
        """Count one answer; `words` are the turns that hold each word on the matter, the newest last."""
        places = [min((ranking.index(turn) for turn in turns if turn in ranking), default=None) for turns in words]
        newest, older = places[-1], [place for place in places[:-1] if place is not None]
        self.asked += 1
        self.before += newest is not None and all(newest < place for place in older)
        self.found += newest is not None and newest < FIRST


def run_updates_bench(data: Path, report: Report, *, most: int, embedder: str = "auto") -> list[Figure]:
    """Measure with the sets in a folder, at most so many questions of each sort."""
    figures = []
    for name, sort in SETS:
        ours, off, plain = Tally(), Tally(), Tally()
        for chat in load_set(data, name):
            left = most - ours.asked
            kept = [one for one in chat.questions if one.type == sort and len(words_of(chat, one)) > 1][: max(0, left)]
            if not kept:
                continue
            report(f"{name}, {sort}: {len(kept)} questions of {chat.store_id}")
            asked = Conversation(chat.store_id, chat.sessions, kept)
            for tally, learn in ((ours, True), (off, False)):
                for question, ranking in _answers(asked, learn=learn, embedder=embedder):
                    tally.count(ranking, words_of(chat, question))
            turns = [(session.session_id, turn) for session, turn in chat.turns()]
            ranked = Bm25([turn.text for _, turn in turns])
            for question in kept:
                known = chat.before(question.before_session)
                best = [turns[place] for place, _ in ranked.ranking(question.text)]
                plain.count([turn.turn_id for session, turn in best if session in known], words_of(chat, question))
        if ours.asked:
            figures += _figures(f"{name}, {sort}", ours, off, plain)
    return figures


def words_of(chat: Conversation, question: Question) -> list[frozenset[str]]:
    """Return the turns that hold each word on the matter, the newest last: labelled turns, or those of sessions."""
    if question.turns:
        return [frozenset({turn.turn_id}) for _, turn in chat.turns() if turn.turn_id in question.turns]
    known = chat.before(question.before_session) & question.sessions
    return [
        frozenset(turn.turn_id for turn in session.turns) for session in chat.sessions if session.session_id in known
    ]


def _answers(chat: Conversation, *, learn: bool, embedder: str) -> list[tuple[Question, list[str]]]:
    with tempfile.TemporaryDirectory() as home:
        asking = ask_remanent(Path(home), chat, ["turn"], embedder=embedder, cognition={"learn": learn})
        return [(asked.question, asked.ranking) for asked in asyncio.run(asking)["turn"]]


def _figures(title: str, ours: Tally, off: Tally, plain: Tally) -> list[Figure]:
    n = ours.asked
    rows: list[Figure] = []
    for what, get in (("newest before older", "before"), (f"newest in the first {FIRST}", "found")):
        mine, without, words = (getattr(one, get) / n for one in (ours, off, plain))
        rows += [
            at_least(f"{title}, {what} (n={n})", mine, "", round(max(without, words), 4)),
            Figure(f"{title}, {what}, nothing learned", round(without, 2), ""),
            Figure(f"{title}, {what}, BM25", round(words, 2), ""),
        ]
    return rows
