"""The border of the program: errors become one line and an exit code, and a closed pipe is no error."""

import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer

from remanent.cli import words
from remanent.cli.exits import Exit, exit_of, row_of
from remanent.errors import RemanentError

DEBUG = "REMANENT_DEBUG"

# The base of every complaint about the command line; typer itself does not export it in all versions.
_Usage: Any = typer.BadParameter.__mro__[1]


def guarded(run: Callable[[], object], arguments: Sequence[str]) -> int:
    """Run the program and return its exit code; whatever goes wrong is told in one line."""
    as_json = "--json" in arguments
    try:
        code = run()
    except _Usage as error:
        if not as_json:
            error.show()
            return Exit.USAGE
        return _tell(error, error.format_message(), Exit.USAGE, as_json=True)
    except typer.Abort:
        return Exit.INTERRUPTED
    except RemanentError as error:
        return _tell(error, str(error), exit_of(error), as_json=as_json)
    except OSError as error:
        return _tell(error, str(error), exit_of(error), as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the outermost border: a defect must not look like an empty answer
        message = words.UNFORESEEN.say(words.locale_language(), error=f"{type(error).__name__}: {error}")
        return _tell(error, message, Exit.UNAVAILABLE, as_json=as_json)
    if code == Exit.INTERRUPTED and not as_json:
        print(words.INTERRUPTED.say(words.locale_language()), file=sys.stderr)
    return code if isinstance(code, int) else Exit.OK


def _tell(error: BaseException, message: str, code: Exit, *, as_json: bool) -> Exit:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    if as_json:
        line = json.dumps({"error": type(error).__name__, "message": message, "exit": int(code)}, ensure_ascii=False)
    else:
        line = words.ERROR.say(words.locale_language(), message=message, meaning=row_of(code).chinese)
    print(line, file=sys.stderr)
    return code


@contextmanager
def quiet_pipe() -> Iterator[None]:
    """End well when the reader of standard output has gone: it had what it wanted."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError as error:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())  # what is still buffered must not fail again when Python ends
        raise typer.Exit(Exit.OK) from error
