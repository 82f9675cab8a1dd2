import ast
import importlib.util
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from remanent._portal import Portal
from remanent.errors import NotFound, StoreClosed
from remanent.plugins import OURS
from scripts.sync_face import FACES, SOURCE, Unknown, face_modules, generate, main, tidy, write_faces

SAMPLE = '''
"""A small façade with every kind of member."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

from remanent.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path
    from types import TracebackType
    from typing import Literal

DEFAULT_LIMIT = 3


class AsyncAgent:
    """One agent's memory."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._told: list[str] = []

    @property
    def name(self) -> str:
        """Who this is."""
        return self._name

    async def remember(self, texts: Sequence[str], *, tag: Literal["plain", "loud"] = "plain") -> int:
        """Keep texts.

        The count of all that is kept is returned; a \\\\ stays a backslash.
        """
        await asyncio.sleep(0)
        self._told += [text.upper() if tag == "loud" else text for text in texts]
        return len(self._told)

    async def get(self, position: int, /, *more: int, limit: int = DEFAULT_LIMIT, **rest: object) -> str:
        """Give one text back."""
        if position >= len(self._told):
            raise NotFound(f"{position} {more} {limit} {sorted(rest)}")
        return self._told[position]

    async def entries(self) -> AsyncIterator[str]:
        """Walk through the texts."""
        for text in self._told:
            await asyncio.sleep(0)
            yield text

    def words(self, *, at_least: int = 0) -> AsyncIterator[str]:
        """Walk through the words."""
        return self._words(at_least)

    async def _words(self, at_least: int) -> AsyncIterator[str]:
        async for text in self.entries():
            for word in text.split():
                if len(word) >= at_least:
                    yield word

    async def forget(self) -> None:
        """Drop the texts."""
        self._told.clear()


class AsyncMemory:
    """Every agent's memory."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._agents: dict[str, AsyncAgent] = {}
        self.log: list[str] = []

    async def __aenter__(self) -> AsyncMemory:
        if not self._home.name:
            raise NotFound("no home")
        self.log.append("opened")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def home(self) -> Path:
        """Where the files are."""
        return self._home

    @property
    def first(self) -> AsyncAgent:
        """The agent that was asked for first."""
        return next(iter(self._agents.values()))

    def agent(self, name: str) -> AsyncAgent:
        """Bind an agent."""
        return self._agents.setdefault(name, AsyncAgent(name))

    def thread(self) -> str:
        """Say where plain methods run."""
        return threading.current_thread().name

    async def aclose(self) -> None:
        """Let go of everything."""
        self.log.append("closed")

    async def _private(self) -> None:
        pass


async def aopen(home: Path, *, fail: bool = False) -> AsyncMemory:
    """Open a memory."""
    if fail:
        raise NotFound(str(home))
    return AsyncMemory(home)


def helper(name: str) -> str:
    return name
'''


