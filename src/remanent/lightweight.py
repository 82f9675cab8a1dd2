"""Things that cost nothing until they are used, and are computed once: dataclasses, late imports, memos.

The classes behave as those of `dataclasses`, made in a third of the time. A command of the command line makes 200 such
classes before it does anything. The standard library writes and compiles six functions for each, a sixth of a second in
all, and most are never called. Here they are shared by all classes, and how a class is filled is compiled when the
first of its values is made.

With `dataclasses` instead, `remanent entries` takes 1.09 s of CPU time rather than 0.78 s, and `remanent recall`
1.69 s rather than 1.18 s (the best of eight runs, Python 3.11, with bytecode on disk).

The same memories are candidates of one question after another: what is told of their words alone is kept for the next
(`memoized_by_hash`). By hashes, so that what is erased is not found in the process either: Python's own, which it works
out once for a text, as a dozen things are asked of each candidate.
"""

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import cache, wraps
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

K = TypeVar("K")
T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        eq: bool = True,
        order: bool = False,
        kw_only: bool = False,
    ) -> Any:
        """Return a class with fields; what it means is as in `dataclasses`."""

        def make(cls: type) -> type:
            own = set(vars(cls))
            if cls.__doc__ is None:  # or the standard library would describe it by its signature, which takes long
                cls.__doc__ = cls.__name__
            made = dataclasses.dataclass(
                init=False, repr=False, eq=eq and order, order=order, slots=slots, kw_only=kw_only
            )(cls)
            given = {"__init__": _init_of(made, frozen=frozen), "__repr__": _repr}
            if eq:
                given |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
            if frozen:
                given |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete, "__setstate__": _set_state}
            for name, work in given.items():
                if name not in own:
                    setattr(made, name, work)
            return made

        return make if cls is None else make(cls)


__all__ = ["dataclass"]


@cache
def _key(cls: type) -> Callable[[Any], tuple[Any, ...]]:
    """Return what gives the values of a class's fields that count when two are compared."""
    names = [one.name for one in dataclasses.fields(cls) if one.compare]
    if len(names) > 1:
        return attrgetter(*names)
    return lambda value: tuple(getattr(value, name) for name in names)


def _eq(self: Any, other: object) -> Any:
    """Compare two values field by field; those of different classes are never the same, as with `dataclasses`."""
    if other.__class__ is not self.__class__:
        return NotImplemented
    cls: Any = type(self)
    return _key(cls)(self) == _key(cls)(other)


def _hash(self: Any) -> int:
    cls: Any = type(self)
    return hash(_key(cls)(self))


def _repr(self: Any) -> str:
    told = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in dataclasses.fields(self) if one.repr)
    return f"{type(self).__qualname__}({told})"


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _set_state(self: Any, state: Any) -> None:
    """Fill a copy of a value, which refuses to be changed."""
    for part in state if isinstance(state, tuple) else (state,):
        for name, value in (part or {}).items():
            object.__setattr__(self, name, value)


def _init_of(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return what fills the first value of a class: it makes what fills all others, and takes its own place by it."""

    def fill_first(self: Any, /, *args: Any, **kwargs: Any) -> None:
        made = _compile_init(cls, frozen=frozen)
        cls.__init__ = made  # type: ignore[misc]
        made(self, *args, **kwargs)

    return fill_first


def _compile_init(cls: type, *, frozen: bool) -> Callable[..., None]:
    """Return a function with a parameter for each field, those that are given by name alone last."""
    names: dict[str, Any] = {"_set": object.__setattr__, "_not_given": dataclasses.MISSING}
    by_place, by_name, body = ["self"], list[str](), list[str]()
    for one in dataclasses.fields(cls):
        name, parameter, value, absent = one.name, one.name, one.name, ""
        if one.default is not dataclasses.MISSING:
            names[f"_default_{name}"] = one.default
            parameter, absent = f"{name}=_default_{name}", f"_default_{name}"
        elif one.default_factory is not dataclasses.MISSING:
            names[f"_make_{name}"] = one.default_factory
            parameter, absent = f"{name}=_not_given", f"_make_{name}()"
            value = f"{absent} if {name} is _not_given else {name}"
        elif not one.init:
            continue
        if one.init:
            (by_name if one.kw_only else by_place).append(parameter)
        else:
            value = absent
        body.append(f" _set(self, {name!r}, {value})" if frozen else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = [*by_place, *(["*", *by_name] if by_name else [])]
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(body or [" pass"]), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


# ── what is loaded or made when it is first used: a command has the time for what it needs, not for all there is ──


def exports(package: str, **homes: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a package: for each of its modules, the names that the package offers from it.

    The same names stand in an `if TYPE_CHECKING` block beside it, for type checkers.
    """
    home_of = {name: module for module, names in homes.items() for name in names.split()}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(f"{package}.{home_of[name]}"), name)
        vars(import_module(package))[name] = value
        return value

    return load


class _Class:
    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, instance: object, owner: type) -> Any:
        return getattr(import_module(self._module), self._name)


def late_class(module: str, name: str) -> Any:
    """Return what stands for a class as an attribute of another one; it is loaded when the attribute is read."""
    return _Class(module, name)


class BoundedDict(OrderedDict[K, T]):
    """So many values, those that were set last: beyond them the one that was set longest ago is forgotten."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: T) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)


class Late(Generic[T]):
    """Something that is made when it is first called for, and is the same from then on."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self.made: T | None = None
        """What was made, if it was needed at all."""

    def __call__(self) -> T:
        """Return what is made; the first call makes it."""
        if self.made is None:
            self.made = self._make()
        return self.made


Answer = TypeVar("Answer")
Given = ParamSpec("Given")

_MAX_MEMOIZED = 4096
"""Texts of which something is kept for certain; of as many before them while nobody asks for new ones. Some 150 bytes
each."""


def memoized_by_hash(tell: Callable[Concatenate[str, Given], Answer]) -> Callable[Concatenate[str, Given], Answer]:
    """Return a function that remembers what it said of texts; what it says must hold none of their words.

    Whatever else it goes by is handed to it.
    """
    lately: dict[Hashable, Answer] = {}
    before: dict[Hashable, Answer] = {}

    @wraps(tell)
    def told(text: str, /, *more: Given.args, **named: Given.kwargs) -> Answer:
        nonlocal lately, before
        name = hash(text), len(text), *more, *named.items()
        new, old = lately, before  # another thread may change places meanwhile
        if name in new:
            return new[name]
        found = old[name] if name in old else tell(text, *more, **named)
        if len(new) >= _MAX_MEMOIZED and new is lately:
            before, lately = lately, {}
        lately[name] = found
        return found

    return told
