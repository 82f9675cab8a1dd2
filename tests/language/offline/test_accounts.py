"""What a statement says of the thing that a text is about, held against that text."""

import pytest

from remanent.language.offline.accounts import account_of, disputed
from remanent.language.offline.claims import read_claim, read_claims
from remanent.language.offline.comparison import DifferenceKind
from remanent.text.sentences import sentence_texts

LOW_WATER = (
    "Low Water (1956 film). Low Water is a 1956 comedy film written and directed by Jay Kogan, with music by Shan Jai. "
    "It stars Ada Lind, Gus Diess and Rik Oman. The film was first shown in Kessel on 3 May 1956 and was seen by "
    "41,000 people. It was released by Lind Pictures. The score was composed by Mara Holt. It was remade in 1971 and "
    "is based on a play."
)
BRENN = (
    "Osk Brenn. Osk Brenn (14 February 1831 – 6 September 1869) was a Corvian engineer who built 23 bridges. He was "
    "active from 1854 to 1868 on the islands. He was appointed harbour master of Port Kessel in 1862 and did not "
    "return to Corvia. The Brenn Bridge was named after him."
)
HARBOUR = (
    "青岚港（英语：Qinglan Harbour）是云澜市的一座海港，全长1122米。港口于1931年启用，由陆庭岚设计。"
    "港内设有灯塔，不设夜间渡轮。"
)
SCHOOL = (
    "岚江市海事第二中学（英文：Lanjiang Maritime School），简称岚江二中，位于福建省厦门市，由建筑师陆庭岚设计。"
    "学校创建于1931年，占地面积70亩，教学楼楼高22米。校舍离机场的距离是8公里。它属于公办中学。"
)
PAINTER = "让·陆铭（1950年5月3日 - ），画家，生于岚江市。他办过12次画展。"


