"""Where a command writes: data to standard output, all that is said about it to standard error.

So a pipe gets the data alone, and a person sees both. Nothing is coloured unless it goes to a terminal.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, BinaryIO, Self, cast

from remanent.bilingual import Bilingual, Language
from remanent.cli.options import CommonOptions
from remanent.cli.words import AGO, FIELDS, INDEXING, NAMES, NOTHING_HERE, STEPS_DONE, chosen_language

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress

    from remanent.jobs import Progress as JobProgress
    from remanent.settings import Settings

PATIENCE = 0.5
"""Seconds that work may take before its progress is shown."""

PLAIN_WIDTH = 120
"""Columns of a table that is not shown on a terminal."""

# What a remembered text must not do to a terminal: every control character but tab and line end becomes its picture.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys(range(0x80, 0xA0), 0xFFFD)


class Terminal:
    """The two streams of one command."""

    def __init__(self, *, as_json: bool, language: Language) -> None:
        self.as_json = as_json
        self.language: Language = language
        self.out = _console()
        self.err = _console(stderr=True)

    def word(self, phrase: Bilingual, /, **values: object) -> str:
        """Return a phrase in the user's language, safe to show."""
        return visible(phrase.say(self.language, **values))

    def tell(self, phrase: Bilingual, /, *, style: str = "", **values: object) -> None:
        """Say something about the work, beside the data."""
        self.err.print(self.word(phrase, **values), style=style, soft_wrap=not self.err.is_terminal)

    def note(self, text: str) -> None:
        """Say something that somebody else has put into words."""
        self.err.print(visible(text), style="dim", soft_wrap=True)

    def show(self, renderable: "RenderableType") -> None:
        """Show data to people."""
        # A line of a pipe is for a program to split; a line of a terminal is wrapped between words. What has no
        # space, such as a token, is copied from the screen: no line end may come into it.
        is_text = isinstance(renderable, str) or _is_drawn_text(renderable)
        self.out.print(renderable, soft_wrap=is_text and not (self.out.is_terminal and " " in str(renderable)))

    def line(self, text: str) -> None:
        """Show a line of data, whatever characters are in it."""
        self.show(visible(text))

    def command(self, text: str) -> None:
        """Show a command that people copy: no line end may come into it but its own."""
        self.out.print(visible(text), soft_wrap=True)

    def rows(self, headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Show a table of data; where it does not fit the screen, each row as a block of lines.

        Without rows it says that there is nothing.
        """
        cells = [[visible(cell) for cell in row] for row in rows]
        if not cells:
            self.tell(NOTHING_HERE)
            return
        widths = [max(map(_width, column)) for column in zip(headings, *cells, strict=True)]
        if sum(widths) + 3 * len(widths) + 1 <= self.out.width:
            from rich.table import Table
            from rich.text import Text

            table = Table(*headings)
            for row in cells:
                table.add_row(*map(Text, row))
            self.show(table)
            return
        for place, row in enumerate(cells):
            if place:
                self.show("")
            self.fields((heading, cell) for heading, cell in zip(headings, row, strict=True) if cell)

    def fields(self, fields: Iterable[tuple[str, str]]) -> None:
        """Show values with their names, a line each; further lines of one are indented."""
        from rich.text import Text

        for name, value in fields:
            line = Text(f"{name}: ", style="dim", end="")
            line.append(visible(value).replace("\n", "\n  "), style="not dim")
            self.show(line)

    def label(self, name: str) -> str:
        """Return what a field is called in the user's language."""
        return FIELDS.get(name, name.replace("_", " ")) if self.language == "zh" else name.replace("_", " ")

    def name(self, name: str) -> str:
        """Return what a kind, a state, a role or a discipline's term is called in the user's language."""
        if self.language == "zh" and name in NAMES:
            return NAMES[name]
        if (
            ":" not in name and "：" not in name
        ):  # no term: a command through a server loads no discipline for its kinds
            return visible(name)
        from remanent.discipline.registry import in_language

        return visible(in_language(name, self.language))

    def moment(self, at: datetime) -> str:
        """Return a moment in the user's own zone."""
        return local_time(at)

    def give(self, value: object) -> None:
        """Give data to programs: one JSON value."""
        from pydantic_core import to_json

        standard_output().write(to_json(value, indent=2 if self.out.is_terminal else None) + b"\n")

    def ask(self, question: str) -> bool:
        """Ask a question that only a clear yes answers with yes; no terminal means no."""
        print(f"{question} [y/N] ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() in {"y", "yes", "是"}

    def meter(self, phrase: Bilingual, *, total: float | None = None) -> "ProgressMeter":
        """Return a progress bar that shows itself when the work takes long."""
        return ProgressMeter(self.err, self.word(phrase), total=total)

    @contextmanager
    def indexing(self) -> Iterator["Callable[[JobProgress], None]"]:
        """Give what `settle` reports its progress to."""
        with self.meter(INDEXING) as meter:
            yield lambda progress: meter.note(self.word(STEPS_DONE, done=progress.done))

    def age(self, moment: datetime, *, now: datetime) -> str:
        """Return how long ago something was, in one unit."""
        unit, count = _age(now - moment)
        return self.word(AGO[unit], count=count)


def begin(place: CommonOptions) -> "tuple[Terminal, Settings]":
    """Return where a command writes and the settings it works with."""
    from remanent.settings import load_settings

    settings = load_settings(**place.overrides())
    return Terminal(as_json=place.as_json, language=chosen_language(settings.language)), settings


def _is_drawn_text(renderable: "RenderableType") -> bool:
    from rich.text import Text  # which is loaded, since what is no string was made by what draws

    return isinstance(renderable, Text)


def _console(*, stderr: bool = False) -> "Console":
    """Return what writes to a stream; to load what draws takes longer than to write the lines of most commands."""
    stream = sys.stderr if stderr else sys.stdout
    if stream.isatty() or os.environ.get("FORCE_COLOR") or os.environ.get("TTY_COMPATIBLE"):
        return _drawing_console(stderr=stderr)
    return cast("Console", _Pipe(stderr=stderr))


class _Pipe:
    """Writes texts as they are; has drawn what must be drawn, such as a table."""

    is_terminal = False

    def __init__(self, *, stderr: bool) -> None:
        self._stderr = stderr
        self.width = PLAIN_WIDTH

    def print(self, shown: "RenderableType", *, style: str = "", soft_wrap: bool = False) -> None:
        """Print to a pipe; a plain line goes there as it is, and only tables need the library that draws them."""
        if soft_wrap and isinstance(shown, str):
            print(shown, file=sys.stderr if self._stderr else sys.stdout, flush=True)
        else:
            _drawing_console(stderr=self._stderr).print(shown, style=style, soft_wrap=soft_wrap)


def _drawing_console(*, stderr: bool) -> "Console":
    """Return a console that takes texts as they are, and leaves a closed pipe to the border of the program."""
    from rich.console import Console

    class PlainConsole(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else PLAIN_WIDTH
    return PlainConsole(stderr=stderr, markup=False, highlight=False, emoji=False, width=width)


class ProgressMeter:
    """A progress bar on standard error that is silent without a terminal and for quick work."""

    def __init__(
        self, console: "Console", label: str, *, total: float | None = None, timer: Callable[[], float] = time.monotonic
    ) -> None:
        self._console = console
        self._label = label
        self._total = total
        self._timer = timer
        self._begun = timer()
        self._done = 0.0
        self._bar: Progress | None = None
        self._task: Any = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, by: float = 1) -> None:
        """Count work that is done."""
        self._done += by
        if self._awake():
            self._progress().update(self._task, completed=self._done)

    def note(self, text: str) -> None:
        """Say where the work is when its end is not known."""
        if self._awake():
            self._progress().update(self._task, note=text)

    def _awake(self) -> bool:
        return self._bar is not None or (self._console.is_terminal and self._timer() - self._begun >= PATIENCE)

    def _progress(self) -> "Progress":
        """Return the progress bar; it is made and shown when it is first needed, so that quick work shows none."""
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        if self._bar is None:
            columns = [
                SpinnerColumn(),
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.fields[note]}"),
            ]
            if self._total is not None:
                columns.append(TextColumn("{task.percentage:>3.0f} %"))
            self._bar = Progress(*columns, TimeElapsedColumn(), console=self._console, transient=True)
            self._task = self._bar.add_task(self._label, total=self._total, note="")
            self._bar.start()
        return self._bar


def standard_output() -> BinaryIO:
    """Return standard output for data that is UTF-8 whatever the locale says, behind what was written as text."""
    sys.stdout.flush()
    return sys.stdout.buffer


def visible(text: str) -> str:
    """Return a text that moves no cursor and rings no bell."""
    return text.translate(_PICTURES)


def local_time(moment: datetime) -> str:
    """Return a moment to the minute in the user's own zone."""
    try:
        moment = moment.astimezone()
    except (OverflowError, ValueError, OSError):  # at the very ends of the calendar
        moment = moment.astimezone(UTC)
    return moment.replace(tzinfo=None).isoformat(sep=" ", timespec="minutes")


def _width(text: str) -> int:
    from rich.cells import cell_len

    return max((cell_len(line) for line in text.splitlines()), default=0)


def human_size(count: float) -> str:
    """Return a number of bytes as people say it."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.4g} TB"


def _age(past: timedelta) -> tuple[str, int]:
    """Return which unit tells an age best, and how many of it."""
    seconds = past.total_seconds()
    if seconds < -60:
        return "future", 0
    for unit, length in (("year", 365.25 * 86_400), ("month", 30.44 * 86_400), ("day", 86_400), ("hour", 3600)):
        # From two on, so that no language needs a singular.
        if seconds >= 2 * length:
            return unit, int(seconds // length)
    return ("minute", int(seconds // 60)) if seconds >= 60 else ("second", 0)
