"""The whole measurement on a tiny generated set: remember, recall, compare, report."""

import gzip
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from bench.charts import bars, dots
from bench.figures import Report
from bench.retrieval import comparing
from bench.retrieval.baselines import Bm25, nearest
from bench.retrieval.bench import Plan, run_recall_bench, sets_of
from bench.retrieval.comparing import Field
from bench.retrieval.product import Asked
from bench.retrieval.results import abstention_of, figures_of, lacking_figures, leads_of, row_of
from bench.retrieval.rivals import Material, Rival, ask, prepare
from bench.retrieval.sets import Question
from bench.retrieval.studies import STUDIES, Goal, Study
from remanent.embedding import Embedder, Embedders
from remanent.errors import InvalidInput, MissingDependency, NotFound
from remanent.memory import AsyncAgent
from remanent.model import Found, RecallOptions

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FACTS = {
    "Ada": ["I moved to Lisbon in May.", "My cat is called Bruno.", "I play the cello on Sundays."],
    "Ben": ["I work as a baker.", "The marathon was hard for me.", "I painted the fence green."],
}


def _write_set(folder: Path, name: str, *, before: str | None = None) -> None:
    sessions = [
        {
            "session": f"{who}-{place}",
            "date": f"{place + 1} {'May' if who == 'Ada' else 'June'}, 2023",
            "turns": [{"turn": f"{who}-{place}-0", "role": who, "text": text}],
        }
        for who, texts in _FACTS.items()
        for place, text in enumerate(texts)
    ]
    asked = [
        ("Where did Ada move to?", "Ada-0"),
        ("What is the cat of Ada called?", "Ada-1"),
        ("Who is a baker?", "Ben-0"),
    ]
    questions: list[dict[str, Any]] = [
        {
            "store": "tiny",
            "id": f"q{place}",
            "type": "single-hop" if place else "multi-hop",
            "question": text,
            "date": "",
            "answerable": True,
            "evidence_sessions": [session],
            "evidence_turns": [f"{session}-0"],
            "before_session": before,
        }
        for place, (text, session) in enumerate(asked)
    ]
    nobody: dict[str, Any] = {
        "id": "q9",
        "type": "adversarial",
        "answerable": False,
        "evidence_sessions": [],
        "evidence_turns": [],
    }
    questions.append({**questions[0], **nobody, "question": "Which zeppelin did Carl steer?"})
    for kind, lines in (("stores", [{"store": "tiny", "sessions": sessions}]), ("questions", questions)):
        with gzip.open(folder / f"{name}.{kind}.jsonl.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)


def test_a_set_is_measured_and_reported(tmp_path: Path) -> None:
    _write_set(tmp_path, "locomo")
    plan = Plan(tmp_path, ("locomo",), embedder="none", rivals=False)
    figures = run_recall_bench(plan, folder=tmp_path / "report")
    ours = {figure.name: figure.value for figure in figures if "best other" not in figure.name}
    assert ours["locomo, turn, any@5"] == ours["locomo, session, any@5"] == 1
    report = (tmp_path / "report" / "recall.md").read_text(encoding="utf-8")
    assert "BM25 alone" in report
    measured = {figure.name: figure for figure in figures}
    assert measured["locomo, nonsense answered with nothing"].value == 100
    assert measured["locomo, unanswerable (n = 1), AUROC"].value == 1
    assert measured["locomo, turn, answers that lack a path, Remanent"].kept
    for drawing in re.findall(r"\((recall-.*?\.svg)\)", report):
        ET.fromstring((tmp_path / "report" / drawing).read_text(encoding="utf-8"))


@pytest.mark.spec("USE-03")
def test_every_figure_is_measured_through_the_plain_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    plain = AsyncAgent.recall

    async def recall(agent: AsyncAgent, query: str, **given: Any) -> Found:
        asked.append(given)
        return await plain(agent, query, **given)

    monkeypatch.setattr(AsyncAgent, "recall", recall)
    _write_set(tmp_path, "locomo")
    run_recall_bench(Plan(tmp_path, ("locomo",), embedder="none", rivals=False))
    assert len(asked) == 208  # each question once at each grain
    allowed = {"limit", "grain", "until", "options"}
    assert all(given.keys() <= allowed for given in asked)
    # What is not asked_at stands as it does for everybody who names no options.
    assert {given["options"].replace(asked_at=None) for given in asked} == {RecallOptions()}


def test_a_turn_of_the_same_words_counts_where_a_study_goes_by_text() -> None:
    question = Question("q", "t", "?", True, frozenset({"s"}), frozenset({"a", "b"}), twins={"c": "a", "d": "b"})
    answers = [Asked(question, ["c", "x", "d"], 0.0)]
    by_id, by_text = (Study("memdaily", "turn", (), by_text=by_text) for by_text in (False, True))
    assert row_of("us", by_id, answers).whole["any@5"].value == 0
    assert row_of("us", by_text, answers).whole["all@5"].value == 1


def test_what_was_remembered_is_kept_for_the_next_run(tmp_path: Path) -> None:
    _write_set(tmp_path, "cmrc")
    plan = Plan(tmp_path, ("cmrc",), embedder="none", rivals=False, home=tmp_path / "home")
    first = run_recall_bench(plan)
    steps: list[float] = []
    for answers in (tmp_path / "home" / "answers").rglob("*.json"):
        answers.unlink()
    second = run_recall_bench(plan, meter=lambda _name, _total: steps.append)
    assert second == first
    assert sum(steps) == 104  # the questions, nonsense among them, and no turn again


def test_what_had_not_happened_yet_is_not_found(tmp_path: Path) -> None:
    _write_set(tmp_path, "realmem", before="Ada-1")
    figures = run_recall_bench(Plan(tmp_path, ("realmem",), embedder="none", rivals=False))
    (ours,) = (figure.value for figure in figures if figure.name == "realmem, session, any@5")
    assert ours == pytest.approx(1 / 3, abs=0.001)


def test_an_unknown_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidInput, match="locomo"):
        sets_of("nothing")
    assert sets_of("all")[-1] == "speed"


