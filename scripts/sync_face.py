"""Writes the blocking twin of every public class and opener of src/remanent/memory.py and of client/remote.py.

    python scripts/sync_face.py            write it anew
    python scripts/sync_face.py --check    say by exit code 1 and a diff that it is stale

How a member of a class `AsyncThing` becomes one of `Thing`, which holds the wrapped object and a `Portal`:

    async def m(…) -> T                    def m(…) -> T              awaited on the portal's loop
    async def m(…) -> AsyncIterator[T]     def m(…) -> Iterator[T]    when the body yields
    def m(…) -> AsyncIterator[T]           def m(…) -> Iterator[T]
    def m(…) -> T                          def m(…) -> T              called on the loop's thread
    property                               property                   read directly
    … -> AsyncOther                        … -> Other                 wrapped, same portal
    aclose, __aenter__, __aexit__          close, __enter__, __exit__ the owner's portal ends with it

A class `AsyncThing` that the source imports from another module of the package is twinned with those defined in it.

What our disciplines give an agent or a memory is written to `_faces.py`, by name; the façade's classes inherit it,
and their twins offer the twins, which lie in the disciplines' own packages: a discipline that is taken out takes its
twins along. Those of other distributions come by `face(…)`, without a twin.

An opener is a function, or a classmethod, that returns an `AsyncThing`: `aopen(…)` gives `open(…)`, which starts the
portal. Whatever the generator does not know it refuses by name, so that nothing is missing from the face unnoticed.
"""

import argparse
import ast
import difflib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

REPOSITORY: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = REPOSITORY / "src" / "remanent" / "memory.py"
TARGET: Final = REPOSITORY / "src" / "remanent" / "_sync.py"
FACES: Final = REPOSITORY / "src" / "remanent" / "_faces.py"
FACES_MODULE: Final = "remanent._faces"
REMOTE: Final = REPOSITORY / "src" / "remanent" / "client" / "remote.py"
REMOTE_TARGET: Final = REPOSITORY / "src" / "remanent" / "client" / "blocking.py"

WITHOUT_MEMBERS: Final = "RemotePart"
"""A base that only begins: it has nothing that a caller could use."""
OF_DISCIPLINES: Final = frozenset({"AgentFaces", "MemoryFaces"})
PREFIX: Final = "Async"
RENAMED: Final = {
    "aopen": "open",
    "aconnect": "connect",
    "aclose": "close",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
}
CLOSERS: Final = frozenset({"close", "__exit__"})
ITERATORS: Final = frozenset({"AsyncIterator", "AsyncIterable", "AsyncGenerator"})
# How a docstring that tells of the async face tells of this one.
SPOKEN: Final = (
    (r"\basync (with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\ba(open|close)\b", r"\1"),
    (r"\bAsync(?=[A-Z])", ""),
)
NAMES_OF_THE_FACE: Final = frozenset({"Iterator", "PlainFace", "Portal", "Self", "TYPE_CHECKING"})
BY_TYPE: Final = "face"
"""The method that returns what any discipline gives, by its type."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Unknown(Exception):
    """The source holds something that the generator was not taught."""

    def __init__(self, node: ast.stmt | ast.expr, what: str) -> None:
        super().__init__(f"line {node.lineno}: {what}; teach scripts/sync_face.py or write it differently")


@dataclass
class Face:
    """What was read from the source, and the twin's text as it grows."""

    module: str
    tree: ast.Module
    others: list["Other"] = field(default_factory=list)
    twins: dict[str, str] = field(default_factory=dict)
    owners: set[str] = field(default_factory=set)
    used: set[str] = field(default_factory=set)
    lines: list[str] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    """The twins that disciplines have in packages of their own, with their modules."""

    def write(self, depth: int, *lines: str) -> None:
        """Add lines at a depth of indentation."""
        self.lines += ["    " * depth + line if line else "" for line in lines]


@dataclass(frozen=True)
class Other:
    """Another module of the package that the source imports an async class from."""

    module: str
    tree: ast.Module
    node: ast.ClassDef


