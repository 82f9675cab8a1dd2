"""Leaving a provider alone that fails again and again."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from remanent.errors import LanguageError, ModelUnavailable


class Resting(ModelUnavailable):
    """The provider was not even asked: it is being left alone."""


class Breaker:
    """Opens after some failures in a row; after a rest it lets one request through, whose outcome decides."""

    def __init__(self, name: str, *, failures: int, rest: float, now: Callable[[], float]) -> None:
        self._name = name
        self._most = failures
        self._rest = rest
        self._now = now
        self._failures = 0
        self._until: float | None = None
        self._is_probing = False

    def is_open(self) -> bool:
        """Say whether requests are turned away."""
        return self._until is not None and (self._is_probing or self._now() < self._until)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Let a request through and learn from how it ends; raise `Resting` when it may not pass.

        Only `ModelUnavailable` speaks against the provider: one that rejects a request is there. What was cancelled
        says nothing.
        """
        probes = self._enter()
        try:
            yield
        except ModelUnavailable:
            self._fail()
            raise
        except LanguageError:
            self._succeed()
            raise
        else:
            self._succeed()
        finally:
            if probes:
                self._is_probing = False

    def _enter(self) -> bool:
        if self._until is None:
            return False
        if self.is_open():
            wait = max(0.0, self._until - self._now())
            raise Resting(
                f"{self._name} failed {self._failures} times in a row and is left alone for {wait:.0f} s",
                retry_after=wait,
            )
        self._is_probing = True
        return True

    def _succeed(self) -> None:
        self._failures = 0
        self._until = None

    def _fail(self) -> None:
        self._failures += 1
        if self._failures >= self._most:
            self._until = self._now() + self._rest
