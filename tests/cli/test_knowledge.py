"""Folders of documents at the command line."""

from pathlib import Path

import pytest

from tests.cli.conftest import Cli


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    (folder / "deep").mkdir(parents=True)
    (folder / "pump.md").write_text("# Pump\n\nIt moves water.\n", encoding="utf-8")
    (folder / "deep" / "valve.md").write_text("# Valve\n\nIt holds 6 bar.\n", encoding="utf-8")
    return folder


@pytest.mark.spec("KB-01")
def test_a_folder_is_added_with_its_files_and_nothing_goes_for_it(cli: Cli, folder: Path) -> None:
    said = cli("knowledge", "add", folder)
    assert said.code == 0, said.err
    assert "2 added" in said.out
    (folder / "pump.md").unlink()
    assert "1 unchanged, 0 removed" in cli("knowledge", "add", folder).out
    refused = cli("knowledge", "add", folder, "--tag", "mine")
    assert refused.code != 0
    assert "describe one document" in refused.err


@pytest.mark.spec("KB-01")
def test_an_emptied_folder_removes_its_documents_only_by_force(cli: Cli, folder: Path) -> None:
    assert cli("knowledge", "sync", folder).code == 0
    for file in ("pump.md", "deep/valve.md"):
        (folder / file).unlink()
    refused = cli("knowledge", "sync", folder)
    assert refused.code != 0
    assert "--force" in refused.err
    assert "2 removed" in cli("knowledge", "sync", folder, "--force").out