def generate(source: str, *, module: str = "remanent.memory", folder: Path = SOURCE.parent.parent) -> str:
    """Give the text of the sync face, before it is formatted; modules of the package are looked for in the folder."""
    face = Face(module, ast.parse(source))
    classes = [node for node in face.tree.body if isinstance(node, ast.ClassDef) and node.name.startswith(PREFIX)]
    face.others = list(_imported_classes(face, folder))
    classes += [other.node for other in face.others]
    face.twins = {node.name: node.name.removeprefix(PREFIX) for node in classes}
    openers = [node for node in face.tree.body if isinstance(node, Function) and _opened(face, node)]
    face.owners = {_opened(face, node) for node in openers}
    for node in classes:
        face.owners |= {node.name for member in _members(node) if _has(member, "classmethod")}
    for node in classes:
        _write_class(face, node)
    for opener in openers:
        _write_opener(face, opener, depth=0, call=opener.name)
    names = sorted([*face.twins.values(), *(_new_name(opener) for opener in openers)])
    body = "\n".join(face.lines)
    exports = "__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]"
    return "\n".join([_header(module), *_imports(face), "", exports, "", body, ""])


def _imported_classes(face: Face, folder: Path) -> Iterator[Other]:
    """The async classes that the source imports from its own package, and what stands beside them in their modules.

    A class that is imported may return another of its module, which the source never names.
    """
    package = face.module.partition(".")[0]
    known: set[str] = set()
    for node in face.tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == package:
            for alias in node.names:
                if alias.name.startswith(PREFIX):
                    found = _defining(folder, node.module or "", alias.name)
                    for other in found.tree.body:
                        if (
                            isinstance(other, ast.ClassDef)
                            and other.name.startswith(PREFIX)
                            and other.name not in known
                        ):
                            known.add(other.name)
                            yield Other(found.module, found.tree, other)


def _defining(folder: Path, module: str, name: str) -> Other:
    """The module that defines a class, found through the modules that pass it on."""
    place = folder.joinpath(*module.split("."))
    path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return Other(module, tree, node)
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == name for alias in node.names):
            return _defining(folder, node.module, name)
    raise SystemExit(f"{module} neither defines nor imports {name}")


def _header(module: str) -> str:
    origin = module.rpartition(".")[2] + ".py"
    return (
        f'"""Generated by scripts/sync_face.py from {origin}; do not edit."""\n\nfrom __future__ import annotations\n'
    )


# ── classes and functions ──


def _write_class(face: Face, node: ast.ClassDef) -> None:
    face.used.add(node.name)
    face.write(0, f"class {face.twins[node.name]}:")
    _write_docstring(face, node, depth=1)
    face.write(1, "__slots__ = ('_portal', '_wrapped')", "")
    face.write(1, f"def __init__(self, portal: Portal, wrapped: {node.name}) -> None:")
    face.write(2, "self._portal = portal", "self._wrapped = wrapped", "")
    face.write(1, "def __repr__(self) -> str:", "    return repr(self._wrapped).replace('Async', '', 1)", "")
    for member in _members(node):
        if _has(member, "classmethod"):
            _write_opener(face, member, depth=1, call=f"{node.name}.{member.name}")
        elif _has(member, "property"):
            _write_property(face, member)
        else:
            _write_method(face, member, owner=node.name in face.owners)
    for base in [one for one in node.bases if ast.unparse(one) in OF_DISCIPLINES]:
        for member in _given_by_disciplines(base):
            _write_given(face, member)


def _given_by_disciplines(base: ast.expr) -> list[ast.FunctionDef]:
    """The properties of a class of `_faces.py`."""
    tree = ast.parse(FACES.read_text(encoding="utf-8"))
    (found,) = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == ast.unparse(base)]
    return [part for part in found.body if isinstance(part, ast.FunctionDef) and _has(part, "property")]


