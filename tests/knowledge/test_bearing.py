"""How a sentence bears on a claim: what it denies it does not support."""

import pytest

from remanent.knowledge.face import AsyncKnowledgeCollection
from remanent.language.offline.evidence import bearing
from tests.knowledge.test_proof import base

__all__ = ["base"]

OPPOSITES = [
    ("实习生可以弹性打卡。", "实习生不适用弹性打卡。"),
    ("任何人都能删除生产数据。", "未经批准，任何人不能删除生产数据。"),
    ("You can freeze it.", "It keeps 3 days in the fridge and must not be frozen."),
    ("仓库可以抽烟。", "仓库严禁吸烟。"),
    ("酒水费用可以报销。", "酒水费用不予报销。"),
    ("访客可以带手机进机房。", "访客禁止携带手机进入机房。"),
    ("未成年人可以单独入场。", "未成年人不可单独入场。"),
    ("该药可以与酒精同服。", "该药切勿与酒精同服。"),
    ("出差必须提前申请。", "出差不必提前申请。"),
    ("离开工位不必锁屏。", "离开工位必须锁屏。"),
    ("The pool is open on Mondays.", "The pool is closed on Mondays."),
    ("Parking is available in winter.", "Parking is unavailable in winter."),
    ("The lift works.", "The lift is out of order."),
]
HOTELS = "Hotel costs are refunded up to 140 euros a night, in London up to 210."


@pytest.mark.parametrize(("claim", "evidence"), OPPOSITES)
def test_a_sentence_contradicts_what_it_denies_or_forbids(claim: str, evidence: str) -> None:
    assert bearing(claim, evidence)[1] == "contradicted"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("仓库不能吸烟。", "仓库严禁吸烟。"),
        ("酒水费用不能报销。", "酒水费用不予报销。"),
        ("未经批准不能删除生产数据。", "未经批准，任何人不能删除生产数据。"),
        ("年假可以顺延至次年3月31日。", "年假当年未休完的，可顺延至次年3月31日，逾期作废，不折现。"),
        ("It keeps 3 days in the fridge.", "It keeps 3 days in the fridge and must not be frozen."),
        ("Smoking is not allowed on the balcony.", "Guests are not allowed to smoke on the balcony."),
        ("The dough cannot be frozen.", "The dough must not be frozen."),
    ],
)
def test_one_denial_in_other_words_or_of_something_else_takes_no_support_away(claim: str, evidence: str) -> None:
    assert bearing(claim, evidence)[1] == "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("出差可以提前申请。", "出差不必提前申请。"),  # may, and need not
        ("经批准可以删除生产数据。", "未经批准，任何人不能删除生产数据。"),  # under another condition
        ("Guests may smoke in the garden.", "Guests may not smoke except in the garden."),
        ("The charger may not shut down if it is hot.", "The charger may shut down if it is hot."),
    ],
)
def test_what_may_both_hold_is_neither(claim: str, evidence: str) -> None:
    assert bearing(claim, evidence)[1] == ""


async def test_a_text_held_against_rules_is_contradicted_by_those_that_forbid_it(
    base: AsyncKnowledgeCollection,
) -> None:
    await base.add(text="".join(evidence for _, evidence in OPPOSITES[:2]), name="规定.md")
    checked = await base.verify("".join(claim for claim, _ in OPPOSITES[:2]))
    assert [one.verdict for one in checked.sentences] == ["contradicted", "contradicted"]
    assert [one.evidence for one in checked.sentences] == [evidence for _, evidence in OPPOSITES[:2]]


@pytest.mark.parametrize(
    ("claim", "evidence", "verdict"),
    [
        ("上线日期是11月28日。", "上线日期由 11 月 28 日推迟到 12 月 12 日。", "contradicted"),
        ("上线日期是12月12日。", "上线日期由 11 月 28 日推迟到 12 月 12 日。", "supported"),
        ("上线日期由11月28日推迟到12月12日。", "上线日期由11月28日推迟到12月12日。", "supported"),
        ("例会在周三。", "例会由周三改到周五。", "contradicted"),
        (
            "The launch was moved to 28 November.",
            "The launch was moved from 28 November to 12 December.",
            "contradicted",
        ),
        ("气温是18℃。", "气温是-18℃。", "contradicted"),
        ("夜间最低气温是五度。", "夜间最低气温是零下五度。", "contradicted"),
        ("夜间最低气温是零下五度。", "夜间最低气温是零下五度。", "supported"),
        ("夜间最低气温是-5度。", "夜间最低气温是零下五度。", "supported"),
        ("The store is at 18 °C.", "The store is at minus 18 °C.", "contradicted"),
        ("Hotels in London are refunded up to 210 euros.", HOTELS, "supported"),
        ("Hotels in London are refunded up to 140 euros.", HOTELS, "contradicted"),
        ("Hotel costs are refunded up to 140 euros a night.", HOTELS, "supported"),
    ],
)
def test_a_claim_is_held_against_what_holds_now_and_in_its_case(claim: str, evidence: str, verdict: str) -> None:
    assert bearing(claim, evidence)[1] == verdict


