"""Which commands there are: those of every memory, of our disciplines that are there, and of other distributions'."""

from collections.abc import Iterator
from typing import Any

from remanent.cli.commands import COMMANDS
from remanent.cli.options import Made
from remanent.plugins import others_declared, ours_available


def commands() -> Iterator[Made]:
    """Yield every command that is made of an operation."""
    available = {"", *ours_available()}
    yield from (made for made in COMMANDS if made.discipline in available)
    if others_declared():
        yield from _of_others()


def _of_others() -> list[Made]:
    """Make the commands of other distributions' disciplines."""
    from remanent.cli.making import commands_text
    from remanent.discipline import registered
    from remanent.plugins import OURS

    operations = [operation for one in registered() if one.name not in OURS for operation in one.operations()]
    names: dict[str, Any] = {"__name__": f"{__name__}.others"}
    exec(compile(commands_text(operations), "<commands of disciplines>", "exec"), names)
    return list(names["COMMANDS"])
