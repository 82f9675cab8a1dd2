"""What of the workspace stands in a system prompt: what must always hold, then what the last messages bring to mind."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from remanent.bilingual import Bilingual, Language
from remanent.model.chat import expand_messages
from remanent.model.entry import EntryKind, chat_role
from remanent.text.boundaries import excerpt
from remanent.text.budget import fit
from remanent.text.escaping import escape
from remanent.text.scripts import working_language
from remanent.text.terms import query_terms
from remanent.text.tokens import token_counter
from remanent.workspace.daylog import without_comments
from remanent.workspace.files import WorkspaceFiles
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
