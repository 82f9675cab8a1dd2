"""The trial of a real model, by a model that says the same to everything: what is lost, found and admitted then."""

import asyncio
import re
from pathlib import Path

import pytest

from bench import model_trial
from tests.language.scripted.server import ScriptedServer
from tests.language.scripted.steps import says


@pytest.mark.needs("bank", "associative")
@pytest.mark.spec("USE-08")
async def test_a_model_that_only_ever_shrugs_loses_nothing_and_hides_no_contradiction(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with ScriptedServer(forever=says("我不记得。")) as server:
        trial = model_trial.Trial(server.base_url, "parrot", window=8_000, minutes=0.02)
        rest = [part for part in model_trial.PARTS if part != "inputs"]
        told = await asyncio.to_thread(model_trial.report, trial, rest)
    assert "Messages lost of 28: 0" in told
    rows = [line.split(" | ") for line in told.splitlines() if "Kelt" in line or "凯尔特" in line]
    assert [(row[1], row[2]) for row in rows] == [("1", "yes"), ("1", "yes")], told
    ends = [line.split(" | ")[4] for line in told.splitlines() if line.count(" | ") == 7][1:]
    assert ends == ["done"] * 6, told
    found = re.search(r"Contradictions found of 21: (\d+); without a model (\d+)", told)
    assert found is not None
    assert int(found[1]) >= int(found[2]) >= 15, told
    rows = [line.strip("| ").split(" | ") for line in told.splitlines() if re.match(r"\| (?:en|zh) \|", line)]
    assert [(row[0], row[2]) for row in rows] == [
        ("en", "10 of 10"), ("en", "0 of 10"), ("zh", "10 of 10"), ("zh", "0 of 3"),
    ], told  # fmt: skip
    progress = capsys.readouterr().err
    parts = (
        "answers by schema",
        "answers by text",
        "30 messages",
        "21 contradictions",
        "6 banks",
        "20 questions",
        "13 questions",
    )
    assert [part for part in parts if part in progress] == list(parts)


async def test_a_model_that_only_ever_shrugs_is_refused_wherever_a_form_is_asked_for(tmp_path: Path) -> None:
    kept = tmp_path / "trial.json"
    async with ScriptedServer(forever=says("我不记得。")) as server:
        trial = model_trial.Trial(server.base_url, "parrot", window=8_000, minutes=1, most=32, kept=kept)
        told = await asyncio.to_thread(model_trial.report, trial, ["inputs"])
        asked = len(server.requests)
        again = model_trial.Trial(server.base_url, "parrot", window=8_000, minutes=1, most=32, kept=kept)
        assert await asyncio.to_thread(model_trial.report, again, ["inputs"]) == told
        assert len(server.requests) == asked
    found = re.findall(r"\| (schema|text) \| (\d+) of (\d+) \|", told)
    assert [(output, asked) for output, _, asked in found] == [("schema", "32"), ("text", "32")]
    assert all(24 <= int(refused) < 32 for _, refused, _ in found), told


def test_what_is_tried_by_lot_is_the_same_for_one_seed_and_another_for_others() -> None:
    drawn = [model_trial.by_lot(range(20), 4, seed) for seed in (1, 1, 2, 3)]
    assert drawn[0] == drawn[1] == sorted(drawn[0])
    assert len({tuple(one) for one in drawn}) == 3
    assert model_trial.by_lot(range(3), 4, 1) == model_trial.by_lot(range(3), None, 1) == [0, 1, 2]


def test_what_a_lot_leaves_possible_is_bounded_as_usual() -> None:
    assert [round(model_trial.most_likely(found, 30), 3) for found in (0, 1, 30)] == [0.095, 0.149, 1.0]
