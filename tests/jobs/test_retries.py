from hypothesis import given
from hypothesis import strategies as st

from remanent.jobs import retry_delay

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
