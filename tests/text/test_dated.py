"""Dates behind words that had a meaning only on the day they were said."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remanent.text.dates import _RELATIVE, _has_relative, find_dates, with_certain_days, with_dates

SUNDAY = datetime(2024, 5, 12, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "dated"),
    [
        ("I moved yesterday.", "I moved yesterday (2024-05-11)."),
        ("我昨天搬家了。", "我昨天（2024-05-11）搬家了。"),
        ("I moved yesterday (2024-05-11).", "I moved yesterday (2024-05-11)."),
        ("我昨天（2024-05-11）搬家了。", "我昨天（2024-05-11）搬家了。"),
        ("I swim on Friday.", "I swim on Friday."),
        ("Rome wasn't built in a day, so keep on!", "Rome wasn't built in a day, so keep on!"),
        ("We haven't talked in two days.", "We haven't talked in two days."),
        ("They finished in three days.", "They finished in three days."),
        ("I was ill. We fly in two days.", "I was ill. We fly in two days (2024-05-14)."),
    ],
)
def test_what_is_kept_has_the_date_of_certain_days_once(said: str, dated: str) -> None:
    assert with_certain_days(said, SUNDAY) == dated


def test_what_is_shown_has_every_date_once() -> None:
    assert with_dates("I moved yesterday.", SUNDAY) == "I moved yesterday [2024-05-11]."
    assert with_dates("I moved yesterday (2024-05-11).", SUNDAY) == "I moved yesterday (2024-05-11)."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("Friday mornings, ten to twelve.", "Friday mornings, ten to twelve."),
        ("I always swim on Friday evening.", "I always swim on Friday evening."),
        ("周五晚上我固定上古琴课。", "周五晚上我固定上古琴课。"),
        ("我们周六都去爬山。", "我们周六都去爬山。"),
        ("周五我们都去了。", "周五[2024-05-10]我们都去了。"),
        ("I always swim, but not last Friday.", "I always swim, but not last Friday [2024-05-10]."),
        ("We met last Sunday morning.", "We met last Sunday morning [2024-05-05]."),
        ("周会改到下周五上午十点。", "周会改到下周五上午十点[2024-05-17]。"),
        ("明天下午三点开会。", "明天下午三点[2024-05-13]开会。"),
    ],
)
def test_dates_stand_behind_whole_times_and_not_behind_habits(said: str, shown: str) -> None:
    assert with_dates(said, SUNDAY) == shown


MONDAY = datetime(2026, 11, 16, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    "said",
    [
        "The release train leaves on the last Thursday of a month.",
        "The rent is due on the first Monday of each month.",
        "The last weekend of the month is for the family.",
        "The bakery is closed on Sunday.",
        "See you on Friday!",
        "Please book a table for Saturday.",
        "The user likes to run on Saturday.",
        "发布列车每月最后一个星期四出发。",
        "每个月的第二个星期三复盘。",
        "面包店周日关门。",
        "用户喜欢周末去西湖跑步",
        "周末过来画画太合适了。",
    ],
)
def test_a_day_that_the_words_do_not_settle_gets_no_date(said: str) -> None:
    assert with_dates(said, MONDAY) == said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("We agreed to meet Clara on Friday.", "We agreed to meet Clara on Friday [2026-11-20]."),
        ("We met Clara on Friday.", "We met Clara on Friday [2026-11-13]."),
        ("It rained on Saturday.", "It rained on Saturday [2026-11-14]."),
        ("Friday of next week suits me.", "Friday of next week [2026-11-27] suits me."),
        ("我们约好周五在车站见面。", "我们约好周五[2026-11-20]在车站见面。"),
        ("I have a dentist appointment on Tuesday.", "I have a dentist appointment on Tuesday [2026-11-17]."),
        ("I had a dentist appointment on Tuesday.", "I had a dentist appointment on Tuesday [2026-11-10]."),
        ("周日我去爬山了。", "周日[2026-11-15]我去爬山了。"),
        ("周末去了趟苏州。", "周末[2026-11-14 – 2026-11-15]去了趟苏州。"),
        ("周末要去苏州了。", "周末[2026-11-21 – 2026-11-22]要去苏州了。"),
    ],
)
def test_a_bare_weekday_lies_where_its_sentence_says(said: str, shown: str) -> None:
    assert with_dates(said, MONDAY) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("周一要交报告。", "周一[2026-11-23]要交报告。"),
        ("星期一我得早起。", "星期一[2026-11-23]我得早起。"),
        ("周一得了奖。", "周一[2026-11-16]得了奖。"),
        ("周一要了一份报告。", "周一要了一份报告。"),
        ("每周一要开会。", "每周一要开会。"),
    ],
)
def test_what_is_to_be_done_on_a_weekday_that_is_over_is_of_the_next_one(said: str, shown: str) -> None:
    assert with_dates(said, MONDAY + timedelta(days=2)) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("我明年春节回芜湖。", "我明年[2027]春节回芜湖。"),
        ("今年冬至吃饺子。", "今年[2026]冬至吃饺子。"),
        ("明年秋招开始得早。", "明年[2027]秋招开始得早。"),
        ("去年春我去了北京。", "去年春[2025-03-01 – 2025-05-31]我去了北京。"),
        ("下周二三去苏州。", "下周二三[2026-11-24 – 2026-11-25]去苏州。"),
        ("下周二三点开会。", "下周二三点[2026-11-24]开会。"),
        ("下周五六个人来。", "下周五[2026-11-27]六个人来。"),
        ("明后天有雨。", "明后天[2026-11-17 – 2026-11-18]有雨。"),
        ("昨儿个去了医院。", "昨儿个[2026-11-15]去了医院。"),
        ("后儿去体检。", "后儿[2026-11-18]去体检。"),
        ("大后儿去体检。", "大后儿[2026-11-19]去体检。"),
    ],
)
def test_a_day_is_read_as_a_whole_and_no_season_out_of_another_word(said: str, shown: str) -> None:
    assert with_dates(said, MONDAY) == shown


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("下周一到周三我休假。", "下周一到周三[2026-11-23 – 2026-11-25]我休假。"),
        ("下周二至周五出差。", "下周二至周五[2026-11-24 – 2026-11-27]出差。"),
        ("上周三到周五我在上海。", "上周三到周五[2026-11-11 – 2026-11-13]我在上海。"),
        ("这周三到周五我值班。", "这周三到周五[2026-11-18 – 2026-11-20]我值班。"),
        ("下下周一到周三我休假。", "下下周一到周三[2026-11-30 – 2026-12-02]我休假。"),
        ("下周五到周二我休假。", "下周五到周二[2026-11-27 – 2026-12-01]我休假。"),
        ("下周一上午到周三下午培训。", "下周一上午到周三下午[2026-11-23 – 2026-11-25]培训。"),
        ("下周三上午到周三下午培训。", "下周三上午到周三下午[2026-11-25]培训。"),
        ("从上周一到这周三我在家。", "从上周一到这周三[2026-11-09 – 2026-11-18]我在家。"),
        ("下周三到上周一。", "下周三[2026-11-25]到上周一[2026-11-09]。"),
        ("下周一到3号我休假。", "下周一[2026-11-23]到3号[2026-11-03]我休假。"),
        ("去年五月到七月我在北京。", "去年五月到七月[2025-05-01 – 2025-07-31]我在北京。"),
        (
            "I am away from next Monday to Wednesday.",
            "I am away from next Monday to Wednesday [2026-11-23 – 2026-11-25].",
        ),
        ("I am on holiday from Wednesday to Friday.", "I am on holiday from Wednesday to Friday."),
        ("We went from Friday to Sunday.", "We went from Friday to Sunday [2026-11-13 – 2026-11-15]."),
        ("Let's have lunch tomorrow week.", "Let's have lunch tomorrow week [2026-11-24]."),
        ("I leave a week tomorrow.", "I leave a week tomorrow [2026-11-24]."),
        ("The exam is a week from tomorrow.", "The exam is a week from tomorrow [2026-11-24]."),
        ("It will be a week tomorrow.", "It will be a week tomorrow [2026-11-17]."),
    ],
)
def test_a_stretch_of_days_never_ends_before_it_begins_nor_takes_a_year(said: str, shown: str) -> None:
    assert with_dates(said, MONDAY) == shown


@pytest.mark.parametrize(
    "said",
    [
        "I got tickets for Saturday's match.",
        "They moved me onto Saturday's train.",
        "I bought tickets for Friday's concert.",
        "We rebooked to Sunday's flight.",
        "I bought Friday's tickets.",
        "She moved the meeting to Friday.",
        "She moved the meeting from Friday to Sunday.",
        "I signed up for the Saturday class.",
        "我改签到周日的航班了。",
        "我抢到了周日的门票了。",
        "会议推迟到周日了。",
        "Sorry, I meant Saturday at 3.",
        "I said Saturday, but it is Sunday.",
        "I got it wrong, the party's Sunday.",
        "抱歉，我说错了，是周六三点。",
    ],
)
def test_what_was_done_for_a_weekday_does_not_tell_that_it_is_over(said: str) -> None:
    assert with_dates(said, MONDAY) == said


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("We watched Saturday's match.", "We watched Saturday [2026-11-14]'s match."),
        ("I bought a coat on Saturday.", "I bought a coat on Saturday [2026-11-14]."),
        ("I missed Sunday's flight.", "I missed Sunday [2026-11-15]'s flight."),
        ("Sorry, I meant that we met on Saturday.", "Sorry, I meant that we met on Saturday [2026-11-14]."),
        ("I moved house on Saturday.", "I moved house on Saturday [2026-11-14]."),
        ("周日我买了票。", "周日[2026-11-15]我买了票。"),
    ],
)
def test_what_was_done_on_a_weekday_tells_that_it_is_over(said: str, shown: str) -> None:
    assert with_dates(said, MONDAY) == shown


@given(st.sampled_from("上 这 下 下下".split()), st.sampled_from("一二三四五六日"), st.sampled_from("一二三四五六日"))
def test_a_weekday_behind_another_is_the_first_one_after_it(week: str, first: str, last: str) -> None:
    (found,) = find_dates(f"{week}周{first}到周{last}", reference=MONDAY)
    assert timedelta(days=1) < found.finish - found.begin <= timedelta(days=8)
    assert (found.finish - timedelta(seconds=1)).weekday() == "一二三四五六日".index(last)


_MAY_MEAN_A_DAY = (
    "yesterday tomorrow tonight today ago recently last past next this coming previous earlier monday Sunday weekend "
    "one time 上周 。 - a Week days THIS tues"
).split()


@given(st.lists(st.sampled_from(_MAY_MEAN_A_DAY), max_size=3))
def test_words_that_may_mean_a_day_are_told_as_quickly_as_rightly(words: list[str]) -> None:
    text = " ".join(words)
    assert _has_relative(text) == (_RELATIVE.search(text) is not None)
