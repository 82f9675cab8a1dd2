import time
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remanent.errors import InvalidInput
from remanent.text.dates import TimeMention, find_dates, said_at
from remanent.text.numbers import quantities

NOW = datetime(2023, 6, 14, 15, 30, tzinfo=UTC)  # a Wednesday
moments = st.integers(-600_000_000, 3_700_000_000).map(lambda seconds: datetime.fromtimestamp(seconds, UTC))
days = st.dates(date(1900, 1, 1), date(2099, 12, 31))
MONTHS = "January February March April May June July August September October November December".split()
WORDS = "last next this week month year Tuesday May 8 2023 ago two the before of in on at pm 5 : - / , from to and"
SIGNS = "上下个月周三天前后年昨今明日号点半初底到至 0123456789"
PIECES = [*WORDS.split(), *SIGNS, "2023-05-08", "2023年", "下午", "星期", "五月"]
mixed = st.lists(st.sampled_from(PIECES), max_size=14).flatmap(
    lambda parts: st.sampled_from(["".join(parts), " ".join(parts)])
)


def written(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}" + (f"T{moment:%H:%M}" if moment.time() != datetime.min.time() else "")


def found(text: str, reference: datetime = NOW) -> list[str]:
    return [
        f"{one.text} = {written(one.begin)}/{written(one.finish)} {one.granularity}"
        for one in find_dates(text, reference=reference)
    ]


# ── what holds for every text ────────────────────────────────────────────────


@settings(max_examples=400, deadline=None)
def only_date(text: str) -> TimeMention | None:
    found = find_dates(text, reference=NOW)
    return found[0] if len(found) == 1 else None


@given(mixed | st.text(st.characters()), moments)
def test_mentions_stand_where_they_say_in_order_and_are_not_empty(text: str, reference: datetime) -> None:
    mentions = find_dates(text, reference=reference)
    assert all(text[one.start : one.end] == one.text != "" for one in mentions)
    assert all(one.begin < one.finish for one in mentions)
    assert all(one.begin.tzinfo is not None is not one.finish.tzinfo for one in mentions)
    assert all(before.end <= after.start for before, after in pairwise(mentions))


@given(days)
def test_every_way_to_write_a_day_means_that_day(day: date) -> None:
    name = MONTHS[day.month - 1]
    ways = [
        f"{day:%Y-%m-%d}", f"{day:%Y/%m/%d}", f"{day.year}年{day.month}月{day.day}日", f"{day.day} {name} {day.year}",
        f"{name} {day.day}, {day.year}", f"{name}-{day.day}-{day.year}", f"{day.day}th of {name} {day.year}",
        f"{day:%m/%d/%Y}", f"{day:%d.%m.%Y}", f"{day.day} {name[:3]} {day.year}",
    ]  # fmt: skip
    begin = datetime(day.year, day.month, day.day, tzinfo=UTC)
    for way in ways:
        mention = only_date(way)
        assert mention is not None, way
        assert (mention.begin, mention.finish) == (begin, begin + timedelta(days=1)), way
        assert not mention.relative
        assert mention.granularity == "day"


@given(days, st.times())
def test_a_day_and_a_time_beside_it_are_one_moment(day: date, time: object) -> None:
    moment = datetime.combine(day, time, UTC).replace(second=0, microsecond=0)  # type: ignore[arg-type]
    ways = [
        f"{moment:%Y/%m/%d (%a) %H:%M}", f"{moment:%Y-%m-%dT%H:%M:00Z}", f"{moment:%I:%M %p on %d %B, %Y}",
        f"{moment:%Y年%m月%d日} 周{'一二三四五六日'[moment.weekday()]} {moment:%H:%M}", f"{moment:%d %B %Y at %H:%M}",
    ]  # fmt: skip
    for way in ways:
        mention = only_date(way)
        assert mention is not None, way
        assert mention.begin == moment, way
        assert mention.finish <= moment + timedelta(minutes=1)


