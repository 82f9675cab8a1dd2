"""The settings of tiered cognition; lifetimes and counts are those of the design's section 2.2."""

from typing import Annotated

from pydantic import Field

from remanent.settings import SettingsSection

Days = Annotated[float, Field(gt=0, le=36_500)]


class CognitionSettings(SettingsSection):
    """What becomes a memory, and how long it lives.

    learn: Whether facts, preferences and events are extracted from what is remembered; raw turns are always kept.
        是否从写入的内容中提取事实、偏好与事件；原始对话总会保留。
    learn_every: How many user messages are learned from together; if more than one, the rest follow when their session
        ends.
        用户的多少条消息一起提取；大于 1 时，余下的在会话结束时提取。
    include: Only statements that contain one of these words, separated by commas, become memories; leave empty for all.
        只有含这些词之一（以逗号分隔）的陈述才成为记忆；为空表示不限。
    exclude: Statements that contain one of these words, separated by commas, never become memories.
        含这些词之一（以逗号分隔）的陈述不会成为记忆。
    preference_days: How many days a preference stays in short-term memory.
        偏好在短期记忆中的天数。
    decision_days: How many days a decision stays in short-term memory.
        决定在短期记忆中的天数。
    follow_up_days: How many days a follow-up stays in short-term memory.
        待跟进事项在短期记忆中的天数。
    mood_days: How many days a mood stays in short-term memory.
        情绪在短期记忆中的天数。
    promote_after: How often a short-term memory must be recalled to become long-term.
        短期记忆被检索多少次后转为长期记忆。
    """

    learn: bool = True
    learn_every: Annotated[int, Field(ge=1, le=1000)] = 1
    include: str = ""
    exclude: str = ""
    preference_days: Days = 7
    decision_days: Days = 7
    follow_up_days: Days = 3
    mood_days: Days = 1
    promote_after: Annotated[int, Field(ge=1, le=1000)] = 3
