"""Erasures that have begun are known after a crash, and only then taken up by others."""

from pathlib import Path

import pytest

from remanent.model import Scope
from remanent.stores import Erasure
from remanent.stores.notes import FOLDER, PendingErasures
from tests.power import Disk

ADA = Scope(org="acme", workspace="lab", agent="ada")
ASKED = Erasure(entry_ids=("e1", "e2"), session="s1")


@pytest.mark.spec("SAFE-06")
def test_what_was_begun_and_let_go_is_taken_up_once(tmp_path: Path) -> None:
    erasures = PendingErasures(tmp_path)
    begun = erasures.begin(ADA, ASKED, last_seq=7)
    assert list(PendingErasures(tmp_path).interrupted()) == [], "somebody is at it"
    begun.release()
    [taken] = PendingErasures(tmp_path).interrupted()
    assert (taken.scope, taken.erasure, taken.last_seq) == (ADA, ASKED, 7)
    assert list(erasures.interrupted()) == [], "it was taken up already"
    taken.end()
    assert not erasures.has_any()


def test_an_erasure_that_ended_leaves_nothing(tmp_path: Path) -> None:
    erasures = PendingErasures(tmp_path)
    erasures.begin(ADA, ASKED, last_seq=0).end()
    assert not list((tmp_path / FOLDER).iterdir())


def test_a_torn_note_began_nothing_and_goes(tmp_path: Path) -> None:
    erasures = PendingErasures(tmp_path)
    begun = erasures.begin(ADA, ASKED, last_seq=0)
    begun.release()
    note = tmp_path / begun.name
    note.write_bytes(note.read_bytes()[:-9])
    assert list(erasures.interrupted()) == []
    assert not erasures.has_any()


def test_a_note_that_a_later_version_wrote_is_left_to_that(tmp_path: Path) -> None:
    erasures = PendingErasures(tmp_path)
    begun = erasures.begin(ADA, ASKED, last_seq=0)
    begun.release()
    (tmp_path / begun.name).write_text('{"of": "another form"}')
    assert list(erasures.interrupted()) == []
    assert erasures.has_any()


@pytest.mark.spec("SAFE-06")
def test_that_an_erasure_has_begun_survives_a_power_cut_and_that_it_ended_does_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else half of it would stay for ever, or what was said since would be erased again after the next crash."""
    disk = Disk(tmp_path / "above", monkeypatch)
    home = disk.root / "home"
    begun = PendingErasures(home).begin(Scope(org="o", workspace="w", agent="a"), Erasure(session="s"), last_seq=7)
    [left] = PendingErasures(disk.image(tmp_path / "begun") / "home").interrupted()
    assert (left.scope, left.erasure, left.last_seq) == (begun.scope, begun.erasure, 7)
    left.release()
    begun.end()
    assert not PendingErasures(disk.image(tmp_path / "ended") / "home").has_any()
