"""What binds people, and what does not any more since they took it back."""

import pytest

from remanent.language.roles.commitments import Commitments, find_commitments, standing
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
    assert [*kept.decisions, *kept.agreements] == [later]
    apart = standing([found(decided), found("Fine."), found(later)])
    assert [*apart.decisions, *apart.agreements] == [later]
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
    assert again.decisions[-1] == "最后决定缓存用 Redis。"
