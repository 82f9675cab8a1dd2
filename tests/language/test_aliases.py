"""A model can name only what it was shown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import Refused
from remanent.language.aliases import Aliases, check_numbers


@given(count=st.integers(1, 30))
def test_names_lead_back_to_their_ids(count: int) -> None:
    ids = [f"id-{number}" for number in range(count)]
    aliases = Aliases(ids)
    assert [aliases.real(name) for name in aliases.names] == ids


@pytest.mark.parametrize("written", ["n2", "N2", " n2 ", "[n2]", '"n2"', "(n2).", "<n2>"])
def test_marks_around_a_name_do_not_matter(written: str) -> None:
    assert Aliases(["a", "b"]).real(written) == "b"


@pytest.mark.parametrize("written", ["", "n3", "n0", "b", "a", "n1, n2", "n1n2", "node 1", "n²"])
def test_what_was_not_shown_is_refused_with_what_was(written: str) -> None:
    with pytest.raises(Refused, match="use only these names: n1, n2"):
        Aliases(["a", "b"]).real(written)


def test_a_refusal_repeats_only_the_beginning_of_a_name() -> None:
    with pytest.raises(Refused) as refusal:
        Aliases(["a"]).real("x" * 10_000)
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize("number", [0, 4, -1])
def test_a_number_that_was_not_shown_is_refused(number: int) -> None:
    with pytest.raises(Refused, match="1 to 3"):
        check_numbers([1, number], shown=3)
