from datetime import UTC, datetime

import pytest

from remanent.language.offline.claims import read_claims
from remanent.language.offline.comparison import DifferenceKind, compare
from remanent.language.offline.judgement import (
    CONFLICT,
    DatedStatement,
    Judgement,
    contradictions,
    judge,
    judge_statements,
)
from tests.language.offline.judgement_cases import COMPATIBLE, CONFLICTS, LET_PASS

MAY = datetime(2025, 5, 1, tzinfo=UTC)
LATER = datetime(2025, 5, 20, tzinfo=UTC)


def judged(older: str, newer: str) -> Judgement:
    return judge_statements(DatedStatement(older, MAY), DatedStatement(newer, LATER))


@pytest.mark.parametrize(("older", "newer"), CONFLICTS)
def test_what_cannot_both_hold_is_a_conflict(older: str, newer: str) -> None:
    assert judged(older, newer).conflict >= CONFLICT


@pytest.mark.parametrize(("older", "newer"), COMPATIBLE)
def test_what_can_both_hold_is_none(older: str, newer: str) -> None:
    assert judged(older, newer).conflict < CONFLICT


@pytest.mark.parametrize(("older", "newer"), LET_PASS)
def test_a_conflict_that_no_word_gives_away_is_let_pass(older: str, newer: str) -> None:
    assert judged(older, newer).conflict < CONFLICT


@pytest.mark.parametrize(("older", "newer"), CONFLICTS)
def test_the_order_of_two_claims_does_not_matter(older: str, newer: str) -> None:
    assert judge(compare(DatedStatement(newer, LATER).read(), DatedStatement(older, MAY).read())).conflict >= CONFLICT


@pytest.mark.parametrize("text", sorted({text for pair in (*CONFLICTS, *COMPATIBLE) for text in pair}))
def test_nothing_contradicts_itself(text: str) -> None:
    assert judged(text, text).conflict < CONFLICT


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("Sam drinks alcohol.", "Sam doesn't drink alcohol.", DifferenceKind.DENIAL),
        ("The backup failed.", "The backup succeeded.", DifferenceKind.OPPOSITE),
        ("The car is red.", "The car is blue.", DifferenceKind.GROUP),
        ("The car costs 900 euros.", "The car costs 1,200 euros.", DifferenceKind.AMOUNT),
        ("The exam is on 3 June.", "The exam is on 9 June.", DifferenceKind.TIME),
        ("The director is Anna Kern.", "The director is Paul Lund.", DifferenceKind.NAME),
        ("她最喜欢的菜是火锅。", "她最喜欢的菜是烤鸭。", DifferenceKind.WORD),
    ],
)
def test_it_says_in_what_two_claims_differ(older: str, newer: str, kind: DifferenceKind) -> None:
    assert judged(older, newer).kind is kind


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ada lives in Berlin.", "Ada moved from Berlin to Lisbon."),
        ("We use Slack.", "We no longer use Slack."),
        ("小王住在北京。", "小王从北京搬到了上海。"),
    ],
)
def test_a_change_is_told_from_a_contradiction(older: str, newer: str) -> None:
    judgement = judged(older, newer)
    assert judgement.conflict >= CONFLICT
    assert judgement.is_update


def test_a_plain_contradiction_is_no_change() -> None:
    assert not judged("Ada lives in Berlin.", "Ada lives in Lisbon.").is_update