def _write_given(face: Face, node: ast.FunctionDef) -> None:
    """Write a property that gives the twin of what a discipline gives."""
    source = next(part for part in node.body if isinstance(part, ast.ImportFrom))
    module = ".".join([*(source.module or "").split(".")[:2], "_sync"])
    twin = source.names[0].name.removeprefix(PREFIX)
    face.given[twin] = module
    face.write(1, "@property", f"def {node.name}(self) -> {twin}:")
    _write_docstring(face, node, depth=2)
    # First what it wraps: that says so where the discipline is not there.
    face.write(2, f"wrapped = self._wrapped.{node.name}")
    face.write(2, f"from {module} import {twin}", "")
    face.write(2, f"return {twin}(self._portal, wrapped)", "")


def _members(node: ast.ClassDef) -> Iterator[Function]:
    """The methods that belong to the face; what cannot be told is refused."""
    strange = [ast.unparse(base) for base in node.bases if ast.unparse(base) not in {*OF_DISCIPLINES, WITHOUT_MEMBERS}]
    if strange:
        raise Unknown(node, f"{node.name} has members of {', '.join(strange)} that are not seen here")
    for member in node.body:
        for name in _defined(member):
            if not isinstance(member, Function) and not name.startswith("_"):
                raise Unknown(member, f"{node.name}.{name} is a public attribute and not a property")
        if not isinstance(member, Function):
            continue
        if member.name.startswith("_") and member.name not in {*RENAMED, "__call__"}:
            continue
        for decorator in member.decorator_list:
            if ast.unparse(decorator) not in {"classmethod", "property"}:
                raise Unknown(member, f"{node.name}.{member.name} is decorated with @{ast.unparse(decorator)}")
        yield member


def _write_property(face: Face, node: Function) -> None:
    face.write(1, "@property")
    _write_signature(face, node, depth=1, returns=_returned(face, node))
    value = f"self._wrapped.{node.name}"
    twin = _twin(face, node.returns)
    face.write(2, f"return {twin}(self._portal, {value})" if twin else f"return {value}", "")


def _write_method(face: Face, node: Function, *, owner: bool) -> None:
    name = _new_name(node)
    if name == BY_TYPE:
        _write_by_type(face, node)
        return
    iterated = _iterated(node)
    if name == "__enter__":
        face.used.add("Self")
    returns = "Self" if name == "__enter__" else _returned(face, node)
    _write_signature(face, node, depth=1, returns=returns)
    target = "self._wrapped" if node.name == "__call__" else f"self._wrapped.{node.name}"
    arguments = _arguments(node)
    if iterated is not None:
        face.write(2, f"return self._portal.iterate({target}({', '.join(arguments)}))", "")
        return
    door = "call" if isinstance(node, ast.AsyncFunctionDef) else "run"
    call = f"self._portal.{door}({', '.join([target, *arguments])})"
    if name == "__enter__" and owner:
        face.write(2, "with self._portal.closed_on_failure():", f"    {call}", "return self", "")
    elif name == "__enter__":
        face.write(2, call, "return self", "")
    elif owner and name in CLOSERS:
        gone = "None" if returns == "None" else "False"
        face.write(2, "if self._portal.closed:", "    return" if gone == "None" else f"    return {gone}")
        face.write(2, "try:", f"    {call}" if gone == "None" else f"    return {call}")
        face.write(2, "finally:", "    self._portal.close()", "")
    elif twin := _twin(face, node.returns):
        face.write(2, f"return {twin}(self._portal, {call})", "")
    else:
        face.write(2, call if returns == "None" else f"return {call}", "")


def _write_by_type(face: Face, node: Function) -> None:
    """Write the method that gives a discipline's face by its type: one without a twin blocks, and is not typed."""
    face.used |= {"Any", "PlainFace"}
    face.write(1, f"def {BY_TYPE}(self, kind: type[Any], /) -> Any:")
    _write_docstring(face, node, depth=2)
    face.write(2, f"return PlainFace(self._portal, self._portal.run(self._wrapped.{BY_TYPE}, kind))", "")


