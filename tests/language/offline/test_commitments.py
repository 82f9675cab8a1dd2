"""What binds people, and what does not any more since they took it back."""

import pytest

from remanent.language.offline.commitments import Commitments, find_commitments, standing
from remanent.language.offline.salience import with_speaker
from remanent.language.shapes import Utterance


def found(*said: str) -> Commitments:
    return find_commitments([Utterance(speaker=("user", "assistant")[n % 2], text=text) for n, text in enumerate(said)])


@pytest.mark.parametrize(
    ("decided", "later"),
    [
        ("我们决定用 Redis 做缓存。", "不用Redis了，改用Memcached。"),
        ("决定缓存用 Redis。", "缓存改用 Memcached 吧。"),
        ("决定周三开评审会。", "评审会改到周五。"),
        ("决定用微信群通知大家。", "取消刚才的决定。"),
        ("We decided to use Redis for the cache.", "Cancel that, we go with Memcached."),
        ("We decided to use Redis for the cache.", "Let's drop Redis and use Memcached."),
        ("We decided to use Redis for the cache.", "Let's use Memcached instead of Redis."),
        ("We agreed to meet every Friday.", "The Friday meeting is cancelled."),
        ("We agreed that the launch is on 3 May.", "The launch moved to 17 May."),
        ("We agreed that the review is at noon.", "The review has been rescheduled to 4 pm."),
        ("Let's go with Oslo for the offsite.", "Scratch that, we'll do Bergen."),
        ("I've decided to rent the flat on Elm Street.", "Never mind the Elm Street flat, I'm staying."),
        ("我决定去云南旅行，订了十月三号的机票。", "算了，还是换成去四川吧。"),
        ("我决定报名驾校。", "算了，不去了。"),
        ("会议就定在周三下午三点。", "会议改到周四上午十点了。"),
    ],
)
def test_the_later_word_counts(decided: str, later: str) -> None:
    kept = found(decided, "Fine.", later)
    assert [*kept.decisions, *kept.agreements] == [with_speaker(later, "user")]
    apart = standing([found(decided), found("Fine."), found(later)])
    assert [*apart.decisions, *apart.agreements] == [with_speaker(later, "user")]
    assert any(decided in item for item in apart.gone)


@pytest.mark.parametrize("between", [0, 4])
@pytest.mark.parametrize(
    ("decided", "later"),
    [
        ("Let's go with Oslo for the offsite.", "Scratch that, we'll do Bergen instead."),
        ("我们决定用阿里云。", "改成腾讯云吧。"),
    ],
)
def test_what_was_settled_last_is_taken_back_some_exchanges_later(decided: str, later: str, between: int) -> None:
    kept = found(decided, "Fine.", *["We baked bread.", "Nice."] * between, later)
    assert kept.decisions == (with_speaker(later, "user"),)


@pytest.mark.parametrize(
    ("to_do", "later"),
    [
        ("Remind me to call Dr. Wu on Friday.", "I called Dr. Wu already, it's done."),
        ("Don't forget to renew the passport.", "The passport is renewed now."),
        ("I need to buy milk and eggs.", "I've bought the milk and the eggs."),
        ("记得给猫买驱虫药。", "猫的驱虫药已经买好了。"),
        ("别忘了交房租。", "房租交完了。"),
        ("提醒我明天交水费。", "水费不用提醒我了，已经交了。"),
    ],
)
def test_what_is_done_is_no_longer_to_be_done_and_nothing_stands_in_its_place(to_do: str, later: str) -> None:
    kept = found(to_do, "Fine.", later)
    assert kept[:3] == ((), (), ())
    assert kept.gone == (with_speaker(to_do, "user"),)


@pytest.mark.parametrize(
    ("to_do", "later"),
    [
        ("Remind me to call Dr. Wu on Friday.", "I already have Dr. Wu's number."),
        ("I need to book the hotel in Porto.", "I've almost booked the hotel in Porto."),
        ("I'll send the invoice to Omar tomorrow.", "I have not sent the invoice to Omar yet."),
        ("提醒我明天买牛奶。", "牛奶还没买。"),
        ("Remind me to call my sister.", "My sister moved to Berlin."),
    ],
)
def test_what_is_not_done_is_still_to_be_done(to_do: str, later: str) -> None:
    assert found(to_do, "Fine.", later).todos == (with_speaker(to_do, "user"),)


def test_who_wants_no_reminder_gets_none() -> None:
    kept = found("Remind me to call Dr. Wu on Friday.", "Fine.", "Don't remind me to call Dr. Wu, he called me.")
    assert kept.todos == ()


def test_advice_takes_nothing_back() -> None:
    for advice in (
        "To avoid this, use a candle snuffer instead.",
        "为了避免烟味，改用盖子吧。",
        "No need to ask for more wax.",
    ):
        kept = found("We decided to use a wax melter.", advice)
        assert kept.decisions == ("User: We decided to use a wax melter.",)


@pytest.mark.parametrize(
    ("decided", "later"),
    [
        ("We decided to deploy on Friday.", "Don't forget the deploy key."),
        ("We decided to deploy on Friday.", "Should we cancel the deploy?"),
        ("We decided to deploy on Friday.", "Cancel the lunch with Tom."),
        ("我决定去杭州旅游。", "不用担心天气。"),
        ("我决定去杭州旅游。", "不用了，谢谢。"),
    ],
)
def test_what_nobody_took_back_stands(decided: str, later: str) -> None:
    assert any(decided in item for item in found(decided, "好的。", later).decisions)


