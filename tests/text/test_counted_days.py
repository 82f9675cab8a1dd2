"""Days that are counted from now by weekdays and weeks: the right one, or none."""

import re
from datetime import UTC, datetime

import pytest

from remanent.text.dates import find_dates
from remanent.text.dates_chinese import COMING

WEDNESDAY = datetime(2026, 3, 18, 12, tzinfo=UTC)
COUNTED = """I saw her the Sunday before last.|2026-03-08
I saw her last Sunday.|2026-03-15
We met two Fridays ago.|2026-03-06
We meet the Friday after next.|2026-03-27
It starts a week on Friday.|2026-03-27
It starts two weeks from Monday.|2026-04-06
The course begins Friday week.|2026-03-27
We fly three weeks from now.|2026-04-06
We fly in a fortnight.|2026-03-30
We met a fortnight ago.|2026-03-02
They came two weeks ago on Tuesday.|2026-03-03
再过两周考试。|2026-03-30
过三个月就毕业了。|2026-06-01
上上周三见过他。|2026-03-04
上上上周三见过他。|2026-02-25
下下下周一开会。|2026-04-06
大后天出发。|2026-03-21
大大后天出发。|2026-03-22
下下个月结婚。|2026-05-01
两周前的周五见过他。|2026-03-06
半个月后搬家。|2026-03-30
大后年退休。|2029-01-01"""
NONE = """我们不过两天没见。
超过三周没消息。
她看过三个月的书。
上上下下都知道。
大上周我去了。
A week on the beach was fine."""


@pytest.mark.parametrize("line", COUNTED.split("\n"))
def test_what_is_counted_from_now_is_dated_rightly(line: str) -> None:
    text, day = line.split("|")
    assert [f"{one.begin:%Y-%m-%d}" for one in find_dates(text, reference=WEDNESDAY)] == [day]


@pytest.mark.parametrize("text", NONE.split("\n"))
def test_what_counts_no_day_has_no_date(text: str) -> None:
    assert find_dates(text, reference=WEDNESDAY) == []


@pytest.mark.parametrize(
    "day",
    "明天 明日 明早 明晚 今晚 后天 大后天 大大后天 下周 下下周 下个星期三 这周五 本周日 下个月 下月初 下下月底 "
    "三天后 两周以后".split(),
)
def test_what_is_taken_for_a_day_to_come_has_a_date(day: str) -> None:
    assert re.fullmatch(COMING, day)
    (found,) = find_dates(f"我{day}出发。", reference=WEDNESDAY)
    assert found.begin.date() >= WEDNESDAY.date()


@pytest.mark.parametrize("day", "今天 昨晚 上周三 上个月 前天 明年 明明 下午 第三天后 三天前 饭后".split())
def test_what_was_or_is_far_off_is_no_day_to_come(day: str) -> None:
    assert not re.search(COMING, day)