def test_every_study_has_goals_within_reach() -> None:
    assert all(0 < (goal.least or 0) <= 1 and goal.k >= 1 for study in STUDIES for goal in study.goals)


def test_every_study_is_measured_by_the_usual_shares_and_its_goals() -> None:
    (passages,) = (study for study in STUDIES if study.data == "cmrc")
    assert [goal.name for goal in passages.measures] == ["any@5", "all@5", "any@10", "any@1"]
    (turns,) = (study for study in STUDIES if study.name == "locomo, turn")
    assert turns.measures == turns.goals


def test_a_row_counts_each_type_and_leaves_out_what_has_no_answer() -> None:
    study = Study("x", "turn", (Goal("any", 1, 0.5), Goal("all", 2, 0.5, "b")))
    asked = [
        Asked(_question("1", "a", {"t1"}), ["t1"], 0.1),
        Asked(_question("2", "b", {"t1", "t2"}), ["t2", "t1"], 0.2),
        Asked(_question("3", "b", {"t3"}), ["t1"], 0.3),
        Asked(_question("4", "b", set()), ["t1"], 0.4),
    ]
    row = row_of("Remanent", study, asked)
    assert row.whole["any@1"].value == pytest.approx(2 / 3)
    assert (row.whole["all@2 b"].value, row.whole["all@2 b"].count) == (0.5, 2)
    assert {kind: shares["any@1"].value for kind, shares in row.by_type.items()} == {"a": 1.0, "b": 0.5}


def test_the_held_out_half_is_counted_apart() -> None:
    study = Study("x", "turn", (Goal("any", 1, 0.5),))
    questions = [_question(str(number), "a", {"t1"}) for number in range(40)]
    row = row_of("Remanent", study, [Asked(one, ["t1"] if one.half else ["t2"], 0.1) for one in questions])
    assert row.held_out["any@1"].value == 1
    assert 0 < row.held_out["any@1"].count < 40
    assert row.whole["any@1"].value == row.held_out["any@1"].count / 40


