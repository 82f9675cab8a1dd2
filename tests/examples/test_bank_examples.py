"""The three uses of a task bank, whole, as the examples show them."""

import runpy
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.fixture(autouse=True)
def _by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMANENT_EMBEDDER", "none")


def example(name: str, home: Path) -> dict[str, Any]:
    done: dict[str, Any] = runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](str(home))
    return done


@pytest.mark.spec("BANK-02", "BANK-19", "BANK-20")
def test_research_over_contradicting_sources_uses_the_right_fact(tmp_path: Path) -> None:
    done = example("deep_research", tmp_path)
    assert len(done["contradictions"]) == 1
    assert done["right"] in done["contradictions"][0]
    assert done["wrong"] in done["contradictions"][0]
    assert done["states"] == ["resolved"]
    assert done["right"] in done["answer"]
    assert done["wrong"] not in done["answer"]


@pytest.mark.spec("BANK-13")
def test_the_answer_from_a_long_document_has_its_evidence_in_the_right_chunk(tmp_path: Path) -> None:
    done = example("long_document", tmp_path)
    assert done["chunks"] > 2
    assert done["right"] in done["answer"]
    assert any(done["evidence"] in text for text in done["behind"])


@pytest.mark.spec("BANK-16", "BANK-19")
def test_a_fact_that_changed_in_a_long_dialogue_is_answered_as_it_is_now(tmp_path: Path) -> None:
    done = example("long_dialogue", tmp_path)
    assert any("Osaka" in change for change in done["changes"])
    assert "Osaka" in done["answer"]
    assert any("I live in Porto." in text for text in done["words"])
