"""Erasures that have begun are known after a crash, and only then taken up by others."""

from pathlib import Path

import pytest

from remanent.model import Scope
from remanent.stores import Erasure
from remanent.stores.erasures import FOLDER, PendingErasures

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
    begun.path.write_bytes(begun.path.read_bytes()[:-9])
    assert list(erasures.interrupted()) == []
    assert not erasures.has_any()
