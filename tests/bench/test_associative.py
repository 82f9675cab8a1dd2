"""A short year of the associative memory: what the long one is measured by holds for it, and can fail."""

import asyncio
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.associative import (
    Life,
    Look,
    Remembering,
    Schedule,
    life_figures,
    live,
    write_report,
)

MESSAGES = 300
QUICK: dict[Schedule, dict[str, Any]] = {
    "least-scanned": {"decay_rate": 0.5},
    "fixed": {"decay_rate": 0.5, "max_nodes": 80, "compression_batch_size": 20},
}


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Life]:
    """A year of each schedule that forgets quickly."""
    engine = Remembering()
    return {
        schedule: asyncio.run(
            live(
                tmp_path_factory.mktemp("year"),
                messages=MESSAGES,
                schedule=schedule,
                engine=engine,
                looks=15,
                **settings,
            )
        )
        for schedule, settings in QUICK.items()
    }


@pytest.mark.spec("ASSOC-12")
def test_size_is_bounded_by_slots_or_by_importance(lives: dict[str, Life]) -> None:
    assert lives["fixed"].most_nodes <= 80
    sizes = [look.nodes for look in lives["least-scanned"].looks]
    assert max(sizes) < MESSAGES * 2 / 3
    assert sizes[-1] <= 1.1 * max(sizes[: len(sizes) // 2])


def test_nothing_is_given_up_and_what_is_said_often_is_recalled(lives: dict[str, Life]) -> None:
    for life in lives.values():
        assert life.dead_letters == 0
        assert [figure.name for figure in life_figures(life) if figure.kept is False] == []


def test_what_was_said_once_is_recalled_while_it_is_young(lives: dict[str, Life]) -> None:
    curve = lives["least-scanned"].forgetting(bins=6)
    shares = [share for _, share in curve]
    assert shares[0] > 0.9
    assert shares[-1] < 0.1
    assert shares == sorted(shares, reverse=True)


def test_the_curves_are_drawn_and_told(lives: dict[str, Life], tmp_path: Path) -> None:
    write_report(tmp_path, list(lives.values()))
    for name in ("size", "strength", "forgetting"):
        drawing = ET.parse(tmp_path / f"associative-{name}.svg").getroot()
        assert len(drawing.findall("{http://www.w3.org/2000/svg}polyline")) == 2
    assert "| day | nodes |" in (tmp_path / "associative.md").read_text(encoding="utf-8")


def _lived(*looks: Look) -> Life:
    return Life("least-scanned", 10, looks=list(looks), most_nodes=9)


def test_growth_lost_jobs_and_bad_recall_are_told_as_broken_promises() -> None:
    good = Look(1.0, 100, 900, 0.5, 1.0, ())
    assert [figure.kept for figure in life_figures(_lived(good, good)) if figure.kept is not None] == [True] * 3
    grown = life_figures(_lived(good, good, replace(good, nodes=150)))
    assert [figure.name for figure in grown if figure.kept is False] == [
        "a year, least-scanned, growth of the second half"
    ]
    deaf = life_figures(_lived(replace(good, often=0.9)))
    assert [figure.value for figure in deaf if figure.kept is False] == [90.0]
    lost = _lived(good)
    lost.dead_letters = 1
    assert [figure.name for figure in life_figures(lost) if figure.kept is False] == [
        "a year, least-scanned, jobs given up"
    ]


def test_ages_are_read_off_the_curve() -> None:
    once = tuple((float(age), age < 50) for age in range(100))
    life = _lived(Look(1.0, 1, 1, 0.5, 1.0, once))
    assert dict(life.remembered([10, 40, 90, 400])) == {10: 1.0, 40: 1.0, 90: 0.0}


def test_each_run_that_goes_on_knows_how_many_were_cut_off(tmp_path: Path) -> None:
    # A job that a run left held ends its time only as the year's own clock goes on: a later run must be later.
    file = tmp_path / "life.json"
    for runs in range(3):
        life = Life.kept_in(file, "fixed", 20)
        assert life.cut_off == runs
        life.keep_in(file)
