import asyncio

import pytest

from remanent.errors import ModelRejected, ModelUnavailable, Refused
from remanent.language.models.engine import CircuitBreaker, CircuitOpen


class Time:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def breaker(time: Time) -> CircuitBreaker:
    return CircuitBreaker("acme", failures=3, rest=30.0, now=time)


def fail(breaker: CircuitBreaker, *, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(ModelUnavailable, match="down"), breaker.guard():
            raise ModelUnavailable("down")


def succeed(breaker: CircuitBreaker) -> None:
    with breaker.guard():
        pass


def test_it_opens_after_so_many_failures_in_a_row_and_says_for_how_long(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, times=2)
    assert not breaker.is_open()
    fail(breaker)
    assert breaker.is_open()
    time.seconds += 10
    with pytest.raises(CircuitOpen, match="acme failed 3 times in a row and is paused for 20 s") as caught:
        succeed(breaker)
    assert caught.value.retry_after == 20


def test_a_success_in_between_starts_the_count_anew(breaker: CircuitBreaker) -> None:
    fail(breaker, times=2)
    succeed(breaker)
    fail(breaker, times=2)
    assert not breaker.is_open()


@pytest.mark.parametrize("error", [ModelRejected("no key"), Refused("nonsense")])
def test_a_provider_that_answers_badly_is_there(breaker: CircuitBreaker, error: Exception) -> None:
    fail(breaker, times=2)
    with pytest.raises(type(error)), breaker.guard():
        raise error
    fail(breaker, times=2)
    assert not breaker.is_open()


def test_after_the_rest_one_request_probes_and_the_others_wait(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, times=3)
    time.seconds += 30
    assert not breaker.is_open()
    with breaker.guard():
        assert breaker.is_open()
        with pytest.raises(CircuitOpen):
            succeed(breaker)
    assert not breaker.is_open()
    succeed(breaker)


def test_a_probe_that_fails_means_another_rest(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, times=3)
    time.seconds += 30
    fail(breaker)
    assert breaker.is_open()
    time.seconds += 29
    assert breaker.is_open()
    time.seconds += 1
    succeed(breaker)
    assert not breaker.is_open()


def test_a_probe_that_is_cancelled_lets_the_next_one_probe(breaker: CircuitBreaker, time: Time) -> None:
    fail(breaker, times=3)
    time.seconds += 30
    with pytest.raises(asyncio.CancelledError), breaker.guard():
        raise asyncio.CancelledError
    assert not breaker.is_open()
    succeed(breaker)
    fail(breaker, times=2)
    assert not breaker.is_open()


def test_a_request_that_was_cancelled_counts_neither_way(breaker: CircuitBreaker) -> None:
    fail(breaker, times=2)
    with pytest.raises(asyncio.CancelledError), breaker.guard():
        raise asyncio.CancelledError
    fail(breaker)
    assert breaker.is_open()
