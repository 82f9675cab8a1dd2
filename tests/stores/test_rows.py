import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.model import Kind, Record
from remanent.stores.rows import record_of, record_row
from tests.model import strategies


@pytest.mark.parametrize("kind", list(Kind))
def test_a_record_is_read_as_it_was_checked_when_it_was_written(kind: Kind) -> None:
    @settings(max_examples=10, deadline=None)
    @given(strategies.records(st.just(kind)))
    def holds(record: Record) -> None:
        *_, body, crc = record_row(record)
        row = (record.scope.session, record.scope.task, record.access_count, record.scan_count, crc, body)
        again, checked = record_of(record.scope, row), Record.from_json(record.to_json())
        assert again == checked == record
        assert again.to_json() == record.to_json()
        assert list(again.__dict__.items()) == list(checked.__dict__.items())
        assert [type(value) for value in again.__dict__.values()] == [
            type(value) for value in checked.__dict__.values()
        ]
        assert again.replace(summary="") == record.replace(summary="")

    holds()
