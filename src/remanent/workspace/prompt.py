"""What a model is given of the workspace: its section of the system prompt, and the memory tool to edit its own files.

The section says what must always hold, then what the last messages bring to mind.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from remanent.bilingual import Bilingual, Language
from remanent.errors import InvalidInput
from remanent.model.chat import expand_messages
from remanent.model.entry import EntryKind, chat_role
from remanent.text.escaping import escape
from remanent.text.scripts import working_language
from remanent.text.spans import excerpt
from remanent.text.terms import query_terms
from remanent.text.tokens import fit, token_counter
from remanent.workspace.files import MEMORIES, WorkspaceFiles, newline_of
from remanent.workspace.hooks import without_comments
from remanent.workspace.index import WorkspaceHit

_CORE = ("IDENTITY.md", "SOUL.md", "USER.md")
"""What must always hold, in the order of the prompt."""
_INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
"""What people write for coding agents; read where it lies."""

# The design's figures.
_QUERY_MESSAGES = 5
_MESSAGE_CHARACTERS = 200
_QUERY_CHARACTERS = 500
RECALLED_LIMIT = 5
_RECALLED_CHARACTERS = 500

_CORE_HEADING = Bilingual("## What always holds", "## 始终成立的内容")
_RECALLED_HEADING = Bilingual("## Related memory (recalled automatically)", "## 相关历史记忆(自动召回)")


def query_of(messages: Iterable[Any]) -> str:
    """Return the question that the last messages of the user make together; empty where there is none."""
    said = [
        message.content
        for message in expand_messages(list(messages) or [])
        if message.kind is EntryKind.MESSAGE and chat_role(message.role) == "user"
    ]
    query = "\n".join(" ".join(text.split())[:_MESSAGE_CHARACTERS] for text in said[-_QUERY_MESSAGES:])
    return query[-_QUERY_CHARACTERS:].strip()  # of too much, what was said last


def recalled_section(hits: Sequence[WorkspaceHit], *, query: str, language: Language) -> str:
    """Return what was found as a section of about 500 characters; empty where nothing was.

    Of a long passage the lines come that speak of the question, not its beginning.
    """
    lines: list[str] = []
    room = _RECALLED_CHARACTERS
    for hit in hits:
        share = min(room, max(80, _RECALLED_CHARACTERS // len(hits)))
        said, at = telling_part(hit, query, share)
        line = f"- {escape(said)} ({escape(hit.path)}:{at})"
        lines.append(line)
        room -= len(line)
        if room < _MESSAGE_CHARACTERS // 4:
            break
    return "\n".join([_RECALLED_HEADING.say(language), *lines]) if lines else ""


def telling_part(hit: WorkspaceHit, query: str, limit: int) -> tuple[str, int]:
    """Return the part of a passage that has most of a question's words, and the line of its file that it begins at."""
    lines = [line.strip().removeprefix("- ") for line in hit.text.split("\n")]
    asked = frozenset(query_terms(query))
    worth = [len(asked & frozenset(query_terms(line))) for line in lines]
    best = worth.index(max(worth)) if len(" ".join(lines)) > limit else 0
    return excerpt(" ".join(" ".join(lines[best:]).split()), limit), hit.line + best


def core_section(files: WorkspaceFiles, *, budget: int, language: Language, project: Path | None = None) -> str:
    """Return what must always hold as one section within a budget of tokens; empty while nobody wrote any of it.

    What does not fit is cut file by file, the later ones first: who the agent is goes before who the user is.
    """
    texts = [(name, text) for name in _CORE if (text := _said(files.find(name)))]
    texts += [(str(path), text) for path in _instruction_files(files.root, project) if (text := _said(_text(path)))]
    if not texts:
        return ""
    count = token_counter()
    heading = _CORE_HEADING.say(language)
    parts, left = [heading], budget - count(heading)
    for place, (name, text) in enumerate(texts):
        title = f"### {name}"
        # Each may take what the others leave, and at least its equal share.
        room = left // (len(texts) - place) if place < len(texts) - 1 else left
        whole = f"{title}\n{escape(text)}"
        behind = sum(count(f"### {name}\n{text}") + 2 for name, text in texts[place + 1 :])
        part = whole if count(whole) <= max(room, left - behind) else ""
        part = part or f"{title}\n{fit(escape(text), max(0, room - count(title) - 2))}"
        parts.append(part)
        left -= count(part) + 1
    return "\n\n".join(part for part in parts if part.partition("\n")[2] or part == heading)