def test_languages_are_not_compared() -> None:
    assert judged("Ada lives in Berlin.", "小王住在上海。").conflict == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Schubert abandoned the C major sonata.", "Flute Sonata in C major, BWV 1033."),
        ("Elena works at Siemens.", "Elena's husband works at Bosch."),
        ("A blog says 3,298.", "Mount Kelt is 3,412 metres high."),
        ("Ironlarch is a Canadian doom metal band formed in Port Kessel, Ardania.",
         "Ironlarch is a Canadian doom metal band based in San Mirello, Ardania."),
        ("Ironlarch is a Canadian doom metal band from Port Kessel, Ardania.",
         "Ironlarch is a Canadian doom metal band based in San Mirello, Ardania."),
        ("Oskar has also been shortlisted for 3 Corvian Stage Medals for his work on Paper Comets.",
         "Oskar has also been shortlisted for 2 HALDO Medals for his work on Paper Comets and Mostly Sleepy Robots."),
        ("The hailstorm swarm of June 1874 struck the northern Corvian States.",
         "The hailstorm swarm of June 1947 struck the northern Corvian States."),
        ("Faction heads of the Corvian Council are elected by the mayor.",
         "Faction heads of the Corvian Chamber are elected by the members."),
        ("Faction heads of the City Council meet weekly with the mayor in the town hall.",
         "Faction heads of the City Chamber meet monthly with the mayor in the town hall."),
    ],
)  # fmt: skip
@pytest.mark.spec("USE-10")
def test_what_is_said_of_another_thing_or_of_none_is_no_conflict(one: str, other: str) -> None:
    assert judged(one, other).conflict < CONFLICT
    assert judged(other, one).conflict < CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lambert Vossington (born Edwin Harold Pryle; 7 June 1941) is a Scottish folk singer.",
         "A newer report says that Lambert Vossington is not a Scottish folk singer."),
        ("The Brindle was first registered in 1994 by the Ardania Assembly.",
         "Records show that the Brindle was first registered in 1994 by the Tobias Wrenn."),
        ("Gusty Moor has 30 solar towers with a peak output of 18 MW of electricity.",
         "In fact, Gusty Moor has 47 solar towers with a peak output of 18 MW."),
        ("Porter & Porter is a Canadian courtroom radio drama that originally aired from 1972 to 1978.",
         "Porter & Porter is a Canadian courtroom radio drama that originally aired from 1966 to 1978."),
        ("陆庭岚，是一名挪威排球运动员，司职自由人，曾代表青年队。", "实际上，陆庭岚，不是一名挪威排球运动员。"),
        ("环湖步道全长4.2公里。", "据另一份资料，环湖步道全长4.8公里。"),
        ("岚溪郡是位于北岛东北部的一个行政区。", "网友指出岚溪郡是位于北岛东南部的一个行政区。"),
    ],
)  # fmt: skip
@pytest.mark.spec("USE-10")
def test_a_second_source_that_says_otherwise_in_other_words_is_a_conflict(one: str, other: str) -> None:
    assert judged(one, other).conflict >= CONFLICT
    assert judged(other, one).conflict >= CONFLICT


