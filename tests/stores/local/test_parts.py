"""The parts that an index is made of."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from remanent.model import Kind
from remanent.stores.queries import VECTORS_AT_ONCE
from remanent.stores.vector_rows import Codes, EncodedQuery, ProductPool, Rows, dot, normalise

KINDS = (Kind.TURN, Kind.NOTE, Kind.CHUNK)


@settings(deadline=None)
@given(st.integers(0, 700), st.integers(1, 70))
def test_products_are_those_of_a_plain_sum(rows: int, dimension: int) -> None:
    rng = np.random.default_rng(rows)
    matrix = rng.standard_normal((rows, dimension)).astype(np.float32)
    vector = rng.standard_normal(dimension).astype(np.float32)
    truth = matrix.astype(np.float64) @ vector.astype(np.float64)
    for height in (None, 1, 4, max(1, rows)):
        np.testing.assert_allclose(dot(matrix, vector, height=height), truth, atol=1e-4)


def test_work_that_is_shared_out_is_done_once_and_completely() -> None:
    products = ProductPool(threads=3)

    def fill(_: int) -> list[int]:
        done: list[int] = []
        products.share(done.append, range(250))
        return done

    # From threads of the pool itself, as searches do, and more of them than there are threads.
    for done in products.pool.map(fill, range(60)):
        assert sorted(done) == [*range(250)]
    products.close()


@given(st.lists(st.lists(st.floats(width=32), min_size=3, max_size=3), min_size=1, max_size=20))
def test_every_row_gets_length_one_or_becomes_zero(values: list[list[float]]) -> None:
    matrix = np.array(values, dtype=np.float32)
    lengths = np.linalg.norm(normalise(matrix.copy()).astype(np.float64), axis=1)
    for row, length in zip(matrix, lengths, strict=True):
        directed = np.isfinite(row).all() and row.any()
        assert abs(length - (1 if directed else 0)) < 1e-5


def test_what_must_not_be_written_to_is_copied() -> None:
    fixed = np.frombuffer(np.array([[3, 4]], dtype=np.float32).tobytes(), dtype=np.float32).reshape(1, 2)
    assert normalise(fixed).tolist() == [[np.float32(0.6), np.float32(0.8)]]
    assert fixed.tolist() == [[3, 4]]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 400), st.booleans()), max_size=12))
def test_rows_hold_what_was_put_and_not_removed(changes: list[tuple[int, int, bool]]) -> None:
    rows = Rows(2)
    truth: dict[str, tuple[Kind, float]] = {}
    for turn, (start, count, put) in enumerate(changes):
        some = [f"r{number}" for number in range(start, start + count)]
        if put:
            angles = np.linspace(0, 3, count) + turn
            matrix = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
            rows.put(some, [KINDS[turn % 3]] * count, matrix)
            truth.update(
                (name, (KINDS[turn % 3], float(cosine))) for name, cosine in zip(some, matrix[:, 0], strict=True)
            )
        else:
            rows.remove(some)
            for name in some:
                truth.pop(name, None)
    assert len(rows) == len(truth)
    products = ProductPool(threads=1)
    question = np.array([1, 0], dtype=np.float32)
    for kind in KINDS:
        places, scores, everything = rows.near(products, question, kinds=(kind,), count=len(truth))
        assert everything
        held = dict(zip(rows.ids_at(places), scores.tolist(), strict=True))
        assert held == pytest.approx({name: cosine for name, (of, cosine) in truth.items() if of == kind}, abs=1e-6)
    assert rows.end <= max(8, len(rows) * 8 / 7 + 1)
    products.close()


@pytest.mark.parametrize("before", [0, 5])
def test_whole_pages_of_a_store_lie_where_they_were_put_and_in_memory_once(before: int) -> None:
    width, pages = 256, 3
    count = before + pages * VECTORS_AT_ONCE
    ids = [str(number) for number in range(count)]
    truth = normalise(np.random.default_rng(1).standard_normal((count, width)).astype(np.float32))
    rows = Rows(width)
    rows.put(ids[:before], [Kind.TURN] * before, truth[:before].copy())
    tracemalloc.start()
    try:
        for start in range(before, count, VECTORS_AT_ONCE):
            stop = start + VECTORS_AT_ONCE
            rows.put(ids[start:stop], [Kind.TURN] * VECTORS_AT_ONCE, truth[start:stop].copy())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert np.array_equal(rows.take(np.arange(count)), truth)
    if before == 0:
        codes = sum(some.nbytes for some in rows._codes)
        assert peak < truth.nbytes + codes + 0.5 * truth.nbytes / pages, "no page is held beside a copy of it"


_SHAPES: dict[str, Callable[[np.random.Generator, int, int], "NDArray[np.float64]"]] = {
    "spread": lambda source, count, width: source.standard_normal((count, width)),
    "nearly alike": lambda source, count, width: 1 + 1e-4 * source.standard_normal((count, width)),
    "twins": lambda source, count, width: np.repeat(source.standard_normal((count // 4 + 1, width)), 4, axis=0)[:count],
    "spiked": lambda source, count, width: source.standard_normal((count, width)) ** 5,
    "tiny beside huge": lambda source, count, width: (
        source.standard_normal((count, width)) * 10.0 ** source.integers(-30, 30, (count, width))
    ),
    "some without direction": lambda source, count, width: (
        source.standard_normal((count, width)) * source.integers(0, 2, (count, 1))
    ),
}


@pytest.mark.parametrize("shape", _SHAPES)
@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32), width=st.sampled_from([1, 2, 3, 17, 64, 384]), count=st.integers(1, 40))
def test_leaving_out_what_cannot_be_near_never_leaves_out_what_is(
    shape: str, seed: int, width: int, count: int
) -> None:
    source = np.random.default_rng(seed)
    rows, products = Rows(width), ProductPool(threads=2)
    matrix = normalise(_SHAPES[shape](source, 600, width).astype(np.float32))
    rows.put([str(number) for number in range(600)], [Kind.TURN] * 600, matrix.copy())
    question = normalise(_SHAPES[shape](source, 1, width).astype(np.float32)).reshape(-1)
    places, scores, everything = rows.near(products, question, kinds=None, count=count)
    products.close()
    assert not everything
    cosines = matrix.astype(np.float64) @ question.astype(np.float64)
    assert np.allclose(scores, cosines[places], atol=1e-6)
    worst = np.sort(cosines)[-count]
    assert set(np.flatnonzero(cosines > worst + 1e-6)) <= set(places.tolist())
    assert len(places) >= count


def test_a_code_that_is_wiped_or_moved_leaves_nothing_behind() -> None:
    codes, other = Codes(2, 8), Codes(1, 8)
    codes.write(0, np.full((2, 8), 8**-0.5, dtype=np.float32))
    codes.wipe(0)
    other.move(0, codes, 1)
    left, right = np.empty(2, dtype=np.float32), np.empty(2, dtype=np.float32)
    codes.bounds(EncodedQuery(np.full(8, 8**-0.5, dtype=np.float32)), left, right)
    assert np.all(right < 1e-2)
    other.bounds(EncodedQuery(np.full(8, 8**-0.5, dtype=np.float32)), left[:1], right[:1])
    assert left[0] > 0.98
