"""Whose memory it is: every call names its scope, and no scope means everything.

Names become folders and rows, so that they are checked before they are anything; a session narrows a scope and never
widens it.
"""

import re
import unicodedata
from functools import lru_cache
from typing import Annotated, Any

from pydantic import BeforeValidator

from remanent.errors import InvalidScope
from remanent.model.base import Model

SHARED = "shared"
"""The agent name reserved for what a workspace shares."""

_MAX_NAME_LENGTH = 64
_MAX_NAME_BYTES = 200
_MAX_LABEL_LENGTH = 200
"""Characters and bytes of a name that becomes a folder, below the 255 bytes of most file systems; and characters of a
session or a task, which does not. Chosen by hand."""
_PUNCTUATION = "-_.:@+=~"
_LABEL_PUNCTUATION = _PUNCTUATION + " /#,()"
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_LIKE_LATIN = frozenset("асеорхуіѕјһԁԛԝӏАВЕЅІЈКМНОРСТУХԚԜοανυρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ")
_EAST_ASIAN = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO", "IDEOGRAPHIC")


def _script(char: str) -> str:
    name = unicodedata.name(char, "")
    word = name.split(" ", 1)[0].split("-", 1)[0]
    if word in _EAST_ASIAN:
        return "EAST ASIAN"
    return word


def check_name(value: object, *, what: str) -> str:
    """Return the name, or refuse one that is empty, unsafe in a path, or easily taken for another."""
    name = _check_characters(value, what=what, longest=_MAX_NAME_LENGTH, punctuation=_PUNCTUATION)
    if name[0] not in "_@~" and not name[0].isalnum():
        raise InvalidScope(f"{what} must start with a letter, a digit or one of _ @ ~")
    if len(name.encode()) > _MAX_NAME_BYTES:
        raise InvalidScope(
            f"{what} takes {len(name.encode())} bytes, but at most {_MAX_NAME_BYTES} fit into a file name"
        )
    if name.endswith(".") or _RESERVED.fullmatch(name):
        raise InvalidScope(f"{what} {name!r} is not safe as a file name; choose another")
    return name


def check_label(value: object, *, what: str) -> str | None:
    """Return the label of a session or task (it is never a path), or refuse an ambiguous one."""
    if value is None:
        return None
    return _check_characters(value, what=what, longest=_MAX_LABEL_LENGTH, punctuation=_LABEL_PUNCTUATION)


def _check_characters(value: object, *, what: str, longest: int, punctuation: str) -> str:
    if not isinstance(value, str):
        raise InvalidScope(f"{what} must be text, not {type(value).__name__}; name the {what} explicitly")
    # Exactly text from here on, so that what is remembered about a name cannot be another type that equals it.
    return _check_text(str(value), what, longest, punctuation)


@lru_cache(maxsize=4096)
def _check_text(value: str, what: str, longest: int, punctuation: str) -> str:
    """Check what is written; remembered, because the same few names come again with every call."""
    if not value:
        raise InvalidScope(f"{what} must not be empty")
    if len(value) > longest:
        raise InvalidScope(f"{what} has {len(value)} characters; at most {longest} are allowed")
    for char in value:
        if not (char.isalnum() or char in punctuation):
            raise InvalidScope(f"{what} contains {char!a}; use letters, digits and any of {punctuation!r}")
    if unicodedata.normalize("NFKC", value) != value:
        raise InvalidScope(f"{what} contains look-alike characters (full-width or composed forms); use the plain ones")
    if ".." in value or value != value.strip():
        raise InvalidScope(f"{what} must not contain '..', or begin or end with a space")
    _check_alphabet(value, what=what)
    return value


def _check_alphabet(value: str, *, what: str) -> None:
    letters = [char for char in value if char.isalpha()]
    scripts = {_script(char) for char in letters}
    if len(scripts - {"LATIN", "EAST ASIAN"}) > (0 if "LATIN" in scripts else 1):
        raise InvalidScope(f"{what} mixes alphabets whose letters look alike ({', '.join(sorted(scripts))})")
    if letters and all(char in _LIKE_LATIN for char in letters):
        raise InvalidScope(f"{what} {value!a} looks like another name in Latin letters; choose another")


def _name(what: str) -> Any:
    return BeforeValidator(lambda value: check_name(value, what=what))


def _label(what: str) -> Any:
    return BeforeValidator(lambda value: check_label(value, what=what))


class Scope(Model):
    """Whose memory is meant: organisation, workspace and agent always, session and task when narrower."""

    org: Annotated[str, _name("org")]
    workspace: Annotated[str, _name("workspace")]
    agent: Annotated[str, _name("agent")]
    session: Annotated[str | None, _label("session")] = None
    task: Annotated[str | None, _label("task")] = None

    @property
    def owner(self) -> "Scope":
        """The same agent without session and task: what one database holds."""
        if self.session is None and self.task is None:
            return self
        return Scope(org=self.org, workspace=self.workspace, agent=self.agent)

    @property
    def shared(self) -> "Scope":
        """The scope of what this workspace shares."""
        return Scope(org=self.org, workspace=self.workspace, agent=SHARED)

    def within(self, *, session: str | None = None, task: str | None = None) -> "Scope":
        """Return the scope narrowed to a session or a task."""
        if session is None and task is None:
            return self
        return Scope(
            org=self.org,
            workspace=self.workspace,
            agent=self.agent,
            session=session if session is not None else self.session,
            task=task if task is not None else self.task,
        )

    def __str__(self) -> str:
        """Return the readable path of the scope."""
        parts = [self.org, self.workspace, self.agent]
        if self.session is not None:
            parts.append(f"session={self.session}")
        if self.task is not None:
            parts.append(f"task={self.task}")
        return "/".join(parts)
