"""Erasures that have begun are known after a crash, and only then taken up by others."""

from pathlib import Path

import pytest

from remanent.model import Scope
from remanent.stores import Erasure
from remanent.stores.erasures import FOLDER, BegunErasures

ADA = Scope(org="acme", workspace="lab", agent="ada")
ASKED = Erasure(entry_ids=("e1", "e2"), session="s1")


@pytest.mark.spec("SAFE-06")
def test_what_was_begun_and_let_go_is_taken_up_once(tmp_path: Path) -> None:
    erasures = BegunErasures(tmp_path)
    begun = erasures.begin(ADA, ASKED, last_seq=7)
    assert list(BegunErasures(tmp_path).cut_short()) == [], "somebody is at it"
    begun.let_go()
    [taken] = BegunErasures(tmp_path).cut_short()
    assert (taken.scope, taken.erasure, taken.last_seq) == (ADA, ASKED, 7)
    assert list(erasures.cut_short()) == [], "it was taken up already"
    taken.end()
    assert not erasures.has_any()


def test_an_erasure_that_ended_leaves_nothing(tmp_path: Path) -> None:
    erasures = BegunErasures(tmp_path)
    erasures.begin(ADA, ASKED, last_seq=0).end()
    assert not list((tmp_path / FOLDER).iterdir())


def test_a_torn_note_began_nothing_and_goes(tmp_path: Path) -> None:
    erasures = BegunErasures(tmp_path)
    begun = erasures.begin(ADA, ASKED, last_seq=0)
    begun.let_go()
    begun.path.write_bytes(begun.path.read_bytes()[:-9])
    assert list(erasures.cut_short()) == []
    assert not erasures.has_any()