def test_a_figure_says_who_is_ahead() -> None:
    study = Study("x", "turn", (Goal("any", 5, 0.5),))
    wanted = _question("1", "a", {"t1"})
    answers = {"Remanent": [Asked(wanted, ["t2"], 0.1)], "other": [Asked(wanted, ["t1"], 0.1)]}
    missed, ahead, *_ = figures_of(study, answers)
    assert (missed.value, missed.kept) == (0, False)
    assert (ahead.value, ahead.kept) == (1, False)
    assert {(lead.other, lead.reached, lead.ours, lead.low) for lead in leads_of(study, answers)} == {
        ("other", 1, 0, -1)
    }


def test_questions_without_an_answer_are_told_apart_by_the_score_of_the_best() -> None:
    known = [Asked(_question("1", "a", {"t1"}), ["t1"], 0.1, evidence=2.0)]
    unknown = [Asked(replace(_question("2", "a", set()), answerable=False), ["t1"], 0.1, evidence=1.0)]
    assert abstention_of([*known, *unknown]) == (1.0, 1.0)
    assert abstention_of(known) is None


def test_answers_that_lack_a_path_are_counted() -> None:
    wanted = _question("1", "a", {"t1"})
    given = {"Remanent": [Asked(wanted, [], 0.1, lacking=True), Asked(wanted, ["t1"], 0.1)], "other": []}
    (figure,) = lacking_figures("x", given)
    assert (figure.value, figure.kept) == (1, False)
    given = {"Remanent, quality mode": [Asked(wanted, ["t1"], 0.1, unread=True)]}
    whole, unread = lacking_figures("x", given)
    assert whole.kept
    assert (unread.value, unread.kept) == (1, None)


def test_bm25_prefers_rare_words_and_finds_nothing_for_strange_ones() -> None:
    index = Bm25(["the cat sat", "the dog sat", "the cat ran to the dog"])
    assert next(iter(index.ranking("cat ran")))[0] == 2
    assert index.ranking("zebra") == []


def test_the_nearest_vector_comes_first() -> None:
    import numpy as np

    vectors = np.eye(3, dtype=np.float32)
    assert nearest(vectors, vectors[1])[0] == (1, 1.0)


_ECHO = Rival(
    "Echo",
    ("numpy",),
    "run(lambda place, ids, texts: lambda question, limit, before: [(one, 0.5) for one in ids[:before]][:limit])",
)
_BROKEN = Rival("Broken", ("nothing",), "raise SystemExit('no disk')")
_SILENT = Rival("Silent", ("numpy",), "pass")


def _material(questions: list[str], said: list[int]) -> Material:
    import numpy as np

    return Material(["a", "b"], ["text", "more"], questions, said, np.zeros((2 + len(questions), 2), np.float32))


@pytest.mark.parametrize(("rival", "reason"), [(_BROKEN, "no disk"), (_SILENT, "Silent does not run here")])
def test_a_rival_that_cannot_run_says_why(rival: Rival, reason: str) -> None:
    with pytest.raises(MissingDependency, match=reason):
        ask(rival, [_material(["question"], [2])], python=Path(sys.executable))


def test_a_rival_sees_what_had_been_said_and_is_not_asked_what_asks_nothing() -> None:
    ((whole, part, blank),) = ask(_ECHO, [_material(["one", "two", " "], [2, 1, 2])], python=Path(sys.executable))
    assert (whole.ids, whole.score) == (["a", "b"], 0.5)
    assert part.ids == ["a"]
    assert (blank.ids, blank.score) == ([], None)


def test_an_environment_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(MissingDependency, match="cannot make the environment"):
        prepare(_ECHO, lambda _: None, environment=tmp_path / "file")


def _field(*rivals: Rival) -> Callable[[Report], Field]:
    return lambda report: Field(rivals, report, prepared=lambda _rival, _report: Path(sys.executable))


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> "_Letters":
    embedder = _Letters()
    monkeypatch.setattr(comparing, "open_embedders", lambda _name: Embedders(embedder))
    return embedder