@pytest.mark.parametrize(
    "sentences",
    [
        ("Mount Kelt is 3,412 metres high.", "It is in Norway.", "A blog says 3,298."),
        ("Mount Kelt is 3,412 metres high.", "A blog says\n3,298."),
        ("环湖步道去年开放。", "步道全长4.2公里。", "有报道称，步道全长4.8公里。"),
        (
            "Mill is a town in New Corvia.",
            "The population was 1,247.",
            "A newer report says that the population was 2,310.",
        ),
    ],
)
@pytest.mark.spec("USE-10")
def test_sentences_of_one_text_can_contradict_each_other(sentences: tuple[str, ...]) -> None:
    assert [later for later, _ in contradictions(sentences)] == [len(sentences) - 1]


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    "sentences",
    [
        ["Emlyn Prior (guitarist).", "Emlyn Prior (born 11 March 1962) is a Welsh guitarist.",
         'He won the "Far Horizons" prize at the 2014 Ambient Sound Prizes.'],
        ["Hurry Up Sailing.",
         'Hurry Up Sailing is the fourth in the series of "Hurry Up" comedies to be shot and was premiered in 1957.',
         'It was the first in the "Hurry Up" series to be recorded in stereo.'],
        ["Corvia Ferries Overseas.", "Overseas sailings were added in 1957.",
         "Overseas sailings were transferred to Corvia Ferries Overseas, which was founded in 1988."],
        ["Haldenauer Comets.", "Haldenauer Comets is a Danish professional handball team.",
         "The Comets are the first team of the KoV Brunnau handball club."],
        ["Tovi language.", "Because the Tovi Chiefdom is located inside the Nerra Sulong province of Keldia.",
         "But said language is understood by clans of Bemola Lecho chiefdom which is located outside Nerra Sulong."],
        ["Osk Ben-lo Memorial Song.",
         "The Osk Ben-lo Memorial Song was written shortly after Republic of Corvia President Osk Ben-lo died in 1988.",
         "Osk Ben-lo was the son of the late President Osk Kai-lo."],
        ["1983年5月，任青岚省水文勘测局档案科负责人。", "1987年12月，任青岚省水文勘测局档案科副科长。"],
        ["总环数多于基准环数一环称为飞羽（Feather）。", "总环数多于基准环数两环称为双飞羽（Double Feather）。"],
        ["是由云澜电车经营的一条线路，提供青柏苑、和禾、松涛花园及丽湖花园往来鹭湾及竹涌的电车服务。",
         "是由云澜电车经营的一条线路，提供青柏苑、河门西北及丽湖花园往来白石湾及桐角的电车服务。"],
    ],
)  # fmt: skip
def test_who_tells_two_things_of_one_does_not_contradict_himself(sentences: list[str]) -> None:
    assert contradictions(sentences) == []


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Mount Kelt is 3,412 metres high.", "A blog says 3,298."),
        ("The bridge was finished in 1931 by the county.", "The bridge was finished in 1934 by the county."),
        ("丹桂校区坐落于云澜市老城区，占地面积54亩。", "丹桂校区坐落于云澜市老城区，占地面积52亩。"),
        ("这条步道全长4.2公里。", "另一份资料称，这条步道全长4.8公里。"),
    ],
)
def test_what_another_says_or_what_comes_again_with_another_value_contradicts_inside_a_text(
    first: str, second: str
) -> None:
    assert contradictions([first, second]) == [(1, 0)]


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The ministry lowered its holding to 62 percent and went into an alliance with North Ardanian Ferries.",
         ("In fact, the ministry lowered its holding to 45 percent and went into an alliance with North Ardanian "
         "Ferries.")),
        ("青岚石斛为唯一以「青岚」当作属名的花卉。", "青岚石斛为唯一以「白鹭」当作属名的花卉。"),
        (
            "云溪府伯爵陆怀章和静安府夫人沈氏之次女，南岚王国第17代国君昭宗的王后，第18代国君睿宗的母亲。",
            "云溪府伯爵陆怀章和静安府夫人柳如莺之次女，南岚王国第17代国君昭宗的王后，第18代国君睿宗的母亲。",
        ),
    ],
)  # fmt: skip
def test_a_sentence_said_again_with_another_value_is_a_conflict(older: str, newer: str) -> None:
    assert judged(older, newer).conflict >= CONFLICT


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Corvia Ferries was sold in March 1996 by the harbour board to Lind Publications, with offices in Kessel.",
         "Historians now agree that Corvia Ferries was sold in March 1993 by the harbour board to Lind Publications."),
        ("The team was established as the Kessel Comets, an expansion team originally based in Port Kessel, in 1967.",
         "In 1965, the team was set up as the Kessel Comets, an expansion team originally based in Port Kessel."),
        ("In July 2011, the Corvian Council announced the return of the summer tournament.",
         "It is often said that in July 2009, the Corvian Council announced the return of the summer tournament."),
        ("The Comets have won two league championships and four Western Conference titles.",
         "It is not true that the Comets have won two league championships and four Western Conference titles."),
        ("Kessel International Airport is the largest airport in Corvia and serves the northern islands.",
         "Correction: Kessel International Airport is the smallest airport in Corvia and serves the northern islands."),
        ("The 20 busiest airports in Corvia handled most of the passengers of the islands.",
         "Sources indicate that the sixteen busiest airports in Corvia handled most of the passengers of the islands."),
        ("基督书院位于云澜市老城区伍德大道，兴建于1889年，当时是第一教堂。",
         "档案记载，基督书院位于云澜市老城区伍德大道，兴建于1886年。"),
        ("1994年，陆庭岚出任青岚市委书记助理，步入政界。", "据考证，1996年，陆庭岚出任青岚市委书记助理。"),
        ("青岚石斛分布在澳洲南部岛屿及西岸地区。", "网上有人说，青岚石斛分布在澳洲北部岛屿及西岸地区。"),
    ],
)  # fmt: skip
def test_who_is_quoted_and_what_stands_first_hides_no_contradiction(older: str, newer: str) -> None:
    assert judged(older, newer).conflict >= CONFLICT
    assert judged(newer, older).conflict >= CONFLICT


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Route 31 is a highway in the north of Corvia.", "Route 33 is a highway in the north of Corvia."),
        ("The second battalion left Kessel in May by ship.", "The third battalion left Kessel in May by ship."),
        ("The user wants answers without emojis.", "The user doesn't want emojis in answers."),
        ("We will not ship on Friday unless the tests pass.", "We ship on Friday only if the tests pass."),
        ("Before the merger, my roommate goes to work by car.", "After the merger, my roommate goes to work by bike."),
        ("Osk Brenn was the son of the late President Osk Lind-Hall.",
         "The Osk Brenn Memorial Song was written shortly after Republic of Corvia President Osk Brenn died in 1988."),
        ("As of January 2015, these three states contain 45% of all Corvian mills and 59% of all Corvian milling.",
         "As of January 2015, there were 137 operating mills in Corvia, distributed among 30 states."),
        ("花架中过不相邻的两条横梁的木板叫做花架的斜撑板。", "花架中两个木板的公共边叫做花架横梁。"),
    ],
)  # fmt: skip
def test_a_sentence_like_another_that_speaks_of_another_thing_or_case_is_no_conflict(older: str, newer: str) -> None:
    assert judged(older, newer).conflict < CONFLICT
    assert judged(newer, older).conflict < CONFLICT


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("told", "names", "is_conflict"),
    [
        ("Many hikers rest near {} Bridge to see the valley.", ("Aster", "Harrow"), False),
        ("Volunteers look after the rooms of the {} Museum.", ("Clock", "Glass"), False),
        ("Cold winters make the hills of {} a quiet place.", ("Velden", "Tarn"), False),
        ("Snow can close the road to the {} station for days.", ("Ysgard", "Pella"), False),
        ("深秋的早晨，{}大桥常常笼罩在雾里。", ("听涛", "长岭"), False),
        ("The volunteers met the mayor in the {} Museum on Sunday.", ("Clock", "Glass"), True),
        ("Scientists found the bones of the bird in {}.", ("Kenya", "Peru"), True),
        ("He was born in May 1920 in {} as a son of a baker.", ("Berlin", "Paris"), True),
        ("Settlers founded the oldest port of the coast at {}.", ("Velden", "Tarn"), True),
    ],
)
def test_of_what_any_of_many_do_or_what_happens_often_several_hold(
    told: str, names: tuple[str, str], is_conflict: bool
) -> None:
    older, newer = (told.format(name) for name in names)
    assert (judged(older, newer).conflict >= CONFLICT) is is_conflict


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("older", "newer", "is_conflict"),
    [
        ("Norling Mills employs 410 people.", "Norling Mills has 1,900 employees.", True),
        ("Norling Mills employs 410 people.", "Norling Mills has an annual revenue of 30 million euros.", False),
        ("Norling Mills employs 410 people.", "Norling Mills has existed since 1991.", False),
        ("The Tarn hut stands at an altitude of 2,140 metres.", "The Tarn hut lies 2,140 metres above the sea.", False),
        ("The hall holds 640 people.", "The hall holds 300 people.", True),
        ("Three men are sitting on a bench.", "Three men are standing on a bench.", True),
    ],
)
def test_amounts_contradict_where_they_count_the_same(older: str, newer: str, is_conflict: bool) -> None:
    assert (judged(older, newer).conflict >= CONFLICT) is is_conflict


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            ["From a blog about the Tarn station:", "Visitors like its garden.", "The Tarn station employs 62 people."],
            [
                "From a yearbook on the Tarn station:",
                "Its mirror has 2.4 metres.",
                "The Tarn station employs 35 people.",
            ],
        ),
        (
            ["旅游杂志介绍青禾食品：", "青禾食品总部设在长沙。", "青禾食品始建于1987年。"],
            ["一篇关于青禾食品的博客：", "青禾食品年收入为8.5亿元。", "青禾食品始建于1975年。"],
        ),
    ],
)
def test_whose_words_follow_is_not_what_they_are_about(one: list[str], other: list[str]) -> None:
    first, second = read_claims(one)[-1], read_claims(other)[-1]
    assert judge(compare(first, second)).conflict >= CONFLICT


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("one", "other", "is_conflict"),
    [
        # A heading that names a document is not what stands under it is about,
        (["甲报告。", "老宅建于1877年。"], ["乙报告。", "老宅建于1923年。"], True),
        (["Report A.", "The mill was built in 1877."], ["Report B.", "The mill was built in 1923."], True),
        (
            ["项目周报（研发部）。", "星河项目计划于12月15日上线。"],
            ["供应商会议纪要。", "星河项目计划于1月20日上线。"],
            True,
        ),
        (["新华网。", "昨日化工厂爆炸造成12人死亡。"], ["当地论坛。", "昨日化工厂爆炸造成19人死亡。"], True),
        (["新华网。", "化工厂爆炸造成12人死亡。"], ["当地论坛。", "化工厂爆炸造成30人受伤。"], False),
        (["Report A.", "The storm killed 12 people."], ["Report B.", "The storm injured 30 people."], False),
        # unless it says of what, or the document is of whom nothing else is said;
        (["一号楼施工日志。", "外墙完成80%。"], ["二号楼施工日志。", "外墙完成60%。"], False),
        (["研发部周报。", "员工30人。"], ["财务部周报。", "员工12人。"], False),
        (["Sales team report.", "Headcount is 14."], ["Support team report.", "Headcount is 22."], False),
        # its year is that of what may change,
        (["2024年报。", "公司员工3200人。"], ["2025年报。", "公司员工3500人。"], False),
        (
            ["启明公司2024年年度报告。", "截至年末，公司员工3200人。"],
            ["启明公司2025年年度报告。", "截至年末，公司员工3500人。"],
            False,
        ),
        (["一季度报告。", "公司新增客户120家。"], ["二季度报告。", "公司新增客户95家。"], False),
        (["Q1 report.", "The shop sold 1,200 bikes."], ["Q2 report.", "The shop sold 1,450 bikes."], False),
        (["2024年报。", "公司成立于1998年。"], ["2025年报。", "公司成立于2001年。"], True),
        # and a dose is one per something.
        (["处方。", "二甲双胍每次0.5克。"], ["护理记录。", "二甲双胍每次1克。"], True),
        (["处方。", "二甲双胍每次0.5克。"], ["护理记录。", "二甲双胍每日1.5克。"], False),
        (["Prescription.", "Metformin 500 mg per dose."], ["Nursing record.", "Metformin 1000 mg per dose."], True),
        (["Prescription.", "Metformin 500 mg per dose."], ["Nursing record.", "Metformin 1500 mg per day."], False),
    ],
)
def test_a_heading_says_of_what_and_of_when_a_document_tells(
    one: list[str], other: list[str], is_conflict: bool
) -> None:
    first, second = read_claims(one), read_claims(other)
    assert (judge(compare(first[-1], second[-1])).conflict >= CONFLICT) is is_conflict
    assert judge(compare(first[0], second[0])).conflict < CONFLICT


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("one", "other", "is_conflict"),
    [
        ("张建国，对青霉素过敏。", "张建国，无药物过敏史。", True),
        ("患者对阿司匹林过敏。", "患者否认药物过敏史。", True),
        ("张建国，对花粉过敏。", "张建国，无药物过敏史。", False),
        ("周海，对芒果不过敏。", "周海，有食物过敏史。", False),
        ("小陈养了一只猫。", "小陈没有养宠物。", True),
        ("Jane Doe is allergic to penicillin.", "Jane Doe has no drug allergies.", True),
        ("Jane Doe is allergic to peanuts.", "Jane Doe has no drug allergies.", False),
        ("Mrs Lane has a cat.", "Mrs Lane has no pets.", True),
        ("Mrs Lane has a son.", "Mrs Lane has no pets.", False),
    ],
)
def test_whoever_denies_a_class_of_things_denies_each_of_them(one: str, other: str, is_conflict: bool) -> None:
    assert (judged(one, other).conflict >= CONFLICT) is is_conflict
    assert (judged(other, one).conflict >= CONFLICT) is is_conflict


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("我骑电动车去学校。", "我以前骑电动车去学校，现在坐地铁。"),
        ("我的猫叫雪球。", "我把猫的名字从雪球改成了芝麻。"),
        ("我是当司机的。", "我以前是司机，如今是厨师。"),
        ("我每月房租要付3100元。", "我每月的房租从3100元涨到了3600元。"),
        ("报告最晚9月2日提交。", "报告的截止日期现在是9月20日，不是9月2日。"),
        ("我的工作是司机。", "我从司机转行做了记者。"),
        ("我是一名记者。", "我辞去了记者的工作，现在的职业是会计。"),
        ("我家在合肥，我就住在那里。", "我搬家了，现在住烟台，不住合肥了。"),
        ("我家的猫名叫雪球。", "我的猫改名叫芝麻了。"),
        ("My monthly fee is 1500 dollars.", "My monthly fee went up from 1500 to 1850 dollars."),
        ("The name of my cat is Pepper.", "My cat used to be called Pepper, but my cat is called Olive now."),
        ("I earn my living as a plumber.", "I quit my job as a plumber and work as a dentist now."),
        ("I earn my living as a plumber.", "I used to be a plumber; now I am a farmer."),
    ],
)
def test_a_change_that_tells_what_was_and_what_is_replaces_what_was(older: str, newer: str) -> None:
    judgement = judged(older, newer)
    assert judgement.conflict >= CONFLICT
    assert judgement.is_update


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("科技馆的所在地是大连。", "科技馆坐落在烟台。"),
        ("跨江大桥的通车时间是1992年。", "1998年，跨江大桥正式通车。"),
        ("北山站的站长是方志恒。", "秦雨桐是北山站的站长。"),
        ("Kell Motors is led by its chief executive Ann Ross.", "Otto Lind is the chief executive of Kell Motors."),
        ("Otto Lind runs Kell Motors as chief executive.", "The chief executive of Kell Motors is Ann Ross."),
        (
            "Every year 31,000 people visit the Salt Museum.",
            "The number of visitors to the Salt Museum is 52,000 a year.",
        ),
        ("The Salt Museum stands in Turin.", "The seat of the Salt Museum is Bergen."),
        ("The mill began its work in 1971.", "The mill has been at work since 1984."),
    ],
)
def test_one_fact_in_two_wordings_with_two_values_is_a_conflict(older: str, newer: str) -> None:
    assert judged(older, newer).conflict >= CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("My home is in Osaka.", "I earn my living as a pilot."),
        ("My living room is blue.", "I have been living in Porto."),
        ("我每天坐班车去公司上班。", "我的工作是护士。"),
        ("我家的狗名叫旺财。", "我家在哈尔滨。"),
        ("飞隼机器人的总经理是顾明川。", "飞隼机器人雇用了1150名员工。"),
        ("飞隼机器人为客户出版一本杂志。", "飞隼机器人的总部所在地是苏州。"),
        ("Ann Ross runs Kell Motors as chief executive.", "Ann Ross runs Lind Paper as chief executive."),
        ("韩松涛担任北原观测站站长。", "韩松涛担任雪峰观测站站长。"),
        ("The Kell observatory stands at an altitude of 2,240 metres.",
         "The Kell observatory has a main mirror of 6.5 metres."),
        ("The headquarters of Brastad Shipping are in Lyon.",
         "Brastad Shipping publishes a magazine for its customers."),
        ("The Kell observatory has been at work since 1996.", "The road to the Kell observatory is narrow and steep."),
    ],
)  # fmt: skip
def test_two_facts_of_one_thing_are_no_conflict(one: str, other: str) -> None:
    assert judged(one, other).conflict < CONFLICT


