from datetime import UTC, datetime

import pytest

from remanent.language.offline.comparison import DifferenceKind, compare
from remanent.language.offline.judgement import CONFLICT, Judgement, Statement, judge, judge_statements
from remanent.language.role import Toolbox
from tests.language.offline.judgement_cases import COMPATIBLE, CONFLICTS, LET_PASS

MAY = datetime(2025, 5, 1, tzinfo=UTC)
LATER = datetime(2025, 5, 20, tzinfo=UTC)


def judged(older: str, newer: str) -> Judgement:
    return judge(compare(Statement(older, MAY).read(), Statement(newer, LATER).read()))


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
    assert judge(compare(Statement(newer, LATER).read(), Statement(older, MAY).read())).conflict >= CONFLICT


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


def test_what_narrows_a_judgement_is_said() -> None:
    assert "another subject" in judged("Elena works at Siemens.", "Elena's husband works at Bosch.").because


async def test_many_pairs_are_judged_as_each_alone() -> None:
    pairs = [(Statement(older, MAY), Statement(newer, LATER)) for older, newer in CONFLICTS[:10]]
    together = await judge_statements(pairs, Toolbox())
    assert together == [judged(older, newer) for older, newer in CONFLICTS[:10]]
