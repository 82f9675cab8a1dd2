"""Long working sessions made up for tests: talk with tools, decisions among it, any length."""

import random
from functools import cache
from typing import Any

from remanent.text.tokens import token_counter

PLANTED = {
    "en": (
        "We decided to use PostgreSQL for the order service.",
        "Let's go with bcrypt for hashing passwords.",
        "I decided to drop support for Python 3.9.",
        "We agreed to deploy only on Tuesdays.",
        "I will send the contract to Maria by Friday.",
        "Please remind me to renew the certificate next week.",
        "We agreed that all timestamps are stored in UTC.",
        "TODO: write the migration for the invoices table.",
        "We decided to cache sessions in Redis for thirty minutes.",
        "I need to call the supplier about the delay tomorrow.",
        "We agreed on snake_case for all JSON fields.",
        "Let's use Tailwind for the admin pages.",
        "I decided to keep the monolith until spring.",
        "I have to book the flight to Oslo before the 12th.",
        "We agreed to review every pull request within a day.",
        "We decided to charge in euros only.",
        "I'll prepare the slides for the board meeting on Monday.",
        "We agreed that the API returns at most 100 rows.",
        "Let's go with Grafana for the dashboards.",
        "Remember to rotate the access keys in March.",
    ),
    "zh": (
        "我们决定订单服务使用 PostgreSQL。",
        "密码加密就用 bcrypt 吧。",
        "我决定不再支持 Python 3.9。",
        "我们约定只在周二发布。",
        "我周五之前把合同发给玛丽亚。",
        "请提醒我下周续期证书。",
        "我们约定所有时间都用 UTC 保存。",
        "待办：编写发票表的迁移脚本。",
        "我们决定把会话缓存在 Redis 三十分钟。",
        "我明天需要打电话给供应商问延期的事。",
        "我们约定 JSON 字段都用下划线命名。",
        "管理页面就用 Tailwind 吧。",
        "我决定春天之前保留单体架构。",
        "我要在 12 号之前订去奥斯陆的机票。",
        "我们约定一天之内评审每个合并请求。",
        "我们决定只收欧元。",
        "我周一之前准备好董事会的幻灯片。",
        "我们约定接口最多返回 100 行。",
        "仪表盘就用 Grafana 吧。",
        "记得三月轮换访问密钥。",
    ),
}
_WORDS = {
    "en": "the parser reads each record and checks its header before the queue takes it while the index grows slowly "
    "because pages are split when a shelf is full and readers wait for the lock that the writer holds until the page "
    "is flushed and the counter moves on so nobody sees half of a change in the table of names",
    "zh": "解析器读取每条记录并检查表头然后队列接收同时索引缓慢增长因为页面在书架写满时会拆分"
    "读者等待写者持有的锁直到页面刷新计数器前进这样没有人会看到表中改了一半的内容",
}


def dialogue(language: str, *, messages: int = 200, tokens: int = 50_000) -> list[dict[str, Any]]:
    """Return a session of so many messages and about so many tokens, 40 % of them results of tools.

    Every second exchange holds one of the planted decisions, to-dos and agreements, each said once.
    """
    return [dict(message) for message in _made(language, messages, tokens)]


@cache
def _made(language: str, messages: int, tokens: int) -> list[dict[str, Any]]:
    rng = random.Random(7)
    count = token_counter()
    planted = list(PLANTED[language])
    made: list[dict[str, Any]] = []
    # Of four messages one is the result of a tool: with 40 % of the tokens it is 1.6 times as long as the mean.
    mean = tokens / messages
    number = 0
    while len(made) < messages:
        number += 1
        said = _filler(rng, language, int(0.88 * mean) - 14, count)
        if planted and number % 2 == 0:
            said = f"{said} {planted.pop(0)}"
        call = {
            "id": f"c{number}",
            "type": "function",
            "function": {"name": "run", "arguments": f'{{"step": {number}}}'},
        }
        made += [
            {"role": "user", "content": said},
            {
                "role": "assistant",
                "content": _filler(rng, language, int(0.86 * mean) - 30, count),
                "tool_calls": [call],
            },
            {"role": "tool", "tool_call_id": f"c{number}", "content": _output(rng, language, int(1.65 * mean), count)},
            {"role": "assistant", "content": _filler(rng, language, int(0.84 * mean) - 6, count)},
        ]
    return made[:messages]


def _filler(rng: random.Random, language: str, size: int, count: Any) -> str:
    """Return sentences of about so many tokens that decide nothing."""
    words = _WORDS[language].split() if language == "en" else list(_WORDS[language])
    text, written = "", 0
    while written < size:
        sentence = [rng.choice(words) for _ in range(rng.randint(8, 16) if language == "en" else rng.randint(12, 24))]
        made = (" ".join(sentence).capitalize() + ". ") if language == "en" else "".join(sentence) + "。"
        text, written = text + made, written + count(made)
    return text.strip()


def _output(rng: random.Random, language: str, size: int, count: Any) -> str:
    lines, written = ["$ run --step"], 0
    while written < size:
        lines.append(f"[{rng.randint(1000, 9999)}] " + _filler(rng, language, 8, count))
        written += count(lines[-1]) + 1
    return "\n".join([*lines, "done: 12 passed" if language == "en" else "完成：12 项通过"])
