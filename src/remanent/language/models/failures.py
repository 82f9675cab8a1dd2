"""What goes wrong at a provider, in our own errors: who must act, what was said, and never a key."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from remanent.errors import LanguageError, ModelDenied, ModelRejected, ModelUnavailable, Refused
from remanent.http.client import AnswerTooLarge, Scrubber, retry_after
from remanent.language.models.call import Endpoint
from remanent.model import Clock

if TYPE_CHECKING:
    from pydantic_ai.exceptions import ModelHTTPError

_MAY_PASS = frozenset({408, 409, 425, 429, *range(500, 600)} - {501, 505})
_UNDERSTOOD = frozenset({400, 404, 415, 422, 501})
"""Statuses of a provider that read the request and does not know something in it."""
_STRUCTURE = ("response_format", "json_schema", "json_object", "schema", "structured", "grammar", "tool", "function")


class OutputUnsupported(ModelRejected):
    """The provider does not know the way in which a structured answer was asked for."""


class ErrorTranslator:
    """Where a provider's exceptions become ours."""

    def __init__(self, place: Endpoint, *, clock: Clock) -> None:
        self._place = place
        self._clock = clock
        key = place.key.get_secret_value() if place.key else ""
        self._scrubber = Scrubber([key])

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Raise `LanguageError` and its kin in place of whatever the provider's client raises."""
        import httpx2

        try:
            yield
        except LanguageError:
            raise
        except (
            RuntimeError,  # pydantic-ai's own errors, and that of a client that was closed meanwhile
            httpx2.HTTPError,
            httpx2.StreamError,
            httpx2.InvalidURL,
            AnswerTooLarge,
            OSError,
            # What the client's own reading of a malformed answer ends in.
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ) as error:
            raise self._translate(error, now=self._clock()) from self._scrubber.cause(error)

    def _translate(self, error: Exception, *, now: datetime) -> LanguageError:
        from pydantic_ai import exceptions as vendor

        who = f"{self._place.provider} at {self._place.base_url}"
        too_large = _find(error, AnswerTooLarge)
        if too_large is not None:
            return Refused(f"{who}: {too_large}")
        if isinstance(error, vendor.ModelHTTPError):
            return self._of_status(error, who=who, now=now)
        if isinstance(error, vendor.ModelRequestRejectedError | vendor.ModelQuotaExceededError | vendor.UserError):
            return ModelRejected(f"{who} rejects the request: {self._said(error)}")
        if isinstance(error, vendor.ModelTimeoutError):
            return ModelUnavailable(f"{who} did not answer in time; see model.read_timeout and model.connect_timeout")
        if isinstance(error, vendor.ModelAPIError):
            return ModelUnavailable(f"{who} failed: {self._said(error)}")
        if (
            type(error) is RuntimeError
            or isinstance(error, OSError)
            or type(error).__module__.partition(".")[0] == "httpx2"
        ):
            return ModelUnavailable(f"{who} could not be reached: {self._said(error) or type(error).__name__}")
        # The text of such an error repeats what came, which is not ours to show.
        return ModelUnavailable(f"{who} answered with something that is no answer ({type(error).__name__})")

    def _of_status(self, error: "ModelHTTPError", *, who: str, now: datetime) -> LanguageError:
        from pydantic_ai import exceptions as vendor

        said = self._said(error)
        told = f"{who} answers {error.status_code}: {said}"
        if isinstance(error, vendor.ModelQuotaExceededError):
            return ModelDenied(f"{told}. The account has no quota left")
        if error.status_code in _MAY_PASS and not isinstance(error, vendor.ModelRequestRejectedError):
            return ModelUnavailable(told, retry_after=retry_after(error.headers or {}, now=now))
        if isinstance(error, vendor.ModelAuthenticationError):
            return ModelDenied(f"{told}. Check model.api_key and what it is allowed to do")
        if isinstance(error, vendor.ModelContextWindowExceededError):
            return ModelRejected(f"{told}. The request is too long for this model; lower model.window")
        if error.status_code in _UNDERSTOOD and any(word in said.lower() for word in _STRUCTURE):
            return OutputUnsupported(f"{told}. Another value of model.output may help")
        if isinstance(error, vendor.ModelNotFoundError):
            return ModelDenied(f"{told}. Check model.name and model.base_url")
        return ModelRejected(told)

    def _said(self, error: Exception) -> str:
        """Return what the provider said, in a line and without keys."""
        body = getattr(error, "body", None)
        if isinstance(body, dict):
            inner = body.get("error", body)
            text = inner.get("message") if isinstance(inner, dict) else inner
            return self._scrubber.clean(str(text or body))
        text = str(body or error)
        if text.lstrip().startswith("<"):
            return "a page of HTML, which a gateway may have written"
        return self._scrubber.clean(text)


def _find(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """Return the error of a kind among an error and its causes."""
    for _ in range(20):
        if error is None or isinstance(error, kind):
            return error
        error = error.__cause__ or error.__context__
    return None


class CircuitOpen(ModelUnavailable):
    """The provider was not even asked: it is being left alone."""


class CircuitBreaker:
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
        """Let a request through and learn from how it ends; raise `CircuitOpen` when it may not pass.

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
            raise CircuitOpen(
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
