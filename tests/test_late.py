"""Methods that dataclasses write when they are called: they do what those written at once do."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field
from typing import Any

import pytest

from remanent.late import late_methods

_WRITTEN = [name for name in ("__init__", "__eq__", "__hash__", "__setattr__") if hasattr(dataclasses, "_create_fn")]


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> type[Any]:
    """Return a dataclass of this module, made after its methods were told to wait."""
    if not _WRITTEN:
        pytest.skip("this Python writes all methods of a dataclass at once")
    monkeypatch.setitem(vars(dataclasses), "_create_fn", vars(dataclasses)["_create_fn"])
    late_methods(__name__)

    @dataclass(frozen=True, slots=True)
    class Fruit:
        """Something that grows."""

        name: str
        seeds: tuple[int, ...] = field(default=())

    return Fruit


def test_methods_that_were_written_late_do_what_they_should(declared: type[Any]) -> None:
    fruit = declared("fig", seeds=(1,))
    assert (fruit.name, fruit.seeds, declared("fig").seeds) == ("fig", (1,), ())
    assert fruit == declared("fig", (1,)) != declared("date", (1,))
    assert {fruit: 1}[declared("fig", (1,))] == 1
    assert repr(fruit).endswith("Fruit(name='fig', seeds=(1,))")
    assert dataclasses.replace(fruit, name="date") == declared("date", (1,))
    assert copy.copy(fruit) == fruit
    with pytest.raises(FrozenInstanceError):
        fruit.name = "date"
    with pytest.raises(TypeError, match="colour"):
        declared("fig", colour="green")


def test_a_method_is_written_once_and_where_it_belongs(declared: type[Any]) -> None:
    late = dict(vars(declared))
    declared("fig")

    class Sweet(declared):  # type: ignore[misc]
        """One that is eaten."""

    assert Sweet("date") == Sweet("date")
    written = {name for name in _WRITTEN if vars(declared)[name] is not late[name]}
    assert written == {"__init__", "__eq__"}
    assert not written & vars(Sweet).keys()


def test_classes_of_others_are_left_alone(declared: type[Any]) -> None:
    del declared
    theirs = type("Stone", (), {"__annotations__": {"weight": int}, "__module__": pickle.__name__})
    made: Any = dataclass(frozen=True)(theirs)
    before = vars(made)["__init__"]
    made(weight=1)
    assert vars(made)["__init__"] is before