def test_a_rival_that_cannot_run_is_named_and_the_others_go_on(tmp_path: Path, letters: "_Letters") -> None:
    _write_set(tmp_path, "cmrc")
    notes: list[str] = []
    plan = Plan(tmp_path, ("cmrc",), embedder="none")
    run_recall_bench(plan, notes.append, folder=tmp_path / "report", field=_field(_BROKEN, _ECHO))
    report = (tmp_path / "report" / "recall.md").read_text(encoding="utf-8")
    assert "- Broken: Broken does not run here: no disk" in report
    assert "| Echo |" in report
    assert "| vectors alone |" in report
    assert any(note.startswith("Broken took no part") for note in notes)


def test_what_was_answered_is_not_asked_again(tmp_path: Path, letters: "_Letters") -> None:
    _write_set(tmp_path, "cmrc")
    plan = Plan(tmp_path, ("cmrc",), embedder="none", home=tmp_path / "home")
    first = run_recall_bench(plan, folder=tmp_path / "first", field=_field(_ECHO))
    embedded = letters.seen
    begun: list[str] = []

    def meter(name: str, _total: int) -> Callable[[float], None]:
        begun.append(name)
        return lambda _done: None

    # A rival of that name whose code is the same is known; one that is not must be asked, and this one cannot be.
    again = run_recall_bench(plan, folder=tmp_path / "again", meter=meter, field=_field(_ECHO, _BROKEN))
    assert again == first
    assert begun == ["cmrc: vectors", "cmrc: Broken"]
    timed = 51
    assert letters.seen - embedded <= timed  # nothing but the questions whose embedding is timed


def test_other_questions_are_asked_although_these_were_answered(tmp_path: Path) -> None:
    _write_set(tmp_path, "cmrc")
    home = tmp_path / "home"
    run_recall_bench(Plan(tmp_path, ("cmrc",), embedder="none", rivals=False, home=home))
    steps: list[float] = []
    fewer = Plan(tmp_path, ("cmrc",), embedder="none", rivals=False, home=home, questions=2)
    run_recall_bench(fewer, meter=lambda _name, _total: steps.append)
    assert sum(steps) == 102  # two questions and the nonsense, no turn again


def test_a_set_that_is_not_there_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    _write_set(tmp_path, "cmrc")
    plan = Plan(tmp_path, ("locomo", "cmrc"), embedder="none", rivals=False)
    figures = run_recall_bench(plan, folder=tmp_path / "report")
    assert any(figure.name.startswith("cmrc") for figure in figures)
    assert "- locomo: no locomo.stores.jsonl.gz" in (tmp_path / "report" / "recall.md").read_text(encoding="utf-8")
    with pytest.raises(NotFound):
        run_recall_bench(Plan(tmp_path, ("locomo",), embedder="none", rivals=False))


def test_bars_draw_every_name_and_escape_it() -> None:
    drawing = bars({"any@5": {"a < b": 0.5, "c": 1.0}}, marks={"any@5": 0.7})
    texts = [node.text for node in ET.fromstring(drawing).iter() if node.text and node.text.strip()]
    assert {"a < b", "c", "0.500", "1.000"} <= set(texts)


def test_dots_draw_every_name_once_a_row_and_once_beside_its_name() -> None:
    drawing = dots({"a & b": {"we": 0.9, "they": 0.5}}, spans={"a & b": (0.8, 0.95)}, marks={"a & b": 0.7})
    tree = ET.fromstring(drawing)
    circles = [node for node in tree.iter() if node.tag.endswith("circle")]
    assert len(circles) == 4
    assert {"a & b", "we", "they", "0.5", "1"} <= {node.text for node in tree.iter() if node.text}


class _Letters(Embedder):
    """Counts letters; notes how many texts it was given."""

    def __init__(self) -> None:
        self.seen = 0

    @property
    def model_id(self) -> str:
        return "letters"

    @property
    def dimension(self) -> int:
        return 26

    async def embed_batch(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        self.seen += len(texts)
        rows = [[float(text.lower().count(chr(ord("a") + place))) for place in range(26)] for text in texts]
        return np.array(rows, np.float32)


def _question(question_id: str, kind: str, turns: set[str]) -> Question:
    return Question(question_id, kind, "?", answerable=True, sessions=frozenset(), turns=frozenset(turns))