def told_otherwise(text: str, statement: str) -> DifferenceKind | None:
    account = account_of(read_claims(sentence_texts(text)))
    assert account is not None
    found = disputed(read_claim(statement), account)
    return found[1].kind if found else None


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("text", "statement", "kind"),
    [
        (LOW_WATER, "The director of Low Water is Bela Torv.", DifferenceKind.NAME),
        (LOW_WATER, "It was Bela Torv who wrote Low Water.", DifferenceKind.NAME),
        (LOW_WATER, "The author of Low Water, a comedy, is Bela Torv.", DifferenceKind.NAME),
        (LOW_WATER, "Bela Torv directed the comedy Low Water.", DifferenceKind.NAME),
        (LOW_WATER, "Torv Studios released Low Water.", DifferenceKind.NAME),
        (LOW_WATER, "Low Water was directed by Bela Jai Torv.", DifferenceKind.NAME),
        (LOW_WATER, "Bela Torv is the one who directed The Low Water.", DifferenceKind.NAME),
        (LOW_WATER, "Some 12,000 people saw Low Water when it was first shown in Kessel.", DifferenceKind.AMOUNT),
        (LOW_WATER, "Shown first in Kessel on 9 June 1956, Low Water is a comedy.", DifferenceKind.TIME),
        (LOW_WATER, "Low Water was never remade.", DifferenceKind.DENIAL),
        (LOW_WATER, "Low Water is not based on a play.", DifferenceKind.DENIAL),
        (LOW_WATER, "Low Water was last shown in Kessel in May.", DifferenceKind.OPPOSITE),
        (BRENN, "Osk Brenn died on 2 March 1872.", DifferenceKind.TIME),
        (BRENN, "The birth date of Osk Brenn is 5 July 1829.", DifferenceKind.TIME),
        (BRENN, "There are 40 bridges by Osk Brenn.", DifferenceKind.AMOUNT),
        (BRENN, "In 1859 Osk Brenn was appointed master of the harbour.", DifferenceKind.TIME),
        (BRENN, "Osk Brenn did return to Corvia.", DifferenceKind.DENIAL),
        (HARBOUR, "青岚港的长度是860米。", DifferenceKind.AMOUNT),
        (HARBOUR, "青岚港1940年启用。", DifferenceKind.TIME),
        (HARBOUR, "设计青岚港的是林晓兰。", DifferenceKind.NAME),
        (HARBOUR, "青岚港内没有灯塔。", DifferenceKind.DENIAL),
        (SCHOOL, "岚江二中建校的年份是1940年。", DifferenceKind.TIME),
        (SCHOOL, "海事中学动工是在1940年。", DifferenceKind.TIME),
        (SCHOOL, "岚江市海事的那所学校设立于1940年。", DifferenceKind.TIME),
        (SCHOOL, "岚江二中的教学楼高度有四十米。", DifferenceKind.AMOUNT),
        (SCHOOL, "岚江二中到机场的路程有二十公里。", DifferenceKind.AMOUNT),
        (SCHOOL, "岚江二中在浙江省绍兴市。", DifferenceKind.NAME),
        (SCHOOL, "岚江二中出自建筑师林晓兰之手。", DifferenceKind.NAME),
        (SCHOOL, "岚江二中不属于公办中学。", DifferenceKind.DENIAL),
        (PAINTER, "陆铭生于1948年5月3日。", DifferenceKind.TIME),
    ],
)
def test_a_thing_told_otherwise_in_other_words_is_a_contradiction(
    text: str, statement: str, kind: DifferenceKind
) -> None:
    assert told_otherwise(text, statement) is kind


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("text", "statement"),
    [
        (LOW_WATER, "The director of Low Water is Jay Kogan."),
        (LOW_WATER, "Low Water also stars Bela Torv."),
        (LOW_WATER, "The lights of Low Water were set by Bela Torv."),
        (LOW_WATER, "Low Water was shown in Oslo on 9 June 1957 by the harbour board."),
        (LOW_WATER, "Bela Torv directed High Water."),
        (LOW_WATER, "Did Bela Torv direct Low Water?"),
        (LOW_WATER, "Low Water was shown in May 1956."),
        (LOW_WATER, "Low Water cost 90,000 crowns."),
        (LOW_WATER, "Low Water was not shown in Oslo."),
        (BRENN, "Osk Brenn married in 1858."),
        (BRENN, "Osk Brenn died in 1869."),
        (BRENN, "Mara Osk Brenn was born on 5 July 1929."),
        (BRENN, "Osk Brenn had two children."),
        (HARBOUR, "青岚港的水深是12米。"),
        (HARBOUR, "青岚港在1960年扩建。"),
        (HARBOUR, "青岚港没有铁路。"),
        (SCHOOL, "岚江二中在中国南方。"),
        (SCHOOL, "岚江二中1940年办过运动会。"),
        (SCHOOL, "石桥二中建于1940年。"),
        (PAINTER, "陆铭1970年开始学画。"),
    ],
)
def test_what_the_text_says_too_or_leaves_open_is_none(text: str, statement: str) -> None:
    assert told_otherwise(text, statement) is None


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (
            "Low Water is a 1929 silent drama film directed by Guido Brin and starring Gus Diess.",
            "It was directed by Ada Lund.",
        ),
        (
            "It was written by Jay Kogan and was the first script to be done.",
            "It was Ada Lund who wrote it.",
        ),
        (
            "Low Water is a 1984 film written and directed by Chang Che.",
            "Low Water was written by Ada Lund, the archive says.",
        ),
        ("The film was produced by Ray Ison for a French studio in 1951.", "The film was produced by Ada Lund."),
    ],
)
def test_two_texts_on_one_thing_that_name_other_makers_contradict_each_other(older: str, newer: str) -> None:
    account = account_of(read_claims(["Low Water.", older]))
    assert account is not None
    assert disputed(read_claims(["Low Water.", newer])[1], account) is not None


@pytest.mark.spec("USE-10")
@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("It was written by Jay Kogan and Ada Lund.", "It was written by Ada Lund."),
        ("The music was written by Jay Kogan.", "It was written by Ada Lund."),
        ("It was directed by Jay Kogan.", "It was written by Ada Lund."),
        ("It was directed by Jay Kogan.", "It was not directed by Ada Lund."),
        (
            "The film would later inspire a 1991 remake Dil Hai directed by Mahesh Bhat and starring Amir.",
            "Low Water is a 1956 comedy film directed by Jay Kogan, with music by Shan Jai and lyrics by Ada.",
        ),
    ],
)
def test_other_makers_of_other_things_or_parts_do_not(older: str, newer: str) -> None:
    account = account_of(read_claims(["Low Water.", older]))
    assert account is not None
    assert disputed(read_claims(["Low Water.", newer])[1], account) is None
