"""Every store that speaks SQL knows every question and every change of the port."""

import re
import types
import typing
from importlib import resources

from remanent.stores import queries, transaction
from remanent.stores.queries import Query
from remanent.stores.query_steps import ANSWERS
from remanent.stores.sqlite import writes
from remanent.stores.sqlite.reads import SQLITE_ANSWERS
from remanent.stores.vectors import VectorSearch
from tests.servers import has_postgres

QUESTIONS = {
    kind
    for kind in vars(queries).values()
    if isinstance(kind, type) and issubclass(kind, Query) and kind is not Query and kind.__module__ == queries.__name__
}
CHANGES = set(typing.get_args(transaction.Change))


def test_every_question_is_answered_by_each_store() -> None:
    assert set(ANSWERS) < QUESTIONS
    assert set(SQLITE_ANSWERS) == QUESTIONS
    if has_postgres():
        from remanent.stores.postgres.reads import POSTGRES_ANSWERS

        assert set(POSTGRES_ANSWERS) == QUESTIONS | {VectorSearch}


def test_every_change_is_applied_by_each_store() -> None:
    assert isinstance(transaction.Change, types.UnionType)
    assert set(writes._APPLY) == CHANGES
    sql = (resources.files("remanent.stores") / "postgres" / "sql" / "functions.sql").read_text("utf-8")
    branches = set(re.findall(r"WHEN '([A-Z]\w+)' THEN", sql[sql.index("FUNCTION apply_unit") :]))
    assert branches == {change.__name__ for change in CHANGES}