def test_what_is_decided_again_stands() -> None:
    again = found("决定缓存用 Redis。", "好的。", "不用Redis了，改用Memcached。", "好的。", "最后决定缓存用 Redis。")
    assert again.decisions[-1] == "用户：最后决定缓存用 Redis。"


@pytest.mark.spec("COG-03")
@pytest.mark.parametrize(
    ("speaker", "text"),
    [
        ("user", "But I'm not sure how to handle existing rows, and I don't want to lose any data."),
        ("user", "I'd love to get your feedback on how to improve it."),
        ("assistant", "1. **Scalability**: Scaling can be challenging, you need to plan for it."),
        ("assistant", "Switching from SQLite to PostgreSQL for your application is a great step."),
        ("assistant", "Let's use the known area to verify."),
        ("assistant", "You'll need to configure Gunicorn to serve HTTPS traffic."),
        ("assistant", "你需要在周五之前完成配置。"),
        ("assistant", "It's always a good idea to explore other options before making a final decision."),
        ("assistant", "- Make a final decision."),
        ("assistant", "Ultimately, the decision is yours."),
        ("assistant", "To keep it clean, use a soft cloth instead."),
        ("user", "I'll try on both boots before making a final decision."),
        ("user", "We all agreed that it was a page-turner."),
        ("user", "I take too little sleep, I often forget that."),
        ("user", "I promised myself to rest."),
        ("user", "我没答应帮小陈搬家。"),
        ("user", "I had to call the doctor on Monday."),
        ("user", "我还没决定用哪个数据库。"),
        ("user", "我记得小时候住在河边。"),
        ("user", "Never say never!"),
        ("user", "From now on I sleep early."),
        ("user", "情况稳定了，血压也正常"),
        ("Melanie", "These figurines always remind me of family love."),
    ],
)
def test_advice_praise_and_doubt_bind_nobody(speaker: str, text: str) -> None:
    earlier = Utterance(text="We decided to use SQLite for the application.")
    assert find_commitments([Utterance(speaker=speaker, text=text)])[:3] == ((), (), ())
    assert find_commitments([earlier, Utterance(speaker=speaker, text=text)]).decisions == (f"User: {earlier.text}",)


@pytest.mark.spec("COG-03")
@pytest.mark.parametrize(
    ("speaker", "text", "kind"),
    [
        ("user", "Let's go with bcrypt.", 0),
        ("Ben", "I've decided against microservices for now.", 0),
        ("user", "那就用 bcrypt 吧。", 0),
        ("user", "车定了，还是汉，主要是等得太久", 0),
        ("user", "双月湾去不成了，台风，改成下周末去顺德吃东西", 0),
        ("user", "Remind me to renew the certificate.", 1),
        ("Clara", "I'll send the contract to Maria.", 1),
        ("assistant", "I'll send the report by Friday.", 1),
        ("user", "我来准备幻灯片。", 1),
        ("user", "记得三月轮换密钥。", 1),
        ("user", "I promise to send you the draft by Friday.", 1),
        ("user", "I promised Sam I'd send the contract by Monday.", 1),
        ("user", "我答应周日帮小陈搬家。", 1),
        ("user", "我们承诺月底前把稿子交给编辑。", 1),
        ("user", "Final decision: we take the train.", 0),
        ("user", "聚餐定在周六晚上。", 0),
        ("user", "We agreed to meet at noon.", 2),
        ("user", "We agreed that she pays the deposit.", 2),
        ("user", "Always include version numbers when I ask about libraries.", 2),
        ("user", "我们约定只在周二发布。", 2),
        ("user", "陆敏休产假了，之后给供应商的邮件抄送给她的接手人覃舟", 2),
    ],
)
def test_what_binds_is_listed_with_its_speaker(speaker: str, text: str, kind: int) -> None:
    lists = find_commitments([Utterance(speaker=speaker, text=text)])[:3]
    assert lists == tuple((with_speaker(text, speaker),) if place == kind else () for place in range(3))


@pytest.mark.parametrize(
    "day", "明早 明晚 今晚 后天 大后天 周五 星期五 礼拜五 这个星期五 下周五 下个星期 下月底 8号 五月八号".split()
)
def test_what_is_to_be_done_on_a_day_binds_however_the_day_is_called(day: str) -> None:
    said = {f"我{day}要交报告": "user", f"报告要在{day}之前改完": "user", f"我会在{day}提醒你": "assistant"}
    for text, speaker in said.items():
        assert find_commitments([Utterance(speaker=speaker, text=text)]).todos == (with_speaker(text, speaker),)


@pytest.mark.parametrize("text", ["我周三写了一封信", "我星期六去了公园", "我三号线要换乘", "我一点都不会写"])
def test_what_was_done_or_is_no_day_binds_nobody(text: str) -> None:
    assert find_commitments([Utterance(speaker="user", text=text)])[:3] == ((), (), ())


@pytest.mark.parametrize(
    "when", ["on Friday", "over the weekend", "in two weeks", "in a week", "at the end of the month"]
)
def test_an_english_task_binds_however_its_day_is_called(when: str) -> None:
    text = f"I'll hand in the figures {when}."
    assert find_commitments([Utterance(speaker="user", text=text)]).todos == (with_speaker(text, "user"),)


def test_a_place_in_a_text_is_no_day() -> None:
    text = "I'll also make sure to include a link at the end of the video."
    assert find_commitments([Utterance(speaker="user", text=text)])[:3] == ((), (), ())