@given(moments, st.integers(0, 400))
def test_days_ago_count_back_from_today(reference: datetime, count: int) -> None:
    for text in (f"{count} days ago", f"{count}天前"):
        (mention,) = find_dates(text, reference=reference)
        assert mention.begin.date() == reference.date() - timedelta(days=count)
        assert mention.relative


@given(moments, st.integers(0, 100))
def test_weeks_months_and_years_ago_contain_the_day_that_lies_so_far_back(reference: datetime, count: int) -> None:
    (week,) = find_dates(f"{count} weeks ago", reference=reference)
    assert week.begin <= reference - timedelta(weeks=count) < week.finish
    assert week.begin.weekday() == 0
    (month,) = find_dates(f"{count}个月前", reference=reference)
    assert (reference.year - month.begin.year) * 12 + reference.month - month.begin.month == count
    (year,) = find_dates(f"{count} years ago", reference=reference)
    assert (year.begin.year, year.finish.year) == (reference.year - count, reference.year - count + 1)


@given(moments, st.sampled_from(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]))
def test_last_and_next_weekday_are_the_nearest_on_either_side(reference: datetime, weekday: str) -> None:
    (last,) = find_dates(f"last {weekday}", reference=reference)
    (following,) = find_dates(f"next {weekday}", reference=reference)
    assert f"{last.begin:%A}" == f"{following.begin:%A}" == weekday
    assert 1 <= (reference.date() - last.begin.date()).days <= 7
    assert 1 <= (following.begin.date() - reference.date()).days <= 7


@given(moments, st.integers(0, 6), st.sampled_from([("上上", -2), ("上", -1), ("这", 0), ("下", 1), ("下下", 2)]))
def test_a_chinese_weekday_lies_in_the_week_that_is_named(
    reference: datetime, weekday: int, week: tuple[str, int]
) -> None:
    (mention,) = find_dates(f"{week[0]}周{'一二三四五六日'[weekday]}", reference=reference)
    monday = reference.date() - timedelta(days=reference.weekday()) + timedelta(weeks=week[1])
    assert mention.begin.date() == monday + timedelta(days=weekday)


@given(moments)
def test_near_units_follow_each_other_without_a_gap(reference: datetime) -> None:
    chains = [
        "yesterday|today|tomorrow", "last week|this week|next week", "上个月|这个月|下个月", "前年|去年|今年|明年|后年",
        "last month|this month|next month", "前天|昨天|今天|明天|后天", "last year|this year|next year",
        "上上周|上周|本周|下周|下下周",
    ]  # fmt: skip
    for chain in chains:
        mentions = [find_dates(text, reference=reference)[0] for text in chain.split("|")]
        assert all(before.finish == after.begin for before, after in pairwise(mentions))
        assert any(one.begin <= reference < one.finish for one in mentions)


@given(moments, st.integers(1, 30))
def test_a_stretch_up_to_now_holds_now(reference: datetime, count: int) -> None:
    for text in (f"the last {count} days", f"最近{count}天", f"the past {count} weeks", f"过去{count}个月"):
        (mention,) = find_dates(text, reference=reference)
        assert mention.begin <= reference < mention.finish
    (ahead,) = find_dates(f"the next {count} days", reference=reference)
    assert ahead.begin <= reference < ahead.finish


@given(moments)
def test_the_moment_may_come_in_any_time_zone(reference: datetime) -> None:
    elsewhere = reference.astimezone(timezone(timedelta(hours=9)))
    assert find_dates("昨天下午 and last May", reference=elsewhere) == find_dates(
        "昨天下午 and last May", reference=reference
    )


# ── what single wordings mean ────────────────────────────────────────────────


