"""Where a command reads and writes: data to standard output, all that is said about it to standard error.

So a pipe gets the data alone, and a person sees both. Nothing is coloured unless it goes to a terminal. Files are UTF-8
whatever the locale says; what is written takes the place of an old file only when it is complete, and is readable by
its owner alone: an export holds everything that an agent knows. What was remembered, recalled and said is shown as
cards and lines, for which nothing of the library is imported: a server's answers, plain objects, are shown alike.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self, cast

from remanent.bilingual import Bilingual, Language, translated
from remanent.cli import words
from remanent.cli.exits import Exit
from remanent.cli.options import CommonOptions
from remanent.cli.words import AGO, FIELDS, INDEXING, NAMES, NOTHING_HERE, STEPS_DONE, chosen_language
from remanent.errors import InvalidInput
from remanent.text.spans import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, RenderableType
    from rich.progress import Progress

    from remanent.discipline import ProgressStep
    from remanent.jobs import Progress as JobProgress
    from remanent.model import Boost, Entry, Found, FoundItem, FoundSource, GateVerdict, PathRank, Receipt
    from remanent.settings import Settings

PROGRESS_AFTER = 0.5
"""Seconds that work may take before its progress is shown."""

PLAIN_WIDTH = 120
"""Columns of a table that is not shown on a terminal."""

# What a remembered text must not do to a terminal: every control character but tab and line end becomes its picture.
# Signs that turn the direction of writing, which would have it show other words than it holds, are marked.
_PICTURES = {code: 0x2400 + code for code in range(32) if code not in (9, 10)} | {0x7F: 0x2421}
_PICTURES |= dict.fromkeys((*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD)


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

    def rows(self, headings: Sequence[str | Bilingual], rows: Iterable[Sequence[str]]) -> None:
        """Show a table of data; where it does not fit the screen, each row as a block of lines.

        Without rows it says that there is nothing.
        """
        cells = [[visible(cell) for cell in row] for row in rows]
        if not cells:
            self.tell(NOTHING_HERE)
            return
        names = [self.word(one) if isinstance(one, Bilingual) else one for one in headings]
        widths = [max(map(_width, column)) for column in zip(names, *cells, strict=True)]
        if sum(widths) + 3 * len(widths) + 1 <= self.out.width:
            from rich.table import Table
            from rich.text import Text

            table = Table(*names)
            for row in cells:
                table.add_row(*map(Text, row))
            self.show(table)
            return
        for place, row in enumerate(cells):
            if place:
                self.show("")
            self.fields((heading, cell) for heading, cell in zip(names, row, strict=True) if cell)

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

    def report(self, step: "ProgressStep") -> None:
        """Say how far an operation has come."""
        self.note(step.note or (f"{step.done}/{step.total}" if step.total else f"{step.done}"))

    def _awake(self) -> bool:
        return self._bar is not None or (self._console.is_terminal and self._timer() - self._begun >= PROGRESS_AFTER)

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


STANDARD = Path("-")
"""The name of standard input and output."""


def waits() -> bool:
    """Return whether something was piped into the command."""
    return not sys.stdin.isatty()


def read_text(file: Path) -> str:
    """Return a whole text without its last line end."""
    return "\n".join(read_lines(file))


def read_bytes(file: Path) -> bytes:
    """Return everything that a file holds."""
    with nullcontext(sys.stdin.buffer) if file == STANDARD else _open(file) as stream:
        return stream.read()


def read_lines(file: Path) -> Iterator[str]:
    """Yield lines without their ends."""
    with nullcontext(sys.stdin.buffer) if file == STANDARD else _open(file) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise InvalidInput(f"line {number} of {file} is not UTF-8; convert it first") from error


def read_messages(file: Path) -> Iterator[tuple[str, Any]]:
    """Yield messages as they were written, each with its place: of a JSON list, of a request that holds one, or of
    lines with one each."""
    text = read_text(file)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] == "[":
            raise InvalidInput(f"{file} is not JSON: {error}") from error
    else:
        if isinstance(found, dict):
            found = found.get("messages", [found] if "role" in found else found.get("input", [found]))
        for number, value in enumerate(found if isinstance(found, list) else [found], start=1):
            yield f"message {number} of {file}", value
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                yield f"line {number} of {file}", json.loads(line)
            except (ValueError, RecursionError) as error:
                told = (
                    f"line {number} of {file} is not JSON ({error}); give a list of messages, or one message per line"
                )
                raise InvalidInput(told) from error


def _open(file: Path) -> BinaryIO:
    """Open a file, or say in one line why that is not possible."""
    try:
        return file.open("rb")
    except OSError as error:
        raise InvalidInput(f"cannot read {file}: {error.strerror}") from error


def size_of(file: Path) -> int | None:
    """Return how many bytes there are to read, if that is known beforehand."""
    return file.stat().st_size if file.is_file() else None


@contextmanager
def target(file: Path) -> Iterator[BinaryIO]:
    """Give a stream whose content takes the file's place when it is complete, for the user's eyes only."""
    if file == STANDARD:
        yield standard_output()
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.", suffix=".part")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise InvalidInput(f"there is no folder {file.parent}; create it first, or write somewhere else") from error
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(file)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


QUOTED = 60
"""Characters of a text that is quoted in a table or beside another."""
_REASON = 24
"""Characters of a path's reason, which stands beside others."""


def show_receipt(screen: Terminal, receipt: "Receipt") -> None:
    """Show the ids as data, for a script to keep, and the rest as prose."""
    screen.show("\n".join(receipt.entry_ids))
    screen.tell(words.REMEMBERED, count=len(receipt.entry_ids), at=local_time(receipt.recorded_at))
    if receipt.repeated:
        screen.tell(words.REPEATED, count=receipt.repeated)


