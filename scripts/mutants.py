"""Breaks the code in small ways, one at a time, and sees whether a test notices: `make mutants`.

Each mutant is one change of one expression (a comparison turned, a condition negated, a result dropped), made in a copy
of `src`, and the tests that stand for the module are run against it. Which places are changed is drawn with a seed, so
that a run can be repeated; survivors are listed with their place. A survivor is a missing test or a change that makes
no difference: both are worth a look.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
TARGETS = {
    "recall/gate.py": ["tests/recall/test_gate.py"],
    "bank/conflicts.py": ["tests/bank/test_conflicts.py", "tests/bank/test_merging.py"],
    "operations/access/keys.py": ["tests/operations/access/test_keys.py"],
    "stores/sqlite/store.py": ["tests/stores/sqlite/test_conformance.py"],
    "stores/sqlite/writes.py": ["tests/stores/sqlite/test_conformance.py"],
    "associative/search.py": ["tests/associative/test_search.py", "tests/associative/test_widening.py"],
    "associative/widening.py": ["tests/associative/test_widening.py"],
    "associative/writer.py": ["tests/associative/test_compression.py", "tests/associative/test_writer.py"],
}
"""The modules whose mistakes cost most: what is answered, what is lost, and who may see it."""
SHARE = 0.95
"""Of the mutants that must be caught."""
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: where, what, and the module's text with it."""

    module: str
    line: int
    what: str
    text: str


def mutants_of(module: str, source: str) -> Iterator[Callable[[], Mutant]]:
    """Yield every change that can be made, each as a call that makes it."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        change = _change_of(node)
        if change is not None:
            yield lambda number=number, change=change, node=node: _made(module, tree, number, change, node)  # type: ignore[misc]


def _change_of(node: ast.AST) -> tuple[str, Callable[[ast.AST], None]] | None:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in TURNED:
        return "comparison turned", _turn
    if isinstance(node, ast.BoolOp):
        return "and/or swapped", _swap
    if isinstance(node, ast.If):
        return "condition negated", _negate
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        return "plus/minus swapped", _flip
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        return "result dropped", _drop
    return None


def _turn(node: ast.AST) -> None:
    assert isinstance(node, ast.Compare)
    node.ops[0] = TURNED[type(node.ops[0])]()


def _swap(node: ast.AST) -> None:
    assert isinstance(node, ast.BoolOp)
    node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()


def _negate(node: ast.AST) -> None:
    assert isinstance(node, ast.If)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _flip(node: ast.AST) -> None:
    assert isinstance(node, ast.BinOp)
    node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()


def _drop(node: ast.AST) -> None:
    assert isinstance(node, ast.Return)
    node.value = ast.Constant(None)


def _made(
    module: str, tree: ast.AST, number: int, change: tuple[str, Callable[[ast.AST], None]], node: ast.AST
) -> Mutant:
    mutated = copy.deepcopy(tree)
    change[1](next(one for place, one in enumerate(ast.walk(mutated)) if place == number))
    text = ast.unparse(ast.fix_missing_locations(mutated))
    return Mutant(module, getattr(node, "lineno", 0), change[0], text)


def survives(mutant: Mutant, tests: list[str], *, timeout: float) -> bool:
    """Tell whether the tests pass although the code is broken; one that hangs is caught."""
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        copied = Path(folder) / "src"
        # With what was compiled, whose times are kept: compiling all of it anew takes longer than most tests.
        shutil.copytree(ROOT / "src", copied)
        (copied / "remanent" / mutant.module).write_text(mutant.text, encoding="utf-8")
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--hypothesis-profile", "noticing"]
        command = [sys.executable, "-m", "pytest", *options, *tests]
        environment = {**os.environ, "PYTHONPATH": str(copied), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            ended = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return ended.returncode == 0


def main() -> int:
    """Run so many mutants of each module; end with 1 where too few are caught."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=12, help="mutants of each module")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for the tests of one mutant")
    parser.add_argument("modules", nargs="*", help="only these of the modules")
    asked = parser.parse_args()
    tried, survivors = 0, []
    for module, tests in TARGETS.items():
        path = ROOT / "src" / "remanent" / module
        if asked.modules and module not in asked.modules:
            continue
        possible = list(mutants_of(module, path.read_text(encoding="utf-8")))
        chosen = random.Random(f"{asked.seed} {module}").sample(possible, min(asked.each, len(possible)))
        for make in chosen:
            mutant = make()
            tried += 1
            alive = survives(mutant, tests, timeout=asked.timeout)
            survivors += [mutant] if alive else []
            print(f"{'SURVIVED' if alive else 'caught':9} {module}:{mutant.line} {mutant.what}", flush=True)
    caught = 1 - len(survivors) / max(1, tried)
    print(f"{tried} mutants, {100 * caught:.0f} % caught (at least {100 * SHARE:.0f} % are to be)")
    return int(caught < SHARE)


if __name__ == "__main__":
    sys.exit(main())
