"""How long to wait before trying again."""

from datetime import timedelta

# Past so many doublings any base lies above any cap, and the power would no longer fit a float.
_MOST_DOUBLINGS = 64


def retry_delay(failures: int, *, base: float, cap: float) -> timedelta:
    """Return the wait after so many failures in a row: the base, doubled after each further one, up to the cap."""
    doublings = min(max(failures, 1) - 1, _MOST_DOUBLINGS)
    return timedelta(seconds=min(cap, base * 2.0**doublings))
