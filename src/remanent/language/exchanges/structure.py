"""Structure: one topic's text becomes a structured summary."""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from remanent.language.exchanges.shapes import LONGEST_SUMMARY, Context, Keywords, LongText, Remark, Summary
from remanent.language.tongue import Tongue
from remanent.model import Model

_HEADINGS: dict[Tongue, tuple[str, str, str]] = {
    "zh": ("要点：", "证据：", "逻辑："),
    "en": ("Key facts:", "Evidence:", "Reasoning:"),
}


class StructureRequest(Model):
    """One topic's text, with what it is about and the task that it serves."""

    content: LongText
    context: Context = ""
    keywords: Keywords = ()
    task: Remark = ""


class StructureResponse(Model):
    """A summary that is detailed enough to work from: key facts, evidence, reasoning, each under its heading."""

    summary: Annotated[Summary, Field(min_length=1)]


def render(*, facts: Sequence[str], evidence: Sequence[str], reasoning: str, tongue: Tongue) -> str:
    """Return the summary that these parts make; too much of it is left out from the end, evidence first."""
    while len(text := _rendered(facts, evidence, reasoning, tongue)) > LONGEST_SUMMARY:
        if evidence:
            evidence = evidence[:-1]
        elif reasoning:
            reasoning = ""
        elif len(facts) > 1:
            facts = facts[:-1]
        else:
            return text[:LONGEST_SUMMARY]
    return text


def _rendered(facts: Sequence[str], evidence: Sequence[str], reasoning: str, tongue: Tongue) -> str:
    headings = _HEADINGS[tongue]
    parts = []
    if facts:
        parts.append("\n".join([headings[0], *(f"- {fact}" for fact in facts)]))
    if evidence:
        parts.append("\n".join([headings[1], *(f"- {quote}" for quote in evidence)]))
    if reasoning:
        parts.append(f"{headings[2]}{'' if tongue == 'zh' else ' '}{reasoning}")
    return "\n".join(parts)