def tell_found(screen: Terminal, found: "Found", *, agent: str | None = None) -> Exit:
    """Say which paths did not answer, and end with 1 where nothing was found, as `grep` does.

    Where there was nothing at all to judge, the agent may be one that was never told anything.
    """
    for path in found.left_out:
        screen.tell(words.LEFT_OUT, style="yellow", path=path.path, reason=translated(path.reason, screen.language))
    if found.items:
        if found.gate is not None and found.gate.verdict == "unsure":
            screen.tell(words.PERHAPS_NONE)
        return Exit.OK
    screen.tell(words.NOTHING_FOUND, query=found.query)
    if agent is not None and (found.gate is None or found.gate.reason == "empty"):
        screen.tell(words.CHECK_AGENT, agent=agent)
    return Exit.NO


def show_found(screen: Terminal, found: "Found", *, now: datetime, explain: bool = False) -> None:
    """Show every answer as a card: the words, then where they come from; on demand how each came to its rank."""
    _show_cards(screen, found, now=now)
    if explain and found.items:
        _show_explanation(screen, found)
    if explain and found.gate is not None:
        screen.show(_gate_line(screen, found.gate))


def _show_cards(screen: Terminal, found: "Found", *, now: datetime) -> None:
    """Show each answer with its sources: framed at a terminal, as plain lines in a pipe."""
    for place, item in enumerate(found.items, start=1):
        text = visible(item.text)
        sources = [_source(screen, item, source) for source in item.sources]
        kind, age = screen.name(item.kind), screen.age(item.occurred_at, now=now)
        about = f"{item.score:.4f} · {kind} · {age} · {item.record_id}"
        if screen.out.is_terminal:
            from rich.console import Group
            from rich.panel import Panel
            from rich.text import Text

            body = Group(Text(text), *(Text(line, style="dim") for line in (*sources, about)))
            screen.show(Panel(body, title=f"{place}", title_align="left"))
        else:
            lines = [f"{place}. {text}", *(f"   {line}" for line in sources), f"   {about}"]
            screen.show("\n".join(lines))


def _source(screen: Terminal, item: "FoundItem", source: "FoundSource") -> str:
    """Return where an answer comes from: who said it, when, in which session, and the words if they differ."""
    parts = [screen.name(source.role), local_time(source.occurred_at)]
    if source.session is not None:
        parts.append(screen.word(words.SESSION, name=source.session))
    if source.caller_id is not None:
        parts.append(screen.word(words.CALLER_ID, name=source.caller_id))
    line = "— " + " · ".join(visible(part) for part in parts if part)
    return line if source.text == item.text else f"{line}: “{visible(excerpt(source.text, QUOTED))}”"


def _show_explanation(screen: Terminal, found: "Found") -> None:
    """Show every answer's places on every path, and all that moved it."""
    from rich.text import Text

    screen.show(Text(screen.word(words.EXPLAINED, recipe=found.recipe, grain=found.grain), style="bold"))
    for item, explained in zip(found.items, found.explain(), strict=True):
        moved = [f"{_boost(screen, boost)} ×{boost.factor:.3f}" for boost in explained.boosts]
        if explained.reranked is not None:
            moved.append(f"{screen.word(words.RERANKED)} {explained.reranked:.3f}")
        fields = {
            words.RANKS_AND_SCORES: ", ".join(_rank(rank) for rank in explained.ranks),
            words.FUSED: f"{explained.fused:.4f}",
            words.CONTEXT: f"{explained.context:.4f}",
            words.BOOSTED: ", ".join(moved),
            words.SCORE: f"{explained.score:.4f}",
        }
        screen.show(f"{explained.place}. {visible(excerpt(item.text.replace(chr(10), ' '), QUOTED))}")
        screen.fields((f"   {screen.word(phrase)}", value or "–") for phrase, value in fields.items())


def _gate_line(screen: Terminal, verdict: "GateVerdict") -> str:
    """Return in a line why a question was answered or not."""
    reason = screen.word(words.GATE_REASONS[verdict.reason])
    if verdict.score == verdict.threshold == 0:  # it passed or not for another reason than how much speaks for it
        return screen.word(words.GATE_WITHOUT_SCORE, reason=reason)
    return screen.word(words.GATE, score=f"{verdict.score:.2f}", threshold=f"{verdict.threshold:.2f}", reason=reason)


def _rank(rank: "PathRank") -> str:
    told = f"{rank.path} {rank.rank} ({rank.score:.3f})"
    return f"{told} {visible(excerpt(rank.reason, _REASON))}" if rank.reason else told


def _boost(screen: Terminal, boost: "Boost") -> str:
    return screen.word(words.BOOSTS[boost.name]) if boost.name in words.BOOSTS else visible(boost.name)


def show_entries(screen: Terminal, found: "Sequence[Entry]") -> None:
    """Show journal entries, one after the other."""
    from rich.text import Text

    if not found:
        screen.tell(words.NO_ENTRIES)
    for entry in found:
        line = Text(f"{entry.seq:>5}  {local_time(entry.occurred_at)}  ", style="dim", end="")
        line.append(screen.name(entry.role), style="bold")
        if entry.scope.session is not None:
            line.append(f" [{visible(entry.scope.session)}]")
        line.append(f"  {entry.id}\n")
        text = screen.word(words.ERASED_STUB) if entry.erased else visible(entry.text)
        line.append(text, style="not dim")
        screen.show(line)
