"""The associative memory from the command line."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import remanent
from tests.cli.conftest import Cli

CAT = "团子是一只三岁的橘猫，住在杭州。"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    with remanent.open(tmp_path / "home", embedder="none") as memory:
        memory.agent("ada").associative.remember([CAT, "Crane seven was moved to the northern pier."])
        memory.settle()
    return tmp_path / "home"


def test_the_graph_is_told_in_figures_with_what_is_in_focus(cli: Cli, home: Path) -> None:
    said = cli("associative", "show", "--agent", "ada", "--home", str(home))
    assert said.code == 0
    assert "2 nodes, 2 links" in said.out
    assert CAT in said.out


def test_the_graph_is_drawn(cli: Cli, home: Path, tmp_path: Path) -> None:
    said = cli("associative", "show", "--agent", "ada", "--home", str(home), "--svg")
    assert ET.fromstring(said.out).tag.endswith("svg")
    file = tmp_path / "graph.svg"
    cli("associative", "show", "--agent", "ada", "--home", str(home), "--svg", "--file", str(file))
    assert file.read_text(encoding="utf-8") == said.out


def test_programs_get_json(cli: Cli, home: Path) -> None:
    said = cli("associative", "show", "--agent", "ada", "--home", str(home), "--json")
    assert '"nodes":2' in said.out.replace(" ", "")


@pytest.mark.spec("ASSOC-14")
def test_the_graph_goes_out_as_triples_and_comes_in_for_another_agent(cli: Cli, home: Path, tmp_path: Path) -> None:
    file, again = tmp_path / "graph.nt", tmp_path / "again.nt"
    cli("associative", "triples", str(file), "--agent", "ada", "--home", str(home))
    taken = cli("associative", "load-triples", str(file), "--agent", "bob", "--home", str(home), "--json")
    assert '"nodes":2' in taken.out.replace(" ", "")
    cli("associative", "triples", str(again), "--agent", "bob", "--home", str(home))
    assert again.read_text(encoding="utf-8") == file.read_text(encoding="utf-8")


def test_triples_that_make_no_sense_are_refused_by_their_line(cli: Cli, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "graph.nt"
    file.write_text("# a remark\nno triple\n", encoding="utf-8")
    said = cli("associative", "load-triples", str(file), "--agent", "bob", "--home", str(home))
    assert said.code != 0
    assert "line 2" in said.err