@pytest.mark.parametrize(
    "said",
    [
        "State Road 585 (SR 585) is an about 3 mile-long, north–south highway in Tampa, Florida.",
        "分院二审判决林务局败诉，林务局终止契约确定为无效，从而契约关系仍存在，双方应继续履行契约标的。",
    ],
)
def test_the_first_clauses_of_a_sentence_are_supported_by_it(said: str) -> None:
    mark = "，" if "，" in said else ","
    assert bearing(said.rpartition(mark)[0] + said[-1], said)[1] == "supported"


def test_a_claim_of_which_each_word_stands_in_the_evidence_is_supported_wherever_its_words_are_cut() -> None:
    assert bearing("财务每周四打款。", "4. 财务每周四集中打款。")[1] == "supported"
    assert bearing("财务每周四打款。", "4. 财务每周五集中打款。")[1] == "contradicted"


async def test_a_cell_bears_out_a_claim_with_its_names_and_units_as_they_are_written(
    base: AsyncKnowledgeCollection,
) -> None:
    await base.add(text="| Room | Temperature |\n|---|---|\n| North | 18 °C |\n| South | 21 °C |\n", name="rooms.md")
    for claim, verdict in (("18 °C", "supported"), ("18 °c", "supported"), ("19 °C", "contradicted")):
        checked = await base.verify(f"The North room is at {claim}.")
        assert [one.verdict for one in checked.sentences] == [verdict], claim


async def test_a_cell_below_zero_bears_out_what_says_so(base: AsyncKnowledgeCollection) -> None:
    await base.add(text="| 冷库 | 温度 |\n|---|---|\n| 甲库 | -18℃ |\n| 乙库 | 4℃ |\n", name="冷库.md")
    for claim, verdict in (("甲库的温度是-18℃。", "supported"), ("甲库的温度是18℃。", "contradicted")):
        assert [one.verdict for one in (await base.verify(claim)).sentences] == [verdict]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ferry leaves at 04:45.", "The ferry leaves at 4:45 a.m."),
        ("The ferry leaves at 08:30.", "The ferry leaves at 8:30."),
        ("The ferry leaves at 21:00.", "The ferry leaves at 9 p.m."),
        ("The tour takes ninety minutes.", "The tour takes one hour and a half."),
        ("The tour takes seventy-five minutes.", "The tour takes 1 hour 15 minutes."),
        ("渡轮在08:30开船。", "渡轮在8:30开船。"),
        ("全程需要75分钟。", "全程需要1小时15分钟。"),
    ],
)
def test_one_time_in_two_writings_is_the_same(one: str, other: str) -> None:
    assert bearing(one, other)[1] == bearing(other, one)[1] == "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The ferry leaves at 08:30.", "The ferry leaves at 8:30 p.m."),
        ("The ferry leaves at 21:00.", "The ferry leaves at 9 a.m."),
        ("The tour takes 75 minutes.", "The tour takes 1 hour 20 minutes."),
    ],
)
def test_another_time_still_contradicts(claim: str, evidence: str) -> None:
    assert bearing(claim, evidence)[1] == "contradicted"


TWO_CLAUSES = [
    ("The pump is serviced daily, the fan is serviced weekly.", "The fan is serviced weekly.",
     "The pump is serviced weekly."),
    ("The north gate closes at five and the south gate closes at six.", "The south gate closes at six.",
     "The north gate closes at six."),
    ("Mia teaches chemistry, but Jon teaches physics.", "Jon teaches physics.", "Mia teaches physics."),
    ("Oslo has 9 branches, Bergen has 12 branches.", "Bergen has 12 branches.", "Oslo has 12 branches."),
    ("丙机每日检修一次，丁机每周检修一次。", "丁机每周检修一次。", "丙机每周检修一次。"),
    ("北门五点关闭，南门六点关闭。", "南门六点关闭。", "北门六点关闭。"),
    ("The motion was carried by 9 votes to 3.", "The motion was carried by 9 votes to 3.",
     "The motion was carried by 3 votes to 9."),
    ("赞成票9票对3票。", "赞成票9票对3票。", "赞成票3票对9票。"),
    ("Nils Berg, the former mayor of Torvik, lives in Bergen.", "Nils Berg was the mayor of Torvik.",
     "Nils Berg is the mayor of Torvik."),
    ("Ex-ambassador Tom Reed spoke of Chile.", "Tom Reed spoke of Chile.", "Tom Reed is the ambassador to Chile."),
    ("托维克前镇长尼尔斯住在卑尔根。", "尼尔斯是托维克前镇长。", "尼尔斯是托维克镇长。"),
]  # fmt: skip


