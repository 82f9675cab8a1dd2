"""The folder: names that stay inside, whole files, a person's edits kept, every change undoable."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from remanent import durability
from remanent.durability import write_durably
from remanent.errors import InvalidInput, NotFound, StorageFull, VersionConflict
from remanent.workspace.files import WorkspaceFiles
from tests.workspace.world import NOON


@pytest.fixture
def files(tmp_path: Path) -> WorkspaceFiles:
    (tmp_path / "ws").mkdir()
    return WorkspaceFiles(tmp_path / "ws", clock=lambda: NOON, max_size=1000)


def write(files: WorkspaceFiles, name: str, text: str) -> None:
    files.edit(name, lambda _: text, why="test")


@pytest.mark.spec("WORK-01")
@pytest.mark.parametrize(
    "name",
    ["../out.md", "a/../../out.md", "/etc/passwd", "/memories/../x.md", ".remanent/owner", "a/.git/x", "a\\b", "a\0b"],
)
def test_a_name_that_leads_out_or_to_what_is_hidden_is_refused(files: WorkspaceFiles, name: str) -> None:
    with pytest.raises(InvalidInput):
        write(files, name, "x")
    with pytest.raises(InvalidInput):
        files.read(name)


@pytest.mark.spec("WORK-01")
def test_a_symbolic_link_may_lead_within_the_folder_and_not_out_of_it(files: WorkspaceFiles, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    (files.root / "out.md").symlink_to(tmp_path / "secret.md")
    (files.root / "up").symlink_to(tmp_path)
    write(files, "notes/real.md", "here")
    (files.root / "inside.md").symlink_to(files.root / "notes" / "real.md")
    for name in ("out.md", "up/secret.md", "up/new.md"):
        with pytest.raises(InvalidInput, match="out of the workspace"):
            files.read(name)
        with pytest.raises(InvalidInput, match="out of the workspace"):
            write(files, name, "overwritten")
    assert (tmp_path / "secret.md").read_text(encoding="utf-8") == "secret"
    write(files, "inside.md", "changed")
    assert (files.root / "inside.md").is_symlink()
    assert files.read("notes/real.md") == "changed"


def test_an_edit_by_a_person_at_the_last_moment_is_kept_and_ours_comes_on_top(files: WorkspaceFiles) -> None:
    write(files, "a.md", "one\n")
    asked = []

    def change(text: str | None) -> str:
        asked.append(text)
        if len(asked) == 1:  # an editor saves while we work
            (files.root / "tmp").write_text("one\nby hand\n", encoding="utf-8")
            (files.root / "tmp").replace(files.root / "a.md")
        return f"{text}ours\n"

    files.edit("a.md", change, why="test")
    assert asked == ["one\n", "one\nby hand\n"]
    assert files.read("a.md") == "one\nby hand\nours\n"
    assert len(files.changes()) == 2


def test_what_a_person_writes_into_a_file_that_was_just_replaced_is_brought_over(files: WorkspaceFiles) -> None:
    write(files, "a.md", "one\n")
    with (files.root / "a.md").open("a", encoding="utf-8") as editor:
        files.edit("a.md", lambda text: f"{text}ours\n", why="test")
        editor.write("by hand\n")
    files.bring_over(["a.md"])
    assert files.read("a.md") == "one\nours\nby hand\n"
    files.bring_over(["a.md"])
    files.edit("a.md", lambda text: f"{text}more\n", why="test")
    assert files.read("a.md") == "one\nours\nby hand\nmore\n"


@pytest.mark.parametrize("where", ["the former file", "the file"])
def test_what_a_person_writes_while_that_is_brought_over_is_brought_over_too(
    files: WorkspaceFiles, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    write(files, "a.md", "one\n")
    with (files.root / "a.md").open("a", encoding="utf-8") as former:
        files.edit("a.md", lambda text: f"{text}ours\n", why="test")
        former.write("by hand\n")
        former.flush()

        def write_in_between(path: Path, content: bytes, **more: Any) -> None:
            monkeypatch.undo()
            if where == "the former file":
                former.write("a moment later\n")
                former.flush()
            else:
                with path.open("a", encoding="utf-8") as editor:
                    editor.write("a moment later\n")
            write_durably(path, content, **more)

        monkeypatch.setattr("remanent.workspace.files.write_durably", write_in_between)
        files.bring_over(["a.md"])
    files.bring_over(["a.md"])
    assert sorted(files.read("a.md").splitlines()) == ["a moment later", "by hand", "one", "ours"]


def test_a_hand_that_is_slower_than_forty_changes_of_ours_loses_nothing(files: WorkspaceFiles) -> None:
    write(files, "a.md", "one\n")
    with (files.root / "a.md").open("a", encoding="utf-8") as editor:
        for number in range(40):
            write(files, "a.md", files.read("a.md") + f"{number}\n")
        editor.write("by hand\n")
    files.bring_over(["a.md"])
    assert files.read("a.md").splitlines() == ["one", *map(str, range(40)), "by hand"]


def test_a_file_that_a_person_wrote_anew_at_that_moment_is_kept_beside_ours(files: WorkspaceFiles) -> None:
    write(files, "a.md", "one\n")
    with (files.root / "a.md").open("r+", encoding="utf-8") as editor:
        files.edit("a.md", lambda text: f"{text}ours\n", why="test")
        editor.write("ONE, by hand\n")
    files.bring_over(["a.md"])
    assert files.read("a.md") == "one\nours\n"
    (beside,) = files.root.glob("a.conflict-*.md")
    assert beside.read_text(encoding="utf-8") == "ONE, by hand\n"


def test_a_full_disk_leaves_the_file_as_it_was_and_nothing_beside_it(
    files: WorkspaceFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(files, "a.md", "one\n")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(durability, "sync_file", full)
        with pytest.raises(StorageFull):
            write(files, "a.md", "two\n")
    assert files.read("a.md") == "one\n"
    assert sorted(os.listdir(files.root)) == [".remanent", "a.md"]
    assert len(files.changes()) == 1


def test_what_a_killed_writer_left_is_swept_and_what_an_editor_keeps_there_is_not(files: WorkspaceFiles) -> None:
    (files.root / ".a.md.k3j_x9ab").write_text("half", encoding="utf-8")
    (files.root / ".a.md.swp").write_text("editor", encoding="utf-8")
    write(files, "a.md", "whole")
    assert sorted(os.listdir(files.root)) == [".a.md.swp", ".remanent", "a.md"]


def test_permissions_and_line_ends_stay_as_the_person_has_them(files: WorkspaceFiles) -> None:
    path = files.root / "a.md"
    path.write_bytes(b"one\r\ntwo\r\n")
    path.chmod(0o644)
    files.edit("a.md", lambda text: f"{text}three\r\n", why="test")
    assert path.read_bytes() == b"one\r\ntwo\r\nthree\r\n"
    assert path.stat().st_mode & 0o777 == 0o644


def test_every_change_is_a_difference_and_can_be_undone(files: WorkspaceFiles) -> None:
    write(files, "a.md", "one\ntwo\nthree\n")
    files.edit("a.md", lambda text: (text or "").replace("two", "2"), why="a figure")
    made, changed = reversed(files.changes())
    assert "-two" in changed.diff.splitlines()
    assert "+2" in changed.diff.splitlines()
    # A person goes on working elsewhere in the file.
    (files.root / "a.md").write_text("zero\none\n2\nthree\nfour\n", encoding="utf-8")
    files.undo(changed.id)
    assert files.read("a.md") == "zero\none\ntwo\nthree\nfour\n"
    with pytest.raises(VersionConflict):  # the file as a whole is no longer what we made
        files.undo(made.id)
    with pytest.raises(NotFound):
        files.undo("../../owner")


def test_what_was_edited_by_a_person_since_is_not_undone(files: WorkspaceFiles) -> None:
    write(files, "a.md", "one\n")
    files.edit("a.md", lambda text: f"{text}ours\n", why="test")
    (files.root / "a.md").write_text("one\nours, corrected\n", encoding="utf-8")
    with pytest.raises(VersionConflict):
        files.undo(files.changes()[0].id)
    assert files.read("a.md") == "one\nours, corrected\n"


def test_deleting_and_renaming_can_be_undone(files: WorkspaceFiles) -> None:
    write(files, "会议.md", "周一\n")
    deleted = files.delete("会议.md", why="test")
    assert files.find("会议.md") is None
    files.undo(deleted.id)
    assert files.read("会议.md") == "周一\n"
    renamed = files.rename("会议.md", "old/会议.md", why="test")
    assert files.find("会议.md") is None
    files.undo(renamed.id)
    assert files.read("会议.md") == "周一\n"
    write(files, "b.md", "b")
    with pytest.raises(InvalidInput, match="already"):
        files.rename("b.md", "会议.md", why="test")


def test_only_so_many_changes_are_kept_and_no_file_grows_without_end(tmp_path: Path) -> None:
    files = WorkspaceFiles(tmp_path, clock=lambda: NOON, max_size=20, max_changes=3)
    for number in range(6):
        write(files, "a.md", f"{number}\n")
    assert [change.diff.splitlines()[-1] for change in files.changes()] == ["+5", "+4", "+3"]
    with pytest.raises(InvalidInput, match="max_file_size"):
        write(files, "a.md", "x" * 21)
