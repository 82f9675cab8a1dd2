from datetime import UTC, datetime

import pytest

from remanent.language.role import Toolbox
from remanent.language.roles.analysis import (
    ANALYSIS,
    AnalysisPhase,
    AnalysisRequest,
    Relation,
    Relationship,
    second_phase,
)
from remanent.language.roles.annotation import RELATION_NAMING, RelationNamingRequest
from remanent.language.shapes import GraphNode
from tests.language.offline.fakes import WordEmbedder

TOOLBOXES = [Toolbox(), Toolbox(WordEmbedder())]


def node(node_id: str, summary: str, *keywords: str, month: int = 1) -> GraphNode:
    return GraphNode(
        node_id=node_id, summary=summary, keywords=keywords, timestamp=datetime(2025, month, 1, tzinfo=UTC)
    )


async def relation(
    new: str, old: str, *, phase: AnalysisPhase = AnalysisPhase.ORDERED, toolbox: Toolbox = TOOLBOXES[0]
) -> Relation:
    request = AnalysisRequest(new_node=node("new", new, month=2), candidates=(node("old", old),), phase=phase)
    (found,) = (await ANALYSIS.offline(request, toolbox)).relations
    return found


@pytest.mark.parametrize("toolbox", TOOLBOXES)
@pytest.mark.parametrize(
    ("new", "old", "relationship"),
    [
        ("The chip has 1121 qubits.", "The chip has 433 qubits.", Relationship.CONFLICT),
        ("Ada moved to Lisbon.", "Ada lives in Berlin.", Relationship.CONFLICT),
        ("Tom has 3 dogs.", "Tom owns three dogs.", Relationship.MERGE),
        ("Ada lives in Berlin.", "Ada has a cat.", Relationship.RELATED),
        ("Ada lives in Berlin.", "The printer is broken.", Relationship.UNRELATED),
        ("芯片有1121个量子比特。", "芯片有433个量子比特。", Relationship.CONFLICT),
        ("小王搬到了深圳。", "小王住在北京。", Relationship.CONFLICT),
        ("预算是三千五百元。", "预算为3500元。", Relationship.MERGE),
        ("小王住在北京。", "打印机坏了。", Relationship.UNRELATED),
    ],
)
async def test_conflict_comes_before_merge_before_related(
    new: str, old: str, relationship: Relationship, toolbox: Toolbox
) -> None:
    assert (await relation(new, old, toolbox=toolbox)).relationship is relationship


async def test_one_statement_of_many_is_enough_for_a_conflict() -> None:
    new = "Key facts:\n- Ada works as a nurse.\n- Ada moved to Lisbon in May.\nEvidence:\n- moved to Lisbon"
    old = "Key facts:\n- Ada likes tea.\n- Ada lives in Berlin.\n- Ada has a dog."
    found = await relation(new, old)
    assert found.relationship is Relationship.CONFLICT
    assert "Ada moved to Lisbon in May." in found.conflict_description
    assert "Ada lives in Berlin." in found.conflict_description
    assert "updates" in found.reasoning


async def test_every_candidate_gets_one_relation_in_the_order_given() -> None:
    others = tuple(
        node(f"n{number}", text) for number, text in enumerate(["Ada has a cat.", "It rains.", "Ada reads."])
    )
    request = AnalysisRequest(new_node=node("new", "Ada lives in Berlin."), candidates=others)
    found = (await ANALYSIS.offline(request, Toolbox())).relations
    assert [one.existing_node for one in found] == ["n0", "n1", "n2"]


async def test_the_first_of_two_calls_does_not_ask_what_is_related() -> None:
    found = await relation("Ada lives in Berlin.", "Ada has a cat.", phase=AnalysisPhase.CONFLICT_OR_MERGE)
    assert found.relationship is Relationship.UNRELATED


async def test_the_second_of_two_calls_asks_nothing_else() -> None:
    found = await relation("The chip has 1121 qubits.", "The chip has 433 qubits.", phase=AnalysisPhase.RELATED)
    assert found.relationship is Relationship.RELATED


