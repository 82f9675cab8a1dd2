"""The example discipline is installed from its own distribution and used: nothing of ours is touched for it."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLE = REPOSITORY / "examples" / "promises"

USED = """
import asyncio, json, os, sys
sys.path.insert(0, {repository!r})
from pathlib import Path
import remanent
from remanent_promises import AsyncPromises
from tests.server.rest.conftest import AGENT, running

home = Path({home!r})
told = {{}}
with remanent.open(home, embedder="none", org="acme", workspace="lab") as memory:
    ada = memory.agent("ada")
    ada.remember(["The weather is fine. I will send the report on Friday.", {{"role": "user", "content": "Nice."}}])
    memory.settle()
    promises = ada.face(AsyncPromises)
    (first,) = promises.open()
    told["kind"], told["content"] = first.kind, first.content
    told["source"] = [(source.start, source.end) for source in first.sources]
    found = ada.recall("What did I promise?", kinds=["promise"], options=remanent.RecallOptions(gate=False))
    told["found"] = [item.text for item in found.items]
    told["paths"] = sorted({{rank.path for item in found.explain() for rank in item.ranks}})
    told["most"] = memory.settings.promises.most


async def ask() -> None:
    async with running(home) as served:
        told["listed"] = [item["content"] for item in (await served.http.get(f"{{AGENT}}/promises")).json()["items"]]
        told["kept"] = (await served.http.post(f"{{AGENT}}/promises/{{first.id}}/keep")).json()["data"]["kept"]
        told["left"] = (await served.http.get(f"{{AGENT}}/promises")).json()["items"]
        told["documented"] = "promises.keep" in (await served.http.get("/docs")).text


asyncio.run(ask())
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the example is installed, from its own project file and without a network."""
    target = tmp_path_factory.mktemp("installed")
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "remanent_promises.py", "README.md"):
        (source / name).write_bytes((EXAMPLE / name).read_bytes())
    offline = ["--no-index", "--no-deps", "--no-build-isolation", "--disable-pip-version-check", "--quiet"]
    subprocess.run([sys.executable, "-m", "pip", "install", *offline, "--target", str(target), str(source)], check=True)
    return target


def run(*arguments: str, path: Path | None = None, **environment: str) -> str:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("REMANENT_")}
    more = {"PYTHONPATH": str(path)} if path is not None else {}
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**plain, **more, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def home(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A memory in which the discipline was at work, and what came of it."""
    home = tmp_path_factory.mktemp("memory")
    script = USED.format(repository=str(REPOSITORY), home=str(home))
    said = run("-c", script, path=installed, REMANENT_PROMISES__MOST="7")
    return home, json.loads(said.splitlines()[-1])


@pytest.mark.spec("USE-09")
def test_a_discipline_of_another_distribution_remembers_recalls_and_serves(home: tuple[Path, dict[str, Any]]) -> None:
    promise = "I will send the report on Friday."
    assert home[1] == {
        "kind": "promise",
        "content": promise,
        "source": [[20, 54]],
        "found": [promise],
        "paths": ["promises"],
        "most": 7,
        "listed": [promise],
        "kept": True,
        "left": [],
        "documented": True,
    }


@pytest.mark.spec("USE-09")
def test_its_commands_appear_at_run_time(installed: Path, home: tuple[Path, dict[str, Any]]) -> None:
    shown = run("-m", "remanent", "promises", "--help", path=installed)
    assert "See what was promised and is not kept yet." in shown
    assert "Note that a promise was kept." in shown
    place = ["--home", str(home[0]), "--org", "acme", "--workspace", "lab", "--agent", "ada", "--json"]
    assert json.loads(run("-m", "remanent", "promises", "list", *place, path=installed)) == []
    assert "promises" not in run("-m", "remanent", "--help")


@pytest.mark.spec("USE-09")
def test_the_commands_of_its_readme_show_the_promise(installed: Path, tmp_path: Path) -> None:
    readme = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    lines = [shlex.split(line)[1:] for line in readme.splitlines() if line.startswith("remanent ")]
    assert len(lines) == 2
    told = [run("-m", "remanent", *line, path=installed, REMANENT_HOME=str(tmp_path)) for line in lines]
    assert "I will send the report on Friday." in told[-1]


@pytest.mark.spec("USE-09")
def test_a_command_that_it_writes_by_hand_is_declared_with_it(
    installed: Path, home: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    place = ["--home", str(home[0]), "--org", "acme", "--workspace", "lab", "--agent", "grace"]
    run("-m", "remanent", "remember", "I will water the plants.", "--wait", *place, path=installed)
    target = tmp_path / "promises.md"
    assert run("-m", "remanent", "promises", "write", str(target), *place, path=installed).strip() == str(target)
    assert target.read_text() == "- [ ] I will water the plants.\n"


@pytest.mark.spec("USE-09")
def test_without_it_its_records_stay_readable_and_are_exported_unchanged(
    installed: Path, home: tuple[Path, dict[str, Any]]
) -> None:
    place = ["--home", str(home[0]), "--org", "acme", "--workspace", "lab", "--agent", "ada"]
    exported = run("-m", "remanent", "export", *place, path=installed)
    assert '"kind":"promise"' in exported
    assert run("-m", "remanent", "export", *place) == exported
    records = json.loads(run("-m", "remanent", "records", *place, "--json"))
    assert [one["data"] for one in records if one["kind"] == "promise"] == [{"by": "user", "kept": True}]
