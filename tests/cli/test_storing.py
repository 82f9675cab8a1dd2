from pathlib import Path

from tests.cli.conftest import Cli


def test_a_memory_is_copied_to_another_store_and_proved_alike(cli: Cli, tmp_path: Path) -> None:
    cli.told("I moved to Lisbon in May.")
    urls = ("--from", f"sqlite://{cli.home}", "--to", f"sqlite://{tmp_path / 'copy'}")
    moved = cli("move", *urls, "--json")
    assert moved.code == 0, moved.err
    [one] = moved.json
    assert (one["agent"], one["copied"], one["counts"]["entry"]) == ("default/default/ada", True, 1)
    again = cli("move", *urls)
    assert one["sha256"][:16] in again.out
    assert "entries" in again.out
    assert "{" not in again.out, "a heading is a word, not a phrase with a place to fill in"
    assert "1 were already there" in again.err
    found = cli("recall", "Lisbon", "--home", tmp_path / "copy")
    assert "Lisbon in May" in found.out


def test_a_store_is_not_copied_to_itself(cli: Cli) -> None:
    said = cli("move", "--from", f"sqlite://{cli.home}", "--to", f"sqlite://{cli.home}")
    assert said.code != 0
    assert "the same place" in said.err


def test_the_embedded_store_needs_no_migration(cli: Cli) -> None:
    said = cli("migrate", "--dry-run")
    assert said.code != 0
    assert "nothing to migrate" in said.err
