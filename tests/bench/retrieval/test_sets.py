import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bench.retrieval.sets import UNDATED, load_set, moment_of, sampled
from remanent.errors import InvalidInput, NotFound


def _write(folder: Path, name: str, stores: list[dict[str, Any]], questions: list[dict[str, Any]]) -> None:
    for kind, lines in (("stores", stores), ("questions", questions)):
        with gzip.open(folder / f"{name}.{kind}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _store(store_id: str, *, sessions: int = 2, date: str = "8 May, 2023") -> dict[str, Any]:
    return {
        "store": store_id,
        "sessions": [
            {
                "session": f"{store_id}-{number}",
                "date": date,
                "turns": [{"turn": f"{store_id}-{number}-0", "role": "Ada", "text": f"thing {number}"}],
            }
            for number in range(sessions)
        ],
    }


def _question(number: int, store_id: str, **more: Any) -> dict[str, Any]:
    return {
        "set": "tiny",
        "store": store_id,
        "id": f"q{number}",
        "type": "single",
        "question": f"what is thing {number}?",
        "answer": "it",
        "date": "",
        "answerable": True,
        "evidence_sessions": [f"{store_id}-1"],
        "evidence_turns": [f"{store_id}-1-0"],
        **more,
    }


def test_a_set_is_read_with_its_questions(tmp_path: Path) -> None:
    _write(tmp_path, "tiny", [_store("a"), _store("b")], [_question(1, "b", before_session="b-1")])
    first, second = load_set(tmp_path, "tiny")
    assert first.questions == []
    (question,) = second.questions
    assert question.turns == {"b-1-0"}
    assert second.before(question.before_session) == {"b-0"}
    assert second.before(None) == {"b-0", "b-1"}
    assert [turn.turn_id for _, turn in second.turns()] == ["b-0-0", "b-1-0"]


def test_sessions_without_a_date_keep_their_order(tmp_path: Path) -> None:
    _write(tmp_path, "tiny", [_store("a", sessions=3, date="")], [])
    (conversation,) = load_set(tmp_path, "tiny")
    moments = [session.began for session in conversation.sessions]
    assert moments == sorted(set(moments))
    assert moments[0] > UNDATED


def test_sessions_out_of_order_stay_so_unless_questions_go_by_their_order(tmp_path: Path) -> None:
    store = _store("a", sessions=3)
    for session, date in zip(store["sessions"], ["8 May, 2023", "3 May, 2023", "9 May, 2023"], strict=True):
        session["date"] = date
    _write(tmp_path, "dates", [store], [_question(1, "a")])
    (by_date,) = load_set(tmp_path, "dates")
    assert [session.began.day for session in by_date.sessions] == [8, 3, 9]
    _write(tmp_path, "order", [store], [_question(1, "a", before_session="a-2")])
    (in_order,) = load_set(tmp_path, "order")
    assert [session.began.day for session in in_order.sessions] == [8, 8, 9]
    assert in_order.sessions[0].began < in_order.sessions[1].began


def test_turns_of_the_same_words_as_the_evidence_are_known(tmp_path: Path) -> None:
    store = _store("a", sessions=3)
    store["sessions"][2]["turns"][0]["text"] = "thing 1"
    _write(tmp_path, "tiny", [store], [_question(1, "a")])
    (conversation,) = load_set(tmp_path, "tiny")
    assert conversation.questions[0].twins == {"a-2-0": "a-1-0"}


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("2023/05/20 (Sat) 07:47", datetime(2023, 5, 20, 7, 47, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("2025-12-15 (Monday)", datetime(2025, 12, 15, tzinfo=UTC)),
        ("2024年04月01日 周一 08:18", datetime(2024, 4, 1, 8, 18, tzinfo=UTC)),
        ("once upon a time", None),
    ],
)
def test_each_wording_of_a_date_is_read(words: str, moment: datetime | None) -> None:
    assert moment_of(words) == moment


def test_a_missing_file_says_how_to_name_the_folder(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="--data"):
        load_set(tmp_path, "tiny")


def test_a_question_of_an_unknown_conversation_is_refused(tmp_path: Path) -> None:
    _write(tmp_path, "tiny", [_store("a")], [_question(1, "z")])
    with pytest.raises(InvalidInput, match="q1"):
        load_set(tmp_path, "tiny")


def test_a_sample_spreads_over_the_conversations(tmp_path: Path) -> None:
    questions = [_question(number, "a" if number < 20 else "b") for number in range(40)]
    _write(tmp_path, "tiny", [_store("a"), _store("b")], questions)
    conversations = load_set(tmp_path, "tiny")
    chosen = sampled(conversations, most=10)
    assert [len(one.questions) for one in chosen] == [5, 5]
    assert sampled(conversations, most=100) == conversations


def test_halves_split_the_questions_about_evenly(tmp_path: Path) -> None:
    _write(tmp_path, "tiny", [_store("a")], [_question(number, "a") for number in range(200)])
    (conversation,) = load_set(tmp_path, "tiny")
    assert 60 < sum(question.half for question in conversation.questions) < 140
