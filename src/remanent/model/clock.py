"""Where time comes from, and the one precision it is kept in."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, PlainSerializer

from remanent.errors import InvalidInput

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

Clock = Callable[[], datetime]
"""Returns the current instant; every part that needs the time is given one."""


def system_clock() -> datetime:
    """Return the wall clock in UTC with millisecond precision."""
    return to_instant(datetime.now(UTC))


def to_instant(moment: datetime) -> datetime:
    """Return the moment in UTC, cut to milliseconds; a naive one is taken as UTC."""
    if moment.tzinfo is not UTC:
        moment = _in_utc(moment)
    rest = moment.microsecond % 1000
    return moment.replace(microsecond=moment.microsecond - rest) if rest else moment


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise InvalidInput("this moment is out of the range of years 1 to 9999 in UTC") from error


def to_millis(moment: datetime) -> int:
    """Return milliseconds since the epoch, exactly."""
    delta = moment - EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1000 + delta.microseconds // 1000


def from_millis(millis: int) -> datetime:
    """Return the instant of so many milliseconds since the epoch."""
    return EPOCH + timedelta(0, 0, 0, millis)


def to_text(instant: datetime) -> str:
    """Return an instant as RFC 3339 with milliseconds and a Z."""
    # Not strftime, which does not pad a year before 1000; what is cut off is "+00:00".
    return instant.isoformat(timespec="milliseconds")[:23] + "Z"


Instant = Annotated[datetime, AfterValidator(to_instant), PlainSerializer(to_text, return_type=str, when_used="json")]
"""A moment in UTC with millisecond precision."""
