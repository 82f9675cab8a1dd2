"""When to try again, and how long to wait before."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_MOST_DOUBLINGS = 64
"""Past so many any base lies above any cap, and the power would not fit a float."""


def backoff(failures: int, *, base: float, cap: float, chance: float) -> float:
    """Return the seconds to wait after so many failures: doubled each time, up to the cap, the half of it by chance.

    The chance, from 0 to 1, keeps clients that failed together from coming back together.
    """
    longest = min(cap, base * 2.0 ** min(max(failures, 1) - 1, _MOST_DOUBLINGS))
    return longest / 2 + longest / 2 * chance


def retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Return the seconds that a provider asks to be left alone: given in milliseconds, seconds or as a date."""
    named = {name.lower(): value.strip() for name, value in headers.items()}
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        seconds = _seconds(named.get(name, ""), unit=unit)
        if seconds is not None:
            return seconds
    try:
        moment = parsedate_to_datetime(named.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    aware = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    return max(0.0, (aware - now).total_seconds())


def _seconds(text: str, *, unit: float) -> float | None:
    try:
        seconds = float(text) / unit
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
