"""What is kept of a failure: enough to act on, and nothing of what an agent was told."""

from types import TracebackType

from remanent.errors import RemanentError

LONGEST = 300


class Requeue(Exception):
    """Raised by a handler to send its job to the tail of its lane; the jobs behind it go first."""


def describe_failure(error: BaseException) -> str:
    """Return the class of an error with its message or place, short.

    Our own messages never repeat what they complain about. Those of other packages do (the text that did not parse,
    the key that was missing, the address with a token in it), so of such an error only the place is kept.
    """
    name = type(error).__name__
    if isinstance(error, RemanentError | Requeue):
        detail = f": {error}"
    elif isinstance(error, OSError) and error.strerror:
        detail = f": {error.strerror}"
    else:
        detail = _place(error.__traceback__)
    line = " ".join(f"{name}{detail}".split()).encode(errors="replace").decode()
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _place(trace: TracebackType | None) -> str:
    """Return where in Remanent an error came out, the worker itself left aside, or else where it came from."""
    ours = last = ""
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", "?"))
        last = f" in {module}, line {trace.tb_lineno}"
        if module.startswith("remanent.") and not module.startswith("remanent.jobs."):
            ours = last
        trace = trace.tb_next
    return ours or last
