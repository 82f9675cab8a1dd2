"""`context shrink`: a conversation from a file made to fit, and what was saved by which strategy."""

import json
from pathlib import Path

from remanent.bilingual import Bilingual
from remanent.cli.files import read_messages
from remanent.cli.options import CommonOptions
from remanent.cli.screen import Terminal, begin
from remanent.context import ContextView, Strategy
from remanent.errors import InvalidInput

_HEADINGS = (
    Bilingual("strategy", "策略"),
    Bilingual("tokens before", "之前 token"),
    Bilingual("after", "之后"),
    Bilingual("saved", "节省"),
)
_STRATEGIES = {
    Strategy.CLEANING: Bilingual("cleaning", "清理"),
    Strategy.SYSTEM_PROMPTS: Bilingual("system prompts", "重复的系统提示"),
    Strategy.TOOL_RESULTS: Bilingual("tool results", "工具结果"),
    Strategy.ATTACHMENTS: Bilingual("attachments", "附件"),
    Strategy.SUMMARIES: Bilingual("summaries", "摘要"),
    Strategy.DIGEST: Bilingual("digest", "会话概要"),
    Strategy.RETENTION: Bilingual("retention", "按优先级保留"),
    Strategy.RECALL: Bilingual("on-demand recall", "按需检索"),
    Strategy.SHARING: Bilingual("shared context", "共享上下文去重"),
}
_TOTAL = Bilingual("in all", "合计")
_LEVEL = Bilingual(
    "Level {level}; {messages} messages in place of {given}.", "级别 {level}；{given} 条消息变为 {messages} 条。"
)
_NO_FIT = Bilingual(
    "The newest message alone is longer than the budget of {budget} tokens.",
    "仅最新消息就超过了 {budget} 个 token 的预算。",
)


def shrink(place: CommonOptions, file: Path, *, level: int | None, budget: int | None, report: bool) -> None:
    """Shorten the messages of a file; print them, or a table of what was saved."""
    screen, settings = begin(place)
    messages = [message for _, message in read_messages(file)]
    if not messages or not all(isinstance(message, dict) for message in messages):
        raise InvalidInput(f"{file} holds no messages: give a list of objects with `role` and `content`")
    with place.open(settings) as memory:
        view = memory.agent(place.agent or settings.agent).context(messages, budget=budget, level=level)
    if place.as_json:
        screen.give(view.model_dump(mode="json"))
    elif report:
        _show(screen, view, given=len(messages))
    else:
        print(json.dumps(view.messages, ensure_ascii=False, indent=2))
    if not view.fits:
        screen.tell(_NO_FIT, budget=view.budget)


def _show(screen: Terminal, view: ContextView, *, given: int) -> None:
    """Show a table of what each strategy did, and the whole."""
    rows = [[screen.word(_STRATEGIES[one.strategy]), *_figures(one.before, one.after)] for one in view.report]
    rows.append([screen.word(_TOTAL), *_figures(view.tokens_before, view.tokens)])
    screen.rows([screen.word(heading) for heading in _HEADINGS], rows)
    screen.tell(_LEVEL, level=view.level, messages=len(view.messages), given=given)


def _figures(before: int, after: int) -> list[str]:
    share = (before - after) / before if before else 0.0
    return [f"{before:,}", f"{after:,}", f"{before - after:,} ({share:.0%})"]
