"""Where disciplines are found: ours by name, those of other distributions by their entry points.

Here, left of the settings, because a discipline brings a section of settings of its own. What a discipline is, says
`remanent.discipline`; here it only has a name, perhaps settings, and perhaps commands that no operation makes: help
lists these, and must not wait for the discipline to be loaded.
"""

import os
import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, Protocol

from remanent.bilingual import Bilingual
from remanent.errors import CallerError, InvalidSettings
from remanent.lightweight import dataclass

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "remanent.disciplines"
"""The group of entry points under which other distributions name theirs: a class without arguments, or an object."""

OURS = {
    "associative": "remanent.associative.discipline:Associative",
    "bank": "remanent.bank.discipline:TaskBank",
    "cognition": "remanent.cognition.discipline:TieredCognition",
    "knowledge": "remanent.knowledge.discipline:KnowledgeBase",
    "workspace": "remanent.workspace.discipline:MarkdownWorkspace",
}
"""The disciplines that come with Remanent. One whose package is not there is left out, and nothing else breaks."""


_NEEDED: Any = ...
"""The default of what must be given."""


@dataclass(frozen=True, slots=True)
class CommandParameter:
    """What a command is given: an option, or a value by its place."""

    name: str
    type: Any
    shown: str
    """How help shows it: flags, then what stands for the value (`--task -t TEXT`); by its place, the latter only."""
    help: Bilingual
    default: Any = _NEEDED
    is_file: bool = False
    """Whether it is a file that must be there."""
    least: float | None = None
    most: float | None = None
    """The bounds of a number."""
    choices: str = ""
    """`module:name` of the enumeration that completes its values."""
    variable: str = ""
    """The environment variable that stands for it."""


@dataclass(frozen=True, slots=True)
class HandMadeCommand:
    """A command that no operation makes: it shows work as it goes on, or reads files where they lie."""

    name: str
    """The word behind the discipline's; two where it belongs to none and stands in a group."""
    help: Bilingual
    run: str
    """`module:name` of what is done, loaded when it is: a function of the command's shared options and its parameters
    by their names, or a `FolderCommand`."""
    level: Literal["machine", "org", "workspace", "agent", "agents"] = "agent"
    """What it works on: `agents` is one agent if it is named, else all of a workspace."""
    parameters: tuple[CommandParameter, ...] = ()
    agent: str = "default"
    """Whose memory is meant where none is named."""


class Declared(Protocol):
    """As much of a discipline as must be known before anything is opened."""

    @property
    def name(self) -> str:
        """A word."""

    @property
    def settings(self) -> Any:
        """The model of its section, or `None`."""


def ours_available() -> tuple[str, ...]:
    """Return the names of our disciplines whose packages are there, without loading them."""
    return tuple(name for name, place in OURS.items() if _is_there(place.partition(":")[0].rpartition(".")[0]))


def commands_beside(module: str) -> Sequence[HandMadeCommand]:
    """Return the commands that the package of a discipline declares in its module `commands`, if it has one."""
    name = f"{module.rpartition('.')[0]}.commands"
    return import_module(name).COMMANDS if _is_there(name) else ()


def commands_of_ours(discipline: str) -> Sequence[HandMadeCommand]:
    """Return the commands of one of our disciplines that no operation makes, without loading the rest of it."""
    return commands_beside(OURS[discipline].partition(":")[0])


def require(name: str) -> None:
    """Refuse to go on without one of our disciplines."""
    if name not in ours_available():
        raise CallerError(
            f"the discipline {name} is not installed here; install a version of Remanent that includes it"
        )


@cache
def others_declared() -> "tuple[EntryPoint, ...]":
    """Return the entry points of other distributions, without loading what they name."""
    if not any(_mentions(folder) for folder in sys.path):
        return ()
    from importlib.metadata import entry_points

    return tuple(sorted(entry_points(group=GROUP), key=lambda point: point.name))


@cache
def found() -> tuple[Declared, ...]:
    """Return every discipline that is installed, ours first; loaded once per process."""
    places = (OURS[name].partition(":") for name in ours_available())
    ours = (getattr(import_module(module), attribute)() for module, _, attribute in places)
    return (*ours, *(_other(point) for point in others_declared()))


def _other(point: "EntryPoint") -> Declared:
    """Return the discipline that another distribution declares; one that cannot be loaded ends the start."""
    whose = f"the discipline {point.name!r} of {point.dist.name if point.dist else 'an unknown distribution'}"
    try:
        named = point.load()
        declared: Declared = named() if isinstance(named, type) else named
    except Exception as error:
        # Going on without it would leave holes in what it keeps: it would not be told of what is said meanwhile.
        raise InvalidSettings(f"{whose} cannot be loaded ({error}); fix or uninstall it") from error
    if not isinstance(getattr(declared, "name", None), str) or not declared.name.isidentifier():
        raise InvalidSettings(f"{whose} has no valid name; fix or uninstall it")
    return declared


def _mentions(folder: str) -> bool:
    """Tell whether a distribution in a folder may have a discipline.

    Help must be instant, and the module that reads entry points takes longer to load than all folders take to look at.
    """
    if os.path.isfile(folder):
        return True  # an archive: whoever can read it is asked
    try:
        names = [entry.path for entry in os.scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    for name in names:
        try:
            with open(os.path.join(name, "entry_points.txt"), "rb") as file:
                if GROUP.encode() in file.read():
                    return True
        except OSError:
            continue
    return False


def _is_there(package: str) -> bool:
    """Tell whether a package can be imported, without importing it."""
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False
