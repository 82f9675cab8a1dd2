from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import NotFound, StorageFull
from remanent.jobs import Requeue, describe_failure, retry_delay
from remanent.model import id_source

SECRET = "my diagnosis is none of your business"


def raised(error: BaseException) -> BaseException:
    with pytest.raises(type(error)) as caught:
        raise error
    return caught.value


def test_our_own_errors_keep_their_message() -> None:
    assert describe_failure(StorageFull("no room; free some")) == "StorageFull: no room; free some"
    assert describe_failure(Requeue("segmentation failed")) == "Requeue: segmentation failed"


@pytest.mark.parametrize("kind", [ValueError, KeyError, RuntimeError, TypeError, UnicodeError])
def test_the_message_of_a_foreign_error_is_left_out_because_it_may_quote_a_text(kind: type[Exception]) -> None:
    text = describe_failure(raised(kind(SECRET)))
    assert text.startswith(f"{kind.__name__} in tests.jobs.test_runner, line ")
    assert SECRET not in text


def test_an_operating_system_error_keeps_its_reason_without_the_path() -> None:
    assert describe_failure(FileNotFoundError(2, "No such file or directory", SECRET)) == (
        "FileNotFoundError: No such file or directory"
    )


def test_the_place_is_the_innermost_one_inside_remanent() -> None:
    def clock() -> datetime:
        raise ValueError(SECRET)

    with pytest.raises(ValueError, match=SECRET) as caught:
        id_source(clock)()
    assert describe_failure(caught.value).startswith("ValueError in remanent.model.ids, line ")


def test_an_error_that_was_never_raised_has_no_place() -> None:
    assert describe_failure(ValueError(SECRET)) == "ValueError"


@given(message=st.text())
def test_a_description_is_one_short_line_that_can_be_written(message: str) -> None:
    text = describe_failure(NotFound(message * 40))
    assert len(text) <= 300
    assert text.splitlines() == [text]
    text.encode()


seconds = st.floats(min_value=0.001, max_value=1e6)


def test_waits_double_from_one_second_to_thirty() -> None:
    waits = [retry_delay(failures, base=1, cap=30).total_seconds() for failures in range(1, 9)]
    assert waits == [1, 2, 4, 8, 16, 30, 30, 30]


@given(failures=st.integers(1, 2**40), base=seconds, cap=seconds)
def test_a_wait_is_never_longer_than_the_cap_nor_shorter_than_the_one_before(
    failures: int, base: float, cap: float
) -> None:
    wait = retry_delay(failures, base=base, cap=cap).total_seconds()
    following = retry_delay(failures + 1, base=base, cap=cap).total_seconds()
    assert 0 < wait <= following
    assert following <= max(cap, 1e-6) + 1e-6


@given(failures=st.integers(-5, 1), base=seconds)
def test_before_any_second_failure_the_wait_is_the_base(failures: int, base: float) -> None:
    assert retry_delay(failures, base=base, cap=1e9) == retry_delay(1, base=base, cap=1e9)