def _write_opener(face: Face, node: Function, *, depth: int, call: str) -> None:
    """Write a function or classmethod that starts a portal and gives the twin that owns it."""
    opened = _opened(face, node)
    if not opened:
        raise Unknown(node, f"{node.name} does not return one of {', '.join(face.twins)}")
    face.used.add(call.partition(".")[0])
    if depth:
        face.write(depth, "@classmethod")
    twin = "cls" if depth else face.twins[opened]
    if depth:
        face.used.add("Self")
    _write_signature(face, node, depth=depth, returns="Self" if depth else twin)
    door = "call" if isinstance(node, ast.AsyncFunctionDef) else "run"
    face.write(depth + 1, "with Portal.opening() as portal:")
    face.write(depth + 2, f"return {twin}(portal, portal.{door}({', '.join([call, *_arguments(node)])}))", "")


def _write_signature(face: Face, node: Function, *, depth: int, returns: str) -> None:
    parameters = _parameters(node)
    annotations = [item.annotation for item in parameters]
    for annotation in annotations:
        if annotation is not None and (wrong := _mentioned(annotation) & (face.twins.keys() | ITERATORS)):
            raise Unknown(
                annotation, f"{node.name} takes {', '.join(sorted(wrong))}, which a plain caller does not have"
            )
    defaults = [*node.args.defaults, *(value for value in node.args.kw_defaults if value is not None)]
    for expression in [*annotations, *defaults]:
        if expression is not None:
            face.used |= _mentioned(expression)
    face.write(depth, f"def {_new_name(node)}({ast.unparse(node.args)}) -> {returns}:")
    _write_docstring(face, node, depth=depth + 1)


def _write_docstring(face: Face, node: ast.ClassDef | Function, *, depth: int) -> None:
    text = ast.get_docstring(node)
    if text is None and node.name.startswith("__"):
        return  # documented by the language
    if text is None:
        raise Unknown(node, f"{node.name} has no docstring")
    for pattern, word in SPOKEN:
        text = re.sub(pattern, word, text)
    text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    closing = "" if "\n" not in text else "\n"
    face.write(depth, *(f'"""{text}{closing}"""').split("\n"), *([""] if isinstance(node, ast.ClassDef) else []))


# ── what a signature says ──


def _new_name(node: Function) -> str:
    return RENAMED.get(node.name, node.name)


def _has(node: Function, decorator: str) -> bool:
    return any(ast.unparse(item) == decorator for item in node.decorator_list)


def _parameters(node: Function) -> list[ast.arg]:
    """The parameters without self or cls."""
    positional = [*node.args.posonlyargs, *node.args.args]
    stars = [item for item in (node.args.vararg, node.args.kwarg) if item is not None]
    return [item for item in [*positional, *node.args.kwonlyargs, *stars] if item.arg not in {"self", "cls"}]


def _arguments(node: Function) -> list[str]:
    """How the twin passes its parameters on."""
    positional = [*node.args.posonlyargs, *node.args.args]
    passed = [item.arg for item in positional if item.arg not in {"self", "cls"}]
    passed += [f"*{node.args.vararg.arg}"] if node.args.vararg else []
    passed += [f"{item.arg}={item.arg}" for item in node.args.kwonlyargs]
    passed += [f"**{node.args.kwarg.arg}"] if node.args.kwarg else []
    return passed


def _returned(face: Face, node: Function) -> str:
    """The return annotation of the twin; also notes which names it needs."""
    if node.returns is None:
        raise Unknown(node, f"{node.name} has no return annotation")
    if twin := _twin(face, node.returns):
        return twin
    iterated = _iterated(node)
    annotation = node.returns if iterated is None else iterated
    if wrong := _mentioned(annotation) & (face.twins.keys() | ITERATORS):
        raise Unknown(node, f"{node.name} returns {', '.join(sorted(wrong))} inside another type")
    face.used |= _mentioned(annotation)
    if iterated is None:
        return ast.unparse(_plain(annotation))
    face.used.add("Iterator")
    return f"Iterator[{ast.unparse(iterated)}]"


