import json
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from remanent.errors import StoreBusy
from remanent.memory import AsyncAgent
from tests.cli.conftest import Cli


def test_an_export_goes_to_standard_output_line_by_line(cli: Cli) -> None:
    cli.told("苍鹭", "train")
    said = cli("export")
    assert said.code == 0
    values = [json.loads(line) for line in said.out.splitlines()]
    assert values[0]["remanent"] == "export"
    assert values[-1]["remanent"] == "end"
    assert "苍鹭" in said.out
    assert said.err == ""


def test_an_export_of_an_agent_that_remembers_nothing_says_so(cli: Cli) -> None:
    """A name that was mistyped made an empty backup without a word."""
    cli.told("heron")
    said = cli("export", "--agent", "typo")
    assert "typo" in said.err
    assert json.loads(said.out.splitlines()[-1])["counts"]["entry"] == 0


def test_an_export_file_is_for_the_users_eyes_only(cli: Cli, tmp_path: Path) -> None:
    cli.told("heron")
    file = tmp_path / "out.jsonl"
    said = cli("export", file)
    assert (said.code, said.out) == (0, "")
    assert str(file) in said.err
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert cli("export", file, "--json").json == {"file": str(file), "lines": len(file.read_bytes().splitlines())}


def test_an_export_that_fails_leaves_the_old_file_and_no_other(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    file = folder / "out.jsonl"
    file.write_text("the old one", encoding="utf-8")

    async def fails(_: AsyncAgent) -> AsyncIterator[str]:
        yield "a first line"
        raise StoreBusy("it changed meanwhile")

    monkeypatch.setattr(AsyncAgent, "export", fails)
    assert cli("export", file).code == 75
    assert list(folder.iterdir()) == [file]
    assert file.read_text(encoding="utf-8") == "the old one"


def test_an_export_into_a_folder_that_is_not_there_is_told_plainly(cli: Cli, tmp_path: Path) -> None:
    said = cli("export", tmp_path / "none" / "out.jsonl")
    assert said.code == 65
    assert said.err == f"Error: there is no folder {tmp_path / 'none'}; create it first, or write somewhere else\n"


def test_an_import_gives_back_what_was_exported_byte_for_byte(cli: Cli, tmp_path: Path) -> None:
    [forgotten, *_] = cli.told("The heron fishes.", "火车晚点了。", "A third thing.")
    cli("forget", forgotten)
    file = tmp_path / "out.jsonl"
    assert cli("export", file).code == 0
    said = cli("import", file, "--home", tmp_path / "second")
    assert said.code == 0
    assert "entry 3, record 3" in said.err
    assert cli("export", "-", "--home", tmp_path / "second").out == file.read_text(encoding="utf-8")
    assert cli("recall", "火车", "--home", tmp_path / "second").code == 0


def test_an_import_reads_standard_input_and_counts_in_json(cli: Cli) -> None:
    cli.told("one", "two")
    exported = cli("export").out
    counts = cli("import", "-", "--agent", "bob", "--json", "--no-wait", given=exported).json
    assert (counts["entry"], counts["record"]) == (2, 2)
    assert len(cli("entries", "--agent", "bob", "--json").json) == 2


def test_a_cut_export_is_refused_and_nothing_of_it_stays(cli: Cli) -> None:
    cli.told("one", "two")
    cut = "\n".join(cli("export").out.splitlines()[:-1])
    said = cli("import", "-", "--agent", "bob", given=cut)
    assert said.code == 5
    assert "cut" in said.err
    assert cli("entries", "--agent", "bob", "--json").json == []
    changed = cli("export").out.replace("two", "three")
    assert cli("import", "-", "--agent", "eve", given=changed).code == 5
    assert [scope["agent"] for scope in cli("agents", "--json").json] == ["ada"]


def test_what_is_no_export_is_bad_input(cli: Cli, tmp_path: Path) -> None:
    assert cli("import", "-", given="hello").code == 65
    assert cli("import", tmp_path / "none").code == 65
    said = cli("import", "-", given=b"\xff\xfe")
    assert said.code == 65
    assert "UTF-8" in said.err


def test_an_agent_in_use_is_not_overwritten(cli: Cli) -> None:
    cli.told("one")
    said = cli("import", "-", given=cli("export").out)
    assert said.code != 0
    assert len(cli("entries", "--json").json) == 1
