import pytest

from remanent.http.scrubbing import Scrubber

KEY = "canary-0123456789"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        (f"the key {KEY} is wrong", "the key *** is wrong"),
        ("one\n  line\tof it", "one line of it"),
        ("Incorrect API key provided: sk-abcd********wxyz.", "Incorrect API key provided: ***."),
        ("header Authorization: Bearer abcdef", "header Authorization: ***"),
        ("a disk-based risk-free task", "a disk-based risk-free task"),
        ("x" * 400, "x" * 299 + "…"),
    ],
)
def test_a_text_loses_its_keys_and_its_lines(text: str, clean: str) -> None:
    assert Scrubber([KEY]).clean(text) == clean


def test_a_placeholder_is_not_hidden() -> None:
    assert Scrubber(["", "a"]).clean("a banana") == "a banana"


def test_a_key_that_is_a_part_of_another_leaves_no_rest() -> None:
    assert Scrubber(["canary", "canary-long"]).clean("canary-long canary") == "*** ***"


def test_a_cause_is_kept_only_while_none_of_it_shows_a_key() -> None:
    scrubber = Scrubber([KEY])
    harmless = ValueError("nothing to see")
    assert scrubber.cause(harmless) is harmless
    assert scrubber.cause(ValueError(f"sent {KEY}")) is None
    outer = ValueError("outer")
    outer.__cause__ = ValueError(f"sent {KEY}")
    assert scrubber.cause(outer) is None