@pytest.mark.parametrize(
    "expected",
    [
        "two weeks ago = 2023-05-29/2023-06-05 week",
        "2022 = 2022-01-01/2023-01-01 year",
        "The week before 15April, 2022 = 2022-04-08/2022-04-15 week",
        "May 2023 = 2023-05-01/2023-06-01 month",
        "2023/05/20 (Sat) 07:47 = 2023-05-20T07:47/2023-05-20T07:48 minute",
        "1:56 pm on 8 May, 2023 = 2023-05-08T13:56/2023-05-08T13:57 minute",
        "the week before 9 June 2023 = 2023-06-02/2023-06-09 week",
        "the Friday before 22 October 2023 = 2023-10-20/2023-10-21 day",
        "the weekend of 3 June 2023 = 2023-06-03/2023-06-05 weekend",
        "two days after 5 June 2023 = 2023-06-07/2023-06-08 day",
        "the month after May 2023 = 2023-06-01/2023-07-01 month",
        "this morning = 2023-06-14T06:00/2023-06-14T12:00 part",
        "last night = 2023-06-13T18:00/2023-06-14T06:00 part",
        "tomorrow evening at 8:00 = 2023-06-15T20:00/2023-06-15T20:01 minute",
        "the day before yesterday = 2023-06-12/2023-06-13 day",
        "half an hour ago = 2023-06-14T15:00/2023-06-14T15:01 minute",
        "in three days = 2023-06-17/2023-06-18 day",
        "a couple of months ago = 2023-04-01/2023-05-01 month",
        "last summer = 2022-06-01/2022-09-01 season",
        "next winter = 2023-12-01/2024-03-01 season",
        "the summer of 2022 = 2022-06-01/2022-09-01 season",
        "the end of October 2022 = 2022-10-21/2022-11-01 range",
        "late 2021 = 2021-09-01/2022-01-01 range",
        "Q3 2023 = 2023-07-01/2023-10-01 quarter",
        "the 1990s = 1990-01-01/2000-01-01 decade",
        "19th century = 1801-01-01/1901-01-01 century",
        "Christmas 2022 = 2022-12-25/2022-12-26 day",
        "last Thanksgiving = 2022-11-24/2022-11-25 day",
        "from May to July = 2023-05-01/2023-08-01 range",
        "from November to February 2023 = 2022-11-01/2023-03-01 range",
        "May to July 2021 = 2021-05-01/2021-08-01 range",
        "from Monday to Friday = 2023-06-12/2023-06-17 range",
        "May 8-10, 2023 = 2023-05-08/2023-05-11 range",
        "between 2019 and 2021 = 2019-01-01/2022-01-01 range",
        "9am to 5pm = 2023-06-14T09:00/2023-06-14T18:00 range",
        "2023-05-08T07:47:00+08:00 = 2023-05-07T23:47/2023-05-07T23:47 second",
        "last May = 2023-05-01/2023-06-01 month",
        "next May = 2024-05-01/2024-06-01 month",
        "this May = 2023-05-01/2023-06-01 month",
        "this summer = 2023-06-01/2023-09-01 season",
        "next quarter = 2023-07-01/2023-10-01 quarter",
        "this decade = 2020-01-01/2030-01-01 decade",
        "the week before last = 2023-05-29/2023-06-05 week",
        "this coming weekend = 2023-06-17/2023-06-19 weekend",
        "Friday last week = 2023-06-09/2023-06-10 day",
        "this Friday = 2023-06-16/2023-06-17 day",
        "a fortnight ago = 2023-05-29/2023-06-05 week",
        "several months ago = 2023-02-01/2023-03-01 month",
        "a few weeks ago = 2023-05-22/2023-05-29 week",
        "three weekends ago = 2023-05-27/2023-05-29 weekend",
        "half a year ago = 2022-12-01/2023-01-01 month",
        "the last two hours = 2023-06-14T13:30/2023-06-14T15:30 range",
        "the past 30 minutes = 2023-06-14T15:00/2023-06-14T15:30 range",
        "the next two hours = 2023-06-14T15:30/2023-06-14T17:30 range",
        "the next two years = 2023-06-14/2025-06-15 range",
        "8 May 2023 in the morning = 2023-05-08T06:00/2023-05-08T12:00 part",
        "8 May 2023 at noon = 2023-05-08T12:00/2023-05-08T13:00 hour",
        "8 May 2023, five o'clock = 2023-05-08T05:00/2023-05-08T06:00 hour",
        "8 May 2023, half past five = 2023-05-08T05:30/2023-05-08T05:31 minute",
        "8 May 2023, quarter to six = 2023-05-08T05:45/2023-05-08T05:46 minute",
        "this Halloween = 2023-10-31/2023-11-01 day",
        "next Christmas = 2023-12-25/2023-12-26 day",
        "the weekend before 9 June 2023 = 2023-06-03/2023-06-05 weekend",
        "two weeks after 9 June 2023 = 2023-06-17/2023-06-24 week",
        "the year after 2020 = 2021-01-01/2022-01-01 year",
        "the night before 9 June 2023 = 2023-06-08T18:00/2023-06-09T06:00 part",
        "the Monday after 9 June 2023 = 2023-06-12/2023-06-13 day",
        "the weekend after 9 June 2023 = 2023-06-10/2023-06-12 weekend",
        "two months before May 2023 = 2023-03-01/2023-04-01 month",
        "a few days before yesterday = 2023-06-10/2023-06-11 day",
        "2023-05 = 2023-05-01/2023-06-01 month",
        "13:56:20 = 2023-06-14T13:56/2023-06-14T13:56 second",
        "2023-05-08T07:47-05:00 = 2023-05-08T12:47/2023-05-08T12:48 minute",
        "next spring = 2024-03-01/2024-06-01 season",
        "this past winter = 2022-12-01/2023-03-01 season",
        "上半年 = 2023-01-01/2023-07-01 half",
        "年初 = 2023-01-01/2023-03-01 range",
        "月初 = 2023-06-01/2023-06-11 range",
        "下个季度 = 2023-07-01/2023-10-01 quarter",
        "第三季度 = 2023-07-01/2023-10-01 quarter",
        "三点钟 = 2023-06-14T03:00/2023-06-14T04:00 hour",
        "三点一刻 = 2023-06-14T03:15/2023-06-14T03:16 minute",
        "五分钟前 = 2023-06-14T15:25/2023-06-14T15:26 minute",
        "8号 = 2023-06-08/2023-06-09 day",
        "去年底 = 2022-11-01/2023-01-01 range",
        "2021年初 = 2021-01-01/2021-03-01 range",
        "11:30 pm = 2023-06-14T23:30/2023-06-14T23:31 minute",
        "7 o'clock = 2023-06-14T07:00/2023-06-14T08:00 hour",
        "in an hour = 2023-06-14T16:00/2023-06-14T17:00 hour",
        "two hours ago = 2023-06-14T13:00/2023-06-14T14:00 hour",
        "from 9 June to 3pm = 2023-06-09/2023-06-10 range",
        "from 5 pm to 3 am = 2023-06-14T17:00/2023-06-15T04:00 range",
        "好几年前 = 2018-01-01/2019-01-01 year",
        "1990年代 = 1990-01-01/2000-01-01 decade",
        "上个月 = 2023-05-01/2023-06-01 month",
        "昨天下午 = 2023-06-13T12:00/2023-06-13T18:00 part",
        "明天上午十点半 = 2023-06-15T10:30/2023-06-15T10:31 minute",
        "2024年04月01日 周一 08:18 = 2024-04-01T08:18/2024-04-01T08:19 minute",
        "去年夏天 = 2022-06-01/2022-09-01 season",
        "下周三 = 2023-06-21/2023-06-22 day",
        "五月初 = 2023-05-01/2023-05-11 range",
        "下个月底 = 2023-07-21/2023-08-01 range",
        "上个月月底 = 2023-05-21/2023-06-01 range",
        "前年 = 2021-01-01/2022-01-01 year",
        "两小时前 = 2023-06-14T13:00/2023-06-14T14:00 hour",
        "半年前 = 2022-12-01/2023-01-01 month",
        "五月到七月 = 2023-05-01/2023-08-01 range",
        "五月八日至十日 = 2023-05-08/2023-05-11 range",
        "下午三点到五点 = 2023-06-14T15:00/2023-06-14T18:00 range",
        "从2019年到2021年 = 2019-01-01/2022-01-01 range",
        "二十世纪九十年代 = 1990-01-01/2000-01-01 decade",
        "2023年第三季度 = 2023-07-01/2023-10-01 quarter",
        "明年上半年 = 2024-01-01/2024-07-01 half",
        "去年国庆节 = 2022-10-01/2022-10-02 day",
        "上周末 = 2023-06-10/2023-06-12 weekend",
        "今晚 = 2023-06-14T18:00/2023-06-15T06:00 part",
        "二〇二三年五月 = 2023-05-01/2023-06-01 month",
    ],
)  # fmt: skip
def test_a_wording_means_its_interval(expected: str) -> None:
    assert found(expected.partition(" = ")[0]) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I was born in 1990 and moved in May.", ["1990", "May"]),
        ("We met last Tuesday, not two weeks ago", ["last Tuesday", "two weeks ago"]),
        ("我去年夏天去了北京，下周三回来。", ["去年夏天", "下周三"]),
        ("On 8 May, 2023 at 5 pm. Then we left", ["8 May, 2023 at 5 pm"]),
        ("See you on Friday.", ["Friday"]),
    ],
)
def test_dates_are_found_inside_sentences(text: str, expected: list[str]) -> None:
    assert [one.text for one in find_dates(text, reference=NOW)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "he may go", "I may 5 times", "room 1984", "in 2000 words", "I have 2000 dollars", "every day", "v1.2.3",
        "1/2 cup", "the second week", "2月30日", "月亮", "五个月", "一点也不", "第三天", "三个星期五", "三日",
    ],
)  # fmt: skip
def test_what_is_no_date_is_none(text: str) -> None:
    assert found(text) == []


