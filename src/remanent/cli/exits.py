"""How a command ends: the exit codes, and the one place where errors become a line and a code.

One table serves the program, its help and its documentation. The numbers past 64 are those of sysexits.h, so that
scripts can tell what is worth another try (75) from what is not.
"""

import errno
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from typing import Any

import typer

from remanent.bilingual import Bilingual, locale_language, translated
from remanent.cli import words
from remanent.errors import (
    BusyError,
    CallerError,
    DuplicateEntry,
    IntegrityError,
    JobFailed,
    MissingDependency,
    ModelRejected,
    ModelUnavailable,
    NotAuthenticated,
    NotFound,
    NotPermitted,
    RemanentError,
    SetupError,
    StorageError,
    StorageFull,
    VersionConflict,
)
from remanent.lightweight import dataclass


class Exit(IntEnum):
    """How a command ended; the numbers past 64 are those of sysexits."""

    OK = 0
    NO = 1
    USAGE = 2
    NOT_FOUND = 3
    CONFLICT = 4
    DAMAGED = 5
    BAD_INPUT = 65
    UNAVAILABLE = 69
    TRY_AGAIN = 75
    NOT_ALLOWED = 77
    CONFIGURATION = 78
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class ExitMeaning:
    """One code: what it means, and which errors end with it."""

    code: Exit
    meaning: Bilingual
    errors: tuple[type[RemanentError], ...] = ()


_ERRORS: Mapping[Exit, tuple[type[RemanentError], ...]] = {
    Exit.OK: (),
    Exit.NO: (JobFailed,),
    Exit.USAGE: (),
    Exit.NOT_FOUND: (NotFound,),
    Exit.CONFLICT: (VersionConflict, DuplicateEntry),
    Exit.DAMAGED: (IntegrityError,),
    Exit.BAD_INPUT: (CallerError,),
    Exit.UNAVAILABLE: (StorageError, MissingDependency, RemanentError),
    Exit.TRY_AGAIN: (BusyError, StorageFull, ModelUnavailable),
    Exit.NOT_ALLOWED: (NotAuthenticated, NotPermitted),
    Exit.CONFIGURATION: (SetupError, ModelRejected),
    Exit.INTERRUPTED: (),
}
"""Which errors end with each code."""
EXIT_MEANINGS = tuple(ExitMeaning(code, words.EXITS[code.name], errors) for code, errors in _ERRORS.items())

_ROWS = {row.code: row for row in EXIT_MEANINGS}
_CODES = {error: row.code for row in EXIT_MEANINGS for error in row.errors}
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What the system raises when nothing more fits: worth another try once there is room."""


def meaning_of(code: Exit) -> ExitMeaning:
    """Return the row of a code."""
    return _ROWS[code]


def exit_of(error: BaseException) -> Exit:
    """Return the code for an error: that of its nearest class in the table."""
    if isinstance(error, OSError) and error.errno in _NO_ROOM:
        return Exit.TRY_AGAIN
    return next((_CODES[kind] for kind in type(error).__mro__ if kind in _CODES), Exit.UNAVAILABLE)


_DEBUG = "REMANENT_DEBUG"

# The base of every complaint about the command line; typer itself does not export it in all versions.
_Usage: Any = typer.BadParameter.__mro__[1]


def run_guarded(run: Callable[[], object], arguments: Sequence[str]) -> int:
    """Run the program and return its exit code; whatever goes wrong is told in one line."""
    as_json = "--json" in arguments
    try:
        code = run()
    except _Usage as error:
        if not as_json:
            _show_usage(error)
            return Exit.USAGE
        return _report(error, error.format_message(), Exit.USAGE, as_json=True)
    except typer.Abort:
        return Exit.INTERRUPTED
    except (RemanentError, OSError) as error:
        return _report(error, str(error), exit_of(error), as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the outermost border: a defect must not look like an empty answer
        message = words.UNFORESEEN.say(locale_language(), error=f"{type(error).__name__}: {error}")
        return _report(error, message, Exit.UNAVAILABLE, as_json=as_json)
    if code == Exit.INTERRUPTED and not as_json:
        print(words.INTERRUPTED.say(locale_language()), file=sys.stderr)
    return code if isinstance(code, int) else Exit.OK


def _show_usage(error: Any) -> None:
    """Say what is wrong with the command line, in the user's language; the parser itself knows only English."""
    if locale_language() == "en" or (error.ctx and error.format_message() == error.ctx.get_help()):
        error.show()  # a group without a command shows its help, in either language
        return
    if error.ctx is not None:
        print(error.ctx.get_usage(), file=sys.stderr)
        print(words.TRY_HELP.say("zh", command=error.ctx.command_path), file=sys.stderr)
    message = translated(error.format_message(), "zh", words.USAGE)
    print(words.ERROR.say("zh", message=message, meaning=""), file=sys.stderr)


def _report(error: BaseException, message: str, code: Exit, *, as_json: bool) -> Exit:
    """Print an error as one line, in the form that was asked for, and return its exit code."""
    if os.environ.get(_DEBUG):
        traceback.print_exception(error)
    if as_json:
        line = json.dumps({"error": type(error).__name__, "message": message, "exit": int(code)}, ensure_ascii=False)
    else:
        language = locale_language()
        said = translated(message, language)
        # Where the detail has no Chinese wording, what kind of trouble it is has.
        meaning = "" if said != message else f"（{meaning_of(code).meaning.zh}）"
        line = words.ERROR.say(language, message=said, meaning=meaning)
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
