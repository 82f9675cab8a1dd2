import asyncio
from dataclasses import asdict

import pytest

from remanent.errors import LanguageError, ModelRejected, ModelUnavailable, Refused
from remanent.language.engine import Usage
from remanent.language.models.call import Completion
from remanent.language.models.meter import RoleUsage, UsageMeter


class Time:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def test_what_runs_take_is_added_up_per_role() -> None:
    time = Time()
    meter = UsageMeter(now=time)
    with meter.run("planning") as tally:
        tally.requests, tally.retries, tally.repairs = 3, 1, 1
        tally.answers += [Completion("a", input_tokens=10, output_tokens=2, cost=0.5)]
        tally.answers += [Completion("b", input_tokens=20, output_tokens=3, cost=0.25)]
        time.seconds += 2
    assert tally.usage == Usage(requests=3, input_tokens=30, output_tokens=5, cost=0.75)
    with meter.run("planning") as tally:
        tally.requests = 1
        time.seconds += 1
    with meter.run("hyde") as tally:
        tally.requests = 1
    assert meter.read() == {
        "hyde": RoleUsage(runs=1, requests=1),
        "planning": RoleUsage(
            runs=2,
            requests=4,
            retries=1,
            repairs=1,
            input_tokens=30,
            output_tokens=5,
            cost=0.75,
            seconds=3.0,
            longest=2.0,
        ),
    }
    assert asdict(meter.read()["hyde"])["requests"] == 1


def test_a_price_that_is_not_known_is_not_taken_for_nothing() -> None:
    meter = UsageMeter(now=Time())
    with meter.run("hyde") as tally:
        tally.answers += [Completion("a", cost=None)]
    assert tally.usage.cost is None
    assert (meter.read()["hyde"].cost, meter.read()["hyde"].unpriced) == (None, 1)
    with meter.run("hyde") as tally:
        tally.answers += [Completion("a", cost=0.0), Completion("b", cost=None)]
    assert tally.usage.cost is None
    assert (meter.read()["hyde"].cost, meter.read()["hyde"].unpriced) == (0.0, 2)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (ModelUnavailable("x"), "unavailable"),
        (ModelRejected("x"), "rejected"),
        (Refused("x"), "refused"),
        (LanguageError("x"), "other"),
        (asyncio.CancelledError(), "stopped"),
        (ZeroDivisionError(), "stopped"),
    ],
)
def test_a_run_without_an_answer_is_counted_by_its_kind(error: BaseException, kind: str) -> None:
    meter = UsageMeter(now=Time())
    for _ in range(2):
        with pytest.raises(type(error)), meter.run("hyde"):
            raise error
    assert meter.read()["hyde"] == RoleUsage(runs=2, failures={kind: 2})
