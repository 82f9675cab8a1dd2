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
    ],
)
def test_the_later_word_counts(decided: str, later: str) -> None:
    kept = found(decided, "Fine.", later)
    assert [*kept.decisions, *kept.agreements] == [with_speaker(later, "user")]
    apart = standing([found(decided), found("Fine."), found(later)])
    assert [*apart.decisions, *apart.agreements] == [with_speaker(later, "user")]
    assert any(decided in item for item in apart.gone)


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
        ("user", "We agreed to meet at noon.", 2),
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
