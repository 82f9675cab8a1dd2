"""What the demonstration remembers and asks: two conversations, one English, one Chinese."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

HOME = "moving house"
TEAM = "项目周会"

_ADA, _BOT = "user", "assistant"

# session, id, when, who, what
_TOLD = (
    (HOME, "h01", "2026-03-02T09:10+00:00", _ADA, "I have decided: in May I am moving from Berlin to Lisbon."),
    (HOME, "h02", "2026-03-02T09:11+00:00", _BOT, "Congratulations! Shall I keep a list of what has to be done?"),
    (HOME, "h03", "2026-03-02T09:13+00:00", _ADA, "Yes. The lease here in Berlin ends on 30 April."),
    (HOME, "h04", "2026-03-09T18:40+00:00", _ADA, "I booked the flight with TAP; my booking code is QX7K2M."),
    (HOME, "h05", "2026-03-09T18:41+00:00", _BOT, "Noted. The airline lets you take two pieces of luggage."),
    (HOME, "h06", "2026-04-18T20:05+00:00", _ADA, "The movers want 1,840 euros. I paid half of it today."),
    (HOME, "h07", "2026-05-04T08:30+00:00", _ADA, "I have arrived! The flat is on Rua da Rosa, third floor."),
    (HOME, "h08", "2026-05-04T08:32+00:00", _ADA, "The PIN of the front door is 4711-Lisboa, do not tell anybody."),
    (HOME, "h09", "2026-05-11T19:20+00:00", _ADA, "By the way, peanuts make me ill, so no satay for me, please."),
    (HOME, "h10", "2026-05-11T19:21+00:00", _BOT, "Understood: I will leave peanuts out of every recipe."),
    (HOME, "h11", "2026-05-20T07:55+00:00", _ADA, "My sister Clara visits from the 12th to the 15th of June."),
    (HOME, "h12", "2026-05-21T12:15+00:00", _ADA, "I have found a climbing gym near the river, I go on Thursdays."),
    (HOME, "h13", "2026-06-02T21:10+00:00", _ADA, "The neighbour upstairs plays the cello until midnight. Lovely."),
    (TEAM, "t01", "2026-04-07T10:00+08:00", _ADA, "今天的周会：新版本原定 6 月 3 日发布。"),
    (TEAM, "t02", "2026-04-07T10:04+08:00", _ADA, "王芳负责前端，李雷负责后端，测试由韩梅梅来做。"),
    (TEAM, "t03", "2026-04-07T10:09+08:00", _BOT, "已记录分工。需要我每周一提醒大家更新进度吗？"),
    (TEAM, "t04", "2026-04-07T10:10+08:00", _ADA, "好的，每周一早上九点提醒。"),
    (TEAM, "t05", "2026-04-14T10:20+08:00", _ADA, "数据库讨论了很久，最后决定用 PostgreSQL，不再考虑 MongoDB。"),
    (TEAM, "t06", "2026-04-14T10:26+08:00", _ADA, "理由是事务可靠，而且运维同事都熟悉。"),
    (TEAM, "t07", "2026-04-28T10:03+08:00", _ADA, "支付接口的联调卡住了，对方要到五月中旬才给测试账号。"),
    (TEAM, "t08", "2026-04-28T10:15+08:00", _ADA, "因此发布日期推迟到 6 月 24 日。"),
    (TEAM, "t09", "2026-05-12T10:05+08:00", _ADA, "客户希望界面支持深色模式，排进下一个版本。"),
    (TEAM, "t10", "2026-05-12T10:18+08:00", _BOT, "深色模式已加入下一版本的待办清单。"),
    (TEAM, "t11", "2026-05-26T10:02+08:00", _ADA, "服务器预算每月不超过八千元，超出要先找财务审批。"),
    (TEAM, "t12", "2026-05-26T10:30+08:00", _ADA, "团建定在六月最后一个周末，去青岛看海。"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the demonstration and the message that answers it."""

    question: str
    answered_by: str


QUESTIONS = (
    Asked("Which city is she moving to?", "h01"),
    Asked("谁负责前端？", "t02"),
    Asked("她不能吃什么？", "h09"),
    Asked("Which database did the team choose, and which did it reject?", "t05"),
    Asked("What was the booking code of my flight?", "h04"),
    Asked("为什么推迟发布？", "t08"),
)

OUTDATED = "t01"
"""Forgotten on stage: the release date that no longer holds."""

SECRET = "h08"
"""Erased on stage: the PIN of a front door."""

SECRET_WORD = "4711-Lisboa"
"""What must be in no file after that."""

SECRET_QUESTION = "What is the PIN of the front door?"


def sessions() -> dict[str, list[dict[str, Any]]]:
    """Return the messages of each session."""
    told: dict[str, list[dict[str, Any]]] = {}
    for session, message_id, at, role, content in _TOLD:
        message = {"id": message_id, "role": role, "content": content, "occurred_at": datetime.fromisoformat(at)}
        told.setdefault(session, []).append(message)
    return told