def _plain(annotation: ast.expr) -> ast.expr:
    """An annotation written as a string, read as what it says."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _iterated(node: Function) -> ast.expr | None:
    """What the method yields to `async for`, or nothing when it is awaited."""
    returns = None if node.returns is None else _plain(node.returns)
    if not isinstance(returns, ast.Subscript) or not _mentioned(returns.value) & ITERATORS:
        return None
    if isinstance(node, ast.AsyncFunctionDef) and not any(isinstance(part, ast.Yield) for part in ast.walk(node)):
        raise Unknown(node, f"{node.name} must be awaited before it can be iterated")
    return returns.slice.elts[0] if isinstance(returns.slice, ast.Tuple) else returns.slice


def _twin(face: Face, returns: ast.expr | None) -> str | None:
    returns = None if returns is None else _plain(returns)
    return face.twins.get(returns.id) if isinstance(returns, ast.Name) else None


def _opened(face: Face, node: Function) -> str:
    """The async class that the opener returns, or an empty string when it is no opener."""
    if node.name.startswith("_") or node.returns is None:
        return ""
    returns = _plain(node.returns)
    if not isinstance(returns, ast.Name):
        return ""
    if returns.id == "Self":
        return next((parent for parent in face.twins if node in _body(face, parent)), "")
    return returns.id if returns.id in face.twins else ""


def _body(face: Face, class_name: str) -> list[ast.stmt]:
    found = [node for node in face.tree.body if isinstance(node, ast.ClassDef) and node.name == class_name]
    return found[0].body if found else []


def _mentioned(expression: ast.expr) -> set[str]:
    """The names in an expression that must be imported for it, those in quoted annotations included."""
    names: set[str] = set()
    for node in ast.walk(expression):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
            names.add(node.value)
    return names


# ── imports ──


def _imports(face: Face) -> list[str]:
    """Import each name that the face uses from where the source has it; sorted later by ruff."""
    found = {name: way for other in face.others for name, way in _imported_names(other.tree.body)}
    for other in face.others:
        here = {name for node in other.tree.body for name in _defined(node)}
        found |= {name: (f"from {other.module} import {name}", False) for name in here}
    found |= dict(_imported_names(face.tree.body))
    defined = {name for node in face.tree.body for name in _defined(node)}
    at_load = ["from remanent._portal import Portal"]
    at_load += ["from remanent._portal import PlainFace"] if "PlainFace" in face.used else []
    typing: list[str] = [f"from {module} import {twin}" for twin, module in face.given.items()]
    for name in sorted(face.used - NAMES_OF_THE_FACE):
        if name in defined:
            at_load.append(f"from {face.module} import {name}")
        elif name in found:
            statement, for_types = found[name]
            (typing if for_types else at_load).append(statement)
    typing += ["from collections.abc import Iterator"] if "Iterator" in face.used else []
    typing += ["from typing import Self"] if "Self" in face.used else []
    at_load += ["from typing import TYPE_CHECKING"] if typing else []
    block = ["if TYPE_CHECKING:", *(f"    {statement}" for statement in typing)] if typing else []
    return [*at_load, "", *block]


def _imported_names(body: list[ast.stmt], *, for_types: bool = False) -> Iterator[tuple[str, tuple[str, bool]]]:
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in _mentioned(node.test):
            yield from _imported_names(node.body, for_types=True)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield alias.asname or alias.name, (f"from {node.module} import {_alias(alias)}", for_types)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], (f"import {_alias(alias)}", for_types)


def _alias(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


# ── what disciplines give ──


def own_faces(owner: str) -> list[tuple[str, type]]:
    """The types of what our own disciplines give an agent or a memory, by the disciplines' names."""
    from remanent.discipline import registered
    from remanent.plugins import OURS

    given = [(one.name, getattr(one, f"{owner}_face")) for one in registered() if one.name in OURS]
    return [(name, kind) for name, kind in given if kind is not None]


