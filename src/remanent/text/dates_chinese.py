"""Dates and times as Chinese writes them: 上个月, 三天前, 昨天下午, 2024年04月01日, 去年夏天, 下周三, 五月初."""

import re
from dataclasses import replace
from datetime import date, timedelta

from remanent.text import calendar
from remanent.text.calendar import DateContext, DateMeaning, DayPart, Interval, RuleBook, Season
from remanent.text.numbers import chinese_value

CHINESE_DATES = RuleBook()

WEEKDAY = "(?:周|星期|礼拜)[一二三四五六日天末]"
"""A day of the week, or its end."""
COMING = (
    rf"(?:明[天早晚]|明日(?!方舟)|今晚|大{{0,2}}后天|(?:下{{1,2}}|[这本])个?{WEEKDAY}"
    r"|下{1,2}个?(?:周|星期|礼拜|月[初底]?)"
    r"|(?<!第)(?:\d{1,2}|[一二两三四五六七八九十几]{1,3})(?:天|周|个?星期|个?礼拜|个月)[之以]?后(?![台面悔]))"
)
"""A time within weeks that counts from the day on which it is named, and is still to come then. Not today and not this
week alone: who names those tells of what was as often as of what will be."""

_DIGIT = "零〇一二三四五六七八九"
_NUMBER = rf"(?P<number>\d{{1,4}}(?:\.5)?|[{_DIGIT}两十百]{{1,5}}|半|几|好几|数)"
_YEAR = (
    rf"(?P<year>(?:1[1-9]|20)\d\d年|(?<!\d)\d\d年(?=\d{{1,2}}月)|[一二][{_DIGIT}]{{3}}年"
    r"|大前年|前年|去年|上一?年|今年|本年|明年|来年|大?后年)度?"
)
# 月亮, 月饼, 月球 and 月台 have nothing to do with months.
_MONTH = (
    r"(?P<month>(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]|正|腊)月(?!亮|饼|球|台)份?"
    r"|(?<!大)(?P<near>上{1,3}|下{1,3}|这|本|当)一?个?月)"
)
# 中国, 中心, 中学, 中间 and 中午 begin with the same character as the middle of a month.
_STAGE = r"(?:月?(?P<stage>初|上旬|中旬|下旬|中(?!国|心|学|间|午)|底|末))"
_DAY_NUMBER = "(?:[12]\\d|3[01]|0?[1-9]|[二三]?十[一二三四五六七八九]?|[一二三四五六七八九]|廿[一二三四五六七八九]?)"
_DAY = rf"(?P<day>{_DAY_NUMBER})(?:日|号)"
_SEASON = (
    r"(?P<season>[春夏秋冬])(?:天|季|日(?!本)|(?=\Z|[^\u4e00-\u9fff]"
    r"|[的末初我你他她它咱在去到从就才又也还要将会曾起开入以之前后]))"
)
"""One character alone names a season where no word goes on with it: 去年春节, 今年冬至, 明年秋招 are something else."""
_WEEK = r"(?<![大上下])(?P<week>上{1,3}|下{1,3}|这|本)?一?个?(?:周|星期|礼拜)"
_PART = r"(?P<part>凌晨|清晨|早晨|早上|上午|中午|午后|下午|傍晚|晚上|夜里|夜晚|深夜|半夜|午夜)"
_NO_HOUR = r"(?!的?(?:\d{1,2}|[零一两二三四五六七八九十]{1,3})点)"
"""Behind a part of the day: with the hour it is a time of its own, 周五 and 上午十点."""
_NEAR_DAYS = {
    "大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "今天": 0, "今日": 0, "当天": 0, "明天": 1, "明日": 1, "后天": 2,
    "大后天": 3, "大大前天": -4, "大大后天": 4,
}  # fmt: skip
_NEAR_DAYS |= {
    f"{lead}{day}儿{end}": number + (number > 1) - (number < -1) if lead else number
    for day, number in {"前": -2, "昨": -1, "今": 0, "明": 1, "后": 2}.items()
    for lead in (("", "大") if abs(number) > 1 else ("",))
    for end in ("", "个")
}
"""昨儿, 明儿个, 大后儿: as they are said in the north."""
_NEAR_YEARS = {
    "大前年": -3, "前年": -2, "去年": -1, "上年": -1, "上一年": -1, "今年": 0, "本年": 0, "明年": 1, "来年": 1,
    "后年": 2, "大后年": 3,
}  # fmt: skip
_SHIFTS = {"上上上": -3, "下下下": 3, "上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "下": 1, "下下": 2}
_PARTS: dict[str, DayPart] = {
    "凌晨": "dawn", "清晨": "morning", "早晨": "morning", "早上": "morning", "上午": "morning", "早": "morning",
    "中午": "noon", "午后": "afternoon", "下午": "afternoon", "傍晚": "evening", "晚上": "evening", "晚": "night",
    "夜里": "night", "夜晚": "night", "深夜": "night", "半夜": "night", "午夜": "night", "夜": "night",
}  # fmt: skip
_SEASONS: dict[str, Season] = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_STAGES = {"初": "early", "上旬": "early", "中": "mid", "中旬": "mid", "下旬": "late", "底": "late", "末": "late"}
_UNITS = {
    "秒": "second", "秒钟": "second", "分钟": "minute", "小时": "hour", "个小时": "hour", "个钟头": "hour",
    "钟头": "hour", "天": "day", "日": "day", "晚": "day", "周": "week", "个星期": "week", "星期": "week",
    "个礼拜": "week", "礼拜": "week", "个月": "month", "月": "month", "个季度": "quarter", "年": "year",
}  # fmt: skip
_UNIT = rf"(?P<unit>{'|'.join(sorted(_UNITS, key=len, reverse=True))})"


# ── days, months, years ──────────────────────────────────────────────────────


@CHINESE_DATES.rule(
    rf"(?<![\d{_DIGIT}十第年月]){_DAY}(?!楼|线|门|院|元|币|语|本|文|常|程|志|间|记)",
    rf"(?<![\d{_DIGIT}十]){_MONTH}(?:的)?{_DAY}",
    rf"{_YEAR}(?:的)?{_MONTH}{_DAY}",
    rf"(?:{_YEAR}(?:的)?)?{_MONTH}(?P<day>{_DAY_NUMBER})(?:日|号)?\s?(?:至|到|[-–—~～])\s?(?P<last>{_DAY_NUMBER})(?:日|号)",
)
def _days_of_month(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """2024年04月01日, 去年五月八号, 上个月8号, 8号; 五月八日至十日, 5月8-10日."""
    groups, first = match.groupdict(), _number(match["day"])
    if not groups.get("month"):
        # A day alone is one of this month; "三日" and "五日" alone are rather a length of time.
        if match[0].endswith("日"):
            return None
        return DateMeaning(calendar.day(view.today.replace(day=first)), relative=True)
    span = calendar.days_of_month(
        *_year_and_month(match, view, first), first, _number(groups.get("last") or match["day"])
    )
    return _of_year(match, span) if span else None


@CHINESE_DATES.rule(
    rf"(?<![\d{_DIGIT}十个]){_MONTH}(?:的)?{_STAGE}?(?![{_DIGIT}十\d])",
    rf"{_YEAR}(?:的)?{_MONTH}(?:的)?{_STAGE}?(?![{_DIGIT}十\d])",
)
def _month(match: re.Match[str], view: DateContext) -> DateMeaning:
    """2024年5月, 去年五月, 上个月, 五月初, 下个月底."""
    year, month = _year_and_month(match, view, 1)
    if match["stage"]:
        return _of_year(match, calendar.part_of_month(year, month, _STAGES[match["stage"]]))  # type: ignore[arg-type]  # of three
    return _of_year(match, calendar.month(year, month))


def _of_year(match: re.Match[str], interval: Interval) -> DateMeaning:
    """Return what a part of a year means: 去年五月 and 上个月 say of which year, 五月 does not."""
    groups = match.groupdict()
    is_named = groups.get("year") or groups.get("near")
    return DateMeaning(interval, relative=not _is_absolute(groups.get("year")), within=None if is_named else "year")


def _year_and_month(match: re.Match[str], view: DateContext, day: int) -> tuple[int, int]:
    """Return which year and month are meant: named, near (上个月), or the nearest when only the month is said."""
    groups = match.groupdict()
    if groups["near"]:
        start = calendar.first_of(view.today.year, view.today.month + _SHIFTS[groups["near"]])
        return start.year, start.month
    name = groups["month"].rstrip("份").rstrip("月")
    month = {"正": 1, "腊": 12}.get(name) or _number(name)
    year = groups.get("year")
    return (_year_number(year, view) if year else view.year_of(month, day, match)), month


def _is_absolute(year: str | None) -> bool:
    """Tell whether the year is written out, so that the date means the same whenever it is read."""
    return year is not None and year.rstrip("度") not in _NEAR_YEARS


def _year_number(written: str | None, view: DateContext) -> int:
    """Return the year of 去年, 二〇二四年, 24年: two digits are of this century; this one where none is named."""
    word = (written or "今年").rstrip("度")
    if word in _NEAR_YEARS:
        return view.today.year + _NEAR_YEARS[word]
    number = _number(word.rstrip("年"))
    return number if number > 99 else 2000 + number


def _number(written: str) -> int:
    """Return the value of digits or Chinese numerals; 廿 and 两 are read as 二十 and 二."""
    if written.isdecimal():
        return int(written)
    return int(chinese_value(written.replace("廿", "二十").replace("两", "二")) or 0)


@CHINESE_DATES.rule(
    rf"{_YEAR}(?P<rest>初|年初|底|年底|末|上半年|下半年)?(?!级)",
    r"(?<![去今明后前\d年])(?P<rest>年初|年底|年末|上半年|下半年)",
)
def _year(match: re.Match[str], view: DateContext) -> DateMeaning:
    """2022年, 前年, 去年年底, 明年上半年; 年底, 上半年: of this year."""
    written = match.groupdict().get("year")
    number, rest = _year_number(written, view), (match["rest"] or "").removeprefix("年")
    if rest.endswith("半年"):
        interval = calendar.half(number, 1 if rest == "上半年" else 2)
    elif rest:
        interval = calendar.months(number, 1 if rest == "初" else 11, 2, "range")
    else:
        interval = calendar.year(number)
    return DateMeaning(interval, relative=not _is_absolute(written))


@CHINESE_DATES.rule(r"(?<![去今明后前\d年])月(?P<edge>[初底末])")
def _edge_of_month(match: re.Match[str], view: DateContext) -> DateMeaning:
    """月初, 月底: of this month."""
    interval = calendar.part_of_month(view.today.year, view.today.month, "early" if match["edge"] == "初" else "late")
    return DateMeaning(interval, relative=True)


@CHINESE_DATES.rule(
    r"(?P<near>上|下|这|本)一?个?季度",
    r"第(?P<quarter>[一二三四1-4])季度",
    rf"{_YEAR}(?:的)?(?:第)?(?P<quarter>[一二三四1-4])季度?",
)
def _quarter(match: re.Match[str], view: DateContext) -> DateMeaning:
    """2023年第三季度, 上个季度."""
    groups = match.groupdict()
    if groups.get("near"):
        return DateMeaning(calendar.unit_near("quarter", _SHIFTS[groups["near"]], view.today), relative=True)
    written = groups.get("year")
    interval = calendar.quarter(_year_number(written, view), _number(match["quarter"]))
    return DateMeaning(interval, relative=not _is_absolute(written))


@CHINESE_DATES.rule(r"(?<![年])(?P<season>[春夏秋冬])(?:天|季)", rf"{_YEAR}(?:的)?{_SEASON}")
def _season(match: re.Match[str], view: DateContext) -> DateMeaning:
    """去年夏天, 2023年秋季, 冬天."""
    name = _SEASONS[match["season"]]
    written = match.groupdict().get("year")
    if written:
        return DateMeaning(calendar.season(_year_number(written, view), name), relative=not _is_absolute(written))
    return DateMeaning(calendar.season_near(name, "", view.now, ahead=view.is_ahead(match)), relative=True)


@CHINESE_DATES.rule(
    r"(?P<century>\d{1,2}|[一二三四五六七八九十]{1,3})世纪(?!\d0|[二三四五六七八九]十)",
    r"(?:(?P<century>\d{1,2}|[一二三四五六七八九十]{1,3})世纪)?(?P<decade>(?:1[0-9]|20)\d0|[2-9]0|[二三四五六七八九]十)年代(?:初|末|中期|后期)?",
)
def _decade(match: re.Match[str], view: DateContext) -> DateMeaning:
    """90年代, 二十世纪九十年代, 19世纪."""
    groups = match.groupdict()
    number = _number(groups["century"]) if groups["century"] else 20
    if not groups.get("decade"):
        return DateMeaning(calendar.century(number))
    first = _number(match["decade"])
    return DateMeaning(calendar.decade(first if first > 100 else 100 * (number - 1) + first))


_HOLIDAYS = {
    "元旦": (1, 1), "情人节": (2, 14), "妇女节": (3, 8), "劳动节": (5, 1), "五一": (5, 1), "儿童节": (6, 1),
    "教师节": (9, 10), "国庆": (10, 1), "国庆节": (10, 1), "万圣节": (10, 31), "平安夜": (12, 24), "圣诞": (12, 25),
    "圣诞节": (12, 25), "双十一": (11, 11),
}  # fmt: skip


@CHINESE_DATES.rule(rf"(?:{_YEAR}(?:的)?)?(?P<name>{'|'.join(sorted(_HOLIDAYS, key=len, reverse=True))})")
def _holiday(match: re.Match[str], view: DateContext) -> DateMeaning:
    """去年国庆节, 圣诞节; holidays of the lunar calendar are not known."""
    month, day = _HOLIDAYS[match["name"]]
    written = match["year"]
    year = _year_number(written, view) if written else view.year_of(month, day, match)
    return _of_year(match, calendar.day(date(year, month, day)))


# ── seen from the moment ─────────────────────────────────────────────────────


@CHINESE_DATES.rule(
    r"(?P<day>[昨今明当])(?P<part>[早晚夜])(?!饭|餐|点(?!钟))(?:上)?",
    rf"(?P<day>{'|'.join(sorted(_NEAR_DAYS, key=len, reverse=True))})",
    rf"(?P<day>{'|'.join(sorted(_NEAR_DAYS, key=len, reverse=True))})(?:的)?{_PART}{_NO_HOUR}",
)
def _near_day(match: re.Match[str], view: DateContext) -> DateMeaning:
    """昨天, 明天上午, 今晚, 大前天."""
    word = match["day"]
    shift = _NEAR_DAYS[word] if word in _NEAR_DAYS else {"昨": -1, "今": 0, "明": 1, "当": 0}[word]
    return calendar.day_or_part(view.today + timedelta(days=shift), _PARTS.get(match.groupdict().get("part") or ""))


@CHINESE_DATES.rule(r"(?P<first>今明|明后)(?:两|二)?天")
def _two_near_days(match: re.Match[str], view: DateContext) -> DateMeaning:
    """明后天, 今明两天."""
    first = view.today + timedelta(days=match["first"] == "明后")
    return DateMeaning(calendar.days(first, 2, "range"), relative=True)


# 第二个星期三, 最后一个周五: one of several, and no certain one.
_ONE_OF_ALL = rf"(?<!最后)(?<!第)(?<![{_DIGIT}十两几\d])(?<![{_DIGIT}十两几\d]个)"
_WEEKDAYS = "一二三四五六日"
_IN_A_ROW = (
    r"(?:(?:一二|二三|三四|四五|五六)[三四五六]*|六日(?![出落常用语记程]))"
    r"(?![点时刻号月楼层个次人位家件条节遍十百千万分])"
)
"""Weekdays in a row, said in one: 下周二三; 下周二三点 is a time."""
_WEEKDAY = rf"{_ONE_OF_ALL}{_WEEK}(?!{_IN_A_ROW})(?P<weekday>[一二三四五六日天1-7])(?!\d|[年岁个季期])"


@CHINESE_DATES.rule(rf"{_ONE_OF_ALL}{_WEEK}(?P<days>{_IN_A_ROW})")
def _weekdays_in_a_row(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """下周二三, 上周五六; without a week nothing tells which is meant."""
    if not match["week"]:
        return None
    begin = calendar.weekday_in_week(
        view.today + timedelta(weeks=_SHIFTS[match["week"]]), _WEEKDAYS.find(match["days"][0])
    )
    return DateMeaning(calendar.days(begin, len(match["days"]), "range"), relative=True)


@CHINESE_DATES.rule(
    rf"(?<![第\d{_DIGIT}十]){_NUMBER}个?(?:周|星期|礼拜)(?:之|以)?(?P<way>前|后)的?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])"
)
def _weekday_away(match: re.Match[str], view: DateContext) -> DateMeaning:
    """两周前的周五."""
    weeks = round(_amount(match["number"])) * (-1 if match["way"] == "前" else 1)
    number = _WEEKDAYS.find(match["weekday"].replace("天", "日"))
    return calendar.day_or_part(calendar.weekday_in_week(view.today + timedelta(weeks=weeks), number), None)


@CHINESE_DATES.rule(_WEEKDAY, rf"{_WEEKDAY}(?:的)?{_PART}{_NO_HOUR}")
def _weekday(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """下周三, 上星期天, 周五下午."""
    written = match["weekday"]
    number = 6 if written in "天7" else _WEEKDAYS.find(written) if written in _WEEKDAYS else int(written) - 1
    part = match.groupdict().get("part")
    shift = _SHIFTS[match["week"] or "本"]
    day = calendar.weekday_in_week(view.today + timedelta(weeks=shift), number)
    if not match["week"]:
        if day > view.today and view.is_over(match):
            day -= timedelta(weeks=1)  # 周日我去爬山了, said on a Monday
        elif day < view.today and view.is_ahead(match) and not calendar.speaks_of_past(view.text, match.end()):
            day += timedelta(weeks=1)  # 周一要交报告, said on a Wednesday
    meaning = calendar.day_or_part(day, _PARTS.get(part or ""))
    is_bare = not match["week"]
    return replace(meaning, weekday=is_bare and not part, within="week" if is_bare else None)


@CHINESE_DATES.rule(
    r"(?<![大上下])(?P<week>上{1,3}|下{1,3}|这|本)一?个?(?:周末|星期末|礼拜末)|(?<![一-九\d])(?P<bare>周末)"
)
def _weekend(match: re.Match[str], view: DateContext) -> DateMeaning:
    """上周末, 这个周末, 周末."""
    is_last = not match["week"] and view.today.weekday() < 5 and view.is_over(match)
    shift = -1 if is_last else _SHIFTS.get(match["week"] or "本", 0)
    return DateMeaning(calendar.unit_near("weekend", shift, view.today), relative=True)


@CHINESE_DATES.rule(r"(?<![大上下])(?P<week>上{1,3}|下{1,3}|这|本)一?个?(?:周|星期|礼拜)(?![一二三四五六日天末1-7])")
def _week(match: re.Match[str], view: DateContext) -> DateMeaning:
    """上周, 下个星期."""
    return DateMeaning(calendar.unit_near("week", _SHIFTS[match["week"]], view.today), relative=True)


@CHINESE_DATES.rule(
    rf"(?<![第\d{_DIGIT}十]){_NUMBER}(?:多)?{_UNIT}(?:之|以)?(?P<way>前|后)(?!面|者|天)",
    rf"(?P<way>再过){_NUMBER}个?{_UNIT}(?:[之以]?后)?",
    rf"(?<![不超通经路难])(?P<way>过){_NUMBER}{_UNIT}(?:[之以]?后|(?=[就再要会才我，]))",
)
def _distance(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """三天前, 两小时前, 半年后, 几个月前, 再过两周, 过两天就走."""
    unit, amount = _UNITS[match["unit"]], _amount(match["number"])
    if unit == "year" and amount > 1000:
        return None  # 1987年以后 names a year
    return DateMeaning(
        calendar.unit_at_distance(-amount if match["way"] == "前" else amount, unit, view.now), relative=True
    )


def _amount(written: str) -> float:
    """Return how many: 半 is a half; 几 and 数 are taken as three, 好几 as five (chosen by hand)."""
    if written == "半":
        return 0.5
    if written in {"几", "数"}:
        return 3
    if written == "好几":
        return 5
    return float(written) if written[0].isdecimal() else float(chinese_value(written) or 1)


@CHINESE_DATES.rule(rf"(?P<lead>最近|过去|近|未来|接下来|今后)(?:的)?(?:这)?{_NUMBER}(?:多)?{_UNIT}")
def _stretch(match: re.Match[str], view: DateContext) -> DateMeaning:
    """最近三天, 过去两周, 未来半年."""
    ahead = match["lead"] in {"未来", "接下来", "今后"}
    return DateMeaning(
        calendar.window(_amount(match["number"]), _UNITS[match["unit"]], view.now, ahead=ahead), relative=True
    )


# ── times of day ─────────────────────────────────────────────────────────────


@CHINESE_DATES.rule(
    rf"{_PART}\s?(?P<hour>\d{{1,2}})[:：](?P<minute>[0-5]\d)(?!\d)",
    (
        rf"{_PART}?(?:的)?(?P<hour>\d{{1,2}}|十[一二]?|二十[一二三四]?|[零一两二三四五六七八九])"
        r"(?:点钟?|时(?!间|候|代|期|常|而|刻))"
        rf"(?P<minute>半|[一三]刻|整|(?:\d{{1,2}}|[{_DIGIT}十]{{1,3}})分?(?!之|钟前|钟后|数))?"
    ),
)
def _clock(match: re.Match[str], view: DateContext) -> DateMeaning | None:
    """下午三点, 早上8点半, 晚上10:30, 三点一刻."""
    part = match["part"]
    if not part and match["hour"] in {"一", "零"} and not match["minute"] and not match[0].endswith("钟"):
        return None  # 一点 is "a little"
    hour = _number(match["hour"])
    later = part in {"下午", "午后", "傍晚", "晚上", "夜里", "夜晚", "深夜"} or (part == "中午" and hour < 6)
    if later and hour < 12:
        hour += 12
    minute = _minute(match["minute"])
    return calendar.clock_time(hour % 24, minute, None)


def _minute(written: str | None) -> int | None:
    """Return the minutes after an hour: 半, 一刻, 二十分; None when only the hour was said."""
    if written is None:
        return None
    if written in {"半", "整"}:
        return 30 if written == "半" else 0
    return {"一": 15, "三": 45}[written[0]] if written.endswith("刻") else _number(written.rstrip("分"))


@CHINESE_DATES.rule(_PART)
def _waiting_part(match: re.Match[str], view: DateContext) -> DateMeaning:
    """下午: of whatever day stands beside it."""
    return calendar.waiting_part(_PARTS[match["part"]])
