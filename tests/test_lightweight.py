"""Our values behave as those of the standard library, and nothing is compiled for a class that is never used."""

import copy
import dataclasses
import pickle
import re
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.lightweight import BoundedDict, dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False)
    secret: bytes = field(default=b"", repr=False)


@dataclass(slots=True)
class Growing:
    """A place that may change."""

    x: int
    z: int = field(default=7, init=False)
    doubled: int = 0

    def __post_init__(self) -> None:
        self.doubled = self.x * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """By name only."""

    first: str
    second: str = "b"


@dataclass(frozen=True, slots=True, order=True)
class Ranked:
    """In order."""

    rank: int


@dataclass(slots=True, eq=False)
class Itself:
    """Equal to nothing else."""

    x: int = 0


def test_values_are_filled_compared_and_shown_as_the_standard_librarys_are() -> None:
    one = Point(1)
    assert (one.x, one.y, one.names, one.secret) == (1, 2, [], b"")
    assert Point(1).names is not one.names
    assert one == Point(1, names=["other"])
    assert hash(one) == hash(Point(1))
    assert one != Point(1, 3)
    assert one != object()
    assert repr(one) == "Point(x=1, y=2, names=[])"
    assert dataclasses.replace(one, y=5) == Point(1, 5)
    assert [each.name for each in dataclasses.fields(one)] == ["x", "y", "names", "secret"]
    assert Ranked(1) < Ranked(2)
    assert Ranked(1) == Ranked(1)
    assert Itself() != Itself()
    assert not hasattr(one, "__dict__")
    match one:
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_a_frozen_value_cannot_be_changed_and_can_be_copied() -> None:
    one: Any = Point(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        del one.x
    assert copy.copy(one) == copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def test_a_value_that_may_change_has_no_hash_and_is_finished_by_its_class() -> None:
    grown = Growing(3)
    assert (grown.z, grown.doubled) == (7, 6)
    grown.x = 4
    with pytest.raises(TypeError):
        hash(grown)


def test_what_is_missing_or_unknown_is_refused() -> None:
    make: Any = Named
    with pytest.raises(TypeError, match="positional"):
        make("a")
    with pytest.raises(TypeError, match="first"):
        make()
    assert make(first="a") == Named(first="a", second="b")


def test_how_a_class_is_filled_is_compiled_at_its_first_value() -> None:
    @dataclass(frozen=True, slots=True)
    class Unused:
        x: int

    def compiled() -> bool:
        return "x" in Unused.__init__.__code__.co_varnames

    assert not compiled()
    assert Unused(1) == Unused(x=1)
    assert compiled()


def test_no_module_has_its_values_made_by_the_standard_library() -> None:
    """Two hundred of them take a command a sixth of a second."""
    folder = Path(str(remanent.__file__)).parent
    slow = re.compile(r"^\s*from dataclasses import .*\bdataclass\b|dataclasses\.dataclass\(", re.MULTILINE)
    found = [path.name for path in folder.rglob("*.py") if slow.search(path.read_text(encoding="utf-8"))]
    assert found == ["lightweight.py"]


def test_of_many_values_those_are_kept_that_were_set_last() -> None:
    kept = BoundedDict[str, int](2)
    kept["a"], kept["b"], kept["a"] = 1, 2, 3
    kept["c"] = 4
    assert dict(kept) == {"a": 3, "c": 4}
