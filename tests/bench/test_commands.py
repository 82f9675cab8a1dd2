from collections.abc import Callable
from pathlib import Path

import pytest

from bench import commands
from bench.figures import Figure
from bench.retrieval.bench import Plan
from bench.retrieval.comparing import Meter
from tests.cli.conftest import Cli, user_at

KEPT = Figure("durable writes", 612.5, "writes/s", "≥ 250", True)
BROKEN = Figure("search", 31.0, "ms", "≤ 15", False)
PLAIN = Figure("size on disk", 12.0, "MB")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    return Cli(user_at(tmp_path, monkeypatch), commands.app)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    figures: list[Figure] = []

    def run(home: Path, *, full: bool, report: Callable[[str], None]) -> list[Figure]:
        assert home.is_dir()
        report(f"measuring, full: {full}")
        return figures

    monkeypatch.setattr(commands, "run_store_bench", run)
    return figures


def test_figures_are_shown_beside_what_was_promised(bench: Cli, measured: list[Figure]) -> None:
    measured += [KEPT, PLAIN]
    said = bench("store")
    assert said.code == 0
    assert said.err == "measuring, full: False\n"
    for word in ("durable writes", "612.5 writes/s", "≥ 250", "✓", "12 MB"):
        assert word in said.out


def test_a_promise_that_is_not_kept_is_a_failed_check(bench: Cli, measured: list[Figure]) -> None:
    measured += [KEPT, BROKEN]
    said = bench("store", "--full", "--json")
    assert said.code == 1
    assert [figure["kept"] for figure in said.json] == [True, False]
    assert "full: True" in said.err


def test_it_measures_in_a_fresh_folder_and_removes_it(bench: Cli, measured: list[Figure], tmp_path: Path) -> None:
    measured += [KEPT]
    assert bench("store", "--home", tmp_path).code == 0
    assert not list(tmp_path.glob("remanent-bench-*"))


def test_embedding_is_measured_too(bench: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*, report: Callable[[str], None]) -> list[Figure]:
        report("in turn")
        return [PLAIN, BROKEN]

    monkeypatch.setattr(commands, "run_embedding_bench", run)
    said = bench("embedding", "--json")
    assert said.code == 1
    assert [figure["name"] for figure in said.json] == ["size on disk", "search"]


def test_cognition_is_measured_too_with_as_many_memories_as_are_named(
    bench: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def run(home: Path, *, size: int, report: Callable[[str], None]) -> list[Figure]:
        assert home.is_dir()
        report("briefing")
        sizes.append(size)
        return [PLAIN, KEPT]

    monkeypatch.setattr(commands, "run_cognition_bench", run)
    said = bench("cognition", "--size", "2000", "--json")
    assert said.code == 0, said.err
    assert [figure["name"] for figure in said.json] == ["size on disk", "durable writes"]
    assert bench("cognition").code == 0
    assert sizes == [2_000, 100_000]


@pytest.fixture
def recalled(monkeypatch: pytest.MonkeyPatch) -> list[Plan]:
    plans: list[Plan] = []

    def run(plan: Plan, report: Callable[[str], None], *, folder: Path | None, meter: Meter) -> list[Figure]:
        plans.append(plan)
        report("measuring")
        meter("one set", 2)(1)
        meter("another", 1)(1)
        return [KEPT]

    monkeypatch.setattr(commands, "run_recall_bench", run)
    monkeypatch.delenv("REMANENT_EVAL_DATA", raising=False)
    return plans


def test_recall_is_measured_on_the_sets_of_the_folder_that_is_named(
    bench: Cli, recalled: list[Plan], tmp_path: Path
) -> None:
    refused = bench("recall")
    assert refused.code != 0
    assert "--data" in refused.err
    assert not recalled
    assert bench("recall", "--data", tmp_path).code == 0
    assert bench("recall", "--data", tmp_path, "--set", "beam", "--quality", "--alone").code == 0
    first, second = recalled
    assert first.data == tmp_path
    assert (first.sets[0], first.rivals, first.quality) == ("locomo", True, False)
    assert (second.data, second.sets, second.rivals, second.quality) == (tmp_path, ("beam",), False, True)
