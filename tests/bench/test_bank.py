from bench.bank import (
    Outcome,
    attempt,
    calls_per_10k,
    figures_of,
    run_bank_bench,
    search_times,
    single_topic,
)
from bench.tasks import TaskCase, TaskKind, task_cases
from remanent.embedding import Embedders
from tests.language.offline.fakes import WordEmbedder


def outcome(case: TaskCase, *, evidence: bool = True, raised: bool = False, alarms: tuple[str, ...] = ()) -> Outcome:
    return Outcome(case=case, has_evidence=evidence, raised=raised, false_alarms=alarms, calls=1)


def embedders() -> Embedders:
    return Embedders(WordEmbedder())


async def test_a_planted_contradiction_is_raised_and_the_right_sentence_stands_in_the_prompt() -> None:
    for number in (0, 1):  # one English, one Chinese
        case = task_cases(TaskKind.RESEARCH, count=2)[number]
        found = await attempt(case, embedders())
        assert found.raised
        assert found.has_evidence
        assert not found.false_alarms
        assert found.calls


async def test_a_task_with_nothing_planted_and_a_dialogue_whose_user_moves_on_are_judged_alike() -> None:
    quiet = task_cases(TaskKind.RESEARCH, count=3)[2]
    assert not quiet.wrong
    found = await attempt(quiet, embedders())
    assert not found.raised
    assert found.has_evidence
    changed = task_cases(TaskKind.DIALOGUE, count=1)[0]
    assert (await attempt(changed, embedders())).raised


def test_the_figures_are_shares_of_the_tasks_and_say_whether_they_keep_the_promise() -> None:
    cases = task_cases(TaskKind.RESEARCH, count=4)
    outcomes = [
        outcome(case, evidence=number != 3, raised=number == 0, alarms=("a / b",) if number == 2 else ())
        for number, case in enumerate(cases)
    ]
    evidence, raised, alarms = figures_of(TaskKind.RESEARCH, outcomes)
    assert (evidence.value, evidence.kept) == (75.0, False)
    assert (raised.value, raised.kept) == (50.0, False)
    assert (alarms.value, alarms.kept) == (25.0, False)
    every = figures_of(TaskKind.DOCUMENT, [outcome(case) for case in task_cases(TaskKind.DOCUMENT, count=2)])
    assert [figure.kept for figure in every] == [True, True]


async def test_a_text_on_one_topic_has_the_length_that_was_asked_for_and_costs_few_calls() -> None:
    assert len(single_topic(5_000)) == 5_000
    assert 0 < await calls_per_10k(embedders()) <= 6


async def test_every_search_of_a_filled_graph_is_timed() -> None:
    times = await search_times(embedders(), nodes=40, searches=5)
    assert len(times) == 5
    assert all(wall > 0 for wall, _ in times)


def test_the_whole_measurement_tells_how_far_it_is_and_gives_every_figure() -> None:
    said: list[str] = []
    figures = run_bank_bench(said.append, count=1, seed=3, nodes=30, embedders=embedders())
    names = [figure.name for figure in figures]
    assert [name for name in names if name.endswith("right evidence in the prompt")] == [
        "deep research: right evidence in the prompt",
        "long document: right evidence in the prompt",
        "long dialogue: right evidence in the prompt",
    ]
    assert "search of 30 nodes, p95" in names
    assert "calls per 10,000 characters on one topic" in names
    assert said[-1] == "search among 30 nodes"
