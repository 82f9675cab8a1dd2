import threading
import uuid
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from remanent.model import id_source
from remanent.model.ids import uuid7

START = datetime(2025, 3, 1, tzinfo=UTC)


def test_ids_rise_strictly_within_one_millisecond() -> None:
    new_id = id_source(lambda: START, seed=1)
    made = [new_id() for _ in range(5_000)]
    assert made == sorted(set(made))


@given(st.lists(st.integers(-5_000, 5_000), min_size=1, max_size=50))
def test_ids_rise_strictly_whatever_the_clock_does(steps: list[int]) -> None:
    moments = iter([START + timedelta(milliseconds=step) for step in steps])
    new_id = id_source(lambda: next(moments), seed=1)
    made = [new_id() for _ in steps]
    assert made == sorted(set(made))


def test_ids_are_uuids_of_version_7_that_tell_their_time() -> None:
    made = uuid.UUID(id_source(lambda: START)())
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == int(START.timestamp() * 1000)


def test_a_seed_makes_the_same_ids_again_and_no_seed_makes_others() -> None:
    assert id_source(lambda: START, seed=3)() == id_source(lambda: START, seed=3)()
    assert id_source(lambda: START)() != id_source(lambda: START)()


def test_ids_made_on_several_threads_are_all_different() -> None:
    new_id = id_source(lambda: START)
    made: list[str] = []

    def make() -> None:
        made.extend(new_id() for _ in range(500))

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 2_000


@given(st.integers(0, 2**48 - 1), st.integers(0, 2**74 - 1))
def test_every_time_and_randomness_gives_a_well_formed_uuid(millis: int, tail: int) -> None:
    text = uuid7(millis, tail)
    assert str(uuid.UUID(text)) == text
    assert uuid.UUID(text).version == 7
