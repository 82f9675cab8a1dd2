"""One operation, declared once: what is asked, what is answered, who may, how it is said, and where it is shown.

REST routes, MCP tools, commands, the client and their documentation are all made of this declaration, so that none of
them can offer what another lacks, or say it otherwise. What scripts write from it is compared by `make check`.
"""

import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Generic, Literal, Protocol, TypeVar, get_type_hints

from remanent.bilingual import Bilingual, Language
from remanent.discipline.shapes import Done, Page, items_of
from remanent.lightweight import dataclass
from remanent.model import Model
from remanent.text.spans import excerpt


class Permission(StrEnum):
    """What a key may allow; each is given on its own, and `admin` allows everything."""

    READ = "read"
    WRITE = "write"
    APPROVE = "approve"
    ADMIN = "admin"
    METRICS = "metrics"
    """The figures of the whole server, and nothing of any memory: for what scrapes `/metrics`."""


Q = TypeVar("Q", bound=Model)
A = TypeVar("A")

Handler = Callable[[Any, Q], Awaitable[A]] | Callable[[Any, Q], AsyncIterator[A]]
"""Takes a `Call` and a request; our own operations are given more than a discipline's `Call` promises."""
Method = Literal["GET", "POST", "PUT", "DELETE"]
MemoryAct = Literal["search_memory", "create_memory", "update_memory", "delete_memory", "delete_memory_store"]
"""What the conventions of OpenTelemetry call operations of a memory."""

_NAME: Final = re.compile(r"[a-z]+(_[a-z]+)*(\.[a-z]+(_[a-z]+)*)?")
_PLACES: Final = re.compile(r"{(\w+)}")
_PAUSE: Final = re.compile(r"[.,;:]\s|[.。，；：]")


class Level(StrEnum):
    """What an operation works on."""

    SERVER = "server"
    """Whatever the caller's key reaches, wherever that is; the operation itself tells no more than that."""
    ORG = "org"
    WORKSPACE = "workspace"
    AGENT = "agent"

    @property
    def names(self) -> tuple[str, ...]:
        """What names a place of this level."""
        return ("org", "workspace", "agent")[: list(Level).index(self)]


class Body(StrEnum):
    """What goes in or comes out beside the request's own fields."""

    JSON = "json"
    LINES = "lines"
    """Lines of text, as many as there are: an export."""
    BYTES = "bytes"
    """A file."""


class Screen(Protocol):
    """Where a command shows an answer to people."""

    @property
    def language(self) -> Language:
        """The language of the user."""

    def word(self, phrase: Bilingual, /, **values: object) -> str:
        """Return a sentence in the user's language, safe to show."""

    def tell(self, phrase: Bilingual, /, *, style: str = "", **values: object) -> None:
        """Say something about the work, beside the data."""

    def line(self, text: str) -> None:
        """Show a line of data, whatever characters are in it."""

    def rows(self, headings: Sequence[str | Bilingual], rows: Iterable[Sequence[str]]) -> None:
        """Show a table of data."""

    def moment(self, at: datetime) -> str:
        """Return a moment in the user's own zone."""

    def label(self, name: str) -> str:
        """Return what a field is called in the user's language."""

    def name(self, name: str) -> str:
        """Return what a kind, a state or a role is called in the user's language."""


@dataclass(frozen=True, slots=True)
class Tool:
    """How a model is offered the operation: a name, words written for models, and the fields it needs to see."""

    name: str
    description: Bilingual
    fields: tuple[str, ...] | None = None
    """The request's fields that a model may fill in; all of them unless given."""
    tell: Callable[[Any, Language], str] | None = None
    """Puts the answer into words for models that read text; stored words in it must be escaped."""
    listed: bool = True
    """Whether models are shown it; one that is not is for the program that runs the model, and is called by name."""


@dataclass(frozen=True, slots=True)
class Face:
    """The method of the façade that does the same: what a client of a server offers under the same name."""

    method: str
    part: str = ""
    """The part of the agent that has the method: `admin`, or a discipline's name; empty for the agent itself."""
    ask: Callable[[dict[str, Any]], dict[str, Any]] = lambda given: given
    """Makes the request's fields of the method's arguments."""
    give: Callable[[Any], Any] = lambda answer: answer
    """Makes what the method returns of what the operation answers."""
    upload: str | None = None
    """The argument that is sent beside the request."""
    by_key: tuple[str, ...] = ()
    """Arguments that say who does it: a client has none of them, because a server goes by whose the key is."""


@dataclass(frozen=True, slots=True)
class FolderCommand:
    """What a command does where a folder is named in the place of a file."""

    run: Callable[..., Any]
    """Takes the open memory, the folder and the fields given, with `agent` and `on_progress` (done, total, name)."""
    show: Callable[[Screen, Any], None]
    """Shows people what it returned."""
    watch: Callable[..., Iterator[Any]] | None = None
    """Takes the same, and yields such an answer whenever files changed; for commands with an option `watch`."""


