"""The discipline that CONTRIBUTING.md adds from start to end is one that works."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import remanent
from remanent.discipline import AnyAgent, Bilingual, Discipline, OpenDiscipline, Parts
from remanent.jobs import Handler
from remanent.model import Entry, Job
from remanent.stores import Transaction

TEXT = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.fixture
def declared() -> dict[str, Any]:
    """What the document declares, as it stands there."""
    (code,) = re.findall(r"## Add a discipline.*?```python\n(.*?)```", TEXT, re.DOTALL)
    known = (AnyAgent, Discipline, Entry, Job, Mapping, OpenDiscipline, Parts, Bilingual, Sequence, Transaction)
    names: dict[str, Any] = {one.__name__: one for one in known} | {"Handler": Handler}
    exec(compile(code, "CONTRIBUTING.md", "exec"), names)
    return names


@pytest.mark.spec("USE-09")
def test_it_is_told_of_what_is_said_and_gives_its_face(declared: dict[str, Any], tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none", disciplines=[declared["Counting"]()]) as memory:
        ada = memory.agent("ada")
        ada.remember(["one", "two"])
        ada.remember("three")
        memory.settle()
        assert ada.face(declared["Counted"]).total() == 3