def test_words_about_the_future_choose_the_coming_day() -> None:
    assert found("I will meet him on Monday")[0].startswith("Monday = 2023-06-19")
    assert found("I met him on Monday")[0].startswith("Monday = 2023-06-12")
    assert found("The deadline is March 3")[0].startswith("March 3 = 2024-03-03")
    assert found("It was on March 3")[0].startswith("March 3 = 2023-03-03")


def test_a_moment_without_a_time_zone_is_refused() -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        find_dates("yesterday", reference=datetime(2023, 1, 1))  # noqa: DTZ001 - what is refused


@pytest.mark.parametrize(
    "evil", ["1", "1-", "1/", "一", "a ", "last ", "the ", "May ", "2023 ", "周", "(", " ", "年月日", "two "]
)
def test_no_text_takes_more_than_its_share_of_time(evil: str) -> None:
    find_dates(evil * 3000, reference=NOW)


@pytest.mark.spec("SAFE-07")
def test_a_number_of_more_words_than_anyone_says_is_no_amount_of_time() -> None:
    assert not [one for one in quantities("hundred " * 200 + "days") if one.dimension == "time"]
    assert [one.text for one in quantities("two hundred and five days")] == ["two hundred and five days"]


HUGE = ["hundred", "million", "trillion", "and", "a half", "9" * 39, "9" * 400, "1e999", "999", "years", "days", "ago"]
HUGE += ["in", "the", "before", "after", "9999-12-31", "1000-01-01", "24:00", "Dec", "to", "Feb", "until", "next"]
HUGE += [
    "亿" * 30,
    "万",
    "九" * 39,
    "年",
    "天",
    "前",
    "后",
    "百分之",
    "分之",
    "世纪",
    "第",
    "点",
    "个半月",
    "99世纪",
    "9999年",
]


