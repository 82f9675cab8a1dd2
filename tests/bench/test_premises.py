"""Generated episodes in which what memories rest on changes, by type and by way."""

from bench.premises import TYPES, WAYS, episodes, run_premises_bench


def test_there_are_200_episodes_a_way_in_both_languages() -> None:
    told = episodes()
    assert {way: sum(one.way == way for one in told) for way in WAYS} == dict.fromkeys(WAYS, 200)
    assert {one.type.name[-2:] for one in told} == {"en", "zh"}


def test_each_type_and_way_has_its_figures_and_what_is_promised_holds() -> None:
    figures = run_premises_bench(lambda _: None, each=6)
    assert len(figures) == 2 * len(WAYS) * (1 + len(TYPES))
    assert all(figure.value >= 0.6 for figure in figures), figures
    assert [figure.kept for figure in figures if figure.promise] == [True] * 4
