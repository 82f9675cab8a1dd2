import pytest

from bench.tasks import TaskCase, TaskKind, task_cases


@pytest.mark.parametrize("kind", TaskKind)
def test_the_same_seed_gives_the_same_tasks_half_of_them_chinese(kind: TaskKind) -> None:
    cases = task_cases(kind, count=12)
    assert cases == task_cases(kind, count=12)
    assert [case.language for case in cases].count("zh") == 6
    assert len({case.given for case in cases}) == 12


@pytest.mark.parametrize("kind", TaskKind)
def test_the_answer_stands_in_what_is_given_and_so_does_what_contradicts_it(kind: TaskKind) -> None:
    for case in task_cases(kind, count=20):
        text = "\n".join(passage.text for passage in case.given)
        assert case.answer in text
        assert not case.wrong or case.wrong in text
        assert case.wrong != case.answer
        assert case.answer in case.evidence


def planted(case: TaskCase) -> bool:
    return bool(case.wrong)


def test_half_of_the_research_and_of_the_dialogues_have_a_contradiction_and_documents_have_none() -> None:
    assert sum(map(planted, task_cases(TaskKind.RESEARCH))) == 26
    assert sum(map(planted, task_cases(TaskKind.DIALOGUE))) == 26
    assert not any(map(planted, task_cases(TaskKind.DOCUMENT)))


def test_the_library_of_a_research_task_sides_with_the_answer() -> None:
    for case in task_cases(TaskKind.RESEARCH, count=20):
        assert len(case.library) == 2
        assert all(case.answer in passage.text for passage in case.library)
