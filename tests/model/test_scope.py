from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.errors import InvalidInput, InvalidScope
from remanent.model import SHARED, Scope

UNSAFE_NAMES: list[Any] = [
    None,
    "",
    "*",
    "%",
    "..",
    ".",
    "../x",
    "a/../b",
    "a/b",
    "a\\b",
    "/etc",
    "~/x",
    ".hidden",
    "-flag",
    "a..b",
    "ends.",
    "a b",
    " a",
    "a ",
    "tab\t",
    "line\n",
    "nul\x00byte",
    "\x00",
    "x" * 65,
    "x" * 10_240,
    "con",
    "NUL.txt",
    "com1",
    7,
    b"ada",
    ["ada"],
    True,
]
LOOK_ALIKES = [
    "аda",  # Cyrillic а, then Latin
    "adа",
    "асе",  # all Cyrillic, reads as Latin "ace"
    "СОРА",
    "οα",  # Greek that reads as Latin
    "ａｄａ",  # full width
    "ad\u200ba",  # zero width space
    "ad\u200da",  # zero width joiner
    "\ufeffada",  # byte order mark
    "ada\u202e",  # right-to-left override
    "a\u0301da",  # a letter and a combining accent
    "ﬁsh",  # ligature
    "①",  # circled digit
    "ad²",  # superscript
    "ada\u00ad",  # soft hyphen
    "ada\u00a0",  # no-break space
]


@pytest.mark.parametrize("name", [*UNSAFE_NAMES, *LOOK_ALIKES], ids=lambda name: ascii(name)[:24])
@pytest.mark.parametrize("part", ["org", "workspace", "agent"])
def test_an_unsafe_or_ambiguous_name_is_refused(part: str, name: Any) -> None:
    names: dict[str, Any] = {"org": "acme", "workspace": "lab", "agent": "ada", part: name}
    with pytest.raises(InvalidScope) as caught:
        Scope(**names)
    assert len(str(caught.value)) < 300, "the refusal must not carry a huge name along"


@pytest.mark.parametrize("label", ["", "\x00", "a\nb", "x" * 201, "x" * 10_240, "a..b", " s", "s ", "*", "%", 7, b"s"])
@pytest.mark.parametrize("part", ["session", "task"])
def test_an_ambiguous_session_or_task_is_refused(part: str, label: Any) -> None:
    with pytest.raises(InvalidScope):
        Scope(**{"org": "acme", "workspace": "lab", "agent": "ada", part: label})


@pytest.mark.parametrize("label", LOOK_ALIKES, ids=ascii)
def test_a_session_that_looks_like_another_is_refused(label: str) -> None:
    with pytest.raises(InvalidScope):
        Scope(org="acme", workspace="lab", agent="ada", session=label)


@pytest.mark.parametrize(
    "name", ["ada", "Ada-2", "小明", "研究组1", "たろう", "철수", "москва", "ada@home", "_a", "9", "a.b"]
)
def test_plain_names_of_many_languages_are_welcome(name: str) -> None:
    assert Scope(org=name, workspace=name, agent=name).agent == name


@pytest.mark.parametrize("missing", ["org", "workspace", "agent"])
def test_no_part_has_a_default(missing: str) -> None:
    names = {"org": "acme", "workspace": "lab", "agent": "ada"}
    del names[missing]
    with pytest.raises(InvalidInput, match=missing):
        Scope(**names)


@given(st.text(max_size=80))
def test_a_name_that_passes_is_one_safe_path_component(name: str) -> None:
    try:
        scope = Scope(org="acme", workspace="lab", agent=name)
    except InvalidScope:
        return
    assert scope.agent == name
    assert not set(name) & set("/\\\x00*%?<>|\"' \n")
    assert name not in {".", ".."}
    assert len(name.encode()) <= 255


def test_the_owner_is_the_agent_without_session_and_task() -> None:
    scope = Scope(org="acme", workspace="lab", agent="ada", session="s", task="t")
    assert scope.owner == Scope(org="acme", workspace="lab", agent="ada")
    assert scope.owner.owner == scope.owner


def test_narrowing_keeps_what_is_not_named() -> None:
    scope = Scope(org="acme", workspace="lab", agent="ada", session="s")
    assert scope.within(task="t") == Scope(org="acme", workspace="lab", agent="ada", session="s", task="t")
    assert scope.within(session="other").session == "other"


def test_what_a_workspace_shares_has_the_reserved_agent_name() -> None:
    scope = Scope(org="acme", workspace="lab", agent="ada", session="s")
    assert scope.shared == Scope(org="acme", workspace="lab", agent=SHARED)


def test_a_scope_reads_as_a_path_with_its_labels() -> None:
    scope = Scope(org="acme", workspace="lab", agent="ada", session="s", task="t")
    assert str(scope) == "acme/lab/ada/session=s/task=t"
