"""Files of models are checked before they are used; a program that ends soon may rely on what the last one found."""

import os
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any

import pytest

from remanent.embedding import packaged_models
from remanent.embedding.packaged_models import CHECKS, PackagedFile
from remanent.errors import IntegrityError

SOUND, DAMAGED = b"weights", b"weighty"
NOW = 1_800_000_000


class Reading:
    """A file of a model that counts how often it was read through."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.count = 0
        self.file = PackagedFile("models", "1", path.name, sha256(SOUND).hexdigest())
        path.write_bytes(SOUND)

        def counted(*given: Any) -> Any:
            self.count += 1
            return file_digest(*given)

        monkeypatch.setattr(packaged_models, "file_digest", counted)
        monkeypatch.setattr(PackagedFile, "find", lambda _: path)
        self.clock(monkeypatch, NOW)

    def clock(self, monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
        """Set the clock."""
        monkeypatch.setattr("remanent.embedding.packaged_models.time.time", lambda: float(seconds))


@pytest.fixture
def noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reading:
    """Return a file whose checks are noted."""
    monkeypatch.setattr(CHECKS, "file", tmp_path / "checked.json")
    return Reading(tmp_path / "model", monkeypatch)


def test_a_file_that_was_found_sound_and_not_touched_is_not_read_again(noted: Reading) -> None:
    for _ in range(3):
        assert noted.file.check() == noted.path
    assert noted.count == 1


def test_a_file_that_was_changed_since_is_read_again_even_where_its_date_is_the_old_one(noted: Reading) -> None:
    noted.file.check()
    before = noted.path.stat()
    noted.path.write_bytes(DAMAGED)
    os.utime(noted.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(IntegrityError, match="damaged"):
        noted.file.check()
    with pytest.raises(IntegrityError):
        noted.file.check()  # what was found damaged is not noted


@pytest.mark.parametrize("later", [7 * 86_400, -1], ids=["long ago", "in the future"])
def test_what_was_checked_long_ago_or_in_the_future_is_read_again(
    noted: Reading, monkeypatch: pytest.MonkeyPatch, later: int
) -> None:
    noted.file.check()
    noted.clock(monkeypatch, NOW + later)
    noted.file.check()
    assert noted.count == 2


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"%s": ["x"]}'])
def test_a_note_that_cannot_be_read_is_no_check(noted: Reading, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "checked.json").write_bytes(content.replace(b"%s", str(noted.path).encode()))
    assert noted.file.check() == noted.path
    assert noted.count == 1


def test_nothing_is_noted_unless_a_program_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CHECKS, "file", None)
    reading = Reading(tmp_path / "model", monkeypatch)
    reading.file.check()
    reading.file.check()
    assert reading.count == 2
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_where_nothing_can_be_written_the_file_is_checked_all_the_same(
    noted: Reading, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CHECKS, "file", tmp_path / "missing" / "checked.json")
    assert noted.file.check() == noted.path
