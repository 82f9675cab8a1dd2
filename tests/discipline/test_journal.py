"""One door to the journal: whatever appends asks for its index and tells the disciplines, in one unit of work."""

from pathlib import Path

import pytest

import remanent

WORDS = 251
"""One more than a recall looks at of what is not indexed yet."""


@pytest.mark.spec("USE-09")
def test_what_a_stored_bank_writes_is_recalled_as_anything_that_was_said(tmp_path: Path) -> None:
    with remanent.open(tmp_path, embedder="none") as memory:
        with memory.bank("Keep the minutes.", bank_id="minutes", agent="clerk") as bank:
            bank.observe("The zebrawood cabinet stands in Lisbon.")
            for number in range(WORDS):
                bank.observe(f"Item {number} of the agenda was adjourned.")
        memory.settle()
        clerk = memory.agent("clerk")
        found = clerk.recall("Where does the zebrawood cabinet stand?", kinds=["turn"], gate=False)
        assert found.left_out == ()
        assert ["zebrawood" in item.text for item in found.items[:1]] == [True]
