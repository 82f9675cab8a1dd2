"""The fixed statements of `sql/statements.sql`, by name."""

import re
from functools import cache
from importlib import resources

_NAME = re.compile(r"^-- ([a-z_]+): (.+)$", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """Return every statement by its name."""
    text = (resources.files(__package__) / "sql" / "statements.sql").read_text("utf-8")
    _, *parts = _NAME.split(text)
    return {name: sql.strip() for name, _, sql in zip(*[iter(parts)] * 3, strict=True)}


def statement(name: str) -> str:
    """Return a statement."""
    return statements()[name]
