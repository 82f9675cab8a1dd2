"""What is said to a model around a role's own prompt: the form of the answer, and what was wrong with it."""

import json
from typing import Any

from remanent.language.role import Form, Said
from remanent.language.tongue import Tongue

_FORM: dict[Tongue, str] = {
    "en": "Reply with one JSON object that fits this JSON schema, and with nothing else:\n{schema}",
    "zh": "只回复一个符合以下 JSON Schema 的 JSON 对象，不要写任何其他内容：\n{schema}",
}
_AGAIN: dict[Form, dict[Tongue, str]] = {
    "json": {
        "en": "Your reply could not be used: {problem}. "
        "Reply again, with one JSON object of the form that was asked for and nothing else.",
        "zh": "你的回复无法使用：{problem}。请重新回复，只写一个符合要求的 JSON 对象，不要写任何其他内容。",
    },
    "text": {
        "en": "Your reply could not be used: {problem}. Write the whole reply again without that mistake.",
        "zh": "你的回复无法使用：{problem}。请改正后重新写出完整的回复。",
    },
}
_NOTHING_SAID: dict[Tongue, str] = {"en": "(no reply)", "zh": "（没有回复）"}


def describe_form(instructions: str, schema: dict[str, Any], *, tongue: Tongue) -> str:
    """Return the instructions with the form of the answer after them."""
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    return f"{instructions}\n\n{_FORM[tongue].format(schema=shown)}"


def ask_again(answer: str, problem: str, *, form: Form, tongue: Tongue, longest: int) -> tuple[Said, Said]:
    """Return the turns that show a model its answer, in so many characters, and say what is wrong with it."""
    shown = answer.strip() or _NOTHING_SAID[tongue]
    if len(shown) > longest:
        half = longest // 2
        shown = f"{shown[:half]} … {shown[-half:]}"
    return Said("assistant", shown), Said("user", _AGAIN[form][tongue].format(problem=problem))
