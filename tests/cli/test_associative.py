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


def test_what_comes_to_mind_is_shown_with_its_path_and_what_is_gone_with_where_it_came_from(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    with remanent.open(home, embedder="none", associative={"decay_rate": 0.3, "max_focus_count": 1}) as memory:
        ada = memory.agent("ada").associative
        for text in (CAT, "Crane seven was moved to the northern pier.", "团子打翻了花瓶。", "Mira reads.", "No more."):
            ada.remember(text)
            memory.settle()
        stones = {stone.about: stone for stone in ada.forgotten()}
    (entry_id,) = {source.entry_id for stone in stones.values() if "橘猫" in stone.about for source in stone.sources}
    said = cli("associative", "recall", "团子", "crane", "mira", "--agent", "ada", "--home", str(home))
    assert said.code == 0
    assert "Mira reads." in said.out
    assert "from focus" in said.out
    assert "Once known" in said.out
    assert entry_id in said.out
    monkeypatch.setenv("REMANENT_LANGUAGE", "zh")
    left = cli("associative", "forgotten", "--agent", "ada", "--home", str(home))
    assert "曾经记得" in left.out
    node_id = next(stone.node_id for stone in stones.values() if "橘猫" in stone.about)
    back = cli("associative", "restore", node_id, "--agent", "ada", "--home", str(home))
    assert "团子" in back.out


def test_messages_become_associative_memory_by_command(cli: Cli, tmp_path: Path) -> None:
    told = cli("associative", "remember", "团子住在杭州。", "--agent", "eve", "--json")
    assert told.code == 0
    assert len(told.json["entry_ids"]) == 1
    file = tmp_path / "many.jsonl"
    file.write_text('{"content": "Crane 7 moved."}\n{"content": "Mira reads."}\n', encoding="utf-8")
    assert cli("associative", "remember", "--file", file, "--agent", "eve").code == 0
    state = cli("associative", "state", "--agent", "eve", "--json").json
    assert (state["nodes"], len(state["focuses"])) == (3, 3)