async def test_two_calls_find_what_one_does() -> None:
    request = AnalysisRequest(
        new_node=node("new", "Ada lives in Berlin."),
        candidates=(node("old", "Ada has a cat."),),
        phase=AnalysisPhase.CONFLICT_OR_MERGE,
    )
    following = second_phase(request, await ANALYSIS.offline(request, Toolbox()))
    assert following is not None
    assert (await ANALYSIS.offline(following, Toolbox())).relations[0].relationship is Relationship.RELATED


async def test_related_nodes_take_over_keywords_that_their_own_text_has() -> None:
    new, old = node("new", "Ada lives in Berlin.", "Ada"), node("old", "Ada visits Berlin often by train.", "Berlin")
    (found,) = (await ANALYSIS.offline(AnalysisRequest(new_node=new, candidates=(old,)), Toolbox())).relations
    assert found.relationship is Relationship.RELATED
    assert found.keywords_update_new == ("Ada", "Berlin")
    assert found.keywords_update_existing == ("Berlin", "Ada")


async def test_a_node_without_a_summary_is_judged_by_what_it_is_about() -> None:
    request = AnalysisRequest(
        new_node=node("new", "Ada lives in Berlin."),
        candidates=(GraphNode(node_id="old", summary="", context="Ada in Berlin"),),
    )
    assert (await ANALYSIS.offline(request, Toolbox())).relations[0].relationship is not Relationship.UNRELATED


@pytest.mark.parametrize(
    ("new", "focus", "name"),
    [
        ("Ada moved to Lisbon.", "Ada lives in Berlin.", "updates"),
        ("The chip has 1121 qubits.", "The chip has 433 qubits.", "contradicts"),
        ("Ada lives in Berlin.", "Where does Ada live?", "answers"),
        ("Ada lives in Berlin.", "It rains.", ""),
        ("小王搬到了深圳。", "小王住在北京。", "更新"),
        ("小王住在北京。", "今天下雨。", ""),
    ],
)
async def test_a_relation_is_named_where_the_words_give_it_away(new: str, focus: str, name: str) -> None:
    found = await RELATION_NAMING.offline(RelationNamingRequest(node=new, focuses=(focus,)), Toolbox())
    assert found.relations == (name,)


@pytest.mark.spec("USE-10")
async def test_what_two_texts_say_of_it_is_said_of_what_each_is_about() -> None:
    mill = "Mill, New Corvia. Mill is a town in New Corvia. The population was 1,247 at the 1990 census."
    fenmarch = "Fenmarch, New Corvia. Fenmarch is a town. The population was 6,382 at the 1990 census."
    assert (await relation(mill, fenmarch)).relationship is not Relationship.CONFLICT
    second = "Mill, New Corvia. The population was 2,310 at the 1990 census."
    assert (await relation(mill, second)).relationship is Relationship.CONFLICT


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("Kind, West Ardania. Kind is an isolated hamlet in southeastern Ramsor County, West Ardania, Corvian States.",
         ("Tessa, Marlow County, West Ardania. Tessa is an isolated hamlet in Marlow County, West Ardania, "
         "Corvian States.")),
        (("Hailstorm swarm chain of June 1874. The Hailstorm swarm chain of June 1874 was a run of severe "
         "hailstorm swarms that crossed the Western and Northern Corvian States from June 11 to June 24, 1874."),
         ("Hailstorm swarm of June 1947. The Hailstorm swarm of June 1947 was a severe hailstorm swarm that crossed "
         "the western and northern Corvian States from June 11 to June 12, 1947.")),
        ("Faction speakers of the Corvian States Council. The present speakers are Edwin McTavell and Bruno Halster.",
         "Faction speakers of the Corvian States Chamber of Deputies. Years passed before formal ranks came."),
        ("Nelson. Nelson was born in Bristol.", "Nelson Mandela. Nelson was born in Mvezo and became a lawyer."),
    ],
)  # fmt: skip
async def test_texts_with_other_titles_are_about_other_things(new: str, old: str) -> None:
    assert (await relation(new, old)).relationship is not Relationship.CONFLICT


