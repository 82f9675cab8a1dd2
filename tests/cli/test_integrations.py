import json
import stat
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.cli.integrations import CLIENTS, client_of, configuration, entry_of, install_server
from remanent.errors import InvalidInput, NotFound, StorageError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
CURSOR = CLIENTS["cursor"]
ENTRY = entry_of(CURSOR, ["/usr/bin/remanent", "mcp"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda one: st.lists(one) | st.dictionaries(st.text(), one),
    max_leaves=5,
)


@pytest.mark.parametrize("client", CLIENTS.values(), ids=lambda client: client.name)
def test_every_client_has_a_place_on_every_system_and_an_entry_it_can_paste(client: Any, tmp_path: Path) -> None:
    files = {client.file(home=tmp_path, platform=platform) for platform in ("linux", "darwin")}
    assert all(file.is_relative_to(tmp_path) and file.suffix == ".json" for file in files)
    entry = entry_of(client, ["remanent", "mcp"])
    assert json.loads(configuration(client, "remanent", entry))[client.group]["remanent"]["args"] == ["mcp"]
    file = client.file(home=tmp_path)
    assert install_server(client, "remanent", entry, file=file, now=NOW).changed
    assert json.loads(file.read_text())[client.group] == {"remanent": entry}
    assert not install_server(client, "remanent", entry, file=file, now=NOW).changed


@settings(deadline=None, max_examples=30)
@given(whole=st.dictionaries(st.text(), VALUES), servers=st.dictionaries(st.text(), VALUES))
def test_whatever_else_a_file_holds_stays_and_the_old_file_is_kept(
    tmp_path_factory: pytest.TempPathFactory, whole: dict[str, Any], servers: dict[str, Any]
) -> None:
    file = tmp_path_factory.mktemp("client") / "mcp.json"
    before = {**whole, "mcpServers": servers}
    old = json.dumps(before).encode()
    file.write_bytes(old)
    installed = install_server(CURSOR, "remanent", ENTRY, file=file, now=NOW)
    assert json.loads(file.read_text()) == {**before, "mcpServers": {**servers, "remanent": ENTRY}}
    assert installed.backup is not None
    assert installed.backup.read_bytes() == old


def test_an_older_entry_of_ours_is_replaced_and_each_backup_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    install_server(CURSOR, "remanent", ENTRY, file=file, now=NOW)
    file.chmod(0o640)
    backups = [
        install_server(CURSOR, "remanent", entry_of(CURSOR, ["other", str(number)]), file=file, now=NOW).backup
        for number in range(3)
    ]
    assert len(set(backups)) == 3
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert json.loads(file.read_text())["mcpServers"]["remanent"]["args"] == ["2"]


@pytest.mark.parametrize(
    "text",
    ["{", "// a comment\n{}", "[]", '{"mcpServers": []}', '{"a": 1, "a": 2}', '{"mcpServers": {"a": {}, "a": {}}}'],
)
def test_a_file_that_is_not_understood_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(text)
    with pytest.raises(InvalidInput, match="paste the entry yourself"):
        install_server(CURSOR, "remanent", ENTRY, file=file, now=NOW)
    assert file.read_text() == text
    assert list(tmp_path.iterdir()) == [file]


def test_a_linked_file_is_written_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    real, link = tmp_path / "dotfiles" / "mcp.json", tmp_path / "mcp.json"
    real.write_text("{}")
    link.symlink_to(real)
    install_server(CURSOR, "remanent", ENTRY, file=link, now=NOW)
    assert link.is_symlink()
    assert "remanent" in real.read_text()


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(StorageError):
        install_server(CURSOR, "remanent", ENTRY, file=tmp_path / "taken" / "mcp.json", now=NOW)
    with pytest.raises(NotFound, match="claude-desktop, claude-code"):
        client_of("emacs")
