import inspect
from collections import Counter

import pytest

from remanent.stores.conformance import BlobsConformance, CacheConformance, StoreConformance, VectorsConformance
from remanent.stores.conformance.base import StoreSuite

SUITES = (StoreConformance, VectorsConformance, CacheConformance, BlobsConformance)


def test_no_part_of_the_suite_hides_what_another_defines() -> None:
    names: Counter[str] = Counter()
    for part in StoreConformance.__mro__:
        if part not in (object, StoreSuite):
            names.update(name for name in vars(part) if not name.startswith("__"))
    assert [name for name, times in names.items() if times > 1] == []


@pytest.mark.parametrize("suite", SUITES)
def test_every_promise_is_an_async_test_named_as_a_sentence(suite: type) -> None:
    tests = {name: test for name, test in inspect.getmembers(suite, inspect.isfunction) if name.startswith("test_")}
    assert len(tests) > 10
    for name, test in tests.items():
        assert inspect.iscoroutinefunction(test), name
        assert name.count("_") >= 3, name