@dataclass(frozen=True, slots=True)
class Command:
    """How the command line offers the operation; what is not said here follows from the request's fields."""

    path: tuple[str, ...] | None = None
    """The words of the command; the parts of the operation's name unless given."""
    also: tuple[str, ...] | None = None
    """Other words for the same; a group's own name for what it does when it is called alone."""
    arguments: tuple[str, ...] | None = None
    """Fields that are given by place and not by name; those of the route's path unless given."""
    agent: str | None = None
    """Whose memory is meant unless one is named; without it an agent must be named."""
    repeated: str | None = None
    """A field that is given any number of times by place: the operation is done once for each."""
    takes: Literal["messages", "questions", "request", "targets"] | None = None
    """What the command takes in a way of its own (words, a file of lines) in the place of the field of that name."""
    explains: bool = False
    """Whether it can show how each answer came to its place."""
    settles_first: bool = False
    """Whether the agent's waiting jobs are done first: else it says less of what was remembered a moment ago."""
    show: Callable[[Screen, Any], None] | None = None
    """Shows an answer to people; unless given, answers are shown by their type, or plainly."""
    found: Callable[[Any], bool] | None = None
    """Tells whether an answer holds anything; where it does not, the command ends with 1, as `grep` does."""
    folder: FolderCommand | None = None
    """What is done for a folder, if that is more than reading a file."""
    question: Callable[[Screen, Mapping[str, Any], str | None], str] | None = None
    """What people are asked before something is destroyed, of the request and the agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[Q, A]):
    """One thing that can be done, and all that every interface needs to know of it."""

    name: str
    request: type[Q]
    response: Any
    """The type of the answer; that of one line for `answers` LINES."""
    handler: Handler[Q, A]
    permission: Permission
    level: Level
    help: Bilingual
    act: MemoryAct | None = None
    """What traces call it; a tool that is executed unless given."""
    method: Method
    path: str
    """Behind the level's own address; places in braces are fields of the request."""
    changes: bool
    destroys: bool = False
    """Whether what it takes away cannot be brought back: people are asked first."""
    settles: bool = False
    """Whether it leaves background work that a person at a terminal would wait for."""
    long: bool = False
    secret: bool = False
    """Whether the answer must not be written down; asked again under the caller's own key, it is made anew."""
    keyed: Callable[[Any, str], Any] | None = None
    """Makes a request that can be repeated without harm for good, of one and the caller's own key for it."""
    reads: Body = Body.JSON
    answers: Body = Body.JSON
    examples: tuple[Mapping[str, Any], ...] = ()
    tool: Tool | None = None
    face: Face | None = None
    command: Command | None = Command()
    """`None` where the command line has no use for it."""

    @property
    def title(self) -> Bilingual:
        """What it does in a few words, for lists of what was done: its help up to the first pause."""
        return Bilingual(_PAUSE.split(self.help.en, 1)[0], _PAUSE.split(self.help.zh, 1)[0])

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The fields of the request that stand in the path."""
        return tuple(_PLACES.findall(self.path))

    @property
    def version_field(self) -> str | None:
        """The field that holds the version which must be current (REST: If-Match), if there is one."""
        return "expects" if "expects" in self.request.model_fields else None


def operation(
    name: str,
    *,
    zh: str,
    permission: Permission,
    level: Level = Level.AGENT,
    route: str | None = None,
    changes: bool | None = None,
    part: str | None = None,
    group: str | None = None,
    give: Callable[[Any], Any] | None = None,
    **more: Any,
) -> Callable[[Handler[Q, A]], Operation[Q, A]]:
    """Make an operation of an async function `(call, request) -> response`; its docstring is the help in English.

    `route` is a method and a path such as `GET records/{record_id}`; unless given, it is `POST` and the name. With a
    `part`, its method of the operation's name is the `face`, which returns what `give` makes of the answer; with a
    `group`, its command stands there. A face or a path of a command that is given goes first.
    """
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid name for an operation: use lower-case words and at most one dot")
    method, _, path = (route or f"POST {name.replace('.', '/').replace('_', '-')}").partition(" ")

    def declare(handler: Handler[Q, A]) -> Operation[Q, A]:
        hints = get_type_hints(handler, include_extras=True)
        _, asked = list(inspect.signature(handler).parameters)
        response = hints["return"]
        answers = Body.BYTES if response is bytes else Body.JSON
        if inspect.isasyncgenfunction(handler):
            answers, response = Body.LINES, str
        english = inspect.getdoc(handler)
        if not english:
            raise ValueError(f"operation {name} needs a docstring: it is the English help")
        own = name.rpartition(".")[2]
        if part is not None:
            more.setdefault("face", Face(own, part=part, give=give or _giving(response)))
        command = more.get("command", Command())
        if group is not None and command is not None and command.path is None:
            more["command"] = replace(command, path=(group, own.replace("_", "-")))
        declared: Operation[Q, A] = Operation(
            name=name,
            request=hints[asked],
            response=response,
            handler=handler,
            permission=permission,
            level=level,
            help=Bilingual(english, zh),
            method=method,  # type: ignore[arg-type]
            path=path,
            changes=permission is not Permission.READ if changes is None else changes,
            answers=answers,
            **more,
        )
        unknown = set(declared.path_fields) - set(declared.request.model_fields)
        if unknown:
            raise ValueError(f"operation {name} has {', '.join(sorted(unknown))} in its path but not in its request")
        return declared

    return declare


def _giving(response: Any) -> Callable[[Any], Any]:
    """Return what a façade's method gives of an answer: the items of a page, nothing where it is only done."""
    if isinstance(response, type) and issubclass(response, Page):
        return items_of
    return (lambda _: None) if response is Done else lambda answer: answer


_MAX_QUOTE_LENGTH = 60
"""Characters of a memory that are quoted to say which one is meant."""

_RESTORED = Bilingual("Restored: “{about}”.", "已恢复：“{about}”。")


class HasContent(Protocol):
    """A record, or a node of a graph."""

    @property
    def content(self) -> str:
        """What it says."""


def show_restored(screen: Screen, answer: HasContent) -> None:
    """Say what is back."""
    screen.line(screen.word(_RESTORED, about=excerpt(answer.content, _MAX_QUOTE_LENGTH)))
