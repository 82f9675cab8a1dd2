"""Commands made of operations: what each is called, is for and is given, as data.

Ours are written to `commands.py` by scripts/cli_face.py, because the catalogue takes longer to load than help may take
to show. Those of other distributions' disciplines are made when the program starts.
"""

import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Union, get_args, get_origin

from annotated_types import Ge, Le
from pydantic.fields import FieldInfo

from remanent.bilingual import Bilingual
from remanent.cli import options
from remanent.cli.options import OperationCommand
from remanent.cli.words import GROUPS
from remanent.discipline import registered
from remanent.discipline.operation import Body, Level, Operation
from remanent.discipline.shapes import ZH
from remanent.errors import InvalidSettings
from remanent.model import Kind
from remanent.plugins import CommandParameter

# How fields that many operations share are called on a command line.
FLAGS: Final = {
    "after_seq": ("--after",), "after_id": ("--after",), "before_seq": ("--before",), "any_tags": ("--any-tag",),
    "entry_ids": ("--entry",), "kinds": ("--kind",), "limit": ("--limit", "-n"), "permissions": ("--permission",),
    "record_ids": ("--record",), "scopes": ("--scope",), "session": ("--session", "-s"), "states": ("--state",),
    "statuses": ("--status",), "tags": ("--tag",),
}  # fmt: skip
_PAIRS: Final = {"metadata", "where"}
"""Objects that are given pair by pair."""
_NOT_SHOWN: Final = {"cursor"}
"""Fields that only programs have a use for."""
_METAVARS: Final = {int: "N", float: "N", datetime: "WHEN"}


_LEVELS: Final[Mapping[Level, options.Level]] = {
    Level.SERVER: "machine", Level.ORG: "org", Level.WORKSPACE: "workspace", Level.AGENT: "agent",
}  # fmt: skip


def commands_of(operations: Iterable[Operation[Any, Any]]) -> Iterator[OperationCommand]:
    """Yield the commands of operations, those too that go by other words."""
    disciplines = {one.name: one.purpose for one in registered()}
    purposes = {**GROUPS, **disciplines}
    for operation in operations:
        command = operation.command
        if command is None:
            continue
        first = operation.name.partition(".")[0]
        path = command.path or tuple(operation.name.replace("_", "-").split("."))
        for words in filter(None, (path, command.also)):
            if len(words) > 1 and words[0] not in purposes:
                raise InvalidSettings(f"say in GROUPS of cli/words.txt what the commands of {words[0]!r} are for")
            yield OperationCommand(
                words,
                operation.help,
                operation.name,
                _LEVELS[operation.level],
                tuple(_parameters(operation)),
                group=purposes[words[0]] if len(words) > 1 else None,
                discipline=first if first in disciplines else "",
                agent=command.agent or "default",
                each=command.repeated or "",
                takes=command.takes or "",
                explains=command.explains,
                writes_file=operation.answers is Body.LINES,
                reads_file=operation.reads is not Body.JSON,
                settles=operation.settles,
                destroys=operation.destroys,
            )


def _parameters(operation: Operation[Any, Any]) -> Iterator[CommandParameter]:
    """Yield what is given for each field of the request; the one that is given several times comes first."""
    command = operation.command
    assert command is not None
    for name, field in operation.request.model_fields.items():
        if name == command.repeated:
            yield CommandParameter(name, list[str], name.upper(), _about(field))
    by_place = operation.path_fields if command.arguments is None else command.arguments
    for name, field in operation.request.model_fields.items():
        if name not in {*_NOT_SHOWN, command.takes, command.repeated}:
            yield _parameter(name, field, is_argument=name in by_place)


def _parameter(name: str, field: FieldInfo, *, is_argument: bool) -> CommandParameter:
    """Return what is given for one field."""
    annotation, many, optional = (str, True, True) if name in _PAIRS else _unfold(field.annotation)
    has_choices = inspect.isclass(annotation) and issubclass(annotation, StrEnum | Kind)
    kind: Any = annotation if annotation in {int, float, bool, datetime} else str
    shown = name.upper()
    if not is_argument:
        flags = FLAGS.get(name, (f"--{name.replace('_', '-')}",))
        if kind is bool and (field.is_required() or field.default is not False):
            flags = tuple(f"{flag}/--no-{flag.removeprefix('--')}" for flag in flags)  # it can be said both ways
        shown = " ".join([*flags, *(() if kind is bool else (_metavar(name, annotation),))])
    low, high = _bounds(field) if kind in {int, float} else (None, None)
    more: dict[str, Any] = {"least": low, "most": high if high is not None and high < 2**53 else None}
    more["choices"] = f"{annotation.__module__}:{annotation.__name__}" if has_choices else ""
    if is_argument and name == "query":  # a question need not be quoted
        return CommandParameter(name, list[str], shown, _about(field))
    default = ... if field.is_required() else None if many else field.default
    if many:
        kind = list[kind]
    if default is None or (optional and not many):
        kind = kind | None
    default = str(default) if isinstance(default, str) else default
    return CommandParameter(name, kind, shown, _about(field), default, **more)


def _about(field: FieldInfo) -> Bilingual:
    assert isinstance(field.json_schema_extra, dict)
    return Bilingual(field.description or "", str(field.json_schema_extra[ZH]))


def _unfold(annotation: Any) -> tuple[Any, bool, bool]:
    """Return the plain type, whether there are many of it, and whether it may be missing."""
    optional = False
    if get_origin(annotation) in {Union, types.UnionType}:
        options = [part for part in get_args(annotation) if part is not type(None)]
        optional = len(options) < len(get_args(annotation))
        annotation = options[0]
    many = get_origin(annotation) is tuple
    if many:
        annotation = get_args(annotation)[0]
    while get_origin(annotation) is not None and hasattr(annotation, "__metadata__"):
        annotation = get_args(annotation)[0]
    return annotation, many, optional


def _metavar(name: str, annotation: Any) -> str:
    """Return what stands for a value in help."""
    if name in _PAIRS:
        return "KEY=VALUE"
    if annotation in _METAVARS:
        return _METAVARS[annotation]
    if inspect.isclass(annotation) and issubclass(annotation, StrEnum | Kind):
        return annotation.__name__.upper()
    if name.endswith(("_id", "_ids")):
        return "ID"
    return "NAME" if name in {"session", "task", "name", "within_workspace", "within_agent"} else "TEXT"


def _bounds(field: FieldInfo) -> tuple[Any, Any]:
    """Return the least and the greatest value; what must be above a bound is left to the request to check."""
    low = next((rule.ge for rule in field.metadata if isinstance(rule, Ge)), None)
    high = next((rule.le for rule in field.metadata if isinstance(rule, Le)), None)
    return low, high


def as_python(value: Any) -> str:
    """Return a declaration as it is written in Python, without what it has by default."""
    if is_dataclass(value) and not isinstance(value, type):
        parts = []
        for field in fields(value):
            own = getattr(value, field.name)
            if own != field.default:
                named = "" if field.default is MISSING else f"{field.name}="
                parts.append(f"{named}{as_python(own)}")
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, tuple):
        return f"({''.join(f'{as_python(one)}, ' for one in value)})"
    if isinstance(value, type | types.GenericAlias | types.UnionType):
        return value.__name__ if isinstance(value, type) else repr(value).replace("datetime.datetime", "datetime")
    return repr(value)
