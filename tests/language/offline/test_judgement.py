from datetime import UTC, datetime

import pytest

from remanent.language.offline.judgement import (
    CONFLICT,
    DatedStatement,
    DifferenceKind,
    Judgement,
    compare,
    contradictions,
    judge,
    judge_statements,
)
from remanent.language.role import Toolbox
from tests.language.offline.judgement_cases import COMPATIBLE, CONFLICTS, LET_PASS

MAY = datetime(2025, 5, 1, tzinfo=UTC)
LATER = datetime(2025, 5, 20, tzinfo=UTC)


def judged(older: str, newer: str) -> Judgement:
    return judge(compare(DatedStatement(older, MAY).read(), DatedStatement(newer, LATER).read()))


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
        ("Metallica is an American heavy metal band formed in Los Angeles, California.",
         "Metallica is an American heavy metal band based in San Rafael, California."),
        ("Metallica is an American heavy metal band from Los Angeles, California.",
         "Metallica is an American heavy metal band based in San Rafael, California."),
        ("David has also been nominated for 3 Canadian Screen Awards for his work on Rocket Monkeys.",
         "David has also been nominated for 2 ACTRA Awards for his work on Rocket Monkeys and Almost Naked Animals."),
        ("The tornado outbreak of May 1896 struck the southern United States.",
         "The tornado outbreak of May 1968 struck the southern United States."),
    ],
)  # fmt: skip
@pytest.mark.spec("USE-10")
def test_what_is_said_of_another_thing_or_of_none_is_no_conflict(one: str, other: str) -> None:
    assert judged(one, other).conflict < CONFLICT
    assert judged(other, one).conflict < CONFLICT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Engelbert Humperdinck (born Arnold George Dorsey; 2 May 1936) is an English pop singer.",
         "A newer report says that Engelbert Humperdinck is not an English pop singer."),
        ("The Lacy was first recognized in 2001 by the Texas Senate.",
         "Records show that the Lacy was first recognized in 2001 by the Aldous Grant."),
        ("Windy Hill has 20 wind turbines with a generating capacity of 12 MW of electricity.",
         "In fact, Windy Hill has 41 wind turbines with a generating capacity of 12 MW."),
        ("Simon & Simon is an American detective television series that originally ran from 1981 to 1989.",
         "Simon & Simon is an American detective television series that originally ran from 1975 to 1989."),
        ("谭望嵩，是一名中国足球运动员，司职边后卫，曾代表国奥队。", "实际上，谭望嵩，不是一名中国足球运动员。"),
        ("环湖步道全长4.2公里。", "据另一份资料，环湖步道全长4.8公里。"),
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
            "Hill is a town in New Hampshire.",
            "The population was 1,089.",
            "A newer report says that the population was 2,310.",
        ),
    ],
)
@pytest.mark.spec("USE-10")
def test_sentences_of_one_text_can_contradict_each_other(sentences: tuple[str, ...]) -> None:
    assert [later for later, _ in contradictions(sentences)] == [len(sentences) - 1]


async def test_many_pairs_are_judged_as_each_alone() -> None:
    pairs = [(DatedStatement(older, MAY), DatedStatement(newer, LATER)) for older, newer in CONFLICTS[:10]]
    together = await judge_statements(pairs, Toolbox())
    assert together == [judged(older, newer) for older, newer in CONFLICTS[:10]]


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    "sentences",
    [
        ["Mark King (musician).", "Mark King (born 20 October 1958) is an English musician.",
         'He won the "Outer Limits" award at the 2017 Progressive Music Awards.'],
        ["Carry On Cruising.",
         'Carry On Cruising is the sixth in the series of "Carry On" films to be made and was released in 1962.',
         'It was the first in the "Carry On" series to be filmed in colour.'],
        ["Myanmar Airways International.", "International services were added in 1950.",
         "International services were transferred to Myanmar Airways International, which was set up in 1993."],
        ["Oettinger Rockets.", "Oettinger Rockets is a German professional basketball team.",
         "The Rockets are the first team of the BiG Gotha basketball club."],
        ["Amri language.", "Because the Amri Kingdom is situated inside the Karbi Anglong district of Assam.",
         "But said language is spoken by peoples of Dumura Recho kingdom which is situated outside Karbi Anglong."],
        ["1976年9月，任吉林省邮电管理局邮政处负责人。", "1980年11月，任吉林省邮电管理局邮政处副处长。"],
        ["总杆数高于标准杆数一杆称为柏忌（Bogey）。", "总杆数高于标准杆数两杆称为双柏忌（Double Bogey）。"],
        ["是由九龙巴士营运的一条路线，提供兆康苑、富泰、景峰花园及华都花园往来荃湾及葵涌的巴士服务。",
         "是由九龙巴士营运的一条路线，提供兆康苑、屯门东北及华都花园往来长沙湾及旺角的巴士服务。"],
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
        ("新民校区位于南宁市中心区，占地面积70亩。", "新民校区位于南宁市中心区，占地面积68亩。"),
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
        (("The government reduced its shareholding to 51 percent and entered into a partnership with South African "
         "Airways."),
         ("In fact, the government reduced its shareholding to 39 percent and entered into a partnership with South "
         "African Airways.")),
        ("玉山箭竹为唯一以「玉山」当成属名的植物。", "玉山箭竹为唯一以「台湾」当成属名的植物。"),
        (
            "清风府院君金佑明和德恩府夫人宋氏之长女，朝鲜王朝第18代君主显宗的王妃，第19代君主肃宗的母亲。",
            "清风府院君金佑明和德恩府夫人张禧嫔之长女，朝鲜王朝第18代君主显宗的王妃，第19代君主肃宗的母亲。",
        ),
    ],
)  # fmt: skip
def test_a_sentence_said_again_with_another_value_is_a_conflict(older: str, newer: str) -> None:
    assert judged(older, newer).conflict >= CONFLICT