def _instruction_files(root: Path, project: Path | None) -> Iterator[Path]:
    """Yield what people wrote for coding agents: of the workspace, and of a project and the folders above it."""
    folders = [root]
    if project is not None:
        for folder in (project, *project.parents):
            folders.append(folder)
            if (folder / ".git").exists() or folder == Path.home():
                break
    for folder in dict.fromkeys(folders):
        yield from (folder / name for name in _INSTRUCTIONS if (folder / name).is_file())


def _text(path: Path) -> str | None:
    """Return a file's text; one that is missing or no text is left out of the prompt and is no error."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _said(text: str | None) -> str:
    """Return what a file says beyond its title and hints to whoever fills it in."""
    bare = without_comments(text or "").replace("\r\n", "\n").strip()
    return "" if all(line.startswith("#") or not line.strip() for line in bare.splitlines()) else bare


def language_for(messages: Iterable[Any], *, chosen: str, otherwise: Language = "zh") -> Language:
    """Return the language that a prompt is in: as the settings say, else that of the conversation."""
    if chosen in {"zh", "en"}:
        return "zh" if chosen == "zh" else "en"
    texts = [message.content for message in expand_messages(list(messages) or [])]
    return working_language(*reversed(texts)) if texts else otherwise


# ── the memory tool ──────────────────────────────────────────────────────────

MemoryCommand = Literal["view", "create", "str_replace", "insert", "delete", "rename"]
_MAX_VIEWED_CHARACTERS = 16_000
"""Characters that one view shows; the rest is named by its lines. Chosen by hand: some 4,000 tokens."""
_WHY = "by the agent"


def perform(files: WorkspaceFiles, command: MemoryCommand, path: str, **given: Any) -> str:
    """Do a command, and return what the model is told of it."""
    match command:
        case "view":
            return _view(files, path, given.get("view_range"))
        case "create":
            return _create(files, path, _need(given, "file_text", command))
        case "str_replace":
            return _replace(files, path, _need(given, "old_str", command), given.get("new_str") or "")
        case "insert":
            return _insert(files, path, _need(given, "insert_text", command), given.get("insert_line"))
        case "delete":
            files.delete(path, why=_WHY)
            return f"{path} was deleted."
        case "rename":
            old, new = given.get("old_path") or path, _need(given, "new_path", command)
            files.rename(old, new, why=_WHY)
            return f"{old} is {new} now."
    raise InvalidInput(f"unknown command {command!r}; choose one of {', '.join(get_args(MemoryCommand))}")


def _view(files: WorkspaceFiles, path: str, view_range: Sequence[int] | None) -> str:
    """Show a folder, or lines of a file with their numbers, by which `insert` names a place."""
    place = files.resolve(path)
    if place.is_dir():
        names = [f"{MEMORIES}/{name}  {size}" for name, size in files.names(path)]
        return "\n".join([f"Files in {path or MEMORIES}, two levels deep, with their sizes in bytes:", *names])
    lines = files.read(path).splitlines()
    start, end = _range(view_range, len(lines))
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
    raise InvalidInput(f"view_range must be [first, last] with lines from 1 to {count}, or [first, -1]")


def _create(files: WorkspaceFiles, path: str, text: str) -> str:
    """Make a new file; one that is there is not overwritten: the model may not know of it."""

    def made(held: str | None) -> str:
        if held is not None:
            raise InvalidInput(
                f"the file {path} already exists; edit it with str_replace or insert, or delete it first"
            )
        return text

    files.edit(path, made, why=_WHY)
    return f"{path} was created."


def _replace(files: WorkspaceFiles, path: str, old: str, new: str) -> str:
    """Replace a text that stands in the file just once: which of two was meant, nobody could tell."""
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
                raise InvalidInput(f"old_str was not found in {path}; view the file and copy the text exactly")
            case times:
                raise InvalidInput(f"old_str is in {path} {times} times; include more of the surrounding text")

    files.edit(path, replaced, why=_WHY)
    return f"{path} was edited."


def _insert(files: WorkspaceFiles, path: str, text: str, at: Any) -> str:
    """Put text behind a line, with the line ends that the file has."""
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