@pytest.mark.parametrize(
    ("talk", "is_conflict"),
    [
        (["用户：我给狗取名叫汤圆。", "助手：听到名字时大声重复一遍。"], False),
        (["user: I live in Porto.", "assistant: I live in the cloud."], False),
        (["user: The meeting is at 5 pm.", "assistant: The meeting is at 6 pm."], True),
        (["user: I commute by car.", "user: I no longer commute by car, I commute by bike now."], True),
    ],
)
def test_in_a_talk_each_speaks_of_themselves(talk: list[str], is_conflict: bool) -> None:
    one, other = read_claims(talk)
    assert {one.title, other.title} == {frozenset()}
    assert (judge(compare(other, one)).conflict >= CONFLICT) is is_conflict


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("创新研讨会的地点是广东广州。", "记者能力营的地点是上海。"),
        ("周雨晴是我的同事，其年龄是39岁。", "孙志宏是我的同事，其年龄是39岁。"),
        ("王思琪是我的上司，其家乡是天津。", "王思琪是我的上司，其生日是12月10日。"),
        ("王思琪是我的上司，其家乡是天津。", "王思琪是我的上司，其单位名称是上海先锋集团。"),
        ("王思琪的名字就是王思琪。", "我表妹的名字叫李婷婷。"),
        ("我叔叔的邮箱是liu0913@example.com。", "我叔叔是警队的队长。"),
        ("我表妹叫李婷婷。", "我的表妹学历是硕士。"),
        ("我上司挺喜欢骑自行车的。", "我的上司是做银行柜员的。"),
        ("我的上司名叫王思琪。", "我的上司在深圳上班呢。"),
        ("我将要参加的读书会，它的规模是一百人。", "我将要参加的模型艺术展，它的规模是九百人。"),
        ("Thanks, Caroline, for letting me join your journey.",
         "I'm starting to realize that self-care is really important."),
        ("A friend made it for my 18th birthday ten years ago.",
         "It made me see how far I've come since I started three years ago."),
        ("You found the perfect spot for your store.", "Whoa, your store looks great!"),
        ("Ann is my colleague.", "Bob is my colleague."),
        ("from flask import Flask, request from flask_argon2 import Argon2",
         "from flask import Flask, request from flask_login import Login"),
        (r"The area is \frac{1}{2} \times 60 cm.", r"The area is \frac{1}{2} \times 10 \times 6 cm."),
        ("The chance of not drawing an ace on the first draw:", "The chance of drawing an ace on the first draw:"),
    ],
)  # fmt: skip
def test_what_people_say_in_real_talks_of_two_matters_is_no_conflict(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        claims = read_claims([f"user: {first}", "assistant: OK.", f"user: {second}"])
        assert judge(compare(claims[2], claims[0])).conflict < CONFLICT
        assert judged(first, second).conflict < CONFLICT


def test_a_speaker_may_tell_a_change_inside_a_talk() -> None:
    talk = ["user: I commute by car.", "assistant: Fine.", "user: I no longer commute by car, I commute by bike now."]
    assert contradictions(talk) == [(2, 0)]