@pytest.mark.spec("SAFE-07")
@given(
    st.lists(st.sampled_from(HUGE), max_size=40).flatmap(
        lambda parts: st.sampled_from(["".join(parts), " ".join(parts)])
    ),
    st.sampled_from([datetime(1, 1, 1, tzinfo=UTC), NOW, datetime(9999, 12, 31, 23, 59, tzinfo=UTC)]),
)
def test_no_number_and_no_place_in_the_calendar_is_too_great(text: str, reference: datetime) -> None:
    for one in find_dates(text, reference=reference):
        assert one.begin < one.finish


# ── days are those of this machine's zone ────────────────────────────────────

MORNING = datetime(2024, 5, 2, 23, tzinfo=UTC)
"""Seven in the morning of Friday, 3 May 2024, eight hours east of UTC."""


@pytest.mark.spec("USE-05")
@pytest.mark.usefixtures("eight_hours_east")
@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("yesterday", "2024-05-02"),
        ("昨天", "2024-05-02"),
        ("today", "2024-05-03"),
        ("今天早上", "2024-05-03"),
        ("last Thursday", "2024-05-02"),
        ("两天前", "2024-05-01"),
        ("2024-05-03", "2024-05-03"),
        ("2024年5月3日", "2024-05-03"),
        ("8 May, 2023", "2023-05-08"),
    ],
)
def test_a_day_is_one_of_the_clocks_that_people_look_at(text: str, day: str) -> None:
    (mention,) = find_dates(text, reference=MORNING)
    assert f"{mention.begin:%Y-%m-%d}" == day
    midnight = datetime.fromisoformat(f"{day}T00:00:00+08:00")
    assert midnight <= mention.begin < mention.finish <= midnight + timedelta(days=1)


