"""Questions whose answer has changed: what counts as the newest word standing first."""

import gzip
import json
from pathlib import Path

from bench.figures import Figure
from bench.retrieval.sets import load_set
from bench.updates import Tally, run_updates_bench, words_of


def test_the_newest_word_must_be_found_and_stand_before_every_older_one() -> None:
    words = [frozenset({"old"}), frozenset({"older", "other"}), frozenset({"new"})]
    tally = Tally()
    for ranking in (["new", "old"], ["x", "new"], ["older", "new"], ["old"], [], [*"abcdef", "new"]):
        tally.count(ranking, words)
    assert (tally.asked, tally.before, tally.found) == (6, 3, 3)


def _write(folder: Path, name: str, line: dict[str, object]) -> None:
    with gzip.open(folder / name, "wt", encoding="utf-8") as stream:
        stream.write(json.dumps(line) + "\n")


def _empty(folder: Path, name: str) -> None:
    _write(folder, f"{name}.stores.jsonl.gz", {"store": name, "sessions": []})
    gzip.open(folder / f"{name}.questions.jsonl.gz", "wt").close()


def test_public_questions_are_asked_beside_plain_recall_and_bm25(tmp_path: Path) -> None:
    said = (
        "I own twelve maps in my map collection, all maps of Rome.",
        "Hello there.",
        "My collection holds thirty maps by now, I guess, with those of last week.",
    )
    sessions = [
        {
            "session": f"s{n}",
            "date": f"2023/05/{n + 1:02} (Mon) 07:00",
            "turns": [{"turn": f"t{n}", "role": "user", "text": text}],
        }
        for n, text in enumerate(said)
    ]
    asked = {
        "store": "pool", "id": "q", "type": "knowledge-update", "answer": "30",
        "question": "How many maps are in my collection?",
        "date": "2023/06/01 (Thu) 07:00", "answerable": True,
        "evidence_sessions": ["s0", "s2"], "evidence_turns": ["t0", "t2"],
    }  # fmt: skip
    _write(tmp_path, "longmemeval-pool.stores.jsonl.gz", {"store": "pool", "sessions": sessions})
    _write(tmp_path, "longmemeval-pool.questions.jsonl.gz", asked)
    for name in ("beam", "realmem"):
        _empty(tmp_path, name)
    (chat,) = load_set(tmp_path, "longmemeval-pool")
    assert words_of(chat, chat.questions[0]) == [frozenset({"t0"}), frozenset({"t2"})]
    figures = run_updates_bench(tmp_path, lambda _: None, most=5, embedder="none")
    assert [(one.value, one.kept) for one in figures[:3]] == [(1.0, True), (0.0, None), (0.0, None)]
    assert all(isinstance(one, Figure) for one in figures)
    assert len(figures) == 6
