"""Keeping keys out of what people read: errors and logs."""

import re
import traceback
from collections.abc import Iterable

_HIDDEN = "***"
_SHORTEST = 4
"""A key of fewer characters is a placeholder, and hiding it would hide half of every text."""

# Things that look like somebody's key, even if it is not ours: a provider may repeat one that it was sent.
_LOOKS_SECRET = re.compile(r"\b(?:sk|pk|key)-[A-Za-z0-9_\-*]{8,}|(?i:\bbearer\s+)\S+")


class Scrubber:
    """Takes keys out of texts."""

    def __init__(self, secrets: Iterable[str]) -> None:
        # The longest first, should one be a part of another.
        self._secrets = sorted((secret for secret in secrets if len(secret) >= _SHORTEST), key=len, reverse=True)

    def clean(self, text: str, *, longest: int = 300) -> str:
        """Return the text in one line, without keys and not too long."""
        for secret in self._secrets:
            text = text.replace(secret, _HIDDEN)
        text = " ".join(_LOOKS_SECRET.sub(_HIDDEN, text).split())
        return text if len(text) <= longest else text[: longest - 1] + "…"

    def cause(self, error: BaseException) -> BaseException | None:
        """Return the error if it can be shown as a cause, and None if its text, or that of a cause of it, has a key."""
        shown = "".join(traceback.TracebackException.from_exception(error).format())
        return None if any(secret in shown for secret in self._secrets) else error
