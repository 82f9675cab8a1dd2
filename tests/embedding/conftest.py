"""Nothing of the machine's own configuration reaches these tests."""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from tests.embedding.fakes import StandInSentenceTransformer


@pytest.fixture(autouse=True)
def _machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> type[StandInSentenceTransformer]:
    module = ModuleType("sentence_transformers")
    module.__spec__ = ModuleSpec("sentence_transformers", None)
    StandInSentenceTransformer.made = []
    StandInSentenceTransformer.batches = []
    monkeypatch.setattr(module, "SentenceTransformer", StandInSentenceTransformer, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    return StandInSentenceTransformer
