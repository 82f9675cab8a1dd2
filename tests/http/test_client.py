from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.http.client import Scrubber, backoff, retry_after

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


NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(("failures", "longest"), [(1, 1.0), (2, 2.0), (3, 4.0), (6, 30.0), (10_000, 30.0)])
def test_the_wait_doubles_up_to_the_cap_and_half_of_it_is_chance(failures: int, longest: float) -> None:
    waits = [backoff(failures, base=1.0, cap=30.0, chance=chance) for chance in (0.0, 0.5, 1.0)]
    assert waits == [longest / 2, longest * 3 / 4, longest]


@given(st.integers(-5, 10**9), st.floats(0.001, 1e6), st.floats(0.001, 1e6), st.floats(0, 1))
def test_no_wait_is_longer_than_the_cap(failures: int, base: float, cap: float, chance: float) -> None:
    assert 0 < backoff(failures, base=base, cap=cap, chance=chance) <= cap


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"retry-after": " 1.5 "}, 1.5),
        ({"Retry-After": "Mon, 02 Mar 2026 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Mon, 02 Mar 2026 13:00:30 +0100"}, 30.0),
        ({"Retry-After": "Mon Mar  2 12:00:30 2026"}, 30.0),
        ({"Retry-After": "Mon, 02 Mar 2026 11:00:00 GMT"}, 0.0),
        ({"Retry-After-Ms": "250", "Retry-After": "7"}, 0.25),
        ({"Retry-After-Ms": "soon", "Retry-After": "7"}, 7.0),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "Mon, 99 Mar 99999 12:00:30 GMT"}, None),
        ({}, None),
    ],
)
def test_what_a_provider_asks_for_is_read_in_each_of_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, now=NOON) == seconds


@given(st.text(max_size=40))
def test_any_header_is_read_or_ignored(value: str) -> None:
    seconds = retry_after({"Retry-After": value}, now=NOON)
    assert seconds is None or seconds >= 0