@pytest.mark.parametrize(("evidence", "told", "mixed"), TWO_CLAUSES)
def test_what_mixes_the_subject_of_one_clause_with_what_another_says_is_not_supported(
    evidence: str, told: str, mixed: str
) -> None:
    assert bearing(told, evidence)[1] == "supported"
    assert bearing(mixed, evidence)[1] != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The north gate closes at five.", "The north gate closes at five and the south gate closes at six."),
        ("The alarm rings when the pump stops.", "When the pump stops, the alarm rings."),
        (
            "The museum was renovated in 1990.",
            "The museum was built in 1920, closed in 1980 and was renovated in 1990.",
        ),
        ("The company was sold in 1990.", "Nordan was founded in 1920, and the company was sold in 1990."),
        ("The pump and the fan are serviced weekly.", "The pump and the fan are serviced weekly, the belt monthly."),
        ("The mayor opened the bridge.", "The mayor opened the bridge, and the former mayor watched."),
        ("仓库每周盘点一次。", "仓库每周盘点一次，由李明负责。"),
    ],
)
def test_clauses_that_share_a_subject_or_belong_together_bear_a_claim_together(claim: str, evidence: str) -> None:
    assert bearing(claim, evidence)[1] == "supported"


LINES = "Line A runs at 5 bar, line B at 9 bar and line C at 3 bar."
CHAMBERS = "Chamber A is kept at -22 °C, chamber B at -18 °C and chamber C at +3 °C."


@pytest.mark.parametrize(
    ("document", "true", "untrue"),
    [
        (LINES, "Line A runs at 5 bar.", "Line A runs at 9 bar."),
        (LINES, "Line B runs at 9 bar.", "Line B runs at 5 bar."),
        (CHAMBERS, "Chamber C is kept at +3 °C.", "Chamber A is kept at -18 °C."),
        (
            "Building A was opened in 1998, building B in 2004.",
            "Building B was opened in 2004.",
            "Building A was opened in 2004.",
        ),
        (
            "The north gate closes at 18:00, the south gate at 20:00.",
            "The south gate closes at 20:00.",
            "The north gate closes at 20:00.",
        ),
        ("Oslo has 3 depots, Bergen 5 and Tromsø 2.", "Bergen has 5 depots.", "Oslo has 5 depots."),
        ("Level 1 is reviewed weekly; level 2 monthly.", "Level 2 is reviewed monthly.", "Level 2 is reviewed weekly."),
        ("Visitors pay 20 euros, residents 10 euros.", "Residents pay 10 euros.", "Visitors pay 10 euros."),
        (LINES, "Line A runs at 5 bar and line B at 9 bar.", "Line A runs at 9 bar and line B at 5 bar."),
        ("A线压力为5巴，B线9巴，C线3巴。", "C线压力为3巴。", "A线压力为9巴。"),
        ("1号泵每月保养一次，2号泵每季度一次。", "2号泵每季度保养一次。", "1号泵每季度保养一次。"),
        ("成人票80元，学生票40元。", "学生票40元。", "成人票40元。"),
        ("一号仓存放面粉，二号仓白糖。", "二号仓存放白糖。", "一号仓存放白糖。"),
        ("张伟负责一车间，李娜二车间。", "李娜负责二车间。", "张伟负责二车间。"),
    ],
)
async def test_what_is_told_of_several_things_with_one_verb_is_told_of_each_by_itself(
    base: AsyncKnowledgeCollection, document: str, true: str, untrue: str
) -> None:
    await base.add(text=document, name="plant.md")
    for claim, verdicts in ((true, {"supported"}), (untrue, {"contradicted", "not_mentioned"})):
        checked = await base.verify(claim)
        assert checked.sentences[0].verdict in verdicts, claim


@pytest.mark.parametrize(
    ("evidence", "claim"),
    [
        ("The museum has 3 halls, 2 shops and a café.", "The museum has 2 shops."),
        ("The pump needs oil, a new filter and 3 bolts.", "The pump needs a new filter."),
        ("Anna works in Oslo on Mondays and in Bergen on Fridays.", "Anna works in Bergen on Fridays."),
        ("Line A and line B run at 9 bar.", "Line A runs at 9 bar."),
        ("A线压力为5巴，温度20度，流量3升。", "A线流量3升。"),
        ("博物馆有3个展厅、2家商店。", "博物馆有2家商店。"),
    ],
)
def test_what_is_told_of_one_thing_alone_stays_told_of_it(evidence: str, claim: str) -> None:
    assert bearing(claim, evidence)[1] == "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [("Line A runs at 9 bar.", "Line B runs at 9 bar."), ("A线压力为9巴。", "B线压力为9巴。")],
)
def test_a_letter_tells_one_thing_from_another_though_it_is_also_an_article(claim: str, evidence: str) -> None:
    assert bearing(claim, evidence)[1] != "supported"
