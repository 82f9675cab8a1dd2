"""Forms of a value that have one reading are read; others are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput, Refused
from remanent.language.shapes import Confidence, IdAliases, Numbers, known_numbers, require_known
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
    assert [aliases.find(name) for name in aliases.names] == ids


@pytest.mark.parametrize("written", ["n2", "N2", " n2 ", "[n2]", '"n2"', "(n2).", "<n2>"])
def test_marks_around_a_name_do_not_matter(written: str) -> None:
    assert IdAliases(["a", "b"]).find(written) == "b"


@pytest.mark.parametrize("written", ["n3", "n0", "", "a", "n", "none", "x" * 10_000])
@pytest.mark.spec("USE-08")
def test_a_name_that_was_not_shown_is_passed_over(written: str) -> None:
    assert IdAliases(["a", "b"]).find(written) is None


@pytest.mark.spec("USE-08")
def test_a_reply_is_refused_only_when_none_of_its_names_was_shown() -> None:
    aliases = IdAliases(["a", "b"])
    aliases.require(["a"], named=["n1", "n77"])
    aliases.require([], named=[])
    with pytest.raises(Refused, match=r"'n77' was not shown; use only these names: n1, n2"):
        aliases.require([], named=["n77"])
    # "Use only these names: none" made a model write "none".
    IdAliases([]).require([], named=["n1"])


@pytest.mark.spec("USE-08")
def test_numbers_that_were_not_shown_are_passed_over_one_by_one() -> None:
    assert known_numbers([3, 0, 1, 4, 3, -1], shown=3) == [3, 1]
    require_known([3, 77], shown=3)
    with pytest.raises(Refused, match="passage 77 was not shown; the numbers are 1 to 3"):
        require_known([77, 0], shown=3)
