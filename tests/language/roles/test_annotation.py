"""Of the relations that a model names, those are kept that tell something."""

import pytest

from remanent.language.roles.annotation import (
    RELATION_NAMING,
    NamedReply,
    RelationNamingReply,
    RelationNamingRequest,
)

SAID = ("Tom keeps the keys in the red box.", "Thanks!", "She pays 850 pounds for a flat.", "红色箱子由老王保管。")


@pytest.mark.spec("USE-08")
@pytest.mark.parametrize(
    ("node", "named", "kept"),
    [
        ("The red box is lost.", ["about"] * 4, ["about", "", "", ""]),
        ("红色箱子不见了。", ["关于"] * 4, ["", "", "", "关于"]),
        ("The red box is lost.", ["contradicts", "contradicts", "part of", ""], ["contradicts", "", "part of", ""]),
        ("My sister Lily moved to Leeds.", ["", "", "tells of", ""], ["", "", "tells of", ""]),
    ],
)
def test_one_name_for_all_and_a_denial_of_what_has_no_word_in_common_are_none(
    node: str, named: list[str], kept: list[str]
) -> None:
    relations = [NamedReply(focus=f"f{place}", relation=name) for place, name in enumerate(named, 1)]
    request = RelationNamingRequest(node=node, focuses=SAID)
    answer = RELATION_NAMING.read(request, RelationNamingReply(relations=tuple(relations)))
    assert list(answer.relations) == kept