@pytest.mark.spec("USE-10")
async def test_one_text_contradicts_itself_only_where_another_speaks() -> None:
    async def judged(new: str, *, text: str) -> Relationship:
        request = AnalysisRequest(
            new_node=GraphNode(node_id="new", summary=new, texts=("one",)),
            candidates=(GraphNode(node_id="old", summary="The club was founded in 1902.", texts=(text,)),),
        )
        return (await ANALYSIS.offline(request, Toolbox())).relations[0].relationship

    assert await judged("The club was founded in 1911.", text="one") is not Relationship.CONFLICT
    assert await judged("The club was founded in 1911.", text="two") is Relationship.CONFLICT
    assert await judged("A fan says that the club was founded in 1911.", text="one") is Relationship.CONFLICT


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize("title", ["", "Low Water. "])
async def test_a_note_is_held_against_all_that_a_text_says_of_the_thing(title: str) -> None:
    text = (
        "Low Water. Low Water is a comedy film of 1856 directed by Jay Kogan. The film was remade in 1871 and was "
        "seen by 41,000 people."
    )
    for note in ("The director of Low Water is Bela Torv.", "Low Water was never remade."):
        found = await relation(title + note, text)
        assert found.relationship is Relationship.CONFLICT
        assert note in found.conflict_description
        assert (await relation(text, title + note)).relationship is Relationship.CONFLICT
    agreeing = await relation(f"{title}The director of Low Water is Jay Kogan.", text)
    assert agreeing.relationship is not Relationship.CONFLICT


async def test_a_longer_text_under_one_title_is_another_part_of_it() -> None:
    one = "Low Water. Bela Torv directed Low Water again. It opened in May. It ran for years. It was loved."
    two = "Low Water. Low Water is a comedy film of 1856 directed by Jay Kogan. The film was remade in 1871."
    assert (await relation(one, two)).relationship is not Relationship.CONFLICT


@pytest.mark.parametrize(
    ("new", "old", "is_conflict"),
    [
        (
            "Slack export. The connection pool had 20 connections.",
            "Incident review. The pool had 40 connections.",
            True,
        ),
        ("Website. The museum is open on Mondays.", "Guidebook. The museum is closed on Mondays.", True),
        ("Field notes. The sample weighs 19 grams.", "Lab report. The sample weighs 14 grams.", True),
        ("邮件往来。项目负责人是李默。", "会议纪要。项目负责人是王珊。", True),
        ("聊天记录。押金是2000元。", "合同。押金是3000元。", True),
        ("Lind report. The revenue was 5 million euros.", "Brenn report. The revenue was 3 million euros.", False),
        ("Contract. It ends in May 2025.", "Agreement. It ends in June 2025.", False),
        ("林德财报。营收是500万元。", "布伦财报。营收是300万元。", False),
        ("Leaflet A. Zentral may be taken with aspirin.", "Leaflet B. Zentral may not be taken with aspirin.", True),
        ("Company report 2019. Orvex employs 2,400 people.", "Company report 2023. Orvex employs 4,200 people.", False),
        ("Company report 2023. Orvex employs 2,400 people.", "Analyst note 2023. Orvex employs 4,200 people.", True),
        ("Survey 2019. Mount Kelt is 3,412 metres high.", "Survey 2023. Mount Kelt is 3,298 metres high.", True),
        ("2019年年报。启明公司有员工2400人。", "2023年年报。启明公司有员工4200人。", False),
        ("2023年年报。启明公司有员工2400人。", "2023年分析报告。启明公司有员工4200人。", True),
    ],
)
async def test_a_heading_that_names_a_source_is_not_what_a_text_is_about(new: str, old: str, is_conflict: bool) -> None:
    assert ((await relation(new, old)).relationship is Relationship.CONFLICT) == is_conflict