def face_modules() -> list[str]:
    """The modules that define what our own disciplines give."""
    return [kind.__module__ for owner in ("agent", "memory") for _, kind in own_faces(owner)]


def faces() -> str:
    """Give the text of `_faces.py`, before it is formatted."""
    every = [kind for owner in ("agent", "memory") for _, kind in own_faces(owner)]
    lines = ['"""Generated by scripts/sync_face.py from the disciplines of this distribution; do not edit."""', ""]
    lines += ["from __future__ import annotations", "", "from typing import TYPE_CHECKING, TypeVar", ""]
    lines += ["from remanent.plugins import require", ""]
    lines += ["if TYPE_CHECKING:", *(f"    from {kind.__module__} import {kind.__name__}" for kind in every), ""]
    lines += ['F = TypeVar("F")', ""]
    for owner in ("agent", "memory"):
        article = "an agent" if owner == "agent" else "a memory"
        lines += [f"class {owner.title()}Faces:", f'    """What our disciplines give {article}, by their names."""', ""]
        lines += ["    def face(self, kind: type[F], /) -> F:"]
        lines += ['        """Return what a discipline gives, by its type."""', "        raise NotImplementedError", ""]
        for name, kind in own_faces(owner):
            first = (kind.__doc__ or "").partition("\n")[0]
            lines += ["    @property", f"    def {name}(self) -> {kind.__name__}:", f'        """{first}"""']
            lines += [f'        require("{name}")', f"        from {kind.__module__} import {kind.__name__}", ""]
            lines += [f"        return self.face({kind.__name__})", ""]
    return "\n".join(lines)


def write_faces(*, target: Path = FACES) -> int:
    """Write `_faces.py`, or with --check compare it."""
    fresh = tidy(faces())
    if target.exists() and target.read_text(encoding="utf-8") == fresh:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{target.name} is stale; run: make format", file=sys.stderr)
        return 1
    target.write_text(fresh, encoding="utf-8")
    return 0


# ── the command ──


def tidy(text: str) -> str:
    """Sort the imports and format, as `make format` does."""
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None:
        raise SystemExit("ruff is not installed; run: make install")
    for arguments in (["check", "--select", "I,F401,TC", "--fix-only", "--quiet"], ["format", "--quiet"]):
        command = [ruff, *arguments, "--stdin-filename", str(TARGET), "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, cwd=REPOSITORY)
        if done.returncode:
            raise SystemExit(f"ruff {arguments[0]} refused the generated text:\n{done.stderr}")
        text = done.stdout
    return text


def main(
    arguments: list[str] | None = None,
    *,
    source: Path = SOURCE,
    target: Path = TARGET,
    module: str = "remanent.memory",
) -> int:
    """Write the face, or with --check compare it."""
    parser = argparse.ArgumentParser(description="Write the sync face of the façade.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if the face is stale")
    check: bool = parser.parse_args(arguments).check
    try:
        fresh = tidy(generate(source.read_text(encoding="utf-8"), module=module))
    except Unknown as error:
        print(f"{source.name} {error}", file=sys.stderr)
        return 1
    present = target.read_text(encoding="utf-8") if target.exists() else ""
    if fresh == present:
        return 0
    if check:
        diff = difflib.unified_diff(present.splitlines(), fresh.splitlines(), target.name, "as generated", lineterm="")
        print("\n".join(diff))
        print(f"{target.name} is stale; run: make format", file=sys.stderr)
        return 1
    target.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    stale = write_faces()
    for face_module in face_modules():
        place = REPOSITORY / "src" / Path(*face_module.split("."))
        stale = stale or main(source=place.with_suffix(".py"), target=place.parent / "_sync.py", module=face_module)
    stale = stale or main() or main(source=REMOTE, target=REMOTE_TARGET, module="remanent.client.remote")
    sys.exit(stale)
