"""What disciplines and the context do with a text or a conversation grows with it, as `text/` and `language/` do.

How their functions are called stands in the `growth.py` of their own folders; of the disciplines, those count that are
there.
"""

from importlib import import_module

import pytest

from remanent.plugins import ours_available
from tests.growth import FULL, HUGE, Work, public_functions, seconds, takes_just_a_text, too_fast
from tests.hostile import CORE, HOSTILE, Maker, numbered, repeated


def _works(package: str) -> dict[str, Work]:
    told = import_module(f"tests.{package}.growth")
    functions = public_functions(f"remanent.{package}", *told.MODULES)
    called: dict[str, Work] = told.ADAPTERS
    return {name: function for name, function in functions.items() if takes_just_a_text(function)} | called


MEASURED = ("context", *sorted({"cognition", "knowledge", "workspace"} & set(ours_available())))
WORKS: dict[str, Work] = {name: work for package in MEASURED for name, work in _works(package).items()}
TEXTS: dict[str, Maker] = {
    "sections with listings": repeated("# a\n\n```\nx\n```\n\nb.\n\n"),
    "sections with tables": numbered("## {0}\n\n|a|b|\n|-|-|\n|1|2|\n\nWords of {0}.\n\n"),
    "bullets": numbered("- User request: do {}.\n"),
    "headings": repeated("# a\n"),
    "comments": repeated("<!-- a"),
    "words": numbered("{} "),
}


@pytest.mark.spec("SAFE-07")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_what_is_given(name: str) -> None:
    assert not too_fast(WORKS[name], TEXTS)


@pytest.mark.spec("SAFE-07")
@pytest.mark.skipif(not FULL, reason="takes long: at full counts only")
@pytest.mark.parametrize("name", sorted(WORKS))
def test_work_grows_with_hostile_texts_and_with_a_million_characters(name: str) -> None:
    assert not too_fast(WORKS[name], HOSTILE)
    assert not too_fast(WORKS[name], CORE | TEXTS, large=HUGE)


@pytest.mark.parametrize("name", sorted(WORKS))
def test_every_function_takes_every_hostile_text(name: str) -> None:
    """Short, whatever is in it; how the work grows with the long ones is measured at full counts."""
    for make in (HOSTILE | CORE | TEXTS).values():
        seconds(WORKS[name], make(500))
    seconds(WORKS[name], CORE["all of them"](5_000))


def test_work_that_grows_faster_only_in_the_last_part_of_a_long_text_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of its own: how busy the machine is does not decide whether the measure is right."""
    clock = 0.0
    monkeypatch.setattr("tests.growth.thread_time", lambda: clock)

    def work(text: str) -> None:
        nonlocal clock
        # By the square from there on, and not by a step: a step is what a text that outgrows a cache looks like.
        clock += len(text) * 1e-6 * max(1.0, len(text) / 50_000)

    def step(text: str) -> None:
        nonlocal clock
        clock += len(text) * 1e-6 * (2.0 if len(text) > 50_000 else 1.0)

    assert set(too_fast(work, {"words": TEXTS["words"]})) == {"words"}
    assert not too_fast(step, {"words": TEXTS["words"]})
