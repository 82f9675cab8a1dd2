from datetime import UTC, datetime, timedelta

import pytest
import typer

from remanent.cli.options import read_moment


def test_a_moment_with_a_zone_is_taken_as_it_is() -> None:
    assert read_moment("2026-05-31T18:30:00+08:00") == datetime(2026, 5, 31, 10, 30, tzinfo=UTC)
    assert read_moment("2026-05-31T18:30Z") == datetime(2026, 5, 31, 18, 30, tzinfo=UTC)


def test_a_moment_without_a_zone_is_meant_in_the_users_own() -> None:
    moment = read_moment("2026-05-31")
    assert moment.utcoffset() is not None
    assert moment.replace(tzinfo=None) == datetime(2026, 5, 31)  # noqa: DTZ001 - what the user wrote
    assert abs(moment - datetime(2026, 5, 31, tzinfo=UTC)) <= timedelta(hours=14)


@pytest.mark.parametrize("text", ["", "soon", "31.05.2026", "2026-13-01"])
def test_what_is_no_moment_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="2026-05-31"):
        read_moment(text)
