"""Forms of a value that have one reading are read; others are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput, Refused
from remanent.language.replies import Confidence, IdAliases, Numbers, check_numbers
from remanent.model import Model


class Sample(Model):
    numbers: Numbers = ()
    confidence: Confidence = 0.5


@pytest.mark.parametrize(
    ("written", "numbers"),
    [
        pytest.param([1, 3], (1, 3), id="numbers"),
        pytest.param(["1", "p3", "[4]", "段落5"], (1, 3, 4, 5), id="texts"),
        pytest.param(["2-4", "p6–p7", "8至9"], (2, 3, 4, 6, 7, 8, 9), id="ranges"),
        pytest.param("1, 2、3", (1, 2, 3), id="a list in a text"),
        pytest.param(7, (7,), id="one"),
        pytest.param([], (), id="none"),
        pytest.param(["", 2], (2,), id="a blank"),
    ],
)
def test_numbers_are_read_however_they_are_written(written: object, numbers: tuple[int, ...]) -> None:
    assert Sample.model_validate({"numbers": written}).numbers == numbers


@pytest.mark.parametrize("written", [["one"], [1.5], [-1], ["1-9999999"], [None], ["9-2"], [{"n": 1}], ["1 or 2 or 3"]])
def test_what_names_no_number_is_no_number(written: object) -> None:
    with pytest.raises(InvalidInput):
        Sample.model_validate({"numbers": written})


@pytest.mark.parametrize(("written", "share"), [(0.9, 0.9), (1, 1.0), (95, 0.95), (0, 0.0), (100, 1.0)])
def test_a_confidence_in_per_cent_is_one(written: float, share: float) -> None:
    assert Sample.model_validate({"confidence": written}).confidence == share


@pytest.mark.parametrize("written", [-0.1, 101, float("nan"), float("inf"), "sure"])
def test_what_is_no_share_is_refused(written: object) -> None:
    with pytest.raises(InvalidInput):
        Sample.model_validate({"confidence": written})


@given(count=st.integers(1, 30))
def test_names_lead_back_to_their_ids(count: int) -> None:
    ids = [f"id-{number}" for number in range(count)]
    aliases = IdAliases(ids)
    assert [aliases.real(name) for name in aliases.names] == ids


@pytest.mark.parametrize("written", ["n2", "N2", " n2 ", "[n2]", '"n2"', "(n2).", "<n2>"])
def test_marks_around_a_name_do_not_matter(written: str) -> None:
    assert IdAliases(["a", "b"]).real(written) == "b"


@pytest.mark.parametrize("written", ["", "n3", "n0", "b", "a", "n1, n2", "n1n2", "node 1", "n²"])
def test_what_was_not_shown_is_refused_with_what_was(written: str) -> None:
    with pytest.raises(Refused, match="use only these names: n1, n2"):
        IdAliases(["a", "b"]).real(written)


def test_a_refusal_repeats_only_the_beginning_of_a_name() -> None:
    with pytest.raises(Refused) as refusal:
        IdAliases(["a"]).real("x" * 10_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_number_that_was_not_shown_is_refused(number: int) -> None:
    with pytest.raises(Refused, match="1 to 3"):
        check_numbers([1, number], shown=3)
