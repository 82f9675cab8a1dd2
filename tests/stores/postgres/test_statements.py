"""The fixed statements stand in one file, each with a name and what it is for."""

import re
from importlib import resources

from remanent.stores import postgres
from remanent.stores.postgres.connection import statements


def test_every_statement_is_used_and_none_is_asked_for_that_is_not_there() -> None:
    folder = resources.files(postgres)
    code = "".join(file.read_text("utf-8") for file in folder.iterdir() if file.name.endswith(".py"))
    asked = set(re.findall(r'(?:statement|_column|_run|rows|_scopes)\(\s*"([a-z_]+)"', code))
    asked |= {name for pair in re.findall(r'"([a-z_]+)" if shared else "([a-z_]+)"', code) for name in pair}
    asked |= set(re.findall(r'else \("([a-z_]+)", "([a-z_]+)"\)', code)[0])
    assert asked == set(statements())


def test_every_statement_is_one_and_says_what_it_is_for() -> None:
    text = (resources.files(postgres) / "sql" / "statements.sql").read_text("utf-8")
    described = re.findall(r"^-- ([a-z_]+): (.+)$", text, re.MULTILINE)
    assert [name for name, _ in described] == list(statements())
    for name, why in described:
        assert len(why) > 8, name
        assert ";" not in statements()[name], name


def test_the_whole_store_is_small_enough_to_read() -> None:
    code = [file for file in resources.files(postgres).iterdir() if file.name.endswith(".py")]
    assert sum(len(file.read_text("utf-8").splitlines()) for file in code) <= 2_000
