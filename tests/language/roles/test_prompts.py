"""What models are told, word for word: a change of a prompt shows up as a change of a file.

Run with REMANENT_UPDATE_SNAPSHOTS=1 to write the files anew, then read the difference before committing it.
"""

import os
import re
from pathlib import Path

import pytest

from remanent.language.role import Prompt
from remanent.language.roles import all_roles
from tests.language.roles.cases import CASES, role_of

SNAPSHOTS = Path(__file__).parent / "snapshots"
UPDATE = os.environ.get("REMANENT_UPDATE_SNAPSHOTS") == "1"
HAN = re.compile(r"[\u4e00-\u9fff]")


def told(case: str) -> Prompt:
    role, request = role_of(case), CASES[case]
    return role.prompt(request, language=role.language(request))


def as_text(prompt: Prompt) -> str:
    parts = [f"=== instructions\n{prompt.instructions}", f"=== content\n{prompt.content}"]
    parts += [f"=== {turn.speaker}\n{turn.text}" for turn in prompt.turns]
    return "\n\n".join(parts) + "\n"


@pytest.mark.parametrize("case", CASES)
def test_a_prompt_is_as_it_was_last_agreed_on(case: str) -> None:
    path = SNAPSHOTS / f"{case}.txt"
    text = as_text(told(case))
    if UPDATE:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def test_no_snapshot_is_left_of_a_case_that_is_gone() -> None:
    assert {path.stem for path in SNAPSHOTS.iterdir()} == set(CASES)


def test_every_role_is_shown_in_both_languages() -> None:
    seen = {(case.partition(".")[0], case.rpartition(".")[2]) for case in CASES}
    assert seen == {(name, language) for name in all_roles() for language in ("zh", "en")}


@pytest.mark.parametrize("case", CASES)
def test_a_model_is_spoken_to_in_the_language_of_the_text(case: str) -> None:
    role, request = role_of(case), CASES[case]
    language = role.language(request)
    assert language == case.rpartition(".")[2]
    assert bool(HAN.search(role.prompt(request, language=language).instructions)) == (language == "zh")


@pytest.mark.parametrize("case", [case for case in CASES if not case.startswith("react.")])
def test_instructions_do_not_depend_on_what_is_asked(case: str) -> None:
    """They are the beginning that a provider can cache, so nothing of the request stands in them."""
    role, request = role_of(case), CASES[case]
    instructions = told(case).instructions
    for text in re.findall(
        r'"(?:text|summary|message|query|question|goal|content|node)":"([^"]{6,})"', request.to_json()
    ):
        assert text not in instructions
    assert role.prompt(request, language=role.language(request)).instructions == instructions


@pytest.mark.parametrize("case", CASES)
def test_no_id_is_shown_to_a_model(case: str) -> None:
    text = as_text(told(case))
    assert "018f-" not in text


@pytest.mark.parametrize("case", CASES)
def test_instructions_are_short_enough_for_a_small_model(case: str) -> None:
    assert len(told(case).instructions) < 2_800
