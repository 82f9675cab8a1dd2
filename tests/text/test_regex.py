"""Regular expressions that wait until somebody looks for something."""

import re

import pytest

from remanent.text.regex import lazy_regex


def test_a_pattern_is_compiled_at_its_first_use_and_only_then(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled: list[str] = []
    plain = re.compile

    def noted(source: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(source)
        return plain(source, flags)

    monkeypatch.setattr(re, "compile", noted)
    pattern = lazy_regex(r"(?P<word>b+)", re.IGNORECASE)
    assert pattern.pattern == r"(?P<word>b+)"
    assert compiled == []
    assert [found["word"] for found in pattern.finditer("aBBab")] == ["BB", "b"]
    assert pattern.sub("-", "abba") == "a-a"
    assert pattern.search("xyz") is None
    assert dict(pattern.groupindex) == {"word": 1}
    assert compiled == [r"(?P<word>b+)"]