@pytest.fixture(scope="module")
def face(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The sample and its generated twin, imported; gives the twin."""
    folder = tmp_path_factory.mktemp("face")
    (folder / "sample_memory.py").write_text(SAMPLE, encoding="utf-8")
    text = tidy(generate(SAMPLE, module="remanent.sample_memory"))
    text = text.replace("remanent.sample_memory", "sample_memory")
    (folder / "sample_sync.py").write_text(text, encoding="utf-8")
    names = ["sample_memory", "sample_sync"]
    try:
        for name in names:
            spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
            assert spec is not None
            assert spec.loader is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
        yield sys.modules["sample_sync"]
    finally:
        for name in names:
            sys.modules.pop(name, None)


def test_the_sync_face_does_what_its_source_does(face: ModuleType) -> None:
    with face.open(Path("here")) as memory:
        ada = memory.agent("ada")
        assert (ada.name, memory.home, memory.first.name) == ("ada", Path("here"), "ada")
        assert ada.remember(["one two", "three"]) == 2
        assert ada.remember(["four"], tag="loud") == 3
        assert ada.get(2) == "FOUR"
        assert list(ada.entries()) == ["one two", "three", "FOUR"]
        assert list(ada.words(at_least=4)) == ["three", "FOUR"]
        assert ada.forget() is None
        assert list(ada.entries()) == []


def test_positional_star_and_keyword_arguments_all_arrive(face: ModuleType) -> None:
    with face.open(Path("here")) as memory, pytest.raises(NotFound, match=r"9 \(8, 7\) 6 \['five'\]"):
        memory.agent("ada").get(9, 8, 7, limit=6, five=5)


def test_plain_methods_run_on_the_thread_of_the_loop(face: ModuleType) -> None:
    with face.open(Path("here")) as memory:
        assert memory.thread() == "remanent-loop"


def test_leaving_the_block_closes_the_source_and_then_its_portal(face: ModuleType) -> None:
    with face.open(Path("here")) as memory:
        ada = memory.agent("ada")
    assert memory._wrapped.log == ["opened", "closed"]
    with pytest.raises(StoreClosed):
        ada.remember(["too late"])


def test_closing_twice_closes_the_source_once(face: ModuleType) -> None:
    memory = face.open(Path("here"))
    memory.close()
    memory.close()
    assert memory._wrapped.log == ["closed"]


def test_an_opening_that_fails_leaves_no_portal_behind(face: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[Portal] = []
    close = Portal.close

    def note(portal: Portal) -> None:
        closed.append(portal)
        close(portal)

    monkeypatch.setattr(Portal, "close", note)
    with pytest.raises(NotFound):
        face.open(Path("here"), fail=True)
    assert len(closed) == 1
    memory = face.open(Path())
    with pytest.raises(NotFound, match="no home"):
        memory.__enter__()
    assert closed[1:] == [memory._portal]


def test_signatures_and_docstrings_are_those_of_the_source(face: ModuleType) -> None:
    source = {node.name: node for node in ast.parse(SAMPLE).body if isinstance(node, ast.ClassDef)}
    text = Path(str(face.__file__)).read_text("utf-8")
    twin = {node.name: node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)}
    for name in ("Agent", "Memory"):
        theirs, ours = _methods(source[f"Async{name}"]), _methods(twin[name])
        renamed = {"aclose": "close", "__aenter__": "__enter__", "__aexit__": "__exit__"}
        public = {
            renamed.get(key, key): node for key, node in theirs.items() if not key.startswith("_") or key in renamed
        }
        assert set(public) == set(ours) - {"__init__", "__repr__"}
        for key, node in public.items():
            assert ast.unparse(ours[key].args) == ast.unparse(node.args)
            assert ast.get_docstring(ours[key]) == ast.get_docstring(node)


def test_a_docstring_about_the_async_face_tells_of_this_one() -> None:
    text = generate(
        textwrap.dedent(
            '''
            class AsyncMemory:
                """Every agent's memory."""

                async def m(self) -> None:
                    """Use `async with aopen(x) as y` or `await memory.aclose()` on an AsyncMemory."""
            '''
        )
    )
    assert '"""Use `with open(x) as y` or `memory.close()` on an Memory."""' in text


def test_private_members_and_plain_functions_stay_out_of_the_face(face: ModuleType) -> None:
    assert face.__all__ == ["Agent", "Memory", "open"]
    assert not hasattr(face.Memory, "_private")
    assert not hasattr(face, "helper")


def test_a_classmethod_may_be_the_opener() -> None:
    text = tidy(
        generate(
            textwrap.dedent(
                '''
                from typing import Self

                class AsyncMemory:
                    """Every agent's memory."""

                    @classmethod
                    async def aopen(cls, home: str) -> Self:
                        """Open."""
                        return cls()

                    async def aclose(self) -> None:
                        """Close."""
                '''
            )
        )
    )
    assert "def open(cls, home: str) -> Self:" in text
    assert "return cls(portal, portal.call(AsyncMemory.aopen, home))" in text
    assert "self._portal.close()" in text


@pytest.mark.parametrize(
    ("member", "complaint"),
    [
        ("async def m(self) -> int:\n        return 1", "no docstring"),
        ('async def m(self):\n        """M."""', "no return annotation"),
        ('@functools.cache\n    def m(self) -> int:\n        """M."""', "decorated with @functools.cache"),
        ('@staticmethod\n    def m() -> int:\n        """M."""', "decorated with @staticmethod"),
        ('async def m(self) -> list[AsyncThing]:\n        """M."""', "returns AsyncThing inside another type"),
        ('async def m(self) -> AsyncIterator[int]:\n        """M."""', "must be awaited before"),
        ('async def m(self, other: AsyncThing) -> int:\n        """M."""', "takes AsyncThing"),
        ('async def m(self, lines: AsyncIterable[str]) -> int:\n        """M."""', "takes AsyncIterable"),
        ('@classmethod\n    def m(cls) -> int:\n        """M."""', "does not return one of AsyncThing"),
        ("limit: int = 3", "public attribute"),
    ],
)
def test_what_the_generator_does_not_know_it_refuses_by_name(member: str, complaint: str) -> None:
    with pytest.raises(Unknown, match=complaint):
        generate(f'class AsyncThing:\n    """A thing."""\n\n    {member}\n')


def test_inherited_members_are_refused_because_they_would_be_missing() -> None:
    with pytest.raises(Unknown, match="members of Base"):
        generate('class AsyncThing(Base):\n    """A thing."""\n')


def test_the_check_passes_on_a_fresh_face_and_shows_how_a_stale_one_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "memory.py", tmp_path / "_sync.py"
    source.write_text(SAMPLE, encoding="utf-8")
    assert main(["--check"], source=source, target=target) == 1
    assert main([], source=source, target=target) == 0
    assert main(["--check"], source=source, target=target) == 0
    written = target.read_text("utf-8")
    assert written.startswith('"""Generated by scripts/sync_face.py from memory.py; do not edit."""\n')
    capsys.readouterr()

    source.write_text(SAMPLE.replace("tag: Literal", "label: Literal").replace("tag ==", "label =="), encoding="utf-8")
    assert main(["--check"], source=source, target=target) == 1
    shown = capsys.readouterr()
    assert "+    def remember(self, texts: Sequence[str], *, label:" in shown.out
    assert "make format" in shown.err
    assert target.read_text("utf-8") == written


def test_a_source_that_is_refused_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "memory.py"
    source.write_text("class AsyncThing:\n    pass\n", encoding="utf-8")
    assert main([], source=source, target=tmp_path / "_sync.py") == 1
    assert "memory.py line 1: AsyncThing has no docstring" in capsys.readouterr().err


def test_the_same_source_gives_the_same_text() -> None:
    assert generate(SAMPLE) == generate(SAMPLE)


def _methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    return {part.name: part for part in node.body if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)}


CALLED = '''
class AsyncThing:
    """A thing."""


class AsyncThings:
    """Gives things."""

    def __call__(self, name: str = "", *, size: int = 1) -> "AsyncThing":
        """Return a thing."""
        return AsyncThing()
'''


def test_what_is_called_gives_the_twin_of_what_it_returns() -> None:
    text = generate(CALLED)
    assert "def __call__(self, name: str='', *, size: int=1) -> Thing:" in text
    assert "return Thing(self._portal, self._portal.run(self._wrapped, name, size=size))" in text


@pytest.mark.needs(*OURS)
def test_the_faces_of_our_disciplines_and_their_twins_are_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sync_face.py", "--check"])
    assert write_faces() == 0
    assert set(face_modules()) == {
        "remanent.associative.face",
        "remanent.bank.face",
        "remanent.cognition.face",
        "remanent.knowledge.face",
        "remanent.workspace.face",
    }
    for module in face_modules():
        place = SOURCE.parent.parent / Path(*module.split("."))
        assert main(["--check"], source=place.with_suffix(".py"), target=place.parent / "_sync.py", module=module) == 0


@pytest.mark.needs(*OURS)
def test_stale_faces_are_refused_and_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["sync_face.py", "--check"])
    assert write_faces(target=tmp_path / "_faces.py") == 1
    monkeypatch.setattr(sys, "argv", ["sync_face.py"])
    assert write_faces(target=tmp_path / "_faces.py") == 0
    assert (tmp_path / "_faces.py").read_text(encoding="utf-8") == FACES.read_text(encoding="utf-8")