@pytest.mark.usefixtures("eight_hours_east")
def test_a_time_with_a_zone_of_its_own_is_that_moment_everywhere() -> None:
    (mention,) = find_dates("2024-05-03T07:00:00-04:00", reference=MORNING)
    assert mention.begin == datetime(2024, 5, 3, 11, tzinfo=UTC)
    (mention,) = find_dates("2024-05-03T07:00:00", reference=MORNING)
    assert mention.begin == MORNING


def test_the_hour_that_summer_time_leaves_out_is_no_empty_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    try:
        (mention,) = find_dates("2024-03-31T02:59", reference=NOW)
        assert mention.begin < mention.finish
    finally:
        monkeypatch.undo()
        time.tzset()


# ── a note of when something was said ────────────────────────────────────────


@pytest.mark.spec("USE-05")
@pytest.mark.parametrize(
    ("stamp", "moment"),
    [
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56, tzinfo=UTC)),
        ("March-15-2024", datetime(2024, 3, 15, tzinfo=UTC)),
        ("2024年04月01日 周一 08:18", datetime(2024, 4, 1, 8, 18, tzinfo=UTC)),
        ("2022/01/01 (Sat) 03:05", datetime(2022, 1, 1, 3, 5, tzinfo=UTC)),
        ("Sat, 20 May 2023 08:34:00 +0000", datetime(2023, 5, 20, 8, 34, tzinfo=UTC)),
        ("2024-05-01T10:00:00.123+08:00", datetime(2024, 5, 1, 2, tzinfo=UTC)),
        (1_700_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
        (1_700_000_000_000, datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)),
    ],
)
def test_a_note_of_when_something_was_said_is_read_as_logs_write_it(stamp: object, moment: datetime) -> None:
    assert said_at(stamp, now=datetime(2026, 1, 1, tzinfo=UTC)) == moment


@pytest.mark.parametrize(
    "stamp",
    ["yesterday", "14:30", "May 5", "周五", "2024", "May 2024", "due 2024-05-01", "2024-05-01 to 2024-05-03", "",
     "soon", "2099-01-01", "x" * 1000, 7, 20240501, True, None, ["2024-05-01"], 1e300, float("nan"), -1_700_000_000],
    ids=str,
)  # fmt: skip
def test_what_is_no_date_alone_or_lies_ahead_tells_no_moment(stamp: object) -> None:
    assert said_at(stamp, now=datetime(2026, 1, 1, tzinfo=UTC)) is None
