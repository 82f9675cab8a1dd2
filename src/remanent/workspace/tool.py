"""The agent edits its own files: the six commands of the memory tool that models know, on the workspace."""

from collections.abc import Sequence
from typing import Any, Literal

from remanent.errors import InvalidInput
from remanent.workspace.files import MEMORIES, WorkspaceFiles, newline_of

MemoryCommand = Literal["view", "create", "str_replace", "insert", "delete", "rename"]
_MAX_VIEWED_CHARACTERS = 16_000
"""Characters that one view shows; the rest is named by its lines. Chosen by hand: some 4,000 tokens."""
_WHY = "by the agent"


def perform(files: WorkspaceFiles, command: MemoryCommand, path: str, **given: Any) -> str:
    """Do a command, and return what the model is told of it."""
    commands = {
        "view": _view,
        "create": _create,
        "str_replace": _replace,
        "insert": _insert,
        "delete": _delete,
        "rename": _rename,
    }
    if command not in commands:
        raise InvalidInput(f"there is no command {command!r}; it is one of {', '.join(commands)}")
    return commands[command](files, path, given)


def _view(files: WorkspaceFiles, path: str, given: dict[str, Any]) -> str:
    """Show a folder, or lines of a file with their numbers, by which `insert` names a place."""
    place = files.resolve(path)
    if place.is_dir():
        names = [f"{MEMORIES}/{name}  {size}" for name, size in files.names(path)]
        return "\n".join([f"Files in {path or MEMORIES}, two levels deep, with their sizes in bytes:", *names])
    lines = files.read(path).splitlines()
    start, end = _range(given.get("view_range"), len(lines))
    shown: list[str] = []
    room = _MAX_VIEWED_CHARACTERS
    for number in range(start, end + 1):
        line = f"{number:6d}\t{lines[number - 1]}"
        if len(line) > room and shown:
            shown.append(f"… lines {number} to {end} are left out; ask for them with view_range")
            break
        shown.append(line[:_MAX_VIEWED_CHARACTERS])
        room -= len(line) + 1
    return "\n".join([f"{path} with line numbers:", *shown])


def _range(view_range: Sequence[int] | None, count: int) -> tuple[int, int]:
    """Return the first and the last line of a view; -1 is the end, as the memory tool's specification has it."""
    if view_range is None:
        return 1, count
    match list(view_range):
        case [int(start), int(end)] if 1 <= start <= max(1, count) and (end == -1 or end >= start):
            return start, count if end == -1 else min(end, count)
    raise InvalidInput(f"view_range is [first, last] with lines from 1 to {count}, or [first, -1]")


def _create(files: WorkspaceFiles, path: str, given: dict[str, Any]) -> str:
    """Make a new file; one that is there is not overwritten: the model may not know of it."""
    text = _need(given, "file_text", "create")

    def made(held: str | None) -> str:
        if held is not None:
            raise InvalidInput(
                f"there is a file {path} already; edit it with str_replace or insert, or delete it first"
            )
        return text

    files.edit(path, made, why=_WHY)
    return f"{path} was created."


def _replace(files: WorkspaceFiles, path: str, given: dict[str, Any]) -> str:
    """Replace a text that stands in the file just once: which of two was meant, nobody could tell."""
    old, new = _need(given, "old_str", "str_replace"), given.get("new_str") or ""
    if not old:
        raise InvalidInput("old_str is empty; give the text to replace")

    def replaced(text: str | None) -> str:
        held = _there(text, path)
        end = newline_of(held)
        wanted = old.replace("\r\n", "\n").replace("\n", end)
        match held.count(wanted):
            case 1:
                return held.replace(wanted, new.replace("\r\n", "\n").replace("\n", end))
            case 0:
                raise InvalidInput(f"old_str is not in {path} as it is given; view the file and copy it exactly")
            case times:
                raise InvalidInput(f"old_str is in {path} {times} times; give more of what stands around it")

    files.edit(path, replaced, why=_WHY)
    return f"{path} was edited."


def _insert(files: WorkspaceFiles, path: str, given: dict[str, Any]) -> str:
    """Put text behind a line, with the line ends that the file has."""
    text, at = _need(given, "insert_text", "insert"), given.get("insert_line")
    if not isinstance(at, int):
        raise InvalidInput("insert needs insert_line: the line after which the text goes, 0 for the beginning")

    def inserted(held: str | None) -> str:
        lines = _there(held, path).splitlines(keepends=True)
        if not 0 <= at <= len(lines):
            raise InvalidInput(f"insert_line must be between 0 and {len(lines)}, not {at}")
        end = newline_of(held)
        if at and not lines[at - 1].endswith("\n"):
            lines[at - 1] += end
        added = text.replace("\r\n", "\n").replace("\n", end)
        return "".join([*lines[:at], added if added.endswith("\n") else added + end, *lines[at:]])

    files.edit(path, inserted, why=_WHY)
    return f"{path} was edited."


def _delete(files: WorkspaceFiles, path: str, given: dict[str, Any]) -> str:
    del given
    files.delete(path, why=_WHY)
    return f"{path} was deleted."


def _rename(files: WorkspaceFiles, path: str, given: dict[str, Any]) -> str:
    old, new = given.get("old_path") or path, _need(given, "new_path", "rename")
    files.rename(old, new, why=_WHY)
    return f"{old} is {new} now."


def _need(given: dict[str, Any], name: str, command: str) -> str:
    """Return an argument that a command cannot do without; its lack is told to the model that called."""
    value = given.get(name)
    if not isinstance(value, str):
        raise InvalidInput(f"{command} needs {name}, a text")
    return value


def _there(text: str | None, path: str) -> str:
    if text is None:
        raise InvalidInput(f"there is no file {path}; create it first")
    return text
