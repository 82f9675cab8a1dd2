"""Where time comes from, and the one precision it is kept in."""

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from time import time_ns
from typing import Annotated

from pydantic import AfterValidator, PlainSerializer

from remanent.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)

Clock = Callable[[], datetime]
"""Returns the current instant; every part that needs the time is given one."""


def system_clock() -> datetime:
    """Return the wall clock in UTC with millisecond precision."""
    return from_millis(time_ns() // 1_000_000)


def to_instant(moment: datetime) -> datetime:
    """Return the moment in UTC, cut to milliseconds; one without a zone is meant in the zone of this machine."""
    if moment.tzinfo is not UTC:
        moment = _in_utc(moment)
    rest = moment.microsecond % 1000
    return moment.replace(microsecond=moment.microsecond - rest) if rest else moment


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError, OSError) as error:  # a local time may fail at the ends of the system's calendar
        raise InvalidInput("this time is outside the years 1 to 9999 in UTC") from error


def local(instant: datetime) -> datetime:
    """Return a moment as the clocks of this machine's zone show it: what people call a day is a day of theirs.

    At the ends of the calendar, where the zone leads out of it, the moment stays as it is.
    """
    try:
        return instant.astimezone()
    except (OverflowError, ValueError, OSError):
        return instant.astimezone(UTC)


Moment = datetime | date | str
"""A moment as callers have it: with a zone or in the local one, or as ISO 8601."""


NO_MOMENT = "this is not a date or time; write it like 2026-05-31 or 2026-05-31T18:30:00+08:00"


def read_moment(moment: Moment) -> datetime:
    """Return the instant that a caller means; a day alone is its beginning, and what has no zone is local."""
    if isinstance(moment, str):
        try:
            return to_instant(datetime.fromisoformat(moment.strip()))
        except ValueError as error:
            raise InvalidInput(NO_MOMENT) from error
    if isinstance(moment, datetime):
        return to_instant(moment)
    if isinstance(moment, date):
        return to_instant(datetime.combine(moment, time.min))
    raise InvalidInput(f"a time must be a datetime or text like 2026-05-31T18:30, not {type(moment).__name__}")


def read_span(since: Moment | None, until: Moment | None) -> tuple[datetime | None, datetime | None]:
    """Return the instants that bound a time; each may be missing."""
    return None if since is None else read_moment(since), None if until is None else read_moment(until)


def to_millis(moment: datetime) -> int:
    """Return milliseconds since the epoch, exactly."""
    delta = moment - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1000 + delta.microseconds // 1000


def from_millis(millis: int) -> datetime:
    """Return the instant of so many milliseconds since the epoch."""
    return EPOCH + millis * _MILLISECOND  # two thirds of the time that making the span of its parts takes


def to_text(instant: datetime) -> str:
    """Return an instant as RFC 3339 with milliseconds and a Z."""
    # Not strftime, which does not pad a year before 1000; what is cut off is "+00:00".
    return instant.isoformat(timespec="milliseconds")[:23] + "Z"


Instant = Annotated[datetime, AfterValidator(to_instant), PlainSerializer(to_text, return_type=str, when_used="json")]
"""A moment in UTC with millisecond precision; what comes without a zone is local."""
